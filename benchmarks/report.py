"""How long a report takes: python benchmarks/report.py [WORKAROUNDS] [RELEASES], 1,000 and 60 when left out.

Prints the seconds for each step from facts to bytes, and the size of every format. `--keep FILE` leaves the page there;
`--browser` opens it in Chromium (needs `npm install --prefix tests/browser`) and prints milliseconds.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fixtures"))

import report_world as world

from syncbot.model.landing import FixReport, Target
from syncbot.model.status import Facts, FixFacts
from syncbot.policy import conclude
from syncbot.report import data, html, markdown, terminal
from syncbot.report.rows import build

ROOT = Path(__file__).parents[1]


def releases(count: int) -> tuple[Target, ...]:
    """Releases a week apart; the world's own are the last of them, so that its pins stay right."""
    older = [
        replace(
            world.RELEASES[0],
            ref=f"v0.{number}",
            version=f"0.{number}",
            line=f"0.{number}",
            commit=world.oid(10_000 + number),
            date=dt.datetime(2025, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=5 * number),
        )
        for number in range(count - len(world.RELEASES))
    ]
    return (*older, *world.RELEASES)


def enlarged(facts: Facts, number: int, all_releases: tuple[Target, ...]) -> Facts:
    """The same workaround with another name, asked of all the releases."""
    return replace(
        facts,
        workaround=replace(facts.workaround, id=f"{facts.workaround.id}-{number}", owner=f"@owner{number % 40}"),
        fixes=tuple(renumbered(fix, number, all_releases) for fix in facts.fixes),
        releases=all_releases,
    )


def renumbered(fix: FixFacts, number: int, all_releases: tuple[Target, ...]) -> FixFacts:
    pull = (fix.claim.pull or 0) + 100 * number
    older = [world.answer(each, "absent", "strong", pull) for each in all_releases[: -len(world.RELEASES)]]
    report: FixReport | None = fix.report and replace(fix.report, pull=pull, answers=(*older, *fix.report.answers))
    return replace(fix, claim=replace(fix.claim, pull=pull), report=report)


def timed(name: str, work: Callable[[], Any]) -> Any:
    start, cpu = time.perf_counter(), time.process_time()
    done = work()
    spent = time.process_time() - cpu
    print(f"{name:24} {time.perf_counter() - start:6.2f} s {spent:6.2f} s CPU", end="")
    print(f" {len(done.encode()) / 1000:9.1f} kB" if isinstance(done, str) else "")
    return done


def fifty_real() -> None:
    """The size of a page of fifty: the repository's own workarounds in turn, each with a name and a fix of its own."""
    clones = os.environ.get("SYNCBOT_CLONES")
    if not clones:
        print("fifty real ones: skipped, SYNCBOT_CLONES names no folder of clones")
        return
    from syncbot.cli.report import gathered
    from syncbot.cli.repos import open_project
    from syncbot.cli.status import moment_of

    paths = {"aiter": Path(clones, "ROCm+aiter", "repo"), "vllm": Path(clones, "shen-shanshan+vllm", "repo")}
    project, repos = open_project(str(ROOT), [f"{name}={path}" for name, path in paths.items()])
    real = build(gathered(project, repos, moment_of(None, "2026-08-22"), made_at=world.MADE))
    rows = [replace(real.rows[n % len(real.rows)], id=f"{real.rows[n % len(real.rows)].id}-{n}") for n in range(50)]
    (matrix,) = real.matrices
    fixes = [replace(matrix.rows[n % len(matrix.rows)], label=f"#{n}") for n in range(50)]
    page = html.page(replace(real, rows=tuple(rows), matrices=(replace(matrix, rows=tuple(fixes)),)))
    print(f"fifty real ones: {len(page.encode()) / 1000:.1f} kB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workarounds", nargs="?", type=int, default=1000)
    parser.add_argument("releases", nargs="?", type=int, default=60)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--browser", action="store_true")
    asked = parser.parse_args()
    everywhere = world.everywhere()
    columns = releases(asked.releases)
    facts = [enlarged(everywhere[n % len(everywhere)], n, columns) for n in range(asked.workarounds)]
    print(f"{asked.workarounds} workarounds, {asked.releases} releases")
    standings = timed("conclude (policy)", lambda: [conclude(each) for each in facts])
    given = world.given(standings=standings, problems=())
    report = timed("rows, past, trend", lambda: build(given))
    page = timed("html", lambda: html.page(report))
    timed("markdown", lambda: markdown.document(report))
    timed("json", lambda: data.report_json(report))
    timed("terminal", lambda: terminal.text(report))
    timed("badge", lambda: data.badge(report))
    with tempfile.TemporaryDirectory() as folder:
        file = asked.keep or Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        if asked.browser:
            subprocess.run(["node", str(ROOT / "tests/browser/time.mjs"), str(file), "fell-back-2"], check=True)
    fifty_real()


if __name__ == "__main__":
    main()
