"""Taking a change out hunk by hunk, where a merge cannot. Pure: lines in, cuts and reasons out.

For every hunk of the change (``a`` is the side that goes, ``b`` the side that comes) the question is where its lines
are today. Lines that are there go, even if their neighbours were rewritten; what comes is put in only where its
surroundings stand; what somebody took away already stays away; what somebody rewrote is a conflict.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from syncbot.edit import lines as said
from syncbot.edit import python
from syncbot.edit.align import Alignment, reindented, resembles, window
from syncbot.edit.changed import Content
from syncbot.git.merge import Hunk


class Fate(Enum):
    """What became of a hunk's place."""

    THERE = "there"
    MOVED = "moved"
    REFORMATTED = "reformatted"
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


def places(sides: Sides, hunks: Sequence[Hunk]) -> list[Place]:
    """Return what became of each hunk, in order; a hunk may be answered in several parts."""
    found: list[Place] = []
    for hunk in hunks:
        place = _fate(sides, sides.alignment, hunk, sides.path)
        if place.fate is Fate.STUCK and _imports_only(sides, hunk):
            place = Place(hunk, Fate.IMPORTS)
        if place.fate in (Fate.STUCK, Fate.GONE):
            place = relocated(sides, hunk) or place
        if place.fate in (Fate.STUCK, Fate.PART) and (parts := _parts(sides, hunk)):
            answers = [_settled(sides, part) for part in parts]
            if all(answer.fate is not Fate.STUCK for answer in answers):
                found += answers
                continue
        found.append(place)
    return found


def _settled(sides: Sides, hunk: Hunk) -> Place:
    place = _fate(sides, sides.alignment, hunk, sides.path)
    if place.fate in (Fate.STUCK, Fate.GONE):
        if _imports_only(sides, hunk):
            return Place(hunk, Fate.IMPORTS)
        return relocated(sides, hunk) or place
    return place


def _core(lines: Sequence[bytes], start: int, end: int) -> tuple[int, int]:
    """Return ``[start, end)`` without the blank lines at its edges."""
    while start < end and said.is_blank(lines[start]):
        start += 1
    while end > start and said.is_blank(lines[end - 1]):
        end -= 1
    return start, end


def _fate(sides: Sides, alignment: Alignment, hunk: Hunk, path: str) -> Place:
    a0, a1 = _core(sides.a, hunk.a0, hunk.a1)
    if a0 == a1:
        return _comes_back(sides, alignment, hunk, path)
    comes = tuple(sides.b[hunk.b0 : hunk.b1])
    core = [i for i in range(a0, a1) if sides.a[i].strip()]
    there = [alignment.places[i] for i in core]
    if None not in there:
        return _all_there(sides, alignment, hunk, path, (a0, a1), comes)
    low, high = alignment.gap(hunk.a0, hunk.a1)
    if found := window(alignment.h, low, high, sides.a[a0:a1]):
        new = tuple(reindented(_inner(comes), sides.a[a0], alignment.h[found[0]]))
        return Place(hunk, Fate.REFORMATTED, _cuts(path, alignment.h, *found, new), "", *found)
    newcomers = alignment.newcomers(low, high)
    if any(line.strip() for line in comes):
        inner = _inner(comes)
        if window(alignment.h, low, high, inner):
            if all(place is None for place in there):
                return Place(hunk, Fate.DONE)
        elif all(place is None for place in there) and not newcomers:
            return Place(hunk, Fate.GONE)
        elif all(place is None for place in there) and _half_back(alignment, newcomers, inner):
            # Somebody put a part of it back already; what is there now is all the parent's, so it can be completed.
            span = newcomers[0], newcomers[-1] + 1
            return Place(hunk, Fate.THERE, (Cut(path, *span, inner),), "", *span)
        return Place(hunk, Fate.STUCK, (), _why(sides, core, there, alignment, newcomers), low, high)
    alike = [
        i for i, place in zip(core, there, strict=True)
        if place is None and said.is_telling(sides.a[i])
        and any(resembles(sides.a[i], alignment.h[j]) for j in newcomers)
    ]  # fmt: skip
    if alike or (newcomers and not _enclosing_gone(sides, hunk)):
        return Place(hunk, Fate.STUCK, (), _why(sides, core, there, alignment, newcomers), low, high)
    cuts = [_cuts(path, alignment.h, place, place + 1, ()) for place in there if place is not None]
    return Place(hunk, Fate.PART if cuts else Fate.GONE, _joined([cut for some in cuts for cut in some], alignment.h))


def _half_back(alignment: Alignment, newcomers: Sequence[int], comes: Sequence[bytes]) -> bool:
    """Whether what stands in the gap is a part of what comes back, in its order."""
    wanted = iter([said.normal(line) for line in comes])
    return bool(newcomers) and all(said.normal(alignment.h[j]) in wanted for j in newcomers)


def _inner(lines: Sequence[bytes]) -> tuple[bytes, ...]:
    start, end = _core(lines, 0, len(lines))
    return tuple(lines[start:end])


def _all_there(
    sides: Sides, alignment: Alignment, hunk: Hunk, path: str, core: tuple[int, int], comes: tuple[bytes, ...]
) -> Place:
    first, last = alignment.places[core[0]], alignment.places[core[1] - 1]
    assert first is not None
    assert last is not None
    end = last + 1
    own = {alignment.places[i] for i in range(*core)}
    foreign = [j for j in range(first, end) if j not in own and alignment.h[j].strip()]
    if foreign:
        if any(line.strip() for line in comes):
            return Place(hunk, Fate.STUCK, (), "newer lines stand between the lines of the change", first, end)
        cuts = [Cut(path, place, place + 1, ()) for i in range(*core) if (place := alignment.places[i]) is not None]
        return Place(hunk, Fate.THERE, _joined(cuts, alignment.h), "", first, end)
    whole = [alignment.places[i] for i in range(hunk.a0, hunk.a1)]
    neighbours = _neighbours_stand(alignment, hunk, first - (core[0] - hunk.a0), end + (hunk.a1 - core[1]))
    if (comes or neighbours) and whole == list(range(first - (core[0] - hunk.a0), end + (hunk.a1 - core[1]))):
        start, stop = whole[0], (whole[-1] or 0) + 1
        assert start is not None
        new = tuple(reindented(comes, sides.a[core[0]], alignment.h[first]))
        return Place(hunk, Fate.THERE, (Cut(path, start, stop, new),), "", start, stop)
    new = tuple(reindented(_inner(comes), sides.a[core[0]], alignment.h[first]))
    return Place(hunk, Fate.THERE, _cuts(path, alignment.h, first, end, new), "", first, end)


def _neighbours_stand(alignment: Alignment, hunk: Hunk, start: int, end: int) -> bool:
    """Whether the lines right before and after the hunk are the ones it had: then its own blank lines are right."""
    above = hunk.a0 == 0 or alignment.places[hunk.a0 - 1] == start - 1
    below = hunk.a1 == len(alignment.a) or alignment.places[hunk.a1] == end
    return above and below


def _cuts(path: str, h: Sequence[bytes], start: int, end: int, new: tuple[bytes, ...]) -> tuple[Cut, ...]:
    """Return the cut, widened over blank lines so that the seam has no more of them than one side had before."""
    if new:
        return (Cut(path, start, end, new),)
    return (Cut(path, *said.seam(h, start, end), ()),)


def _joined(cuts: Sequence[Cut], h: Sequence[bytes]) -> tuple[Cut, ...]:
    """Return single-line cuts as runs, blank lines between two of them included, each seam kept tidy."""
    runs: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: cut.start):
        if runs and all(said.is_blank(line) for line in h[runs[-1].end : cut.start]):
            runs[-1] = Cut(cut.path, runs[-1].start, cut.end, ())
        else:
            runs.append(cut)
    return tuple(piece for run in runs for piece in _cuts(run.path, h, run.start, run.end, ()))


def _why(
    sides: Sides, core: Sequence[int], there: Sequence[int | None], alignment: Alignment, newcomers: Sequence[int]
) -> str:
    gone = [i for i, place in zip(core, there, strict=True) if place is None]
    if not newcomers:
        return f"{len(gone)} of the {len(core)} lines the change left here were taken away since"
    first = said.text(sides.a[gone[0]]).strip()
    now = said.text(alignment.h[newcomers[0]]).strip()
    return f"rewritten since: {first[:70]!r} stood where now {now[:70]!r} does"


def _surroundings_gone(alignment: Alignment, hunk: Hunk, reach: int = 3) -> bool:
    before = [i for i in range(hunk.a0 - 1, -1, -1) if alignment.a[i].strip()][:reach]
    after = [i for i in range(hunk.a1, len(alignment.a)) if alignment.a[i].strip()][:reach]
    return all(alignment.places[i] is None for i in [*before, *after])


def _enclosing_gone(sides: Sides, hunk: Hunk) -> bool:
    if sides.was.tree is None or sides.today.tree is None:
        return False
    span = python.enclosing(python.spans(sides.was.tree), *_core(sides.a, hunk.a0, hunk.a1))
    return span is not None and all(other.qualname != span.qualname for other in python.spans(sides.today.tree))


def _comes_back(sides: Sides, alignment: Alignment, hunk: Hunk, path: str) -> Place:
    """Put lines in at a gap: only where both its sides stand, or one does and the other was rewritten in place."""
    comes = tuple(sides.b[hunk.b0 : hunk.b1])
    if not any(line.strip() for line in comes):
        return _only_blank(alignment, hunk, path, comes)
    above = next((i for i in range(hunk.a0 - 1, -1, -1) if alignment.a[i].strip()), None)
    below = next((i for i in range(hunk.a1, len(alignment.a)) if alignment.a[i].strip()), None)
    up = 0 if above is None else alignment.places[above]
    down = len(alignment.h) if below is None else alignment.places[below]
    low, high = alignment.gap(hunk.a0, hunk.a1)
    if window(alignment.h, low, high, _inner(comes)):
        return Place(hunk, Fate.DONE)
    newcomers = alignment.newcomers(low, high)
    if up is not None and down is not None and not newcomers:
        return _between(
            alignment, hunk, path, comes, above if above is not None else below, _seam(alignment, hunk, above, low)
        )
    if up is None and down is None and not newcomers and _surroundings_gone(alignment, hunk):
        return Place(hunk, Fate.GONE)
    at = None
    if hunk.a0 == hunk.a1 and newcomers:
        if (up is not None or down is not None) and _definitions(comes):
            at = _beside(comes, above, up, down)
        elif up is not None and below is not None and _in_place(alignment, below, newcomers, up + 1):
            at = up + 1
        elif down is not None and above is not None and _in_place(alignment, above, newcomers, down):
            at = down
    if at is not None:
        return Place(hunk, Fate.THERE, (Cut(path, at, at, comes),), "", at, at)
    return Place(hunk, Fate.STUCK, (), "what stood around the lines the change took out has changed", low, high)


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
    """A hunk of blank lines: done where they all stand, and no loss where they do not."""
    whole = [alignment.places[i] for i in range(hunk.a0, hunk.a1)]
    first = whole[0] if whole else None
    if first is not None and whole == list(range(first, first + len(whole))):
        return Place(hunk, Fate.THERE, (Cut(path, first, first + len(whole), comes),))
    return Place(hunk, Fate.BLANK)


def _definitions(comes: Sequence[bytes]) -> bool:
    """Whether the lines are whole functions or classes, at whatever indentation, and nothing else."""
    tree = python.parse(textwrap.dedent(b"".join(comes).decode("utf-8", "replace")).encode())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return tree is not None and bool(tree.body) and all(isinstance(node, kinds) for node in tree.body)


def _seam(alignment: Alignment, hunk: Hunk, above: int | None, low: int) -> int:
    """Return where in ``h`` the gap before line ``hunk.a0`` of ``a`` is, blank lines of the gap counted as in ``a``."""
    if hunk.a0 > 0 and (place := alignment.places[hunk.a0 - 1]) is not None:
        return place + 1
    if hunk.a0 < len(alignment.a) and (place := alignment.places[hunk.a0]) is not None:
        return place
    return low if above is not None else 0


def _imports_only(sides: Sides, hunk: Hunk) -> bool:
    """Whether all the hunk's lines, on both sides, belong to import statements of a Python file."""
    if sides.was.tree is None or sides.wanted.tree is None or sides.today.tree is None:
        return False
    for tree, lines, start, end in (
        (sides.was.tree, sides.a, hunk.a0, hunk.a1),
        (sides.wanted.tree, sides.b, hunk.b0, hunk.b1),
    ):
        inside = {i for item in python.imports(tree) for i in range(item.start, item.end)}
        if any(lines[i].strip() and i not in inside for i in range(start, end)):
            return False
    return True


def _parts(sides: Sides, hunk: Hunk) -> list[Hunk]:
    """Split a hunk that only added lines into its whole statements, each with the comment above it."""
    if sides.was.tree is None or any(line.strip() for line in sides.b[hunk.b0 : hunk.b1]):
        return []
    start, end = _core(sides.a, hunk.a0, hunk.a1)
    bounds = sorted(_statements(sides.was.tree.body, start, end))
    if len(bounds) < 2:
        return []
    parts, at = [], hunk.a0
    for number, (_, stop) in enumerate(bounds):
        upto = hunk.a1 if number == len(bounds) - 1 else stop
        parts.append(Hunk(at, upto, hunk.b0, hunk.b0))
        at = upto
    return parts


def _statements(body: Sequence[ast.stmt], start: int, end: int) -> list[tuple[int, int]]:
    found = []
    for node in body:
        first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", ()))]) - 1
        last = node.end_lineno or node.lineno
        if start <= first and last <= end:
            found.append((first, last))
        elif first < end and last > start:
            for block in python.blocks(node):
                found += _statements(block, start, end)
    return found


def relocated(sides: Sides, hunk: Hunk) -> Place | None:
    """Find the function or class of the hunk again by its qualified name, here or in another file, and look there."""
    if sides.was.tree is None:
        return None
    start, end = _core(sides.a, hunk.a0, hunk.a1)
    known = python.spans(sides.was.tree)
    whole = [span for span in known if start <= span.start and span.end <= end and start < end]
    span = whole[0] if len(whole) == 1 and (whole[0].start, whole[0].end) == (start, end) else None
    span = span or python.enclosing(known, start, end)
    if span is None:
        return None
    here = (
        [] if sides.today.tree is None else [s for s in python.spans(sides.today.tree) if s.qualname == span.qualname]
    )
    if len(here) == 1:
        path, lines, target = sides.path, sides.h, here[0]
    else:
        other = None if here else sides.elsewhere(span)
        if other is None:
            return None
        path, lines = other.path, other.lines
        target = next(s for s in other.spans if s.qualname == span.qualname)
    alignment = Alignment.within(sides.a, range(span.start, span.end), lines, range(target.start, target.end))
    place = _fate(sides, alignment, hunk, path)
    if place.fate in (Fate.STUCK, Fate.PART) and path != sides.path:
        # The function lives on in another file, so its place is not gone, only beyond what can be decided.
        return Place(hunk, Fate.STUCK, (), f"{span.qualname} is in {path} now, and has changed there")
    if place.fate in (Fate.STUCK, Fate.GONE, Fate.PART):
        return None
    return Place(
        hunk, Fate.MOVED if place.fate is not Fate.DONE else place.fate, place.cuts, "", place.start, place.end
    )


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
    return result
