"""What all readers share: JSON from strangers, figures that must be finite, and the digest of a run."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from syncbot.model.checks import Scalar
from syncbot.model.errors import UsageError

MOST_BYTES = 64 * 1024 * 1024
MOST_RUNS = 1000

# What printed commands pass along, so that a file says what was run.
TAGS = ("edit", "pin", "arm", "hardware", "check")


class ResultError(UsageError):
    """Result files that cannot be read or compared; one line a problem, each beginning with the file."""

    def __init__(self, *problems: str) -> None:
        # Names and keys in them come from strangers' files and end on a terminal.
        super().__init__(*("".join(char if char.isprintable() else "\ufffd" for char in line) for line in problems))


def objects(name: str, data: bytes) -> list[dict[str, Any]]:
    """Return the JSON objects of a file: one, or several one after the other."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultError(f"{name}: not text: byte {error.start} is no UTF-8") from None
    if not text.strip():
        raise ResultError(f"{name}: the file is empty")
    found: list[dict[str, Any]] = []
    decoder = json.JSONDecoder(object_pairs_hook=_once(name))
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise ResultError(
                f"{name}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
                + (f", after {len(found)} whole objects (was the run stopped?)" if found else "")
            ) from None
        except (RecursionError, ValueError) as error:
            raise ResultError(f"{name}: JSON that cannot be read: {error}") from None
        if not isinstance(value, dict):
            raise ResultError(f"{name}: expected a JSON object, found {_kind(value)}")
        found.append(value)
        if len(found) > MOST_RUNS:
            raise ResultError(f"{name}: more than {MOST_RUNS} runs in one file")
    return found


def _once(name: str) -> Any:
    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in pairs:
            # A metadata key that repeats a figure would otherwise replace it without a word.
            if key in made:
                raise ResultError(f"{name}: the key {key!r} is there twice")
            made[key] = value
        return made

    return build


def _kind(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


class Fields:
    """Takes fields out of one object and gathers what is wrong with them; `close` raises all of it."""

    def __init__(self, name: str, values: Mapping[str, Any]) -> None:
        self.name = name
        self.values = values
        self.problems: list[str] = []

    def wrong(self, problem: str) -> None:
        """Note one problem."""
        self.problems.append(f"{self.name}: {problem}")

    def number(self, key: str, *, needed: bool = False) -> float | None:
        """Return a finite number that is not negative, None where there is none."""
        value = self.values.get(key)
        if value is None:
            if needed:
                self.wrong(f"{key} is missing")
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.wrong(f"{key}: expected a number, found {value!r:.60}")
            return None
        if not math.isfinite(value) or value < 0:
            self.wrong(f"{key} is {value}: a figure must be finite and not negative")
            return None
        return float(value)

    def count(self, key: str, *, needed: bool = False) -> int | None:
        """Return a whole number that is not negative, None where there is none."""
        value = self.number(key, needed=needed)
        if value is not None and value != int(value):
            self.wrong(f"{key} is {value}: expected a whole number")
            return None
        return None if value is None else int(value)

    def text(self, key: str, *, needed: bool = False) -> str | None:
        """Return a text, None where there is none."""
        value = self.values.get(key)
        if value is None or value == "":
            if needed:
                self.wrong(f"{key} is missing")
            return None
        if not isinstance(value, str):
            self.wrong(f"{key}: expected a text, found {value!r:.60}")
            return None
        return value

    def tags(self) -> dict[str, str]:
        """Return what the printed commands passed along."""
        return {key: str(self.values[key]).strip() for key in TAGS if self.values.get(key) not in (None, "")}

    def close(self) -> None:
        """Raise `ResultError` if anything was wrong."""
        if self.problems:
            raise ResultError(*self.problems)


def rate(value: Any) -> Scalar:
    """Return a request rate as files write it: a number, ``"inf"`` or JavaScript's ``Infinity``."""
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    return value if isinstance(value, (int, float, str)) else None


def digest(values: Mapping[str, object]) -> str:
    """Return what identifies a run: the same figures in any order and under any file name are the same run."""
    plain = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def without_empty(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Drop what is not known."""
    return {key: value for key, value in values.items() if value is not None}
