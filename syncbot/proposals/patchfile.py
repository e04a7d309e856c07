"""Carried patches: does one still apply, and if not, what does it look like on today's base.

A strict apply takes offsets and no fuzz. A patch is written anew by putting its change, as it was recorded (its own
blob ids say on what), onto today's base with the edit engine.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from syncbot.edit.engine import edit
from syncbot.git.clone import Clone
from syncbot.git.merge import changes
from syncbot.git.objects import Entry, Scratch
from syncbot.git.run import GitError
from syncbot.model.edit import Direction, EditResult, FileEdit, Outcome
from syncbot.model.errors import CouldNotError
from syncbot.model.project import Carrier, Workaround
from syncbot.model.proposal import Key, Prepared, ProposalKind, Record, Stuck
from syncbot.proposals.prepare import Workshop
from syncbot.render.branch import branch_name
from syncbot.render.commit import message_of

_INDEX = re.compile(rb"^index ([0-9a-f]{7,64})\.\.([0-9a-f]{7,64})(?: (\d{6}))?$")
_OLD = re.compile(rb"^--- (?:a/)?(.+?)\t?$")
_ARCHIVE = "archive"


class Applies(StrEnum):
    """How a patch meets a commit."""

    STRICTLY = "strictly"
    ALREADY = "already"
    NOT = "not"


def meets(store: Scratch, base: str, patch: bytes) -> Applies:
    """Say whether ``patch`` applies to the commit ``base`` without fuzz, or is in it already."""
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


class PatchWorkshop(Workshop):
    """Makes the commits of carried patches, in the bot's own repository: `clone` is that one's.

    ``downstream`` is where the patches apply, at ``heads`` (by carrier branch, None for the default one); ``folder`` is
    the path of ``patches/`` inside the bot's repository.
    """

    def __init__(
        self, clone: Clone, *, downstream: Clone, heads: dict[str | None, str], folder: str, **rest: object
    ) -> None:
        super().__init__(clone, **rest)  # type: ignore[arg-type]
        self._target = Scratch(downstream.git().directory)
        self._heads = heads
        self._folder = folder
        self._at: dict[Key, tuple[str, str]] = {}

    def __exit__(self, *told: object) -> None:
        self._target.close()
        self.store.close()

    def prepare(self, key: Key, workaround: Workaround, *, repo: str, base: str, base_oid: str) -> Prepared | Stuck:
        """See `Workshop.prepare`; not cached, since it is rarely asked for."""
        return self.build(key, workaround, repo=repo, base=base, base_oid=base_oid)

    def _build(self, key: Key, workaround: Workaround, repo: str, base: str, base_oid: str) -> Prepared | Stuck:
        carrier = carrier_of(workaround, key)
        path = f"{self._folder}/{workaround.id}/{carrier.patch}"
        if key.kind is ProposalKind.RESTORE:
            raise CouldNotError(f"{path} is gone; `git log -- {path}` shows where to bring it back from")
        result: EditResult | None = None
        if key.kind is ProposalKind.REFRESH:
            self._at[key] = self._heads[carrier.branch], path
            result = anew(self._target, self._heads[carrier.branch], self._read(base_oid, path))
            if not result.outcome.answered:
                return Stuck(key=key, reason="the patch conflicts with today's base", result=result)
            paths = [change.path for change in changes(self._target, result.base, result.tree)]
            edited = self._target.patch(result.base, result.tree, paths)
            tree = self.store.replace(base_oid, {path: Entry(mode="100644", oid=self.store.write(edited))})
            # The patch's own id: where it stands in its file may change with every commit, what it does may not.
            edit_id = self.edit_id(self.diff(result.base, result.tree, store=self._target))
        else:
            tree = self._without(workaround, base_oid, path)
            edit_id = self.edit_id(self.diff(base_oid, tree))
        message = message_of(key, workaround, self._proposals, edit=edit_id, sign_off=self._sign_off)
        return Prepared(
            key=key, repo=repo, branch=branch_name(key), base=base, base_oid=base_oid, edit=edit_id, message=message,
            head=self.store.commit(tree, (base_oid,), message, self._identity(base_oid)), outcome=Outcome.CLEAN,
            files=result.files if result is not None else self._files(base_oid, tree),
            repairs=result.repairs if result is not None else (),
            note=f"the patch {path}",
        )  # fmt: skip

    def _without(self, workaround: Workaround, base_oid: str, path: str) -> str:
        """Return the tree without the patch; with its only carrier gone, the manifest goes to the archive."""
        edits: dict[str, Entry | None] = {path: None}
        manifest = f"{self._folder}/{workaround.id}/patch.toml"
        entries = self.store.entries(base_oid, [path, manifest])
        if path not in entries:
            raise CouldNotError(f"{path} is not in the bot's repository")
        if len(workaround.carriers) == 1 and manifest in entries:
            edits |= {manifest: None, f"{self._folder}/{_ARCHIVE}/{workaround.id}/patch.toml": entries[manifest]}
        return self.store.replace(base_oid, edits)

    def _files(self, old: str, new: str) -> tuple[FileEdit, ...]:
        lines = self.store.git.text("diff-tree", "-r", "--numstat", "--no-renames", old, new).splitlines()
        split = [line.split("\t", 2) for line in lines if line.count("\t") >= 2]
        return tuple(
            FileEdit(path=name, added=int(a) if a.isdigit() else None, removed=int(r) if r.isdigit() else None)
            for a, r, name in split
        )

    def _read(self, commit: str, path: str) -> bytes:
        entry = self.store.entries(commit, [path]).get(path)
        found = self.store.read([entry.oid]) if entry is not None else {}
        if entry is None or entry.oid not in found:
            raise CouldNotError(f"{path} is not in the bot's repository at {commit[:12]}")
        return found[entry.oid]

    def meets(self, record: Record, prepared: Prepared, tip: str) -> tuple[bool | None, int | None]:
        """See `Workshop.meets`; a patch that is proposed must apply to today's base as well."""
        merges, _ = super().meets(record, prepared, tip)
        if prepared.key not in self._at or merges is not True or not self.has(tip):
            return merges, None
        head, path = self._at[prepared.key]
        return meets(self._target, head, self._read(tip, path)) is Applies.STRICTLY, None


def carrier_of(workaround: Workaround, key: Key) -> Carrier:
    """Return the carrier a key is about."""
    for carrier in workaround.carriers:
        if key.carrier in (None, carrier.name, carrier.carried.value):
            return carrier
    raise CouldNotError(f"{workaround.id} is not carried as {key.carrier}")


def patch_text(root: str, workaround: Workaround, carrier: Carrier) -> bytes | None:
    """Return the patch beside the manifest, None where there is none."""
    path = Path(root, "patches", workaround.id, str(carrier.patch))
    return path.read_bytes() if path.is_file() else None
