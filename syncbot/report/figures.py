"""The figures of a report, and their way into the memory and back."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from syncbot.memory import Figure
from syncbot.model.report import Figures, Report, Row, TrendPoint
from syncbot.model.words import Choice, Cures, Stage
from syncbot.report.past import THERE, in_order

NOBODY = "nobody"


def carried(row: Row) -> bool:
    """Whether some carrier still has it."""
    return any(each.fit in THERE for each in row.carriers)


def figures(rows: Sequence[Row]) -> Figures:
    """Counted over all rows. Stages are counted of what is carried, decisions of all."""
    there = [row for row in rows if carried(row)]
    late = Counter(row.owner or NOBODY for row in rows if row.overdue)
    decisions = Counter(row.decision for row in rows)
    refuted = {
        (fix.upstream, fix.label) for row in rows for fix in row.fixes if fix.cures in (Cures.REFUTED, Cures.ABANDONED)
    }
    return Figures(
        total=len(rows),
        carried=len(there),
        overdue=sum(late.values()),
        stages=in_order(Counter(row.stage.value for row in there)),
        decisions={choice.value: decisions[choice] for choice in Choice if decisions[choice]},
        overdue_by_owner=dict(sorted(late.items(), key=lambda item: (-item[1], item[0]))),
        claims_refuted=len(refuted),
        pins_fell_back=len({pin.name for row in rows for pin in row.pins if pin.gating and pin.had_it_as}),
        median_carried=_median(row.days.carried for row in there),
        median_past_release=_median(row.days.past_release for row in rows),
        median_past_pin=_median(row.days.past_pin for row in rows),
    )


def _median(days: Iterable[int | None]) -> float | None:
    known = [day for day in days if day is not None]
    return float(median(known)) if known else None


def to_remember(report: Report) -> dict[str, float]:
    """The figures worth a row of the memory's trend; `remembered` reads them back."""
    counts = report.figures
    stages = {f"stage.{stage.value}": float(counts.stages.get(stage.value, 0)) for stage in Stage}
    return {"carried": float(counts.carried), "overdue": float(counts.overdue), **stages}


def remembered(trend: Iterable[Figure]) -> tuple[TrendPoint, ...]:
    """The days a memory has figures of, oldest first; figures of other names are passed over."""
    days: dict[dt.date, dict[str, int]] = defaultdict(dict)
    for figure in trend:
        days[figure.at.date()][figure.name] = round(figure.value)
    return tuple(
        TrendPoint(
            date=day,
            carried=values["carried"],
            overdue=values.get("overdue", 0),
            stages=in_order({name.removeprefix("stage."): value for name, value in values.items()}),
            remembered=True,
        )
        for day, values in sorted(days.items())
        if "carried" in values
    )
