"""``syncbot sync``: look at everything, and with --apply propose what is due."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from syncbot.cli import passes
from syncbot.cli.ids import Ids
from syncbot.model.errors import UsageError

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Look at everything and say what is due; with --apply propose it.")
def sync(
    ids: Ids = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write: push, open, update, comment.")] = False,
    every: Annotated[
        str | None, typer.Option("--every", metavar="TIME", help="Again and again, such as 6h; needs --apply.")
    ] = None,
    health: Annotated[
        Path | None, typer.Option("--health", metavar="FILE", help="Where --every says how the last pass ended.")
    ] = None,
    config: passes.Config = ".",
    repo: passes.Repos = None,
    use_cache: passes.UseCache = True,
    shard: passes.Part = None,
    as_json: passes.AsJson = False,
) -> int:
    """Print a line for each workaround and each write. Without --apply nothing is written anywhere.

    Exit 1 if an action failed, 3 if something is left for later; held back by a limit is no failure.
    """
    if every is not None:
        if not apply:
            raise UsageError("--every goes with --apply: a look at everything needs no repeating")
        if shard is not None:
            raise UsageError(
                "--every and --shard exclude each other: a server goes over everything, a matrix shares it out"
            )
        return _again(every, health, ids or [], config, repo or [], use_cache=use_cache, as_json=as_json)
    reports = passes.one_pass(
        passes.Pass(
            config=config,
            repos=repo or [],
            ids=ids or [],
            use_cache=use_cache,
            shard=passes.shard_of(shard, ids),
            apply=apply,
        )
    )
    if as_json:
        typer.echo(json.dumps(passes.as_data(reports), indent=2))
    else:
        passes.tell(reports, applied=apply)
    passes.tell_workflow(reports, applied=apply)
    passes.end(reports)
    return 0


def _again(
    every: str, health: Path | None, ids: list[str], config: str, repos: list[str], *, use_cache: bool, as_json: bool
) -> int:
    import os

    from syncbot.cache import cache_folder
    from syncbot.cli.every import repeat, seconds_of

    arguments = ["sync", "--apply", "--config", config, *(word for each in repos for word in ("--repo", each))]
    arguments += [] if use_cache else ["--no-cache"]
    arguments += ["--json"] if as_json else []
    return repeat([*arguments, "--", *ids], seconds_of(every), health or cache_folder(os.environ) / "health.json")
