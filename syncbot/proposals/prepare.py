"""From a decision to one deterministic commit: the same workaround on the same base gives the same commit id again.

A `Workshop` works for one clone, in scratch objects in front of it, so the clone gains nothing. Answers are cached by
everything they follow from; the objects themselves are made again only when something is to be pushed (`build`).
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import asdict
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
from syncbot.proposals.taken import taken_out
from syncbot.render.branch import branch_name
from syncbot.render.commit import is_ours, message_of

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
    """Makes proposals' commits in front of one clone. ``version`` is the program's: another one may edit otherwise."""

    def __init__(
        self, clone: Clone, *, proposals: Proposals, sign_off: bool, version: str, cache: Keeps | None
    ) -> None:
        self.clone = clone
        # Seen through its view: nothing in the clone's own configuration has a say.
        self.store = Scratch(clone.git().directory)
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
        known = self._cache.get_json(_CACHE, [name]).get(name) if self._cache is not None else None
        if known is not None and (read := _read(key, known)) is not None:
            return read
        made = self.build(key, workaround, repo=repo, base=base, base_oid=base_oid)
        if isinstance(made, Prepared) and self._cache is not None:
            self._cache.put_json(_CACHE, {name: _written(made)})
        return made

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

    def edit_id(self, diff: bytes) -> str:
        """Return the stable patch-id of what `diff` gave: without context a moved base alone does not change it."""
        return self.store.git.text("patch-id", "--stable", stdin=diff).partition(" ")[0]

    def _edited(self, key: Key, workaround: Workaround, base_oid: str) -> tuple[EditResult, str | None]:
        commit, direction, note = _what(key, workaround)
        self._bring(base_oid, commit)
        removal = workaround.removal if commit == workaround.introduced.commit else None
        return run_engine(self.store, direction=direction, commit=commit, onto=base_oid, removal=removal), note

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

    def _name(self, key: Key, workaround: Workaround, repo: str, base: str, base_oid: str) -> str:
        what = (self._version, str(key), workaround, repo, base, base_oid, self._sign_off)
        who = (self._proposals.identity_name, self._proposals.identity_email, self._proposals.title)
        return hashlib.sha256(repr((what, who)).encode()).hexdigest()

    # -- how a commit that is out there meets today's base ----------------------------------------------------------

    def meets(self, record: Record, prepared: Prepared, tip: str) -> tuple[bool | None, int | None]:
        """Return whether the proposal's commit ``tip`` merges into today's base, and how far that has moved."""
        if record.base == prepared.base_oid:
            return True, 0
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

    def made_by_us(self, oid: str, workaround: str) -> bool | None:
        """Whether the commit is one the bot made and nobody amended; None where it is not here."""
        if not self.has(oid):
            return None
        text = self.store.git.text("log", "-1", "--format=%ce%x00%ae%x00%B", oid)
        committer, author, message = text.split("\0", 2)
        ours = self._proposals.identity_email
        return (committer, author) == (ours, ours) and is_ours(message, workaround)

    def pusher(self) -> Git:
        """Return a runner that can push what was built here."""
        git = Git(self.clone.git().directory, Access.NETWORK)
        return git.with_env(
            GIT_OBJECT_DIRECTORY=str(self.store.objects),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=str((self.clone.common_dir / "objects").resolve()),
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
                "gone": tuple((path, tuple(lines)) for path, lines in values["gone"]),
            }
        )
    except (TypeError, KeyError, ValueError):
        log.debug("a cached proposal of %s was not readable and is made again", key)
        return None
