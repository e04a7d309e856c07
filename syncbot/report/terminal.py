"""The report in a terminal: counts, what is overdue, a line a workaround."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from syncbot.model.report import PinRow, Report, Row
from syncbot.model.words import Choice, Stage
from syncbot.render.landing import verdict_text
from syncbot.report.texts import days

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_STYLES = {
    Stage.READY: "bold green",
    Stage.REGRESSED: "bold red",
    Stage.UNSURE: "yellow",
    Stage.UNLINKED: "yellow",
    Choice.REMOVE: "bold green",
    Choice.REVIEW: "green",
    Choice.RESTORE: "bold red",
    Choice.UNSURE: "yellow",
}


def blocks(report: Report) -> Iterator[RenderableType]:
    """What rich prints, top to bottom; as wide as the console is."""
    from rich.text import Text

    counts = report.figures
    yield Text(report.title, style="bold")
    looked = ", ".join(f"{each.name} {each.commit[:9]}" for each in report.sources)
    yield Text(f"as of {report.as_of}{f', looking at {looked}' if looked else ''}", style="dim")
    for problem in report.problems:
        yield Text(f"! {problem}", style="yellow")
    stages = ", ".join(f"{count} {stage}" for stage, count in counts.stages.items())
    yield Text(f"{counts.carried} carried{f': {stages}' if stages else ''}")
    late = ", ".join(f"{owner} {count}" for owner, count in counts.overdue_by_owner.items())
    yield Text(
        f"{counts.overdue} overdue (more than {days(report.overdue_after_days)} after the pin had the fix)"
        + (f": {late}" if late else ""),
        style="bold yellow" if counts.overdue else "",
    )
    yield Text("")
    if report.rows:
        yield _table(report)
    for row in report.rows:
        yield Text("")
        yield from _explained(row)


def text(report: Report, *, width: int = 120) -> str:
    """The same without colours, ``width`` characters wide, for a file."""
    import io

    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False, no_color=True)
    for part in blocks(report):
        console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _table(report: Report) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("workaround", "stage", "decision", "owner", "gating pins"):
        table.add_column(name, overflow="fold", ratio=None)
    for name in ("carried", "released", "pinned"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in report.rows:
        table.add_row(
            Text(("! " if row.overdue else "  ") + row.id, style="bold"),
            Text(row.stage.value, style=_STYLES.get(row.stage, "")),
            Text(row.decision.value, style=_STYLES.get(row.decision, "")),
            Text(row.owner or "–"),
            Text("\n").join(_pin(pin) for pin in row.pins if pin.gating),
            *(_number(count) for count in (row.days.carried, row.days.past_release, row.days.past_pin)),
        )
    return table


def _number(count: int | None) -> str:
    return "–" if count is None else f"{count} d"


def _pin(pin: PinRow) -> Text:
    from rich.text import Text

    return Text(f"{pin.name} {pin.ref or '?'} ") + verdict_text(pin.verdict, pin.confidence)


def _explained(row: Row) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    mark = f"overdue, {days(row.days.past_pin)} past the pin" if row.overdue else row.stage.value
    yield Text(f"{row.id}: {row.title}", style="bold") + Text(f"  {mark}", style="yellow" if row.overdue else "dim")
    lines = [(row.next, "")]
    lines += [(f"· {reason}", "dim") for reason in row.reasons]
    lines += [(f"· not there: {place}", "dim") for each in row.carriers for place in each.lost]
    lines += [
        (f"· {fix.label} was claimed to be the fix: {fix.cures.value}", "dim") for fix in row.fixes if not fix.counts
    ]
    lines += [(f"· {check.name}: {check.verdict.value}", "dim") for check in row.checks]
    lines += [(f"· {each.kind} {each.label}: {each.state}", "dim") for each in row.proposals]
    for text, style in lines:
        yield Padding(Text(text, style=style), (0, 0, 0, 2))
