"""Writing to GitHub. Each method is one request inside `GitHubConnection.write`, with every read it needs before it."""

from __future__ import annotations

import logging
import urllib.parse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from github.GithubObject import NotSet

from syncbot.forge import github_values as values
from syncbot.forge.errors import NotFoundError
from syncbot.forge.github import GitHubConnection
from syncbot.forge.texts import measure
from syncbot.model.errors import UsageError
from syncbot.model.forge import Comment, Issue, IssueState, NewPull, PullRequest

if TYPE_CHECKING:
    from github.Issue import Issue as GhIssue
    from github.PullRequest import PullRequest as GhPull

_log = logging.getLogger(__name__)


class GitHubWriter:
    """Writes to GitHub; see `syncbot.forge.ports.Writer`."""

    def __init__(self, connection: GitHubConnection) -> None:
        self._at = connection

    def _issue(self, repo: str, number: int) -> GhIssue:
        return self._at.repository(repo)[0].get_issue(number)

    def _pull(self, repo: str, number: int) -> GhPull:
        return self._at.repository(repo)[0].get_pull(number)

    def open_pull(self, new: NewPull) -> PullRequest:
        """Open a pull request."""
        found, known = self._at.repository(new.repo)
        source = self._at.repository(new.head_repo)[1] if new.head_repo is not None else known
        what = f"open a pull request in {new.repo} from {source.owner}:{new.head}"
        measure(what, title=new.title, body=new.body)
        with self._at.write(what):
            made = found.create_pull(
                base=new.base,
                head=new.head if source is known else f"{source.owner}:{new.head}",
                # Two forks under one owner share the short form; their names tell them apart.
                head_repo=source.slug.partition("/")[2]
                if source.owner == known.owner != "" and source is not known
                else NotSet,
                title=new.title,
                body=new.body,
                draft=new.draft,
                maintainer_can_modify=new.maintainers_may_edit if source is not known else NotSet,
            )
            return values.pull(made, known.slug)

    def edit_pull(
        self, repo: str, number: int, *, title: str | None = None, body: str | None = None, base: str | None = None
    ) -> None:
        """Change only the fields that are given."""
        what = f"edit {repo}#{number}"
        measure(what, title=title, body=body)
        pull = self._pull(repo, number)
        with self._at.write(what):
            pull.edit(title=_given(title), body=_given(body), base=_given(base))

    def set_draft(self, repo: str, number: int, *, draft: bool) -> bool:
        """Make it a draft or ready for review, unless it is already."""
        pull = self._pull(repo, number)
        with self._at.look(f"{repo}#{number}"):
            if pull.complete().draft is draft:
                return False
            pull.node_id  # noqa: B018 - read here, since reading it below would be a request inside the write
        with self._at.write(f"make {repo}#{number} {'a draft' if draft else 'ready for review'}"):
            if draft:
                pull.convert_to_draft()
            else:
                pull.mark_ready_for_review()
        return True

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        """Add labels to an issue or pull request."""
        issue = self._issue(repo, number)
        with self._at.write(f"label {repo}#{number} {', '.join(labels)}"):
            issue.add_to_labels(*labels)

    def remove_label(self, repo: str, number: int, label: str) -> None:
        """Take one label off."""
        issue = self._issue(repo, number)
        try:
            with self._at.write(f"take the label {label} off {repo}#{number}"):
                # PyGithub leaves a slash in the name as it is, and the label would not be found.
                path = f"{issue.url}/labels/{urllib.parse.quote(label, safe='')}"
                self._at.client.requester.requestJsonAndCheck("DELETE", path)
        except NotFoundError:
            _log.info("%s#%s has no label %s", repo, number, label)

    def request_review(self, repo: str, number: int, *, people: Sequence[str] = (), teams: Sequence[str] = ()) -> None:
        """Ask people and teams to review."""
        pull = self._pull(repo, number)
        with self._at.write(f"ask for review of {repo}#{number}"):
            pull.create_review_request(
                reviewers=list(people) if people else NotSet, team_reviewers=list(teams) if teams else NotSet
            )

    def open_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str] = ()) -> Issue:
        """Open an issue."""
        found, known = self._at.repository(repo)
        what = f"open an issue in {repo}"
        measure(what, title=title, body=body)
        with self._at.write(what):
            return values.issue(found.create_issue(title=title, body=body, labels=list(labels)), known.slug)

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
        what = f"edit {repo}#{number}"
        measure(what, title=title, body=body)
        issue = self._issue(repo, number)
        with self._at.write(what):
            issue.edit(title=_given(title), body=_given(body), state=_given(state.value if state else None))

    def add_comment(self, repo: str, number: int, body: str) -> Comment:
        """Comment on an issue or pull request."""
        what = f"comment on {repo}#{number}"
        measure(what, body=body)
        issue = self._issue(repo, number)
        with self._at.write(what):
            return values.comment(issue.create_comment(body))

    def edit_comment(self, repo: str, number: int, comment: str, body: str) -> None:
        """Replace the text of a comment."""
        what = f"edit a comment on {repo}#{number}"
        measure(what, body=body)
        if not comment.isascii() or not comment.isdigit():
            raise UsageError(f"{comment!r} is not the id of a GitHub comment")
        issue = self._issue(repo, number)
        with self._at.write(what):
            issue.get_comment(int(comment)).edit(body)

    def after_push(self, repo: str, branch: str, *, head_repo: str | None = None) -> None:
        """Do nothing: GitHub saw the push."""


def _given(value: str | None) -> Any:
    return value if value is not None else NotSet
