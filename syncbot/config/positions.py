"""The line of each key of a TOML text. No TOML library for Python tells it, so this scans a text known to be valid.

Nothing depends on it but the line numbers in messages: a key that is not found has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from syncbot.config.problems import Key

_TOKEN = re.compile(
    r'''(?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')'''
    r"""|(?P<comment>\#[^\n]*)|(?P<newline>\r?\n)|(?P<space>[ \t]+)"""
    r"""|(?P<mark>\[\[|\]\]|[\[\]{}=,.])|(?P<bare>[^\s\[\]{}=,."'\#]+)""",
    re.DOTALL,
)


def lines_of(text: str) -> dict[Key, int]:
    """Return key path to line (from 1) for every table, key and array element of ``text``, a valid TOML text."""
    return _Scan(text).run()


class _Scan:
    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._lines: dict[Key, int] = {}
        self._counts: dict[Key, int] = {}

    def run(self) -> dict[Key, int]:
        table: Key = ()
        while self._at < len(self._tokens):
            kind, text, _ = self._tokens[self._at]
            if kind == "newline":
                self._at += 1
            elif kind == "mark" and text in ("[", "[["):
                table = self._header(array=text == "[[")
            else:
                self._pair(table)
        return self._lines

    def _header(self, *, array: bool) -> Key:
        line = self._tokens[self._at][2]
        self._at += 1
        names = self._names("]]" if array else "]")
        key: Key = ()
        for place, name in enumerate(names):
            key = (*key, name)
            self._lines.setdefault(key, line)
            if array and place == len(names) - 1:
                self._counts[key] = self._counts.get(key, -1) + 1
            if key in self._counts:
                key = (*key, self._counts[key])
                self._lines.setdefault(key, line)
        return key

    def _names(self, end: str) -> list[str]:
        """Read a dotted key up to and with the mark ``end``."""
        names: list[str] = []
        while self._at < len(self._tokens):
            kind, text, _ = self._tokens[self._at]
            self._at += 1
            if kind == "mark" and text == end:
                break
            if kind in ("bare", "string"):
                names.append(_name(text))
        return names

    def _pair(self, table: Key) -> None:
        line = self._tokens[self._at][2]
        key = table
        for name in self._names("="):
            key = (*key, name)
            self._lines.setdefault(key, line)
        self._value(key)

    def _value(self, key: Key) -> None:
        """Read one value, noting what is inside it; ends before the ``,``, the newline or the bracket that ends it."""
        while self._at < len(self._tokens):
            kind, text, line = self._tokens[self._at]
            if kind == "newline" or (kind == "mark" and text in (",", "]", "]]", "}")):
                return
            self._lines.setdefault(key, line)
            self._at += 1
            if kind == "mark" and text in ("[", "[["):
                self._array(key, double=text == "[[")
            elif kind == "mark" and text == "{":
                self._inline_table(key)

    def _array(self, key: Key, *, double: bool) -> None:
        # Inside a value ``[[`` is two arrays, and so is ``]]``: take them apart where they are met.
        if double:
            self._split("[")
        index = 0
        while self._at < len(self._tokens):
            kind, text, _ = self._tokens[self._at]
            if kind == "mark" and text == "]]":
                self._at += 1
                self._split("]")
                return
            if kind == "mark" and text == "]":
                self._at += 1
                return
            if kind == "newline":
                self._at += 1
            elif kind == "mark" and text == ",":
                self._at += 1
                index += 1
            else:
                self._value((*key, index))

    def _split(self, mark: str) -> None:
        self._tokens.insert(self._at, ("mark", mark, self._tokens[self._at - 1][2]))

    def _inline_table(self, key: Key) -> None:
        while self._at < len(self._tokens):
            kind, text, _ = self._tokens[self._at]
            if kind == "mark" and text == "}":
                self._at += 1
                return
            if kind == "newline" or (kind == "mark" and text == ","):
                self._at += 1
            else:
                self._pair(key)


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind not in ("space", "comment"):
            yield kind, match[0], line
        line += match[0].count("\n")


def _name(text: str) -> str:
    if text.startswith("'"):
        return text[1:-1]
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text
