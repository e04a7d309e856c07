"""Findings for people, for programs, for a pull request's comment and for CI annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from syncbot.model.discover import Finding, Judged, Origin, Place, Scan
from syncbot.model.words import Stage
from syncbot.render.text import plain

if TYPE_CHECKING:
    from rich.console import RenderableType

SCHEMA = "syncbot.discover/1"
_STYLES: Mapping[str, str] = {
    Stage.READY: "bold red", Stage.REGRESSED: "red", Stage.UNSURE: "yellow",
    Stage.RELEASED: "cyan", Stage.FIXED: "cyan",
}  # fmt: skip
_PLACES_SHOWN = 6


def said(judged: Judged) -> str:
    """The first word of a finding: ``overdue`` for one that nothing waits for any more, else the stage."""
    return "overdue" if judged.outlook.stage is Stage.READY else judged.outlook.word


def findings_json(scan: Scan, judged: Sequence[Judged], hidden: Mapping[str, int]) -> dict[str, Any]:
    """The answer for programs; the lead place stands at the top of each finding."""
    return {
        "schema": SCHEMA,
        "commit": scan.commit,
        "files": scan.files,
        "skipped": dict(scan.skipped),
        "hidden": dict(hidden),
        "findings": [_finding_json(each) for each in judged],
    }


def _finding_json(judged: Judged) -> dict[str, Any]:
    finding, outlook = judged.finding, judged.outlook
    lead = finding.places[0]
    return {
        **_place_json(lead),
        "introduced": _origin_json(finding.introduced),
        "key": finding.key,
        "kind": finding.kind.value,
        "certainty": finding.certainty.value,
        "reason": finding.reason,
        "upstream": finding.upstream,
        "references": [
            {"repo": each.repo, "kind": each.kind.value, "value": each.value} for each in finding.references
        ],
        "fixes": [{"upstream": fix.upstream, "pull": fix.pull, "commit": fix.commit} for fix in finding.fixes],
        "stage": outlook.word,
        "reasons": list(outlook.reasons),
        "pins": [{"name": name, "ref": ref, "verdict": word} for name, ref, word in outlook.pins],
        "first_release": outlook.first_release,
        "since": outlook.since.isoformat() if outlook.since else None,
        "tracked": finding.tracked,
        "places": [_place_json(each) for each in finding.places],
        "candidates": [
            {
                "commit": each.commit,
                "pull": each.pull,
                "title": each.title,
                "date": each.date.isoformat(),
                "score": each.score,
                "reasons": list(each.reasons),
            }
            for each in judged.candidates
        ],
    }


def _place_json(place: Place) -> dict[str, Any]:
    remark, guard = place.remark, place.remark.guard
    return {
        "path": place.path,
        "line": remark.line,
        "last": remark.last,
        "text": remark.text,
        "guards": {"first": guard.first, "last": guard.last, "symbol": guard.symbol},
        "introduced": _origin_json(place.introduced),
    }


def _origin_json(origin: Origin | None) -> dict[str, Any] | None:
    if origin is None:
        return None
    return {
        "commit": origin.commit,
        "date": origin.date.date().isoformat(),
        "pull": origin.pull,
        "title": origin.title,
        "moved": list(origin.moved),
    }


def findings_blocks(scan: Scan, judged: Sequence[Judged], hidden: Mapping[str, int]) -> Iterator[RenderableType]:
    """What a person reads: a block a finding, then what was counted and left out."""
    from rich.text import Text

    for each in judged:
        yield from _block(each)
        yield Text("")
    yield Text(_summary(scan, judged, hidden), style="dim")


def _block(judged: Judged) -> Iterator[RenderableType]:
    from rich.text import Text

    finding, outlook = judged.finding, judged.outlook
    lead = finding.places[0]
    head = Text(f"{said(judged):10}", style=_STYLES.get(outlook.word, ""))
    head.append(f"{finding.key}  {_where(lead)}", style="bold")
    head.append(f"  {finding.kind.value}, {finding.certainty.value}", style="dim")
    if finding.tracked:
        head.append(f"  recorded as {plain(finding.tracked, 60)}", style="green")
    yield head
    yield Text(f"          {plain(lead.remark.text, 200)}")
    yield Text(f"          {plain(finding.reason, 200)}", style="dim")
    since = f" since {outlook.since}" if outlook.since else ""
    yield Text(f"          {plain('; '.join(outlook.reasons), 240)}{since}")
    origin = finding.introduced
    if origin is not None:
        number = f" (#{origin.pull})" if origin.pull and f"#{origin.pull}" not in origin.title else ""
        moved = f", moved {len(origin.moved)} times since" if origin.moved else ""
        came = f"came with {origin.commit[:10]} on {origin.date:%Y-%m-%d}: {plain(origin.title, 90)}{number}{moved}"
        yield Text(f"          {came}", style="dim")
    for place in finding.places[1:_PLACES_SHOWN]:
        yield Text(f"          also {_where(place)}", style="dim")
    if len(finding.places) > _PLACES_SHOWN:
        yield Text(f"          and {len(finding.places) - _PLACES_SHOWN} places more", style="dim")
    for candidate in judged.candidates:
        number = f"#{candidate.pull}" if candidate.pull else candidate.commit[:10]
        why = plain("; ".join(candidate.reasons), 120)
        perhaps = f"perhaps {number} {plain(candidate.title, 80)} ({candidate.date}): {why}"
        yield Text(f"          {perhaps}", style="italic")


def _where(place: Place) -> str:
    symbol = place.remark.guard.symbol
    return f"{plain(place.path, 160)}:{place.remark.line}" + (f" ({plain(symbol, 80)})" if symbol else "")


def _summary(scan: Scan, judged: Sequence[Judged], hidden: Mapping[str, int]) -> str:
    counts = Counter(map(said, judged))
    words = ", ".join(f"{count} {word}" for word, count in counts.items())
    parts = [f"{_count(len(judged), 'finding')} in {scan.files} files" + (f": {words}" if words else "")]
    parts += [f"{count} {reason}" for reason, count in hidden.items() if count]
    parts += [f"{count} files skipped: {reason}" for reason, count in scan.skipped.items()]
    return "; ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# -- what a pull request adds ------------------------------------------------------------------------------------------


def annotation_lines(judged: Iterable[Judged]) -> Iterator[str]:
    """GitHub workflow commands, one a place; the values are escaped as those commands want it."""
    for each in judged:
        for place in each.finding.places:
            message = f"{_adds(each.finding)} {_next(each.finding)}"
            yield (
                f"::warning file={_property(place.path)},line={place.remark.line},endLine={place.remark.last},"
                f"title=workaround::{_escaped(message)}"
            )


def comment(judged: Sequence[Judged]) -> str:
    """A pull request's comment in Markdown; empty when there is nothing to say. Nothing in it mentions or links."""
    if not judged:
        return ""
    count = len(judged)
    lines = [
        f"This change adds {'a workaround' if count == 1 else f'{count} workarounds'} that nobody has recorded yet.",
        "",
    ]
    for each in judged:
        lines += [
            f"- {_code(f'{place.path}:{place.remark.line}')}: {_code(plain(place.remark.text, 200))}"
            for place in each.finding.places
        ]
        lines.append(f"  {_markdown(each.finding.reason)}. {_markdown_next(each.finding)}")
    lines += ["", "A comment `syncbot: ignore` beside the line keeps it out of this list."]
    return "\n".join(lines) + "\n"


def _adds(finding: Finding) -> str:
    return f"This adds a workaround: it {plain(finding.reason, 160)}."


def _next(finding: Finding) -> str:
    if finding.tracked:
        return f"It is one more place of {finding.tracked}: add it to that manifest with `syncbot track {finding.key}`."
    return f"Record it with `syncbot track {finding.key}`."


def _markdown_next(finding: Finding) -> str:
    if finding.tracked:
        return f"It is one more place of {_code(finding.tracked)}: `syncbot track {finding.key}` adds it there."
    return f"Record it with `syncbot track {finding.key}`."


def _code(text: str) -> str:
    clean = plain(text).replace("`", "'")
    return f"`{clean}`"


def _markdown(text: str) -> str:
    return _code(plain(text, 200))


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(plain(text)).replace(":", "%3A").replace(",", "%2C")
