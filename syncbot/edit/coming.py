"""Putting lines back where a change took them out: only where their surroundings stand. Pure."""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Sequence

from syncbot.edit import lines as said
from syncbot.edit import python
from syncbot.edit.align import Alignment, reindented, resembles, window
from syncbot.edit.places import Cut, Fate, Place, Sides, trimmed
from syncbot.git.merge import Hunk

_HEAD = re.compile(rb"(\s*([A-Za-z_][\w.]*))\s*[=:(\[]")


def comes_back(sides: Sides, alignment: Alignment, hunk: Hunk, path: str) -> Place:
    """Put lines in at a gap: only where both its sides stand, or one does and the other was rewritten in place."""
    comes = tuple(sides.b[hunk.b0 : hunk.b1])
    if not any(line.strip() for line in comes):
        return _only_blank(alignment, hunk, path, comes)
    above = next((i for i in range(hunk.a0 - 1, -1, -1) if alignment.a[i].strip()), None)
    below = next((i for i in range(hunk.a1, len(alignment.a)) if alignment.a[i].strip()), None)
    up = 0 if above is None else alignment.places[above]
    down = len(alignment.h) if below is None else alignment.places[below]
    low, high = alignment.gap(hunk.a0, hunk.a1)
    if _there_already(alignment, hunk, comes, low, high):
        return Place(hunk, Fate.DONE)
    newcomers = alignment.newcomers(low, high)
    if up is not None and down is not None and not newcomers:
        return _between(
            alignment, hunk, path, comes, above if above is not None else below, _seam(alignment, hunk, above, low)
        )
    if up is None and down is None and not newcomers and surroundings_gone(alignment, hunk):
        return Place(hunk, Fate.GONE)
    at = None
    if hunk.a0 == hunk.a1 and newcomers:
        if (up is not None or down is not None) and definitions(comes):
            at = _beside(comes, above, up, down)
        elif up is not None and below is not None and _in_place(alignment, below, newcomers, up + 1):
            at = up + 1
        elif down is not None and above is not None and _in_place(alignment, above, newcomers, down):
            at = down
        elif above is not None and below is not None:
            at = _line_for_line(alignment, above, below, newcomers)
    if at is not None:
        return Place(hunk, Fate.THERE, (Cut(path, at, at, comes),), "", at, at)
    return Place(hunk, Fate.STUCK, (), "what stood around the lines the change took out has changed", low, high)


def _there_already(alignment: Alignment, hunk: Hunk, comes: Sequence[bytes], low: int, high: int) -> bool:
    """Whether the lines stand in the gap, or in one a little further up or down that says the same.

    Lines that begin or end like their neighbours (a decorator) can be said to come a little earlier or later.
    """
    if window(alignment.h, low, high, trimmed(comes)):
        return True
    for step in (-1, 1):
        lines = list(comes)
        for shift in range(1, len(comes) if hunk.a0 == hunk.a1 else 1):
            at = hunk.a0 - shift if step < 0 else hunk.a0 + shift - 1
            if not 0 <= at < len(alignment.a) or alignment.a[at] != lines[-1 if step < 0 else 0]:
                break
            lines = [lines[-1], *lines[:-1]] if step < 0 else [*lines[1:], lines[0]]
            if window(alignment.h, max(low - shift, 0), high + shift, trimmed(lines)):
                return True
    return False


def _in_place(alignment: Alignment, lost: int, newcomers: Sequence[int], at: int) -> bool:
    """Whether the neighbour ``lost`` was rewritten where it stood, beside the gap ``at``: alike, or one for one."""
    if newcomers[0] == at:
        there, step = newcomers[0], 1
    elif newcomers[-1] == at - 1:
        there, step = newcomers[-1], -1
    else:
        return False
    if resembles(alignment.a[lost], alignment.h[there]):
        return True
    count, i = 0, lost
    while 0 <= i < len(alignment.a) and alignment.places[i] is None:
        count += bool(alignment.a[i].strip())
        i += step
    return count == len(newcomers)


def _line_for_line(alignment: Alignment, above: int, below: int, newcomers: Sequence[int]) -> int | None:
    """Return the gap between two neighbours that both were rewritten where they stood; None where that is not sure.

    All lines between what stands on both sides must have come one for one, and the neighbours still give to the same
    name, or call it: ``stream = one`` and ``stream = wrapped(one)``.
    """
    first, last = alignment.before(above), alignment.after(below)
    start, end = 0 if first is None else first + 1, len(alignment.a) if last is None else last
    lost = [i for i in range(start, end) if alignment.a[i].strip()]
    if len(lost) != len(newcomers) or above not in lost or below not in lost:
        return None
    now = dict(zip(lost, newcomers, strict=True))
    same = all(_head(alignment.a[i]) and _head(alignment.a[i]) == _head(alignment.h[now[i]]) for i in (above, below))
    return now[above] + 1 if same else None


def _head(line: bytes) -> bytes:
    """Return the indentation and the name that a line gives a value to, or calls; nothing where it does neither."""
    match = _HEAD.match(line)
    return match[1] if match and not keyword.iskeyword(match[2].decode()) else b""


def _beside(comes: Sequence[bytes], above: int | None, up: int | None, down: int | None) -> int | None:
    """Return where whole functions go: they have no order that matters, and their blank lines say on which side."""
    if down is not None and (said.is_blank(comes[-1]) or up is None or above is None):
        return down
    return up + 1 if up is not None and above is not None and said.is_blank(comes[0]) else down


def _between(
    alignment: Alignment, hunk: Hunk, path: str, comes: tuple[bytes, ...], old: int | None, seam: int
) -> Place:
    """Fill a gap whose two sides stand, in place of the blank lines it had, indented as its neighbour is today."""
    blanks = [alignment.places[i] for i in range(hunk.a0, hunk.a1)]
    start = end = seam
    if blanks and None not in blanks:
        start, end = blanks[0] or 0, (blanks[-1] or 0) + 1
    if old is not None:
        comes = tuple(reindented(comes, alignment.a[old], alignment.h[alignment.places[old] or 0]))
    return Place(hunk, Fate.THERE, (Cut(path, start, end, comes),), "", start, end)


def _only_blank(alignment: Alignment, hunk: Hunk, path: str, comes: tuple[bytes, ...]) -> Place:
    """A hunk of blank lines: done where they all stand, or where its two neighbours do; and no loss elsewhere."""
    whole = [alignment.places[i] for i in range(hunk.a0, hunk.a1)]
    first = whole[0] if whole else None
    if not whole and 0 < hunk.a0 < len(alignment.a):
        above, below = alignment.places[hunk.a0 - 1], alignment.places[hunk.a0]
        if above is not None and below == above + 1:
            return Place(hunk, Fate.THERE, (Cut(path, below, below, comes),))
    if first is not None and whole == list(range(first, first + len(whole))):
        return Place(hunk, Fate.THERE, (Cut(path, first, first + len(whole), comes),))
    return Place(hunk, Fate.BLANK)


def definitions(comes: Sequence[bytes]) -> list[str]:
    """Return the names of the functions and classes that the lines are, at whatever indentation; none for others."""
    tree = python.parse(textwrap.dedent(b"".join(comes).decode("utf-8", "replace")).encode())
    found = [node.name for node in tree.body if isinstance(node, python.SCOPE)] if tree is not None else []
    return found if tree is not None and len(found) == len(tree.body) else []


def _seam(alignment: Alignment, hunk: Hunk, above: int | None, low: int) -> int:
    """Return where in ``h`` the gap before line ``hunk.a0`` of ``a`` is, blank lines of the gap counted as in ``a``."""
    if hunk.a0 > 0 and (place := alignment.places[hunk.a0 - 1]) is not None:
        return place + 1
    if hunk.a0 < len(alignment.a) and (place := alignment.places[hunk.a0]) is not None:
        return place
    return low if above is not None else 0


def surroundings_gone(alignment: Alignment, hunk: Hunk, reach: int = 3) -> bool:
    """Whether the nearest lines that say something, on both sides of a hunk, are gone as well."""
    before = [i for i in range(hunk.a0 - 1, -1, -1) if alignment.a[i].strip()][:reach]
    after = [i for i in range(hunk.a1, len(alignment.a)) if alignment.a[i].strip()][:reach]
    return all(alignment.places[i] is None for i in [*before, *after])
