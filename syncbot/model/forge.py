"""Values of the forge room: what a code host holds, what may be asked of it and what was written to it.

Nothing here knows which forge it came from. Texts are as strangers wrote them: whoever shows one escapes it. Times are
aware and in UTC. A value that a listing does not tell is None, never a guess.
"""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import dataclass
from enum import StrEnum

BODY_LIMIT = 65_536
TITLE_LIMIT = 256


class Secret:
    """A token or a key. Printing, formatting or comparing it shows nothing; only `reveal` does."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a secret is not pickled or copied")

    def reveal(self) -> str:
        """Return the text itself, for the one place that sends it."""
        return self._text

    def fingerprint(self) -> str:
        """Return 16 hex digits that tell two secrets apart and give neither away (file names, comparisons)."""
        return hashlib.blake2b(self._text.encode(), digest_size=8, person=b"syncbot").hexdigest()

    def scrub(self, text: str) -> str:
        """Return ``text`` with every occurrence of the secret replaced by ``***``."""
        return text.replace(self._text, "***") if self._text else text


class Permission(StrEnum):
    """What an account, or the token itself, may do in a repository. ``unknown``: nobody could say."""

    ADMIN = "admin"
    MAINTAIN = "maintain"
    WRITE = "write"
    TRIAGE = "triage"
    READ = "read"
    NONE = "none"
    UNKNOWN = "unknown"

    @property
    def may_write(self) -> bool:
        """Whether pushing a branch is allowed; ``unknown`` is no permission."""
        return self in (Permission.ADMIN, Permission.MAINTAIN, Permission.WRITE)


class PullState(StrEnum):
    """Where a pull request stands; drafts are ``open``."""

    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


class IssueState(StrEnum):
    """Where an issue stands."""

    OPEN = "open"
    CLOSED = "closed"


class CheckState(StrEnum):
    """What one check of a commit says; ``skipped`` covers neutral results."""

    PASSED = "passed"
    FAILED = "failed"
    PENDING = "pending"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person or a bot. ``login`` is None for an account that was deleted."""

    login: str | None
    is_bot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository as the forge describes it to this token.

    ``slug`` is today's ``owner/name``; ``renamed_from`` is the one that was asked for where they differ.
    ``permission`` is the token's own, and ``unknown`` for a workflow's token, of which GitHub does not say it: to try
    is the only way to learn, and a refusal is clear.
    """

    slug: str
    url: str
    clone_url: str
    default_branch: str
    permission: Permission = Permission.UNKNOWN
    private: bool = False
    archived: bool = False
    has_issues: bool = True
    fork_of: str | None = None
    renamed_from: str | None = None

    @property
    def owner(self) -> str:
        """The part of the slug before the slash."""
        return self.slug.partition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request, ours or anybody's.

    ``head_repo`` is None when the fork is gone. ``mergeable`` is told by `Reader.pull` alone, and None even there while
    the forge is still working it out.
    """

    repo: str
    number: int
    url: str
    title: str
    body: str
    state: PullState
    draft: bool
    author: Account
    base: str
    head: str
    head_oid: str
    head_repo: str | None
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    team_reviewers: tuple[str, ...] = ()
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    closed_at: datetime.datetime | None = None
    merged_at: datetime.datetime | None = None
    merge_commit: str | None = None
    mergeable: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPull:
    """What a pull request is opened with. ``head_repo`` None: the branch is in ``repo`` itself."""

    repo: str
    base: str
    head: str
    title: str
    body: str
    head_repo: str | None = None
    draft: bool = True
    maintainers_may_edit: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file of a pull request. ``patch`` is None where the forge leaves it out (binary, or too large)."""

    path: str
    status: str
    added: int
    removed: int
    former_path: str | None = None
    patch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullCommit:
    """One commit of a pull request; logins are None where no account owns the address."""

    oid: str
    message: str
    author: str | None = None
    committer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """An issue (never a pull request)."""

    repo: str
    number: int
    url: str
    title: str
    body: str
    state: IssueState
    author: Account
    labels: tuple[str, ...] = ()
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    closed_at: datetime.datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that a comment links to. ``data`` is None where it cannot be had, and ``problem`` says why."""

    url: str
    data: bytes | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment on an issue or a pull request. ``id`` is the forge's own and edits it.

    ``uploads`` are the files it links to, once somebody fetched them.
    """

    id: str
    url: str
    author: Account
    body: str
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    uploads: tuple[Upload, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One check run or commit status of a head."""

    name: str
    state: CheckState
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many requests are left. ``limited`` False: this forge counts nothing."""

    limited: bool = True
    remaining: int | None = None
    limit: int | None = None
    resets_at: datetime.datetime | None = None

    def allows(self, requests: int) -> bool:
        """Whether ``requests`` more fit. A quota nobody could tell counts as used up."""
        return not self.limited or (self.remaining is not None and self.remaining >= requests)


class Write(StrEnum):
    """The kinds of write a forge knows. Closing, merging and deleting are not among them, on purpose."""

    PUSH = "push"
    OPEN_PULL = "open-pull"
    EDIT_PULL = "edit-pull"
    SET_DRAFT = "set-draft"
    ADD_LABELS = "add-labels"
    REMOVE_LABEL = "remove-label"
    REQUEST_REVIEW = "request-review"
    OPEN_ISSUE = "open-issue"
    EDIT_ISSUE = "edit-issue"
    ADD_COMMENT = "add-comment"
    EDIT_COMMENT = "edit-comment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One write that was sent. ``answered`` False: the answer was lost, so it may have taken effect."""

    kind: Write
    repo: str
    number: int | None
    url: str | None
    at: datetime.datetime
    answered: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenAuth:
    """A personal, fine-grained, installation or Actions token."""

    token: Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class AppAuth:
    """A GitHub App. ``installation`` None: it is looked up from the first repository asked about."""

    app_id: str
    private_key: Secret
    installation: int | None = None


Auth = TokenAuth | AppAuth


class PushOutcome(StrEnum):
    """How a push ended; ``unreachable`` says nothing about whether it took effect."""

    PUSHED = "pushed"
    UNCHANGED = "unchanged"
    LEASE_LOST = "lease-lost"
    REJECTED = "rejected"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class PushResult:
    """What became of one push.

    ``reason`` is the remote's own words, without secrets and control characters; ``hint`` says what to do about it.
    ``found`` is where the branch is instead after a lost lease, None if it is not there.
    """

    outcome: PushOutcome
    branch: str
    oid: str
    reason: str | None = None
    hint: str | None = None
    found: str | None = None

    @property
    def done(self) -> bool:
        """Whether the branch is now at ``oid``."""
        return self.outcome in (PushOutcome.PUSHED, PushOutcome.UNCHANGED)
