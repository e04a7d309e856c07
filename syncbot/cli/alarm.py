"""``syncbot alarm``: keep one issue that says a workflow fails."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syncbot.model.errors import UsageError

if TYPE_CHECKING:
    from syncbot.proposals.alarm import Failure

app = typer.Typer(rich_markup_mode=None)

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")
_WENT_WRONG = ("failure", "cancelled")


@app.command(help="Open, edit or close the one issue that says a workflow fails. For the last job of a workflow.")
def alarm(
    needs: Annotated[
        Path, typer.Option("--needs", metavar="FILE", help="What toJSON(needs) gives in a workflow; - reads it.")
    ],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Which alarm, where there are several.")] = "sync",
    repo: Annotated[
        str | None, typer.Option("--repo", metavar="OWNER/NAME", help="Where the issue is (default: here).")
    ] = None,
) -> None:
    """Print what was done. Needs no configuration; the token is in GITHUB_TOKEN and may write issues."""
    from contextlib import ExitStack

    from syncbot.cli.venues import connected_here
    from syncbot.proposals.alarm import settle
    from syncbot.render.text import plain

    if not _NAME.fullmatch(name):
        raise UsageError(f"--name {name}: expected small letters, digits and dashes")
    went = _read(needs)
    failure = _failure(went)
    if failure is None and not any(result == "success" for result, _ in went.values()):
        typer.echo("nothing ran, so the alarm stays as it is")
        return
    with ExitStack() as stack:
        reader, writer, slug = connected_here(repo, stack)
        done, issue = settle(reader, writer, slug, name=name, run=_run(slug), failure=failure)
    typer.echo(plain(f"alarm {name}: {done}{f' {issue.url}' if issue is not None else ''}"))


def _failure(went: dict[str, tuple[str, str]]) -> Failure | None:
    from syncbot.proposals.alarm import Failure

    # A run that a person or a newer run ended starts no last job; a job that is cancelled all the same ran out of time.
    wrong = {job: each for job, each in went.items() if each[0] in _WENT_WRONG}
    if not wrong:
        return None
    said = [line for _, text in wrong.values() for line in text.splitlines() if line.strip()]
    return Failure(jobs=[(job, result) for job, (result, _) in wrong.items()], said=list(dict.fromkeys(said)))


def _run(slug: str) -> str | None:
    server, number = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_RUN_ID", "")
    return f"{server}/{slug}/actions/runs/{number}" if server and number.isdigit() else None


def _read(path: Path) -> dict[str, tuple[str, str]]:
    """Each job's result and the problem it told, by the job's name."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        values = json.loads(text)
        return {str(job): (str(each["result"]), _problem(each)) for job, each in values.items()}
    except OSError as error:
        raise UsageError(f"--needs {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"--needs {path}: not what toJSON(needs) gives: {error}") from error


def _problem(job: Any) -> str:
    outputs = job.get("outputs") or {}
    return str(outputs.get("problem") or "")
