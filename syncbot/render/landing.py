"""Fix reports for people: one block a fix, targets with the same answer on one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from syncbot.model.landing import Answer, FixReport
from syncbot.model.words import Confidence, TargetKind, Verdict
from syncbot.render.text import plain

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

# A sign for each verdict, so that nothing rests on colour alone.
SIGNS = {
    Verdict.CONTAINED: ("✓", "green"),
    Verdict.ABSENT: ("·", "dim"),
    Verdict.REVERTED: ("↺", "red"),
    Verdict.PARTIAL: ("◐", "yellow"),
    Verdict.UNSURE: ("?", "yellow"),
    Verdict.UNKNOWN: ("!", "magenta"),
}


def verdict_text(verdict: Verdict, confidence: Confidence | None = None) -> Text:
    """A verdict with its sign and colour; ``weak`` is said, ``strong`` goes without saying."""
    from rich.text import Text

    sign, style = SIGNS[verdict]
    said = f"{sign} {verdict.value}" + (" (weak)" if confidence is Confidence.WEAK else "")
    return Text(said, style=style)


def fix_block(report: FixReport, *, commands: bool = False) -> Iterator[RenderableType]:
    """What a person reads of one fix: a heading, a table of answers, where it was first, notes."""
    from rich.table import Table
    from rich.text import Text

    commit = report.commit[:12] if report.commit else "no commit"
    number = f"#{report.pull}" if report.pull is not None else ""
    heading = Text(f"{number or plain(report.query, 60)}  ", style="bold")
    heading.append(plain(report.title or "not found", 100), style="bold")
    yield heading
    merged = f", merged {report.merged_at:%Y-%m-%d}" if report.merged_at else ""
    yield Text(f"{commit}{merged}", style="dim")
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    for name in ("targets", "verdict", "why"):
        table.add_column(name, overflow="fold", no_wrap=name == "verdict")
    for answers in _runs(report.answers):
        first = answers[0]
        why = [plain(first.reason)] if first.reason else []
        why += [plain(evidence.detail) for evidence in first.evidence]
        if commands:
            why += [f"$ {plain(evidence.command)}" for evidence in first.evidence]
        table.add_row(
            Text(_span(answers)), verdict_text(first.verdict, first.confidence), Text("\n".join(dict.fromkeys(why)))
        )
    yield table
    yield Text(f"first release: {plain(_first(report))}")
    for note in report.notes:
        yield Text(f"note: {plain(note)}", style="yellow")


def _runs(answers: Iterable[Answer]) -> Iterator[list[Answer]]:
    """Neighbours with the same verdict for the same reasons."""

    def key(answer: Answer) -> tuple[object, ...]:
        details = tuple((evidence.kind, evidence.detail) for evidence in answer.evidence)
        return (answer.target.kind, answer.verdict, answer.confidence, details, answer.reason)

    for _, group in groupby(answers, key=key):
        yield list(group)


def _span(answers: list[Answer]) -> str:
    first, last = answers[0].target, answers[-1].target
    if len(answers) == 1:
        dated = f" ({first.date:%Y-%m-%d})" if first.date and first.kind is TargetKind.RELEASE else ""
        return plain(first.ref, 60) + dated
    if len(answers) == 2:
        return f"{plain(first.ref, 60)}, {plain(last.ref, 60)}"
    return f"{plain(first.ref, 60)} … {plain(last.ref, 60)} ({len(answers)})"


def _first(report: FixReport) -> str:
    first = report.first_release
    if first.by_date is None:
        return "none yet"
    others = [ref for _, ref in first.by_line if ref != first.by_date]
    return first.by_date + (f" by date; by line also {', '.join(others)}" if others else "")
