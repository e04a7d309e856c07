"""The rows of a report: what every format shows, in words and links, cleaned of what a stranger could hide in it.

These classes are the published form too: docs/schema/report.json is made from them, so a field is added, never renamed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from syncbot.model.checks import CheckKind, Direction, Judgement
from syncbot.model.words import CarriedAs, Choice, Confidence, Cures, Fit, Needs, PinMove, Stage, Verdict

SCHEMA = "syncbot.report/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """A change in some repository: its number or short commit, where to read it (null: nowhere known), and its day."""

    label: str
    url: str | None = None
    commit: str | None = None
    date: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """Neighbouring releases with the same answer. ``why`` is in words, ``commands`` repeat it with plain git.

    ``url`` is the page of the commit that shows it, where that is another than the fix itself.
    """

    releases: str
    count: int
    verdict: Verdict
    confidence: Confidence
    why: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRow:
    """An upstream change hoped to cure the defect. ``counts``: neither refuted nor abandoned.

    ``by_line`` is the first release with it on each line. ``evidence`` links what shows whether it cures.
    """

    label: str
    upstream: str
    pull: int | None
    commit: str | None
    url: str | None
    title: str | None
    merged: dt.date | None
    cures: Cures
    counts: bool
    by: str | None = None
    evidence: str | None = None
    note: str | None = None
    first_release: str | None = None
    first_released: dt.date | None = None
    first_url: str | None = None
    by_line: tuple[ChangeRow, ...] = ()
    answers: tuple[AnswerRow, ...] = ()
    problem: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRow:
    """A pin's move: from and to as written, how it went, the upstream commits lost and gained, and what moved it.

    ``verdict`` is of the workaround it is shown with: whether the pin then had the fix.
    """

    date: dt.date
    old: str | None
    new: str | None
    move: PinMove
    lost: int | None
    gained: int | None
    floating: bool
    change: ChangeRow
    title: str
    verdict: Verdict | None = None
    confidence: Confidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PinRow:
    """A pin today. ``since`` is the day it got the fix; ``had_it_as``: an earlier text had it, this one has not."""

    name: str
    gating: bool
    ref: str | None
    floating: bool
    verdict: Verdict
    confidence: Confidence
    why: str | None = None
    since: dt.date | None = None
    had_it_as: str | None = None
    problem: str | None = None
    moves: tuple[MoveRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierRow:
    """One place where the workaround lives: how it meets the branch today and what follows."""

    carried: CarriedAs
    name: str | None
    branch: str | None
    fit: Fit
    decision: Choice
    next: str
    reasons: tuple[str, ...]
    found: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRow:
    """From ``date`` on it stood so, told from git history with what is known today about which change cures."""

    date: dt.date
    stage: Stage
    decision: Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """Something that happened on a day, in words."""

    date: dt.date
    kind: str
    text: str
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One figure of a check: the change without the workaround in per cent, its interval, and what may pass."""

    name: str
    level: str
    direction: Direction
    baseline: float
    candidate: float
    change: float
    low: float | None
    high: float | None
    tolerance: float
    unit: str
    runs: tuple[int, int]
    verdict: Judgement
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One line of the checklist with its answer."""

    name: str
    kind: CheckKind
    title: str
    required: bool
    verdict: Judgement
    reasons: tuple[str, ...] = ()
    metrics: tuple[MetricRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRow:
    """What was offered: its kind (removal, restore, refresh), its state, where it is, and the day it reached it."""

    kind: str
    state: str
    label: str
    url: str | None = None
    date: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """A dated remark of a person."""

    date: dt.date
    text: str
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DaysRow:
    """Counted in days to the removal, or to the report's day: ``past_pin`` is the removal lag. Null: not so far."""

    carried: int | None = None
    past_fix: int | None = None
    past_release: int | None = None
    past_pin: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Everything shown of one workaround. ``stage``, ``fit``, ``decision``, ``next`` and ``reasons`` are those of
    ``syncbot status``. ``overdue``: it could go, and has been so for longer than the project allows.
    """

    id: str
    title: str
    why: str
    owner: str | None
    downstream: str
    issue: str | None
    stage: Stage
    fit: Fit
    decision: Choice
    next: str
    reasons: tuple[str, ...]
    overdue: bool
    needs: Needs
    floor: str | None
    introduced: ChangeRow | None
    removed: ChangeRow | None
    merged: dt.date | None
    released: dt.date | None
    pinned: dt.date | None
    days: DaysRow
    first_release: str | None
    by_line: tuple[ChangeRow, ...] = ()
    carriers: tuple[CarrierRow, ...] = ()
    fixes: tuple[FixRow, ...] = ()
    pins: tuple[PinRow, ...] = ()
    events: tuple[EventRow, ...] = ()
    past: tuple[PastRow, ...] = ()
    checks: tuple[CheckRow, ...] = ()
    proposals: tuple[ProposalRow, ...] = ()
    notes: tuple[NoteRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """A column of a matrix."""

    ref: str
    line: str | None
    date: dt.date | None
    prerelease: bool
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """``count`` neighbouring columns with the same verdict, from column ``first`` (counted from 0) on."""

    first: int
    count: int
    verdict: Verdict
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One fix over all releases; ``words`` says the runs in a sentence, ``cures`` what its workarounds claim of it."""

    label: str
    title: str | None
    url: str | None
    cures: tuple[Cures, ...]
    workarounds: tuple[str, ...]
    runs: tuple[RunRow, ...]
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The fixes of one upstream by its releases, in version order. ``notes`` are true of more than one of them."""

    upstream: str
    releases: tuple[ReleaseRow, ...]
    rows: tuple[MatrixRow, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """How many were carried from ``date`` on, how many of them overdue, and how many in each stage.

    ``remembered``: as the bot saw it that day; else rebuilt from git history.
    """

    date: dt.date
    carried: int
    overdue: int
    stages: Mapping[str, int]
    remembered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures that matter. Medians are days over the workarounds they apply to; null where there are none."""

    total: int
    carried: int
    overdue: int
    stages: Mapping[str, int]
    decisions: Mapping[str, int]
    overdue_by_owner: Mapping[str, int]
    claims_refuted: int
    pins_fell_back: int
    median_carried: float | None
    median_past_release: float | None
    median_past_pin: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PinHistory:
    """Every move of one pin, oldest first."""

    name: str
    upstream: str
    downstream: str
    gating: bool
    moves: tuple[MoveRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """A downstream and the commit that was looked at."""

    name: str
    label: str
    commit: str
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole report. ``made_at`` is a moment in UTC, ``as_of`` the day it speaks of, ``every_hours`` how often one is
    made, ``overdue_after_days`` how long a workaround may outlive its reason. Rows are in order of urgency. ``shard``:
    only that part of everything (``3/40``).
    """

    schema: str = SCHEMA
    title: str
    made_at: dt.datetime
    as_of: dt.date
    every_hours: float
    overdue_after_days: int
    figures: Figures
    rows: tuple[Row, ...]
    matrices: tuple[Matrix, ...] = ()
    pins: tuple[PinHistory, ...] = ()
    trend: tuple[TrendPoint, ...] = ()
    sources: tuple[SourceRow, ...] = ()
    problems: tuple[str, ...] = field(default=())
    shard: str | None = None
