"""Upstream: a fix that is none, then the real one, on main and in a release."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo import harbor
from syncbot.demo.lumen import ADA, BO, FIX_MASK, FIX_MASK_ON_0_2, SOFTMAX_BLOCKS, SOFTMAX_ONE_GO
from syncbot.demo.stage import NEXT, REASON, ROW, Stage
from syncbot.demo.telling import Step, check, step

_PICK = "(cherry picked from commit {commit})"


def fixed(stage: Stage) -> Iterator[Step]:
    """Land and release both changes of lumen, and record what they are worth."""
    yield _claimed(stage)
    lumen, title = stage.lumen, "Read nothing past the mask (#14)"
    stage.day = dt.date(2026, 3, 4)
    fix = lumen.commit("main", title, [FIX_MASK], by=ADA, day=stage.day)
    stage.record(harbor.known(_guard(stage)))
    shown, stands = stage.status(ROW, NEXT)
    yield step("fixed", shown=(shown,), checks=(check("stage, fit, decision", "fixed, present, keep", stands),))

    stage.day = dt.date(2026, 3, 9)
    lumen.branch("release/0.2", lumen.git.text("rev-parse", "v0.2.0"))
    pick = lumen.commit(
        "release/0.2", title, [FIX_MASK_ON_0_2], by=ADA, day=stage.day, body=_PICK.format(commit=fix),
        authored=lumen.written(fix),
    )  # fmt: skip
    lumen.tag("v0.2.1", pick)
    where = stage.show("syncbot where '#14' --repo lumen.git", "^#14", "v0.2.1", "v0.3.0", "first release", "telling")
    shown, stands = stage.status(ROW, NEXT)
    yield step(
        "released",
        shown=(where, shown),
        checks=(
            check("plain git knows it in", "", _tags_with(stage, fix)),
            check("stage, fit, decision", "released, present, keep", stands),
        ),
    )


def _claimed(stage: Stage) -> Step:
    lumen, title, edits = stage.lumen, "Compute softmax in blocks (#12)", [SOFTMAX_BLOCKS]
    lumen.branch("release/0.3", lumen.tip("main"))
    claimed = lumen.commit("main", title, edits, by=ADA, day=dt.date(2026, 2, 23))
    pick = lumen.commit(
        "release/0.3", title, edits, by=ADA, day=dt.date(2026, 2, 24), body=_PICK.format(commit=claimed),
        authored=lumen.written(claimed),
    )  # fmt: skip
    lumen.tag("v0.3.0rc1", pick)
    stage.day = dt.date(2026, 2, 24)
    believed, stands = stage.status(ROW, NEXT)
    stage.record(harbor.refuted(_guard(stage)))
    recorded = stage.last_change(r"^\+(cures|note)")
    stage.day = dt.date(2026, 3, 2)
    revert = lumen.commit(
        "release/0.3", f'Revert "{title}"', [SOFTMAX_ONE_GO], by=BO, day=stage.day,
        body=f"Too slow on short rows.\n\nThis reverts commit {pick}.",
    )  # fmt: skip
    lumen.tag("v0.3.0", revert)
    known, then = stage.status(ROW, NEXT, REASON)
    where = stage.show("syncbot where '#12' --repo lumen.git", r"^v0\.3", "reverts it")
    return step(
        "claimed",
        shown=(believed, recorded, known, where),
        checks=(
            check("believed", "released, present, keep", stands),
            check("once it was tried", "unlinked, present, keep", then),
            check(
                "plain git has the pick in", "v0.3.0 v0.3.0rc1", " ".join(lumen.git.lines("tag", "--contains", pick))
            ),
        ),
    )


def _tags_with(stage: Stage, commit: str) -> str:
    return " ".join(stage.lumen.git.lines("tag", "--contains", commit))


def _guard(stage: Stage) -> str:
    """The commit of harbor that brought the guard."""
    return stage.harbor.git.text("log", "-1", "--format=%H", "--grep=(#101)", "main")
