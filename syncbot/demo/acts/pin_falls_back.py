"""The workaround is taken out, and then the pin falls back behind the fix."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo import harbor
from syncbot.demo.stage import Stage, shown_moves, shown_status, stands, status_command
from syncbot.demo.telling import Step, check


def pin_falls_back(stage: Stage) -> Iterator[Step]:
    """Move harbor's pin to v0.3.1, take the guard out, and let the pin fall back to v0.2.0."""
    server, up, back = stage.harbor, dt.date(2026, 3, 20), dt.date(2026, 3, 27)
    server.commit("main", "Build with lumen 0.3.1 (#107)", harbor.pin("v0.3.0", "v0.3.1"), by=harbor.CLEO, day=up)
    long_rows, masked_tail = both = stage.status(up)
    yield Step(
        title="Both are ready",
        story="v0.3.1 has both fixes and harbor builds with it. The shift before softmax is marked for review: its "
        "manifest leaves the edit to a person.",
        command=status_command(up),
        shown=shown_status(both),
        checks=(
            check("masked-tail", "ready, present, remove", stands(masked_tail)),
            check("long-rows", "ready, present, review", stands(long_rows)),
        ),
    )

    server.commit("main", "Drop the NaN guard (#108)", harbor.DROP_GUARD, by=harbor.CLEO, day=dt.date(2026, 3, 23))
    (gone,) = stage.status(dt.date(2026, 3, 23), "masked-tail")
    server.commit(
        "main", "Back to lumen 0.2.0: 0.3 is slow (#110)", harbor.pin("v0.3.1", "v0.2.0"),
        by=harbor.CLEO, day=back,
    )  # fmt: skip
    long_rows, masked_tail = both = stage.status(back)
    yield Step(
        title="The pin falls back",
        story="The guard is removed on the 23rd. Four days later the pin goes back to v0.2.0, which has neither fix.",
        command=status_command(back),
        shown=shown_status(both),
        checks=(
            check("masked-tail, once the guard was out", "ready, absent, done", stands(gone)),
            check("masked-tail", "regressed, absent, restore", stands(masked_tail)),
            check("long-rows", "regressed, present, keep", stands(long_rows)),
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
