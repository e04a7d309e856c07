"""Whether lines of a text file would lose the header of their block. Pure; Python has its syntax tree for that.

A block is what is indented below a line, what follows a section header of a TOML or INI file up to the next one, and
what stands between ``#if`` and ``#endif`` of a C file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from syncbot.edit import lines as said

_SECTIONS = (".toml", ".ini", ".cfg", ".conf")
_C = (".c", ".cc", ".cpp", ".cu", ".cuh", ".cxx", ".h", ".hh", ".hip", ".hpp")
_SECTION = re.compile(rb"\[.*\]\s*(?:[#;].*)?$")
_IF, _ENDIF = re.compile(rb"\s*#\s*if"), re.compile(rb"\s*#\s*endif\b")
# Comments and preprocessor lines have no block by their indentation.
_NO_HEADER = (b"#", b"//", b"*", b";")


def headless(path: str, lines: Sequence[bytes], gone: Collection[int], known: Collection[int]) -> int | None:
    """Return the first line of ``gone`` whose block would stay without it, None if there is none.

    A header around lines of ``known``, which were there before the change, only wrapped them: they can do without.
    """
    blocks: dict[int, list[int]] = {}
    for header, line in _headers(path, lines):
        blocks.setdefault(header, []).append(line)
    for header, inside in sorted(blocks.items()):
        if header in gone and not any(line in known for line in inside) and any(line not in gone for line in inside):
            return header
    return None


def _headers(path: str, lines: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Yield pairs of a header and a line right in its block."""
    yield from _indented(lines)
    if path.endswith(_SECTIONS):
        yield from _sections(lines)
    if path.endswith(_C):
        yield from _conditional(lines)


def _indented(lines: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    above: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        if said.is_blank(line):
            continue
        told = line.expandtabs().lstrip()
        depth = len(line.expandtabs()) - len(told)
        while above and above[-1][0] >= depth:
            above.pop()
        if above:
            yield above[-1][1], number
        if not told.startswith(_NO_HEADER):
            above.append((depth, number))


def _sections(lines: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    header = None
    for number, line in enumerate(lines):
        if _SECTION.match(line):
            header = number
        elif header is not None and not said.is_blank(line):
            yield header, number


def _conditional(lines: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    above: list[int] = []
    for number, line in enumerate(lines):
        if _ENDIF.match(line):
            above = above[:-1]
        elif above and not said.is_blank(line):
            yield above[-1], number
        if _IF.match(line):
            above.append(number)
