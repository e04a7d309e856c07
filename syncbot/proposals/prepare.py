"""From a decision to one deterministic commit: the same workaround on the same base gives the same commit id again.

A `Workshop` works for one clone, in scratch objects in front of it, so the clone gains nothing. Answers are cached by
everything they follow from; the objects themselves are made again only when something is to be pushed (`build`).
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from types import TracebackType
from typing import Any, Protocol, Self

from syncbot.edit.engine import edit as run_engine
from syncbot.git.clone import Clone
from syncbot.git.merge import changes, merge
from syncbot.git.objects import Entry, Identity, Scratch
from syncbot.git.run import Access, Git, GitError
from syncbot.model.edit import Direction, EditResult, FileEdit, Outcome, Repair, RepairKind
from syncbot.model.errors import SyncbotError, UnknownObjectError
from syncbot.model.project import Proposals, Workaround
from syncbot.model.proposal import Key, Prepared, ProposalKind, Record, Stuck
from syncbot.proposals.carried import carried_onto
from syncbot.proposals.taken import taken_out
from syncbot.render.branch import branch_name
from syncbot.render.commit import is_ours, message_of, message_of_bundle

log = logging.getLogger(__name__)

_CACHE = "prepared/2"
_TEXTS = (".py", ".pyi", ".toml", ".yaml", ".yml", ".json", ".cfg", ".ini", ".txt", ".md", ".sh")


class Keeps(Protocol):
    """The cache, as far as it is needed here."""

    def get_json(self, namespace: str, keys: Any) -> dict[str, Any]:
        """Return what is kept under ``keys``."""

    def put_json(self, namespace: str, values: Mapping[str, Any]) -> None:
        """Keep ``values``."""


class Workshop:
    """Makes proposals' commits in front of one clone. ``version`` is the program's: another one may edit otherwise.

    ``also`` is the clone of the project whose objects are needed besides, where ``clone`` is that of a fork.
    """

    def __init__(
        self, clone: Clone, *, proposals: Proposals, sign_off: bool, version: str, cache: Keeps | None,
        also: Clone | None = None,
    ) -> None:  # fmt: skip
        self.clone = clone
        # Seen through its view: nothing in the clone's own configuration has a say.
        self._objects = [(each.common_dir / "objects").resolve() for each in (clone, also) if each is not None]
        self.store = Scratch(clone.git().directory, also=self._objects[1] if also is not None else None)
        self._proposals = proposals
        self._sign_off = sign_off
        self._version = version
        self._cache = cache
        self._brought: set[str] = set()
        self._built: dict[str, Prepared] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.store.close()

    # -- preparing --------------------------------------------------------------------------------------------------

    def prepare(self, key: Key, workaround: Workaround, *, repo: str, base: str, base_oid: str) -> Prepared | Stuck:
        """Return the commit that does ``key`` on ``base_oid``, a commit of the branch ``base``, or why not."""
        name = self._name(key, workaround, repo, base, base_oid)
        return self._kept(key, name, lambda: self.build(key, workaround, repo=repo, base=base, base_oid=base_oid))

    def bundle(
        self, key: Key, workarounds: Sequence[Workaround], *, repo: str, base: str, base_oid: str
    ) -> Prepared | Stuck:
        """Return the one commit that takes ``workarounds`` out, one after the other; see `build_bundle`."""
        name = self._name(key, workarounds, repo, base, base_oid)
        return self._kept(
            key, name, lambda: self.build_bundle(key, workarounds, repo=repo, base=base, base_oid=base_oid)
        )

    def _kept(self, key: Key, name: str, make: Callable[[], Prepared | Stuck]) -> Prepared | Stuck:
        """What the cache has under ``name``, else what is made now and kept there; no `Stuck` is kept."""
        known = self._cache.get_json(_CACHE, [name]).get(name) if self._cache is not None else None
        if known is not None and (read := _read(key, known)) is not None:
            return read
        made = make()
        if isinstance(made, Prepared) and self._cache is not None:
            self._cache.put_json(_CACHE, {name: _written(made)})
        return made

    def build_bundle(
        self, key: Key, workarounds: Sequence[Workaround], *, repo: str, base: str, base_oid: str
    ) -> Prepared | Stuck:
        """Like `bundle`, and the objects are in `store` afterwards.

        ``members`` of the answer are those whose removal was found on top of the ones before it; the others are left
        out. `Stuck` where that is every one.
        """
        at, taken, results = base_oid, [], []
        for workaround in workarounds:
            one = Key(kind=ProposalKind.REMOVAL, workaround=workaround.id)
            try:
                result, _ = self._edited(one, workaround, base_oid, onto=at)
            except SyncbotError as error:
                log.info("%s is left out of %s: %s", workaround.id, key, error)
                continue
            if result.outcome.answered:
                at = self.store.commit(result.tree, (at,), f"without {workaround.id}")
                taken.append(workaround)
                results.append(result)
        if not taken:
            return Stuck(key=key, reason="no verified edit was found")
        diff = self.diff(base_oid, results[-1].tree)
        edit_id = self.edit_id(diff)
        message = message_of_bundle(key, taken, self._proposals, edit=edit_id, sign_off=self._sign_off)
        return Prepared(
            key=key, repo=repo, branch=branch_name(key), base=base, base_oid=base_oid, edit=edit_id, message=message,
            head=self.store.commit(results[-1].tree, (base_oid,), message, self._identity(base_oid)),
            outcome=max((each.outcome for each in results), key=_FROM_PLAIN.index), files=_summed(results),
            repairs=tuple(dict.fromkeys(repair for each in results for repair in each.repairs)), gone=taken_out(diff),
            members=tuple(each.id for each in taken),
        )  # fmt: skip

    def build(self, key: Key, workaround: Workaround, *, repo: str, base: str, base_oid: str) -> Prepared | Stuck:
        """Like `prepare`, and the objects are in `store` afterwards."""
        name = self._name(key, workaround, repo, base, base_oid)
        if name in self._built:
            return self._built[name]
        try:
            made = self._build(key, workaround, repo, base, base_oid)
        except SyncbotError as error:
            return Stuck(key=key, reason=str(error))
        if isinstance(made, Prepared):
            self._built[name] = made
        return made

    def _build(self, key: Key, workaround: Workaround, repo: str, base: str, base_oid: str) -> Prepared | Stuck:
        result, note = self._edited(key, workaround, base_oid)
        if not result.outcome.answered:
            reason = "nothing is left to do" if result.outcome is Outcome.EMPTY else "no verified edit was found"
            return Stuck(key=key, reason=reason, result=result)
        diff = self.diff(base_oid, result.tree)
        edit_id = self.edit_id(diff)
        message = message_of(key, workaround, self._proposals, edit=edit_id, sign_off=self._sign_off)
        return Prepared(
            key=key, repo=repo, branch=branch_name(key), base=base, base_oid=base_oid, edit=edit_id, message=message,
            head=self.store.commit(result.tree, (base_oid,), message, self._identity(base_oid)),
            outcome=result.outcome, files=result.files, repairs=result.repairs, note=note, gone=taken_out(diff),
        )  # fmt: skip

    def diff(self, base: str, tree: str, *, store: Scratch | None = None) -> bytes:
        """Return the change from ``base`` to ``tree`` without its context."""
        store = store or self.store
        paths = [change.path for change in changes(store, base, tree)]
        return store.git.run(
            "diff-tree", "-r", "-p", "-U0", "--no-renames", "--full-index", "--no-textconv", "--no-ext-diff",
            "--src-prefix=a/", "--dst-prefix=b/", base, tree, "--", *paths,
        )  # fmt: skip

    def refresh(
        self, key: Key, workaround: Workaround, *, repo: str, base: str, base_oid: str, onto: str, push: bool
    ) -> Prepared | Stuck:
        """Return the commit that brings the branch ``base``, which is at ``base_oid``, onto ``onto``; not cached.

        With ``push``, and where the branch holds the workaround and nothing else, it is one commit on ``onto`` for the
        branch itself; else a merge of ``onto`` into the branch, for a proposal.
        """
        try:
            self._bring(base_oid, onto)
            result, tree, alone = carried_onto(self.store, workaround, base_oid, onto)
        except SyncbotError as error:
            return Stuck(key=key, reason=str(error))
        if not result.outcome.answered:
            return Stuck(key=key, reason="what the branch carries conflicts with today's base", result=result)
        diff = self.diff(onto, tree)
        edit_id = self.edit_id(diff)
        message = message_of(key, workaround, self._proposals, edit=edit_id, sign_off=self._sign_off)
        pushes = push and alone
        return Prepared(
            key=key, repo=repo, branch=base if pushes else branch_name(key), base=base, base_oid=base_oid, edit=edit_id,
            head=self.store.commit(tree, (onto,) if pushes else (base_oid, onto), message, self._identity(onto)),
            message=message, outcome=result.outcome, files=result.files, repairs=result.repairs, onto=onto,
            pushes=pushes,
        )  # fmt: skip

    def edit_id(self, diff: bytes) -> str:
        """Return the stable patch-id of what `diff` gave: without context a moved base alone does not change it."""
        return self.store.git.text("patch-id", "--stable", stdin=diff).partition(" ")[0]

    def _edited(
        self, key: Key, workaround: Workaround, base_oid: str, *, onto: str | None = None
    ) -> tuple[EditResult, str | None]:
        commit, direction, note = _what(key, workaround)
        self._bring(base_oid, commit)
        removal = workaround.removal if commit == workaround.introduced.commit else None
        result = run_engine(self.store, direction=direction, commit=commit, onto=onto or base_oid, removal=removal)
        return result, note

    def _identity(self, base_oid: str) -> Identity:
        when = self.store.git.text("log", "-1", "--format=%ct", base_oid)
        return Identity(name=self._proposals.identity_name, email=self._proposals.identity_email, date=f"@{when} +0000")

    def _bring(self, *commits: str) -> None:
        """Bring the texts of ``commits`` into a mirror without contents: the edit is judged against all of them."""
        if self.clone.bring is None:
            return
        wanted: list[str] = []
        for commit in commits:
            for rev in (commit, f"{commit}^"):
                if rev in self._brought:
                    continue
                self._brought.add(rev)
                try:
                    found = self.store.listing(rev)
                except GitError:
                    continue
                wanted += [entry.oid for path, entry in found.items() if entry.is_regular and path.endswith(_TEXTS)]
        self.clone.bring(list(dict.fromkeys(wanted)))

    def _name(self, key: Key, about: Workaround | Sequence[Workaround], repo: str, base: str, base_oid: str) -> str:
        what = (self._version, str(key), about, repo, base, base_oid, self._sign_off)
        who = (self._proposals.identity_name, self._proposals.identity_email, self._proposals.title)
        return hashlib.sha256(repr((what, who)).encode()).hexdigest()

    # -- how a commit that is out there meets today's base ----------------------------------------------------------

    def meets(self, record: Record, prepared: Prepared, tip: str) -> tuple[bool | None, int | None]:
        """Return whether the proposal's commit ``tip`` merges into today's base, and how far that has moved."""
        if record.base == prepared.base_oid:
            return True, 0
        if prepared.onto is not None:
            # A merge into a branch that has moved since: another one is due.
            return False, 0
        return self.merges(tip, prepared.base_oid), self.distance(record.base, prepared.base_oid)

    def merges(self, head: str, base_oid: str) -> bool | None:
        """Whether the proposal's commit ``head`` still merges into ``base_oid``; None where that cannot be told."""
        try:
            parents = self.store.parents(head)
            if len(parents) != 1:
                return None
            return not self._clashes(parents[0], base_oid, head)
        except (GitError, UnknownObjectError):
            return None

    def _clashes(self, old: str, ours: str, theirs: str) -> bool:
        touched = changes(self.store, old, theirs)
        paths = [change.path for change in touched]
        sides = [self.store.entries(tree, paths) for tree in (old, ours, theirs)]
        moved = [path for path in paths if sides[0].get(path) != sides[1].get(path)]
        if not moved:
            return False
        trees = self.store.flat_trees([_flat(side, moved) for side in sides])
        return bool(merge(self.store, base=trees[0], ours=trees[1], theirs=trees[2]).conflicts)

    def distance(self, old: str, new: str) -> int | None:
        """How many commits ``new`` has that ``old`` lacks; None where one of them is not here."""
        try:
            return int(self.store.git.text("rev-list", "--count", f"{old}..{new}", "--"))
        except (GitError, ValueError):
            return None

    def has(self, oid: str) -> bool:
        """Whether a commit is here."""
        return self.store.git.attempt("cat-file", "-e", f"{oid}^{{commit}}")[0] == 0

    def made_by_us(self, oid: str, key: Key) -> bool | None:
        """Whether the commit is one the bot made and nobody amended; None where it is not here."""
        if not self.has(oid):
            return None
        text = self.store.git.text("log", "-1", "--format=%ce%x00%ae%x00%B", oid)
        committer, author, message = text.split("\0", 2)
        ours = self._proposals.identity_email
        return (committer, author) == (ours, ours) and is_ours(message, key)

    def pusher(self) -> Git:
        """Return a runner that can push what was built here."""
        git = Git(self.clone.git().directory, Access.NETWORK)
        return git.with_env(
            GIT_OBJECT_DIRECTORY=str(self.store.objects),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=os.pathsep.join(map(str, self._objects)),
            GIT_NO_LAZY_FETCH="1",
        )


def _what(key: Key, workaround: Workaround) -> tuple[str, Direction, str | None]:
    """Return the commit to work with and in which direction. Raises `UnknownObjectError` if the manifest has none."""
    introduced = workaround.introduced.commit
    if key.kind is ProposalKind.RESTORE and workaround.removed is not None and workaround.removed.commit is not None:
        return workaround.removed.commit, Direction.REMOVE, "the commit that removed it is taken back"
    if introduced is None:
        raise UnknownObjectError(f"{workaround.id}: its manifest names no introduced.commit")
    return introduced, Direction.REMOVE if key.kind is ProposalKind.REMOVAL else Direction.REBASE, None


_FROM_PLAIN = (Outcome.CLEAN, Outcome.MOVED, Outcome.PARTIAL)


def _summed(results: Sequence[EditResult]) -> tuple[FileEdit, ...]:
    """The files of several edits, each once with the lines of all."""
    found: dict[str, FileEdit] = {}
    for file in (file for each in results for file in each.files):
        before = found.get(file.path)
        if before is None:
            found[file.path] = file
        elif None not in (before.added, before.removed, file.added, file.removed):
            added, removed = (before.added or 0) + (file.added or 0), (before.removed or 0) + (file.removed or 0)
            found[file.path] = replace(file, added=added, removed=removed)
    return tuple(found[path] for path in sorted(found))


def _flat(side: Mapping[str, Entry], paths: list[str]) -> dict[str, Entry]:
    return {f"{number:04}": side[path] for number, path in enumerate(paths) if path in side}


def _written(made: Prepared) -> dict[str, Any]:
    values = asdict(made)
    del values["key"]
    return values


def _read(key: Key, values: Any) -> Prepared | None:
    try:
        return Prepared(
            **{
                **values,
                "key": key,
                "outcome": Outcome(values["outcome"]),
                "files": tuple(FileEdit(**each) for each in values["files"]),
                "repairs": tuple(Repair(**{**each, "kind": RepairKind(each["kind"])}) for each in values["repairs"]),
                "members": tuple(values["members"]),
                "gone": tuple((path, tuple(lines)) for path, lines in values["gone"]),
            }
        )
    except (TypeError, KeyError, ValueError):
        log.debug("a cached proposal of %s was not readable and is made again", key)
        return None
