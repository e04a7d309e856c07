"""Taking a change out hunk by hunk, where a merge cannot. Pure: lines in, cuts and reasons out.

For every hunk of the change (``a`` is the side that goes, ``b`` the side that comes) the question is where its lines
are today. Lines that are there go, even if their neighbours were rewritten; what comes is put in only where its
surroundings stand; what somebody took away already stays away; what somebody rewrote is a conflict.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from syncbot.edit import lines as said
from syncbot.edit import python
from syncbot.edit.align import Alignment, reindented, resembles, window
from syncbot.edit.coming import comes_back, definitions
from syncbot.edit.places import Cut, Fate, Place, Sides, cuts_at, joined, trim, trimmed
from syncbot.edit.rewrap import rewrapped
from syncbot.git.merge import Hunk


def places(sides: Sides, hunks: Sequence[Hunk]) -> list[Place]:
    """Return what became of each hunk, in order; a hunk may be answered in several parts."""
    found = {hunk: _places(sides, hunk) for hunk in hunks}
    for hunk in hunks:
        # What was only formatted is better changed word by word than given back as it once was wrapped.
        if any(place.fate in (Fate.STUCK, Fate.REFORMATTED) for place in found[hunk]):
            found |= {other: [place] for other, place in rewrapped(sides, hunks, hunk).items()}
    gone = [hunk for hunk in hunks if all(place.fate is Fate.GONE for place in found[hunk])]
    found |= {hunk: [Place(hunk, Fate.GONE)] for hunk in hunks if gone and _for_nobody(sides, hunk, gone)}
    return [place for hunk in hunks for place in found[hunk]]


def _for_nobody(sides: Sides, hunk: Hunk, gone: Sequence[Hunk]) -> bool:
    """Whether the hunk only brings back functions that nothing but lines of hunks with no place any more would use."""
    comes = sides.b[hunk.b0 : hunk.b1]
    if any(line.strip() for line in sides.a[hunk.a0 : hunk.a1]) or not (names := definitions(comes)):
        return False
    lost = {i for other in gone for i in range(other.b0, other.b1)}
    named = re.compile(rb"\b(?:" + b"|".join(re.escape(name.encode()) for name in names) + rb")\b")
    uses = [i for i, line in enumerate(sides.b) if named.search(line) and not hunk.b0 <= i < hunk.b1]
    return bool(uses) and lost.issuperset(uses) and not any(named.search(line) for line in sides.h)


def _places(sides: Sides, hunk: Hunk) -> list[Place]:
    place = _fate(sides, sides.alignment, hunk, sides.path)
    if place.fate is Fate.STUCK and _imports_only(sides, hunk):
        place = Place(hunk, Fate.IMPORTS)
    if place.fate in (Fate.STUCK, Fate.GONE):
        place = relocated(sides, hunk) or place
    if place.fate in (Fate.STUCK, Fate.PART) and (parts := _parts(sides, hunk)):
        answers = [_settled(sides, part) for part in parts]
        if all(answer.fate is not Fate.STUCK for answer in answers):
            return answers
    return [place]


def _settled(sides: Sides, hunk: Hunk) -> Place:
    place = _fate(sides, sides.alignment, hunk, sides.path)
    if place.fate in (Fate.STUCK, Fate.GONE):
        if _imports_only(sides, hunk):
            return Place(hunk, Fate.IMPORTS)
        place = relocated(sides, hunk) or place
    return rewrapped(sides, [hunk], hunk).get(hunk, place) if place.fate is Fate.STUCK else place


def _fate(sides: Sides, alignment: Alignment, hunk: Hunk, path: str) -> Place:
    a0, a1 = trim(sides.a, hunk.a0, hunk.a1)
    if a0 == a1:
        return comes_back(sides, alignment, hunk, path)
    comes = tuple(sides.b[hunk.b0 : hunk.b1])
    core = [i for i in range(a0, a1) if sides.a[i].strip()]
    there = [alignment.places[i] for i in core]
    if None not in there:
        return _all_there(sides, alignment, hunk, path, (a0, a1), comes)
    low, high = alignment.gap(hunk.a0, hunk.a1)
    if found := window(alignment.h, low, high, sides.a[a0:a1]):
        new = tuple(reindented(trimmed(comes), sides.a[a0], alignment.h[found[0]]))
        return Place(hunk, Fate.REFORMATTED, cuts_at(path, alignment.h, *found, new), "", *found)
    newcomers = alignment.newcomers(low, high)
    if any(line.strip() for line in comes):
        inner = trimmed(comes)
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
    cuts = [cuts_at(path, alignment.h, place, place + 1, ()) for place in there if place is not None]
    return Place(hunk, Fate.PART if cuts else Fate.GONE, joined([cut for some in cuts for cut in some], alignment.h))


def _half_back(alignment: Alignment, newcomers: Sequence[int], comes: Sequence[bytes]) -> bool:
    """Whether what stands in the gap is a part of what comes back, in its order."""
    wanted = iter([said.normal(line) for line in comes])
    return bool(newcomers) and all(said.normal(alignment.h[j]) in wanted for j in newcomers)


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
        return Place(hunk, Fate.THERE, joined(cuts, alignment.h), "", first, end)
    whole = [alignment.places[i] for i in range(hunk.a0, hunk.a1)]
    neighbours = _neighbours_stand(alignment, hunk, first - (core[0] - hunk.a0), end + (hunk.a1 - core[1]))
    if (comes or neighbours) and whole == list(range(first - (core[0] - hunk.a0), end + (hunk.a1 - core[1]))):
        start, stop = whole[0], (whole[-1] or 0) + 1
        assert start is not None
        new = tuple(reindented(comes, sides.a[core[0]], alignment.h[first]))
        return Place(hunk, Fate.THERE, (Cut(path, start, stop, new),), "", start, stop)
    new = tuple(reindented(trimmed(comes), sides.a[core[0]], alignment.h[first]))
    return Place(hunk, Fate.THERE, cuts_at(path, alignment.h, first, end, new), "", first, end)


def _neighbours_stand(alignment: Alignment, hunk: Hunk, start: int, end: int) -> bool:
    """Whether the lines right before and after the hunk are the ones it had: then its own blank lines are right."""
    above = hunk.a0 == 0 or alignment.places[hunk.a0 - 1] == start - 1
    below = hunk.a1 == len(alignment.a) or alignment.places[hunk.a1] == end
    return above and below


def _why(
    sides: Sides, core: Sequence[int], there: Sequence[int | None], alignment: Alignment, newcomers: Sequence[int]
) -> str:
    gone = [i for i, place in zip(core, there, strict=True) if place is None]
    if not newcomers:
        return f"{len(gone)} of the {len(core)} lines the change left here were taken away since"
    first = said.text(sides.a[gone[0]]).strip()
    now = said.text(alignment.h[newcomers[0]]).strip()
    return f"rewritten since: {first[:70]!r} stood where now {now[:70]!r} does"


def _enclosing_gone(sides: Sides, hunk: Hunk) -> bool:
    if sides.was.tree is None or sides.today.tree is None:
        return False
    span = python.enclosing(python.spans(sides.was.tree), *trim(sides.a, hunk.a0, hunk.a1))
    return span is not None and all(other.qualname != span.qualname for other in python.spans(sides.today.tree))


def _imports_only(sides: Sides, hunk: Hunk) -> bool:
    """Whether all the hunk's lines, on both sides, belong to import statements of a Python file."""
    if sides.was.tree is None or sides.wanted.tree is None or sides.today.tree is None:
        return False
    for content, start, end in ((sides.was, hunk.a0, hunk.a1), (sides.wanted, hunk.b0, hunk.b1)):
        if any(content.lines[i].strip() and i not in content.import_lines for i in range(start, end)):
            return False
    return True


def _parts(sides: Sides, hunk: Hunk) -> list[Hunk]:
    """Split a hunk that only added lines into its whole statements, each with the comment above it."""
    if sides.was.tree is None or any(line.strip() for line in sides.b[hunk.b0 : hunk.b1]):
        return []
    start, end = trim(sides.a, hunk.a0, hunk.a1)
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
    start, end = trim(sides.a, hunk.a0, hunk.a1)
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
