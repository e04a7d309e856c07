"""``syncbot sync``: look at everything, and with --apply propose what is due."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from syncbot.cli import passes

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Look at everything and say what is due; with --apply propose it.")
def sync(
    ids: passes.Ids = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write: push, open, update, comment.")] = False,
    config: passes.Config = ".",
    repo: passes.Repos = None,
    use_cache: passes.UseCache = True,
    as_json: passes.AsJson = False,
) -> None:
    """Print a line for each workaround and each write. Without --apply nothing is written anywhere.

    Exit 1 if an action failed, 3 if something is left for later; held back by a limit is no failure.
    """
    reports = passes.one_pass(
        passes.Pass(config=config, repos=repo or [], ids=ids or [], use_cache=use_cache, apply=apply)
    )
    if as_json:
        typer.echo(json.dumps(passes.as_data(reports), indent=2))
    else:
        passes.tell(reports, applied=apply)
    passes.end(reports)
