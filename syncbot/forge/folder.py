"""The folder forge: proposals, issues and comments as files beside bare git repositories, for working without a token.

Layout, below one root: ``OWNER/NAME/`` with ``repository.git``, ``proposals/NNNN-words/`` and ``issues/NNNN-words/``.
A proposal's folder is ready for the person who submits it: ``body.md``, ``change.patch`` (for ``git am``) and
``commands.md``. People act by editing ``state`` and ``draft`` in ``proposal.toml``, or by adding a file to
``comments/``.

What needs git is asked of a `Branches`, which `syncbot.git.bare` is; this room runs no git itself. This module holds
what reading and writing share: who writes, and how an entry on disk becomes a value.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from syncbot.forge import folder_files as files
from syncbot.model.errors import CouldNotError, UsageError
from syncbot.model.forge import Account, ChangedFile, Comment, Issue, IssueState, PullCommit, PullRequest, PullState

BOT = Account(login="syncbot", is_bot=True)
PERSON = Account(login="you")


class Branches(Protocol):
    """What the folder forge asks of the bare repositories beside it. Unknown repositories and branches give None."""

    def location(self, repo: str) -> Path:
        """Return where the bare repository of ``repo`` is, or would be."""

    def default_branch(self, repo: str) -> str | None:
        """Return its default branch; None if there is no such repository."""

    def head(self, repo: str, branch: str) -> str | None:
        """Return the commit a branch is at."""

    def commits(self, repo: str, base: str, oid: str) -> tuple[PullCommit, ...]:
        """Return the commits of ``oid`` that ``base`` lacks, oldest first."""

    def files(self, repo: str, base: str, oid: str) -> tuple[ChangedFile, ...]:
        """Return what those commits change."""

    def file(self, repo: str, base: str, oid: str, path: str) -> tuple[bytes | None, bytes | None]:
        """Return what is at ``path`` before those commits and at ``oid``; None where nothing is."""

    def patch(self, repo: str, base: str, oid: str) -> bytes:
        """Return those commits as ``git am`` takes them."""

    def merges(self, repo: str, base: str, oid: str) -> bool | None:
        """Return whether they merge into ``base`` without a conflict; None if ``base`` is not there."""


def place_of_repository(root: Path, repo: str) -> Path:
    """Return where the bare repository of ``repo`` belongs, for `syncbot.git.bare.BareRepositories`."""
    return files.repository_folder(root, repo) / "repository.git"


def pull_value(repo: str, entry: files.Entry, head_of: Callable[[str, str], str | None]) -> PullRequest:
    """Read a proposal; raises `CouldNotError` naming a file it cannot read.

    ``head_of`` tells where a branch of a repository is now. As on GitHub, an open proposal follows its branch, and does
    not outlive it.
    """
    table = entry.table
    file = entry.folder / "proposal.toml"
    try:
        state = PullState(table["state"])
        head_repo = table.get("head_repo", repo)
        oid = head_of(head_repo, table["head"]) if state is PullState.OPEN else None
        if oid is None and state is PullState.OPEN:
            state = PullState.CLOSED
        ended = None if state is PullState.OPEN else files.touched(file)
        return PullRequest(
            repo=repo,
            number=entry.number,
            url=entry.folder.as_uri(),
            title=table["title"],
            body=entry.body,
            state=state,
            draft=bool(table.get("draft", False)),
            author=_account(table),
            base=table["base"],
            head=table["head"],
            head_oid=oid or table["head_oid"],
            head_repo=head_repo,
            labels=tuple(table.get("labels", ())),
            reviewers=tuple(table.get("reviewers", ())),
            team_reviewers=tuple(table.get("team_reviewers", ())),
            created_at=table.get("created_at"),
            updated_at=table.get("updated_at"),
            closed_at=ended,
            merged_at=ended if state is PullState.MERGED else None,
            merge_commit=table.get("merge_commit"),
        )
    except (KeyError, ValueError, TypeError, UsageError) as error:
        raise CouldNotError(f"{file}: {_explain(error)}") from None


def _account(table: Any) -> Account:
    login = table.get("author", PERSON.login)
    return BOT if login == BOT.login else Account(login=login)


def _explain(error: Exception) -> str:
    return f"the key {error} is missing" if isinstance(error, KeyError) else str(error)


def issue_value(repo: str, entry: files.Entry) -> Issue:
    """Read an issue; raises `CouldNotError` naming a file it cannot read."""
    table = entry.table
    file = entry.folder / "issue.toml"
    try:
        state = IssueState(table["state"])
        return Issue(
            repo=repo,
            number=entry.number,
            url=entry.folder.as_uri(),
            title=table["title"],
            body=entry.body,
            state=state,
            author=_account(table),
            labels=tuple(table.get("labels", ())),
            created_at=table.get("created_at"),
            updated_at=table.get("updated_at"),
            closed_at=files.touched(file) if state is IssueState.CLOSED else None,
        )
    except (KeyError, ValueError, TypeError) as error:
        raise CouldNotError(f"{file}: {_explain(error)}") from None


def comment_value(path: Path) -> Comment:
    """Read a comment; a file without a table is the person's own."""
    table, body = files.parse_comment(path.read_text(encoding="utf-8", errors="replace"))
    written = files.touched(path)
    return Comment(
        id=path.name,
        url=path.as_uri(),
        author=_account(table),
        body=body,
        created_at=table.get("created_at", written),
        updated_at=table.get("updated_at", written),
    )
