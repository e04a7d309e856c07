"""Remarks on this machine: git, clock, cache."""

from __future__ import annotations

import re

from syncbot.model.doctor import Remark, hint, ok, problem

# merge-tree --write-tree and cat-file -z came with it.
OLDEST_GIT = (2, 38)
_SLOW, _WRONG = 60, 300


def on_git(answer: str | None) -> Remark:
    """A remark on what ``git version`` printed; None: it could not be run."""
    if answer is None:
        return problem("git", "git cannot be run", "Install git, and have it on PATH.")
    match = re.search(r"(\d+)\.(\d+)(?:\.\d+)?", answer)
    if match is None:
        return hint("git", f"git says {answer!r}, in which no version is understood")
    if (int(match[1]), int(match[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        return problem("git", f"{match[0]} cannot merge without a work tree", f"Install git {oldest} or newer.")
    return ok("git", match[0])


def on_clock(skew: float | None) -> Remark | None:
    """A remark on how many seconds this clock is ahead of a host's; None where no host told its time."""
    if skew is None:
        return None
    if abs(skew) < _SLOW:
        return ok("clock", f"right to within {_SLOW} seconds")
    text = f"{abs(round(skew))} seconds {'ahead of' if skew > 0 else 'behind'} the host's"
    todo = "Set it, for instance by NTP: quiet hours, ages of releases and an app's login go by it."
    return problem("clock", text, todo) if abs(skew) >= _WRONG else hint("clock", text, todo)


def on_cache(folder: str, trouble: str | None, sizes: tuple[int, int, int], sound: bool | None) -> Remark:
    """A remark on the cache folder. ``trouble``: why it cannot be written; ``sizes``: bytes of the facts and of the
    mirrors, and how many mirrors; ``sound``: what SQLite says of the facts, None where there are none yet.
    """
    facts, mirrors, count = sizes
    if trouble is not None:
        text = f"{folder} cannot be written ({trouble}), so every run starts from nothing"
        return hint("cache", text, "Make it writable, or name another folder in SYNCBOT_CACHE.")
    said = f"{folder}: facts {_size(facts)}, {count} mirrors {_size(mirrors)}"
    if sound is False:
        todo = "Nothing is lost: the next run throws them away. If it comes again, look at the disk."
        return hint("cache", f"{said}; the facts are damaged", todo)
    return ok("cache", said)


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
