"""Run a command and say how long it took and how much memory its largest process had; print small tables."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class SkippedError(Exception):
    """This benchmark cannot run here; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Medians over the runs: ``wall`` and ``cpu`` in seconds; ``peak`` is the most that one process had, in MiB.

    ``cpu`` adds up user and system time of the command and all it started. It hardly depends on what else the machine
    does, which ``wall`` does.
    """

    wall: float
    cpu: float
    peak: float
    output: bytes = b""

    def row(self, name: str, base: Measured) -> list[str]:
        """A line of a table, with the wall time as a multiple of that of ``base``."""
        ratio = self.wall / base.wall
        times = f"{ratio:.1f}" if ratio >= 0.95 else f"1/{1 / ratio:.0f}"
        return [name, seconds(self.wall), seconds(self.cpu), times, f"{self.peak:.0f} MiB"]


HEAD = ("", "time", "CPU", "of git", "memory")


def measure(
    command: Sequence[str], *, runs: int, env: Mapping[str, str] | None = None, warm_up: bool = True
) -> Measured:
    """Run ``command`` ``runs`` times, and once before that which does not count. Raises if it fails."""
    taken: list[tuple[float, float, float]] = []
    output = b""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "usage"
        for _ in range(runs + warm_up):
            asked = [sys.executable, "-ISs", str(Path(__file__).with_name("usage.py")), str(told), *command]
            output = subprocess.run(asked, stdout=subprocess.PIPE, env={**os.environ, **(env or {})}, check=True).stdout
            wall, cpu, peak = map(float, told.read_text().split())
            taken.append((wall, cpu, peak / 1024))
    walls, cpus, peaks = zip(*taken[warm_up:], strict=True)
    return Measured(wall=statistics.median(walls), cpu=statistics.median(cpus), peak=max(peaks), output=output)


def syncbot(*words: str) -> list[str]:
    """The command line of this checkout's syncbot, in a process of its own."""
    return [sys.executable, "-m", "syncbot", *words]


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    print(f"\n{title}")
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        print("  ".join([line[0].ljust(widths[0]), *cells]).rstrip())


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 0.1 else f"{value * 1000:.0f} ms"


def machine() -> str:
    """What this was measured on."""
    memory = next(
        (int(line.split()[1]) for line in _lines("/proc/meminfo") if line.startswith("MemTotal")),
        0,
    )
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    size = f", {memory / 1024**2:.0f} GiB" if memory else ""
    return f"{os.cpu_count()} CPUs{size}; Python {sys.version.split()[0]}, git {git}; load {os.getloadavg()[0]:.1f}"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
