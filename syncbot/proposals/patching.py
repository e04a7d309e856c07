"""Patches against a commit, with no work tree: does one still apply, and if not, what does its change look like there.

A strict apply takes offsets and no fuzz. A patch is written anew by putting its change, as it was recorded (its own
blob ids say on what), onto today's base with the edit engine.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from syncbot.edit.engine import edit
from syncbot.git.objects import Entry, Scratch
from syncbot.git.run import GitError
from syncbot.model.edit import Direction, EditResult
from syncbot.model.errors import CouldNotError
from syncbot.model.project import Carrier, Workaround

_INDEX = re.compile(rb"^index ([0-9a-f]{7,64})\.\.([0-9a-f]{7,64})(?: (\d{6}))?$")
_OLD = re.compile(rb"^--- (?:a/)?(.+?)\t?$")


class Applies(StrEnum):
    """How a patch meets a commit."""

    STRICTLY = "strictly"
    ALREADY = "already"
    NOT = "not"


def meets(store: Scratch, base: str, patch: bytes) -> Applies:
    """Say whether ``patch`` applies to the commit ``base`` without fuzz, or is in it already.

    Raises `CouldNotError` where the clone lacks a file that it would change.
    """
    named = {match[1].decode("utf-8", "surrogateescape") for line in patch.splitlines() if (match := _OLD.match(line))}
    entries = store.entries(base, named - {"/dev/null"})
    there = store.read([each.oid for each in entries.values()])
    if lost := sorted(path for path, each in entries.items() if each.is_regular and each.oid not in there):
        raise CouldNotError(f"this clone lacks {', '.join(lost)} as of {base[:12]}")
    for direction, answer in ((), Applies.STRICTLY), (("--reverse",), Applies.ALREADY):
        store.git.run("read-tree", base)
        try:
            store.git.run("apply", "--cached", "--check", "--whitespace=nowarn", *direction, "-", stdin=patch)
        except GitError:
            continue
        return answer
    return Applies.NOT


def change_of(store: Scratch, base: str, patch: bytes) -> str:
    """Return a scratch commit whose one change is the patch, on the files it was made for.

    Raises `CouldNotError` where the patch names no blobs, or blobs that are not in this clone.
    """
    blobs: dict[str, Entry | None] = {}
    found: tuple[str, str] | None = None
    for line in patch.splitlines():
        if match := _INDEX.match(line):
            found = match[1].decode(), (match[3] or b"100644").decode()
        elif (match := _OLD.match(line)) and found is not None:
            path = match[1].decode("utf-8", "surrogateescape")
            if path != "/dev/null":
                blobs[path] = Entry(mode=found[1], oid=_blob(store, found[0], path))
            found = None
    if not blobs:
        raise CouldNotError(
            "the patch does not say on which files it was made (no index lines), so it cannot be merged"
        )
    before = store.commit(store.replace(base, blobs), (), "before")
    store.git.run("read-tree", before)
    try:
        store.git.run("apply", "--cached", "--whitespace=nowarn", "-", stdin=patch)
    except GitError as error:
        raise CouldNotError(f"the patch does not apply to the files it names: {error.stderr}") from error
    return store.commit(store.git.text("write-tree", "--missing-ok"), (before,), "the carried patch")


def _blob(store: Scratch, oid: str, path: str) -> str:
    if len(oid) in (40, 64):
        store.bring([oid])
    try:
        return store.git.text("rev-parse", "--verify", "--quiet", f"{oid}^{{blob}}")
    except GitError as error:
        raise CouldNotError(f"this clone lacks {path} as it was when the patch was made ({oid})") from error


def anew(store: Scratch, base: str, patch: bytes) -> EditResult:
    """Put the patch's change onto ``base``. Raises what `change_of` raises; a conflict is an answer."""
    commit = change_of(store, base, patch)
    result = edit(store, direction=Direction.REBASE, commit=commit, onto=base)
    command = f"git apply --3way change.patch  # on {base}"
    return replace(result, commands=(command,), conflicts=result.conflicts)


def patch_text(root: str, workaround: Workaround, carrier: Carrier) -> bytes | None:
    """Return the patch beside the manifest, None where there is none."""
    path = Path(root, "patches", workaround.id, str(carrier.patch))
    return path.read_bytes() if path.is_file() else None
