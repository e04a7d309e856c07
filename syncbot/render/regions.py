"""Texts that a bot and people share: named regions the bot owns, and one line that a program reads.

A region stands between ``<!-- syncbot:begin NAME -->`` and ``<!-- syncbot:end NAME -->``. `merge` renews the regions of
a text from a newer rendering and leaves everything else, so what people write around them, and the boxes they tick,
stay. A region whose markers a person deleted is not put back. The record is put back if it was deleted: without it
the text would no longer be ours.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields

from syncbot.model.proposal import Record

_REGION = re.compile(r"<!-- syncbot:begin (?P<name>[a-z-]+) -->.*?<!-- syncbot:end (?P=name) -->", re.DOTALL)
_RECORD = re.compile(r"^<!-- syncbot:record (?P<json>\{.*\}) -->[ \t]*\r?$", re.MULTILINE)
_LONGEST = 20_000


def begin(name: str) -> str:
    """Return the line that opens a region."""
    return f"<!-- syncbot:begin {name} -->"


def end(name: str) -> str:
    """Return the line that closes a region."""
    return f"<!-- syncbot:end {name} -->"


def record_line(record: Record) -> str:
    """Return the record as one line of HTML comment that nothing in it can end."""
    defaults = asdict(Record(topic=""))
    values = {name: value for name, value in asdict(record).items() if value != defaults[name]}
    text = json.dumps(values, separators=(",", ":"), sort_keys=True, ensure_ascii=True)
    # Inside a JSON string any character may be written as an escape; outside there is no dash and no bracket <>.
    for character in "-<>@#`":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f"<!-- syncbot:record {text} -->"


def read_record(body: str) -> Record | None:
    """Return the record of a text, `record_line` undone; None where there is none that can be read."""
    for match in reversed(list(_RECORD.finditer(body))):
        if len(match["json"]) > _LONGEST:
            continue
        try:
            values = json.loads(match["json"])
        except (ValueError, RecursionError):
            continue
        if (record := _record(values)) is not None:
            return record
    return None


def _record(values: object) -> Record | None:
    if not isinstance(values, dict) or not isinstance(values.get("topic"), str):
        return None
    known: dict[str, object] = {}
    for name in (field.name for field in fields(Record)):
        value = values.get(name)
        match name:
            case "todo":
                known[name] = tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
            case "pull":
                known[name] = value if isinstance(value, int) and not isinstance(value, bool) else None
            case _:
                known[name] = value if isinstance(value, str) else ""
    return Record(**known)  # type: ignore[arg-type]


def with_record(body: str, record: Record) -> str:
    """Return the text with its record replaced, or added as its last line."""
    line = record_line(record)
    found = list(_RECORD.finditer(body))
    if not found:
        return f"{body.rstrip()}\n\n{line}\n"
    last = found[-1]
    return _RECORD.sub("", body[: last.start()]) + line + body[last.end() :]


def merge(existing: str, rendered: str) -> str:
    """Return ``existing`` with its regions renewed from ``rendered``; both hold a region once."""
    new = {match["name"]: match[0] for match in _REGION.finditer(rendered)}
    body = _REGION.sub(lambda match: new.get(match["name"], match[0]), existing)
    record = read_record(rendered)
    return with_record(body, record) if record is not None else body
