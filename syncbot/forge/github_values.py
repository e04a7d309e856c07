"""From PyGithub's objects to our values. Touches only what a listing holds: anything else would be a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from syncbot.model.forge import (
    Account,
    ChangedFile,
    CheckResult,
    CheckState,
    Comment,
    Issue,
    IssueState,
    Permission,
    PullCommit,
    PullRequest,
    PullState,
    Repository,
)

if TYPE_CHECKING:
    from github.AuthenticatedUser import AuthenticatedUser
    from github.CheckRun import CheckRun
    from github.Commit import Commit
    from github.CommitStatus import CommitStatus
    from github.File import File
    from github.Issue import Issue as GhIssue
    from github.IssueComment import IssueComment
    from github.NamedUser import NamedUser
    from github.Organization import Organization
    from github.PullRequest import PullRequest as GhPull
    from github.Repository import Repository as GhRepository

_RUN_STATES = {
    "success": CheckState.PASSED,
    "neutral": CheckState.SKIPPED,
    "skipped": CheckState.SKIPPED,
    "stale": CheckState.PENDING,
}
_STATUS_STATES = {"success": CheckState.PASSED, "pending": CheckState.PENDING}


def _body(text: str | None) -> str:
    """A body with plain line ends: GitHub's web editor saves others, and every comparison would see a change."""
    return (text or "").replace("\r\n", "\n")


def account(user: NamedUser | Organization | AuthenticatedUser | None) -> Account:
    """A user, or nobody where the account was deleted."""
    if user is None:
        return Account(login=None)
    return Account(login=user.login, is_bot=user.type == "Bot" or user.login.endswith("[bot]"))


def repository(found: GhRepository, asked: str) -> Repository:
    """A repository in full; ``asked`` is the name it was asked by."""
    permissions: Any = found.permissions
    return Repository(
        slug=found.full_name,
        url=found.html_url,
        clone_url=found.clone_url,
        default_branch=found.default_branch,
        permission=_own_permission(permissions.raw_data if permissions is not None else None),
        private=found.private,
        archived=bool(found.archived),
        has_issues=found.has_issues is not False,
        fork_of=found.parent.full_name if found.fork and found.parent is not None else None,
        renamed_from=asked if found.full_name.lower() != asked.lower() else None,
    )


def _own_permission(flags: dict[str, bool] | None) -> Permission:
    """What the token may do. The flags are those of a user: for an app's or a workflow's token all are false."""
    ranks = {
        "admin": Permission.ADMIN,
        "maintain": Permission.MAINTAIN,
        "push": Permission.WRITE,
        "triage": Permission.TRIAGE,
        "pull": Permission.READ,
    }
    return next((permission for flag, permission in ranks.items() if flags and flags.get(flag)), Permission.UNKNOWN)


def permission(role: str) -> Permission:
    """The word GitHub has for a collaborator's permission."""
    try:
        return Permission(role)
    except ValueError:
        return Permission.UNKNOWN


def pull(found: GhPull, repo: str, *, full: bool = False) -> PullRequest:
    """A pull request; ``full`` if it was asked for by number, so that it tells whether it merges."""
    state = PullState.MERGED if found.merged_at else PullState(found.state)
    head_repo: GhRepository | None = found.head.repo
    return PullRequest(
        repo=repo,
        number=found.number,
        url=found.html_url,
        title=found.title,
        body=_body(found.body),
        state=state,
        draft=bool(found.draft),
        author=account(found.user),
        base=found.base.ref,
        head=found.head.ref,
        head_oid=found.head.sha,
        head_repo=head_repo.full_name if head_repo is not None else None,
        labels=tuple(label.name for label in found.labels),
        reviewers=tuple(sorted(person.login for person in found.requested_reviewers or ())),
        team_reviewers=tuple(sorted(team.slug for team in found.requested_teams or ())),
        created_at=found.created_at,
        updated_at=found.updated_at,
        closed_at=found.closed_at,
        merged_at=found.merged_at,
        merge_commit=found.merge_commit_sha if state is PullState.MERGED else None,
        mergeable=found.mergeable if full else None,
    )


def issue(found: GhIssue, repo: str) -> Issue:
    """An issue."""
    return Issue(
        repo=repo,
        number=found.number,
        url=found.html_url,
        title=found.title,
        body=_body(found.body),
        state=IssueState(found.state),
        author=account(found.user),
        labels=tuple(label.name for label in found.labels),
        created_at=found.created_at,
        updated_at=found.updated_at,
        closed_at=found.closed_at,
    )


def comment(found: IssueComment) -> Comment:
    """A comment on an issue or a pull request."""
    return Comment(
        id=str(found.id),
        url=found.html_url,
        author=account(found.user),
        body=_body(found.body),
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def changed_file(found: File) -> ChangedFile:
    """One file of a pull request. GitHub leaves whole keys out here, so the raw answer is read."""
    raw = found.raw_data
    return ChangedFile(
        path=raw["filename"],
        status=raw["status"],
        added=raw["additions"],
        removed=raw["deletions"],
        former_path=raw.get("previous_filename"),
        patch=raw.get("patch"),
    )


def pull_commit(found: Commit) -> PullCommit:
    """One commit of a pull request."""
    author: NamedUser | None = found.author
    committer: NamedUser | None = found.committer
    return PullCommit(
        oid=found.sha,
        message=found.commit.message,
        author=author.login if author is not None else None,
        committer=committer.login if committer is not None else None,
    )


def check_run(found: CheckRun) -> CheckResult:
    """A check run; one that has not ended is pending, one that ended in any unlisted way failed."""
    state = _RUN_STATES.get(found.conclusion, CheckState.FAILED) if found.status == "completed" else CheckState.PENDING
    return CheckResult(name=found.name, state=state, url=found.html_url)


def commit_status(found: CommitStatus) -> CheckResult:
    """A commit status, as services without check runs set it."""
    return CheckResult(
        name=found.context, state=_STATUS_STATES.get(found.state, CheckState.FAILED), url=found.target_url or None
    )
