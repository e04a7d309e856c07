"""What a Python file is made of, imports and gets wrong. Pure: source in, facts out, nothing is run."""

from __future__ import annotations

import ast
import functools
import io
import itertools
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SUFFIXES = (".py", ".pyi")
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPE = (*FUNCTION, ast.ClassDef)
_SIMPLE = (ast.Expr, ast.Assign, ast.Return, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Assert)

_BARE_RETURN = re.compile(rb"\r(?!\n)")
_NO_STATEMENT = frozenset((
    tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
))  # fmt: skip


def is_python(path: str) -> bool:
    """Whether the file is judged as Python."""
    return path.endswith(SUFFIXES)


@functools.lru_cache(maxsize=32)
def parse(source: bytes) -> ast.Module | None:
    """Return the syntax tree, or None where the file does not parse; the last ones are kept, nobody changes them.

    None also where a bare carriage return ends a line for Python, and none for git: no line would be where it says.
    """
    if _BARE_RETURN.search(source):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def read_at(tree: ast.Module | None, name: str) -> int | None:
    """Return the line (from 0) where a plain name is read that the file binds nowhere itself; None if it is not."""
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name] if tree else []
    if not used or any(not isinstance(node.ctx, ast.Load) for node in used):
        return None
    bound = any(isinstance(node, SCOPE) and node.name == name for node in ast.walk(tree)) if tree else False
    return None if bound else used[0].lineno - 1


@dataclass(frozen=True, slots=True)
class Fault:
    """A name that pyflakes finds undefined, or an import it finds unused; ``line`` counts from 1."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Faults:
    """What pyflakes says of one file."""

    undefined: tuple[Fault, ...] = ()
    unused: tuple[Fault, ...] = ()


def faults(tree: ast.Module, path: str) -> Faults:
    """Return undefined names and unused imports."""
    from pyflakes import checker, messages

    undefined, unused = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found: list[Any] = checker.Checker(tree, filename=path).messages  # type: ignore[no-untyped-call]
            if path.rpartition("/")[2] == "__init__.py":
                # For a package pyflakes lets __all__ name what is bound nowhere: it may be a module.
                other: list[Any] = checker.Checker(tree, filename="any.py").messages  # type: ignore[no-untyped-call]
                found += [message for message in other if isinstance(message, messages.UndefinedExport)]
        except RecursionError:
            return Faults()
    for message in found:
        if isinstance(message, messages.UndefinedName | messages.UndefinedExport | messages.UndefinedLocal):
            undefined.append(Fault(str(next(iter(message.message_args))), message.lineno))
        elif isinstance(message, messages.UnusedImport):
            unused.append(Fault(str(next(iter(message.message_args))), message.lineno))
    return Faults(tuple(undefined), tuple(unused))


@dataclass(frozen=True, slots=True)
class Imported:
    """One name of an import statement, which spans ``[start, end)``, from 0. ``module`` is None for ``import x``."""

    module: str | None
    name: str
    alias: str | None
    start: int
    end: int
    top: bool

    @property
    def bound(self) -> str:
        """The name it gives to the file."""
        return self.alias or (self.name.split(".")[0] if self.module is None else self.name)

    @property
    def key(self) -> tuple[str | None, str, str | None]:
        """What it imports, wherever the statement stands."""
        return self.module, self.name, self.alias

    def __str__(self) -> str:
        tail = f" as {self.alias}" if self.alias else ""
        return f"import {self.name}{tail}" if self.module is None else f"from {self.module} import {self.name}{tail}"


def imports(tree: ast.Module) -> list[Imported]:
    """Return every imported name, with the lines of its statement."""
    found = []
    top = set(map(id, tree.body))
    for node in statements(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = None if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
            start, end = node.lineno - 1, node.end_lineno or 0
            found += [Imported(module, one.name, one.asname, start, end, id(node) in top) for one in node.names]
    return found


@dataclass(frozen=True, slots=True)
class Span:
    """A function or class by qualified name: its header begins at ``start``, it ends before ``end`` (lines from 0)."""

    qualname: str
    start: int
    header: int
    end: int
    kind: str


def spans(tree: ast.Module) -> list[Span]:
    """Return all functions and classes, outer ones first, decorators included."""
    return list(_spans(tree.body, ""))


def _spans(body: list[ast.stmt], prefix: str) -> Iterator[Span]:
    for node in body:
        if isinstance(node, SCOPE):
            start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            name = prefix + node.name
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            yield Span(name, start, node.lineno - 1, node.end_lineno or node.lineno, kind)
            yield from _spans(node.body, name + ".")
        else:
            for inner in blocks(node):
                yield from _spans(inner, prefix)


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield every statement, outer ones first; expressions are not entered, which makes it quick."""
    pending = [iter(body)]
    while pending:
        for node in pending[-1]:
            yield node
            if not isinstance(node, _SIMPLE):
                pending.append(itertools.chain.from_iterable(blocks(node)))
                break
        else:
            pending.pop()


def blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements that stand directly inside one."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for part in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
        yield part.body


def enclosing(found: list[Span], start: int, end: int) -> Span | None:
    """Return the innermost function or class that holds the lines ``[start, end)``."""
    best = None
    for span in found:
        if span.start <= start and end <= span.end and (start < end or span.start < start):
            best = span
    return best


def headless(tree: ast.Module, gone: set[int]) -> int | None:
    """Return the line (from 0) of a block that would lose its header and keep lines of its own, None if none would."""
    for node in statements(tree.body):
        for body in blocks(node):
            if not body or body is not getattr(node, "body", None):
                continue
            first = body[0]
            header = range(node.lineno - 1, max(node.lineno, first.lineno - 1))
            inside = range(first.lineno - 1, body[-1].end_lineno or 0)
            if all(line in gone for line in header) and not all(line in gone for line in inside):
                return node.lineno - 1
    return None


def whole_statements(source: bytes) -> list[tuple[int, int]]:
    """Return the lines ``[start, end)``, from 0, of each simple statement and of each header of a block, in order."""
    found: list[tuple[int, int]] = []
    start = -1
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type == tokenize.NEWLINE:
                found.append((start, token.end[0]))
                start = -1
            elif start < 0 and token.type not in _NO_STATEMENT:
                start = token.start[0] - 1
    except (tokenize.TokenError, SyntaxError):
        return []
    return found
