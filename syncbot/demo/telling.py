"""What an act hands back: steps to print, each with the answers it had to give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType


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
class Step:
    """One moment of the story. ``command`` is what a person would type to see what is ``shown``."""

    title: str
    story: str
    checks: tuple[Check, ...]
    command: str | None = None
    shown: tuple[RenderableType, ...] = ()

    @property
    def held(self) -> bool:
        """Whether everything in it ended as it should."""
        return all(check.held for check in self.checks)


def check(claim: str, expected: object, found: object) -> Check:
    """A check of two values by their text; enums count by what they print."""
    return Check(claim=claim, expected=str(expected), found=str(found))
