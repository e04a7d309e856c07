"""A problem in a file, as a value: where it is, what was found, what was expected, what to do about it."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Key = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 80
_SECRET = re.compile(r"gh[pousr]_[A-Za-z0-9]{10}|github_pat_|glpat-|://[^/@\s]*:[^/@\s]*@|\bBearer ")

HIDDEN = "a value that may hold a secret (not shown)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing to mend. ``file`` is relative to the project's folder; ``line`` counts from 1; ``key`` may be empty."""

    file: str
    key: Key = ()
    line: int | None = None
    found: str
    expected: str
    todo: str | None = None

    def __str__(self) -> str:
        """Return ``file:line: key: found; expected ...; what to do`` in one line."""
        where = f"{self.file}:{self.line}" if self.line is not None else self.file
        if self.key:
            where = f"{where}: {key_path(self.key)}"
        parts = [f"found {self.found}", f"expected {self.expected}"]
        if self.todo:
            parts.append(self.todo)
        return f"{where}: " + "; ".join(parts)


def key_path(key: Key) -> str:
    """Return ``("fixes", 0, "cures")`` as ``fixes[0].cures``, quoting what TOML would quote."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _BARE.fullmatch(part) else json.dumps(part))
    return text


def shown(value: object) -> str:
    """Return a value from a file in one short line: tables and arrays by what they are, secrets not at all."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "an empty array" if not value else f"an array of {len(value)}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if _SECRET.search(value):
            return HIDDEN
        text = json.dumps(value, ensure_ascii=True)
        return text if len(text) <= _LONGEST else text[:_LONGEST] + '..."'
    text = str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def one_of(names: Iterable[str]) -> str:
    """Return ``one of "a", "b"`` for a list of allowed words."""
    listed = ", ".join(json.dumps(name) for name in names)
    return f"one of {listed}" if "," in listed else listed


def did_you_mean(word: object, names: Iterable[str]) -> str | None:
    """Return a question naming the nearest of ``names``, or None when nothing is near."""
    if not isinstance(word, str):
        return None
    by_form = {_plain(name): name for name in names}
    near = difflib.get_close_matches(_plain(word), by_form, n=1, cutoff=0.6)
    return f'did you mean "{by_form[near[0]]}"?' if near else None


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems without doubles, by file (those of ``patches/`` last), line and key."""
    return sorted(
        dict.fromkeys(problems), key=lambda each: ("/" in each.file, each.file, each.line or 0, key_path(each.key))
    )
