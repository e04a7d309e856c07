"""What a run tells the workflow that started it: a log that nobody else can give orders in, outputs, a summary.

GitHub Actions reads orders out of a step's log: a line that begins with ``::``, and ``##[`` anywhere in one. A title
from upstream that holds them would set outputs or hide what comes after it. `Guarded` writes both as the escapes that
JSON reads back as the same text. Outside of Actions nothing here does anything.
"""

from __future__ import annotations

import os
import re
import stat
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from syncbot.model.plan import Result

if TYPE_CHECKING:
    from syncbot.sync import Report

# A line may begin after either sign, and with any white space.
_ORDER = re.compile(r"(?P<lead>(?:^|[\r\n])\s*):")
_OLD_ORDER = re.compile(r"(?<=##)\[")
_LONGEST = 20_000


class Guarded:
    """A text stream in which no line can be an order to GitHub Actions; everything else is passed on as it is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._blank = True
        self._tail = ""

    def write(self, text: str) -> int:
        """Write ``text``, whatever came before it; returns its length."""
        if text == "":
            return 0
        safe = _OLD_ORDER.sub(lambda _: "\\u005b", self._tail + text)[len(self._tail) :]
        # A lead that an earlier write left open is closed by a line end put in front and taken off again.
        begun = f"\n{safe}" if self._blank else safe
        safe = _ORDER.sub(lambda match: f"{match['lead']}\\u003a", begun)[int(self._blank) :]
        self._stream.write(safe)
        last = re.split(r"[\r\n]", text)
        self._blank = not last[-1].strip() and (len(last) > 1 or self._blank)
        self._tail = (self._tail + text)[-2:]
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of ``lines``."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guarded(stream: TextIO, environment: Mapping[str, str]) -> TextIO:
    """``stream``, guarded where Actions reads it: not outside of Actions, and not where it goes to a file."""
    if environment.get("GITHUB_ACTIONS") != "true":
        return stream
    try:
        to_a_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        to_a_file = False
    return stream if to_a_file else Guarded(stream)  # type: ignore[return-value]


def unguarded(stream: TextIO) -> TextIO:
    """The stream itself, for orders that are meant: their texts are escaped by who writes them."""
    return stream._stream if isinstance(stream, Guarded) else stream  # noqa: SLF001 - its own room


def put_output(name: str, value: str, environment: Mapping[str, str]) -> None:
    """Set an output of the step, where there is one; nothing in ``value`` can end it or begin another."""
    place = environment.get("GITHUB_OUTPUT")
    if not place:
        return
    end = f"end-{uuid.uuid4()}"
    with Path(place).open("a", encoding="utf-8") as file:
        file.write(f"{name}<<{end}\n{value[:_LONGEST]}\n{end}\n")


def tell_writes(reports: Mapping[str, Report], environment: Mapping[str, str], *, applied: bool) -> None:
    """Set the output ``writes`` (how many are planned, or were done), and add to the job's summary what they are."""
    rows = list(_rows(reports, applied=applied))
    done = sum(each.result is Result.DONE for report in reports.values() for each in report.outcomes)
    put_output("writes", str(done if applied else len(rows)), environment)
    place = environment.get("GITHUB_STEP_SUMMARY")
    if not place:
        return
    from syncbot.render.template import render

    lines = [line for report in reports.values() for line in report.plan.lines]
    text = render("workflow/writes.md.j2", {"rows": rows, "lines": lines, "applied": applied})
    with Path(place).open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


def _rows(reports: Mapping[str, Report], *, applied: bool) -> Iterable[dict[str, Any]]:
    for report in reports.values():
        outcomes = [(each.action, each) for each in report.outcomes]
        for action, outcome in outcomes if applied else [(each, None) for each in report.plan.actions]:
            yield {
                "kind": action.kind.value, "repo": action.repo, "number": action.number,
                "what": action.data.get("branch") or action.data.get("title") or action.topic,
                "result": outcome.result.value if outcome else "", "why": outcome.why if outcome else "",
                "url": outcome.url if outcome else None,
            }  # fmt: skip
