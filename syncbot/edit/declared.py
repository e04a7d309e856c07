"""Edits a person declared in a manifest, done on the syntax tree (LibCST), on a key, or on a whole file.

Each edit says how many places must match. Formatting outside the places stays as it is, byte for byte where the format
allows it: TOML through tomlkit, YAML by cutting the text that the parser marks, JSON only where it is written the way
Python's own writer would.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from syncbot.edit import keys
from syncbot.edit.lines import normal, split
from syncbot.edit.python import is_python, parse
from syncbot.git.objects import Entry, Scratch, is_binary
from syncbot.model.edit import Problem, ProblemKind
from syncbot.model.project import Edit, Removal

_MOST_COMMITS, _MOST_TRIES = 100, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One edit on one file: how many places matched, and the new content (None: the file goes)."""

    matched: int
    data: bytes | None


def apply(edit: Edit, data: bytes | None) -> Done:
    """Do one edit on the content of its file. Raises ValueError where the file cannot be edited that way."""
    if data is None:
        return Done(matched=0, data=None)
    if edit.kind == "file":
        return Done(matched=1, data=None if edit.replace is None else edit.replace.encode())
    if is_binary(data):
        raise ValueError("a binary file can only be edited as a whole")
    if edit.kind == "key":
        matched, new = keys.edit(edit.path, data, edit.target, edit.replace)
        return Done(matched=matched, data=new)
    if is_python(edit.path):
        return _python(edit, data)
    if edit.kind == "statement":
        return _text(edit, data)
    raise ValueError(f"{edit.kind} edits need a Python file")


def _text(edit: Edit, data: bytes) -> Done:
    """Cut or replace whole lines that say what ``target`` says, in a file that is no Python."""
    wanted = [normal(line) for line in split(edit.target.strip("\n").encode())]
    if not any(wanted):
        raise ValueError("it names no line")
    lines, result, matched, at = split(data), list[bytes](), 0, 0
    while at < len(lines):
        if [normal(line) for line in lines[at : at + len(wanted)]] == wanted:
            matched += 1
            if edit.replace is not None:
                result.append(edit.replace.rstrip("\n").encode() + (b"\r\n" if lines[at].endswith(b"\r\n") else b"\n"))
            at += len(wanted)
        else:
            result.append(lines[at])
            at += 1
    return Done(matched=matched, data=b"".join(result))


def _python(edit: Edit, data: bytes) -> Done:
    if parse(data) is None:
        raise ValueError("it does not parse as Python")
    from syncbot.edit import cst

    matched, new = cst.edit(edit, data)
    return Done(matched=matched, data=new)


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """All edits on one tree: the new contents, the problems, and whether some or all places had gone before."""

    files: Mapping[str, bytes | None]
    problems: tuple[Problem, ...] = ()
    partial: bool = False
    empty: bool = False


def applied(edits: Sequence[Edit], contents: Mapping[str, bytes], known: Mapping[str, bytes]) -> Applied:
    """Do all edits, in order. ``known`` holds the files as the introducing commit left them.

    A place that matched there and is gone here has gone before; one that never matched is a mistake in the manifest.
    """
    files: dict[str, bytes | None] = dict(contents)
    problems, gone = [], 0
    for edit in edits:
        try:
            done = apply(edit, files.get(edit.path))
            before = apply(edit, known.get(edit.path)) if done.matched == 0 else None
        except (ValueError, RecursionError) as error:
            problems.append(_problem(edit, str(error)))
            continue
        if done.matched == edit.count:
            files[edit.path] = done.data
        elif before is not None and before.matched == edit.count:
            gone += 1
        else:
            problems.append(_problem(edit, f"matches {done.matched} places, {edit.count} expected"))
    return Applied(files=files, problems=tuple(problems), partial=0 < gone < len(edits), empty=gone == len(edits))


def _problem(edit: Edit, detail: str) -> Problem:
    shown = edit.target.strip().split("\n")[0][:60]
    return Problem(kind=ProblemKind.MATCH, path=edit.path, line=0, detail=f"{edit.kind} {shown!r}: {detail}")


def contents(store: Scratch, tree: str, edits: Iterable[Edit]) -> dict[str, bytes]:
    """Return the files the edits name, as they are in ``tree``."""
    entries = store.entries(tree, {edit.path for edit in edits})
    blobs = store.read(entry.oid for entry in entries.values())
    return {path: blobs[entry.oid] for path, entry in entries.items() if entry.oid in blobs}


def undone(store: Scratch, commit: str, edits: Sequence[Edit]) -> str:
    """Return the tree of ``commit`` with the edits done: what putting the workaround back starts from."""
    before = contents(store, commit, edits)
    after = applied(edits, before, before)
    entries = store.entries(commit, before)
    changes: dict[str, Entry | None] = {
        path: None if data is None else Entry(mode=entries[path].mode, oid=store.write(data))
        for path, data in after.files.items()
        if data != before.get(path)
    }
    return store.replace(commit, changes)


def last_whole(store: Scratch, removal: Removal, *, since: str, until: str) -> str | None:
    """Return the newest commit after ``since`` and up to ``until`` that has every place of the declared edits.

    That is the workaround as it last stood, with what others have changed in it. None where there is no such commit
    near enough: only the last hundred that touch its files are looked at, and few of them closely.
    """
    paths = sorted({edit.path for edit in removal.edits})
    rows = store.git.lines("log", f"-{_MOST_COMMITS}", "--format=%H %P", f"{since}..{until}", "--", *paths)
    tries = 0
    for commit in dict.fromkeys([until, *(row.split()[1] for row in rows if " " in row.strip())]):
        here = contents(store, commit, removal.edits)
        if any((here.get(one.path) or b"").count(one.text.encode()) < (one.count or 1) for one in removal.markers):
            continue
        done = applied(removal.edits, here, here)
        if not done.problems:
            return commit
        tries += 1
        if tries == _MOST_TRIES:
            break
    return None
