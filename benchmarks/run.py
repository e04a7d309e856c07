"""Run every benchmark that can run here, one after the other: ``make bench``.

What one needs and has not got is said, and it is left out. Nothing here is a test: a slow machine is no error.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A script beside this file; ``lacks`` says why it cannot run here, or None."""

    script: str
    arguments: tuple[str, ...] = ()
    lacks: Callable[[], str | None] = lambda: None


def _clones() -> str | None:
    return None if _folder() else "SYNCBOT_CLONES names no folder of real clones"


def _numpy() -> str | None:
    return None if importlib.util.find_spec("numpy") else "numpy is not installed in this environment"


def _pytest() -> str | None:
    return None if importlib.util.find_spec("pytest") else "pytest is not installed in this environment"


def _folder() -> str | None:
    return os.environ.get("SYNCBOT_CLONES") or None


def benchmarks() -> Iterator[Benchmark]:
    """Quick forms, some minutes each; every script has options for more."""
    yield Benchmark(script="where.py")
    yield Benchmark(script="edit_accuracy.py", arguments=("--clones", _folder() or "", "--size", "60"), lacks=_clones)
    yield Benchmark(script="report.py")
    yield Benchmark(script="idle_run.py", lacks=_pytest)
    yield Benchmark(script="fault_schedules.py", arguments=("200",), lacks=_pytest)
    yield Benchmark(script="results_power.py", arguments=("--quick",), lacks=_numpy)


def main() -> int:
    """Return the number of benchmarks that failed."""
    failed = 0
    for each in benchmarks():
        print(f"\n== {each.script} {' '.join(each.arguments)}".rstrip(), flush=True)
        if reason := each.lacks():
            print(f"skipped: {reason}", flush=True)
            continue
        script = str(Path(__file__).with_name(each.script))
        failed += subprocess.run([sys.executable, script, *each.arguments], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
