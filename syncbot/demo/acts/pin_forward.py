"""The downstream's pin reaches the fix, and then a newer release that lacks it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo import harbor
from syncbot.demo.stage import Stage, shown_status, stands, status_command
from syncbot.demo.telling import Step, check


def pin_forward(stage: Stage) -> Iterator[Step]:
    """Move harbor's pin to v0.2.1, then to v0.3.0."""
    server, reached, newer = stage.harbor, dt.date(2026, 3, 10), dt.date(2026, 3, 12)
    server.commit("main", "Build with lumen 0.2.1 (#104)", harbor.pin("v0.2.0", "v0.2.1"), by=harbor.CLEO, day=reached)
    (ready,) = stage.status(reached, "masked-tail")
    yield Step(
        title="The pin reaches the fix",
        story="harbor now builds with v0.2.1. From today on the guard only costs.",
        command=status_command(reached, "masked-tail"),
        shown=shown_status([ready]),
        checks=(
            check("masked-tail", "ready, present, remove", stands(ready)),
            check("pinned since", reached, ready.dates.pinned),
        ),
    )

    server.commit("main", "Build with lumen 0.3.0 (#105)", harbor.pin("v0.2.1", "v0.3.0"), by=harbor.CLEO, day=newer)
    (regressed,) = stage.status(newer, "masked-tail")
    yield Step(
        title="A newer release without the fix",
        story="Two days later the pin goes up to v0.3.0. A check for `>= 0.2.1` would now take the guard out; the "
        "release was cut before the fix.",
        command=status_command(newer, "masked-tail"),
        shown=shown_status([regressed]),
        checks=(
            check("masked-tail", "regressed, present, keep", stands(regressed)),
            check("the pin had it as", "v0.2.1", regressed.pins[0].once),
        ),
    )
