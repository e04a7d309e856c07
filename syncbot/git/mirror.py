"""Mirrors: bare clones without file contents, kept in the cache folder and owned by syncbot.

A mirror has the branches and tags of its remote and none of its pull request refs. It is fetched only when ``git
ls-remote`` shows a change, follows branches and tags that moved, and drops those that went. File contents come when
they are asked for, in one request (`Mirror.prefetch`); reading itself never fetches.

Whole or not there: a clone is made beside its place and renamed when it is complete. One process at a time writes to a
mirror, and what a killed one left is cleared by the next. A mirror that cannot be read is made anew. So the folder may
be deleted, or lost in any state, at the price of time.
"""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from syncbot.git.clone import Clone, open_clone
from syncbot.git.lock import held
from syncbot.git.remote import Remote, could_not
from syncbot.git.run import Access, Git, GitError, safe_ref
from syncbot.git.url import Address, redact
from syncbot.git.view import plain_view
from syncbot.git.watch import Progress, watch
from syncbot.model.errors import CouldNotError, SyncbotError, UsageError

log = logging.getLogger(__name__)

_QUIETLY = ("--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--progress")
_REFSPECS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_FETCH_REFS = ("fetch", *_QUIETLY, "--prune", "--", "origin", *_REFSPECS)
# Without negotiation: which commits both sides have says nothing about single objects.
_FETCH_OBJECTS = ("-c", "fetch.negotiationAlgorithm=noop", "fetch", *_QUIETLY, "--stdin", "--", "origin")
_CLONE = ("clone", "--bare", "--filter=blob:none", "--no-local", "--origin=origin", "--template=", "--progress")
# Its only use is to notice, at no cost, that the remote's default branch is another one now.
_HEAD_SEEN = "refs/syncbot/head"
_MANY_PACKS = 40
_GC_SECONDS = 1800.0
_NOT_OURS = re.compile(r"not our ref ([0-9a-f]{40,64})")
_ROUNDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A mirror on this machine. ``fetched``: whether opening it brought anything new."""

    path: Path
    remote: Remote
    fetched: bool
    wait: float

    def clone(self, *, progress: Progress | None = None) -> Clone:
        """Return it as a clone to read, whose runners can `Git.bring` the contents of files here.

        What cannot be brought stays missing, with a warning: one answer less is no reason to give none. After a
        failure it does not try again.
        """
        reachable = True

        def bring(oids: Collection[str]) -> None:
            nonlocal reachable
            if not reachable:
                return
            try:
                self.prefetch(oids, progress=progress)
            except SyncbotError as error:
                reachable = False
                log.warning("%s; answers that need the contents of files may be unknown", error)

        return replace(open_clone(self.path), bring=bring)

    def missing(self, oids: Iterable[str]) -> list[str]:
        """Return those of ``oids`` (object ids) that are not here, each once, in order."""
        wanted = list(dict.fromkeys(oids))
        if not wanted:
            return []
        answers = plain_view(self.path, self.path).lines("cat-file", "--batch-check", stdin=_stdin(wanted))
        return [oid for oid, answer in zip(wanted, answers, strict=True) if answer.endswith(" missing")]

    def prefetch(self, oids: Iterable[str], *, progress: Progress | None = None) -> frozenset[str]:
        """Bring the objects ``oids`` here in one request and return those the remote would not give.

        Asks nothing when all are here. Raises `TryLaterError` when the remote cannot be reached.
        """
        # An id of zeros is how git says that there is no object.
        wanted = [safe_ref(oid) for oid in oids if oid.strip("0")]
        if not self.missing(wanted):
            return frozenset()
        refused: set[str] = set()
        with held(_lock_path(self.path), wait=self.wait) as lock:
            # Asked again under the lock: the process before this one may have brought them. And a server names only
            # the first object it has not got, then gives none; so it goes on until nothing is left to ask for.
            for _ in range(_ROUNDS):
                wanted = [oid for oid in self.missing(wanted) if oid not in refused]
                if not wanted:
                    break
                try:
                    self.talk(*_FETCH_OBJECTS, stdin=_stdin(wanted), progress=progress, lock=lock)
                except GitError as error:
                    named = _NOT_OURS.search(error.stderr)
                    if named is None or named[1] not in wanted:
                        log.info("%s gives no single objects: %s", self.remote.address.host, error.stderr)
                        break
                    refused.add(named[1])
        return frozenset(refused.union(self.missing(wanted)))

    def git(self, access: Access) -> Git:
        """Return a runner on the mirror itself, for what changes it; `clone` is for reading."""
        # Named outright: a person's configuration may forbid bare repositories that are merely found.
        return Git(self.path, access).with_env(GIT_DIR=str(self.path))

    def talk(self, *args: str, lock: int, progress: Progress | None = None, stdin: bytes = b"") -> bytes:
        """Run a git command that talks to the remote, holding ``lock``; errors as `Remote.run` raises them."""
        return self.remote.run(self.git(Access.NETWORK), *args, progress=progress, stdin=stdin, inherit=(lock,))


def open_mirror(
    folder: Path,
    remote: Remote,
    *,
    refresh: bool = True,
    rebuild: bool = False,
    progress: Progress | None = None,
    wait: float = 900.0,
) -> Mirror:
    """Return the mirror of ``remote`` in ``folder``, cloned or brought up to date first.

    ``refresh`` False takes one that is already there as it is. ``rebuild`` makes it anew, for a caller that met an
    object it cannot read; opening checks commits, and finds no damaged tree. ``wait``: seconds to wait while another
    process writes to it. Raises `TryLaterError` when the host cannot be reached or the wait is over, `UsageError` when
    the host refuses or has no such repository, `CouldNotError` when git fails for another reason.
    """
    path = folder / mirror_name(remote.address)
    mirror = Mirror(path=path, remote=remote, fetched=False, wait=wait)
    if not (refresh or rebuild) and _is_whole(mirror):
        return mirror
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with held(_lock_path(path), wait=wait) as lock:
            _sweep(path)
            fetched = None if rebuild else _update_or_doubt(mirror, refresh, progress, lock)
            if fetched is None:
                _clone(mirror, progress, lock)
            return replace(mirror, fetched=fetched is not False)
    except GitError as error:
        raise could_not(remote, error) from None
    except OSError as error:
        raise CouldNotError(
            f"cannot keep mirrors in {folder} ({error.strerror or error}); SYNCBOT_CACHE names another cache folder"
        ) from error


def mirror_name(address: Address) -> str:
    """Return the folder name for ``address``: readable, safe, and its own for each URL."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(filter(None, (address.host, address.slug)))).strip(".-")
    return f"{readable[:80] or 'local'}-{hashlib.sha256(address.url.encode()).hexdigest()[:12]}.git"


def _update_or_doubt(mirror: Mirror, refresh: bool, progress: Progress | None, lock: int) -> bool | None:
    """Return whether something new came, or None where only a new clone helps."""
    if not _is_whole(mirror):
        return None
    try:
        return refresh and _update(mirror, progress, lock)
    except GitError as error:
        log.warning("the mirror %s could not be brought up to date and is made anew: %s", mirror.path, error)
        return None


def _clone(mirror: Mirror, progress: Progress | None, lock: int) -> None:
    """Clone beside the mirror's place and put it there when it is whole, in place of one that is not."""
    path, url = mirror.path, mirror.remote.address.url
    log.info("cloning %s", redact(url))
    work = Path(tempfile.mkdtemp(prefix=f"{path.name}.tmp-", dir=path.parent))
    try:
        git, command = Git(work, Access.NETWORK), (*_CLONE, "--", url, str(work / "clone"))
        mirror.remote.run(git, *command, progress=progress, inherit=(lock,))
        if path.exists():
            path.rename(work / "old")
        (work / "clone").rename(path)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _update(mirror: Mirror, progress: Progress | None, lock: int) -> bool:
    listing = mirror.talk("ls-remote", "--quiet", "--refs", "--heads", "--tags", "origin", lock=lock)
    theirs = set(listing.decode("utf-8", "replace").splitlines())
    shape = "--format=%(objectname)%09%(refname)"
    ours = set(mirror.git(Access.READ).lines("for-each-ref", shape, "refs/heads", "refs/tags"))
    if ours == theirs:
        return False
    log.info("fetching %s", redact(mirror.remote.address.url))
    try:
        mirror.talk(*_FETCH_REFS, f"+HEAD:{_HEAD_SEEN}", progress=progress, lock=lock)
        _follow_head(mirror, lock)
    except GitError as error:
        if "remote ref HEAD" not in error.stderr:
            raise
        # Its HEAD names a branch that is not there; the branches and tags are.
        mirror.talk(*_FETCH_REFS, progress=progress, lock=lock)
    _tidy(mirror, lock)
    return True


def _follow_head(mirror: Mirror, lock: int) -> None:
    """Point HEAD at the remote's default branch if it is not what the remote's HEAD was seen at."""
    here = mirror.git(Access.WRITE)
    head, seen = (here.text("rev-parse", "--verify", "--quiet", ref, ok=(0, 1)) for ref in ("HEAD", _HEAD_SEEN))
    if head == seen:
        return
    answer = mirror.talk("ls-remote", "--quiet", "--symref", "origin", "HEAD", lock=lock)
    for line in answer.decode("utf-8", "replace").splitlines():
        if named := re.fullmatch(r"ref: (refs/heads/\S+)\tHEAD", line):
            here.run("symbolic-ref", "HEAD", safe_ref(named[1]))


def _tidy(mirror: Mirror, lock: int) -> None:
    """Keep reading fast however often it was fetched; what only an old tag reached stays, it can be asked about."""
    here = mirror.git(Access.WRITE).with_env(GIT_ALLOW_PROTOCOL="none")
    gc = ("gc", "--quiet", "--no-prune")
    try:
        here.run("pack-refs", "--all")
        if len(list((mirror.path / "objects" / "pack").glob("*.pack"))) > _MANY_PACKS:
            watch(here, *gc, patience=_GC_SECONDS, inherit=(lock,))
    except GitError as error:
        log.info("the mirror %s could not be tidied: %s", mirror.path, error)


def _is_whole(mirror: Mirror) -> bool:
    """Whether it is the mirror of this address and every commit its refs reach can be read."""
    if not mirror.path.exists():
        return False
    try:
        clone = mirror.clone()
        url = mirror.git(Access.READ).text("config", "--local", "remote.origin.url")
        # The commit graph would answer without a look at the commits.
        clone.git().run("-c", "core.commitGraph=false", "rev-list", "--count", "--all")
    except (GitError, UsageError, OSError) as error:
        log.warning("the mirror %s is damaged and will be made anew: %s", mirror.path, error)
        return False
    if url != mirror.remote.address.url:
        log.warning("the mirror %s is one of %s and will be made anew", mirror.path, redact(url))
        return False
    return True


def _sweep(path: Path) -> None:
    """Clear what killed processes left. Call with the lock: then no git that would still use it is alive."""
    for stale in path.parent.glob(f"{path.name}.tmp-*"):
        shutil.rmtree(stale, ignore_errors=True)
    for pattern in ("*.lock", "refs/**/*.lock", "objects/info/**/*.lock", "objects/pack/tmp_*", "objects/**/tmp_obj_*"):
        for leftover in path.glob(pattern):
            leftover.unlink(missing_ok=True)


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _stdin(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode()
