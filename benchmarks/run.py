"""Run every benchmark in this folder, one after the other: ``make bench``.

A benchmark is a script; what it needs and has not got, it says and leaves out. Nothing here is a test: a slow machine
is no error.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = ("where.py",)


def main() -> int:
    """Return the number of benchmarks that failed."""
    failed = 0
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        script = str(Path(__file__).with_name(name))
        failed += subprocess.run([sys.executable, script, *sys.argv[1:]], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
