"""Lines of a file as git sees them (bytes, split at ``\\n`` only), and when two of them say the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_TELLING = 14
_SPACE = re.compile(r"\s+")
_COMMA = re.compile(r",(?=[)\]}])|,$")
_WORD = re.compile(r"[^\W\d]\w*")
_WORDS = re.compile(r"\w+|[^\w\s,]")


def split(data: bytes) -> list[bytes]:
    """Return the lines of ``data`` with their ends kept; joined they are ``data`` again."""
    pieces = data.split(b"\n")
    last = pieces.pop()
    lines = [piece + b"\n" for piece in pieces]
    if last:
        lines.append(last)
    return lines


def text(line: bytes) -> str:
    """Return a line as text that becomes the same bytes again."""
    return line.decode("utf-8", "surrogateescape")


def is_blank(line: bytes) -> bool:
    """Whether a line holds nothing but white space."""
    return not line.strip()


def normal(lines: bytes | Iterable[bytes]) -> str:
    """Return what lines say up to white space, wrapping, trailing commas and quotes."""
    whole = lines if isinstance(lines, bytes) else b" ".join(lines)
    return _COMMA.sub("", _SPACE.sub("", text(whole)).replace("'", '"'))


def is_telling(line: bytes) -> bool:
    """Whether a line says enough to be recognised elsewhere: not blank, not a bracket, not a bare keyword."""
    said = normal(line)
    return len(said) >= _TELLING and len(_WORD.findall(text(line))) > 1


def counted(lines: Iterable[bytes]) -> Counter[str]:
    """Return how often each thing is said by ``lines``, blank ones left out."""
    return Counter(said for line in lines if (said := normal(line)))


def blank_run(lines: Sequence[bytes], at: int, step: int) -> int:
    """Return how many blank lines stand before (``step`` -1) or from (``step`` 1) the gap ``at``."""
    here = at - 1 if step < 0 else at
    count = 0
    while 0 <= here < len(lines) and is_blank(lines[here]):
        count += 1
        here += step
    return count


def letters(line: bytes) -> str:
    """Return what a line says with no white space, no commas and one sort of quotes, to compare piece by piece."""
    return _SPACE.sub("", text(line)).replace("'", '"').replace(",", "")


def words(lines: Iterable[bytes]) -> list[str]:
    """Return the words and signs of lines in order, with no commas and one sort of quotes."""
    return _WORDS.findall(text(b" ".join(lines)).replace("'", '"'))


def seam(lines: Sequence[bytes], start: int, end: int) -> tuple[int, int]:
    """Widen a cut over blank lines, so that what is left has no more of them in a row than one side had before."""
    above, below = blank_run(lines, start, -1), blank_run(lines, end, 1)
    if end + below == len(lines):
        return start - above, len(lines)
    if start - above == 0:
        return 0, end + below
    extra = min(above, below)
    return start - min(extra, above), end + max(0, extra - above)


def fold_commas(said: str) -> str:
    """Return a normal form with the commas before closing brackets gone, after lines were joined."""
    return _COMMA.sub("", said)
