"""Which lines a change takes out: those it removes from a file and adds nowhere else in it. Pure."""

from __future__ import annotations

from collections import Counter


def taken_out(diff: bytes) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the lines that a git diff takes out, by path; a file whose name git quotes is left out."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for part in diff.split(b"\ndiff --git "):
        head, hunks, rest = part.partition(b"\n@@")
        path = next((line[6:] for line in head.splitlines() if line.startswith(b"--- a/")), None)
        if hunks and path is not None and (lines := gone_from(b"@@" + rest)):
            name = path.decode("utf-8", "surrogateescape").removesuffix("\t")
            found.append((name, tuple(sorted(lines.elements()))))
    return tuple(found)


def gone_from(hunks: bytes) -> Counter[str]:
    """Return the lines that the hunks of one file take out, without blanks around them; no bare brackets.

    A line that is put in again elsewhere in the file has only moved.
    """
    out: Counter[str] = Counter()
    into: Counter[str] = Counter()
    for line in hunks.splitlines():
        said = line[1:].decode("utf-8", "replace").strip()
        if line[:1] in (b"-", b"+") and any(map(str.isalnum, said)):
            (out if line[:1] == b"-" else into)[said] += 1
    return out - into
