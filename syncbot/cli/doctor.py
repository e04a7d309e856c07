"""``syncbot doctor``: is everything there that syncbot needs, and may it do what it is asked to?"""

from __future__ import annotations

import datetime as dt
import json
from typing import Annotated

import typer

from syncbot.cli import passes

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Look at git, cache, configuration, tokens, repositories and pins; say what is wrong and what to do.")
def doctor(
    config: passes.Config = ".",
    repo: passes.Repos = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask no host, and read no clone but those of --repo.")
    ] = False,
    as_json: passes.AsJson = False,
) -> None:
    """Print a remark on everything that was looked at. Writes nothing anywhere but mirrors in the cache folder.

    Exit 0 if all is well or worth a hint, 1 for a problem, 2 for a wrong configuration or token, 3 if a host could not
    be reached.
    """
    from syncbot.cli.examine import Examination
    from syncbot.cli.repos import progress
    from syncbot.model.doctor import exit_code
    from syncbot.render.text import plain

    asked = Examination(config=config, repos=repo or [], offline=offline, now=lambda: dt.datetime.now(dt.UTC))
    with progress("looking"):
        remarks = list(asked.remarks())
    if as_json:
        told = [
            {"topic": each.topic, "level": each.level.value, "text": each.text, "todo": each.todo} for each in remarks
        ]
        typer.echo(json.dumps({"schema": "syncbot.doctor/1", "remarks": told}, indent=2))
    else:
        for each in remarks:
            typer.echo(f"{each.level.value:<12}{plain(f'{each.topic}: {each.text}')}")
            if each.todo is not None:
                typer.echo(f"{'':<12}{plain(each.todo)}")
    if code := exit_code(remarks):
        raise typer.Exit(code)
