"""Merging, comparing, blaming and searching trees, with no work tree and with blobs missing.

Trees that are compared or merged here are *flat*: each file of a change is one entry under a made-up name, so that
neither renames, nor attributes, nor a blob the clone lacks elsewhere in the tree have a say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from syncbot.git.objects import Entry, Scratch
from syncbot.git.run import GitError

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NULL = re.compile(r"^0+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawChange:
    """One file between two trees; None on a side means it is not there."""

    path: str
    old: Entry | None
    new: Entry | None


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``[a0, a1)`` of the old file became lines ``[b0, b1)`` of the new one, counted from 0."""

    a0: int
    a1: int
    b0: int
    b1: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The tree of a merge and the names in it that hold a conflict."""

    tree: str
    conflicts: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """One line of a file, counted from 0, and the commit that wrote it; ``origin`` is its number in that commit."""

    line: int
    commit: str
    origin: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One line, counted from 1, that holds one of the texts searched for."""

    path: str
    line: int
    text: str


def changes(store: Scratch, old: str, new: str) -> list[RawChange]:
    """Return the files that differ between two commits or trees; reads no blob, so a missing one does no harm."""
    records = store.git.records("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new)
    found = []
    for head in records:
        mode_a, mode_b, oid_a, oid_b, _ = head.decode("ascii").lstrip(":").split(" ")
        path = next(records).decode("utf-8", "surrogateescape")
        found.append(RawChange(path=path, old=_entry(mode_a, oid_a), new=_entry(mode_b, oid_b)))
    return found


def _entry(mode: str, oid: str) -> Entry | None:
    return None if _NULL.match(mode) else Entry(mode=mode, oid=oid)


def merge(store: Scratch, *, base: str, ours: str, theirs: str) -> Merged:
    """Merge three trees with ``git merge-tree``, on commits made for the purpose."""
    root = store.commit(base, (), "base")
    left = store.commit(ours, (root,), "ours")
    right = store.commit(theirs, (root,), "theirs")
    status, output = store.git.result(
        "-c", "merge.renameLimit=1", "-c", "merge.conflictStyle=merge",
        "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", left, right, ok=(0, 1),
    )  # fmt: skip
    tree, *names = output.rstrip(b"\0").split(b"\0")
    conflicts = frozenset(name.decode("utf-8") for name in names if name) if status == 1 else frozenset()
    return Merged(tree=tree.decode("ascii"), conflicts=conflicts)


def hunks(store: Scratch, old: str, new: str) -> dict[str, list[Hunk]]:
    """Return what differs between two flat trees, by name, without context. A binary file has no hunks."""
    output = store.git.run(
        "diff-tree", "-r", "-p", "-U0", "--histogram", "--indent-heuristic", "--no-renames", "--no-textconv",
        "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", old, new,
    )  # fmt: skip
    found: dict[str, list[Hunk]] = {}
    current: list[Hunk] = []
    for line in output.split(b"\n"):
        if line.startswith(b"diff --git "):
            current = found.setdefault(line.rsplit(b" b/", 1)[1].decode("utf-8"), [])
        elif match := _HUNK.match(line):
            a, n, b, m = (1 if group is None else int(group) for group in match.groups())
            # With no lines on a side git names the line before the gap.
            a0 = a - 1 if n else a
            b0 = b - 1 if m else b
            current.append(Hunk(a0, a0 + n, b0, b0 + m))
    return found


def blame(store: Scratch, path: str, *, since: str, until: str, ranges: Sequence[tuple[int, int]]) -> list[Blamed]:
    """Return who wrote the lines ``[start, end)`` of ``path`` at ``until``, looking back no further than ``since``."""
    spans = [f"-L{start + 1},{end}" for start, end in ranges if end > start]
    if not spans:
        return []
    _bring_history(store, path, since, until)
    text = store.git.run("blame", "--porcelain", *spans, f"{since}..{until}", "--", path)
    found = []
    for line in text.split(b"\n"):
        match = re.match(rb"^\^?([0-9a-f]{40,64}) (\d+) (\d+)", line)
        if match:
            found.append(
                Blamed(commit=match[1].decode("ascii"), origin=int(match[2]) - 1, line=int(match[3]) - 1),
            )
    return found


def last_seen(store: Scratch, path: str, *, since: str, until: str, ranges: Sequence[tuple[int, int]]) -> list[str]:
    """Return, for lines of ``path`` at ``since``, the last commits that still had them (``git blame --reverse``)."""
    spans = [f"-L{start + 1},{end}" for start, end in ranges if end > start]
    if not spans:
        return []
    _bring_history(store, path, since, until)
    try:
        text = store.git.run("blame", "--reverse", "--porcelain", *spans, f"{since}..{until}", "--", path)
    except GitError:
        return []
    found = re.findall(rb"(?m)^\^?([0-9a-f]{40,64}) \d+ \d+", text)
    return list(dict.fromkeys(oid.decode("ascii") for oid in found))


def _bring_history(store: Scratch, path: str, since: str, until: str) -> None:
    """Bring every content that ``path`` had between two commits: blame reads them all."""
    if store.brings:
        shape = ("--format=", "--raw", "--no-abbrev", "--no-renames", "-m")
        rows = store.git.lines("log", *shape, f"{since}..{until}", "--", path)
        store.bring(oid for row in rows if row.startswith(":") for oid in row.split(" ")[2:4] if not _NULL.match(oid))


_SPECIAL = re.compile(r"([\\.\[\]{}()*+?^$|])")


def grep(store: Scratch, tree: str, texts: Iterable[str], *, suffixes: Iterable[str] = ()) -> Iterator[Found]:
    """Yield the lines of text files of ``tree`` that hold one of ``texts``, read once; of files so named, if given.

    A single blob the clone lacks is passed over. Raises `GitError` where git gives up, as it does in a partial clone.
    """
    wanted = sorted(set(texts))
    if not wanted:
        return
    if store.brings:
        ends = tuple(suffixes)
        files = store.listing(tree).items()
        store.bring(entry.oid for path, entry in files if entry.is_regular and (not ends or path.endswith(ends)))
    # One automaton for all of them: with a pattern each, git would go over every line once a pattern.
    pattern = "|".join(_SPECIAL.sub(r"\\\1", text) for text in wanted)
    args = ["grep", "-n", "-z", "-I", "-E", "--no-color", "--full-name", "-e", pattern, tree]
    if suffixes:
        args += ["--", *(f"*{suffix}" for suffix in sorted(set(suffixes)))]
    _, output = store.git.with_env(GIT_LITERAL_PATHSPECS="0").result(*args, ok=(0, 1))
    prefix = len(tree) + 1
    for line in output.split(b"\n"):
        where, _, rest = line.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        if number.isdigit():
            yield Found(
                path=where[prefix:].decode("utf-8", "surrogateescape"),
                line=int(number),
                text=text.decode("utf-8", "replace"),
            )
