"""What became of each hunk of a change, as values, and how the cuts that follow from it are made. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from syncbot.edit import lines as said
from syncbot.edit import python
from syncbot.edit.align import Alignment
from syncbot.edit.changed import Content
from syncbot.git.merge import Hunk


class Fate(Enum):
    """What became of a hunk's place."""

    THERE = "there"
    MOVED = "moved"
    REFORMATTED = "reformatted"
    REWRAPPED = "rewrapped"
    PART = "part"
    GONE = "gone"
    DONE = "done"
    IMPORTS = "imports"
    BLANK = "blank"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True)
class Cut:
    """Lines ``[start, end)`` of today's ``path`` become ``new``."""

    path: str
    start: int
    end: int
    new: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One hunk (or a part of one), what became of it, and the cuts that undo it. ``reason`` says why it is stuck."""

    hunk: Hunk
    fate: Fate
    cuts: tuple[Cut, ...] = ()
    reason: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Other:
    """A file where a function was found again: its path, its lines and its functions."""

    path: str
    lines: Sequence[bytes]
    spans: Sequence[python.Span]


@dataclass(frozen=True, slots=True)
class Sides:
    """Everything known of one file: the side that goes, the side that comes, and today's.

    ``elsewhere`` finds a function by qualified name in another file of the branch.
    """

    path: str
    was: Content
    wanted: Content
    today: Content
    alignment: Alignment
    elsewhere: Callable[[python.Span], Other | None]

    @property
    def a(self) -> Sequence[bytes]:
        """The lines of the side that goes."""
        return self.was.lines

    @property
    def b(self) -> Sequence[bytes]:
        """The lines of the side that comes."""
        return self.wanted.lines

    @property
    def h(self) -> Sequence[bytes]:
        """The lines of today."""
        return self.today.lines


def trim(lines: Sequence[bytes], start: int, end: int) -> tuple[int, int]:
    """Return ``[start, end)`` without the blank lines at its edges."""
    while start < end and said.is_blank(lines[start]):
        start += 1
    while end > start and said.is_blank(lines[end - 1]):
        end -= 1
    return start, end


def trimmed(lines: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return lines without the blank ones at their edges."""
    start, end = trim(lines, 0, len(lines))
    return tuple(lines[start:end])


def cuts_at(path: str, h: Sequence[bytes], start: int, end: int, new: tuple[bytes, ...]) -> tuple[Cut, ...]:
    """Return the cut, widened over blank lines so that the seam has no more of them than one side had before."""
    if new:
        return (Cut(path, start, end, new),)
    return (Cut(path, *said.seam(h, start, end), ()),)


def joined(cuts: Sequence[Cut], h: Sequence[bytes]) -> tuple[Cut, ...]:
    """Return single-line cuts as runs, blank lines between two of them included, each seam kept tidy."""
    runs: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: cut.start):
        if runs and all(said.is_blank(line) for line in h[runs[-1].end : cut.start]):
            runs[-1] = Cut(cut.path, runs[-1].start, cut.end, ())
        else:
            runs.append(cut)
    return tuple(piece for run in runs for piece in cuts_at(run.path, h, run.start, run.end, ()))


def apply(lines: Sequence[bytes], cuts: Sequence[Cut]) -> list[bytes] | None:
    """Return ``lines`` with all ``cuts`` made, or None where two of them overlap."""
    result: list[bytes] = []
    at = 0
    for cut in sorted(set(cuts), key=lambda cut: (cut.start, cut.end)):
        if cut.start < at:
            if all(said.is_blank(line) for line in lines[cut.start : at]) and not cut.new and cut.end >= at:
                at = cut.end
                continue
            return None
        result += lines[at : cut.start]
        result += cut.new
        at = cut.end
    result += lines[at:]
    # A last line without an end that is no longer the last would run into the next one.
    if all(line.endswith(b"\n") for line in result[:-1]):
        return result
    end = b"\r\n" if any(line.endswith(b"\r\n") for line in lines) else b"\n"
    return [line if line.endswith(b"\n") else line + end for line in result[:-1]] + result[-1:]
