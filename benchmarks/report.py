"""How long a report takes: python benchmarks/report.py [WORKAROUNDS] [RELEASES], 1,000 and 60 when left out.

Prints the seconds for each step from facts to bytes, and the size of every format. `--keep FILE` leaves the page there,
for a browser to be timed on.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workarounds", nargs="?", type=int, default=1000)
    parser.add_argument("releases", nargs="?", type=int, default=60)
    parser.add_argument("--keep", type=Path)
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
    if asked.keep:
        asked.keep.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
