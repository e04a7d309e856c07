"""The rules a result must keep, whichever step made it. Pure but for the search it is handed.

A change may take away only what it wrote and bring back only what its parent had, must leave none of its own lines
behind, must not break a name, and must end in files that still parse. What was wrong before is not held against it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from syncbot.edit import blocks, data, python
from syncbot.edit import lines as said
from syncbot.edit.align import Alignment
from syncbot.edit.changed import Changed, new_faults
from syncbot.git.merge import Hunk
from syncbot.git.objects import is_binary
from syncbot.model.edit import Problem, ProblemKind
from syncbot.model.project import Marker

# A line that stands in more places than this says nothing about where it came from.
COMMON = 3
_CONFLICT = re.compile(rb"(?m)^(<{7} |={7}$|>{7} |\|{7} )")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One file with everything the rules need: the change's own hunks, today's and the result's."""

    file: Changed
    alignment: Alignment
    change: Sequence[Hunk]
    result: Sequence[Hunk]
    is_text: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """How often each thing may go and may come, over all files of the change."""

    goes: Counter[str]
    comes: Counter[str]
    run_goes: str
    run_comes: str
    words_go: Counter[str]
    words_come: Counter[str]

    @classmethod
    def of(cls, judged: Iterable[Judged]) -> Owned:
        """Count the lines of the change itself."""
        goes: list[bytes] = []
        comes: list[bytes] = []
        for one in judged:
            for hunk in one.change:
                goes += one.file.a.lines[hunk.a0 : hunk.a1]
                comes += one.file.b.lines[hunk.b0 : hunk.b1]
        return cls(
            goes=said.counted(goes),
            comes=said.counted(comes),
            run_goes=said.fold_commas(said.normal(goes)),
            run_comes=said.fold_commas(said.normal(comes)),
            words_go=Counter(said.words(goes)),
            words_come=Counter(said.words(comes)),
        )


def broken(file: Changed) -> Iterator[Problem]:
    """Syntax, undefined names, formats that no longer parse, and conflict markers."""
    before, after = file.h, file.r
    if after.data is None or after.data == before.data or is_binary(after.data):
        return
    if after.tree is None and python.is_python(file.r.path) and (before.tree is not None or before.data is None):
        yield Problem(kind=ProblemKind.SYNTAX, path=file.r.path, line=0, detail="the result is no Python any more")
        return
    for fault in new_faults(before, after):
        yield Problem(
            kind=ProblemKind.UNDEFINED_NAME,
            path=file.r.path,
            line=fault.line,
            detail=f"{fault.name} would be undefined",
        )
    if error := data.new_error(file.r.path, before.data, after.data):
        yield Problem(kind=ProblemKind.SYNTAX, path=file.r.path, line=0, detail=error)
    if len(_CONFLICT.findall(after.data)) > len(_CONFLICT.findall(before.data or b"")):
        yield Problem(kind=ProblemKind.SYNTAX, path=file.r.path, line=0, detail="a conflict marker would stay")


def ownership(
    judged: Sequence[Judged], owned: Owned, rewrapped: frozenset[tuple[str, int]], *, merged: bool
) -> Iterator[Problem]:
    """Lines that go without being the change's, come without having been its parent's, or lose their header.

    In lines that were only ``rewrapped`` the words count: they stand beside words of others there.
    A three-way merge (``merged``) conflicts where newer lines stand inside a block, so only others can behead one.
    """
    goes, comes = owned.goes.copy(), owned.comes.copy()
    for one in judged:
        file = one.file
        skip_h, skip_r = (file.h.import_lines, file.r.import_lines) if one.result else ((), ())
        pure: set[int] = set()
        for hunk in one.result:
            taken = [(i, file.h.lines[i]) for i in range(hunk.a0, hunk.a1) if i not in skip_h]
            put = [(i, file.r.lines[i]) for i in range(hunk.b0, hunk.b1) if i not in skip_r]
            if any((file.h.path, i) in rewrapped for i, _ in taken):
                yield from _foreign_words(file.h.path, taken, put, owned)
                continue
            stays = said.counted(line for _, line in put)
            yield from _foreign(file.h.path, taken, goes, owned.run_goes, stays, "goes, and is not the change's own")
            stays = said.counted(line for _, line in taken)
            yield from _foreign(
                file.r.path, put, comes, owned.run_comes, stays, "comes, and was not there before the change"
            )
            if hunk.b0 == hunk.b1:
                pure.update(range(hunk.a0, hunk.a1))
        yield from _imports(judged, file)
        if not merged and (line := _headless(one, pure)) is not None:
            yield _line(
                ProblemKind.FOREIGN_LINE, file.h.path, line, "the block's header goes, newer lines in it would stay"
            )


def _headless(one: Judged, gone: set[int]) -> int | None:
    """Return the line of a block that would lose its header and keep newer lines; ``gone`` goes for nothing."""
    file = one.file
    if not gone:
        return None
    if file.h.tree is not None:
        return python.headless(file.h.tree, gone)
    own = {i for hunk in one.change for i in range(hunk.a0, hunk.a1)}
    known = {place for i, place in enumerate(one.alignment.places) if place is not None and i not in own}
    return blocks.headless(file.h.path, file.h.lines, gone, known)


def _imports(judged: Sequence[Judged], file: Changed) -> Iterator[Problem]:
    """Imports that go or come without being the change's, by what they import, wherever the statement stands."""
    if file.h.tree is None or file.r.tree is None or file.h.data == file.r.data:
        return
    gone, come = set(file.h.imports) - set(file.r.imports), set(file.r.imports) - set(file.h.imports)
    if gone:
        gone -= {key for one in judged for key in set(one.file.a.imports) - set(one.file.b.imports)}
    if come:
        come -= {key for one in judged for key in one.file.b.imports}
    for key in sorted(gone, key=str):
        item = file.h.imports[key]
        yield _line(ProblemKind.FOREIGN_LINE, file.h.path, item.start, f"{item} goes, and is not the change's own")
    for key in sorted(come, key=str):
        item = file.r.imports[key]
        yield _line(ProblemKind.FOREIGN_LINE, file.r.path, item.start, f"{item} comes, and was not there before")


def _foreign(
    path: str, lines: Sequence[tuple[int, bytes]], budget: Counter[str], run: str, other: Counter[str], detail: str
) -> Iterator[Problem]:
    runs: list[list[tuple[int, bytes]]] = []
    last = -1
    for at, (number, line) in enumerate(lines):
        what = said.normal(line)
        if not what:
            continue
        if other[what] > 0:
            # The same thing on both sides of a hunk: wrapping or indentation, nobody's loss.
            other[what] -= 1
        elif budget[what] > 0:
            budget[what] -= 1
        elif last == at - 1 and runs:
            runs[-1].append((number, line))
            last = at
        else:
            runs.append([(number, line)])
            last = at
    for unknown in runs:
        if said.fold_commas(said.normal(line for _, line in unknown)) not in run:
            number, line = unknown[0]
            yield _line(ProblemKind.FOREIGN_LINE, path, number, f"{said.text(line).strip()[:80]!r} {detail}")


def _foreign_words(
    path: str, taken: Sequence[tuple[int, bytes]], put: Sequence[tuple[int, bytes]], owned: Owned
) -> Iterator[Problem]:
    old, new = (Counter(said.words(line for _, line in lines)) for lines in (taken, put))
    for words, known, detail in (
        (old - new, owned.words_go, "goes, and is not the change's own"),
        (new - old, owned.words_come, "comes, and was not there before the change"),
    ):
        for word in words - known:
            yield _line(ProblemKind.FOREIGN_LINE, path, taken[0][0], f"{word[:80]!r} {detail}")


def _line(kind: ProblemKind, path: str, number: int, detail: str) -> Problem:
    return Problem(kind=kind, path=path, line=number + 1, detail=detail)


def left_behind(judged: Sequence[Judged], owned: Owned, found_again: set[tuple[str, int]]) -> Iterator[Problem]:
    """The change's own lines that would stay where they are, imports (judged by use) left out."""
    for one in judged:
        gone = {i for hunk in one.result for i in range(hunk.a0, hunk.a1)}
        for hunk in one.change:
            for i in range(hunk.a0, hunk.a1):
                line, place = one.file.a.lines[i], one.alignment.places[i]
                if place is None or place in gone or not said.is_telling(line):
                    continue
                if (
                    owned.comes[said.normal(line)]
                    or (one.file.a.path, i) in found_again
                    or i in one.file.a.import_lines
                ):
                    continue
                yield _line(
                    ProblemKind.OWN_LINE_LEFT, one.file.h.path, place, f"{said.text(line).strip()[:80]!r} would stay"
                )


def doubled(judged: Iterable[Judged]) -> Iterator[Problem]:
    """Runs of lines that come though they stand in the same file already: a merge puts them beside each other."""
    for one in judged:
        for hunk in one.change if one.result else ():
            run = [what for line in one.file.b.lines[hunk.b0 : hunk.b1] if (what := said.normal(line))]
            if sum(said.is_telling(line) for line in one.file.b.lines[hunk.b0 : hunk.b1]) < COMMON:
                continue
            known, before, after = (_places(content.lines, run) for content in (one.file.b, one.file.h, one.file.r))
            if before and len(after) > max(len(known), len(before)):
                what = said.text(one.file.r.lines[after[-1]]).strip()[:80]
                yield _line(ProblemKind.TWICE, one.file.r.path, after[-1], f"{what!r} is there already")


def _places(lines: Sequence[bytes], run: Sequence[str]) -> list[int]:
    """Return the lines where ``run`` begins, blank lines left out."""
    whole = [(i, what) for i, line in enumerate(lines) if (what := said.normal(line))]
    return [
        i for at, (i, what) in enumerate(whole)
        if what == run[0] and [other for _, other in whole[at : at + len(run)]] == run
    ]  # fmt: skip


def lost_lines(judged: Sequence[Judged], owned: Owned, found_again: set[tuple[str, int]]) -> dict[str, Judged]:
    """Return the change's own telling lines that are no longer where they were, and that no step found again."""
    lost = {}
    for one in judged:
        for hunk in one.change:
            for i in range(hunk.a0, hunk.a1):
                line = one.file.a.lines[i]
                if one.alignment.places[i] is not None or (one.file.a.path, i) in found_again:
                    continue
                if said.is_telling(line) and not owned.comes[said.normal(line)] and i not in one.file.a.import_lines:
                    lost[said.text(line).strip()] = one
    return lost


def moved_within(lost: dict[str, Judged]) -> Iterator[Problem]:
    """Lost lines that stand elsewhere in the same file of the result, where the file held each only once."""
    places: dict[int, tuple[dict[str, list[int]], Counter[str]]] = {}
    for what, one in lost.items():
        if id(one) not in places:
            now: dict[str, list[int]] = {}
            for i, line in enumerate(one.file.r.lines):
                now.setdefault(said.normal(line), []).append(i)
            places[id(one)] = now, said.counted(one.file.b.lines)
        found, before = places[id(one)]
        wanted = said.normal(what.encode("utf-8", "surrogateescape"))
        here = found.get(wanted, [])
        if before[wanted] < len(here) <= COMMON:
            yield _line(ProblemKind.MOVED_AWAY, one.file.r.path, here[-1], f"{what[:80]!r} was moved here")


def markers(files: Sequence[Changed], wanted: Iterable[Marker], *, present: bool) -> Iterator[Problem]:
    """The manifest's markers: gone after a removal, there after the change was put on."""
    contents = {file.r.path: file.r.data for file in files}
    for marker in wanted:
        if marker.path not in contents:
            continue
        count = (contents[marker.path] or b"").count(marker.text.encode())
        if present and count < (marker.count or 1):
            yield Problem(kind=ProblemKind.MARKER, path=marker.path, line=0, detail=f"{marker.text!r} is not there")
        if not present and count:
            yield Problem(kind=ProblemKind.MARKER, path=marker.path, line=0, detail=f"{marker.text!r} is still there")
