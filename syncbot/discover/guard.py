"""What a remark stands over: the statement, function or test it guards."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from syncbot.discover.notes import Note
from syncbot.model.discover import Guard

_LONGEST_STATEMENT = 12
_LONGEST_BLOCK = 40
_Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class _Node:
    first: int
    last: int
    node: ast.stmt
    name: str | None
    """The qualified name of the function or class around it, or of itself where it is one."""


class PythonGuards:
    """The statements of one Python file, ready to be asked."""

    def __init__(self, tree: ast.Module, lines: Sequence[str]) -> None:
        self._lines = lines
        self._nodes = list(_statements(tree.body, None))

    def of(self, note: Note) -> Guard:
        """The guard of a note: what a docstring belongs to, the statement it trails, or the next one below it."""
        if note.doc or note.skip:
            around = [each for each in self._nodes if each.first <= note.first and note.last <= each.last]
            named = [each for each in around if isinstance(each.node, _Named)]
            if named and (note.doc or _decorates(named[-1].node, note)):
                return Guard(first=named[-1].first, last=named[-1].last, symbol=named[-1].name, whole=True)
            if note.doc:
                return Guard(first=1, last=len(self._lines), whole=True)
            return self._statement(around[-1] if around else None, note)
        if note.trailing:
            on = [each for each in self._nodes if each.first <= note.first <= each.last]
            return self._statement(min(on, key=lambda each: each.last - each.first, default=None), note)
        following = [each for each in self._nodes if each.first > note.last]
        nearest = min(following, key=lambda each: (each.first, each.first - each.last), default=None)
        inside = [each for each in self._nodes if each.first <= note.first <= each.last]
        within = min(inside, key=lambda each: each.last - each.first, default=None)
        if nearest is None or (within is not None and nearest.first > within.last):
            return self._statement(within, note)
        if within is not None and _is_simple(within.node):
            return self._statement(within, note)
        return self._statement(nearest, note)

    def _statement(self, found: _Node | None, note: Note) -> Guard:
        if found is None:
            return Guard(first=note.first, last=note.last)
        whole = isinstance(found.node, _Named)
        text = None
        if not whole and found.last - found.first < _LONGEST_STATEMENT:
            text = textwrap.dedent("\n".join(self._lines[found.first - 1 : found.last]))
        return Guard(first=found.first, last=found.last, symbol=found.name, whole=whole, statement=text)


def _is_simple(node: ast.stmt) -> bool:
    return not hasattr(node, "body")


def _decorates(node: ast.stmt, note: Note) -> bool:
    return isinstance(node, _Named) and any(
        each.lineno <= note.first <= (each.end_lineno or each.lineno) for each in node.decorator_list
    )


def _statements(body: Sequence[ast.stmt], around: str | None) -> Iterator[_Node]:
    for node in body:
        name = around
        first = node.lineno
        if isinstance(node, _Named):
            name = f"{around}.{node.name}" if around else node.name
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        yield _Node(first, node.end_lineno or node.lineno, node, name)
        for inner in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, inner, ()), name)
        for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _statements(handler.body, name)


def plain_guard(lines: Sequence[str], note: Note) -> Guard:
    """In other languages: the line a note trails, or the lines below it up to a blank one or one set further left."""
    if note.trailing:
        return Guard(first=note.first, last=note.last)
    start = note.last
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start >= len(lines):
        return Guard(first=note.first, last=note.last)
    indent = _indent(lines[start])
    end = start
    while end + 1 < len(lines) and end - start < _LONGEST_BLOCK:
        line = lines[end + 1]
        if not line.strip() or _indent(line) < indent:
            break
        end += 1
    short = end - start < _LONGEST_STATEMENT
    text = textwrap.dedent("\n".join(lines[start : end + 1])) if short else None
    return Guard(first=start + 1, last=end + 1, statement=text)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
