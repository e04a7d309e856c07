"""From remarks to findings: one for each workaround, however many places it has.

Pure. Remarks that name the same upstream change are one finding, and so are copies of one text; what a remark waits
for becomes `FixClaim`s where the upstream is configured and the reference is a change.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from syncbot.model.discover import Certainty, Finding, Kind, Place, Reference, RefKind
from syncbot.model.project import FixClaim, Project, Workaround

_SURE = {Certainty.HIGH: 0, Certainty.MEDIUM: 1, Certainty.LOW: 2}
_PLAIN = {Kind.WAIT: 0, Kind.BYPASS: 1, Kind.PIN: 2, Kind.SKIP: 3, Kind.DEFECT: 4}
_SHORTEST_MARKER = 12


def find(places: Iterable[Place], project: Project, downstream: str) -> list[Finding]:
    """The findings of one scan, in the order of their first places."""
    groups: dict[str, list[Place]] = {}
    for place in places:
        groups.setdefault(_group_of(place), []).append(place)
    recorded = [each for each in project.workarounds if each.downstream == downstream]
    return [_finding(key, held, project, recorded) for key, held in groups.items()]


def new_places(now: Sequence[Place], before: Sequence[Place]) -> list[Place]:
    """The places of ``now`` that ``before`` had not: a text that only moved is not new, one more copy of it is."""
    had = Counter(_words(place.remark.text) for place in before)
    there = {(place.path, _words(place.remark.text)) for place in before}
    found: list[Place] = []
    counts = Counter(_words(place.remark.text) for place in now)
    for place in now:
        words = _words(place.remark.text)
        if counts[words] > had[words] and ((place.path, words) not in there or not had[words]):
            found.append(place)
            counts[words] -= 1
    return found


def _group_of(place: Place) -> str:
    remark = place.remark
    change = next((each for each in remark.references if each.kind is not RefKind.VERSION), None)
    ground = _words(remark.text) if change is None else f"{change.repo.lower()}#{change.value}"
    return hashlib.sha256(ground.encode("utf-8", "replace")).hexdigest()[:8]


def _words(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9.]+", text.lower()))


def _finding(key: str, places: list[Place], project: Project, recorded: Sequence[Workaround]) -> Finding:
    lead = min(places, key=lambda each: (_SURE[each.remark.certainty], _PLAIN[each.remark.kind]))
    references = tuple(dict.fromkeys(each for place in places for each in place.remark.references))
    upstream = _upstream(lead, references, project)
    fixes = fixes_of(lead.remark.references or references, project)
    finding = Finding(
        key=key,
        kind=lead.remark.kind,
        certainty=lead.remark.certainty,
        reason=lead.remark.reason,
        places=(lead, *(each for each in places if each is not lead)),
        upstream=upstream,
        references=references,
        fixes=fixes,
    )
    tracked = next((each.id for each in recorded if _records(each, finding)), None)
    return replace(finding, tracked=tracked) if tracked is not None else finding


def _upstream(lead: Place, references: Sequence[Reference], project: Project) -> str | None:
    """The configured upstream it waits for: that of a change, of a version, of a name; None where another is named."""
    changes = [each for each in references if each.kind is not RefKind.VERSION]
    for each in (*changes, *(() if changes else references)):
        if each.repo in project.upstreams:
            return each.repo
    if changes:
        return None
    return next((name for name in lead.remark.names if name in project.upstreams), None)


def fixes_of(references: Sequence[Reference], project: Project) -> tuple[FixClaim, ...]:
    """The changes of configured upstreams among ``references``, as claims nobody has verified."""
    found: dict[tuple[str, str], FixClaim] = {}
    for each in references:
        if each.repo not in project.upstreams:
            continue
        if each.kind in (RefKind.PULL, RefKind.NUMBER):
            found.setdefault((each.repo, each.value), FixClaim(upstream=each.repo, pull=int(each.value)))
        elif each.kind is RefKind.COMMIT:
            found.setdefault((each.repo, each.value), FixClaim(upstream=each.repo, commit=each.value))
    return tuple(found.values())


def _records(workaround: Workaround, finding: Finding) -> bool:
    """Whether a manifest speaks of this finding: the same change of the same upstream, or a marker of it."""
    for claim in workaround.fixes:
        for fix in finding.fixes:
            same_commit = claim.commit is not None and fix.commit is not None and claim.commit.startswith(fix.commit)
            if claim.upstream == fix.upstream and ((claim.pull is not None and claim.pull == fix.pull) or same_commit):
                return True
    for place in finding.places:
        guard = place.remark.guard
        told = "\n".join((place.remark.marker, guard.statement or ""))
        for marker in workaround.removal.markers:
            if marker.path == place.path and len(marker.text) >= _SHORTEST_MARKER and marker.text in told:
                return True
    return False
