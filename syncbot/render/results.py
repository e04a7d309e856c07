"""Benchmark results in a proposal: the checklist, the tables, and a block that a program reads back.

`with_results` writes them into a body, `read_block` and `read_ticks` read them out again. The bot owns the region
between its markers; of the checklist, which is written once, it changes only the boxes of checks it judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncbot.checks.arms import level_text
from syncbot.checks.codec import decode, encode
from syncbot.checks.judge import gate, judge, stale_reason
from syncbot.checks.readers import ResultError
from syncbot.checks.spec import Spec
from syncbot.model.checks import Attached, CheckKind, Direction, Gate, Judged, Judgement, Row, Wanted
from syncbot.render.text import plain

if TYPE_CHECKING:
    from jinja2 import Environment

BEGIN, END = "<!-- syncbot:results -->", "<!-- /syncbot:results -->"
_REGION = re.compile(re.escape(BEGIN) + r".*?" + re.escape(END), re.DOTALL)
_BOX = re.compile(
    r"^(?P<lead>\s*[-*] \[)(?P<tick>[ xX])(?P<rest>\] .*<!-- syncbot:check (?P<name>[\w.-]+) -->\s*)$", re.MULTILINE
)
_FENCE = re.compile(r"^```json[ \t]*\r?\n(?P<json>.*?)^```[ \t]*\r?$", re.MULTILINE | re.DOTALL)
_OURS = re.compile(r'"schema"\s*:\s*"syncbot\.attached/')
_LONGEST = 300
# Forges take bodies of 65,536 characters, and there is more in one than figures.
_ROOM = 40_000
_WIDTH = 41


def checklist(judged: Sequence[Judged]) -> str:
    """Return the checklist as it is first written, one box a check, none ticked."""
    lines = []
    for each in judged:
        what = "tick when seen: " if each.by_person else ""
        optional = "" if each.required else " (not required)"
        lines.append(f"- [ ] {each.kind.value}: {what}{inert(each.title)}{optional} <!-- syncbot:check {each.name} -->")
    return "\n".join(lines)


def read_ticks(body: str) -> dict[str, bool]:
    """Return which boxes of the checklist are ticked, by the name of their check."""
    return {match["name"]: match["tick"] != " " for match in _BOX.finditer(_REGION.sub("", body))}


def with_results(
    body: str,
    judged: Sequence[Judged],
    attached: Sequence[Attached],
    decided: Gate,
    *,
    distance: int | None = None,
    templates: Path | None = None,
) -> str:
    """Return the body with the results written in and the boxes of judged checks set.

    A missing checklist is added, a missing region appended; nothing else of the body changes, and writing the same
    results twice changes nothing.
    """
    region = f"{BEGIN}\n{_region(judged, attached, decided, distance, templates)}\n{END}"
    missing = [each for each in judged if each.name not in read_ticks(body)]
    new = checklist(missing)
    if _REGION.search(body):
        inserted = f"{new}\n\n{region}" if missing else region
        body = _REGION.sub(lambda _: inserted, body, count=1)
    else:
        body = "\n\n".join(part for part in (body.rstrip("\n"), new, region) if part) + "\n"
    marks = {each.name: each.verdict is Judgement.PASS for each in judged if _bot_ticks(each)}

    def box(match: re.Match[str]) -> str:
        if match["name"] not in marks:
            return match[0]
        return f"{match['lead']}{'x' if marks[match['name']] else ' '}{match['rest']}"

    before, found, after = body.partition(BEGIN)
    return _BOX.sub(box, before) + found + _outside(after, box)


def apply(
    body: str,
    specs: Sequence[Spec],
    attached: Sequence[Attached],
    wanted: Wanted,
    *,
    templates: Path | None = None,
) -> tuple[tuple[Judged, ...], Gate, str]:
    """Return the verdicts, the gate and the new body: everything a forge needs to write results into a proposal.

    ``attached`` must come from where the bot keeps results, or from a comment of somebody with write permission. Of
    ``body`` only the ticks of manual checks are believed: figures that were edited there count for nothing.
    """
    judged = judge(specs, attached, wanted)
    decided = gate(judged, read_ticks(body), [why for each in attached if (why := stale_reason(each, wanted))])
    return judged, decided, with_results(body, judged, attached, decided, distance=wanted.distance, templates=templates)


def read_block(name: str, text: str) -> tuple[Attached, ...]:
    """Return every set of results that ``text``, a body or a comment, carries in the documented form.

    Raises `ResultError` for a block that is there and cannot be read. Who wrote the text is the caller's to check.
    """
    found = []
    ours = [match for match in _FENCE.finditer(text) if _OURS.search(match["json"])]
    for number, match in enumerate(ours, start=1):
        try:
            values = json.loads(match["json"])
        except (ValueError, RecursionError) as error:
            raise ResultError(f"{name}: block {number} is not JSON: {error}") from None
        found.append(decode(f"{name}: block {number}", values))
    return tuple(found)


def has_block(text: str) -> bool:
    """Whether a text carries something that `read_block` would read, or refuse."""
    return bool(_OURS.search(text))


def block(attached: Attached, metrics: Sequence[str] | None = None) -> str:
    """Return the block of one set, which `read_block` reads; ``metrics`` narrows it to these figures."""
    plain = json.dumps(encode(attached, metrics), ensure_ascii=True)
    # Within a string JSON may write any character as an escape: no mention, no tag and no fence can come of it.
    for character in "<>&`@":
        plain = plain.replace(character, f"\\u{ord(character):04x}")
    return f"```json\n{plain}\n```"


def inert(text: object) -> str:
    """Return foreign text as one line in a code span: it pings nobody, links nowhere and is no markup."""
    line = plain(str(text)).replace("`", "'").replace("|", "¦").strip()
    line = line.replace("<!--", "<! --").replace("-->", "-- >")
    return f"`{line[:_LONGEST] + '…' if len(line) > _LONGEST else line or ' '}`"


def plot(rows: Sequence[Row]) -> str:
    """Return the change of each row as a line of text: interval, estimate, no change, and the tolerance."""
    spans = [(row, *_span(row)) for row in rows]
    reach = max(max(abs(low), abs(high), _allowed(row)) for row, low, high in spans) * 1.05 or 1.0
    labels = [plain(f"{row.name} {level_text(row.level)}").replace("`", "'") for row in rows]
    wide = max(map(len, labels))
    lines = [f"{'':{wide}}  {-reach:+.1f} %{'0':^{_WIDTH - 14}}{reach:+.1f} %"]
    for label, (row, low, high) in zip(labels, spans, strict=True):
        cells = [" "] * _WIDTH
        for column in range(_column(low, reach), _column(high, reach) + 1):
            cells[column] = "─"
        cells[_column(0, reach)] = "│"
        if row.unit == "%":
            cells[_column(-_allowed(row) if row.direction is Direction.HIGHER else _allowed(row), reach)] = "┊"
        cells[_column(100 * (row.ratio - 1), reach)] = "●"
        lines.append(f"{label:{wide}}  {''.join(cells).rstrip()}")
    lines.append(f"{'':{wide}}  change in %: ● measured, ─ interval, ┊ tolerance")
    return "\n".join(line.rstrip() for line in lines)


def _outside(after: str, box: Any) -> str:
    region, found, rest = after.partition(END)
    return region + found + _BOX.sub(box, rest)


def _bot_ticks(each: Judged) -> bool:
    return not each.by_person and each.kind is not CheckKind.MANUAL and each.verdict is not Judgement.MISSING


def _span(row: Row) -> tuple[float, float]:
    low, high = row.interval
    change = 100 * (row.ratio - 1)
    return (100 * (low - 1) if low is not None else change, 100 * (high - 1) if high is not None else change)


def _allowed(row: Row) -> float:
    return row.tolerance if row.unit == "%" else 0.0


def _column(value: float, reach: float) -> int:
    return round((max(-reach, min(reach, value)) + reach) / (2 * reach) * (_WIDTH - 1))


def _region(
    judged: Sequence[Judged], attached: Sequence[Attached], decided: Gate, distance: int | None, templates: Path | None
) -> str:
    template = _environment(templates).get_template("results/results.md.j2")
    text = template.render(judged=judged, attached=attached, gate=decided, distance=distance)
    shown = [row.name for each in judged for row in each.rows]
    blocks: list[str] = []
    room = _ROOM
    for each in reversed(attached):
        made = block(each, shown)
        room -= len(made)
        if room < 0:
            blocks.append("Older figures are kept where the bot keeps results.")
            break
        blocks.append(made)
    if not blocks:
        return _tidy(text)
    inside = "\n\n".join(reversed(blocks))
    return f"{_tidy(text)}\n\n<details><summary>Figures of every run</summary>\n\n{inside}\n\n</details>"


def _tidy(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def _environment(folder: Path | None) -> Environment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    from syncbot.render.template import folders

    environment = SandboxedEnvironment(
        loader=FileSystemLoader(folders(folder)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters |= {
        "inert": inert,
        "level": level_text,
        "plot": plot,
        "figure": lambda value: f"{value:.5g}",
        "change": lambda ratio: f"{100 * (ratio - 1):+.2f} %",
        "interval": interval_text,
        "tolerance": tolerance_text,
        "noise": noise_text,
        "moment": lambda at: at.strftime("%Y-%m-%d %H:%M UTC"),
    }
    return environment


def interval_text(row: Row) -> str:
    """Return the interval of the change in per cent."""
    low, high = row.interval
    return "none" if low is None or high is None else f"{100 * (low - 1):+.2f} … {100 * (high - 1):+.2f} %"


def tolerance_text(row: Row) -> str:
    """Return how much worse may pass, with its unit."""
    return f"{row.tolerance:g} {row.unit}"


def noise_text(noise: Sequence[float | None]) -> str:
    """Return the spread from run to run of both arms."""
    return ", ".join("?" if each is None else f"{each:.2f} %" for each in noise)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a plain table for a terminal."""
    head = ("metric", "level", "baseline", "candidate", "change", "interval", "tolerance", "runs", "verdict")
    cells = [
        (
            plain(row.name),
            plain(level_text(row.level)),
            f"{row.baseline:.5g}",
            f"{row.candidate:.5g}",
            f"{100 * (row.ratio - 1):+.2f} %",
            interval_text(row),
            tolerance_text(row),
            f"{row.runs[0]}, {row.runs[1]}",
            row.verdict.value,
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in (head, *cells)) for column in range(len(head))]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (head, *cells)
    )


def as_values(rows: Sequence[Row]) -> list[Mapping[str, Any]]:
    """Return the rows as ``syncbot.results/1`` has them."""
    return [
        {
            "name": row.name,
            "level": dict(row.level),
            "direction": row.direction.value,
            "tolerance": row.tolerance,
            "unit": row.unit,
            "baseline": row.baseline,
            "candidate": row.candidate,
            "ratio": row.ratio,
            "interval": list(row.interval),
            "runs": list(row.runs),
            "noise": list(row.noise),
            "verdict": row.verdict.value,
            "reason": row.reason,
            "settle": row.settle,
            "notes": list(row.notes),
        }
        for row in rows
    ]


def comparison(rows: Sequence[Row], verdict: Judgement, notes: Sequence[str], *, draw: bool) -> str:
    """Return a comparison as a person reads it in a terminal."""
    lines = [table(rows), "", f"verdict: {verdict.value}"]
    lines += [
        f"  {row.name} at {level_text(row.level)}: {row.verdict.value}: {row.reason}"
        for row in rows
        if row.verdict is not Judgement.PASS
    ]
    lines += [f"  to settle {row.name} at {level_text(row.level)}: {row.settle}" for row in rows if row.settle]
    lines += [f"note: {row.name} at {level_text(row.level)}: {note}" for row in rows for note in row.notes]
    lines += [f"note: {note}" for note in notes]
    shown = [*lines[:1], *map(plain, lines[1:])]
    return "\n".join([*shown, "", plot(rows)] if draw else shown)


def report(judged: Sequence[Judged], decided: Gate) -> str:
    """Return the checklist with its verdicts as a person reads it in a terminal."""
    lines = []
    for each in judged:
        optional = "" if each.required else " (not required)"
        lines.append(f"{each.verdict.value:13} {each.name} ({each.kind.value}){optional}")
        lines += [f"{'':13} {plain(reason)}" for reason in each.reasons]
        if each.rows:
            lines += [f"{'':13} {line}" for line in table(each.rows).splitlines()]
    lines.append("")
    lines.append("ready: every required check has passed" if decided.ready else "draft, waiting for:")
    lines += [f"  {plain(line)}" for line in decided.waiting]
    return "\n".join(lines)
