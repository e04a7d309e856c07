"""What happened to a workaround, day by day, in words: the timeline as a list."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from syncbot.model.project import Workaround
from syncbot.model.report import ChangeRow, EventRow, FixRow, MoveRow, NoteRow, PinRow, ProposalRow, Row
from syncbot.model.words import PinMove, Verdict

_LINKED = ("proposal", "removed")
_WENT = {
    PinMove.FIRST: "starts at",
    PinMove.FORWARD: "moves forward to",
    PinMove.BACKWARD: "falls back to",
    PinMove.DIVERGED: "moves sideways to",
    PinMove.UNRELATED: "moves to unrelated history at",
    PinMove.SAME: "is renamed to",
    PinMove.UNKNOWN: "moves to",
}
_HAS = {
    Verdict.CONTAINED: "which has the fix",
    Verdict.ABSENT: "which lacks the fix",
    Verdict.REVERTED: "where the fix was taken back out",
    Verdict.PARTIAL: "which has part of the fix",
    Verdict.UNSURE: "which may have the fix",
    Verdict.UNKNOWN: "where nothing is known of the fix",
}


def events(
    workaround: Workaround,
    introduced: ChangeRow | None,
    removed: ChangeRow | None,
    fixes: Sequence[FixRow],
    by_line: Sequence[ChangeRow],
    pins: Sequence[PinRow],
    proposals: Sequence[ProposalRow],
    notes: Sequence[NoteRow],
) -> tuple[EventRow, ...]:
    """Everything that has a day, oldest first; of one day in the order of the story."""
    found: list[EventRow] = []
    if introduced is not None and introduced.date is not None:
        text = f"added to {workaround.downstream} by {introduced.label}"
        found.append(EventRow(date=introduced.date, kind="introduced", text=text, url=introduced.url))
    for fix in fixes:
        found += _of_fix(fix)
    found += _of_releases(by_line, [fix for fix in fixes if fix.counts])
    awaited = any(fix.counts for fix in fixes)
    for pin in pins:
        found += [_of_move(pin, move, awaited=awaited) for move in _telling(pin)]
    found += [
        EventRow(date=each.date, kind="proposal", text=f"{each.kind} {each.label}: {each.state}", url=each.url)
        for each in proposals
        if each.date is not None
    ]
    found += [EventRow(date=each.date, kind="note", text=each.text) for each in notes]
    if removed is not None and removed.date is not None:
        found.append(EventRow(date=removed.date, kind="removed", text=f"taken out by {removed.label}", url=removed.url))
    return tuple(sorted(found, key=lambda event: event.date))


def story(row: Row) -> list[tuple[dt.date, list[tuple[str, str | None]]]]:
    """The events and the changes of stage and decision, by day, oldest first, notes with who wrote them.

    Only proposals and the removal keep their link: the others' stand with the fixes and the pins.
    """
    by = {(note.date, note.text): note.by for note in row.notes}
    days: dict[dt.date, list[tuple[str, str | None]]] = defaultdict(list)
    for event in row.events:
        days[event.date].append((_signed(event, by), event.url if event.kind in _LINKED else None))
    for past in row.past:
        days[past.date].append((f"{past.stage.value}: {past.decision.value}", None))
    return sorted(days.items())


def _signed(event: EventRow, by: Mapping[tuple[dt.date, str], str | None]) -> str:
    name = by.get((event.date, event.text)) if event.kind == "note" else None
    return f"{event.text} ({name})" if name else event.text


def _of_fix(fix: FixRow) -> Iterator[EventRow]:
    doubt = "" if fix.counts else f" ({fix.cures.value}: not waited for)"
    if fix.merged is not None:
        yield EventRow(date=fix.merged, kind="merged", text=f"{fix.label} lands upstream{doubt}", url=fix.url)
    if fix.counts and fix.first_release is not None and fix.first_released is not None:
        text = f"{fix.first_release} is the first release with {fix.label}"
        yield EventRow(date=fix.first_released, kind="released", text=text, url=fix.first_url)


def _of_releases(by_line: Sequence[ChangeRow], fixes: Sequence[FixRow]) -> Iterator[EventRow]:
    """The first release on each line with all that is awaited, but those that a fix has told already."""
    told = {fix.first_release for fix in fixes}
    for each in by_line:
        if each.date is not None and each.label not in told:
            what = "it" if len(fixes) == 1 else "all that is awaited"
            text = f"{each.label} is the first of its line with {what}"
            yield EventRow(date=each.date, kind="released", text=text, url=each.url)


def _telling(pin: PinRow) -> Iterator[MoveRow]:
    """The moves that are part of the story: not those that went forward and changed nothing, nor to a moving branch."""
    before = None
    for move in pin.moves:
        if move.floating and not pin.gating:
            continue
        if move.verdict != before or move.move not in (PinMove.FORWARD, PinMove.SAME, PinMove.FIRST):
            yield move
        before = move.verdict


def _of_move(pin: PinRow, move: MoveRow, *, awaited: bool) -> EventRow:
    text = f"pin {pin.name} {_WENT[move.move]} {move.new or 'nothing'}"
    if move.lost:
        text += f", losing {move.lost} commit{'s' if move.lost > 1 else ''}"
    if move.floating:
        text += ", a branch that moves"
    elif awaited and move.verdict is not None:
        text += f", {_HAS[move.verdict]}"
    return EventRow(date=move.date, kind="pin" if pin.gating else "other-pin", text=text, url=move.change.url)
