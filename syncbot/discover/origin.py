"""Who wrote a remark first: blame, carried on through commits that only moved the line."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from syncbot.discover.scan import Facts
from syncbot.git.run import Git, GitError
from syncbot.model.discover import Origin, Place

_NAMESPACE = "origin/1"
_HOPS = 8
_SHORTEST = 16
_AT_ONCE = 2
_NUMBER = re.compile(r"\(#(\d+)\)\s*$")
_HEAD = re.compile(r"^([0-9a-f]{40,64}) (\d+) (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    commit: str
    time: int
    title: str
    path: str
    number: int
    """Where the line was in that commit, from 1."""


def with_origins(git: Git, head: str, places: Sequence[Place], *, cache: Facts | None = None) -> list[Place]:
    """The places with the commit that brought each; one that cannot be told (a missing object) keeps None."""
    keys = {place: f"{head}:{place.path}:{place.remark.line}" for place in places}
    known = cache.get_json(_NAMESPACE, keys.values()) if cache is not None else {}
    found = {place: _decode(known[key]) for place, key in keys.items() if key in known}
    by_path: dict[str, list[Place]] = {}
    for place in places:
        if place not in found:
            by_path.setdefault(place.path, []).append(place)

    def look(path: str) -> dict[Place, Origin]:
        held = by_path[path]
        lines = _blame(git, head, path, [each.remark.line for each in held])
        return {each: _first(git, line, each) for each in held if (line := lines.get(each.remark.line)) is not None}

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        fresh = {place: origin for part in pool.map(look, by_path) for place, origin in part.items()}
    if cache is not None and fresh:
        cache.put_json(_NAMESPACE, {keys[place]: _encode(origin) for place, origin in fresh.items()})
    found |= fresh
    return [replace(place, introduced=found.get(place)) for place in places]


def pull_of(title: str) -> int | None:
    """The number a squashed commit's title ends with."""
    match = _NUMBER.search(title)
    return int(match[1]) if match else None


def _blame(git: Git, commit: str, path: str, numbers: Sequence[int]) -> dict[int, _Line]:
    spans = [f"-L{number},{number}" for number in sorted(set(numbers))]
    try:
        text = git.text("blame", "-w", "--porcelain", *spans, commit, "--", path)
    except GitError:
        return {}
    heads: dict[str, dict[str, str]] = {}
    found: dict[int, tuple[str, int]] = {}
    current = ""
    for line in text.split("\n"):
        if match := _HEAD.match(line):
            current = match[1]
            found[int(match[3])] = current, int(match[2])
        elif not line.startswith("\t"):
            name, _, value = line.partition(" ")
            heads.setdefault(current, {})[name] = value
    return {
        number: _Line(
            commit=oid,
            time=int(heads[oid].get("committer-time", "0")),
            title=heads[oid].get("summary", ""),
            path=heads[oid].get("filename", path),
            number=origin,
        )
        for number, (oid, origin) in found.items()
        if oid in heads
    }


def _first(git: Git, line: _Line, place: Place) -> Origin:
    """Follow the line back: where the commit took it from another place of its own parent, that place is asked next."""
    moved: list[str] = []
    text = place.remark.marker
    for _ in range(_HOPS):
        came = _came_from(git, line, text) if len(text) >= _SHORTEST else None
        if came is None:
            break
        moved.append(line.commit)
        line = came
    date = dt.datetime.fromtimestamp(line.time, dt.UTC)
    return Origin(commit=line.commit, date=date, title=line.title, pull=pull_of(line.title), moved=tuple(moved))


def _came_from(git: Git, line: _Line, text: str) -> _Line | None:
    """Where the parent had the same text in a file the commit changed, if the commit took it away there."""
    parent = f"{line.commit}^"
    try:
        raw = git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=MD", parent, line.commit)
    except GitError:
        return None
    paths = [path for path in raw.decode("utf-8", "surrogateescape").split("\0") if path]
    if not paths:
        return None
    before = _lines_with(git, parent, text, paths)
    if not before:
        return None
    after = _lines_with(git, line.commit, text, paths)
    for path, numbers in before.items():
        if len(after.get(path, ())) < len(numbers) or (path == line.path and line.path in after):
            found = _blame(git, parent, path, numbers[:1])
            return found.get(numbers[0])
    return None


def _lines_with(git: Git, commit: str, text: str, paths: Sequence[str]) -> dict[str, list[int]]:
    literal = git.with_env(GIT_LITERAL_PATHSPECS="1")
    args = ("grep", "-n", "-z", "-I", "-F", "--no-color", "--full-name", "-e", text, commit, "--", *paths[:2000])
    found: dict[str, list[int]] = {}
    for row in literal.attempt(*args)[1].split(b"\n"):
        where, _, rest = row.partition(b"\0")
        number = rest.partition(b"\0")[0]
        if number.isdigit():
            path = where.decode("utf-8", "surrogateescape").removeprefix(f"{commit}:")
            found.setdefault(path, []).append(int(number))
    return found


def _encode(origin: Origin) -> list[Any]:
    return [origin.commit, int(origin.date.timestamp()), origin.title, origin.pull, list(origin.moved)]


def _decode(value: list[Any]) -> Origin:
    commit, time, title, pull, moved = value
    date = dt.datetime.fromtimestamp(time, dt.UTC)
    return Origin(commit=commit, date=date, title=title, pull=pull, moved=tuple(moved))
