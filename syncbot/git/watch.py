"""Long git commands, watched: their progress is told, and one that falls silent is ended with all its children."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import tempfile
from collections.abc import Callable
from typing import Any

from syncbot.git.run import Git, GitError
from syncbot.git.url import redact

Progress = Callable[[str], None]

SILENT = "gave no sign of life"
_KEPT = 1 << 16
_GRACE_SECONDS = 5.0


def watch(
    git: Git,
    *args: str,
    patience: float,
    progress: Progress | None = None,
    stdin: bytes = b"",
    inherit: tuple[int, ...] = (),
) -> bytes:
    """Run a git command to its end and return its standard output.

    ``patience`` is how many seconds it may go without a word. ``progress`` gets each line git writes to standard error,
    made safe for a terminal. ``inherit`` are descriptors the command and its children keep open (a lock that must
    outlive this process). Raises `GitError`; interrupted in any way, it leaves no child behind.
    """
    with tempfile.TemporaryFile() as source:
        source.write(stdin)
        source.seek(0)
        # A session of its own: ssh finds no terminal to ask on, and one signal reaches every child.
        process = git.start(*args, stdin=source, start_new_session=True, pass_fds=inherit)
    popen: subprocess.Popen[bytes] = process.proc
    try:
        heard = _listen(popen, patience, progress)
    finally:
        if popen.poll() is None:
            _end(popen)
        for pipe in (popen.stdout, popen.stderr):
            if pipe is not None:
                pipe.close()
    if heard.silent:
        raise GitError(("git", *args), popen.returncode, f"{SILENT} for {patience:g} seconds")
    if popen.returncode != 0:
        raise GitError(("git", *args), popen.returncode, heard.errors.decode("utf-8", "replace"))
    return bytes(heard.output)


class _Heard:
    """What a command said so far."""

    def __init__(self) -> None:
        self.output = bytearray()
        self.errors = bytearray()
        self.silent = False


def _listen(popen: subprocess.Popen[bytes], patience: float, progress: Progress | None) -> _Heard:
    heard = _Heard()
    line = b""
    with selectors.DefaultSelector() as selector:
        for pipe in (popen.stdout, popen.stderr):
            assert pipe is not None
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            events = selector.select(patience)
            if not events:
                heard.silent = True
                return heard
            for key, _ in events:
                block = os.read(key.fd, _KEPT)
                if not block:
                    selector.unregister(key.fileobj)
                elif key.fileobj is popen.stdout:
                    heard.output += block
                else:
                    heard.errors += block
                    del heard.errors[:-_KEPT]
                    line = _tell(line + block, progress)
    try:
        popen.wait(patience)
    except subprocess.TimeoutExpired:
        heard.silent = True
    return heard


def _tell(text: bytes, progress: Progress | None) -> bytes:
    """Hand on the whole lines of ``text`` and return the rest; git ends a line it will write over with ``\\r``."""
    *lines, rest = re.split(rb"[\r\n]", text)
    if progress is not None:
        for line in lines:
            if shown := redact(line.decode("utf-8", "replace")).strip():
                progress(shown)
    return rest[-_KEPT:]


def _end(popen: subprocess.Popen[Any]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(popen.pid, sign)
        try:
            popen.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        return
