"""Two fixes ship in one squashed commit, under a tag that was set on the wrong commit first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo.lumen import BO, FIX_MASK, SOFTMAX_BLOCKS, version
from syncbot.demo.stage import Stage, answer, shown_fix, verdicts
from syncbot.demo.telling import Step, check


def squash_and_moved_tag(stage: Stage) -> Iterator[Step]:
    """Tag v0.3.1 too early, notice that it moves, and find both fixes in the one commit it moved to."""
    from rich.text import Text

    lumen, early, late = stage.lumen, dt.date(2026, 3, 18), dt.date(2026, 3, 19)
    wrong = lumen.commit("release/0.3", "Call it 0.3.1", [version("0.3.1")], by=BO, day=early)
    lumen.tag("v0.3.1", wrong)
    stage.look_at_tags(early)
    before = answer(stage.where("#14"), "v0.3.1")

    squash = lumen.commit(
        "release/0.3", "Backports for 0.3.1 (#19)", [FIX_MASK, SOFTMAX_BLOCKS], by=BO, day=late,
        body="* Read nothing past the mask (#14)\n* Compute softmax in blocks (#12)",
    )  # fmt: skip
    lumen.tag("v0.3.1", squash)
    changes = stage.look_at_tags(late)
    said = [
        Text(f"tag {each.tag} moved: {each.before[:12]} since {each.since}, now {str(each.now)[:12]}", style="yellow")
        for each in changes.moved
    ]
    masks, blocks = stage.where("#14"), stage.where("#12")
    yield Step(
        title="A tag that moved, and a squash",
        story="v0.3.1 was tagged one commit too early and moved the next day, onto one commit that carries #14 and "
        "#12 and names both in its body only. The memory of tags notices the move; the content bears out the names.",
        command="syncbot where '#14' '#12' --repo lumen.git",
        shown=(*said, *shown_fix(masks), Text(""), *shown_fix(blocks)),
        checks=(
            check("tags that moved", "v0.3.1", " ".join(each.tag for each in changes.moved)),
            check("#14 in v0.3.1 before the move", "absent", before.verdict),
            check("#14 in v0.3.1 after it", "contained", answer(masks, "v0.3.1").verdict),
            check("told by", "body-number", answer(masks, "v0.3.1").evidence[0].kind),
            check(
                "#12: picked, reverted, landed again",
                "v0.1.0 absent, v0.1.1 absent, v0.2.0 absent, v0.2.1 absent, "
                "v0.3.0rc1 contained, v0.3.0 reverted, v0.3.1 contained",
                verdicts(blocks),
            ),
        ),
    )
