"""Reads one TOML file: its text checked, its values, and the line of each key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syncbot.config.positions import lines_of
from syncbot.config.problems import Key, Problem

_LARGEST = 1 << 20
_AT_LINE = re.compile(
    r"^(?P<what>.*?) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$", re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that is TOML: ``label`` is what messages call it, ``lines`` maps a key path to its line."""

    label: str
    data: dict[str, Any]
    lines: dict[Key, int]

    def line(self, key: Key) -> int | None:
        """Return the line of ``key``, or of the nearest table around it that has one."""
        while key:
            if key in self.lines:
                return self.lines[key]
            key = key[:-1]
        return None

    def problem(self, key: Key, found: str, expected: str, todo: str | None = None) -> Problem:
        """Return a problem of this file at ``key``."""
        return Problem(file=self.label, key=key, line=self.line(key), found=found, expected=expected, todo=todo)


def read_toml(path: Path, label: str, *, missing: str) -> Document | Problem:
    """Read ``path``. What keeps it from being read or from being TOML comes back as a `Problem`, never as an error.

    ``missing`` says what to do when there is no such file.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return Problem(file=label, found="no such file", expected="a TOML file", todo=missing)
    except OSError as error:
        return Problem(file=label, found=f"a file that cannot be read ({error.strerror})", expected="a TOML file")
    if len(raw) > _LARGEST:
        return Problem(file=label, found="more than 1 MiB", expected="a TOML file a person wrote")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{raw[error.start]:02x}, which is not UTF-8"
        return Problem(file=label, line=line, found=found, expected="UTF-8 text", todo="save the file as UTF-8")
    if text.startswith("\ufeff"):
        return Problem(
            file=label, line=1, found="a byte order mark", expected="plain UTF-8", todo="save it without BOM"
        )
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _syntax_problem(label, text, str(error))
    except RecursionError:
        return Problem(file=label, found="tables nested too deeply", expected="a TOML file a person wrote")
    return Document(label=label, data=data, lines=lines_of(text))


def _syntax_problem(label: str, text: str, message: str) -> Problem:
    match = _AT_LINE.match(message)
    what = match["what"] if match else message
    line = int(match["line"]) if match and match["line"] else max(len(text.splitlines()), 1)
    column = f" at column {match['column']}" if match and match["column"] else ""
    return Problem(
        file=label,
        line=line,
        found=f"text that is not TOML: {what[0].lower() + what[1:]}{column}",
        expected="valid TOML (https://toml.io/en/v1.0.0)",
        todo=_syntax_hint(what),
    )


def _syntax_hint(what: str) -> str | None:
    if "overwrite" in what or "twice" in what:
        return "a key or table may stand only once in a file: join the two"
    if "'\\n'" in what:
        return 'a text in quotes ends on its line; for several lines use """three quotes"""'
    if "Invalid value" in what:
        return "put texts in quotes; a regular expression reads best in 'single quotes'"
    if "escape" in what:
        return "in \"double quotes\" a backslash starts an escape: use 'single quotes' for regular expressions"
    return None


def table_of(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the table ``name`` of ``data``, empty when it is missing or something else."""
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def tables_of(data: Mapping[str, Any], section: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield name and table for each table of a section of named tables."""
    for name, table in table_of(data, section).items():
        if isinstance(table, dict):
            yield name, table


def array_of(data: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the tables of the array ``name``; what is no table counts as an empty one, so that places still fit."""
    value = data.get(name)
    return [each if isinstance(each, dict) else {} for each in value] if isinstance(value, list) else []
