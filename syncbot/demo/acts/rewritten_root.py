"""Upstream rewrote its history between two releases; the older one has none of today's commits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo.lumen import ADA, BIG_FILE, BO, CHECK_ROWS, ROW_SUM, SOFTMAX_NEW, version
from syncbot.demo.stage import Stage, shown_fix, verdicts
from syncbot.demo.telling import Step, check


def rewritten_root(stage: Stage) -> Iterator[Step]:
    """Build v0.1.0 to v0.2.0 and ask for a change from before the rewrite."""
    lumen, first, second = stage.lumen, dt.date(2026, 1, 5), dt.date(2026, 1, 12)
    begin = lumen.commit("main", "Add row sums (#1)", [ROW_SUM, BIG_FILE, version("0.1")], by=ADA, day=first)
    lumen.tag("v0.1.0", begin)
    check_rows = lumen.commit("main", "Refuse empty rows and masks (#3)", [CHECK_ROWS], by=BO, day=second)
    lumen.tag("v0.1.1", check_rows)

    rewrite = dt.date(2026, 2, 2)
    written = [lumen.written(begin), lumen.written(check_rows)]
    lumen.commit(
        "main", "Add row sums (#1)", [ROW_SUM, version("0.1")], by=ADA, day=rewrite, authored=written[0], new_root=True
    )
    twin = lumen.commit(
        "main", "Refuse empty rows and masks (#3)", [CHECK_ROWS], by=BO, day=rewrite, authored=written[1]
    )
    softmax = lumen.commit("main", "Add softmax (#8)", [SOFTMAX_NEW], by=ADA, day=dt.date(2026, 2, 5))
    lumen.tag("v0.2.0", softmax)

    report = stage.where("#3")
    plain_git = " ".join(lumen.git.lines("tag", "--contains", twin))
    yield Step(
        title="A rewritten history",
        story="lumen released 0.1.1 with #3, then rewrote its history to drop a large file. v0.1.1 shares no commit "
        f"with today's main, so `git tag --contains` knows only {plain_git}. The commits have twins, and they tell.",
        command="syncbot where '#3' --repo lumen.git",
        shown=shown_fix(report),
        checks=(
            check("plain git", "v0.2.0", plain_git),
            check("syncbot", "v0.1.0 absent, v0.1.1 contained, v0.2.0 contained", verdicts(report)),
            check("first release", "v0.1.1", report.first_release.by_date),
            check("a note says that history was rewritten", True, any("rewritten" in note for note in report.notes)),
        ),
    )
