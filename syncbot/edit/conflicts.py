"""Conflicts as values: where, why, who touched the lines since, and the commands that carry on by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from syncbot.edit import lines as said
from syncbot.edit.change import Recorded
from syncbot.git.merge import blame, last_seen
from syncbot.git.objects import Scratch
from syncbot.git.run import GitError
from syncbot.model.edit import Conflict, Culprit, Direction, Method, Problem, Step

if TYPE_CHECKING:
    from syncbot.edit.files import File
    from syncbot.edit.places import Place

_MOST = 8
_SHOWN = 40
_NUMBER = re.compile(r"\(#(\d+)\)\s*$")


def whole_file(path: str, reason: str) -> Conflict:
    """Return a conflict about a file as such."""
    return Conflict(path=path, line=0, reason=reason, base="", ours="", theirs="")


def at(file: File, place: Place) -> Conflict:
    """Return the conflict of a hunk that is stuck."""
    a, b, h = file.contents
    hunk = place.hunk
    return Conflict(
        path=file.shown,
        line=place.start + 1,
        reason=place.reason,
        base=_text(a.lines[hunk.a0 : hunk.a1]),
        ours=_text(h.lines[place.start : place.end]),
        theirs=_text(b.lines[hunk.b0 : hunk.b1]),
    )


def of_problem(problem: Problem) -> Conflict:
    """Return a broken rule as a conflict at its line."""
    return Conflict(path=problem.path, line=problem.line, reason=problem.detail, base="", ours="", theirs="")


def _text(lines: Sequence[bytes]) -> str:
    shown = b"".join(lines[:_SHOWN]).decode("utf-8", "replace")
    return shown + (f"... {len(lines) - _SHOWN} more lines\n" if len(lines) > _SHOWN else "")


def step(file: File, place: Place) -> Step:
    """Return what a hunk met, for ``--explain``."""
    hunk = place.hunk
    size = f"{hunk.a1 - hunk.a0} out, {hunk.b1 - hunk.b0} in"
    met = f"{place.fate.value} ({size})" + (f": {place.reason}" if place.reason else "")
    return Step(method=Method.GUIDED, path=file.shown, line=hunk.a0 + 1, met=met)


def with_culprits(
    store: Scratch, clashes: Sequence[Conflict], files: Sequence[File], *, since: str | None, until: str
) -> tuple[Conflict, ...]:
    """Return the conflicts with the later commits that touched their lines, by blame bounded to ``since``."""
    if since is None:
        return tuple(clashes)
    known = {file.shown: file for file in files}
    told = []
    for number, clash in enumerate(clashes):
        file = known.get(clash.path)
        commits: list[str] = []
        if file is not None and number < _MOST:
            commits = _touched(store, clash, file, since, until)
        told.append(replace(clash, culprits=tuple(culprits(store, commits))))
    return tuple(told)


def _touched(store: Scratch, clash: Conflict, file: File, since: str, until: str) -> list[str]:
    found: list[str] = []
    h = file.contents[2]
    if file.path is not None and h.lines:
        size = max(1, len(said.split(clash.ours.encode("utf-8", "replace"))))
        start = min(max(0, clash.line - 1), len(h.lines) - 1)
        try:
            blamed = blame(
                store, file.path, since=since, until=until, ranges=[(start, min(len(h.lines), start + size))]
            )
        except GitError:
            blamed = []
        found = [line.commit for line in blamed if line.commit != since]
    if not found and clash.base and file.side.a is not None:
        start = next(
            (hunk.a0 for hunk in file.change if _text(file.contents[0].lines[hunk.a0 : hunk.a1]) == clash.base), 0
        )
        size = len(said.split(clash.base.encode()))
        for seen in last_seen(store, file.side.a_path, since=since, until=until, ranges=[(start, start + size)]):
            if seen != until:
                newer = store.git.lines("rev-list", "--reverse", f"{seen}..{until}", "--", file.side.a_path)
                found += newer[:1]
    if not found:
        found = store.git.lines("rev-list", "-n3", f"{since}..{until}", "--", file.shown, file.side.a_path)
    return list(dict.fromkeys(found))[:_MOST]


def culprits(store: Scratch, commits: Sequence[str]) -> list[Culprit]:
    """Return commits with their titles and pull request numbers."""
    if not commits:
        return []
    found = []
    for line in store.git.lines("log", "--no-walk=unsorted", "--format=%H%x00%s", *commits):
        commit, _, title = line.partition("\0")
        number = _NUMBER.search(title)
        found.append(Culprit(commit=commit, title=title, number=int(number[1]) if number else None))
    return found


def commands(direction: Direction, what: Recorded, base: str) -> tuple[str, ...]:
    """Return the git commands that repeat the plain attempt in a work tree and carry on from there."""
    start = f"git switch --detach {base}"
    is_range = ".." in what.label
    verb = "revert" if direction is Direction.REMOVE else "cherry-pick"
    attempt = f"git {verb} --no-commit " + (f"{what.before}..{what.after}" if is_range else what.after)
    if not is_range and what.parents > 1:
        attempt += " -m 1"
    return (start, attempt, "git diff --name-only --diff-filter=U", "git add --update && git commit --signoff")
