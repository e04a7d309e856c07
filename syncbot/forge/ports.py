"""What the rest of the program may ask of a code host, and what it may tell it.

Two protocols, so that a dry run is given something that cannot write: a `Reader` has no writing methods at all. There
is no method that merges, closes a pull request or deletes anything.

Both take repositories as ``owner/name`` and return the values of `syncbot.model.forge`; the line ends of bodies are
plain newlines. A method costs the number of requests its docstring names, on a forge that counts them; a listing costs
one for every hundred entries. The first question about a repository costs one more, which finds out whether it was
renamed.

Errors are those of `syncbot.forge.errors`. A question that could not be answered raises; it never answers "nothing".
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Protocol

from syncbot.model.forge import (
    Account,
    ChangedFile,
    CheckResult,
    Comment,
    Issue,
    IssueState,
    NewPull,
    Permission,
    PullCommit,
    PullRequest,
    Quota,
    Repository,
)


class Reader(Protocol):
    """Looks, and cannot touch."""

    def identity(self) -> Account:
        """Who the token speaks for: the author of what the writer makes. One request, asked once."""

    def quota(self) -> Quota:
        """How many requests are left, from the last answer; one request (which is not counted) if there was none."""

    def repository(self, repo: str) -> Repository:
        """Describe a repository. Asked once; a renamed one answers with its name of today."""

    def open_pulls(self, repo: str, *, since: datetime.datetime | None = None) -> tuple[PullRequest, ...]:
        """Open pull requests, last touched first: the one listing that an idle run needs.

        It may be old, by a wrong "not modified": before opening one, ask `pulls_of_branch`, which never is. Nor is any
        other answer, but for files and commits.

        With ``since`` only those touched then or later, and no page beyond them is asked for: a project may have
        thousands.
        """

    def pulls_of_branch(self, repo: str, branch: str, *, head_repo: str | None = None) -> tuple[PullRequest, ...]:
        """Pull requests into ``repo`` from one branch, in any state, newest first. One request."""

    def pulls_saying(self, repo: str, text: str) -> tuple[PullRequest, ...]:
        """Pull requests in any state whose body holds ``text`` exactly.

        A forge's search lags behind by some minutes and asks at most 30 times a minute: `open_pulls` and
        `pulls_of_branch` come first, this finds what neither can. One request, and one for each hit.
        """

    def pull(self, repo: str, number: int) -> PullRequest:
        """One pull request in full, with ``mergeable``. One request."""

    def pull_files(self, repo: str, number: int) -> tuple[ChangedFile, ...]:
        """What a pull request changes, up to the forge's own limit (3,000 files on GitHub)."""

    def pull_file(self, repo: str, number: int, path: str) -> tuple[bytes | None, bytes | None]:
        """A file where a pull request left its base, and at its head; None where it is not, a submodule's id for one.

        Four requests. A file over the forge's limit (1 MB on GitHub) is an error, not None.
        """

    def pull_commits(self, repo: str, number: int) -> tuple[PullCommit, ...]:
        """The commits of a pull request, oldest first, up to the forge's own limit (250 on GitHub)."""

    def issue(self, repo: str, number: int) -> Issue:
        """One issue. One request."""

    def issues(
        self, repo: str, *, state: IssueState | None = IssueState.OPEN, labels: Sequence[str] = ()
    ) -> tuple[Issue, ...]:
        """Issues with all of ``labels``, newest first; ``state`` None means any. Pull requests are left out."""

    def comments(self, repo: str, number: int, *, since: datetime.datetime | None = None) -> tuple[Comment, ...]:
        """Comments on an issue or pull request, oldest first; ``since`` leaves out what was not touched after it."""

    def attachment(self, repo: str, url: str) -> bytes:
        """The file behind a link that the forge made when somebody attached it to a comment. Sends no credential.

        Raises `ForgeError` for any other address and for a file that is too large, besides what any question raises.
        One request, and one for each redirect.
        """

    def permission(self, repo: str, login: str) -> Permission:
        """What an account may do in a repository; ``unknown`` where the token may not ask. One request, asked once."""

    def checks(self, repo: str, oid: str) -> tuple[CheckResult, ...]:
        """Check runs and commit statuses of a commit, by name. Two requests."""

    def compare_url(self, repo: str, base: str, branch: str, *, head_repo: str | None = None) -> str:
        """The page on which a person opens a pull request from ``branch``. No request."""


class Writer(Protocol):
    """Each method is one write. It is sent once; an answer that did not come raises `UnclearWriteError`."""

    def open_pull(self, new: NewPull) -> PullRequest:
        """Open a pull request. Raises `AlreadyExistsError` if one is open from that branch to that base."""

    def edit_pull(
        self, repo: str, number: int, *, title: str | None = None, body: str | None = None, base: str | None = None
    ) -> None:
        """Change only the fields that are given."""

    def set_draft(self, repo: str, number: int, *, draft: bool) -> bool:
        """Make it a draft or ready for review; returns whether that was a change. One read before the write."""

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        """Add labels to an issue or pull request; those it has stay."""

    def remove_label(self, repo: str, number: int, label: str) -> None:
        """Take one label off; one that is not there is no error."""

    def request_review(self, repo: str, number: int, *, people: Sequence[str] = (), teams: Sequence[str] = ()) -> None:
        """Ask people and teams (by slug, without the organisation) to review."""

    def open_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str] = ()) -> Issue:
        """Open an issue."""

    def edit_issue(
        self,
        repo: str,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: IssueState | None = None,
    ) -> None:
        """Change only the fields that are given."""

    def add_comment(self, repo: str, number: int, body: str) -> Comment:
        """Comment on an issue or pull request."""

    def edit_comment(self, repo: str, number: int, comment: str, body: str) -> None:
        """Replace the text of a comment by its id."""

    def after_push(self, repo: str, branch: str, *, head_repo: str | None = None) -> None:
        """Tell the forge that the branch of a pull request into ``repo`` was pushed.

        No request and no write to anybody else: only a forge that keeps files of its own has something to do.
        """
