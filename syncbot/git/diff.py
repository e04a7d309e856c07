"""What commits change: the list of blobs, the patch text, the patch-id. Merges count against their first parent.

Clones may lack blobs (partial clones, stores that leave large files out). Everything here works on what is there and
says which paths it could not read; nothing fetches.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

from syncbot.git.run import Git

_OID_LINE = re.compile(rb"^([0-9a-f]{40}(?:[0-9a-f]{24})?)\n", re.MULTILINE)
_HANDS = 2
_WORTH_SHARING = 100
# Paths go to git as arguments, and a system takes a limited number of bytes of these.
_ARGUMENTS = 100_000
_RAW = ("--raw", "-z", "--no-renames", "--no-abbrev", "--diff-merges=first-parent")
_PATCH = ("-p", "--no-renames", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=3")


class Entry(NamedTuple):
    """One changed path: modes and blob ids before and after. An id of zeros means "not there"."""

    path: str
    old_mode: str
    new_mode: str
    old: str
    new: str

    @property
    def submodule(self) -> bool:
        """Whether either side is a gitlink, whose id names a commit of another repository."""
        return "160000" in (self.old_mode, self.new_mode)


Change = tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """The patch text of a commit and its stable patch-id (None for an empty one). ``unread`` paths are not in it."""

    text: bytes
    patch_id: str | None
    unread: frozenset[str] = frozenset()


def read_changes(git: Git, *revisions: str, paths: Iterable[str] = (), whole: bool = True) -> dict[str, Change]:
    """The changes of the commits ``git log`` lists for ``revisions``, limited to those that touch ``paths``.

    ``whole``: the full change of each such commit, not only its part under ``paths``.
    """
    words = [
        "log",
        *_RAW,
        "--full-history",
        *(["--full-diff"] if whole else []),
        "--format=%H",
        "--stdin",
        "--",
        *paths,
    ]
    git_literal = git.with_env(GIT_LITERAL_PATHSPECS="1")
    return _parse_raw(git_literal.records(*words, stdin=("\n".join(revisions) + "\n").encode()))


def change_of(git: Git, oids: Iterable[str]) -> dict[str, Change]:
    """The changes of exactly these commits, merges against their first parent, roots against nothing."""
    wanted = list(oids)
    source = "\n".join(wanted) + "\n"
    # An empty change prints nothing at all.
    return dict.fromkeys(wanted, ()) | _parse_raw(
        git.records("diff-tree", "--stdin", "-r", "--root", *_RAW, stdin=source.encode())
    )


def _parse_raw(records: Iterator[bytes]) -> dict[str, Change]:
    changes: dict[str, list[Entry]] = {}
    current: list[Entry] = []
    for record in records:
        token = record.lstrip(b"\n")
        if not token:
            continue
        if token[:1] == b":":
            old_mode, new_mode, old, new, _ = token[1:].decode().split(" ", 4)
            path = next(records).decode("utf-8", "surrogateescape")
            current.append(Entry(path, old_mode, new_mode, old, new))
        else:
            current = changes.setdefault(token.decode(), [])
    return {oid: tuple(entries) for oid, entries in changes.items()}


def blob_sizes(git: Git, changes: Iterable[Change]) -> dict[str, int]:
    """The sizes in bytes of all blobs in ``changes`` that this clone has; what is missing here is missing there.

    In a mirror the missing ones are brought first, all in one go.
    """
    blobs = {
        blob
        for change in changes
        for entry in change
        if not entry.submodule
        for blob in (entry.old, entry.new)
        if blob.strip("0")
    }
    if not blobs:
        return {}
    sizes = _sizes(git, blobs)
    if git.bring is not None and (missing := blobs - sizes.keys()):
        git.bring(missing)
        sizes |= _sizes(git, missing)
    return sizes


def _sizes(git: Git, blobs: Collection[str]) -> dict[str, int]:
    if unasked := [oid for oid in blobs if oid not in git.sizes]:
        wanted = "\n".join(unasked) + "\n"
        answer = git.text("cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer", stdin=wanted.encode())
        pairs = (line.split(" ") for line in answer.splitlines())
        git.sizes.update({oid: int(size) for oid, size in pairs if size != "missing"})
    return {oid: git.sizes[oid] for oid in blobs if oid in git.sizes}


def unread_paths(change: Change, sizes: Mapping[str, int]) -> frozenset[str]:
    """The paths of ``change`` whose content this clone lacks on either side."""
    return frozenset(
        entry.path
        for entry in change
        if not entry.submodule and any(blob.strip("0") and blob not in sizes for blob in (entry.old, entry.new))
    )


def read_patches(git: Git, changes: dict[str, Change], *, reverse: bool = False) -> dict[str, Patch]:
    """The patches of the commits in ``changes``; ``reverse``: of what would undo them.

    A path with a missing blob is left out of its patch and named in ``unread``; where a huge change lacks one, the
    whole patch is empty.
    """
    sizes = blob_sizes(git, changes.values())
    unread = {oid: unread_paths(change, sizes) for oid, change in changes.items()}
    options = [*_PATCH, *(["-R", "--src-prefix=b/", "--dst-prefix=a/"] if reverse else [])]
    found = {oid: Patch(text=b"", patch_id=None, unread=unread[oid]) for oid in changes}
    whole = [oid for oid in changes if not unread[oid]]
    # The largest first and dealt out in turn, so that each git process has about the same to do.
    whole.sort(key=lambda oid: -sum(sizes.get(entry.old, 0) + sizes.get(entry.new, 0) for entry in changes[oid]))
    hands = [whole[at::_HANDS] for at in range(_HANDS)] if len(whole) > _WORTH_SHARING else [whole]

    def deal(oids: list[str]) -> dict[str, Patch]:
        return _with_ids(git, _diff_trees(git, oids, options))

    if len(hands) == 1:
        found |= deal(whole)
    else:
        with ThreadPoolExecutor(_HANDS) as pool:
            for part in pool.map(deal, hands):
                found |= part
    for oid, left_out in unread.items():
        kept = [entry.path for entry in changes[oid] if entry.path not in left_out]
        if left_out and kept and sum(map(len, kept)) < _ARGUMENTS:
            part = _with_ids(git, _diff_trees(git, [oid], options, kept))
            found |= {oid: replace(patch, unread=left_out) for oid, patch in part.items()}
    return found


def _with_ids(git: Git, texts: dict[str, bytes]) -> dict[str, Patch]:
    ids = patch_ids(git, texts)
    return {oid: Patch(text=text, patch_id=ids.get(oid)) for oid, text in texts.items()}


def _diff_trees(git: Git, oids: list[str], options: list[str], paths: Iterable[str] = ()) -> dict[str, bytes]:
    if not oids:
        return {}
    git = git.with_env(GIT_LITERAL_PATHSPECS="1")
    out = git.run(
        "diff-tree", "--stdin", "-r", "--root", "--diff-merges=first-parent", *options, "--", *paths,
        stdin=("\n".join(oids) + "\n").encode(),
    )  # fmt: skip
    pieces = _OID_LINE.split(out)
    return {oid.decode(): text for oid, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def patch_ids(git: Git, texts: dict[str, bytes]) -> dict[str, str]:
    """The stable patch-id of each text; empty texts have none."""
    source = b"".join(b"%s\n%s" % (oid.encode(), text) for oid, text in texts.items() if text)
    if not source:
        return {}
    found: dict[str, str] = {}
    for line in git.lines("patch-id", "--stable", stdin=source):
        patch, _, oid = line.partition(" ")
        found[oid] = patch
    return found
