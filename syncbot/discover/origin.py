"""Who wrote a remark first, told by its text: the oldest commit from which on the file has had it without a break.

One ``git log`` over all files concerned gives the versions of each, newest first, and they are read in growing batches
until the text is gone; that is many times cheaper than a blame for each file, and blind to indentation. Where the file
had the text from its first day, or got it from another file that lost it by the same commit, the search goes on there.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from syncbot.discover.scan import Facts, is_code
from syncbot.git.blobs import read_blobs
from syncbot.git.run import Git, GitError
from syncbot.model.discover import Origin, Place

_NAMESPACE = "origin/1"
_HOPS = 8
_SHORTEST = 16
_MOST_FILES = 500
_FIRST_BATCH = 4
_NUMBER = re.compile(r"\(#(\d+)\)\s*$")


@dataclass(frozen=True, slots=True)
class _Version:
    """A commit that changed a file, with the ids of its content before and after; "" where there was none."""

    commit: str
    time: int
    title: str
    old: str
    new: str


def with_origins(git: Git, head: str, places: Sequence[Place], *, cache: Facts | None = None) -> list[Place]:
    """The places with the commit that brought each; one that cannot be told (a missing object) keeps None."""
    keys = {place: f"{head}:{place.path}:{place.remark.line}" for place in places}
    known = cache.get_json(_NAMESPACE, keys.values()) if cache is not None else {}
    found = {place: _decode(known[key]) for place, key in keys.items() if key in known}
    fresh = _origins(git, head, [place for place in keys if place not in found])
    if cache is not None and fresh:
        cache.put_json(_NAMESPACE, {keys[place]: _encode(origin) for place, origin in fresh.items()})
    found |= fresh
    return [replace(place, introduced=found.get(place)) for place in places]


def pull_of(title: str) -> int | None:
    """The number a squashed commit's title ends with."""
    match = _NUMBER.search(title)
    return int(match[1]) if match else None


def _origins(git: Git, head: str, places: Sequence[Place]) -> dict[Place, Origin]:
    moved: dict[Place, tuple[str, ...]] = dict.fromkeys(places, ())
    now = _first_versions(git, head, {place: (place.path, None) for place in places})
    ask = {place: version for place, version in now.items() if len(place.remark.marker) >= _SHORTEST}
    for _ in range(_HOPS):
        came = _came_from(git, ask)
        if not came:
            break
        ask = _first_versions(git, head, {place: (path, now[place].commit) for place, path in came.items()})
        for place in ask:
            moved[place] += (now[place].commit,)
        now |= ask
    return {
        place: Origin(
            commit=version.commit,
            date=dt.datetime.fromtimestamp(version.time, dt.UTC),
            title=version.title,
            pull=pull_of(version.title),
            moved=moved[place],
        )
        for place, version in now.items()
    }


def _first_versions(git: Git, head: str, asked: Mapping[Place, tuple[str, str | None]]) -> dict[Place, _Version]:
    """For each place the version that brought its text into a file, looking back from ``head``.

    ``asked`` gives the file, and the commit that took the text away from it, where one did: then from before that.
    """
    if not asked:
        return {}
    all_ = _versions(git, head, {path for path, _ in asked.values()})
    versions = {place: _before(all_.get(path, []), commit) for place, (path, commit) in asked.items()}
    at = {place: 0 for place, held in versions.items() if held}
    found: dict[Place, _Version] = {}
    batch = _FIRST_BATCH
    while at:
        spans = {place: versions[place][start : start + batch] for place, start in at.items()}
        texts = read_blobs(git, {version.old for span in spans.values() for version in span if version.old})
        for place, span in spans.items():
            text = place.remark.marker.encode("utf-8", "surrogateescape")
            lacking = (each for each in span if not each.old or (raw := texts.get(each.old)) is None or text not in raw)
            first = next(lacking, None)
            if first is not None:
                if not first.old or texts.get(first.old) is not None:  # else this clone lacks what would tell
                    found[place] = first
                del at[place]
            elif len(span) < batch:
                del at[place]  # history is cut
            else:
                at[place] += batch
        batch *= 2
    return found


def _before(versions: list[_Version], commit: str | None) -> list[_Version]:
    place = next((at for at, version in enumerate(versions) if version.commit == commit), -1)
    return versions[place + 1 :]


def _versions(git: Git, head: str, paths: Collection[str]) -> dict[str, list[_Version]]:
    """The versions of each file along the first parents of ``head``, newest first."""
    found: dict[str, list[_Version]] = {}
    commit, time, title = "", "0", ""
    records = git.with_env(GIT_LITERAL_PATHSPECS="1").records(
        "log", "-z", "--first-parent", "--diff-merges=first-parent", "--raw", "-r", "--no-renames", "--no-abbrev",
        "--root", "--format=%x01%H%x1f%ct%x1f%s", head, "--", *sorted(paths),
    )  # fmt: skip
    try:
        for record in records:
            token = record.lstrip(b"\n")
            if token[:1] == b"\x01":
                commit, time, title = token[1:].decode("utf-8", "replace").split("\x1f", 2)
            elif token[:1] == b":":
                path = next(records).decode("utf-8", "surrogateescape")
                old, new = _ids(token)
                found.setdefault(path, []).append(_Version(commit, int(time), title, old, new))
    except GitError:
        return {}
    return found


def _ids(raw: bytes) -> tuple[str, str]:
    words = raw.decode("ascii", "replace").split(" ")
    old, new = ("" if not oid.strip("0") else oid for oid in words[2:4])
    return old, new


def _came_from(git: Git, versions: Mapping[Place, _Version]) -> dict[Place, str]:
    """The file that lost the text by the commit that brought it, if there is one: then it only moved."""
    changed = _changed(git, {version.commit for version in versions.values()})
    found: dict[Place, str] = {}
    for batch in _batches(changed):
        oids = {oid for commit in batch for pair in changed[commit].values() for oid in pair if oid}
        texts = read_blobs(git, oids)
        for place, version in versions.items():
            text = place.remark.marker.encode("utf-8", "surrogateescape")
            if version.commit in batch:
                lost = (
                    path
                    for path, (old, new) in changed[version.commit].items()
                    if text in (raw := texts.get(old) or b"") and raw.count(text) > (texts.get(new) or b"").count(text)
                )
                if (path := next(lost, None)) is not None:
                    found[place] = path
    return found


def _batches(changed: Mapping[str, Mapping[str, object]]) -> Iterator[set[str]]:
    """The commits, some at a time, so that the files they changed fit into memory together."""
    batch: set[str] = set()
    size = 0
    for commit, files in changed.items():
        batch.add(commit)
        size += len(files)
        if size >= _MOST_FILES:
            yield batch
            batch, size = set(), 0
    if batch:
        yield batch


def _changed(git: Git, commits: Collection[str]) -> dict[str, dict[str, tuple[str, str]]]:
    """The files that each commit changed or took away, with the ids of their contents before and after ("" for none).

    A commit that changes very many files (an import, a formatter's run) is not looked into.
    """
    if not commits:
        return {}
    asked = "\n".join(sorted(commits)).encode()
    found: dict[str, dict[str, tuple[str, str]]] = {}
    files: dict[str, tuple[str, str]] = {}
    records = git.records(
        "log", "--no-walk=unsorted", "--stdin", "-z", "--raw", "-r", "--no-renames", "--no-abbrev",
        "--diff-merges=first-parent", "--diff-filter=MD", "--format=%x01%H", stdin=asked,
    )  # fmt: skip
    for record in records:
        token = record.lstrip(b"\n")
        if token[:1] == b"\x01":
            files = found.setdefault(token[1:].decode().strip(), {})
        elif token[:1] == b":":
            path = next(records).decode("utf-8", "surrogateescape")
            if not token.startswith(b":160000") and is_code(path):
                files[path] = _ids(token)
    return {commit: each for commit, each in found.items() if 0 < len(each) <= _MOST_FILES}


def _encode(origin: Origin) -> list[Any]:
    return [origin.commit, int(origin.date.timestamp()), origin.title, origin.pull, list(origin.moved)]


def _decode(value: list[Any]) -> Origin:
    commit, time, title, pull, moved = value
    date = dt.datetime.fromtimestamp(time, dt.UTC)
    return Origin(commit=commit, date=date, title=title, pull=pull, moved=tuple(moved))
