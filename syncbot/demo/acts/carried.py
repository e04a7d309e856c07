"""The guard is a patch that harbor's build applies; then harbor merges it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo import harbor
from syncbot.demo.lumen import ADA, BIG_FILE, BO, CHECK_ROWS, RENAME, ROW_SUM, SOFTMAX_NEW, version
from syncbot.demo.stage import NEXT, ROW, Stage
from syncbot.demo.telling import Step, check, step


def carried(stage: Stage) -> Iterator[Step]:
    """Record the carried patch, move main under it, and merge the guard."""
    _before(stage)
    server, by = stage.harbor, harbor.CLEO
    stage.day = dt.date(2026, 2, 12)
    server.branch("guard", server.tip("main"))
    server.commit("guard", "Guard scores against NaN", harbor.GUARD_ONLY, by=by, day=stage.day)
    patch = server.patch(server.tip("main"), server.tip("guard"))
    stage.record(harbor.carried(), patch)
    checked = stage.show("syncbot check")
    shown, stands = stage.status()
    yield step(
        "carried",
        shown=(checked, shown),
        checks=(
            check("stage, fit, decision", "waiting, present, keep", stands),
            check("the patch applies", True, stage.applies(patch)),
        ),
    )

    stage.day = dt.date(2026, 2, 16)
    server.commit("main", "Take any iterable as a mask (#100)", harbor.BROADEN, by=by, day=stage.day)
    applied = stage.applies(patch)
    wrote, left = stage.sync(), stage.left()
    (proposal,) = stage.proposals(harbor.HOME)
    stage.merge_own(proposal)
    anew = (stage.folder / "patches" / harbor.ID / "change.patch").read_bytes()
    yield step(
        "refreshed",
        shown=(wrote,),
        checks=(
            check("the old patch applies", False, applied),
            check("a second run writes", 0, left),
            check("the new patch applies", True, stage.applies(anew)),
            check("and adds the same", True, _added(patch) == _added(anew)),
        ),
    )

    stage.day = dt.date(2026, 2, 17)
    guard = server.commit("main", "Guard scores against NaN (#101)", harbor.ADD_GUARD, by=by, day=stage.day)
    stage.record(harbor.merged(guard))
    shown, stands = stage.status(ROW, NEXT)
    yield step("waiting", shown=(shown,), checks=(check("stage, fit, decision", "waiting, present, keep", stands),))


def _before(stage: Stage) -> None:
    """Both projects as they were: lumen has rewritten its history once, harbor builds with v0.2.0."""
    lumen, first, second = stage.lumen, dt.date(2026, 1, 5), dt.date(2026, 1, 12)
    begin = lumen.commit("main", "Add row sums (#1)", [ROW_SUM, BIG_FILE, version("0.1")], by=ADA, day=first)
    lumen.tag("v0.1.0", begin)
    rows = lumen.commit("main", "Refuse empty rows and masks (#3)", [CHECK_ROWS], by=BO, day=second)
    lumen.tag("v0.1.1", rows)
    rewrite, written = dt.date(2026, 2, 2), [lumen.written(begin), lumen.written(rows)]
    slim = [ROW_SUM, version("0.1")]
    lumen.commit("main", "Add row sums (#1)", slim, by=ADA, day=rewrite, authored=written[0], new_root=True)
    lumen.commit("main", "Refuse empty rows and masks (#3)", [CHECK_ROWS], by=BO, day=rewrite, authored=written[1])
    lumen.tag("v0.2.0", lumen.commit("main", "Add softmax (#8)", [SOFTMAX_NEW], by=ADA, day=dt.date(2026, 2, 5)))
    lumen.commit("main", "Say sums where sums are meant (#11)", RENAME, by=BO, day=dt.date(2026, 2, 9))
    server, by = stage.harbor, harbor.CLEO
    server.commit("main", "Serve scores and samples (#90)", harbor.FIRST, by=by, day=dt.date(2026, 1, 20))
    pin = harbor.pin("v0.1.1", "v0.2.0")
    server.commit("main", "Build with lumen 0.2.0 (#97)", pin, by=by, day=dt.date(2026, 2, 10))
    server.commit("main", "Shift rows before softmax (#98)", harbor.ADD_SHIFT, by=by, day=dt.date(2026, 2, 11))


def _added(patch: bytes) -> list[str]:
    return [line for line in patch.decode().splitlines() if line.startswith("+    ")]
