"""From the content of one file to its remarks. Depends on nothing but the content, the path and the names."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from syncbot.discover.guard import PythonGuards, plain_guard
from syncbot.discover.notes import Note, plain_notes, python_notes
from syncbot.discover.phrases import Setting, Signal, foreign, ignored, judge, plainly_waits
from syncbot.discover.references import Reader
from syncbot.model.discover import Certainty, Guard, Reference, Remark

_AROUND = 8
_FEW_WORDS = 5
_PARAGRAPH = re.compile(r"\n\s*\n")
_ITEM = re.compile(r"\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_HELD = re.compile(r"[\w\]]\s*(?:==|<=?|!=|~=|@\s*(?:git\+)?https?:/)\s*[/\w'\"$]|^\s*(?:-e )?git\+")
_DEPENDENCIES = re.compile(
    r"(?:^|/)(?:requirements[^/]*|constraints[^/]*)(?:/|\.(?:txt|in)$)|(?:^|/)(?:pyproject\.toml|setup\.cfg|environment\.ya?ml)$"
)
_SIGNS = re.compile(r"^\s*(?:#+|//+|\*+)?\s?")
_SKIP_LINE = re.compile(r"\b(?:skip|xfail)\w*\b", re.IGNORECASE)
_RANK = {Certainty.HIGH: 0, Certainty.MEDIUM: 1, Certainty.LOW: 2}


def promising(lines: Sequence[str], hits: Sequence[int], path: str, reader: Reader) -> bool:
    """Whether any of the ``hits`` (line numbers from 1) may be a remark: a cheap look before a file is parsed."""
    pins = _DEPENDENCIES.search(path) is not None
    done = 0
    for hit in hits:
        if plainly_waits(lines[hit - 1]):
            return True
        if hit <= done:
            continue
        done = hit + _AROUND // 2
        around = [_SIGNS.sub("", line) for line in lines[max(0, hit - 1 - _AROUND) : hit + _AROUND]]
        text = _collapsed("\n".join(around))
        if not pins and not foreign(text, reader):
            continue
        skip = any(_SKIP_LINE.search(line) for line in around)
        # A window joins what paragraphs part: history that is told in it hides nothing here.
        if judge(text, reader, Setting(skip=skip, pin=pins), history=False) is not None:
            return True
    return False


def remarks(path: str, content: str, reader: Reader) -> list[Remark]:
    """Every remark of a file, in order."""
    lines = content.splitlines()
    tree = _parsed(content) if path.endswith((".py", ".pyi")) else None
    pins = _DEPENDENCIES.search(path) is not None
    notes = python_notes(tree, lines) if tree is not None else plain_notes(path, content)
    notes = [each for each in notes if pins or foreign(each.text, reader) or plainly_waits(_collapsed(each.text))]
    if not notes:
        return []
    guards = PythonGuards(tree, lines) if tree is not None else None
    found = [(each, guards.of(each) if guards is not None else plain_guard(lines, each)) for each in notes]
    read = (_remark(note, guard, lines, reader, pins=pins) for note, guard in found)
    return [each for each in read if each is not None]


def _parsed(content: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in somebody's string is not for our log
        try:
            return ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(text: str) -> Iterator[str]:
    for block in _PARAGRAPH.split(text):
        for item in _ITEM.split(block):
            if paragraph := _collapsed(item):
                yield paragraph


def _remark(note: Note, guard: Guard, lines: Sequence[str], reader: Reader, *, pins: bool) -> Remark | None:
    guarded = lines[guard.first - 1 : guard.last]
    if ignored(note.text) or any(ignored(line) for line in (*lines[note.first - 1 : note.last], *guarded[:1])):
        return None
    skip = note.skip or (not note.doc and any(_skips(line) for line in guarded[:3]))
    held = pins and not note.doc and any(_HELD.search(line.partition("#")[0]) for line in guarded[:1])
    said = [(each, judge(each, reader, Setting(skip=skip, pin=held, doc=note.doc))) for each in _paragraphs(note.text)]
    told = [(paragraph, signal) for paragraph, signal in said if signal is not None]
    if not told:
        return None
    _, best = min(told, key=lambda pair: _RANK[pair[1].certainty])
    told = [pair for pair in told if pair[1].certainty is not Certainty.LOW or best.certainty is Certainty.LOW]
    references, names = _gathered(signal for _, signal in told)
    line, last = _lines_of(best, note, lines)
    return Remark(
        line=line,
        last=last,
        text="\n".join(paragraph for paragraph, _ in told),
        marker=_marker(lines[line - 1 : last], references),
        kind=best.kind,
        certainty=best.certainty,
        reason=best.reason,
        guard=guard,
        references=references,
        names=names,
    )


def _marker(lines: Sequence[str], references: Sequence[Reference]) -> str:
    """The first of the lines; if that says little, the one with what is waited for."""
    first = lines[0].strip()
    if len(first.split()) < _FEW_WORDS:
        return next((line.strip() for line in lines for each in references if each.value in line), first)
    return first


def _skips(line: str) -> bool:
    return (
        re.search(
            r"@pytest\.mark\.(?:skip|xfail)|pytest\.(?:skip|xfail)\(|unittest\.skip|skipTest\(|marks=.*(?:skip|xfail)",
            line,
        )
        is not None
    )


def _gathered(signals: Iterator[Signal]) -> tuple[tuple[Reference, ...], tuple[str, ...]]:
    references: dict[tuple[str, str], Reference] = {}
    names: dict[str, None] = {}
    for signal in signals:
        for each in signal.references:
            references.setdefault((each.repo.lower(), each.value), each)
        names |= dict.fromkeys(signal.names)
    return tuple(references.values()), tuple(names)


def _lines_of(signal: Signal, note: Note, lines: Sequence[str]) -> tuple[int, int]:
    """The lines of the note from the one where the telling phrase begins, else from its first."""
    words = signal.phrase.split()[:3]
    if words:
        for number in range(note.first, note.last + 1):
            here = _collapsed(lines[number - 1]).lower()
            if words[0].lower() in here and all(word.lower() in here for word in words[:2]):
                return number, note.last
        for number in range(note.first, note.last + 1):
            if words[0].lower() in lines[number - 1].lower():
                return number, note.last
    return note.first, note.last
