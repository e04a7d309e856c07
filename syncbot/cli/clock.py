"""What time it is, for every command: asked here and nowhere else, so that a story can be told on its own days."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_told: ContextVar[dt.datetime | None] = ContextVar("told", default=None)


def now() -> dt.datetime:
    """Return the time in UTC."""
    return _told.get() or dt.datetime.now(dt.UTC)


@contextmanager
def at(moment: dt.datetime) -> Iterator[None]:
    """Let it be ``moment`` for the commands that run inside."""
    token = _told.set(moment)
    try:
        yield
    finally:
        _told.reset(token)
