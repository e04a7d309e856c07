"""The first release that has a fix: by date, and within each line."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from syncbot.landing.targets import parse_version
from syncbot.model.landing import Answer, FirstRelease, Target
from syncbot.model.words import TargetKind, Verdict


def first_release(answers: Iterable[Answer]) -> FirstRelease:
    """The earliest releases whose verdict is ``contained``.

    Final releases (and post-releases) come before pre-releases: a candidate is named only where nothing else has it.
    Tags that are no version are never first.
    """
    return _first_of(tuple([answer.target for answer in answers if answer.verdict is Verdict.CONTAINED]))


@lru_cache(maxsize=256)
def _first_of(targets: tuple[Target, ...]) -> FirstRelease:
    # Fixes that landed between the same two releases have the same answer.
    has = [each for each in targets if each.kind is TargetKind.RELEASE and each.version is not None]
    lines: dict[str, list[Target]] = {}
    for target in has:
        lines.setdefault(target.line or "", []).append(target)
    by_line = [(line, _lowest(targets).ref) for line, targets in lines.items()]
    dated = [target for target in has if target.date is not None]
    earliest = min(dated, key=lambda t: (t.prerelease, t.date, parse_version(t.version or "0"))) if dated else None
    return FirstRelease(
        by_date=earliest.ref if earliest else None,
        by_line=tuple(sorted(by_line, key=lambda pair: parse_version(pair[0]))),
    )


def _lowest(targets: list[Target]) -> Target:
    return min(targets, key=lambda target: (target.prerelease, parse_version(target.version or "0")))
