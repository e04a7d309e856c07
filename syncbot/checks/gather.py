"""Sets of results from files that say themselves what was run: no option tells edit, pin or arm."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from syncbot.checks.codec import SCHEMA, decode
from syncbot.checks.readers import ResultError, read
from syncbot.checks.readers.source import objects
from syncbot.checks.readers.table import arm_of, knows
from syncbot.model.checks import Arm, Attached, Run

_NEEDED = ("edit", "pin", "arm")


def gather(files: Sequence[tuple[str, bytes]], *, at: datetime.datetime) -> tuple[Attached, ...]:
    """Return the sets in ``files`` (name and content): those kept as sets, and one for each edit and pin of the others.

    ``at`` is when the others were handed in. Raises `ResultError` with every problem of every file, and then takes
    none: half of what somebody attached is not what was measured.
    """
    sets: list[Attached] = []
    runs: dict[tuple[str, str], dict[Arm, list[Run]]] = {}
    problems: list[str] = []
    for name, data in files:
        try:
            if not knows(data) and (found := objects(name, data))[0].get("schema") == SCHEMA:
                sets += (decode(name, each) for each in found)
                continue
            for run in read(name, data):
                arm = arm_of(run.tags.get("arm", ""))
                unsaid = [key for key in _NEEDED if not run.tags.get(key)]
                if arm is None or unsaid:
                    problems.append(f"{run.source}: does not say {', '.join(unsaid or ['an arm that is known'])}")
                    continue
                arms = runs.setdefault((run.tags["edit"], run.tags["pin"]), {each: [] for each in Arm})
                arms[arm].append(run)
        except ResultError as error:
            problems += error.problems
    if problems:
        raise ResultError(*problems)
    sets += (
        Attached(edit=edit, pin=pin, baseline=tuple(arms[Arm.BASELINE]), candidate=tuple(arms[Arm.CANDIDATE]), at=at)
        for (edit, pin), arms in runs.items()
    )
    return tuple(sets)
