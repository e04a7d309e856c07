"""Commits that touch the same paths as a fix: told apart by sizes where that is enough, by diffs where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncbot.git.diff import Change, Patch, read_patches, unread_paths
from syncbot.git.run import Git
from syncbot.landing.candidates import Candidates, Index, is_wordless
from syncbot.landing.judge import Diffs


def paths_of(change: Change) -> set[str]:
    """The paths a change touches."""
    return {entry.path for entry in change}


def could_hold(fix: Change, other: Change) -> bool:
    """Whether a commit touches at least half of the fix's paths; fewer cannot hold nearly all of its lines."""
    paths = paths_of(fix)
    return 2 * len(paths & paths_of(other)) >= len(paths)


def sort_lookalikes(index: Index, changes: Mapping[str, Change], found: Candidates, sizes: Mapping[str, int]) -> None:
    """Of commits with the same paths, keep those that can be the fix (``lookalike``) or its undoing (``mirror``).

    The same patch grows each file by the same number of bytes, and its undoing shrinks it by as many, so blob sizes
    tell most apart without a diff. Where a size is not to be had, two sorts are kept: an off-branch commit that names
    nothing, and whatever came after a revert and may have landed the fix again.
    """
    own = changes.get(found.fix, ())
    near, found.lookalike = found.lookalike, set()
    for oid in near:
        other = changes[oid]
        left_out = unread_paths(own, sizes) | unread_paths(other, sizes)
        if left_out and other != own and not is_wordless(index, oid) and not _after_a_revert(index, found, oid):
            continue
        grown, there = _growth(own, sizes, left_out), _growth(other, sizes, left_out)
        if grown == there:
            found.lookalike.add(oid)
        if all(there[path] == -size for path, size in grown.items()):
            found.mirror.add(oid)


def _after_a_revert(index: Index, found: Candidates, oid: str) -> bool:
    return oid not in found.backward and any(index.history.is_ancestor(undo, oid) for undo in found.backward)


def _growth(change: Change, sizes: Mapping[str, int], left_out: frozenset[str]) -> dict[str, int]:
    return {
        entry.path: sizes.get(entry.new, 0) - sizes.get(entry.old, 0) for entry in change if entry.path not in left_out
    }


def to_compare(found: Candidates, changes: Mapping[str, Change]) -> list[str]:
    """The commits whose diffs have to be read: a copy with the very same blobs needs none."""
    own = changes.get(found.fix, ())
    return [oid for oid in found.commits() if changes.get(oid, ()) != own]


def read_diffs(git: Git, candidates: Sequence[Candidates], changes: Mapping[str, Change]) -> Diffs:
    """The diffs that the candidates of some fixes need, each read once."""
    needed: dict[str, Change] = {}
    turned: dict[str, Change] = {}
    for found in candidates:
        others = to_compare(found, changes)
        if others:
            needed |= {oid: changes[oid] for oid in (found.fix, *others) if oid in changes}
        if found.mirror or found.backward:
            turned[found.fix] = changes.get(found.fix, ())
    patches = read_patches(git, needed)
    return Diffs(changes, patches, _ids(read_patches(git, turned, reverse=True)))


def _ids(patches: Mapping[str, Patch]) -> dict[str, str]:
    return {oid: patch.patch_id for oid, patch in patches.items() if patch.patch_id is not None}
