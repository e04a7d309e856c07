"""The workaround is gone, and then the pin falls back behind the fix."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo import harbor
from syncbot.demo.stage import Stage, shown_edit, shown_moves, shown_status, stands, status_command
from syncbot.demo.telling import Step, check
from syncbot.model.edit import Direction

TITLE = "Back to lumen 0.2.0: 0.3 is slow (#110)"


def pin_falls_back(stage: Stage) -> Iterator[Step]:
    """Let harbor's pin fall back to v0.2.0, and put the guard on again."""
    server, back = stage.harbor, dt.date(2026, 3, 27)
    server.commit("main", TITLE, harbor.pin("v0.3.1", "v0.2.0"), by=harbor.CLEO, day=back)
    long_rows, masked_tail = both = stage.status(back)
    yield Step(
        title="The pin falls back",
        story="Four days after the guard is gone, the pin goes back to v0.2.0, which has neither fix.",
        command=status_command(back),
        shown=shown_status(both),
        checks=(
            check("masked-tail", "regressed, absent, restore", stands(masked_tail)),
            check("long-rows", "regressed, present, keep", stands(long_rows)),
        ),
    )

    result, texts = stage.edited("masked-tail", Direction.REBASE)
    yield Step(
        title="Put back",
        story="The guard is put onto today's main from the commit that introduced it.",
        command="syncbot rebase masked-tail --repo harbor=harbor.git",
        shown=shown_edit(result),
        checks=(
            check("answered", True, result.outcome.answered),
            check(
                "files as they were before the removal",
                True,
                texts == {path: server.text(path, at="main~2") for path in (harbor.SCORES, harbor.TEST)},
            ),
        ),
    )

    found = stage.pin_moves(back)
    yield Step(
        title="Every move of the pin",
        story="Told by the ancestry of the two commits, not by their names.",
        command=status_command(back, "--pin-history"),
        shown=shown_moves(found),
        checks=(
            check(
                "moves",
                "first, unrelated, forward, diverged, forward, backward",
                ", ".join(move.kind for move in found),
            ),
        ),
    )
