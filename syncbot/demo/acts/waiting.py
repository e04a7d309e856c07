"""The downstream adds two workarounds; nothing has landed upstream yet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo import harbor
from syncbot.demo.stage import Stage, shown_status, stands, status_command
from syncbot.demo.telling import Step, check


def waiting(stage: Stage) -> Iterator[Step]:
    """Build harbor with two workarounds, and ask for their status."""
    server, start, added = stage.harbor, dt.date(2026, 1, 20), dt.date(2026, 2, 13)
    server.commit("main", "Serve scores and samples (#90)", harbor.FIRST, by=harbor.CLEO, day=start)
    server.commit(
        "main", "Build with lumen 0.2.0 (#97)", harbor.pin("v0.1.1", "v0.2.0"), by=harbor.CLEO, day=dt.date(2026, 2, 10)
    )
    guard = server.commit("main", "Guard scores against NaN (#101)", harbor.ADD_GUARD, by=harbor.CLEO, day=added)
    shift = server.commit("main", "Shift rows before softmax (#102)", harbor.ADD_SHIFT, by=harbor.CLEO, day=added)
    stage.record("masked-tail", harbor.MASKED_TAIL.format(commit=guard))
    stage.record("long-rows", harbor.LONG_ROWS.format(commit=shift))

    day = dt.date(2026, 2, 17)
    long_rows, masked_tail = standings = stage.status(day)
    yield Step(
        title="Two workarounds, nothing landed",
        story="harbor works around two defects of lumen and records both: patches/masked-tail waits for lumen #14, "
        "patches/long-rows for #12.",
        command=status_command(day),
        shown=shown_status(standings),
        checks=(
            check("masked-tail", "waiting, present, keep", stands(masked_tail)),
            check("long-rows", "waiting, present, keep", stands(long_rows)),
        ),
    )
