"""The other drawings of a report: the trend, and the ladder of a check. Pure, in the units of an SVG view box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from syncbot.model.checks import Direction
from syncbot.model.report import CheckRow, Matrix, MetricRow, TrendPoint
from syncbot.model.words import Confidence, Stage, Verdict
from syncbot.report.timeline import Scale, Tick, ticks

WIDTH, HEIGHT, LEFT, BOTTOM = 760, 190, 36, 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """One stage of the trend, stacked: the points of a polygon."""

    style: str
    points: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A value on the upright axis."""

    y: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The trend as a drawing: stacked stages, and a line of what is overdue."""

    width: int
    height: int
    left: float
    right: float
    bottom: float
    areas: tuple[Area, ...]
    line: str
    ticks: tuple[Tick, ...]
    levels: tuple[Level, ...]
    words: str


def chart(points: Sequence[TrendPoint]) -> Chart | None:
    """The trend, drawn as steps: nothing changed between two points. None where there is no stretch of time."""
    if len(points) < 2 or points[0].date == points[-1].date:
        return None
    scale = Scale(points[0].date, points[-1].date, LEFT, WIDTH - 12)
    most = max(1, *(point.carried for point in points), *(point.overdue for point in points))
    rise = (BOTTOM - 12) / most

    def height(value: float) -> float:
        return round(BOTTOM - value * rise, 1)

    areas, below = [], [0] * len(points)
    for stage in Stage:
        counts = [point.stages.get(stage.value, 0) for point in points]
        if not any(counts):
            continue
        above = [low + count for low, count in zip(below, counts, strict=True)]
        upper, lower = _steps(points, scale, above, height), _steps(points, scale, below, height)
        areas.append(Area(style=f"s-{stage.value}", points=" ".join([*upper, *reversed(lower)])))
        below = above
    step = next(each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**6) if most / each <= 5)
    return Chart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - 12,
        bottom=BOTTOM,
        areas=tuple(areas),
        line=" ".join(_steps(points, scale, [point.overdue for point in points], height)),
        ticks=tuple(ticks(scale)),
        levels=tuple(Level(y=height(value), label=str(value)) for value in range(0, most + 1, step)),
        words=f"From {points[0].date} to {points[-1].date}: carried {points[0].carried}, then {points[-1].carried};"
        f" overdue {points[0].overdue}, then {points[-1].overdue}.",
    )


def _steps(
    points: Sequence[TrendPoint], scale: Scale, values: Sequence[int], height: Callable[[float], float]
) -> list[str]:
    found: list[str] = []
    for number, (point, value) in enumerate(zip(points, values, strict=True)):
        x = scale(point.date)
        if number and values[number - 1] != value:
            found.append(f"{x:g},{height(values[number - 1]):g}")
        if not number or values[number - 1] != value or number == len(points) - 1:
            found.append(f"{x:g},{height(value):g}")
    return found


def first_column(matrix: Matrix) -> int:
    """The first column worth drawing: before it, every release surely lacks every fix."""
    leads = [row.runs[0] for row in matrix.rows if row.runs and row.runs[0].count < len(matrix.releases)]
    if not leads or any(run.verdict is not Verdict.ABSENT or run.confidence is Confidence.WEAK for run in leads):
        return 0
    return min(run.count for run in leads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One level of a ladder: the interval from ``low`` to ``high``, the change at ``x``, and both arms in figures."""

    y: float
    low: float
    high: float
    x: float
    label: str
    title: str
    figures: str
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """One metric of a check over its levels. ``allowed`` is where the tolerance ends, None where it has no place."""

    name: str
    height: float
    zero: float
    allowed: float | None
    reach: str
    rungs: tuple[Rung, ...]
    words: str


LADDER_WIDTH, LADDER_LEFT, LADDER_RIGHT = 420, 150, 410


def ladders(check: CheckRow) -> tuple[Ladder, ...]:
    """A drawing for each metric that was measured."""
    return tuple(_ladder(list(rows)) for _, rows in groupby(check.metrics, key=lambda row: row.name))


def _ladder(rows: Sequence[MetricRow]) -> Ladder:
    first = rows[0]
    tolerance = first.tolerance if first.unit == "%" else 0.0
    ends = [abs(end) for row in rows for end in (row.change, row.low, row.high) if end is not None]
    reach = max([*ends, tolerance]) * 1.08 or 1.0

    def place(value: float) -> float:
        share = (min(max(value, -reach), reach) + reach) / (2 * reach)
        return round(LADDER_LEFT + share * (LADDER_RIGHT - LADDER_LEFT), 1)

    rungs = tuple(
        Rung(
            y=30 + 18 * number,
            low=place(row.change if row.low is None else row.low),
            high=place(row.change if row.high is None else row.high),
            x=place(row.change),
            label=row.level,
            title=f"{row.level}: {row.change:+.2f} % ({row.verdict.value}: {row.reason})",
            figures=f"{row.baseline:.5g} → {row.candidate:.5g}, {row.change:+.2f} %",
            style=row.verdict.value,
        )
        for number, row in enumerate(rows)
    )
    worse = -tolerance if first.direction is Direction.HIGHER else tolerance
    told = "; ".join(f"{row.level} {row.change:+.2f} %, {row.verdict.value}" for row in rows)
    return Ladder(
        name=first.name,
        height=34 + 18 * len(rows),
        zero=place(0),
        allowed=place(worse) if first.unit == "%" else None,
        reach=f"{reach:.1f} %",
        rungs=rungs,
        words=f"{first.name}, change without the workaround: {told}",
    )
