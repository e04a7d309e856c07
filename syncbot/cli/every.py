"""``sync --apply --every 6h``: passes on a plain server, each in a process of its own.

A pass that dies or leaks takes nothing with it. How the last one ended is in a file that a monitor can read; a signal
ends it cleanly, after the pass that is running.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from syncbot.model.errors import UsageError

log = logging.getLogger(__name__)

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LEAST = 10


def seconds_of(text: str) -> int:
    """Return the seconds of ``90s``, ``30m``, ``6h`` or ``1d``; raises `UsageError` for anything else or under 10 s."""
    match = re.fullmatch(r"(\d{1,6})([smhd])", text)
    seconds = int(match[1]) * _UNITS[match[2]] if match else 0
    if seconds < _LEAST:
        raise UsageError(f"--every {text}: expected a time such as 6h, 30m or 1d, of at least {_LEAST}s")
    return seconds


def repeat(
    arguments: Sequence[str], seconds: int, health: Path, *, passes: int | None = None,
    start: Callable[[list[str]], int] | None = None,
) -> int:  # fmt: skip
    """Run ``syncbot ARGUMENTS`` again and again until a signal comes; return the exit code of the last pass.

    ``passes`` and ``start`` are for tests: how many at most, and what runs one.
    """
    stop = threading.Event()
    before = {each: signal.signal(each, lambda *_: stop.set()) for each in (signal.SIGTERM, signal.SIGINT)}
    code, done = 0, 0
    try:
        while not stop.is_set():
            began = dt.datetime.now(dt.UTC)
            # A session of its own: a signal to us lets the pass that is running come to its end.
            code = (start or _run)([sys.executable, "-m", "syncbot", *arguments])
            done += 1
            _write(health, began, code, seconds)
            if passes is not None and done >= passes:
                break
            stop.wait(seconds)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    return code


def _run(command: list[str]) -> int:
    return subprocess.run(command, check=False, start_new_session=True).returncode


def _write(health: Path, began: dt.datetime, code: int, seconds: int) -> None:
    ended = dt.datetime.now(dt.UTC)
    values: dict[str, Any] = {
        "schema": "syncbot.health/1", "began": began.isoformat(timespec="seconds"),
        "ended": ended.isoformat(timespec="seconds"), "exit": code,
        "next": (ended + dt.timedelta(seconds=seconds)).isoformat(timespec="seconds"),
    }  # fmt: skip
    try:
        health.parent.mkdir(parents=True, exist_ok=True)
        fresh = health.with_name(f"{health.name}.new")
        fresh.write_text(json.dumps(values) + "\n")
        fresh.replace(health)
    except OSError as error:
        log.warning("cannot write the health file %s: %s", health, error.strerror or error)
