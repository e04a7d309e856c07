"""Import statements, judged and changed by name. Pure.

Imports attract neighbours: two changes that never met in the code meet in one ``from x import (...)``. So a name is
taken out of a statement, or put back into one, and what other people import beside it stays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from syncbot.edit import python
from syncbot.edit.lines import is_blank, seam


def keys(tree: ast.Module | None) -> set[tuple[str | None, str, str | None]]:
    """Return what a file imports, wherever the statements stand."""
    return set() if tree is None else {item.key for item in python.imports(tree)}


def without(lines: Sequence[bytes], item: python.Imported) -> list[bytes] | None:
    """Return the file without one imported name, or None where its statement is not one that can be cut safely."""
    node, alias = _find(lines, item)
    if node is None or alias is None:
        return None
    start, end = node.lineno - 1, node.end_lineno or node.lineno
    if b";" in b"".join(lines[start:end]):
        return None
    if len(node.names) == 1:
        start, end = seam(lines, start, end) if _alone(lines, start, end) else (start, end)
        return [*lines[:start], *lines[end:]]
    first, last = alias.lineno - 1, alias.end_lineno or alias.lineno
    alone = lines[first:last]
    stripped = b"".join(alone).strip().split(b"#")[0].rstrip().rstrip(b",")
    if last - first == 1 and stripped == _written(alias).encode() and first != start:
        return [*lines[:first], *lines[last:]]
    if first + 1 != last:
        return None
    line = lines[first]
    at = node.names.index(alias)
    if at + 1 < len(node.names) and node.names[at + 1].lineno == alias.lineno:
        new = line[: alias.col_offset] + line[node.names[at + 1].col_offset :]
    elif at > 0 and node.names[at - 1].lineno == alias.lineno:
        new = line[: node.names[at - 1].end_col_offset] + line[alias.end_col_offset :]
    else:
        return None
    return [*lines[:first], new, *lines[last:]]


def _alone(lines: Sequence[bytes], start: int, end: int) -> bool:
    """Whether blank lines, or the ends of the file, stand on both sides of ``[start, end)``."""
    return (start == 0 or is_blank(lines[start - 1])) and (end == len(lines) or is_blank(lines[end]))


def _find(lines: Sequence[bytes], item: python.Imported) -> tuple[ast.Import | ast.ImportFrom | None, ast.alias | None]:
    tree = python.parse(b"".join(lines))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import | ast.ImportFrom) and node.lineno - 1 == item.start:
            for alias in node.names:
                if (alias.name, alias.asname) == (item.name, item.alias):
                    return node, alias
    return None, None


def _written(alias: ast.alias) -> str:
    return alias.name + (f" as {alias.asname}" if alias.asname else "")


def with_added(lines: Sequence[bytes], item: python.Imported, like: Sequence[bytes]) -> list[bytes] | None:
    """Return the file with a name imported again, beside those it stood with in ``like``; None where no place is sure.

    ``item`` is the import as ``like`` has it.
    """
    tree = python.parse(b"".join(lines))
    if tree is None or not item.top:
        return None
    if item.module is not None:
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and "." * node.level + (node.module or "") == item.module:
                return _joined(lines, node, item)
    statement = list(like[item.start : item.end])
    model = python.parse(b"".join(like))
    single = f"from {item.module} import {item.name}" if item.module is not None else f"import {item.name}"
    if item.alias:
        single += f" as {item.alias}"
    if model is not None and sum(other.start == item.start for other in python.imports(model)) > 1:
        statement = [single.encode() + (b"\r\n" if statement[0].endswith(b"\r\n") else b"\n")]
    at = _neighbour(tree, item, like)
    return None if at is None else [*lines[:at], *statement, *lines[at:]]


def _joined(lines: Sequence[bytes], node: ast.ImportFrom, item: python.Imported) -> list[bytes] | None:
    start, end = node.lineno - 1, node.end_lineno or node.lineno
    name = item.name + (f" as {item.alias}" if item.alias else "")
    names = [_written(alias) for alias in node.names]
    if name in names:
        return list(lines)
    # Kept in order where the names are in order, else at the end: that is how people and isort both write them.
    ordered = sorted(names, key=_order) == names
    at = (
        next((i for i, other in enumerate(names) if _order(other) > _order(name)), len(names))
        if ordered
        else len(names)
    )
    if end - start == 1:
        line = lines[start]
        if at < len(names):
            column = node.names[at].col_offset
            return [*lines[:start], line[:column] + name.encode() + b", " + line[column:], *lines[end:]]
        column = node.names[-1].end_col_offset or 0
        return [*lines[:start], line[:column] + b", " + name.encode() + line[column:], *lines[end:]]
    if any(alias.lineno == start + 1 for alias in node.names) or len({a.lineno for a in node.names}) != len(names):
        return None
    model = lines[node.names[0].lineno - 1]
    indent = model[: node.names[0].col_offset]
    ending = b"\r\n" if model.endswith(b"\r\n") else b"\n"
    where = node.names[at].lineno - 1 if at < len(names) else (node.names[-1].end_lineno or 0)
    before = lines[where - 1]
    if at == len(names) and not before.split(b"#")[0].rstrip().endswith(b","):
        return None
    return [*lines[:where], indent + name.encode() + b"," + ending, *lines[where:]]


def _order(name: str) -> tuple[int, str]:
    """Order names as isort's default does: CONSTANTS, Classes, functions."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def _neighbour(tree: ast.Module, item: python.Imported, like: Sequence[bytes]) -> int | None:
    """Return where the statement goes: after the import it stood after, else before the one it stood before."""
    model = python.parse(b"".join(like))
    if model is None:
        return None
    here = {other.key: other for other in python.imports(tree) if other.top}
    others = [other for other in python.imports(model) if other.top and other.start != item.start]
    above = [other for other in others if other.start < item.start]
    below = [other for other in others if other.start > item.start]
    # First within its own group, the lines with no blank one between; then wherever a neighbour is left.
    for apart in (False, True):
        for other in reversed(above):
            if other.key in here and (apart or not _blank_between(like, other.end, item.start)):
                return here[other.key].end
        for other in below:
            if other.key in here and (apart or not _blank_between(like, item.end, other.start)):
                return here[other.key].start
    return None


def _blank_between(lines: Sequence[bytes], start: int, end: int) -> bool:
    return any(is_blank(line) for line in lines[start:end])


def settle(
    lines: Sequence[bytes],
    *,
    goes: Iterable[python.Imported],
    comes: Iterable[python.Imported],
    like: Sequence[bytes],
) -> list[bytes] | None:
    """Return the file with the names of ``goes`` out and those of ``comes`` (as ``like`` has them) in."""
    result: list[bytes] | None = list(lines)
    for key in {item.key for item in goes}:
        assert result is not None
        tree = python.parse(b"".join(result))
        for item in [] if tree is None else [other for other in python.imports(tree) if other.key == key][:1]:
            result = without(result, item)
            if result is None:
                return None
    for item in comes:
        assert result is not None
        if item.key not in keys(python.parse(b"".join(result))):
            result = with_added(result, item, like)
            if result is None:
                return None
    return result
