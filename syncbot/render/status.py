"""The status of workarounds as JSON values and as a table for the terminal."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from syncbot.model.pins import Move, PinReading
from syncbot.model.status import Decision, FixFacts, PinStanding, Standing
from syncbot.model.words import Choice, Stage
from syncbot.policy import foremost
from syncbot.render.landing import verdict_text
from syncbot.render.text import plain

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SCHEMA = "syncbot.status/1"

_STAGE_STYLES = {
    Stage.READY: "bold green",
    Stage.REGRESSED: "bold red",
    Stage.UNSURE: "yellow",
    Stage.UNLINKED: "yellow",
}
_CHOICE_STYLES = {
    Choice.REMOVE: "bold green",
    Choice.REVIEW: "green",
    Choice.RESTORE: "bold red",
    Choice.UNSURE: "yellow",
}


def status_json(standings: Iterable[Standing]) -> dict[str, Any]:
    """The answer of ``syncbot status --json``."""
    return {"schema": SCHEMA, "workarounds": [_standing(each) for each in standings]}


def _standing(standing: Standing) -> dict[str, Any]:
    facts, first = standing.facts, foremost(standing)
    return {
        "id": facts.workaround.id,
        "title": facts.workaround.title,
        "stage": standing.stage.value,
        "fit": first.sight.fit.value,
        "decision": first.choice.value,
        "fixes": [_fix(fix) for fix in facts.fixes],
        "pins": [_pin(pin) for pin in standing.pins],
        "next": first.next,
        "reasons": list(first.reasons),
        "carriers": [_carrier(decision) for decision in standing.decisions],
        "first_release": {"by_date": standing.first_release.by_date, "by_line": dict(standing.first_release.by_line)},
        "dates": {name: _day(day) for name, day in _dates(standing).items()},
        "days": {name: _since(day, facts.today) for name, day in _dates(standing).items()},
        "owner": facts.workaround.owner,
        "downstream": facts.workaround.downstream,
        "head": facts.head,
        "as_of": facts.today.isoformat(),
    }


def _dates(standing: Standing) -> dict[str, dt.date | None]:
    dates = standing.dates
    introduced = standing.facts.workaround.introduced.date
    return {"introduced": introduced, "merged": dates.merged, "released": dates.released, "pinned": dates.pinned}


def _day(day: dt.date | None) -> str | None:
    return day.isoformat() if day is not None else None


def _since(day: dt.date | None, today: dt.date) -> int | None:
    return (today - day).days if day is not None else None


def _fix(fix: FixFacts) -> dict[str, Any]:
    report = fix.report
    return {
        "upstream": fix.claim.upstream,
        "pull": fix.claim.pull,
        "commit": report.commit if report is not None else fix.claim.commit,
        "cures": fix.claim.cures.value,
        "counts": fix.counts,
        "title": report.title if report is not None else None,
        "merged_at": report.merged_at.date().isoformat() if report is not None and report.merged_at else None,
        "first_release": report.first_release.by_date if report is not None else None,
        "problem": fix.problem,
    }


def _pin(pin: PinStanding) -> dict[str, Any]:
    reading = pin.reading
    return {
        "name": reading.name,
        "gating": reading.gating,
        "ref": reading.text.text if reading.text else None,
        "form": reading.form.value if reading.form else None,
        "floating": reading.floating,
        "path": reading.text.path if reading.text else None,
        "commit": reading.target.commit if reading.target else None,
        "verdict": pin.has.verdict.value,
        "confidence": pin.has.confidence.value,
        "why": pin.has.why,
        "since": _day(pin.since),
        "had_it_as": pin.once,
        "problem": reading.problem,
    }


def _carrier(decision: Decision) -> dict[str, Any]:
    carrier, sight = decision.carrier, decision.sight
    return {
        "carried": carrier.carried.value,
        "name": carrier.name,
        "branch": carrier.branch,
        "fit": sight.fit.value,
        "found": list(sight.found),
        "lost": list(sight.lost),
        "decision": decision.choice.value,
        "next": decision.next,
        "reasons": list(decision.reasons),
    }


def status_table(standings: Sequence[Standing], *, as_of: dt.date | None = None) -> Iterator[RenderableType]:
    """A table with a line a workaround, then the reasons of each. ``as_of``: the day to print above, if not today."""
    from rich.table import Table
    from rich.text import Text

    if as_of is not None:
        yield Text(f"as of {as_of:%Y-%m-%d}\n", style="bold")
    if not standings:
        yield Text("no workaround is recorded: patches/ holds no <id>/patch.toml")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("workaround", "stage", "fit", "decision", "gating pins", "days since fixed / released / pinned"):
        table.add_column(name, overflow="fold")
    for standing in standings:
        first = foremost(standing)
        days = [_since(day, standing.facts.today) for name, day in _dates(standing).items() if name != "introduced"]
        table.add_row(
            Text(standing.facts.workaround.id, style="bold"),
            Text(standing.stage.value, style=_STAGE_STYLES.get(standing.stage, "")),
            Text(first.sight.fit.value),
            Text(first.choice.value, style=_CHOICE_STYLES.get(first.choice, "")),
            Text("\n").join(_pin_text(pin, standing.stage) for pin in standing.pins if pin.reading.gating),
            Text(" / ".join("–" if day is None else str(day) for day in days)),
        )
    yield table
    for standing in standings:
        yield Text("")
        yield from _explained(standing)


def _pin_text(pin: PinStanding, stage: Stage) -> Text:
    from rich.text import Text

    said = plain(pin.reading.text.short, 30) if pin.reading.text else "?"
    if stage is Stage.UNLINKED and pin.reading.problem is None:
        return Text(f"{pin.reading.name} {said} –")  # nothing was asked of it
    return Text(f"{pin.reading.name} {said} ") + verdict_text(pin.has.verdict, pin.has.confidence)


def _explained(standing: Standing) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    workaround = standing.facts.workaround
    yield Text(f"{workaround.id}: {plain(workaround.title, 100)}", style="bold")
    for decision in standing.decisions:
        label = f"{decision.carrier.carried.value}: " if len(standing.decisions) > 1 else ""
        yield Padding(Text(label + plain(decision.next)), (0, 0, 0, 2), expand=False)
    for reason in standing.decisions[0].reasons:
        yield Padding(Text(f"· {plain(reason)}", style="dim"), (0, 0, 0, 2), expand=False)
    sight = standing.decisions[0].sight
    for place in sight.lost:
        yield Padding(Text(f"· not there: {plain(place, 140)}", style="dim"), (0, 0, 0, 2), expand=False)


def moves_json(moves: Iterable[Move]) -> list[dict[str, Any]]:
    """Every move of a pin, oldest first."""
    return [
        {
            "pin": move.seen.reading.name,
            "date": move.seen.date.date().isoformat(),
            "commit": move.seen.commit,
            "title": move.seen.title,
            "old": _text(move.old),
            "new": _text(move.seen.reading),
            "move": move.kind.value,
            "lost": move.lost,
            "gained": move.gained,
        }
        for move in moves
    ]


def _text(reading: PinReading | None) -> str | None:
    return reading.text.text if reading is not None and reading.text is not None else None


def _shown(reading: PinReading | None, none: str) -> str:
    return plain(reading.text.short, 24) if reading is not None and reading.text is not None else none


def moves_table(moves: Iterable[Move]) -> RenderableType:
    """The same for a terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("day", "pin", "from", "to", "move", "lost", "gained"):
        table.add_column(name, no_wrap=True, justify="right" if name in ("lost", "gained") else "left")
    table.add_column("by")  # the one that gives way
    for move in moves:
        table.add_row(
            f"{move.seen.date:%Y-%m-%d}",
            Text(move.seen.reading.name),
            Text(_shown(move.old, "–")),
            Text(_shown(move.seen.reading, "?")),
            Text(move.kind.value, style="red" if move.lost else ""),
            "–" if move.lost is None else str(move.lost),
            "–" if move.gained is None else str(move.gained),
            Text(f"{move.seen.commit[:9]} {plain(move.seen.title, 60)}", no_wrap=True, overflow="ellipsis"),
        )
    return table
