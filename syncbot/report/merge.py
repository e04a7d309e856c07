"""Reports of several shards as one report of the whole. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from syncbot.model.errors import UsageError
from syncbot.model.report import Matrix, MatrixRow, Report, TrendPoint
from syncbot.model.words import Cures
from syncbot.report.figures import figures
from syncbot.report.past import MOST_POINTS, in_order, with_remembered
from syncbot.report.rows import urgency
from syncbot.shards import Shard, parse_shard


def merged(reports: Mapping[str, Report], *, remembered: Sequence[TrendPoint] = ()) -> tuple[Report, tuple[str, ...]]:
    """The whole from its parts, by the name of the file each came from, and a sentence for each part that is missing.

    Those sentences are among the report's problems too. Figures are counted anew over all rows; the trend is the sum of
    the parts' trends. Raises `UsageError` when there is nothing, when two parts speak of one workaround, and when some
    are parts of another split.
    """
    _check(reports)
    every = list(reports.values())
    rows = sorted((row for each in every for row in each.rows), key=urgency)
    filled = [each for each in every if each.rows] or every  # an empty part knows no day but its own
    as_of = max(each.as_of for each in filled)
    missing = _missing(every)
    return replace(
        every[0],
        shard=None,
        made_at=max(each.made_at for each in every),
        as_of=as_of,
        every_hours=max(each.every_hours for each in every),
        figures=figures(rows),
        rows=tuple(rows),
        matrices=_matrices(matrix for each in every for matrix in each.matrices),
        pins=tuple(
            sorted((pin for each in every for pin in each.pins), key=lambda pin: (not pin.gating, pin.name))
        ),
        trend=with_remembered(_trend([each.trend for each in filled]), remembered, as_of),
        sources=tuple(sorted((source for each in every for source in each.sources), key=lambda source: source.name)),
        problems=tuple(dict.fromkeys([*missing, *(problem for each in every for problem in each.problems)])),
    ), missing  # fmt: skip


def _check(reports: Mapping[str, Report]) -> None:
    if not reports:
        raise UsageError("there is no report to merge")
    problems: list[str] = []
    seen: dict[str, str] = {}
    for name, report in reports.items():
        for row in report.rows:
            if row.id in seen:
                problems.append(f"{name} and {seen[row.id]} both speak of {row.id!r}: one of them is of another run")
            seen[row.id] = name
    if len({_shard(each).of for each in reports.values()}) > 1:
        problems.append("the reports are parts of different splits: " + ", ".join(sorted(map(_told, reports.items()))))
    if problems:
        raise UsageError(*problems)


def _told(item: tuple[str, Report]) -> str:
    return f"{item[0]} is {item[1].shard or 'the whole'}"


def _shard(report: Report) -> Shard:
    return parse_shard(report.shard) if report.shard else Shard(number=1, of=1)


def _missing(reports: Sequence[Report]) -> tuple[str, ...]:
    there = {_shard(each).number for each in reports}
    of = _shard(reports[0]).of
    return tuple(
        f"part {number} of {of} is missing: its job wrote no report, so its workarounds are not in this one"
        for number in range(1, of + 1)
        if number not in there
    )


def _matrices(every: Iterable[Matrix]) -> tuple[Matrix, ...]:
    """The matrices of one upstream with the same columns as one; a release between two jobs leaves two of them."""
    found: dict[tuple[str, object], Matrix] = {}
    for matrix in every:
        key = matrix.upstream, matrix.releases
        held = found.get(key)
        found[key] = matrix if held is None else _joined(held, matrix)
    return tuple(sorted(found.values(), key=lambda matrix: matrix.upstream))


def _joined(one: Matrix, other: Matrix) -> Matrix:
    rows = {row.label: row for row in one.rows}
    for row in other.rows:
        held = rows.get(row.label)
        rows[row.label] = row if held is None else _same(held, row)
    notes = tuple(dict.fromkeys((*one.notes, *other.notes)))
    return replace(one, rows=tuple(sorted(rows.values(), key=_number)), notes=notes)


def _same(one: MatrixRow, other: MatrixRow) -> MatrixRow:
    """One fix that two workarounds in two parts wait for."""
    return replace(
        one,
        cures=tuple(cures for cures in Cures if cures in {*one.cures, *other.cures}),
        workarounds=tuple(sorted({*one.workarounds, *other.workarounds})),
    )


def _number(row: MatrixRow) -> tuple[int, str]:
    digits = row.label.rpartition("#")[2]
    return (int(digits) if digits.isdecimal() else 0), row.label


def _trend(parts: Sequence[Sequence[TrendPoint]]) -> tuple[TrendPoint, ...]:
    """The sum: a part counts from each of its points on until its next."""
    days = sorted({point.date for part in parts for point in part})
    if len(days) > MOST_POINTS:
        step = (days[-1] - days[0]) / (MOST_POINTS - 1)
        days = sorted({days[0] + step * number for number in range(MOST_POINTS)} | {days[-1]})
    return tuple(_sum([_at(part, day) for part in parts], day) for day in days)


def _at(part: Sequence[TrendPoint], day: dt.date) -> TrendPoint | None:
    return next((point for point in reversed(part) if point.date <= day), None)


def _sum(points: Sequence[TrendPoint | None], day: dt.date) -> TrendPoint:
    there = [point for point in points if point is not None]
    stages: dict[str, int] = {}
    for point in there:
        for stage, count in point.stages.items():
            stages[stage] = stages.get(stage, 0) + count
    return TrendPoint(
        date=day,
        carried=sum(point.carried for point in there),
        overdue=sum(point.overdue for point in there),
        stages=in_order(stages),
        remembered=any(point.remembered for point in there),
    )
