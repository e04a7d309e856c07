"""Facts about one workaround on one day, and what is concluded from them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from syncbot.model.landing import FirstRelease, FixReport, Target
from syncbot.model.pins import PinReading, PinSeen
from syncbot.model.project import Carrier, FixClaim, Workaround
from syncbot.model.words import Choice, Confidence, Fit, Stage, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class FixFacts:
    """A recorded fix and what the upstream's history says of it; ``problem`` instead of a report where it says nothing.

    ``counts``: neither refuted nor abandoned, so it is waited for.
    """

    claim: FixClaim
    report: FixReport | None
    counts: bool
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PinFacts:
    """A pin today, and its readings along the downstream's history, oldest first, today's among them."""

    reading: PinReading
    past: tuple[PinSeen, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """How far a workaround is on the branch: ``found`` and ``lost`` name its places, ``reason`` how that was told.

    ``stale``: what a patch or a branch carries does not apply strictly any more.
    """

    fit: Fit
    found: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    reason: str | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything a decision about one workaround rests on. ``today`` is the day asked about.

    ``head`` is the downstream commit looked at. ``sights`` says for each of the workaround's carriers, in their order,
    how far it is there. ``was_there``: it is there now, the introducing commit is in the history of ``head``, or a
    removal is recorded. ``releases`` are the upstream's releases known that day, in version order.
    """

    workaround: Workaround
    today: dt.date
    head: str
    sights: tuple[Sight, ...]
    was_there: bool
    fixes: tuple[FixFacts, ...] = ()
    pins: tuple[PinFacts, ...] = ()
    releases: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Has:
    """Whether a target has what the workaround waits for, its fixes taken together; ``why`` names the deciding one."""

    verdict: Verdict
    confidence: Confidence
    why: str | None = None

    @property
    def surely(self) -> bool:
        """The fix is there, strongly."""
        return self.verdict is Verdict.CONTAINED and self.confidence is Confidence.STRONG

    @property
    def surely_not(self) -> bool:
        """The fix is not there, strongly."""
        return self.verdict in (Verdict.ABSENT, Verdict.REVERTED) and self.confidence is Confidence.STRONG


@dataclass(frozen=True, slots=True, kw_only=True)
class PinStanding:
    """A pin and whether it has the fix; ``once`` is an earlier text of the pin that had it, where it has not now."""

    reading: PinReading
    has: Has
    once: str | None = None
    since: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """When the fix was merged, first released, and reached every gating pin (days; None: not yet, or not known)."""

    merged: dt.date | None = None
    released: dt.date | None = None
    pinned: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do about one carrier, with the reasons in words and the next step in one sentence."""

    carrier: Carrier
    sight: Sight
    choice: Choice
    reasons: tuple[str, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a workaround stands: stage, pins, dates, and a decision for each carrier."""

    facts: Facts
    stage: Stage
    stage_reasons: tuple[str, ...]
    pins: tuple[PinStanding, ...]
    dates: Dates
    first_release: FirstRelease
    decisions: tuple[Decision, ...]
