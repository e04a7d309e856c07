"""``syncbot check``: is the configuration right? Offline; every problem of every file, or what was found valid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from syncbot.config import Problem
    from syncbot.model.project import Project

app = typer.Typer(rich_markup_mode=None)

_WRONG = 2


@app.command(help="Read syncbot.toml and the manifests, and print every problem, or what was found valid.")
def check(
    path: Annotated[Path, typer.Argument(help="The folder of syncbot.toml, or the file itself.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the problems (exit 2), or a summary (exit 0)."""
    from syncbot.config import read_project

    project, problems = read_project(path)
    if as_json:
        typer.echo(json.dumps(_answer(problems, project), indent=2))
    elif project is not None:
        typer.echo(_summary(project))
    else:
        for problem in problems:
            typer.echo(str(problem))
        files = len({problem.file for problem in problems})
        typer.echo(f"{_count(len(problems), 'problem')} in {_count(files, 'file')}", err=True)
    if problems:
        raise typer.Exit(_WRONG)


def _answer(problems: list[Problem], project: Project | None) -> dict[str, Any]:
    from syncbot.config.problems import key_path

    answer: dict[str, Any] = {
        "schema": "syncbot.check/1",
        "valid": not problems,
        "problems": [
            {
                "file": each.file,
                "line": each.line,
                "key": key_path(each.key),
                "found": each.found,
                "expected": each.expected,
                "todo": each.todo,
            }
            for each in problems
        ],
    }
    if project is not None:
        answer["upstreams"] = list(project.upstreams)
        answer["downstreams"] = list(project.downstreams)
        answer["pins"] = [{"name": pin.name, "gating": pin.gating} for pin in project.pins.values()]
        answer["workarounds"] = [each.id for each in project.workarounds]
    return answer


def _summary(project: Project) -> str:
    ids = ", ".join(each.id for each in project.workarounds) or "none"
    gating = sum(pin.gating for pin in project.pins.values())
    lines = [
        f"{_count(len(project.upstreams), 'upstream')}: {', '.join(project.upstreams)}",
        f"{_count(len(project.downstreams), 'downstream')}: {', '.join(project.downstreams)}",
        f"{_count(len(project.pins), 'pin')} ({gating} gating): {', '.join(project.pins) or 'none'}",
        f"{_count(len(project.workarounds), 'workaround')}: {ids}",
        "valid",
    ]
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
