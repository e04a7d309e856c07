"""How much of one diff stands in another: the measure behind claims that a message alone cannot carry.

Compared are the *changes*, not files. A target's current files say nothing about a fix, since later work rewrites its
lines; of 150 changes that are ancestors of one AITER release, 115 look incomplete in its files.

Measured is what a change brings: its distinct added lines. What it takes away reads differently on an older branch, so
removed lines count only where a change adds too little to tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Lines = frozenset[bytes]

_TELLING = re.compile(rb"^[+-][^\n]*[0-9A-Za-z\x80-\xff][^\n]*", re.MULTILINE)

CONTAINED = 0.95
"""At least this share of the fix's telling lines: the claim holds."""
NOTHING = 0.05
"""Below this share the claim is empty; between the two it is partial."""
UNDONE = 0.5
"""A revert named only inside a squash body counts from this share of undone lines."""
ALIKE = 0.8
"""From this share a commit without any claim is worth a person's look. In AITER's releases the true ones score 0.89 and
more, the best false one 0.71."""
ENOUGH = 3
"""Fewer telling lines than this prove nothing without a claim, and only weakly with one."""


def telling_lines(patch: bytes) -> Lines:
    """The distinct added and removed lines of a patch, sign first, white space folded; no blanks, no bare brackets."""
    lines: set[bytes] = set()
    for file in patch.split(b"\ndiff --git "):
        _, _, hunks = file.partition(b"\n@@")
        for line in _TELLING.findall(hunks):
            lines.add(line[:1] + b" ".join(line[1:].split()))
    return frozenset(lines)


def changed_lines(patch: bytes) -> tuple[list[bytes], list[bytes]]:
    """All removed and all added lines of a patch as they are, each sorted: where white space is what counts."""
    hunks = [line for file in patch.split(b"\ndiff --git ") for line in file.partition(b"\n@@")[2].split(b"\n")]
    removed, added = (sorted(line[1:] for line in hunks if line[:1] == sign) for sign in (b"-", b"+"))
    return removed, added


def flipped(lines: Lines) -> Lines:
    """The same change backwards: what was added is removed."""
    swap = {b"+": b"-", b"-": b"+"}
    return frozenset(swap[line[:1]] + line[1:] for line in lines)


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a fix is in another change; ``share`` is a fraction of its telling lines, None if it has none."""

    share: float | None
    present: Lines
    missing: Lines

    @property
    def words(self) -> str:
        """``12 of 15``: how many of the fix's telling lines are there."""
        return f"{len(self.present)} of {len(self.present) + len(self.missing)}"

    @property
    def total(self) -> int:
        """How many telling lines were compared."""
        return len(self.present) + len(self.missing)


def overlap(fix: Lines, other: Lines) -> Overlap:
    """Compare the lines the fix adds (or, where those are fewer than `ENOUGH`, all its lines) with another change."""
    added = frozenset(line for line in fix if line[:1] == b"+")
    compared = added if len(added) >= ENOUGH else fix
    present = compared & other
    return Overlap(len(present) / len(compared) if compared else None, present, compared - present)
