"""Reading from GitHub. Each method costs what `syncbot.forge.ports` says and never writes."""

from __future__ import annotations

import datetime
import itertools
import urllib.parse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from github.GithubObject import NotSet

from syncbot.forge import attachments
from syncbot.forge import github_values as values
from syncbot.forge.errors import ForgeError, NotFoundError, RefusedError
from syncbot.forge.github import GitHubConnection
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
    Quota,
    Repository,
)

if TYPE_CHECKING:
    from github.Repository import Repository as GhRepository

_ACTIONS_BOT = Account(login="github-actions[bot]", is_bot=True)
_T = TypeVar("_T")


class GitHubReader:
    """Reads from GitHub; see `syncbot.forge.ports.Reader`."""

    def __init__(self, connection: GitHubConnection) -> None:
        self._at = connection
        self._permissions: dict[tuple[str, str], Permission] = {}

    def identity(self) -> Account:
        """Who the token speaks for. A workflow's or an app's may not ask by REST; GraphQL tells it of its bot."""
        if self._at.identity is None:
            try:
                with self._at.look("who the token belongs to"):
                    self._at.identity = values.account(self._at.client.get_user())
            except RefusedError:
                self._at.identity = self._viewer()
        return self._at.identity

    def _viewer(self) -> Account:
        try:
            with self._at.look("whose bot the token is"):
                _, answer = self._at.client.requester.graphql_query("query { viewer { login } }", {})
                login = str(answer["data"]["viewer"]["login"])
        except ForgeError:
            return _ACTIONS_BOT
        return Account(login=login, is_bot=True)

    def quota(self) -> Quota:
        """Requests left, from the last answer's headers; an Enterprise server may count none."""
        wire = self._at.wire
        try:
            with self._at.look("the rate limit"):
                if wire.quota is None:
                    self._at.client.get_rate_limit()
        except NotFoundError:
            return Quota(limited=False)
        if wire.quota is None:
            return Quota()
        remaining, limit, reset = wire.quota
        return Quota(remaining=remaining, limit=limit, resets_at=datetime.datetime.fromtimestamp(reset, datetime.UTC))

    def repository(self, repo: str) -> Repository:
        """Describe a repository."""
        return self._at.repository(repo)[1]

    def open_pulls(self, repo: str, *, since: datetime.datetime | None = None) -> tuple[PullRequest, ...]:
        """Open pull requests, last touched first."""
        found, known = self._at.repository(repo)
        with self._at.look(f"open pull requests of {repo}"):
            listed = found.get_pulls(state="open", sort="updated", direction="desc")
            pulls = (values.pull(item, known.slug) for item in listed)
            return tuple(itertools.takewhile(lambda one: _touched_since(one, since), pulls))

    def pulls_of_branch(self, repo: str, branch: str, *, head_repo: str | None = None) -> tuple[PullRequest, ...]:
        """Pull requests from one branch, in any state, newest first."""
        found, known = self._at.repository(repo)
        from_repo = self._at.repository(head_repo)[1].slug if head_repo is not None else known.slug
        owner = from_repo.partition("/")[0]
        with self._at.look(f"pull requests of {repo} from {owner}:{branch}"):
            pulls = [values.pull(item, known.slug) for item in found.get_pulls(state="all", head=f"{owner}:{branch}")]
        # GitHub ignores a head it cannot read and lists everything; and a fork that is gone has no name any more.
        return tuple(one for one in pulls if one.head == branch and one.head_repo in (from_repo, None))

    def pulls_saying(self, repo: str, text: str) -> tuple[PullRequest, ...]:
        """Pull requests in any state whose body holds ``text``, by GitHub's search."""
        found, known = self._at.repository(repo)
        phrase = text.replace("\\", " ").replace('"', " ")
        with self._at.look(f"pull requests of {repo} that say {text!r}"):
            hits = self._at.client.search_issues(f'"{phrase}" in:body type:pr repo:{known.slug}')
            numbers = sorted({hit.number for hit in hits}, reverse=True)
            pulls = [values.pull(found.get_pull(number).complete(), known.slug) for number in numbers]
        return tuple(one for one in pulls if text in one.body)

    def pull(self, repo: str, number: int) -> PullRequest:
        """One pull request in full."""
        found, known = self._at.repository(repo)
        with self._at.look(f"{repo}#{number}"):
            return values.pull(found.get_pull(number).complete(), known.slug, full=True)

    def pull_files(self, repo: str, number: int) -> tuple[ChangedFile, ...]:
        """What a pull request changes."""
        return self._list(
            repo, f"the files of {repo}#{number}", lambda found: found.get_pull(number).get_files(), values.changed_file
        )

    def pull_file(self, repo: str, number: int, path: str) -> tuple[bytes | None, bytes | None]:
        """A file before and after a pull request; by commit ids alone, so that no name of a branch is in an address."""
        found, _ = self._at.repository(repo)
        with self._at.look(f"where {repo}#{number} left its base"):
            pull = found.get_pull(number).complete()
            base = found.compare(pull.base.sha, pull.head.sha).merge_base_commit.sha
        return self._content(found, repo, path, base), self._content(found, repo, path, pull.head.sha)

    def _content(self, found: GhRepository, repo: str, path: str, oid: str) -> bytes | None:
        try:
            with self._at.look(f"{path!r} in {repo}@{oid[:12]}"):
                answer = found.get_contents(urllib.parse.quote(path), ref=oid)
                if isinstance(answer, list):
                    return None
                return answer.sha.encode() if answer.type == "submodule" else answer.decoded_content
        except NotFoundError:
            return None

    def pull_commits(self, repo: str, number: int) -> tuple[PullCommit, ...]:
        """The commits of a pull request, oldest first."""
        return self._list(
            repo,
            f"the commits of {repo}#{number}",
            lambda found: found.get_pull(number).get_commits(),
            values.pull_commit,
        )

    def issue(self, repo: str, number: int) -> Issue:
        """One issue; a pull request of that number is not found."""
        found, known = self._at.repository(repo)
        with self._at.look(f"issue {repo}#{number}"):
            answer = found.get_issue(number).complete()
            if answer.pull_request is None:
                return values.issue(answer, known.slug)
        raise NotFoundError(f"issue {repo}#{number}: that number is a pull request")

    def issues(
        self, repo: str, *, state: IssueState | None = IssueState.OPEN, labels: Sequence[str] = ()
    ) -> tuple[Issue, ...]:
        """Issues with all of ``labels``, newest first."""
        found, known = self._at.repository(repo)
        with self._at.look(f"issues of {repo}"):
            listed = found.get_issues(state=state.value if state else "all", labels=list(labels) if labels else NotSet)
            # An issue has no key `pull_request`, and asking PyGithub for one that is not there is a request each.
            return tuple(values.issue(item, known.slug) for item in listed if "/pull/" not in item.html_url)

    def comments(self, repo: str, number: int, *, since: datetime.datetime | None = None) -> tuple[Comment, ...]:
        """Comments on an issue or pull request, oldest first."""
        # PyGithub writes the hour of any zone as if it were UTC.
        after = since.astimezone(datetime.UTC) if since is not None else NotSet
        return self._list(
            repo,
            f"the comments of {repo}#{number}",
            lambda found: found.get_issue(number).get_comments(after),
            values.comment,
        )

    def attachment(self, repo: str, url: str) -> bytes:
        """The file behind the link of an attachment."""
        _, known = self._at.repository(repo)
        parts = urllib.parse.urlsplit(known.url)
        return attachments.fetch(url, f"{parts.scheme}://{parts.netloc}", timeout=self._at.wire.timeout)

    def permission(self, repo: str, login: str) -> Permission:
        """What an account may do in a repository; asked once a run."""
        found, known = self._at.repository(repo)
        key = (known.slug, login.lower())
        if key not in self._permissions:
            try:
                with self._at.look(f"what {login!r} may do in {repo}"):
                    self._permissions[key] = values.permission(found.get_collaborator_permission(login))
            except NotFoundError:
                self._permissions[key] = Permission.NONE
            except RefusedError:
                self._permissions[key] = Permission.UNKNOWN
        return self._permissions[key]

    def checks(self, repo: str, oid: str) -> tuple[CheckResult, ...]:
        """Check runs and commit statuses of a commit, by name."""
        found, _ = self._at.repository(repo)
        with self._at.look(f"the checks of {repo}@{oid[:12]}"):
            commit = found.get_commit(oid)
            runs = [values.check_run(run) for run in commit.get_check_runs()]
            statuses = [values.commit_status(status) for status in commit.get_combined_status().statuses]
        return tuple(sorted((*runs, *statuses), key=lambda check: check.name))

    def compare_url(self, repo: str, base: str, branch: str, *, head_repo: str | None = None) -> str:
        """The page on which a person opens a pull request."""
        _, known = self._at.repository(repo)
        head = f"{head_repo.replace('/', ':')}:{branch}" if head_repo and head_repo != known.slug else branch
        return f"{known.url}/compare/{urllib.parse.quote(base)}...{urllib.parse.quote(head, safe=':/')}?expand=1"

    def _list(
        self, repo: str, what: str, listing: Callable[[GhRepository], Any], value: Callable[[Any], _T]
    ) -> tuple[_T, ...]:
        found, _ = self._at.repository(repo)
        with self._at.look(what):
            return tuple(value(item) for item in listing(found))


def _touched_since(pull: PullRequest, since: datetime.datetime | None) -> bool:
    return since is None or pull.updated_at is None or pull.updated_at >= since
