"""How long a removal takes as a whole process, and how much memory, beside ``git revert`` in a checked-out work tree.

    python benchmarks/edit_speed.py --clones FOLDER [--repo OWNER+NAME] [--size N] [--seed N] [--no-revert]

Draws small commits as `edit_accuracy` does. ``git revert`` gets a work tree of its own, checked out before the clock
starts, in a temporary clone that borrows the objects. Exit status 1 if the median is over 0.7 s or a run over 250 MB.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from edit_accuracy import is_small, small_commits

_SECONDS, _MEGABYTES = 0.7, 250


def timed(command: list[str], cwd: Path) -> tuple[float, float, int]:
    """Run and return seconds, peak megabytes of it or any process it started and waited for, and the status."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - start, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--repo", default="shen-shanshan+vllm")
    parser.add_argument("--size", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--age", type=int, default=45)
    parser.add_argument("--no-revert", action="store_true", help="leave out the checkout, which takes most of the time")
    options = parser.parse_args()
    repo = options.clones / options.repo / "repo"
    repo = repo if repo.is_dir() else options.clones / options.repo
    rng = random.Random(f"{options.seed}-speed")
    pool = small_commits(repo, age=options.age, window=365)
    rng.shuffle(pool)
    cases = [case for case in pool[: options.size * 3] if is_small(repo, case[0])][: options.size]
    load = os.getloadavg()[0]
    runs = []
    for commit, head in cases:
        command = [sys.executable, "-m", "syncbot", "remove", commit, "--repo", str(repo), "--onto", head, "--json"]
        runs.append(timed(command, Path.cwd()))
    seconds = [run[0] for run in runs]
    print(
        f"syncbot remove: {len(runs)} runs, median {statistics.median(seconds):.2f} s, "
        f"slowest {max(seconds):.2f} s, peak {max(run[1] for run in runs):.0f} MB, load {load:.1f}"
    )
    if not options.no_revert:
        reverts = revert(repo, cases)
        print(f"git revert in a work tree: median {statistics.median(reverts):.2f} s, checkout not counted")
    return int(statistics.median(seconds) > _SECONDS or max(run[1] for run in runs) > _MEGABYTES)


def revert(repo: Path, cases: list[tuple[str, str]]) -> list[float]:
    """Return the seconds ``git revert`` takes for each case, in a work tree switched to the head first."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "init", "--quiet", str(tree)], check=True)
        (tree / ".git/objects/info/alternates").write_text(str((repo / "objects").resolve()) + "\n")
        for commit, head in cases:
            # A blob the clone lacks fails the checkout of its file; the rest is what the revert needs.
            subprocess.run(["git", "checkout", "--quiet", "--force", head], cwd=tree, check=False, capture_output=True)
            command = ["git", "-c", "user.name=x", "-c", "user.email=x", "revert", "--no-commit", commit]
            found.append(timed(command, tree)[0])
            subprocess.run(["git", "reset", "--quiet", "--hard"], cwd=tree, check=False, capture_output=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
