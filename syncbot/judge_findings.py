"""Today's verdict on findings, from the same facts and rules as ``status``.

Each finding with a change to ask about becomes a workaround that nobody wrote down, and `syncbot.observe` and
`syncbot.policy` do the rest in one go. A version that is waited for decides nothing: releases are not ordered by what
they contain, so a pin that is past it is worth a person's look and no more.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace

from packaging.version import InvalidVersion

from syncbot.git.clone import Clone
from syncbot.git.run import Git
from syncbot.landing.ask import Facts as Cached
from syncbot.landing.pins import PinProblemError, read_pin
from syncbot.landing.targets import parse_version
from syncbot.model.discover import Certainty, Finding, Judged, Outlook, Reference, RefKind
from syncbot.model.project import Project, Workaround
from syncbot.model.status import Standing
from syncbot.model.words import Stage
from syncbot.observe import Clones, Moment, observe
from syncbot.policy import conclude

_ORDER = (
    Stage.READY, Stage.REGRESSED, Stage.UNSURE, Stage.RELEASED, Stage.FIXED, Stage.WAITING, None, Stage.UNLINKED,
)  # fmt: skip
_SURE = {Certainty.HIGH: 0, Certainty.MEDIUM: 1, Certainty.LOW: 2}


def judge(
    project: Project,
    downstream: str,
    clone: Clone,
    upstreams: Mapping[str, Clone | str],
    findings: Sequence[Finding],
    *,
    commit: str,
    today: dt.date,
    cache: Cached | None = None,
) -> list[Judged]:
    """The findings with a verdict each, overdue ones first.

    ``upstreams`` holds a clone for each configured upstream, or the reason why there is none. ``commit`` is the
    downstream commit the findings are of.
    """
    asked = [each for each in findings if each.fixes and _all_there(each, upstreams)]
    standings = _standings(project, downstream, clone, upstreams, asked, commit=commit, today=today, cache=cache)
    pinned = _pinned(project, downstream, clone.git(), commit)
    judged = [
        Judged(finding=each, outlook=_outlook(each, standings.get(each.key), upstreams, pinned)) for each in findings
    ]
    return sorted(judged, key=_rank)


def _all_there(finding: Finding, upstreams: Mapping[str, Clone | str]) -> bool:
    return all(isinstance(upstreams.get(fix.upstream), Clone) for fix in finding.fixes)


def _rank(judged: Judged) -> tuple[int, int, str, str]:
    finding = judged.finding
    since = judged.outlook.since or (finding.introduced.date.date() if finding.introduced else dt.date.max)
    return (_ORDER.index(judged.outlook.stage), _SURE[finding.certainty], since.isoformat(), finding.key)


def _standings(
    project: Project,
    downstream: str,
    clone: Clone,
    upstreams: Mapping[str, Clone | str],
    findings: Sequence[Finding],
    *,
    commit: str,
    today: dt.date,
    cache: Cached | None,
) -> dict[str, Standing]:
    if not findings:
        return {}
    unwritten = tuple(
        Workaround(id=each.key, title=each.reason, why="", downstream=downstream, carriers=(), fixes=each.fixes)
        for each in findings
    )
    there = {name: each for name, each in upstreams.items() if isinstance(each, Clone)}
    clones = Clones(upstreams=there, downstreams={downstream: clone}, pins={})
    home = project.downstreams[downstream].repo
    own = {name: pin for name, pin in project.pins.items() if pin.upstream in there and pin.repo == home}
    known = replace(project, workarounds=unwritten, pins=own)
    facts = observe(known, clones, Moment(today=today, at=commit), cache=cache)
    return {each.workaround.id: conclude(each) for each in facts}


def _outlook(
    finding: Finding,
    standing: Standing | None,
    upstreams: Mapping[str, Clone | str],
    pinned: Mapping[str, Sequence[tuple[str, str]]],
) -> Outlook:
    if standing is not None:
        doubt = _may_be_issues(finding, standing)
        return Outlook(
            stage=Stage.UNSURE if doubt else standing.stage,
            reasons=doubt or standing.stage_reasons,
            pins=tuple(
                (each.reading.name, each.reading.text.text if each.reading.text else "?", each.has.verdict.value)
                for each in standing.pins
            ),
            first_release=standing.first_release.by_date,
            since=standing.dates.pinned if standing.stage is Stage.READY else None,
        )
    versions = [each for each in finding.references if each.kind is RefKind.VERSION and each.repo == finding.upstream]
    why = _why_not_asked(finding, upstreams)
    if versions and finding.upstream is not None:
        stage, told = _by_version(versions[-1], pinned.get(finding.upstream, ()))
        return Outlook(stage=stage, reasons=(told, *((why,) if finding.fixes else ())))
    if finding.fixes or finding.upstream is None:
        return Outlook(stage=None if finding.references else Stage.UNLINKED, reasons=(why,))
    return Outlook(stage=Stage.UNLINKED, reasons=(why,))


def _may_be_issues(finding: Finding, standing: Standing) -> tuple[str, ...]:
    """A bare number that no commit landed may as well be an issue: then "not landed" would say nothing."""
    bare = {each.value for each in finding.references if each.kind is RefKind.NUMBER}
    absent = [
        fix.claim.label
        for fix in standing.facts.fixes
        if str(fix.claim.pull) in bare and (fix.report is None or fix.report.commit is None)
    ]
    return tuple(f"{label} is landed by no commit; it may be an issue as well" for label in absent)


def _why_not_asked(finding: Finding, upstreams: Mapping[str, Clone | str]) -> str:
    changes = [each for each in finding.references if each.kind is not RefKind.VERSION]
    if finding.upstream is None:
        if changes:
            return f"{changes[0].repo} is not a configured upstream"
        return "it names no upstream change"
    there = upstreams.get(finding.upstream)
    if finding.fixes and isinstance(there, str):
        return there
    if changes:
        return f"{', '.join(each.label for each in changes)} is an issue: which change ends it, the code does not tell"
    return f"it names {finding.upstream} and no change of it"


def _pinned(project: Project, downstream: str, git: Git, commit: str) -> dict[str, list[tuple[str, str]]]:
    """What the downstream's gating pins of each upstream say, as written."""
    found: dict[str, list[tuple[str, str]]] = {}
    for pin in project.pins.values():
        if pin.downstream != downstream or not pin.gating or pin.repo != project.downstreams[downstream].repo:
            continue
        try:
            text = read_pin(git, commit, pin)
        except PinProblemError:
            continue
        if text is not None and not text.submodule:
            found.setdefault(pin.upstream, []).append((pin.name, text.text))
    return found


def _by_version(awaited: Reference, pins: Sequence[tuple[str, str]]) -> tuple[Stage | None, str]:
    try:
        wanted = parse_version(awaited.value)
        there = [(name, text, parse_version(text.removeprefix("v"))) for name, text in pins]
    except InvalidVersion:
        return Stage.UNSURE, f"it names {awaited.label}; the pin is no version to set beside it"
    if not there:
        return None, f"it names {awaited.label}; no gating pin of {awaited.repo} is configured"
    said = ", ".join(f"{name} is {text}" for name, text, _ in there)
    if all(version >= wanted for _, _, version in there):
        return Stage.UNSURE, f"it names {awaited.label} and {said}: worth a look, versions prove nothing"
    return Stage.WAITING, f"it names {awaited.label} and {said}, by version only"
