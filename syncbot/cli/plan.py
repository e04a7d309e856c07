"""``syncbot plan``: what would be written, and why; writes nothing anywhere."""

from __future__ import annotations

import json

import typer

from syncbot.cli import passes
from syncbot.cli.ids import Ids

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Say what sync --apply would write, and for each workaround why; writes nothing.")
def plan(
    ids: Ids = None,
    config: passes.Config = ".",
    repo: passes.Repos = None,
    use_cache: passes.UseCache = True,
    as_json: passes.AsJson = False,
) -> None:
    """Print the plan; with --json in the form that ``apply --plan`` takes. Exit 3 if a forge could not be looked at."""
    reports = passes.one_pass(passes.Pass(config=config, repos=repo or [], ids=ids or [], use_cache=use_cache))
    if as_json:
        typer.echo(json.dumps(passes.as_data(reports), indent=2))
    else:
        passes.tell(reports, applied=False)
    passes.end(reports)
