"""Text from strangers, made harmless for a terminal: no control characters, no escapes, no bidi tricks."""

from __future__ import annotations

import unicodedata

_KEPT = {"\t": " ", "\n": " "}


def _harmless(char: str) -> str:
    bad = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    return _KEPT.get(char, "\ufffd" if bad else char)


def plain(text: str, limit: int | None = None) -> str:
    """``text`` on one line, with control, format and bidi characters replaced, cut at ``limit`` characters.

    >>> plain("a\\x1b[31mb\\u202e")
    'a\\ufffd[31mb\\ufffd'
    """
    clean = text if text.isprintable() else "".join(map(_harmless, text))
    return clean if limit is None or len(clean) <= limit else clean[: limit - 1] + "…"
