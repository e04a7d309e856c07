"""What a proposal says about the evidence, as plain rows and sentences. Pure, from the facts of one workaround.

Nothing here names the downstream's head or today's date, so that a moved base alone changes no text.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from syncbot.model.landing import Answer, Target
from syncbot.model.project import Carrier
from syncbot.model.status import FixFacts, PinStanding, Standing
from syncbot.model.words import Cures, Needs
from syncbot.policy import has

_CURES = {
    Cures.VERIFIED: "shown to cure the defect",
    Cures.UNVERIFIED: "not shown to cure the defect yet",
    Cures.REFUTED: "tried, and did not cure it",
    Cures.ABANDONED: "abandoned",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One pin and one fix: the answer, how it is known, and the git command that repeats it."""

    pin: str
    path: str | None
    ref: str
    target: str | None
    fix: FixFacts
    verdict: str
    confidence: str
    detail: str
    command: str


def gating(standing: Standing, carrier: Carrier) -> tuple[PinStanding, ...]:
    """Return the pins that decide about a carrier."""
    own = [pin for pin in standing.pins if not carrier.pins or pin.reading.name in carrier.pins]
    return tuple(pin for pin in own if pin.reading.gating)


def rows(standing: Standing, carrier: Carrier) -> tuple[Row, ...]:
    """Return a row for each gating pin and each fix that decides; with ``any``, only the fixes that are there."""
    found = []
    for pin in gating(standing, carrier):
        answers = [(fix, _answer(fix, pin.reading.target)) for fix in standing.facts.fixes if fix.counts]
        if standing.facts.workaround.needs is Needs.ANY and pin.has.surely:
            answers = [(fix, answer) for fix, answer in answers if answer and answer.verdict.value == "contained"]
        for fix, answer in answers:
            first = answer.evidence[0] if answer is not None and answer.evidence else None
            text, target = pin.reading.text, pin.reading.target
            commit = target.commit if target else None
            repeat = f"git merge-base --is-ancestor {fix.report.commit} {commit}" if fix.report and commit else ""
            found.append(
                Row(
                    pin=pin.reading.name, path=text.path if text else None, ref=text.text if text else "?",
                    target=commit, fix=fix,
                    verdict=answer.verdict.value if answer else "unknown",
                    confidence=answer.confidence.value if answer else "weak",
                    detail=first.detail if first else (answer.reason if answer else None) or "no commit carries it",
                    command=first.command if first else repeat,
                )
            )  # fmt: skip
    return tuple(found)


def _answer(fix: FixFacts, target: Target | None) -> Answer | None:
    if fix.report is None or target is None:
        return None
    same = [each for each in fix.report.answers if each.target.commit == target.commit]
    return next((each for each in same if each.target.kind is target.kind), same[0] if same else None)


def digest(standing: Standing, carrier: Carrier) -> str:
    """Return the evidence key: landing commits and the verdict of each gating pin, no version names.

    A refusal holds as long as this stays the same.
    """
    commits = sorted(fix.report.commit or "" for fix in standing.facts.fixes if fix.counts and fix.report is not None)
    verdicts = sorted((pin.reading.name, pin.has.verdict.value) for pin in gating(standing, carrier))
    return hashlib.sha256(json.dumps([commits, verdicts]).encode()).hexdigest()[:16]


def cures(fix: FixFacts) -> str:
    """Say in words whether the fix was shown to help, and by whom."""
    by = f" (by {fix.claim.by})" if fix.claim.by and fix.claim.cures is not Cures.UNVERIFIED else ""
    return _CURES[fix.claim.cures] + by


def safe_from(standing: Standing) -> tuple[str | None, tuple[str, ...]]:
    """Return the release from which on every one has the fix, and the older ones that have it too.

    Prereleases are left out. None where the newest release lacks it, so no "from here on" is true.
    """
    facts = standing.facts
    final = [each for each in facts.releases if each.version is not None and not each.prerelease]
    there = [has(facts.fixes, facts.workaround.needs, each).surely for each in final]
    start = len(there)
    while start and there[start - 1]:
        start -= 1
    older = tuple(each.ref for each, has_it in zip(final[:start], there[:start], strict=True) if has_it)
    return (final[start].ref if start < len(final) else None), older


def exposed(standing: Standing) -> tuple[str, ...]:
    """Name the pins that decide nothing here and lack the fix: who builds from them loses the workaround too soon."""
    return tuple(
        f"Pin {pin.reading.name} ({pin.reading.text.text if pin.reading.text else 'unread'}) does not decide here, and "
        f"is not surely with the fix: {pin.has.verdict.value}."
        for pin in standing.pins
        if not pin.reading.gating and not pin.has.surely
    )


def young(standing: Standing, carrier: Carrier, days: int) -> str | None:
    """Say which gating pin builds a release younger than ``days``; None if none does."""
    for pin in gating(standing, carrier):
        target = pin.reading.target
        if days and target is not None and target.date is not None:
            age = (standing.facts.today - target.date.date()).days
            if target.version is not None and age < days:
                return f"{target.ref} was released on {target.date:%Y-%m-%d} and must be {days} days old"
    return None
