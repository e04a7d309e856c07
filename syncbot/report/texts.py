"""Text from strangers in Markdown: shown as it is, doing nothing. (HTML is escaped by Jinja2 itself.)"""

from __future__ import annotations

import html
import re

_MARKS = re.compile(r"([\\`*_{}\[\]()<>|~$&]|#(?=\w)|:(?=//)|^[#+.:-])")
_NUMBERED = re.compile(r"^(\d+)(?=[.)])")
_BREAK = "\u200b"
# What a forge makes of plain text once Markdown is done, where a backslash no longer helps.
_LATER = re.compile(r"(@|\\?#|\bGH-|\bwww\.|\w\\?:)(?=[\w/])", re.IGNORECASE)


def markdown(text: object) -> str:
    """``text`` so that Markdown prints it letter by letter: no markup, no link, no mention, no reference.

    >>> markdown("<b> [x](y)")
    '\\\\<b\\\\> \\\\[x\\\\]\\\\(y\\\\)'
    """
    return _LATER.sub(rf"\1{_BREAK}", _NUMBERED.sub(r"\1\\", _MARKS.sub(r"\\\1", str(text))))


def in_html(text: object) -> str:
    """The same for a line of HTML within Markdown, where only HTML is read."""
    return html.escape(_LATER.sub(rf"\1{_BREAK}", str(text)))


def markdown_link(text: object, url: str | None) -> str:
    """A link where there is an address, else the text alone; ``url`` has come through `links.web`."""
    if url is None:
        return markdown(text)
    return f"[{markdown(text)}](<{url.replace('<', '%3C').replace('>', '%3E').replace(' ', '%20')}>)"


def days(count: float | None) -> str:
    """A number of days in words."""
    if count is None:
        return "–"
    return "1 day" if count == 1 else f"{count:g} days"
