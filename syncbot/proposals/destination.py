"""Where proposals' branches are pushed: a repository on a host, or a bare one of the folder forge."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from syncbot.git.bare import BareRepositories
from syncbot.git.push import push
from syncbot.git.remote import Remote, remote
from syncbot.git.run import Access, Git, GitError, safe_ref
from syncbot.model.errors import SyncbotError, TryLaterError
from syncbot.model.forge import PushResult, Secret

log = logging.getLogger(__name__)
_OURS = "syncbot/"


class Destination(Protocol):
    """What is asked of it. Looking never changes it."""

    def branches(self, git: Git) -> Mapping[str, str]:
        """Return the proposal branches that are there, with their commits, by one ``git ls-remote``."""

    def bring(self, git: Git, branch: str) -> bool:
        """Bring a branch's commits into the object folder of ``git``; False if that failed."""

    def ready(self, *, base: str, oid: str) -> None:
        """Make it able to take a push and proposals to ``base``, which is at ``oid``; before any write."""

    def push(self, git: Git, *, branch: str, oid: str, expected: str | None) -> PushResult:
        """See `syncbot.git.push.push`."""


def _bring(there: Remote, git: Git, branch: str) -> bool:
    quietly = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
    try:
        there.run(git, "fetch", *quietly, "--", there.address.url, f"refs/heads/{safe_ref(branch)}")
    except (SyncbotError, GitError) as error:
        log.info("the commits of %s could not be brought here: %s", branch, error)
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDestination:
    """A repository on a code host, reached by its URL, with a token where there is one."""

    url: str
    token: Secret | None = None
    token_variable: str | None = None

    def _remote(self) -> Remote:
        token = self.token.reveal() if self.token is not None else None
        return remote(self.url, token=token, token_variable=self.token_variable)

    def branches(self, git: Git) -> Mapping[str, str]:
        """See `Destination`. Raises `TryLaterError` when the host cannot be reached."""
        return self._remote().branches(git, _OURS)

    def bring(self, git: Git, branch: str) -> bool:
        """See `Destination`."""
        return _bring(self._remote(), git, branch)

    def ready(self, *, base: str, oid: str) -> None:
        """Nothing to do: the host looks after its repositories."""

    def push(self, git: Git, *, branch: str, oid: str, expected: str | None) -> PushResult:
        """See `Destination`."""
        return push(git, remote=self.url, branch=branch, oid=oid, expected=expected, token=self.token)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderDestination:
    """The bare repository of a folder forge. It borrows the objects of ``clone_objects``; made at the first write.

    ``home`` is a second repository, that of the bot's own issues.
    """

    bare: BareRepositories
    repo: str
    clone_objects: Path
    home: str

    def branches(self, git: Git) -> Mapping[str, str]:
        """See `Destination`."""
        where = self.bare.location(self.repo)
        return remote(str(where), allow_local=True).branches(git, _OURS) if (where / "HEAD").exists() else {}

    def bring(self, git: Git, branch: str) -> bool:
        """See `Destination`."""
        return _bring(remote(str(self.bare.location(self.repo)), allow_local=True), git, branch)

    def ready(self, *, base: str, oid: str) -> None:
        """Make the bare repositories and set the base branch, as somebody else's pushes would."""
        where = self.bare.create(self.repo, default_branch=base, borrow_from=self.clone_objects)
        if self.bare.head(self.repo, base) != oid:
            try:
                Git(where, Access.WRITE).run("update-ref", f"refs/heads/{safe_ref(base)}", oid)
            except GitError as error:
                raise TryLaterError(f"the folder's copy of {base} cannot be set to {oid[:12]}: {error}") from error
        if self.home != self.repo:
            self.bare.create(self.home, default_branch="main")

    def push(self, git: Git, *, branch: str, oid: str, expected: str | None) -> PushResult:
        """See `Destination`."""
        return push(git, remote=self.bare.location(self.repo), branch=branch, oid=oid, expected=expected)
