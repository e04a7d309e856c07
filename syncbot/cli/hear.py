"""``syncbot hear``: whether an event asks the bot for something, and by somebody who may."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from syncbot.cli import passes
from syncbot.model.errors import UsageError

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Say whether an event asks for something by somebody who may; for the first job of a workflow.")
def hear(
    event: Annotated[
        Path | None, typer.Option("--event", metavar="FILE", help="The event's payload (default: this workflow's own).")
    ] = None,
    config: passes.Config = ".",
) -> None:
    """Print it, and set the outputs ``asked`` (true or false) and ``ids`` (one a line). Exit 0 whatever it is."""
    from syncbot.cli.venues import connected_here
    from syncbot.cli.workflow import put_output
    from syncbot.config import load_project
    from syncbot.proposals.event import hear as listen
    from syncbot.render.text import plain

    known = [each.id for each in load_project(Path(config)).workarounds]
    place = event or Path(os.environ.get("GITHUB_EVENT_PATH") or "")
    try:
        heard = listen(json.loads(place.read_text(encoding="utf-8")), known)
    except OSError as error:
        raise UsageError(f"--event {place}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"--event {place}: not the payload of a comment or an issue: {error!r}") from error
    asked = False
    if heard is None:
        typer.echo("nothing is asked for")
    else:
        with ExitStack() as stack:
            reader, _, slug = connected_here(heard.repo, stack)
            asked = reader.permission(slug, heard.by).may_write
        what = ", ".join(heard.workarounds) or "everything"
        typer.echo(plain(f"{heard.by} asks about {what}" + ("" if asked else ", and may not write here")))
    put_output("asked", "true" if asked else "false", os.environ)
    put_output("ids", "\n".join(heard.workarounds) if heard is not None and asked else "", os.environ)
