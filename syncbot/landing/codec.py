"""Fix reports as plain JSON values, and back: the form of ``syncbot where --json`` and of the cache.

`encode` and `decode` are inverses as long as the targets are the same, which the cache's key sees to.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from syncbot.model.landing import Answer, Evidence, FirstRelease, FixReport, Target
from syncbot.model.words import Confidence, EvidenceKind, Verdict

SCHEMA = "syncbot.where/1"


def moment(value: dt.datetime | None) -> str | None:
    """A time as ISO 8601 in UTC, ending in ``Z``."""
    return value.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if value is not None else None


def encode(report: FixReport) -> dict[str, Any]:
    """A report as JSON values; keys as in the documentation of ``where``."""
    return {**_head(report), "targets": [_answer(answer) for answer in report.answers], **_tail(report)}


def _head(report: FixReport) -> dict[str, Any]:
    return {
        "query": report.query,
        "commit": report.commit,
        "pull": report.pull,
        "title": report.title,
        "merged_at": moment(report.merged_at),
    }


def _tail(report: FixReport) -> dict[str, Any]:
    first = report.first_release
    return {
        "first_release": {"by_date": first.by_date, "by_line": dict(first.by_line)},
        "reverted": report.reverted,
        "notes": list(report.notes),
    }


def _target(target: Target) -> dict[str, Any]:
    return {
        "ref": target.ref,
        "kind": target.kind.value,
        "commit": target.commit,
        "version": target.version,
        "date": moment(target.date),
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return _target(answer.target) | _verdict(answer)


def _verdict(answer: Answer) -> dict[str, Any]:
    values: dict[str, Any] = {
        "verdict": answer.verdict.value,
        "confidence": answer.confidence.value,
        "evidence": [
            {"kind": each.kind.value, "commit": each.commit, "detail": each.detail, "command": each.command}
            for each in answer.evidence
        ],
    }
    if answer.reason is not None:
        values["reason"] = answer.reason
    if answer.verdict is Verdict.PARTIAL:
        values["lines"] = {"present": list(answer.present_lines), "missing": list(answer.missing_lines)}
    return values


def decode(values: Mapping[str, Any], targets: Iterable[Target]) -> FixReport:
    """The report that `encode` made ``values`` of, over ``targets``.

    Raises KeyError, TypeError, ValueError or AttributeError for values of another form; a cache then looks again.
    """
    first = values["first_release"]
    known = {(target.kind.value, target.ref): target for target in targets}
    return FixReport(
        query=values["query"],
        commit=values["commit"],
        pull=values["pull"],
        title=values["title"],
        merged_at=dt.datetime.fromisoformat(values["merged_at"]) if values["merged_at"] else None,
        answers=tuple(_decode_answer(each, known[each["kind"], each["ref"]]) for each in values["targets"]),
        first_release=FirstRelease(by_date=first["by_date"], by_line=tuple(first["by_line"].items())),
        reverted=values["reverted"],
        notes=tuple(values["notes"]),
    )


def _decode_answer(values: Mapping[str, Any], target: Target) -> Answer:
    lines = values.get("lines", {})
    return Answer(
        target=target,
        verdict=Verdict(values["verdict"]),
        confidence=Confidence(values["confidence"]),
        evidence=tuple(
            Evidence(
                kind=EvidenceKind(each["kind"]),
                commit=each["commit"],
                detail=each["detail"],
                command=each["command"],
            )
            for each in values["evidence"]
        ),
        missing_lines=tuple(lines.get("missing", ())),
        present_lines=tuple(lines.get("present", ())),
        reason=values.get("reason"),
    )


class LineWriter:
    """`encode` as JSON text, for many reports over the same targets: what repeats is written out once.

    Over 2,700 changes and 63 releases nearly half of all answers are "absent" and differ in nothing but their target.
    """

    def __init__(self, repo: str) -> None:
        self._start = f'{{"schema": {json.dumps(SCHEMA)}, "repo": {json.dumps(repo)}, "fixes": ['
        self._targets: dict[tuple[str, str], str] = {}
        self._absent: dict[tuple[str, str], str] = {}

    def line(self, report: FixReport) -> str:
        """One document with this one fix, without a line end."""
        head, tail = json.dumps(_head(report)), json.dumps(_tail(report))
        answers = ", ".join(map(self._answer, report.answers))
        return f'{self._start}{head[:-1]}, "targets": [{answers}], {tail[1:]}]}}'

    def _answer(self, answer: Answer) -> str:
        ref = answer.target.kind, answer.target.ref
        plain = answer.verdict is Verdict.ABSENT and not answer.evidence and answer.reason is None
        if plain and ref in self._absent:
            return self._absent[ref]
        if ref not in self._targets:
            self._targets[ref] = json.dumps(_target(answer.target))[:-1]
        # Written out by hand: the general encoder takes three times as long for the same text.
        evidence = ", ".join(
            f'{{"kind": "{each.kind.value}", "commit": {_quoted(each.commit)}, "detail": {_quoted(each.detail)}, '
            f'"command": {_quoted(each.command)}}}'
            for each in answer.evidence
        )
        text = (
            f'{self._targets[ref]}, "verdict": "{answer.verdict.value}", "confidence": "{answer.confidence.value}", '
            f'"evidence": [{evidence}]}}'
        )
        if answer.reason is not None or answer.verdict is Verdict.PARTIAL:
            text = f"{self._targets[ref]}, {json.dumps(_verdict(answer))[1:]}"
        if plain:
            self._absent[ref] = text
        return text
