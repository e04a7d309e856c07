"""``syncbot demo``: the life of a workaround on two stand-in projects, checked step by step. No token, no network."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import logging
import os
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syncbot.model.errors import CouldNotError, UsageError

if TYPE_CHECKING:
    from syncbot.demo.stage import Ran, Run
    from syncbot.demo.telling import Step

# What would lead the commands of the story to somebody's code host, or change what they print.
_FOREIGN = ("GITHUB_TOKEN", "GITHUB_REPOSITORY", "GITHUB_STEP_SUMMARY")

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Play the life of a workaround on two stand-in projects, and check every answer.")
def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Where to leave what it makes; else a new folder.")
    ] = None,
) -> None:
    """Leave repositories, proposals and report in a folder; exit 0 only if every step ended as it should."""
    folder = _fresh(keep) if keep is not None else Path(tempfile.mkdtemp(prefix="syncbot-demo-")).resolve()
    try:
        _play_in(folder)
    finally:
        _say_what_is_kept(folder)


def _fresh(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--keep {folder}: expected a folder that is empty or not there yet")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--keep {folder}: {error.strerror}") from error
    return folder.resolve()


def runner(folder: Path) -> Run:
    """Return what runs ``syncbot`` as if it was started in ``folder``, with a cache of its own and without a token."""
    from syncbot.cli import clock
    from syncbot.cli.main import run
    from syncbot.demo.stage import Ran

    def ran(arguments: Sequence[str], now: dt.datetime) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        with (
            _environment(folder), contextlib.chdir(folder), clock.at(now), _logging_to(err),
            contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
        ):  # fmt: skip
            code = run(list(arguments))
        return Ran(code=code, out=out.getvalue(), err=err.getvalue())

    return ran


@contextlib.contextmanager
def _environment(folder: Path) -> Iterator[None]:
    before = dict(os.environ)
    os.environ |= {"SYNCBOT_CACHE": str(folder / ".cache"), "NO_COLOR": "1"}
    for name in _FOREIGN:
        os.environ.pop(name, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before


@contextlib.contextmanager
def _logging_to(stream: io.StringIO) -> Iterator[None]:
    root = logging.getLogger()
    before, root.handlers = root.handlers, [logging.StreamHandler(stream)]
    try:
        yield
    finally:
        root.handlers = before


def _play_in(folder: Path) -> None:
    from syncbot.cli.repos import console
    from syncbot.demo.play import play
    from syncbot.demo.stage import REPOS

    out = console()
    out.print("lumen is a kernel library, harbor a server that builds with it. Both are invented, as are all figures.")
    out.print(f"The commands below are run for real; $R in them stands for\n{REPOS}", style="dim")
    steps: list[Step] = []
    for number, step in enumerate(play(folder, runner(folder)), 1):
        _print(out, number, step)
        steps.append(step)
    checks = [check for step in steps for check in step.checks]
    wrong = [check for check in checks if not check.held]
    if wrong:
        raise CouldNotError(f"{len(wrong)} of {len(checks)} checks did not hold: {', '.join(c.claim for c in wrong)}")
    out.print(f"\nAll {len(checks)} checks in {len(steps)} steps held.", style="bold green")


def _print(out: Any, number: int, step: Step) -> None:
    from rich.padding import Padding
    from rich.text import Text

    out.print(Text(f"\n{number}. {step.title}", style="bold"))
    out.print(Text(step.story))
    for shown in step.shown:
        out.print(Text(f"\n  $ {shown.command}", style="cyan"))
        for line in shown.lines:
            out.print(Text(f"    {line}"), no_wrap=True, overflow="ellipsis")
    held = " · ".join(f"{check.claim}: {check.found or 'nothing'}" for check in step.checks if check.held)
    out.print()
    out.print(Padding(Text("✓ ", style="green") + Text(held), (0, 0, 0, 2), expand=False))
    for check in step.checks:
        if not check.held:
            out.print(Text(f"  ✗ {check.claim}: expected {check.expected}; found {check.found}", style="bold red"))


def _say_what_is_kept(folder: Path) -> None:
    typer.echo(f"\nLeft in {folder}:")
    for path, what in (
        ("report.html", "the report page; open it in a browser"),
        ("forge/harbor/harbor/proposals", "each proposal: its text, its patch, how to submit it"),
        ("patches", "the manifest, and the results that were attached"),
    ):
        if (folder / path).exists():
            typer.echo(f"  {path}: {what}")
    from syncbot.demo.stage import REPOS

    typer.echo(f'Ask further:\n  cd {shlex.quote(str(folder))}; R="{REPOS}"; syncbot status $R --pin-history')
