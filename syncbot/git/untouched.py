"""Leave the times of somebody else's object files as they were.

Git writes no object that it already has, but it touches the file that holds it, also in an alternate, so that a later
``gc`` spares it; there is no switch for that. Whoever works in front of a clone puts the times back afterwards.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


class Untouched:
    """The times of the packs and loose objects below ``objects`` and its alternates, as they are now."""

    def __init__(self, objects: Path) -> None:
        self._before = {Path(path): _times(status) for path, status in _files(objects, set())}

    def restore(self) -> None:
        """Put back the times that have changed; a file that is gone or is not ours to touch is left alone."""
        for path, times in self._before.items():
            with contextlib.suppress(OSError):
                if _times(path.stat()) != times:
                    os.utime(path, ns=times)


def _times(status: os.stat_result) -> tuple[int, int]:
    return status.st_atime_ns, status.st_mtime_ns


def _files(objects: Path, seen: set[Path]) -> Iterator[tuple[str, os.stat_result]]:
    if objects in seen:
        return
    seen.add(objects)
    for folder in _folders(objects):
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            yield from ((entry.path, entry.stat()) for entry in entries if entry.is_file())
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in (objects / "info" / "alternates").read_text().splitlines():
            if line and not line.startswith(("#", '"')):
                yield from _files((objects / line).resolve(), seen)


def _folders(objects: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError), os.scandir(objects) as entries:
        for entry in entries:
            if entry.is_dir() and (len(entry.name) == 2 or entry.name == "pack"):
                yield Path(entry.path)
