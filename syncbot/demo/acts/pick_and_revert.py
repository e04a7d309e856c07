"""A fix is picked onto a release branch and taken back out before the release."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo.lumen import ADA, BO, RENAME, SOFTMAX_BLOCKS, SOFTMAX_ONE_GO
from syncbot.demo.stage import Stage, shown_fix, verdicts
from syncbot.demo.telling import Step, check

PICK = "(cherry picked from commit {commit})"


def pick_and_revert(stage: Stage) -> Iterator[Step]:
    """Build release/0.3 with a candidate that has #12 and a release that has not, though its commit is there."""
    lumen = stage.lumen
    base = lumen.commit("main", "Say sums where sums are meant (#11)", RENAME, by=BO, day=dt.date(2026, 2, 19))
    lumen.branch("release/0.3", base)
    title, edits = "Compute softmax in blocks (#12)", [SOFTMAX_BLOCKS]
    fix = lumen.commit("main", title, edits, by=ADA, day=dt.date(2026, 2, 23))
    pick = lumen.commit(
        "release/0.3", title, edits, by=ADA, day=dt.date(2026, 2, 24), body=PICK.format(commit=fix),
        authored=lumen.written(fix),
    )  # fmt: skip
    lumen.tag("v0.3.0rc1", pick)
    revert = lumen.commit(
        "release/0.3", f'Revert "{title}"', [SOFTMAX_ONE_GO], by=BO, day=dt.date(2026, 3, 2),
        body=f"Too slow on short rows.\n\nThis reverts commit {pick}.",
    )  # fmt: skip
    lumen.tag("v0.3.0", revert)

    report = stage.where("#12")
    plain_git = " ".join(lumen.git.lines("tag", "--contains", pick))
    yield Step(
        title="Picked, then reverted",
        story="#12 is picked onto release/0.3 for the candidate and reverted before the release. The picked commit is "
        f"an ancestor of both ({plain_git}); only one of them has its code.",
        command="syncbot where '#12' --repo lumen.git",
        shown=shown_fix(report),
        checks=(
            check("plain git, asked for the pick", "v0.3.0 v0.3.0rc1", plain_git),
            check(
                "syncbot",
                "v0.1.0 absent, v0.1.1 absent, v0.2.0 absent, v0.3.0rc1 contained, v0.3.0 reverted",
                verdicts(report),
            ),
        ),
    )
