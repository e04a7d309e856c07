"""``syncbot bump --pull N``: the pins a pull request moves, told in one comment on it.

Made for a workflow that runs in the base's context for pull requests of strangers: the pull request's files are data,
read through the forge's API; nothing of it is checked out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from syncbot.model.errors import UsageError

if TYPE_CHECKING:
    from syncbot.model.bump import Bump
    from syncbot.model.project import Pin, Project

_MARK = "pins"
_NOTHING = "This pull request does not move a pinned version any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which pull request, of which repository (None: here), and whether to comment on it."""

    number: int
    where: str | None
    config: str
    repos: Sequence[str]
    comment: bool


def check_pull(asked: Question, *, as_json: bool) -> None:
    """Print the review, and with ``comment`` keep the comment true; set the output ``moves``, how many there are."""
    from syncbot.cli.venues import connected_to
    from syncbot.cli.workflow import put_output
    from syncbot.config import load_project
    from syncbot.pin_check import pins_moved
    from syncbot.proposals.one_comment import keep
    from syncbot.render.pin_check import comment, moves_json
    from syncbot.render.text import plain

    project = load_project(Path(asked.config))
    repo, pins = _place(project, asked.where)
    own = project.proposals.templates
    with ExitStack() as stack:
        reader, writer = connected_to(pins[0].repo, stack)
        moves = pins_moved(reader, repo, asked.number, pins, _reviewer(project, asked.repos))
        text = comment(
            moves, folder=Path(project.root) / own if own else None, backlinks=project.proposals.backlinks
        )  # fmt: skip
        if as_json:
            typer.echo(json.dumps(moves_json(asked.number, moves), indent=2))
        elif moves:
            typer.echo(text, nl=False)
        if asked.comment:
            done, said = keep(
                reader, writer, repo, asked.number, mark=_MARK, body=text if moves else None, nothing=_NOTHING
            )
            typer.echo(plain(f"comment: {done}{f' {said.url}' if said is not None else ''}"), err=True)
    put_output("moves", str(len(moves)), os.environ)


def _place(project: Project, where: str | None) -> tuple[str, list[Pin]]:
    """The repository of the pull request and the pins that are in it."""
    known = list(dict.fromkeys(pin.repo.slug for pin in project.pins.values() if pin.repo.slug is not None))
    wanted = where or os.environ.get("GITHUB_REPOSITORY") or (known[0] if len(known) == 1 else None)
    pins = [pin for pin in project.pins.values() if (pin.repo.slug or "").lower() == (wanted or "").lower()]
    if wanted is None or not pins:
        there = ", ".join(known) or "none on a code host"
        raise UsageError(f"--in {wanted or ''}: expected a repository that has a pin ({there})")
    return wanted, pins


def _reviewer(project: Project, repos: Sequence[str]) -> Callable[[Pin, str, str], Bump]:
    from syncbot.bump import bump
    from syncbot.cli.repos import open_upstream

    def review(pin: Pin, old: str, new: str) -> Bump:
        upstream = project.upstreams[pin.upstream]
        clone, branch_ref = open_upstream(project, upstream, repos)
        return bump(upstream, clone, branch_ref, old, new, project.workarounds, [pin])

    return review
