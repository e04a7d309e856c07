"""The acts in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from syncbot.demo.acts.carried import carried
from syncbot.demo.acts.fixed import fixed
from syncbot.demo.acts.gone import gone
from syncbot.demo.acts.offered import offered
from syncbot.demo.stage import Run, Stage
from syncbot.demo.telling import Step

Act = Callable[[Stage], Iterator[Step]]

ACTS: tuple[Act, ...] = (carried, fixed, offered, gone)


def play(folder: Path, run: Run) -> Iterator[Step]:
    """Build everything in ``folder``, which must be empty, and yield each step as soon as it is there.

    ``run`` runs ``syncbot`` in that folder at a time of the story.
    """
    stage = Stage(folder, run)
    for act in ACTS:
        yield from act(stage)
