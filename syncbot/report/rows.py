"""From standings to the rows of a report. Pure: the time of making is given, nothing is looked up.

Every text that came from outside is made harmless here, once, for all formats: one line, no control, format or
bidirectional characters, not longer than a person reads.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from syncbot.checks.arms import level_text
from syncbot.model.checks import Judged
from syncbot.model.checks import Row as Measured
from syncbot.model.pins import Move, PinReading
from syncbot.model.project import Pin, Project, Repo
from syncbot.model.report import (
    CarrierRow,
    ChangeRow,
    CheckRow,
    DaysRow,
    MetricRow,
    MoveRow,
    NoteRow,
    PastRow,
    PinHistory,
    PinRow,
    ProposalRow,
    Report,
    Row,
    SourceRow,
    TrendPoint,
)
from syncbot.model.status import Decision, Facts, PinStanding, Standing
from syncbot.model.words import Choice
from syncbot.policy import foremost, has, is_overdue
from syncbot.render.text import plain
from syncbot.report.events import events
from syncbot.report.figures import figures
from syncbot.report.fixes import by_line, fix_row, matrices
from syncbot.report.links import change, web
from syncbot.report.past import THERE, Past, history, trend, with_remembered

TITLE, TEXT, WORD = 160, 2000, 80
_URGENCY = (Choice.RESTORE, Choice.REMOVE, Choice.REVIEW, Choice.REFRESH, Choice.UNSURE, Choice.KEEP, Choice.DONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a report rests on. ``made_at`` has a time zone; ``moves`` are by pin, ``judged`` and ``proposals`` by
    workaround; ``remembered`` is the trend a memory kept; ``since`` starts the trend there, told from history alone.
    """

    project: Project
    standings: Sequence[Standing]
    made_at: dt.datetime
    every_hours: float = 24
    moves: Mapping[str, Sequence[Move]] = field(default_factory=dict)
    judged: Mapping[str, Sequence[Judged]] = field(default_factory=dict)
    proposals: Mapping[str, Sequence[ProposalRow]] = field(default_factory=dict)
    remembered: Sequence[TrendPoint] = ()
    since: dt.date | None = None
    problems: Sequence[str] = ()
    shard: str | None = None


def build(given: Given) -> Report:
    """The report: rows in order of urgency, figures, matrices and the trend."""
    project, made_at = given.project, given.made_at.astimezone(dt.UTC).replace(microsecond=0)
    as_of = max((each.facts.today for each in given.standings), default=made_at.date())
    histories = {each.facts.workaround.id: history(each) for each in given.standings}
    rows = sorted((_row(given, each, histories[each.facts.workaround.id]) for each in given.standings), key=urgency)
    return Report(
        title=plain(project.reports.title, TITLE),
        made_at=made_at,
        as_of=as_of,
        every_hours=given.every_hours,
        overdue_after_days=project.reports.overdue_after_days,
        figures=figures(rows),
        rows=tuple(rows),
        matrices=matrices(project, given.standings),
        pins=_pin_histories(given),
        trend=_trend(given, histories, as_of),
        sources=_sources(project, given.standings),
        problems=tuple(plain(each, TEXT) for each in given.problems),
        shard=given.shard,
    )


def urgency(row: Row) -> tuple[object, ...]:
    """A key to sort rows by: overdue first, the longest at the head, then by what is to be done, then by id."""
    return (not row.overdue, -(row.days.past_pin or 0) if row.overdue else 0, _URGENCY.index(row.decision), row.id)


def _trend(given: Given, histories: Mapping[str, Sequence[Past]], as_of: dt.date) -> tuple[TrendPoint, ...]:
    pairs = [(each.facts.workaround, histories[each.facts.workaround.id]) for each in given.standings]
    after = given.project.reports.overdue_after_days
    rebuilt = trend(pairs, since=given.since, today=as_of, overdue_after=after)
    return rebuilt if given.since is not None else with_remembered(rebuilt, given.remembered, as_of)


def _sources(project: Project, standings: Sequence[Standing]) -> tuple[SourceRow, ...]:
    heads = {each.facts.workaround.downstream: each.facts.head for each in standings}
    return tuple(
        SourceRow(
            name=name,
            label=plain(project.downstreams[name].repo.label, WORD),
            commit=commit,
            url=change(project.downstreams[name].repo, commit=commit),
        )
        for name, commit in sorted(heads.items())
    )


def _row(given: Given, standing: Standing, pasts: Sequence[Past]) -> Row:
    facts, dates, first = standing.facts, standing.dates, foremost(standing)
    workaround, project = facts.workaround, given.project
    repo = project.downstreams[workaround.downstream].repo
    days = _days(standing)
    upstream = project.upstreams[facts.fixes[0].claim.upstream].repo if facts.fixes else None
    fixes = tuple(fix_row(project, fix) for fix in facts.fixes)
    pins = tuple(_pin(given, facts, pin) for pin in standing.pins)
    introduced = _change(repo, workaround.introduced.pull, workaround.introduced.commit, workaround.introduced.date)
    gone = workaround.removed
    removed = _change(repo, gone.pull, gone.commit, gone.date) if gone is not None else None
    proposals = tuple(given.proposals.get(workaround.id, ()))
    notes = tuple(NoteRow(date=each.date, text=plain(each.text, TEXT), by=_word(each.by)) for each in workaround.notes)
    lines = by_line(upstream, facts.releases, standing.first_release)
    told = events(workaround, introduced, removed, fixes, lines, pins, proposals, notes)
    overdue = is_overdue(standing, project.reports.overdue_after_days)
    return Row(
        id=plain(workaround.id, WORD),
        title=plain(workaround.title, TITLE),
        why=plain(" ".join(workaround.why.split()), TEXT),
        owner=_word(workaround.owner),
        downstream=workaround.downstream,
        issue=web(workaround.issue),
        stage=standing.stage,
        fit=first.sight.fit,
        decision=first.choice,
        next=plain(first.next, TEXT),
        reasons=tuple(plain(each, TEXT) for each in first.reasons),
        overdue=overdue,
        needs=workaround.needs,
        floor=_word(workaround.floor),
        introduced=introduced,
        removed=removed,
        merged=dates.merged,
        released=dates.released,
        pinned=dates.pinned,
        days=days,
        first_release=_word(standing.first_release.by_date),
        by_line=lines,
        carriers=tuple(map(_carrier, standing.decisions)),
        fixes=fixes,
        pins=pins,
        events=tuple(each for each in told if each.date <= facts.today),
        past=tuple(PastRow(date=each.date, stage=each.stage, decision=each.decision) for each in pasts),
        checks=tuple(check_row(each) for each in given.judged.get(workaround.id, ())),
        proposals=proposals,
        notes=notes,
    )


def _word(text: str | None) -> str | None:
    return plain(text, WORD) if text else None


def _change(repo: Repo, pull: int | None, commit: str | None, day: dt.date | None) -> ChangeRow | None:
    if pull is None and commit is None and day is None:
        return None
    label = f"#{pull}" if pull is not None else (commit or "")[:9] or "an unnamed change"
    return ChangeRow(label=label, url=change(repo, pull=pull, commit=commit), commit=commit, date=day)


def _days(standing: Standing) -> DaysRow:
    """Days count to the removal; of what is gone on a day nobody recorded, nothing can be counted."""
    facts, dates = standing.facts, standing.dates
    workaround = facts.workaround
    carried = any(decision.sight.fit in THERE for decision in standing.decisions)
    end = facts.today if carried else workaround.removed.date if workaround.removed else None

    def since(day: dt.date | None) -> int | None:
        return (end - day).days if end is not None and day is not None and day <= end else None

    return DaysRow(
        carried=since(workaround.introduced.date),
        past_fix=since(dates.merged),
        past_release=since(dates.released),
        past_pin=since(dates.pinned),
    )


def _carrier(decision: Decision) -> CarrierRow:
    carrier, sight = decision.carrier, decision.sight
    return CarrierRow(
        carried=carrier.carried,
        name=_word(carrier.name),
        branch=_word(carrier.branch),
        fit=sight.fit,
        decision=decision.choice,
        next=plain(decision.next, TEXT),
        reasons=tuple(plain(each, TEXT) for each in decision.reasons),
        found=tuple(plain(each, TEXT) for each in sight.found),
        lost=tuple(plain(each, TEXT) for each in sight.lost),
    )


def _pin(given: Given, facts: Facts, pin: PinStanding) -> PinRow:
    reading = pin.reading
    configured = given.project.pins[reading.name]
    return PinRow(
        name=plain(reading.name, WORD),
        gating=reading.gating,
        ref=_said(reading),
        floating=reading.floating,
        verdict=pin.has.verdict,
        confidence=pin.has.confidence,
        why=plain(pin.has.why, TEXT) if pin.has.why else None,
        since=pin.since,
        had_it_as=_word(pin.once),
        problem=plain(reading.problem, TEXT) if reading.problem else None,
        moves=tuple(_move_with_verdict(facts, configured, move) for move in _telling(given, facts, reading.name)),
    )


def _telling(given: Given, facts: Facts, pin: str) -> Iterable[Move]:
    """The moves since the workaround was introduced, and what the pin said before the first of them."""
    moves = given.moves.get(pin, ())
    start = facts.workaround.introduced.date
    if start is None:
        return moves
    before = [move for move in moves if move.seen.date.date() < start]
    after = [move for move in moves if start <= move.seen.date.date() <= facts.today]
    return (*before[-1:], *after)


def _move_with_verdict(facts: Facts, pin: Pin, move: Move) -> MoveRow:
    reading = move.seen.reading
    then = has(facts.fixes, facts.workaround.needs, None if reading.floating else reading.target)
    return replace(_move(pin, move), verdict=then.verdict, confidence=then.confidence)


def _move(pin: Pin, move: Move) -> MoveRow:
    seen = move.seen
    day = seen.date.date()
    return MoveRow(
        date=day,
        old=_said(move.old),
        new=_said(seen.reading),
        move=move.kind,
        lost=move.lost,
        gained=move.gained,
        floating=seen.reading.floating,
        change=ChangeRow(label=seen.commit[:9], url=change(pin.repo, commit=seen.commit), commit=seen.commit, date=day),
        title=plain(seen.title, TITLE),
    )


def _pin_histories(given: Given) -> tuple[PinHistory, ...]:
    pins = given.project.pins
    return tuple(
        PinHistory(
            name=plain(name, WORD),
            upstream=pins[name].upstream,
            downstream=pins[name].downstream,
            gating=pins[name].gating,
            moves=tuple(_move(pins[name], move) for move in given.moves[name]),
        )
        for name in sorted(given.moves, key=lambda name: (not pins[name].gating, name))
    )


def _said(reading: PinReading | None) -> str | None:
    return plain(reading.text.text, WORD) if reading is not None and reading.text is not None else None


def check_row(judged: Judged) -> CheckRow:
    """A check with its verdict as reports have it: every text plain and of bounded length."""
    return CheckRow(
        name=plain(judged.name, WORD),
        kind=judged.kind,
        title=plain(judged.title, TITLE),
        required=judged.required,
        verdict=judged.verdict,
        reasons=tuple(plain(each, TEXT) for each in judged.reasons),
        metrics=tuple(map(_metric, judged.rows)),
    )


def _metric(row: Measured) -> MetricRow:
    low, high = row.interval
    return MetricRow(
        name=plain(row.name, WORD),
        level=plain(level_text(row.level), WORD),
        direction=row.direction,
        baseline=row.baseline,
        candidate=row.candidate,
        change=_per_cent(row.ratio),
        low=None if low is None else _per_cent(low),
        high=None if high is None else _per_cent(high),
        tolerance=row.tolerance,
        unit=row.unit,
        runs=row.runs,
        verdict=row.verdict,
        reason=plain(row.reason, TEXT),
    )


def _per_cent(ratio: float) -> float:
    return round(100 * (ratio - 1), 4)
