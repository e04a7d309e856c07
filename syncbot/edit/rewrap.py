"""Changing a statement that somebody only wrapped otherwise since: the change's own words, on today's lines. Pure.

A formatter that ran over the file joins lines of the change with lines of others, and no line of either is left. What
the statements say decides then: where today's are, by syntax tree and word by word, those the change left, its words
are taken out and put in among today's, and the result must be the statements the change started from.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.edit import lines as said
from syncbot.edit.align import reindented
from syncbot.edit.places import Fate, Place, Sides, cuts_at
from syncbot.git.merge import Hunk

_MOST_LINES = 80
_WORD = re.compile(r"(\s*)(#[^\n]*|\w+|[^\w\s])")
# What a formatter adds and drops where it wraps. Brackets are more than that: what they hold may have changed hands.
_FREE = frozenset(",\\")
_OPEN, _SHUT = frozenset("([{"), frozenset(")]}")
# Nothing of these begins a line of its own once the word before it is gone.
_TAIL = _SHUT | frozenset(",:.")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word with the white space before it; ``depth`` counts the brackets it stands in."""

    space: str
    text: str
    depth: int

    @property
    def starts_line(self) -> bool:
        return "\n" in self.space


def rewrapped(sides: Sides, hunks: Sequence[Hunk], stuck: Hunk) -> dict[Hunk, Place]:
    """Return the places of ``stuck`` and of every other hunk in its statements; none where they say something else."""
    span = _span(sides.was.statements, stuck)
    if span is None or sides.wanted.tree is None or sides.today.tree is None:
        return {}
    inside = [hunk for hunk in hunks if hunk == stuck or _overlaps(hunk, span)]
    start, end = min(span[0], inside[0].a0), max(span[1], inside[-1].a1)
    a = sides.a[start:end]
    b = sides.b[inside[0].b0 - (inside[0].a0 - start) : inside[-1].b1 + (end - inside[-1].a1)]
    where = _today(sides, span)
    new = None if where is None else _merged(a, b, sides.h[where[0] : where[1]])
    if where is None or new is None:
        return {}
    first, *others = inside
    made = {first: Place(first, Fate.REWRAPPED, cuts_at(sides.path, sides.h, *where, new), "", *where)}
    return made | {hunk: Place(hunk, Fate.REWRAPPED, (), "", *where) for hunk in others}


def _overlaps(hunk: Hunk, span: tuple[int, int]) -> bool:
    """Whether the hunk changes a line of ``span``, or puts one between two of them."""
    return (hunk.a0 < span[1] and span[0] < hunk.a1) or span[0] < hunk.a0 == hunk.a1 < span[1]


def _span(statements: Sequence[tuple[int, int]], hunk: Hunk) -> tuple[int, int] | None:
    """Return the whole statements (or headers of blocks) that the hunk stands in; None where it is in none."""
    touched = [statement for statement in statements if _overlaps(hunk, statement)]
    if not touched or touched[-1][1] - touched[0][0] > _MOST_LINES:
        return None
    return touched[0][0], touched[-1][1]


def _today(sides: Sides, span: tuple[int, int]) -> tuple[int, int] | None:
    """Return the one run of today's statements that is ``span`` by its syntax tree, between what stands around it."""
    low, high = sides.alignment.gap(*span)
    a = sides.a[span[0] : span[1]]
    wanted, letters = _dump(a), _letters(a)
    count = sum(span[0] <= start and end <= span[1] for start, end in sides.was.statements)
    here = [(start, end) for start, end in sides.today.statements if low <= start and end <= high]
    runs = [(here[i][0], here[i + count - 1][1]) for i in range(len(here) - count + 1)]
    alike = [run for run in runs if _letters(sides.h[run[0] : run[1]]) == letters]
    found = [run for run in alike if wanted is not None and _dump(sides.h[run[0] : run[1]]) == wanted]
    return found[0] if len(found) == 1 else None


def _letters(lines: Sequence[bytes]) -> str:
    return "".join(letter for letter in said.letters(b"".join(lines)) if letter not in _FREE)


def _dump(lines: Sequence[bytes]) -> str | None:
    """Return the syntax tree of whole statements, or of the header of a block without its body, as text."""
    text = textwrap.dedent(said.text(b"".join(lines))).rstrip()
    last = text.rpartition("\n")[2]
    indent = last[: len(last) - len(last.lstrip())]
    for form in (text, f"{text}\n{indent}    pass"):
        try:
            tree = ast.parse(form)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return ast.dump(tree) if tree.body else None
    return None


def _merged(a: Sequence[bytes], b: Sequence[bytes], h: Sequence[bytes]) -> tuple[bytes, ...] | None:
    """Return ``h``, which says what ``a`` says, changed to say what ``b`` says; None where that is not sure."""
    ours, theirs, today = _words(a), _words(reindented(b, a[0], h[0])), _words(h)
    at = _places(ours, today)
    if at is None:
        return None
    if not theirs:
        return ()
    written = _written(ours, theirs, today, at)
    if any(one.text.startswith("#") and not other.starts_line for one, other in itertools.pairwise(written)):
        return None
    tail = said.text(h[-1])[len(said.text(h[-1]).rstrip()) :]
    text = "".join(word.space + word.text for word in written)[1:] + tail
    new = tuple(said.split(text.encode("utf-8", "surrogateescape")))
    wanted = _dump(b)
    return new if wanted is not None and _dump(new) == wanted else None


def _words(lines: Sequence[bytes]) -> list[_Word]:
    words, depth = [], 0
    for space, text in _WORD.findall("\n" + said.text(b"".join(lines))):
        words.append(_Word(space, text, depth))
        depth += (text in _OPEN) - (text in _SHUT)
    return words


def _places(ours: Sequence[_Word], today: Sequence[_Word]) -> dict[int, int] | None:
    """Return which word of ``ours`` each word of ``today`` is; None where they differ in more than a formatter adds."""
    found: dict[int, int] = {}
    for tag, i1, i2, j1, j2 in _differences(ours, today):
        if tag == "equal":
            found |= zip(range(j1, j2), range(i1, i2), strict=True)
        elif any(word.text not in _FREE for word in [*ours[i1:i2], *today[j1:j2]]):
            return None
    return found


def _differences(one: Sequence[_Word], other: Sequence[_Word]) -> Sequence[tuple[str, int, int, int, int]]:
    left, right = ([word.text.replace("'", '"') for word in words] for words in (one, other))
    return difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def _written(ours: Sequence[_Word], theirs: Sequence[_Word], today: Sequence[_Word], at: dict[int, int]) -> list[_Word]:
    """Return today's words without those of ``ours`` that ``theirs`` lacks, and with those it has besides."""
    lines = {place for number, place in at.items() if today[number].starts_line}
    goes: set[int] = set()
    comes: list[tuple[int, Sequence[_Word]]] = []
    for tag, i1, i2, j1, j2 in _differences(ours, theirs):
        if tag == "delete":
            goes |= set(_whole_lines(ours, range(i1, i2), lines))
        elif tag != "equal":
            goes |= set(range(i1, i2))
            # What comes after one comma and before the next is told from one side or from the other.
            late = i1 == i2 and i1 < len(ours) and theirs[j1].text == ours[i1].text == ","
            if j1 < j2:
                comes.append((i1 + late, theirs[j1 + late : j2 + late]))
    written: list[_Word] = []
    dropped: _Word | None = None
    for number, word in enumerate(today):
        place = at.get(number)
        while comes and place is not None and comes[0][0] <= place:
            written += _put(comes.pop(0)[1], written, word)
        if place is not None and place in goes:
            dropped = dropped or (word if word.starts_line else None)
            continue
        written.append(replace(word, space=_space(word, dropped, written)))
        dropped = None
    for _, words in comes:
        written += _put(words, written, None)
    return written


def _whole_lines(ours: Sequence[_Word], goes: range, lines: Collection[int]) -> range:
    """Return the same words told from the beginning of a line, where they can be: ``and guard`` for ``guard and``."""
    at = goes
    while at.start > 0 and at.start not in lines and ours[at.start - 1].text == ours[at.stop - 1].text:
        at = range(at.start - 1, at.stop - 1)
    return at if at.start in lines else goes


def _space(word: _Word, dropped: _Word | None, before: Sequence[_Word]) -> str:
    """Return the white space before a word of today, where ``dropped`` began a line and went."""
    if word.starts_line and word.depth:
        # The bracket that lets the line break here may be gone.
        within = sum((other.text in _OPEN) - (other.text in _SHUT) for other in before)
        return word.space if within else " "
    if dropped and not word.starts_line and word.text not in _TAIL and (word.depth or not dropped.depth):
        return dropped.space
    return word.space


def _put(words: Sequence[_Word], before: Sequence[_Word], after: _Word | None) -> Iterator[_Word]:
    """Yield the words that come, wrapped as their neighbours are."""
    last = before[-1].text if before else ""
    line = next((word.space for word in reversed(before) if word.starts_line), "")
    if words[0].text == "," == last:
        # A trailing comma stands there already.
        words = [*words[1:], words[0]]
        yield replace(words[0], space=line if after is not None and after.starts_line else " ")
    elif after is not None and after.starts_line and (last == "," or last in _OPEN):
        yield replace(words[0], space=after.space)
    elif words[0].starts_line and words[0].depth:
        yield replace(words[0], space="" if last in _OPEN else " ")
    else:
        yield words[0]
    for word in words[1:]:
        yield replace(word, space=" ") if word.starts_line and word.depth else word
