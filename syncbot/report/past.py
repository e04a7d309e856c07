"""How workarounds stood on past days, told from the facts of today.

Nothing in git's history before a day changes after it: when a fix landed, which releases there were and what a pin
said. So the facts of a past day are a part of today's, and the same policy answers for them, without a second look at
any repository. Two things are taken as they are known today: which change cures, and (where no removal is recorded)
that a workaround which is carried now has been since it was introduced. A pin that follows a branch says nothing about
the past; it is `unknown` there, unless the fix had not even landed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from syncbot.model.landing import FixReport, Target
from syncbot.model.pins import PinReading
from syncbot.model.project import Workaround
from syncbot.model.report import TrendPoint
from syncbot.model.status import Facts, FixFacts, PinFacts, Sight, Standing
from syncbot.model.words import Choice, Fit, Needs, Stage, Verdict
from syncbot.policy import conclude, foremost

MOST_POINTS = 180
THERE = (Fit.PRESENT, Fit.PARTIAL, Fit.CONFLICT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """From ``date`` on a workaround stood so, ``carried`` or not. ``due``: the day since which it could go."""

    date: dt.date
    stage: Stage
    decision: Choice
    carried: bool
    due: dt.date | None


def history(standing: Standing) -> tuple[Past, ...]:
    """Every change of stage or decision since the workaround was introduced, oldest first; empty if no day is known.

    The last one agrees with ``standing``, which says how it is today.
    """
    facts = _slim(standing.facts)
    days = _days(facts)
    found: list[Past] = []
    for now in [*(_past(conclude(facts_on(facts, day)), day) for day in days if day < facts.today), _today(standing)]:
        if not found or replace(found[-1], date=now.date) != now:
            found.append(now)
    return tuple(found) if days else ()


def _today(standing: Standing) -> Past:
    return _past(standing, standing.facts.today)


def _past(standing: Standing, day: dt.date) -> Past:
    first = foremost(standing)
    able = first.choice in (Choice.REMOVE, Choice.REVIEW)
    return Past(
        date=day,
        stage=standing.stage,
        decision=first.choice,
        carried=any(decision.sight.fit in THERE for decision in standing.decisions),
        due=(standing.dates.pinned or day) if able else None,
    )


def facts_on(facts: Facts, day: dt.date) -> Facts:
    """The facts as they were at the end of ``day`` (UTC)."""
    workaround = facts.workaround
    there = _day(workaround.introduced.date) <= day
    gone = workaround.removed is not None and _day(workaround.removed.date) <= day
    sight = Sight(fit=Fit.PRESENT if there and not gone else Fit.ABSENT)
    return replace(
        facts,
        today=day,
        sights=(sight,) * len(facts.sights),
        was_there=there,
        fixes=tuple(_fix_on(fix, day) for fix in facts.fixes),
        pins=tuple(_pin_on(pin, day) for pin in facts.pins),
        releases=tuple(each for each in facts.releases if each.date is None or each.date.date() <= day),
    )


def _day(day: dt.date | None) -> dt.date:
    return day or dt.date.max


def _fix_on(fix: FixFacts, day: dt.date) -> FixFacts:
    report = fix.report
    if report is None or report.merged_at is None or report.merged_at.date() <= day:
        return fix
    then = tuple(each for each in report.answers if each.target.date is None or each.target.date.date() <= day)
    return replace(fix, report=replace(report, commit=None, merged_at=None, notes=(), answers=then))


def _pin_on(pin: PinFacts, day: dt.date) -> PinFacts:
    past = tuple(replace(seen, reading=_reading_on(pin, seen.reading)) for seen in pin.past if seen.date.date() <= day)
    if past:
        return PinFacts(reading=past[-1].reading, past=past)
    gone = PinReading(name=pin.reading.name, gating=pin.reading.gating, problem="it did not exist yet")
    return PinFacts(reading=gone)


def _reading_on(pin: PinFacts, reading: PinReading) -> PinReading:
    if reading.floating and reading.target is not None:
        target = replace(reading.target, commit=None, note="what a branch held on a past day is not asked")
        return replace(reading, gating=pin.reading.gating, target=target)
    return replace(reading, gating=pin.reading.gating)


def _slim(facts: Facts) -> Facts:
    """The same facts without the releases that lack every awaited fix, which cannot change a stage."""
    waited = [fix.report for fix in facts.fixes if fix.counts and fix.report is not None]
    telling = {
        answer.target.commit for report in waited for answer in report.answers if answer.verdict is not Verdict.ABSENT
    }
    floor = facts.workaround.floor
    releases = tuple(
        each
        for each in facts.releases
        if each.commit in telling or (floor is not None and floor in (each.ref, each.version))
    )
    kept = {each.commit for each in releases}
    kept |= {reading.target.commit for pin in facts.pins for reading in _readings(pin) if reading.target is not None}
    fixes = tuple(replace(fix, report=_only(fix.report, kept)) for fix in facts.fixes)
    return replace(facts, releases=releases, fixes=fixes)


def _readings(pin: PinFacts) -> Iterable[PinReading]:
    return (pin.reading, *(seen.reading for seen in pin.past))


def _only(report: FixReport | None, commits: set[str | None]) -> FixReport | None:
    if report is None:
        return None
    return replace(report, answers=tuple(each for each in report.answers if each.target.commit in commits))


def _days(facts: Facts) -> list[dt.date]:
    """The days on which a stage or a decision can change, from the introduction to today."""
    start, workaround = facts.workaround.introduced.date, facts.workaround
    if start is None:
        return []
    days = {start}
    days |= {fix.report.merged_at.date() for fix in facts.fixes if fix.counts and fix.report and fix.report.merged_at}
    days |= {seen.date.date() for pin in facts.pins if pin.reading.gating for seen in pin.past}
    days |= _release_days(facts)
    if workaround.removed is not None and workaround.removed.date is not None:
        days.add(workaround.removed.date)
    return sorted(day for day in days if start <= day <= facts.today)


def _release_days(facts: Facts) -> set[dt.date]:
    """The days of the first release with each awaited fix, of the first with all of them, and of the support floor."""
    waited = [fix.report for fix in facts.fixes if fix.counts and fix.report is not None]
    having = [{each.target.commit for each in report.answers if each.verdict is Verdict.CONTAINED} for report in waited]
    pick = set.union if facts.workaround.needs is Needs.ANY else set.intersection
    groups = [*having, pick(*having)] if having else []
    floor = facts.workaround.floor
    days = {_first(facts.releases, group) for group in groups}
    days |= {_date(each) for each in facts.releases if floor is not None and floor in (each.ref, each.version)}
    return {day for day in days if day is not None}


def _first(releases: Iterable[Target], commits: set[str | None]) -> dt.date | None:
    days = (_date(each) for each in releases if each.commit in commits)
    return min((day for day in days if day is not None), default=None)


def _date(target: Target) -> dt.date | None:
    return target.date.date() if target.date is not None else None


def trend(
    histories: Sequence[tuple[Workaround, Sequence[Past]]], *, since: dt.date | None, today: dt.date, overdue_after: int
) -> tuple[TrendPoint, ...]:
    """The counts from every day on which one changed, from ``since`` (or the first day known) to ``today``.

    At most `MOST_POINTS` points: where there were more changes, evenly spaced days.
    """
    late = dt.timedelta(days=overdue_after + 1)
    days = {past.date for _, pasts in histories for past in pasts}
    days |= {past.due + late for _, pasts in histories for past in pasts if past.due is not None}
    start = since or min(days, default=today)
    days = {day for day in days if start < day < today} | {start, today}
    if len(days) > MOST_POINTS:
        step = (today - start) / (MOST_POINTS - 1)
        days = {start + step * number for number in range(MOST_POINTS)} | {today}
    return tuple(_point(histories, day, late) for day in sorted(days) if day <= today)


def with_remembered(
    rebuilt: tuple[TrendPoint, ...], remembered: Sequence[TrendPoint], as_of: dt.date
) -> tuple[TrendPoint, ...]:
    """The trend with the days that a memory has in the place of those rebuilt; its last point stays as rebuilt."""
    if not remembered:
        return rebuilt
    first = min(point.date for point in remembered)
    kept = [point for point in remembered if point.date < as_of]
    return (*(point for point in rebuilt if point.date < first), *kept, *rebuilt[-1:])


def _point(histories: Sequence[tuple[Workaround, Sequence[Past]]], day: dt.date, late: dt.timedelta) -> TrendPoint:
    stages: dict[str, int] = {}
    carried = overdue = 0
    for _, pasts in histories:
        now = next((past for past in reversed(pasts) if past.date <= day), None)
        if now is None or not now.carried:
            continue
        carried += 1
        stages[now.stage.value] = stages.get(now.stage.value, 0) + 1
        overdue += now.due is not None and now.due + late <= day
    return TrendPoint(date=day, carried=carried, overdue=overdue, stages=in_order(stages))


def in_order(stages: Mapping[str, int]) -> dict[str, int]:
    """The counts in the order of the stages, without those that are none."""
    return {stage.value: stages[stage.value] for stage in Stage if stages.get(stage.value)}
