"""``syncbot plan``: what would be written, and why; writes nothing anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from syncbot.cli import passes
from syncbot.cli.ids import Ids
from syncbot.model.errors import UsageError

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Say what sync --apply would write, and for each workaround why; writes nothing.")
def plan(
    ids: Ids = None,
    config: passes.Config = ".",
    repo: passes.Repos = None,
    use_cache: passes.UseCache = True,
    shard: passes.Part = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Print a job matrix for GitHub Actions instead, as one line of JSON.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", min=1, max=256, help="With --matrix: how many jobs at most.")
    ] = 20,
    as_json: passes.AsJson = False,
) -> None:
    """Print the plan; with --json in the form that ``apply --plan`` takes. Exit 3 if a forge could not be looked at.

    ``--matrix`` reads the configuration and nothing else: no clone, no forge.
    """
    if matrix:
        if ids or shard is not None:
            raise UsageError("--matrix shares everything out, so it takes neither ids nor --shard")
        _print_matrix(config, jobs)
        return
    reports = passes.one_pass(
        passes.Pass(
            config=config, repos=repo or [], ids=ids or [], use_cache=use_cache, shard=passes.shard_of(shard, ids)
        )
    )
    if as_json:
        typer.echo(json.dumps(passes.as_data(reports), indent=2))
    else:
        passes.tell(reports, applied=False)
    passes.tell_workflow(reports, applied=False)
    passes.end(reports)


def _print_matrix(config: str, jobs: int) -> None:
    from syncbot.config import load_project
    from syncbot.shards import matrix

    typer.echo(json.dumps(matrix(load_project(Path(config)), jobs), separators=(", ", ": ")))
