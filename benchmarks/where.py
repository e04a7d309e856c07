"""``syncbot where`` beside ``git tag --contains``: time, memory, and how many answers differ.

    python benchmarks/where.py [--aiter PATH] [--runs N] [--commits N]

``--aiter`` is a full clone of ROCm/aiter; without it, ``ROCm+aiter/repo`` in the folder that SYNCBOT_CLONES names.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from measure import HEAD, Measured, SkippedError, machine, measure, seconds, syncbot, table
from synthetic import PICKS, RELEASES, build

FIX = "#4774"
TAGS = "v0.1.*"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aiter", type=Path, default=None, metavar="PATH", help="a full clone of ROCm/aiter")
    parser.add_argument("--runs", type=int, default=5, help="times are the median of so many runs (default 5)")
    parser.add_argument("--commits", type=int, default=3000, help="size of the synthetic repository (default 3000)")
    options = parser.parse_args()
    print(f"{machine()}; median of {options.runs} runs after one that does not count")
    start_up(options.runs)
    try:
        clone = find_clone(options.aiter)
    except SkippedError as reason:
        print(f"\nskipped: {reason}")
    else:
        one_fix(clone, options.runs)
        all_fixes(clone, options.runs)
    growth(options.commits, options.runs)
    return 0


def find_clone(named: Path | None) -> Path:
    folder = os.environ.get("SYNCBOT_CLONES")
    clone = named or (Path(folder) / "ROCm+aiter" / "repo" if folder else None)
    if clone is None or not clone.is_dir():
        where = f"{clone} is not there" if clone else "neither --aiter nor SYNCBOT_CLONES is given"
        raise SkippedError(f"the comparison on AITER needs a full clone of ROCm/aiter, and {where}")
    return clone


def start_up(runs: int) -> None:
    took = measure(syncbot("--help"), runs=runs)
    table("Start", ("", "time", "CPU", "memory"), [[*took.row("syncbot --help", took)[:3], f"{took.peak:.0f} MiB"]])


def one_fix(clone: Path, runs: int) -> None:
    """One fix over all releases, the whole process each time."""
    commit = json.loads(subprocess.check_output(syncbot("where", FIX, "--repo", str(clone), "--json")))
    fix = commit["fixes"][0]["commit"]
    git = measure(["git", "-C", str(clone), "tag", "--contains", fix], runs=runs)
    command = syncbot("where", FIX, "--repo", str(clone), "--tags", TAGS, "--json")
    cold = measure([*command, "--no-cache"], runs=runs)
    with tempfile.TemporaryDirectory() as cache:
        warm = measure(command, runs=runs, env={"SYNCBOT_CACHE": cache})
    table(
        f"One fix ({FIX}), every release",
        HEAD,
        [
            git.row("git tag --contains", git),
            cold.row("syncbot where, no cache", git),
            warm.row("syncbot where, from the cache", git),
        ],
    )


def all_fixes(clone: Path, runs: int) -> None:
    """Every numbered change over all releases; git is asked once for each, as there is no other way to ask it."""
    command = syncbot("where", "--all", "--repo", str(clone), "--tags", TAGS, "--json", "--no-cache")
    ours = measure(command, runs=min(runs, 3))
    reports = [json.loads(line)["fixes"][0] for line in ours.output.decode().splitlines()]
    git, contains = _ask_git(clone, [report["commit"] for report in reports])
    pairs = sum(len(report["targets"]) for report in reports)
    table(
        f"All {len(reports)} numbered changes, {len(reports[0]['targets'])} releases ({pairs} answers)",
        HEAD,
        [
            git.row(f"git tag --contains, {len(reports)} times", git),
            ours.row("syncbot where --all, no cache", git),
        ],
    )
    _differences(reports, contains, pairs)


def _differences(reports: list[dict], contains: dict[str, set[str]], pairs: int) -> None:
    found: Counter[tuple[str, str, str, str]] = Counter()
    for report in reports:
        for target in report["targets"]:
            git = "contains" if target["ref"] in contains[report["commit"]] else "does not"
            agree = target["verdict"] == ("contained" if git == "contains" else "absent")
            if not agree:
                kind = target["evidence"][0]["kind"] if target["evidence"] else "-"
                found[git, target["verdict"], target["confidence"], kind] += 1
    different = sum(found.values())
    rows = [
        [git, verdict, confidence, kind, str(count)] for (git, verdict, confidence, kind), count in found.most_common()
    ]
    table(
        f"Answers that differ: {different} of {pairs} ({different / pairs:.1%})",
        ["git", "syncbot", "confidence", "told first by", "answers"],
        rows,
    )


def _ask_git(clone: Path, commits: Sequence[str]) -> tuple[Measured, dict[str, set[str]]]:
    """Plain git's answers, a call for each commit, in one small shell that is measured as a whole."""
    script = 'for commit; do echo "? $commit" && git -C "$0" tag --contains "$commit" || exit; done'
    took = measure(["sh", "-c", script, str(clone), *commits], runs=1, warm_up=False)
    answers: dict[str, set[str]] = {}
    for said in took.output.decode().split("? ")[1:]:
        commit, *tags = said.split()
        answers[commit] = set(tags)
    return took, answers


def growth(commits: int, runs: int) -> None:
    """The same questions on a synthetic repository and on one of ten times the commits."""
    rows: list[list[str]] = []
    small: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as folder:
        for factor in (1, 10):
            clone = Path(folder) / f"x{factor}"
            build(clone, commits * factor)
            middle = f"#{commits * factor // 2}"
            for name, words in (("one fix", [middle]), ("--all", ["--all"])):
                command = syncbot("where", *words, "--repo", str(clone), "--json", "--no-cache")
                took = measure(command, runs=min(runs, 3))
                grown = f"{took.cpu / small[name].cpu:.1f}" if name in small else ""
                small.setdefault(name, took)
                label = f"{name}, {commits * factor} commits"
                rows.append([label, seconds(took.wall), seconds(took.cpu), grown, f"{took.peak:.0f} MiB"])
    table(
        f"Growth: a synthetic repository, {RELEASES} releases with {PICKS} picks each; ten times would be linear",
        ("", "time", "CPU", "grown (CPU)", "memory"),
        sorted(rows, key=lambda row: row[0].startswith("--all")),
    )


if __name__ == "__main__":
    sys.exit(main())
