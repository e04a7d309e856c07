"""What an act hands back: steps to print, each with the commands that were run and the answers they had to give."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be so, in words, with what was expected and what was found."""

    claim: str
    expected: str
    found: str

    @property
    def held(self) -> bool:
        """Whether it is so."""
        return self.expected == self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A command as a person types it, and of what it printed the lines that matter here."""

    command: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One moment of the story."""

    title: str
    story: str
    checks: tuple[Check, ...]
    shown: tuple[Shown, ...] = ()

    @property
    def held(self) -> bool:
        """Whether everything in it ended as it should."""
        return all(check.held for check in self.checks)


def step(name: str, *, shown: Sequence[Shown], checks: Sequence[Check]) -> Step:
    """A step with its words from ``story.toml``."""
    words = _story()[name]
    story = " ".join(words["story"].split())
    return Step(title=words["title"], story=story, checks=tuple(checks), shown=tuple(shown))


def check(claim: str, expected: object, found: object) -> Check:
    """A check of two values by their text; enums count by what they print."""
    return Check(claim=claim, expected=str(expected), found=str(found))


def excerpt(text: str, *patterns: str) -> tuple[str, ...]:
    """The lines in which one of ``patterns`` occurs, or all; a gap is one line with an ellipsis."""
    return tuple(_with_gaps([line.rstrip() for line in text.splitlines()], patterns))


def _with_gaps(lines: Sequence[str], patterns: Sequence[str]) -> Iterator[str]:
    gap = begun = False
    for line in lines:
        if not patterns or any(re.search(pattern, line) for pattern in patterns):
            if gap and begun:
                yield "…"
            gap, begun = False, True
            yield line
        elif line:
            gap = True


@cache
def _story() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("syncbot.demo") / "story.toml").read_text(encoding="utf-8"))
