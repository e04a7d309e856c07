"""Reading the folder forge. Nothing here writes a file or a git object."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from syncbot.forge import folder_files as files
from syncbot.forge.errors import NotFoundError
from syncbot.forge.folder import BOT, Branches, comment_value, issue_value, pull_value
from syncbot.model.forge import (
    Account,
    ChangedFile,
    CheckResult,
    Comment,
    Issue,
    IssueState,
    Permission,
    PullCommit,
    PullRequest,
    PullState,
    Quota,
    Repository,
)


class FolderReader:
    """Reads the folder; see `syncbot.forge.ports.Reader`."""

    def __init__(self, root: Path, branches: Branches) -> None:
        self.root = root
        self._branches = branches

    def identity(self) -> Account:
        """The bot; everything without an author of its own is by the person whose folder this is."""
        return BOT

    def quota(self) -> Quota:
        """A folder counts nothing."""
        return Quota(limited=False)

    def repository(self, repo: str) -> Repository:
        """A repository is there once its bare repository is."""
        branch = self._branches.default_branch(repo)
        if branch is None:
            raise NotFoundError(f"{repo}: no repository at {self._branches.location(repo)}")
        folder = files.repository_folder(self.root, repo)
        return Repository(
            slug=repo,
            url=folder.as_uri(),
            clone_url=str(self._branches.location(repo)),
            default_branch=branch,
            permission=Permission.ADMIN,
        )

    def _folder(self, repo: str) -> Path:
        self.repository(repo)
        return files.repository_folder(self.root, repo)

    def entry(self, repo: str, kind: str, number: int) -> files.Entry:
        """Find a proposal or an issue by number."""
        for entry in files.entries(self._folder(repo), kind):
            if entry.number == number:
                return entry
        raise NotFoundError(f"{repo}: there is no {kind} {number}")

    def _pulls(self, repo: str) -> Iterable[PullRequest]:
        return (self.pull_of(repo, entry) for entry in files.entries(self._folder(repo), "proposal"))

    def pull_of(self, repo: str, entry: files.Entry, *, full: bool = False) -> PullRequest:
        """Read a proposal from its entry; its head is where its branch is now."""
        pull = pull_value(repo, entry, self._branches.head)
        if full and pull.state is PullState.OPEN:
            return replace(pull, mergeable=self._branches.merges(pull.head_repo or repo, pull.base, pull.head_oid))
        return pull

    def open_pulls(self, repo: str, *, since: datetime.datetime | None = None) -> tuple[PullRequest, ...]:
        """Open proposals, last touched first."""
        found = [pull for pull in self._pulls(repo) if pull.state is PullState.OPEN]
        late = [pull for pull in found if since is None or pull.updated_at is None or pull.updated_at >= since]
        return tuple(sorted(late, key=lambda pull: (str(pull.updated_at), pull.number), reverse=True))

    def pulls_of_branch(self, repo: str, branch: str, *, head_repo: str | None = None) -> tuple[PullRequest, ...]:
        """Proposals from one branch, in any state, newest first."""
        return tuple(p for p in self._pulls(repo) if (p.head, p.head_repo) == (branch, head_repo or repo))

    def pulls_saying(self, repo: str, text: str) -> tuple[PullRequest, ...]:
        """Proposals in any state whose body holds ``text``."""
        return tuple(pull for pull in self._pulls(repo) if text in pull.body)

    def pull(self, repo: str, number: int) -> PullRequest:
        """One proposal in full."""
        return self.pull_of(repo, self.entry(repo, "proposal", number), full=True)

    def pull_files(self, repo: str, number: int) -> tuple[ChangedFile, ...]:
        """What a proposal changes."""
        pull = self.pull_of(repo, self.entry(repo, "proposal", number))
        return self._branches.files(pull.head_repo or repo, pull.base, pull.head_oid)

    def pull_file(self, repo: str, number: int, path: str) -> tuple[bytes | None, bytes | None]:
        """A file before and after a proposal."""
        pull = self.pull_of(repo, self.entry(repo, "proposal", number))
        return self._branches.file(pull.head_repo or repo, pull.base, pull.head_oid, path)

    def pull_commits(self, repo: str, number: int) -> tuple[PullCommit, ...]:
        """The commits of a proposal, oldest first."""
        pull = self.pull_of(repo, self.entry(repo, "proposal", number))
        return self._branches.commits(pull.head_repo or repo, pull.base, pull.head_oid)

    def issue(self, repo: str, number: int) -> Issue:
        """One issue."""
        return issue_value(repo, self.entry(repo, "issue", number))

    def issues(
        self, repo: str, *, state: IssueState | None = IssueState.OPEN, labels: Sequence[str] = ()
    ) -> tuple[Issue, ...]:
        """Issues with all of ``labels``, newest first."""
        found = (issue_value(repo, entry) for entry in files.entries(self._folder(repo), "issue"))
        return tuple(one for one in found if state in (None, one.state) and set(labels) <= set(one.labels))

    def commented(self, repo: str, number: int) -> files.Entry:
        """Find what can be commented on: a proposal or an issue."""
        try:
            return self.entry(repo, "proposal", number)
        except NotFoundError:
            return self.entry(repo, "issue", number)

    def comments(self, repo: str, number: int, *, since: datetime.datetime | None = None) -> tuple[Comment, ...]:
        """Comments, oldest first; every file in ``comments/`` is one."""
        where = self.commented(repo, number).folder / "comments"
        paths = (path for path in where.iterdir() if path.is_file() and not path.name.startswith("."))
        found = sorted((comment_value(path) for path in paths), key=lambda one: (str(one.created_at), one.id))
        return tuple(one for one in found if since is None or one.updated_at is None or one.updated_at >= since)

    def attachment(self, repo: str, url: str) -> bytes:  # noqa: ARG002
        """Nobody attaches files to texts in a folder."""
        raise NotFoundError("comments in a folder have no attachments; use `syncbot results attach`")

    def permission(self, repo: str, login: str) -> Permission:  # noqa: ARG002 - the port asks for it
        """Whoever can write into this folder may do everything."""
        return Permission.ADMIN

    def checks(self, repo: str, oid: str) -> tuple[CheckResult, ...]:  # noqa: ARG002
        """Nothing runs here."""
        return ()

    def compare_url(self, repo: str, base: str, branch: str, *, head_repo: str | None = None) -> str:  # noqa: ARG002
        """The folder of the proposal, or of the repository before there is one."""
        found = self.pulls_of_branch(repo, branch, head_repo=head_repo)
        return found[0].url if found else files.repository_folder(self.root, repo).as_uri()
