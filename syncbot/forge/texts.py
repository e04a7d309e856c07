"""Texts on their way in and out: cleaned before a person sees them, measured before a forge does."""

from __future__ import annotations

from collections.abc import Iterable

from syncbot.forge.errors import TooLongError
from syncbot.model.forge import BODY_LIMIT, TITLE_LIMIT, Secret

_SHOWN = 300


def clean(text: str, secrets: Iterable[Secret] = ()) -> str:
    """Return one printable line of at most 300 characters: no secret, no control character, no terminal escape."""
    for secret in secrets:
        text = secret.scrub(text)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def measure(what: str, *, title: str | None = None, body: str | None = None) -> None:
    """Raise `TooLongError` if a title or a body is longer than GitHub takes; other forges keep the same limits."""
    for name, text, limit in (("title", title, TITLE_LIMIT), ("body", body, BODY_LIMIT)):
        if text is not None and len(text) > limit:
            raise TooLongError(f"the {name} of {what}", len(text), limit)
