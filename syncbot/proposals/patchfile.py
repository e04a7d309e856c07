"""Carried patches: their proposals to the bot's own repository, where the patch lies beside its manifest."""

from __future__ import annotations

from syncbot.git.clone import Clone
from syncbot.git.merge import changes
from syncbot.git.objects import Entry, Scratch
from syncbot.model.edit import EditResult, FileEdit, Outcome
from syncbot.model.errors import CouldNotError
from syncbot.model.project import Carrier, Workaround
from syncbot.model.proposal import Key, Prepared, ProposalKind, Record, Stuck
from syncbot.proposals.patching import Applies, anew, meets
from syncbot.proposals.prepare import Workshop
from syncbot.render.branch import branch_name
from syncbot.render.commit import message_of

_ARCHIVE = "archive"


class PatchWorkshop(Workshop):
    """Makes the commits of carried patches, in the bot's own repository: `clone` is that one's.

    ``downstream`` is where the patches apply, at ``heads`` (by carrier branch, None for the default one); ``folder`` is
    the path of ``patches/`` inside the bot's repository.
    """

    def __init__(
        self, clone: Clone, *, downstream: Clone, heads: dict[str | None, str], folder: str, **rest: object
    ) -> None:
        super().__init__(clone, **rest)  # type: ignore[arg-type]
        self._target = Scratch(downstream.git().directory, bring=downstream.bring)
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
        elif key.kind is ProposalKind.RESTORE:
            self._at[key] = self._heads[carrier.branch], path
            dropped = self._dropped(workaround, base_oid, path, str(carrier.patch))
            applies = meets(self._target, self._heads[carrier.branch], dropped)
            if applies is Applies.ALREADY:
                raise CouldNotError("the change of the dropped patch is on the branch already")
            if applies is Applies.NOT:
                result = anew(self._target, self._heads[carrier.branch], dropped)
                if not result.outcome.answered:
                    return Stuck(key=key, reason="the dropped patch conflicts with today's base", result=result)
                paths = [change.path for change in changes(self._target, result.base, result.tree)]
                dropped = self._target.patch(result.base, result.tree, paths)
            tree = self._with(workaround, base_oid, path, dropped)
            edit_id = self.edit_id(
                self.diff(base_oid, tree) if result is None else self.diff(result.base, result.tree, store=self._target)
            )
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
        """Return the tree with the patch in the archive; with its only carrier gone, the manifest goes there too."""
        manifest = f"{self._folder}/{workaround.id}/patch.toml"
        entries = self.store.entries(base_oid, [path, manifest])
        if path not in entries:
            raise CouldNotError(f"{path} is not in the bot's repository")
        edits: dict[str, Entry | None] = {path: None, self._archived(path): entries[path]}
        if len(workaround.carriers) == 1 and manifest in entries:
            edits |= {manifest: None, self._archived(manifest): entries[manifest]}
        return self.store.replace(base_oid, edits)

    def _archived(self, path: str) -> str:
        return f"{self._folder}/{_ARCHIVE}/{path.removeprefix(f'{self._folder}/')}"

    def _with(self, workaround: Workaround, base_oid: str, path: str, patch: bytes) -> str:
        """Return the tree with the patch back in its place, and the manifest if that is in the archive."""
        manifest = f"{self._folder}/{workaround.id}/patch.toml"
        kept = self._archived(manifest)
        entries = self.store.entries(base_oid, [manifest, kept, self._archived(path)])
        edits: dict[str, Entry | None] = {path: Entry(mode="100644", oid=self.store.write(patch))}
        if self._archived(path) in entries:
            edits[self._archived(path)] = None
        if kept in entries and manifest not in entries:
            edits |= {manifest: entries[kept], kept: None}
        return self.store.replace(base_oid, edits)

    def _dropped(self, workaround: Workaround, base_oid: str, path: str, name: str) -> bytes:
        """Return the patch that was dropped: from the archive, else from where history last had it."""
        if self._archived(path) in self.store.entries(base_oid, [self._archived(path)]):
            return self._read(base_oid, self._archived(path))
        gone = self.store.git.text("log", "-1", "--diff-filter=D", "--format=%H", base_oid, "--", path)
        if not gone:
            raise CouldNotError(f"{name} of {workaround.id} is neither in the archive nor in the history that is here")
        return self._read(f"{gone}^", path)

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
