"""A workaround's timeline as a drawing to scale: lanes of bars and marks, in the units of an SVG view box. Pure.

Where a label would run into its neighbour it is left out; the title of its bar or mark says it, and so does the list
of events beside the drawing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from syncbot.model.report import FixRow, PinRow, Row
from syncbot.model.words import Cures, PinMove, Verdict
from syncbot.render.landing import SIGNS

WIDTH, LEFT, RIGHT, LANE, TOP = 760, 104, 12, 24, 22
_CHAR, SIGN = 6.3, 5
_BEFORE = dt.timedelta(days=120)
_T = TypeVar("_T")
TURNS = {
    PinMove.FIRST: "○",
    PinMove.FORWARD: "▸",
    PinMove.BACKWARD: "◂",
    PinMove.DIVERGED: "◆",
    PinMove.UNRELATED: "◇",
    PinMove.SAME: "=",
    PinMove.UNKNOWN: "?",
}
_EXPECTED = (PinMove.FIRST, PinMove.FORWARD, PinMove.SAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A stretch of time: ``style`` is a class; it has a ``label`` that fits into it, or else a ``title``."""

    x: int
    width: int
    style: str
    title: str
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A day: ``sign``, then ``label``, beginning at ``x``; with ``left`` the label, then the sign, ending there."""

    x: int
    sign: str
    style: str
    title: str
    label: str = ""
    left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One line of the drawing, its text standing on ``y``."""

    y: int
    name: str
    bars: tuple[Bar, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A day on the axis."""

    x: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The whole drawing; ``words`` says it to who cannot see it."""

    width: int
    height: int
    left: int
    right: int
    ticks: tuple[Tick, ...]
    lanes: tuple[Lane, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Days to units, from ``start`` at the left edge to ``end`` at the right."""

    start: dt.date
    end: dt.date
    left: float = LEFT
    right: float = WIDTH - RIGHT

    def __call__(self, day: dt.date) -> int:
        """The place of a day, never outside the edges."""
        share = (day - self.start).days / max((self.end - self.start).days, 1)
        return round(self.left + min(max(share, 0.0), 1.0) * (self.right - self.left))


def timeline(row: Row, as_of: dt.date) -> Timeline | None:
    """The drawing of one workaround; None where no day of it is known."""
    days = [event.date for event in row.events if event.kind != "note"]
    if row.introduced is None or row.introduced.date is None or not days:
        return None
    end = max([*days, row.removed.date if row.removed and row.removed.date else as_of])
    before = row.introduced.date - _BEFORE
    first = min([row.introduced.date, *(fix.merged for fix in row.fixes if fix.merged and fix.merged > before)])
    scale = Scale(start=first - dt.timedelta(days=max(2, (end - first).days // 40)), end=end)
    names: list[tuple[str, Sequence[Bar], Sequence[Mark]]] = [
        ("carried", list(_carried(row, scale, end)), list(_removed(row, scale))),
        ("fixes", (), _labelled(_fixes(row.fixes, scale), scale)),
        ("releases", (), _labelled(_releases(row, scale), scale)),
    ]
    names += [
        (pin.name, list(_pin(pin, scale, end)), _turns(pin, scale))
        for pin in row.pins
        if pin.moves and (pin.gating or not pin.floating)
    ]
    lanes = [
        Lane(y=TOP + LANE * number + 16, name=_short(name, 16), bars=tuple(bars), marks=tuple(marks))
        for number, (name, bars, marks) in enumerate(each for each in names if each[1] or each[2])
    ]
    return Timeline(
        width=WIDTH,
        height=TOP + LANE * len(lanes) + 4,
        left=LEFT,
        right=WIDTH - RIGHT,
        ticks=tuple(ticks(scale)),
        lanes=tuple(lanes),
        words=f"Timeline of {row.id}; its history says the same in words",
    )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _bar(scale: Scale, start: dt.date, end: dt.date, style: str, label: str, title: str) -> Bar:
    x = scale(start)
    width = max(scale(end) - x, 2)
    fits = len(label) * _CHAR + 8 <= width
    return Bar(x=x, width=width, style=style, title="" if fits else title, label=label if fits else "")


def _carried(row: Row, scale: Scale, end: dt.date) -> Iterator[Bar]:
    """From the introduction to the removal, by stage."""
    until = row.removed.date if row.removed is not None and row.removed.date is not None else end
    for past, following in _pairs(row.past, lambda each: each.date, end):
        if past.date < until:
            title = f"{past.stage.value} from {past.date}"
            yield _bar(scale, past.date, min(following, until), f"s-{past.stage.value}", past.stage.value, title)


def _removed(row: Row, scale: Scale) -> Iterator[Mark]:
    if row.removed is not None and row.removed.date is not None:
        title = f"{row.removed.date}: taken out by {row.removed.label}"
        yield Mark(x=scale(row.removed.date) - SIGN, sign="■", style="released", title=title)


def _pairs(items: Sequence[_T], day: Callable[[_T], dt.date], end: dt.date) -> Iterator[tuple[_T, dt.date]]:
    """Each item with the day on which the next one begins."""
    return zip(items, [*(day(each) for each in items[1:]), end], strict=True)


def _fixes(fixes: Iterable[FixRow], scale: Scale) -> Iterator[Mark]:
    for fix in fixes:
        if fix.merged is None or fix.merged < scale.start:
            continue
        refuted = fix.cures in (Cures.REFUTED, Cures.ABANDONED)
        label = f"{fix.label} {fix.cures.value}" if refuted else f"{fix.label} merged"
        title = f"{fix.merged}: {fix.label} lands upstream ({fix.cures.value})"
        yield Mark(
            x=scale(fix.merged) - SIGN,
            sign="✗" if refuted else "◆",
            style="refuted" if refuted else "merged",
            title=title,
            label=label,
        )


def _releases(row: Row, scale: Scale) -> Iterator[Mark]:
    for each in row.by_line:
        if each.date is not None and each.date >= scale.start:
            first = "first release with it" if each.label == row.first_release else "first with it on its line"
            title = f"{each.date}: {each.label}, {first}"
            yield Mark(x=scale(each.date) - SIGN, sign="●", style="released", title=title, label=each.label)


def _pin(pin: PinRow, scale: Scale, end: dt.date) -> Iterator[Bar]:
    style = "" if pin.gating else " aside"
    for move, following in _pairs(pin.moves, lambda each: each.date, end):
        if following < scale.start:
            continue
        verdict = move.verdict or Verdict.UNKNOWN
        said = "a branch" if move.floating else verdict.value
        label = f"{move.new}" if move.floating else f"{SIGNS[verdict][0]} {move.new or '–'}"
        title = f"{move.new} from {move.date}, {said}"
        yield _bar(scale, max(move.date, scale.start), following, f"v-{verdict.value}{style}", label, title)


def _turns(pin: PinRow, scale: Scale) -> list[Mark]:
    """A sign where the pin went anywhere but forward."""
    return [
        Mark(
            x=scale(move.date) - SIGN,
            sign=TURNS[move.move],
            style="turn",
            title=f"{move.move.value}: {move.lost or 0} commits lost, {move.gained or 0} gained",
        )
        for move in pin.moves
        if move.move not in _EXPECTED and move.date >= scale.start
    ]


def _labelled(marks: Iterable[Mark], scale: Scale) -> list[Mark]:
    """Each label to the right of its mark if it fits before the next one, else to the left, else nowhere."""
    found: list[Mark] = []
    taken: float = scale.left
    ordered = sorted(marks, key=lambda mark: mark.x)
    for number, mark in enumerate(ordered):
        room = ordered[number + 1].x - 2 if number + 1 < len(ordered) else scale.right + SIGN
        wide = len(mark.label) * _CHAR + 2 * SIGN
        end = mark.x + 2 * SIGN
        if mark.x + wide <= room:
            placed, taken = mark, mark.x + wide
        elif end - wide >= taken:
            placed, taken = replace(mark, left=True, x=end), end
        else:
            placed, taken = replace(mark, label=""), end
        found.append(placed)
    return found


def ticks(scale: Scale) -> Iterator[Tick]:
    """Days worth naming on an axis: not more than about eight, the first of a week, a month, a quarter or a year."""
    days = (scale.end - scale.start).days
    if days <= 56:
        step = 7 if days <= 28 else 14
        monday = scale.start + dt.timedelta(days=-scale.start.weekday() % 7)
        for number in range(days // step + 1):
            day = monday + dt.timedelta(days=step * number)
            if day <= scale.end:
                yield from _tick(scale, day, f"{day:%m-%d}")
        return
    months = next((step for step in (1, 2, 3, 6, 12, 24, 60) if days / (30 * step) <= 8), 120)
    for year in range(scale.start.year, scale.end.year + 1):
        for month in range(1, 13, months) if months < 12 else (1,) if year % (months // 12) == 0 else ():
            day = dt.date(year, month, 1)
            if scale.start <= day <= scale.end:
                yield from _tick(scale, day, f"{day:%Y-%m}" if months < 12 else f"{year}")


def _tick(scale: Scale, day: dt.date, label: str) -> Iterator[Tick]:
    x = scale(day)
    if x + len(label) * _CHAR <= scale.right + RIGHT:
        yield Tick(x=x, label=label)
