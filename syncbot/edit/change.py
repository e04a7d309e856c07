"""What is taken out or put on: the files of a commit, a merge or a range, as the scope narrows them."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncbot.edit import python
from syncbot.edit.lines import split
from syncbot.git.merge import RawChange, changes
from syncbot.git.objects import Entry, Scratch, is_binary
from syncbot.git.run import GitError
from syncbot.model.errors import UsageError

_ALIKE = 0.5
_MOST_PAIRS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A change as history has it: ``before`` and ``after`` are its two commits, ``label`` what a person typed."""

    commit: str
    before: str
    after: str
    label: str
    parents: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One file of the change: ``a`` on the side that goes, ``b`` on the side that comes."""

    a_path: str
    b_path: str
    a: Entry | None
    b: Entry | None


def recorded(store: Scratch, what: str) -> Recorded:
    """Read ``what``: a commit (a merge counts against its first parent) or a range ``OLD..NEW``.

    Raises `UsageError` for a range that runs backwards, `UnknownObjectError` for what the clone lacks.
    """
    if ".." in what and "..." not in what:
        old, new = (store.commit_id(part) for part in what.split("..", 1))
        if not store.is_ancestor(old, new):
            raise UsageError(f"{what!r} is no range: its first commit is not an ancestor of its last")
        return Recorded(commit=new, before=old, after=new, label=what)
    commit = store.commit_id(what)
    parents = store.parents(commit)
    before = parents[0] if parents else store.flat_trees([{}])[0]
    return Recorded(commit=commit, before=before, after=commit, label=what, parents=len(parents))


def sides(store: Scratch, old: str, new: str, paths: Sequence[str] = ()) -> list[Side]:
    """Return the files that turn tree ``old`` into ``new``; a file the change itself renamed is one file."""
    found = [change for change in changes(store, old, new) if not paths or _matches(change.path, paths)]
    gone = [change for change in found if change.new is None]
    fresh = [change for change in found if change.old is None]
    pairs = _renamed(store, gone, fresh)
    result = []
    for change in found:
        if change.path in pairs:
            other = pairs[change.path]
            result.append(Side(a_path=change.path, b_path=other.path, a=change.old, b=other.new))
        elif not any(other is change for other in pairs.values()):
            result.append(Side(a_path=change.path, b_path=change.path, a=change.old, b=change.new))
    return result


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return any(
        path == one or path.startswith(one.rstrip("/") + "/") or fnmatch.fnmatchcase(path, one) for one in patterns
    )


def _renamed(store: Scratch, gone: Sequence[RawChange], fresh: Sequence[RawChange]) -> dict[str, RawChange]:
    """Pair files that left with files that came: same content first, then most alike."""
    if not gone or not fresh or len(gone) * len(fresh) > _MOST_PAIRS:
        return {}
    blobs = store.read(
        entry.oid for change in [*gone, *fresh] if (entry := change.old or change.new) and entry.is_regular
    )
    scored = []
    for old in gone:
        for new in fresh:
            assert old.old is not None
            assert new.new is not None
            if old.old.oid == new.new.oid and old.old.is_regular == new.new.is_regular:
                scored.append((1.0, old, new))
            elif old.old.oid in blobs and new.new.oid in blobs:
                score = alike(blobs[old.old.oid], blobs[new.new.oid])
                if score >= _ALIKE:
                    scored.append((score, old, new))
    pairs: dict[str, RawChange] = {}
    for _, old, new in sorted(scored, key=lambda item: (-item[0], item[1].path, item[2].path)):
        if old.path not in pairs and new not in pairs.values():
            pairs[old.path] = new
    return pairs


def alike(one: bytes, other: bytes) -> float:
    """Return how much of two text files is the same, 0 to 1, by lines in order."""
    if is_binary(one) or is_binary(other) or not one or not other:
        return 0.0
    matcher = difflib.SequenceMatcher(None, split(one), split(other), autojunk=len(one) > 1 << 16)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0


def today(store: Scratch, path: str, *, since: str, until: str) -> str | None:
    """Return where ``path`` of commit ``since`` is at ``until``, followed over renames; None where it is gone."""
    for _ in range(5):
        try:
            left = store.git.lines(
                "log", "-1", "--format=%H", "--no-renames", "--diff-filter=D", f"{since}..{until}", "--", path
            )
        except GitError:
            return None
        if not left:
            return None
        target = _destination(store, left[0], path)
        if target is None:
            return None
        if store.entries(until, [target]):
            return target
        since, path = left[0], target
    return None


def _destination(store: Scratch, commit: str, path: str) -> str | None:
    parents = store.parents(commit)
    if not parents:
        return None
    found = changes(store, parents[0], commit)
    gone = [change for change in found if change.path == path and change.new is None]
    fresh = [change for change in found if change.old is None]
    suffix = path.rpartition(".")[2]
    near = [change for change in fresh if change.path.rpartition(".")[2] == suffix]
    pairs = _renamed(store, gone, near[:_MOST_PAIRS])
    return pairs[path].path if path in pairs else None


def narrowed(a: bytes, b: bytes, path: str, symbols: Iterable[str]) -> bytes:
    """Return ``a`` with only those differences to ``b`` undone that lie in the functions or classes named.

    A symbol is a qualified name, or ``path::name`` where only one file is meant. A hunk that only added lines is cut to
    the symbol; one that changed lines counts whole if it touches it.
    """
    names = {name for where, name in map(_symbol, symbols) if where in ("", path)}
    left, right = split(a), split(b)
    tree_a, tree_b = python.parse(a), python.parse(b)
    in_a = [span for span in python.spans(tree_a) if span.qualname in names] if tree_a else []
    in_b = [span for span in python.spans(tree_b) if span.qualname in names] if tree_b else []
    result: list[bytes] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            result += left[i1:i2]
        elif tag == "delete":
            result += [left[i] for i in range(i1, i2) if not _covered(i, i2, left, in_a)]
        elif any(span.start < i2 and i1 < span.end for span in in_a) or any(s.start < j2 and j1 < s.end for s in in_b):
            result += right[j1:j2]
        else:
            result += left[i1:i2]
    return b"".join(result)


def _covered(i: int, end: int, lines: Sequence[bytes], spans: Sequence[python.Span]) -> bool:
    """Whether line ``i`` is in a span, or is one of the blank lines that a hunk ending at ``end`` has around it."""
    first = i
    while i < end and not lines[i].strip():
        i += 1
    if i == end:
        return any(span.end <= first and all(not line.strip() for line in lines[span.end : first]) for span in spans)
    return any(span.start <= i < span.end for span in spans)


def _symbol(symbol: str) -> tuple[str, str]:
    where, _, name = symbol.rpartition("::")
    return where, name
