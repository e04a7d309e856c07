"""The comments, docstrings and reasons of skipped tests in one file, with their lines.

Python is read with its own parser, which is fast and tells strings from comments; every other language by Pygments'
lexer for the file's name. Where a ``#`` begins a comment (shell, YAML, TOML, Dockerfiles, requirements, Python that
does not parse) lines are read one by one: those files hold scripts in strings, whose comments count as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_LEADER = re.compile(r"^\s*(?:#+:?|//+[!/]?|/\*+|\*+(?!\S)|\*(?=\s)|--|;+|REM\b|<!--|\{#-?)?\s?")
_TRAILER = re.compile(r"\s*(?:\*+/|-->|-?#\})\s*$")
_BY_LINE = re.compile(
    r"\.(?:pyi?|sh|bash|zsh|ya?ml|toml|cfg|ini|txt|in|cmake|mk|rb|pl|r|hcl|tf|env|conf|bzl|bazel|nix|slurm)$"
    r"|(?:^|/)(?:[^/]*Dockerfile[^/]*|Containerfile[^/]*|Makefile[^/]*|BUILD|WORKSPACE|\.[^/]*(?:rc|ignore))$",
    re.IGNORECASE,
)
_SKIPS = re.compile(r"(?:^|[._])(?:skip\w*|xfail\w*|expectedFailure|importorskip)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A block of text in code: lines ``first`` to ``last`` (from 1), with comment signs taken off.

    ``trailing``: it stands behind code on its line. ``skip``: it is the reason of a skipped test, or stands over one.
    ``doc``: a docstring; what it belongs to is around it.
    """

    first: int
    last: int
    text: str
    trailing: bool = False
    skip: bool = False
    doc: bool = False


def python_notes(tree: ast.Module, lines: list[str]) -> list[Note]:
    """The notes of a parsed Python file. ``lines`` are its lines without their ends."""
    strings, spoken = _read(tree)
    found = [
        Note(first=each.lineno, last=each.end_lineno or each.lineno, text=str(each.value), skip=not doc, doc=doc)
        for each, doc in spoken
    ]
    found += _hash_comments(lines, _Spans(strings))
    return sorted(found, key=lambda note: (note.first, note.last))


def plain_notes(path: str, text: str) -> list[Note]:
    """The comments of a file in any other language; none where Pygments knows no lexer for it."""
    if _BY_LINE.search(path):
        return _hash_comments(text.splitlines(), None)
    import pygments.lexers
    from pygments.token import Comment, String
    from pygments.util import ClassNotFound

    lexers: Any = pygments.lexers
    name = path.rpartition("/")[2]
    try:
        if name.endswith((".cu", ".cuh", ".hip", ".inl")):
            lexer = lexers.get_lexer_by_name("cuda", stripnl=False, ensurenl=False)
        else:
            lexer = lexers.get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return []
    blocks: list[Note] = []
    line, before = 1, ""
    for token, value in lexer.get_tokens(text):
        if ((token in Comment and token not in Comment.Preproc) or token in String.Doc) and value.strip():
            body = value.rstrip("\n")
            trailing = bool(before.strip())
            blocks.append(Note(first=line, last=line + body.count("\n"), text=_bare(body), trailing=trailing))
        line += value.count("\n")
        before = value.rpartition("\n")[2] if "\n" in value else before + value
    return _joined(blocks)


def _bare(body: str) -> str:
    return "\n".join(_TRAILER.sub("", _LEADER.sub("", each)) for each in body.split("\n"))


def _joined(blocks: list[Note]) -> list[Note]:
    """Comments on lines that follow one another are one note, unless code stands before one of them."""
    found: list[Note] = []
    for block in blocks:
        last = found[-1] if found else None
        if last is not None and block.first == last.last + 1 and not block.trailing and not last.trailing:
            found[-1] = Note(first=last.first, last=block.last, text=f"{last.text}\n{block.text}")
        elif last is not None and block.first == last.last + 1 and last.trailing and block.trailing:
            found[-1] = Note(first=last.first, last=block.last, text=f"{last.text}\n{block.text}", trailing=True)
        else:
            found.append(block)
    return found


# -- Python ------------------------------------------------------------------------------------------------------------


class _Spans:
    """Where strings are, so that a ``#`` inside one is no comment."""

    def __init__(self, nodes: list[ast.expr]) -> None:
        self._inner: set[int] = set()
        self._columns: dict[int, list[tuple[int, int]]] = {}
        for node in nodes:
            first, last = node.lineno, node.end_lineno or node.lineno
            if first == last:
                self._columns.setdefault(first, []).append((node.col_offset, node.end_col_offset or 0))
                continue
            self._columns.setdefault(first, []).append((node.col_offset, 1 << 30))
            self._inner.update(range(first + 1, last))
            self._columns.setdefault(last, []).append((0, node.end_col_offset or 0))

    def covers(self, line: int, column: int) -> bool:
        """Whether the character at ``column`` (bytes, near enough) of ``line`` is inside a string."""
        return line in self._inner or any(start <= column < end for start, end in self._columns.get(line, ()))


def _read(tree: ast.Module) -> tuple[list[ast.expr], list[tuple[ast.Constant, bool]]]:
    """All strings, and those that speak to a reader: docstrings (True) and reasons of skipped tests (False)."""
    strings: list[ast.expr] = []
    spoken: list[tuple[ast.Constant, bool]] = []
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() | bytes()) | ast.JoinedStr():
                strings.append(node)
            case ast.Expr(value=ast.Constant(value=str()) as text):
                spoken.append((text, True))
            case ast.Call() if _SKIPS.search(_name(node.func)):
                spoken += [(text, False) for text in _sentences(node)]
    return strings, spoken


def _sentences(call: ast.Call) -> Iterator[ast.Constant]:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        for part in ast.walk(argument):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value:
                yield part


def _name(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _hash_comments(lines: list[str], taken: _Spans | None) -> list[Note]:
    """Comments from ``#``; without ``taken`` one begins a line or follows white space, outside of quotes."""
    found: list[Note] = []
    for number, line in enumerate(lines, 1):
        if "#" not in line:
            continue
        at = _comment_start(line, number, taken) if taken is not None else _plain_start(line)
        if at is None:
            continue
        trailing = bool(line[:at].strip())
        found.append(Note(first=number, last=number, text=_bare(line[at:]), trailing=trailing))
    return _joined(found)


def _comment_start(line: str, number: int, taken: _Spans) -> int | None:
    at = line.find("#")
    while at >= 0:
        if not taken.covers(number, len(line[:at].encode()) if not line.isascii() else at):
            return at
        at = line.find("#", at + 1)
    return None


def _plain_start(line: str) -> int | None:
    quote = ""
    for at, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char == "#" and (at == 0 or line[at - 1].isspace()):
            return at
        elif char in "'\"" and (at == 0 or not line[at - 1].isalnum()):
            quote = char
    return None
