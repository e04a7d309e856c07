"""Texts that a forge would refuse for their length, cut by whole sections. Pure.

A section begins at a heading, at a paragraph that leads with bold words, or where a region of the bot's begins; never
inside a code block or a fold. It goes whole or stays whole, so no table and no code block is cut in the middle. In its
place stands its heading and a pointer to where the rest is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LEAD = re.compile(r"#{1,6} .*|\*\*[^*]+\*\*")
_BEGIN = re.compile(r"<!-- syncbot:(?:begin [a-z-]+|results) -->")
_END = re.compile(r"<!-- (?:syncbot:end [a-z-]+|/syncbot:results) -->")
_KEPT = re.compile(r"<!-- syncbot:(?:record|memory) |\s*- \[[xX]\] .*<!-- syncbot:(?:box|check) ")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


@dataclass(slots=True)
class _Section:
    """``head`` is what stays of it: its heading, or the mark of a region; ``owned``: inside a region of the bot's."""

    owned: bool
    head: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def whole(self) -> str:
        return "\n".join(self.lines)

    def emptied(self, pointer: str) -> str:
        kept = [line for line in self.lines if _KEPT.match(line)]
        return "\n".join([*([self.head, ""] if self.head else []), pointer, "", *kept])


def shorten(body: str, limit: int, pointer: str, *, owned: bool = False) -> str:
    """Return the text in at most ``limit`` characters: the longest sections go, those of the bot's regions first.

    ``owned``: only those may go, since people wrote the rest; a text that stays too long all the same is returned as it
    is. Without it the answer always fits (a limit that has room for a pointer taken for granted).
    """
    if len(body) <= limit:
        return body
    parts = _sections(body)
    texts = [part.whole for part in parts]
    room = len(body) - limit
    for ours in (True,) if owned else (True, False):
        gains = [
            (len(texts[number]) - len(part.emptied(pointer)), number)
            for number, part in enumerate(parts)
            if part.owned is ours
        ]
        for gain, number in sorted(gains, reverse=True):
            if room <= 0 or gain <= 0:
                break
            texts[number] = parts[number].emptied(pointer)
            room -= gain
    if room <= 0:
        return "\n".join(texts)
    if owned:
        return body
    kept = [line for line in body.splitlines() if line.startswith(("<!-- syncbot:record ", "<!-- syncbot-proposal "))]
    return "\n\n".join([pointer, *kept])[:limit] + "\n"


def _sections(body: str) -> list[_Section]:
    found = [_Section(owned=False)]
    fence, folds = "", 0
    for line in body.split("\n"):
        section = found[-1]
        if fence:
            section.lines.append(line)
            fence = "" if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence
            continue
        if match := _FENCE.match(line):
            fence = match[1]
        if _BEGIN.fullmatch(line) or _END.fullmatch(line):
            folds = 0
            found.append(_Section(owned=bool(_BEGIN.fullmatch(line)), head=line, lines=[line]))
            continue
        if not folds and (match := _LEAD.match(line)):
            found.append(_Section(owned=section.owned, head=match[0], lines=[line]))
        else:
            section.lines.append(line)
        folds = max(0, folds + line.count("<details") - line.count("</details>"))
    return [part for part in found if part.lines]
