"""The acts in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from syncbot.demo.acts.backport import backport
from syncbot.demo.acts.pick_and_revert import pick_and_revert
from syncbot.demo.acts.pin_falls_back import pin_falls_back
from syncbot.demo.acts.pin_forward import pin_forward
from syncbot.demo.acts.rewritten_root import rewritten_root
from syncbot.demo.acts.squash_and_moved_tag import squash_and_moved_tag
from syncbot.demo.acts.take_out import take_out
from syncbot.demo.acts.waiting import waiting
from syncbot.demo.stage import Stage
from syncbot.demo.telling import Step

Act = Callable[[Stage], Iterator[Step]]

ACTS: tuple[Act, ...] = (
    rewritten_root,
    waiting,
    pick_and_revert,
    backport,
    pin_forward,
    squash_and_moved_tag,
    take_out,
    pin_falls_back,
)


def play(folder: Path) -> Iterator[Step]:
    """Build everything in ``folder``, which must be empty, and yield each step as soon as it is there."""
    stage = Stage(folder)
    for act in ACTS:
        yield from act(stage)
