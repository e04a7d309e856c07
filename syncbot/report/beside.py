"""Drawings beside a proposal that lies in a folder: the ladder of each check that was measured.

They are made from the proposal's own text, so that they show what it says: the sets in its blocks, judged for the edit
in its record. On a code host the text has plots of characters instead, since a body can carry no picture of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from syncbot.checks.judge import judge
from syncbot.checks.readers import ResultError
from syncbot.checks.spec import Spec
from syncbot.model.checks import Wanted
from syncbot.render.branch import parse_key
from syncbot.render.regions import read_record
from syncbot.render.results import read_block
from syncbot.report.charts import Ladder, ladders
from syncbot.report.rows import check_row
from syncbot.report.templates import environment

_GAP = 10


def drawings(body: str, specs_of: Callable[[str], Sequence[Spec]], *, templates: Path | None = None) -> dict[str, str]:
    """Return SVG documents by file name, none for a text without results that can be read.

    ``specs_of`` returns the checks of a workaround by its id.
    """
    record = read_record(body)
    key = parse_key(record.topic) if record is not None else None
    try:
        sets = read_block("the proposal", body) if key is not None else ()
    except ResultError:
        sets = ()
    if record is None or key is None or not sets:
        return {}
    latest = max(sets, key=lambda each: each.at)
    judged = judge(specs_of(key.workaround), sets, Wanted(edit=record.edit, pin=latest.pin))
    template = environment(templates).get_template("report/ladder.svg.j2")
    drawn: dict[str, str] = {}
    for check in map(check_row, judged):
        parts: list[tuple[float, Ladder]] = []
        top: float = 34
        for ladder in ladders(check):
            parts.append((top, ladder))
            top += ladder.height + _GAP
        if parts:
            drawn[f"results-{check.name}.svg"] = template.render(check=check, parts=parts, height=top, set=latest)
    return drawn
