"""Shards: which downstreams each job of a matrix deals with. Pure, and the same in every job of one commit.

A downstream is never split. Its clone, its listing of open proposals and its dashboard are what a pass costs, and its
limits on proposals and writes would not hold if two jobs counted them apart.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from dataclasses import dataclass, replace

from syncbot.model.errors import UsageError
from syncbot.model.project import Project

MOST_JOBS = 256  # of one matrix on GitHub Actions


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Part ``number``, counted from 1, of ``of``."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def parse_shard(text: str) -> Shard:
    """Return ``3/40`` as a shard; raises `UsageError` for anything else, or for more than `MOST_JOBS` parts."""
    match = re.fullmatch(r"([1-9]\d{0,2})/([1-9]\d{0,2})", text)
    if match is None or not int(match[1]) <= int(match[2]) <= MOST_JOBS:
        raise UsageError(f"--shard {text}: expected I/N, part I of N, with N up to {MOST_JOBS}")
    return Shard(number=int(match[1]), of=int(match[2]))


def split(project: Project, jobs: int) -> tuple[tuple[str, ...], ...]:
    """Return the downstreams of each shard, by name: at most ``jobs`` shards, with about as many workarounds each.

    The fullest downstream goes first, each into the shard that is emptiest so far. Downstreams without a workaround are
    in none. A project without workarounds has one empty shard, since a matrix without a job is an error.
    """
    counts = Counter(each.downstream for each in project.workarounds)
    shards: list[list[str]] = [[] for _ in range(max(1, min(jobs, len(counts))))]
    filled = [(0, number) for number in range(len(shards))]
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        held, number = heapq.heappop(filled)
        shards[number].append(name)
        heapq.heappush(filled, (held + count, number))
    return tuple(tuple(sorted(names)) for names in shards)


def part(project: Project, shard: Shard) -> Project:
    """Return the project with the downstreams of one shard, and what these need, alone."""
    shards = split(project, shard.of)
    names = shards[shard.number - 1] if shard.number <= len(shards) else ()
    workarounds = tuple(each for each in project.workarounds if each.downstream in names)
    pins = {name: pin for name, pin in project.pins.items() if pin.downstream in names}
    needed = {pin.upstream for pin in pins.values()} | {fix.upstream for each in workarounds for fix in each.fixes}
    return replace(
        project,
        upstreams={name: each for name, each in project.upstreams.items() if name in needed},
        downstreams={name: each for name, each in project.downstreams.items() if name in names},
        pins=pins,
        workarounds=workarounds,
    )


def matrix(project: Project, jobs: int) -> dict[str, list[dict[str, str | int]]]:
    """Return what ``strategy: matrix:`` takes: for each job its ``shard``, how many ``workarounds``, and a ``name``.

    A job is told its shard and not its ids: the outputs of a job may have 1 MB, and ten thousand ids come near it.
    """
    counts = Counter(each.downstream for each in project.workarounds)
    shards = split(project, jobs)
    return {
        "include": [
            {
                "shard": str(Shard(number=number, of=len(shards))),
                "workarounds": sum(counts[name] for name in names),
                "name": _told(names),
            }
            for number, names in enumerate(shards, 1)
        ]
    }


def _told(names: tuple[str, ...]) -> str:
    if not names:
        return "nothing"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
