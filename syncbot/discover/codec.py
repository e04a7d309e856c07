"""Remarks as JSON for the cache, and back."""

from __future__ import annotations

from typing import Any

from syncbot.model.discover import Certainty, Guard, Kind, Reference, RefKind, Remark


def encode_remark(remark: Remark) -> list[Any]:
    """A remark as a list; `decode_remark` is its inverse."""
    guard = remark.guard
    return [
        remark.line, remark.last, remark.text, remark.marker, remark.kind.value, remark.certainty.value, remark.reason,
        [guard.first, guard.last, guard.symbol, guard.whole, guard.statement],
        [[each.repo, each.kind.value, each.value] for each in remark.references],
        list(remark.names),
    ]  # fmt: skip


def decode_remark(value: list[Any]) -> Remark:
    """The remark that was encoded."""
    line, last, text, marker, kind, certainty, reason, guard, references, names = value
    first, end, symbol, whole, statement = guard
    return Remark(
        line=line,
        last=last,
        text=text,
        marker=marker,
        kind=Kind(kind),
        certainty=Certainty(certainty),
        reason=reason,
        guard=Guard(first=first, last=end, symbol=symbol, whole=whole, statement=statement),
        references=tuple(Reference(repo=repo, kind=RefKind(what), value=word) for repo, what, word in references),
        names=tuple(names),
    )
