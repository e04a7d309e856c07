"""Values of proposals: what is offered, under which key, what was prepared, and what the forge holds of it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from syncbot.model.edit import EditResult, FileEdit, Outcome, Repair
from syncbot.model.forge import Comment, Issue, PullRequest
from syncbot.model.words import Choice


class ProposalKind(StrEnum):
    """What a proposal does with a workaround; a bundle is the removal of several."""

    REMOVAL = "removal"
    RESTORE = "restore"
    REFRESH = "refresh"
    BUNDLE = "bundle"


# What a workaround may be proposed for; a bundle is of several.
OF_ONE = (ProposalKind.REMOVAL, ProposalKind.RESTORE, ProposalKind.REFRESH)

KIND_OF = {
    Choice.REMOVE: ProposalKind.REMOVAL,
    Choice.RESTORE: ProposalKind.RESTORE,
    Choice.REFRESH: ProposalKind.REFRESH,
}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Key:
    """What there is at most one open proposal for: never a version. ``carrier`` only where a workaround has several.

    For a bundle ``workaround`` is the bundle's own name.
    """

    kind: ProposalKind
    workaround: str
    carrier: str | None = None

    def __str__(self) -> str:
        return "/".join(part for part in (self.kind.value, self.workaround, self.carrier) if part)


class Progress(StrEnum):
    """How far a hand-off is."""

    PREPARED = "prepared"
    SUBMITTED = "submitted"
    MERGED = "merged"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a body says to programs: the one line that makes a text ours, and what it was written for.

    ``topic`` is a key, or a word of its own for an issue without one. ``title`` is the last that was written, so that
    a person's title is told from ours. ``todo`` names what was not done yet when the text was written. ``readied`` is
    the edit for which the bot took the draft mark off, ``answered`` the id of the last comment that was granted, and
    ``pull`` the pull request a person made of a hand-off.
    """

    topic: str
    edit: str = ""
    base: str = ""
    head: str = ""
    evidence: str = ""
    title: str = ""
    todo: tuple[str, ...] = ()
    readied: str = ""
    answered: str = ""
    progress: str = ""
    pull: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An edit as one commit on today's base. ``edit`` is its patch-id without context: a moved base leaves it alone.

    ``repo`` is proposed to, ``base`` its branch. The objects exist only after
    `syncbot.proposals.prepare.Workshop.build`. ``gone`` are the lines it takes out and puts in nowhere else in their
    file, by path, without blanks around them: what somebody else's change is compared with. ``members`` are the ids of
    a bundle's workarounds. ``onto`` is the commit that a carried branch is brought onto, ``pushes`` that its own branch
    is to be set there with no proposal.
    """

    key: Key
    repo: str
    branch: str
    base: str
    base_oid: str
    head: str
    edit: str
    outcome: Outcome
    message: str
    files: tuple[FileEdit, ...] = ()
    repairs: tuple[Repair, ...] = ()
    note: str | None = None
    gone: tuple[tuple[str, tuple[str, ...]], ...] = ()
    members: tuple[str, ...] = ()
    onto: str | None = None
    pushes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """A proposal is due and no verified edit was found; ``result`` says where it got stuck, if the engine ran."""

    key: Key
    reason: str
    result: EditResult | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing left to do rather than no way to do it."""
        return self.result is not None and self.result.outcome is Outcome.EMPTY


class State(StrEnum):
    """What the forge holds for one key. ``unknown``: a look-up failed, so nothing is done."""

    NONE = "none"
    OTHERS = "others"
    OPEN = "open"
    PUSHED = "pushed"
    DECLINED = "declined"
    MERGED = "merged"
    SUBMITTED = "submitted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What people asked of one proposal by comment, label or tick box; the latest word counts.

    ``until`` with ``held``: the last day of the hold, None for ever. ``by`` names who asked, ``comment`` is the id of
    the comment that asks for a rebase.
    """

    held: bool = False
    until: dt.date | None = None
    rebase: bool = False
    reopen: bool = False
    by: str | None = None
    comment: str = ""

    def holds(self, today: dt.date) -> bool:
        """Whether a person asked to leave it alone today."""
        return self.held and (self.until is None or today <= self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the forge holds for one key.

    ``pull`` is ours, or the person's; ``issue`` the hand-off's. ``tip`` is where the branch is now, None if it is not
    there. ``merges`` and ``distance`` say how its commit meets today's base, None where nobody could tell. ``said``
    holds the marks of the comments the bot made there, ``trusted`` those comments with results in them whose authors
    may write. ``problem`` goes with ``unknown``.
    """

    state: State
    pull: PullRequest | None = None
    issue: Issue | None = None
    record: Record | None = None
    tip: str | None = None
    merges: bool | None = None
    distance: int | None = None
    trusted: tuple[Comment, ...] = ()
    said: frozenset[str] = frozenset()
    wish: Wish = Wish()
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """What is written about one key, rendered before anything is planned.

    ``opening`` is the whole text of a new proposal (or of a hand-off's issue), ``settled`` the same once nothing is due
    any more (None: nothing is due after opening); ``current`` the text that is there with
    the bot's regions renewed, ``rebuilt`` the same for the commit that was prepared on today's base; both None where
    nothing is there yet. ``withdrawn`` is the comment that says why it is not right any more.
    """

    title: str
    opening: str
    settled: str | None = None
    current: str | None = None
    rebuilt: str | None = None
    withdrawn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An issue of the bot's own about one workaround: ``topic`` is its key, ``body`` what it should say today."""

    topic: str
    title: str
    body: str
    evidence: str
