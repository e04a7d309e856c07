"""A lock between processes that lasts as long as any git the holder started.

The holder may be killed while its ``git fetch`` lives on; only when that has ended too are the temporary files it left
known to be nobody's. So the descriptor is handed to each child, which a library's lock does not offer.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

from syncbot.model.errors import TryLaterError

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.1


@contextlib.contextmanager
def held(path: Path, *, wait: float) -> Iterator[int]:
    """Hold the lock ``path`` and yield its descriptor, to be inherited by children.

    Raises `TryLaterError` when another process still has it after ``wait`` seconds. The file stays: removing it would
    let two processes lock two files of one name.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, path, wait)
        yield descriptor
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path, wait: float) -> None:
    deadline, told = time.monotonic() + wait, False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise TryLaterError(
                    f"another process has held {path} for {wait:g} seconds; try again when it is done"
                ) from None
            if not told:
                log.info("waiting for another process that holds %s", path)
                told = True
            time.sleep(_POLL_SECONDS)
        else:
            return
