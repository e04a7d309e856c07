"""Where each line of one version of a file is in another. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field

from syncbot.edit import lines as said
from syncbot.git.merge import Hunk

_ALIKE = 0.55


@dataclass(frozen=True, slots=True)
class Alignment:
    """Lines ``a`` (what the change knew) against lines ``h`` (what is there now), both as bytes with their ends.

    ``places[i]`` is the line of ``h`` that line ``i`` of ``a`` became, None where it is gone.
    """

    a: Sequence[bytes]
    h: Sequence[bytes]
    places: Sequence[int | None]
    taken: frozenset[int] = field(default=frozenset())

    @classmethod
    def of(cls, a: Sequence[bytes], h: Sequence[bytes], hunks: Sequence[Hunk]) -> Alignment:
        """Build from what git says differs."""
        places: list[int | None] = [None] * len(a)
        i = j = 0
        for hunk in [*hunks, Hunk(len(a), len(a), len(h), len(h))]:
            while i < hunk.a0:
                places[i] = j
                i += 1
                j += 1
            i, j = hunk.a1, hunk.b1
        return cls(a, h, places, frozenset(place for place in places if place is not None))

    @classmethod
    def within(cls, a: Sequence[bytes], a_range: range, h: Sequence[bytes], h_range: range) -> Alignment:
        """Align only some lines of each, by what they say and not how they are indented."""
        left = [line.strip() for line in a[a_range.start : a_range.stop]]
        right = [line.strip() for line in h[h_range.start : h_range.stop]]
        places: list[int | None] = [None] * len(a)
        for block in difflib.SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
            for step in range(block.size):
                places[a_range.start + block.a + step] = h_range.start + block.b + step
        return cls(a, h, places, frozenset(place for place in places if place is not None))

    def before(self, i: int) -> int | None:
        """Return the nearest line of ``a`` before ``i`` that is still there and says something."""
        return next((k for k in range(i - 1, -1, -1) if self.places[k] is not None and self.a[k].strip()), None)

    def after(self, i: int) -> int | None:
        """Return the nearest line of ``a`` from ``i`` on that is still there and says something."""
        return next((k for k in range(i, len(self.a)) if self.places[k] is not None and self.a[k].strip()), None)

    def gap(self, a0: int, a1: int) -> tuple[int, int]:
        """Return the lines of ``h`` between what stood before ``a0`` and what stood from ``a1`` on."""
        before, after = self.before(a0), self.after(a1)
        low = 0 if before is None else (self.places[before] or 0) + 1
        high = len(self.h) if after is None else self.places[after]
        return low, max(low, high if high is not None else low)

    def newcomers(self, low: int, high: int) -> list[int]:
        """Return the lines of ``h`` in ``[low, high)`` that say something and are no line of ``a``."""
        return [j for j in range(low, high) if j not in self.taken and self.h[j].strip()]


def resembles(one: bytes, other: bytes) -> bool:
    """Whether one line looks like a rewritten form of the other."""
    left, right = said.normal(one), said.normal(other)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def window(h: Sequence[bytes], low: int, high: int, wanted: Sequence[bytes]) -> tuple[int, int] | None:
    """Return the one run of lines in ``h[low:high]`` that says what ``wanted`` says, however wrapped or quoted."""
    goal = said.fold_commas(said.normal(wanted))
    letters = said.letters(b"".join(wanted))
    if not goal or not letters:
        return None
    pieces = [said.letters(line) for line in h[low:high]]
    found = []
    for start, first in enumerate(pieces):
        if not first or not letters.startswith(first):
            continue
        at = 0
        for end in range(start, len(pieces)):
            if not letters.startswith(pieces[end], at):
                break
            at += len(pieces[end])
            if at == len(letters):
                run = h[low + start : low + end + 1]
                if said.fold_commas(said.normal(run)) == goal:
                    found.append((low + start, low + end + 1))
                break
    return found[0] if len(found) == 1 else None


def reindented(lines: Sequence[bytes], old: bytes, new: bytes) -> list[bytes]:
    """Return ``lines`` shifted as the line ``old`` was shifted to become ``new``."""
    was, now = _indent(old), _indent(new)
    if was == now:
        return list(lines)
    shifted = []
    for line in lines:
        if line.strip() and line.startswith(was):
            shifted.append(now + line[len(was) :])
        elif line.strip() and was.startswith(now) and line.startswith(now):
            shifted.append(line)
        else:
            shifted.append(line)
    return shifted


def _indent(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip(b" \t"))]
