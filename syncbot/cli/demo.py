"""``syncbot demo``: the whole story on two stand-in projects, checked step by step. No token, no network."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syncbot.model.errors import CouldNotError, UsageError

if TYPE_CHECKING:
    from syncbot.demo.telling import Step

_EXAMPLE = "syncbot status --as-of 2026-03-12 --repo lumen=lumen.git --repo harbor=harbor.git"

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Play the story of two stand-in projects, and check every answer.")
def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Leave the repositories and files in DIR.")
    ] = None,
) -> None:
    """Exit 0 only if every step ended as it should."""
    if keep is not None:
        _play_in(_fresh(keep))
        _say_what_is_kept(keep)
        return
    with tempfile.TemporaryDirectory(prefix="syncbot-demo-") as folder:
        _play_in(Path(folder))


def _fresh(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--keep {folder}: expected a folder that is empty or not there yet")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--keep {folder}: {error.strerror}") from error
    return folder.resolve()


def _play_in(folder: Path) -> None:
    from syncbot.cli.repos import console
    from syncbot.demo.play import play

    out = console()
    out.print("lumen is a kernel library, harbor a server that builds with it. Both are invented.", style="dim")
    steps: list[Step] = []
    for number, step in enumerate(play(folder), 1):
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
    if step.command is not None:
        out.print(Text(f"\n  $ {step.command}", style="cyan"))
    for part in step.shown:
        out.print(Padding(part, (0, 0, 0, 4), expand=False) if str(part) else "")
    out.print()
    for check in step.checks:
        if check.held:
            out.print(Text("  ✓ ", style="green") + Text(f"{check.claim}: {check.found}"))
        else:
            out.print(Text(f"  ✗ {check.claim}: expected {check.expected}; found {check.found}", style="bold red"))


def _say_what_is_kept(folder: Path) -> None:
    typer.echo(f"\nkept in {folder}; the commands above work there, for example:")
    typer.echo(f"  cd {shlex.quote(str(folder))} && {_EXAMPLE}")
