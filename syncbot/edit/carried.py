"""A workaround carried outside the tree: a patch-file kept usable, a branch's commit carried onto a new base.

A patch is refreshed only when ``git apply`` with no fuzz refuses it; offsets alone are no reason. What it was made on
is the commit its keeper names, else the newest commit of the branch that it still applies to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from syncbot.edit.engine import edit
from syncbot.git.merge import changes
from syncbot.git.objects import Identity, Scratch
from syncbot.git.run import GitError
from syncbot.model.edit import Direction, EditResult
from syncbot.model.errors import UsageError

_MOST_COMMITS = 500
_HEADER = re.compile(rb"^diff --git ", re.MULTILINE)
_TAKES = re.compile(rb"^(?:--- a/|\+\+\+ b/|rename (?:from|to) )(.+?)\t?\r?$", re.MULTILINE)


class PatchState(StrEnum):
    """How a carried patch meets a branch."""

    APPLIES = "applies"
    UPSTREAMED = "upstreamed"
    REFRESHED = "refreshed"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedPatch:
    """What became of a patch: ``data`` is the patch to keep (the old one unless it was refreshed).

    ``tree`` is the branch with the patch, None in a conflict; ``result`` tells how it was refreshed, or why it was not.
    """

    state: PatchState
    data: bytes
    tree: str | None
    result: EditResult | None = None


def carry_patch(store: Scratch, data: bytes, onto: str, *, since: str | None = None) -> CarriedPatch:
    """Bring a patch onto the commit ``onto``. ``since`` is a commit it is known to apply to, where one is known.

    Raises `UsageError` for what is no git patch, or a patch that applies to no commit of the branch.
    """
    base = store.commit_id(onto)
    if not _HEADER.search(data):
        raise UsageError("the patch holds no 'diff --git' line: it is no git patch")
    tree = applied(store, data, base)
    if tree is not None:
        return CarriedPatch(state=PatchState.APPLIES, data=data, tree=tree)
    if applied(store, data, base, reverse=True) is not None:
        whole = store.git.text("rev-parse", base + "^{tree}")
        return CarriedPatch(state=PatchState.UPSTREAMED, data=data, tree=whole)
    start = _start(store, data, base, since)
    after = applied(store, data, start)
    assert after is not None
    made = store.commit(after, (start,), "carried\n")
    result = edit(store, direction=Direction.REBASE, commit=made, onto=base)
    if not result.outcome.answered:
        state = PatchState.UPSTREAMED if result.outcome == "empty" else PatchState.CONFLICT
        return CarriedPatch(state=state, data=data, tree=None, result=result)
    paths = [change.path for change in changes(store, base, result.tree)]
    header = data[: _HEADER.search(data).start()]  # type: ignore[union-attr]
    fresh = header + store.patch(base, result.tree, paths)
    return CarriedPatch(state=PatchState.REFRESHED, data=fresh, tree=result.tree, result=result)


def applied(store: Scratch, data: bytes, commit: str, *, reverse: bool = False) -> str | None:
    """Return the tree of ``commit`` with the patch strictly applied (or taken back), None where it does not apply."""
    index = store.index(commit)
    options = ["--reverse"] if reverse else []
    try:
        index.run("apply", "--cached", "--whitespace=nowarn", *options, "-", stdin=data)
    except GitError:
        return None
    return index.text("write-tree", "--missing-ok")


def _start(store: Scratch, data: bytes, base: str, since: str | None) -> str:
    """Return the commit the patch was made on: the one given, else the newest of the branch it applies to."""
    if since is not None and applied(store, data, store.commit_id(since)) is not None:
        return store.commit_id(since)
    paths = sorted({name.decode("utf-8", "surrogateescape") for name in _TAKES.findall(data)})
    log = store.git.lines("rev-list", f"-n{_MOST_COMMITS}", base, "--", *paths)
    for commit in log:
        # The patch fits what stood before this commit, or what this commit made of it.
        for candidate in (commit, *store.parents(commit)[:1]):
            if applied(store, data, candidate) is not None:
                return candidate
    raise UsageError(f"the patch applies to none of the last {len(log)} commits that touch its files")


def carry_commit(
    store: Scratch, commit: str, onto: str, *, message: str | None = None
) -> tuple[EditResult, str | None]:
    """Carry a branch's commit onto a new base: the answer, and the new commit (None where there is none).

    The author, the date and the message are the old commit's own.
    """
    result = edit(store, direction=Direction.REBASE, commit=commit, onto=onto)
    if not result.outcome.answered:
        return result, None
    told = store.git.text("log", "-1", "--format=%an%x00%ae%x00%ad%x00%B", "--date=raw", result.commit)
    name, email, date, body = told.split("\0", 3)
    author = Identity(name=name, email=email, date=f"@{date}")
    return result, store.commit(result.tree, (result.base,), message or body, author)


def on_branch(store: Scratch, commit: str, branch: str) -> str | None:
    """Return ``commit`` where the branch has it, else the newest one of the branch that is it rewritten.

    Rewritten: same author, author date and subject, as a rebase leaves them.
    """
    head = store.commit_id(branch)
    if store.is_ancestor(commit, head):
        return commit
    form = "--format=%an%x00%ae%x00%at%x00%s"
    (known,) = store.git.lines("log", "-1", form, commit)
    for line in store.git.lines("log", f"-n{_MOST_COMMITS}", "--no-merges", form + "%x00%H", head, "--not", commit):
        told, _, found = line.rpartition("\0")
        if told == known:
            return found
    return None
