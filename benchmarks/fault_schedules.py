"""Play seeded schedules of faults, and of what people do, on the fake GitHub.

``fault_schedules.py [COUNT] [FIRST] [JOBS]``: how many, from which seed on, in how many processes.

Prints a line for each schedule that broke a promise (two proposals, a lost human edit, a push over a person's commit,
a bug, no end), and a summary. Exit 1 if any did.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fixtures"))

_BOARD = 'dashboard = "Board"\nreviewers = ["ann"]'


class Captured:
    """What ``capsys`` is to a test."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()

    def readouterr(self) -> tuple[str, str]:
        out, err = sys.stdout.getvalue(), sys.stderr.getvalue()
        self._clear()
        return out, err


def play(seeds: tuple[int, ...]) -> list[str]:
    """Play some schedules in this process."""
    import pytest
    from standin import make_standin, make_template
    from trouble import no_waiting, schedule

    found: list[str] = []
    keep = sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory(prefix="syncbot-faults-") as folder, no_waiting():
        template = Path(folder, "template")
        ids = make_template(template)
        for seed in seeds:
            root = Path(folder, str(seed))
            root.mkdir()
            with pytest.MonkeyPatch.context() as patch:
                maker = make_standin("pull-request", template, ids, root, Captured(), patch, extra=_BOARD)
                try:
                    found += schedule(next(maker), seed)
                except Exception as error:  # noqa: BLE001 - one broken schedule must not hide the others
                    found.append(f"seed {seed}: {type(error).__name__}: {error}")
                finally:
                    next(maker, None)
            sys.stdout, sys.stderr = keep
    return found


def main() -> int:
    """Play them all, on two cores unless told otherwise."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    chunks = [tuple(range(start, min(start + 10, first + count))) for start in range(first, first + count, 10)]
    began, problems, played = time.monotonic(), 0, 0
    with ProcessPoolExecutor(jobs) as pool:
        for chunk, found in zip(chunks, pool.map(play, chunks), strict=True):
            played += len(chunk)
            problems += len(found)
            for line in found:
                print(line, flush=True)
            if played % 100 == 0:
                print(f"{played} schedules, {problems} problems, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{played} schedules, {problems} problems, {time.monotonic() - began:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
