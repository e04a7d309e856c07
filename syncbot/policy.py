"""From facts to decisions: pure tables, no clock, no environment, no I/O.

Two questions. `stage_of`: where does upstream stand with what the workaround waits for? `decide`: what follows for
each place where the workaround lives? Every answer carries its reasons in words, since a bot that does nothing owes
an explanation too.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from syncbot.model.landing import Answer, FirstRelease, Target
from syncbot.model.project import Carrier
from syncbot.model.status import Dates, Decision, Facts, FixFacts, Has, PinFacts, PinStanding, Sight, Standing
from syncbot.model.words import Action, CarriedAs, Choice, Confidence, Cures, Fit, Needs, Stage, Verdict

_THERE = (Fit.PRESENT, Fit.PARTIAL, Fit.CONFLICT)


# -- does a target have the fix ----------------------------------------------------------------------------------------


def has(fixes: Iterable[FixFacts], needs: Needs, target: Target | None) -> Has:
    """Whether ``target`` has the fixes that count, all of them or any, as ``needs`` says."""
    each = [_has_one(fix, target) for fix in fixes if fix.counts]
    if not each:
        return Has(verdict=Verdict.UNKNOWN, confidence=Confidence.WEAK, why="no fix is recorded")
    if needs is Needs.ANY:
        # One that is surely there settles it; else the best that is not sure; else they are all surely not there.
        return min(each, key=lambda one: (not one.surely, one.surely_not, _RANK[one.verdict]))
    # One that is surely not there settles it; else the worst that is not sure; else they are all surely there.
    return min(each, key=lambda one: (not one.surely_not, one.surely, -_RANK[one.verdict]))


def _has(facts: Facts, target: Target | None) -> Has:
    return has(facts.fixes, facts.workaround.needs, target)


_RANK = {verdict: place for place, verdict in enumerate(
    (Verdict.CONTAINED, Verdict.PARTIAL, Verdict.UNSURE, Verdict.UNKNOWN, Verdict.REVERTED, Verdict.ABSENT)
)}  # fmt: skip


def _has_one(fix: FixFacts, target: Target | None) -> Has:
    label = fix.claim.label
    if fix.report is None:
        return Has(verdict=Verdict.UNKNOWN, confidence=Confidence.WEAK, why=f"{label}: {fix.problem}")
    answer = _answer_for(fix.report.answers, target)
    if answer is None:
        why = f"{label}: {target.note or target.ref if target else 'the pin cannot be read'}"
        return Has(verdict=Verdict.UNKNOWN, confidence=Confidence.WEAK, why=why)
    reason = answer.reason or (answer.evidence[0].detail if answer.evidence else None)
    return Has(verdict=answer.verdict, confidence=answer.confidence, why=f"{label}: {reason}" if reason else label)


def _answer_for(answers: Iterable[Answer], target: Target | None) -> Answer | None:
    if target is None or target.commit is None:
        return None
    same = [answer for answer in answers if answer.target.commit == target.commit]
    return next((answer for answer in same if answer.target.kind is target.kind), same[0] if same else None)


# -- pins and dates ----------------------------------------------------------------------------------------------------


def pin_standing(facts: Facts, pin: PinFacts) -> PinStanding:
    """A pin's verdict today; where it has not the fix now, the latest earlier text that had it."""
    if pin.reading.problem is not None:
        unknown = Has(verdict=Verdict.UNKNOWN, confidence=Confidence.WEAK, why=pin.reading.problem)
        return PinStanding(reading=pin.reading, has=unknown)
    now = _has(facts, pin.reading.target)
    once: str | None = None
    since: dt.date | None = None
    for seen in pin.past:
        if _has(facts, seen.reading.target).surely:
            since = since or seen.date.date()
            once = seen.reading.text.text if seen.reading.text else None
        else:
            since = None
    return PinStanding(reading=pin.reading, has=now, once=None if now.surely else once, since=since)


def dates_of(facts: Facts, pins: Sequence[PinStanding]) -> Dates:
    """The day the awaited fixes were merged, first released together, and the day the last gating pin got them."""
    waited = [fix.report for fix in facts.fixes if fix.counts and fix.report is not None]
    merged = [report.merged_at.date() for report in waited if report.merged_at is not None]
    pick = min if facts.workaround.needs is Needs.ANY else max
    complete = merged and (facts.workaround.needs is Needs.ANY or len(merged) == len(waited))
    first = _first_with_all(facts)
    gating = [pin for pin in pins if pin.reading.gating]
    reached = [pin.since for pin in gating if pin.has.surely]
    known = [day for day in reached if day is not None]
    pinned = max(known) if gating and len(known) == len(gating) else None
    return Dates(
        merged=pick(merged) if complete else None,
        released=first.date.date() if first and first.date else None,
        pinned=pinned,
    )


def _first_with_all(facts: Facts) -> Target | None:
    final = [each for each in facts.releases if each.version is not None and _has(facts, each).surely]
    dated = [each for each in final if each.date is not None]
    return min(dated, key=lambda each: (each.prerelease, each.date), default=None)


def first_release_of(facts: Facts) -> FirstRelease:
    """The first release with everything that is awaited, by date and by line."""
    first = _first_with_all(facts)
    lines: dict[str, Target] = {}
    for release in facts.releases:  # in version order
        if release.line is not None and release.version is not None and _has(facts, release).surely:
            held = lines.get(release.line)
            if held is None or (held.prerelease and not release.prerelease):
                lines[release.line] = release
    return FirstRelease(by_date=first.ref if first else None, by_line=tuple((line, t.ref) for line, t in lines.items()))


# -- stage -------------------------------------------------------------------------------------------------------------


def stage_of(facts: Facts, pins: Sequence[PinStanding]) -> tuple[Stage, tuple[str, ...]]:
    """Where upstream stands, over the gating pins and the fixes that count, with the reasons."""
    waited = [fix for fix in facts.fixes if fix.counts]
    if not waited:
        dropped = [f"{fix.claim.label} is {fix.claim.cures.value}" for fix in facts.fixes]
        return Stage.UNLINKED, ("no fix is recorded that is still hoped for", *dropped)
    gating = [pin for pin in pins if pin.reading.gating]
    lacking = [pin for pin in gating if pin.has.surely_not]
    fell = [pin for pin in lacking if pin.once is not None]
    if fell:
        return Stage.REGRESSED, tuple(map(_fell_back, fell))
    landed, reason = _landed(facts, waited)
    if landed is not Stage.FIXED:
        return landed, (reason,)
    first = _first_with_all(facts)
    if first is None and not any(pin.has.surely for pin in gating):
        if gone := _taken_back(facts, waited):
            return Stage.WAITING, (f"{gone} landed upstream and was reverted there before any release had it",)
        doubtful = [each.ref for each in facts.releases if _has(facts, each).verdict in _DOUBTFUL]
        more = (f"a person must look at {', '.join(doubtful[:5])}",) if doubtful else ()
        return Stage.FIXED, (reason, "it is in no release yet", *more)
    released = [f"first released in {first.ref}" if first else "in a pinned commit, but in no release yet"]
    if gone := _taken_back(facts, waited):
        released.append(f"{gone} was reverted upstream since, so later releases may lack it again")
    if lacking:
        doubts = [_doubt(pin) for pin in gating if pin not in lacking and not pin.has.surely]
        return Stage.RELEASED, (*released, *(f"{_pin(pin)} lacks it" for pin in lacking), *doubts)
    doubts = [_doubt(pin) for pin in gating if not pin.has.surely]
    if not gating:
        doubts = ["no gating pin is configured, so nothing says when the downstream has the fix"]
    doubts += _floor_doubts(facts)
    if doubts:
        return (Stage.RELEASED if _floor_lacks(facts) else Stage.UNSURE), (*released, *doubts)
    return Stage.READY, (*released, *(f"{_pin(pin)} has it" for pin in gating))


_DOUBTFUL = (Verdict.PARTIAL, Verdict.UNSURE, Verdict.UNKNOWN)


def _pin(pin: PinStanding) -> str:
    text = f" ({pin.reading.text.short})" if pin.reading.text else ""
    return f"pin {pin.reading.name}{text}"


def _doubt(pin: PinStanding) -> str:
    return f"{_pin(pin)}: {pin.has.verdict.value} ({pin.has.why})"


def _fell_back(pin: PinStanding) -> str:
    if pin.has.verdict is Verdict.REVERTED:
        return f"{_pin(pin)} had it as {pin.once} and has not now: reverted upstream"
    return f"{_pin(pin)} had it as {pin.once} and fell back"


def _landed(facts: Facts, waited: Sequence[FixFacts]) -> tuple[Stage, str]:
    unknown = [fix for fix in waited if fix.report is None or _cannot_tell(fix)]
    there = [fix for fix in waited if fix.report is not None and fix.report.commit is not None]
    names = ", ".join(fix.claim.label for fix in there)
    needed = 1 if facts.workaround.needs is Needs.ANY else len(waited)
    if len(there) >= needed:
        return Stage.FIXED, f"{names} landed upstream"
    missing = [fix for fix in waited if fix not in there]
    if unknown:
        return Stage.UNSURE, "; ".join(f"{fix.claim.label}: {_why_unknown(fix)}" for fix in unknown)
    return Stage.WAITING, f"{', '.join(fix.claim.label for fix in missing)} has not landed upstream"


def _taken_back(facts: Facts, waited: Sequence[FixFacts]) -> str:
    """The fixes that were reverted upstream, where nothing is left to wait for; empty otherwise."""
    gone = [fix.claim.label for fix in waited if fix.report is not None and fix.report.reverted]
    enough = len(gone) == len(waited) if facts.workaround.needs is Needs.ANY else bool(gone)
    return ", ".join(gone) if enough else ""


def _cannot_tell(fix: FixFacts) -> bool:
    report = fix.report
    return report is not None and report.commit is None and any(a.verdict is Verdict.UNKNOWN for a in report.answers)


def _why_unknown(fix: FixFacts) -> str:
    if fix.report is None:
        return fix.problem or "could not be looked up"
    return fix.report.notes[0] if fix.report.notes else "could not be looked up"


def _floor_target(facts: Facts) -> Target | None:
    floor = facts.workaround.floor
    return next((each for each in facts.releases if floor is not None and floor in (each.version, each.ref)), None)


def _floor_doubts(facts: Facts) -> list[str]:
    floor = facts.workaround.floor
    if floor is None:
        return []
    target = _floor_target(facts)
    if target is None:
        return [f"the support floor {floor} is no release of the upstream"]
    found = _has(facts, target)
    if found.surely:
        return []
    said = "lacks it" if found.surely_not else f"may lack it: {found.verdict.value} ({found.why})"
    return [f"the support floor {floor} {said}"]


def _floor_lacks(facts: Facts) -> bool:
    target = _floor_target(facts)
    return target is not None and _has(facts, target).surely_not


# -- decision ----------------------------------------------------------------------------------------------------------


def conclude(facts: Facts) -> Standing:
    """Everything that follows from the facts."""
    pins = tuple(pin_standing(facts, pin) for pin in facts.pins)
    stage, reasons = stage_of(facts, pins)
    return Standing(
        facts=facts,
        stage=stage,
        stage_reasons=reasons,
        pins=pins,
        dates=dates_of(facts, pins),
        first_release=first_release_of(facts),
        decisions=tuple(
            decide(facts, carrier, sight, stage, pins, reasons)
            for carrier, sight in zip(facts.workaround.carriers, facts.sights, strict=True)
        ),
    )


def decide(
    facts: Facts,
    carrier: Carrier,
    sight: Sight,
    stage: Stage,
    pins: Sequence[PinStanding],
    reasons: Sequence[str],
) -> Decision:
    """What to do about one carrier: the table of needed (surely, surely not, not sure) by whether it is there."""
    own = [pin for pin in pins if pin.reading.name in carrier.pins] if carrier.pins else list(pins)
    needed = _needed(facts, stage, [pin for pin in own if pin.reading.gating], narrowed=bool(carrier.pins))
    choice, step, more = _choose(facts, carrier, sight, needed)
    if choice is Choice.KEEP:
        step = _awaited(facts, stage, own) if needed else _settle(stage, own, reasons)
    elif choice is Choice.UNSURE and not step:
        step = f"Nothing to take out. {_settle(stage, own, reasons)}"
    return Decision(carrier=carrier, sight=sight, choice=choice, reasons=(*reasons, *more), next=step)


def _choose(facts: Facts, carrier: Carrier, sight: Sight, needed: bool | None) -> tuple[Choice, str, tuple[str, ...]]:
    """The choice, the next step where the table alone knows it, and reasons to add."""
    if sight.fit is Fit.UNKNOWN:
        return Choice.UNSURE, f"Find out whether it is still there: {sight.reason}.", ()
    match needed, sight.fit in _THERE:
        case (True, True) | (None, True) if sight.stale:
            return Choice.REFRESH, "Write its patch anew: it does not apply to the branch any more.", ()
        case (True, True) | (None, True):
            return Choice.KEEP, "", ()
        case True, False:
            return _restore(facts, carrier)
        case False, True:
            return _remove(facts)
        case False, False:
            return Choice.DONE, "Nothing: it is gone, and no longer needed.", ()
        case _:
            return Choice.UNSURE, "", ()


def _needed(facts: Facts, stage: Stage, gating: Sequence[PinStanding], *, narrowed: bool) -> bool | None:
    """Whether some gating pin, or the floor, lacks the fix: True or False where that is sure, None where it is not."""
    if stage in (Stage.UNLINKED, Stage.UNSURE):
        return None
    if stage in (Stage.WAITING, Stage.FIXED) or any(pin.has.surely_not for pin in gating) or _floor_lacks(facts):
        return True
    if narrowed:
        sure = gating and all(pin.has.surely for pin in gating) and not _floor_doubts(facts)
        return False if sure else None
    return stage is not Stage.READY


def _awaited(facts: Facts, stage: Stage, pins: Sequence[PinStanding]) -> str:
    names = ", ".join(fix.claim.label for fix in facts.fixes if fix.counts)
    match stage:
        case Stage.WAITING:
            absent = [fix.claim.label for fix in facts.fixes if fix.counts and not (fix.report and fix.report.commit)]
            return f"Wait for {', '.join(absent) or names} to land upstream."
        case Stage.FIXED:
            return f"Wait for a release with {names}."
        case Stage.REGRESSED:
            return "Keep it: a pin that had the fix has lost it."
        case _:
            first = _first_with_all(facts)
            lacking = [pin.reading.name for pin in pins if pin.reading.gating and pin.has.surely_not]
            where = f"{first.ref} or another release that has it" if first else f"a commit with {names}"
            what = f"pin{'s' * (len(lacking) > 1)} {', '.join(lacking)}" if lacking else "the support floor"
            return f"Wait for {what} to reach {where}."


def _settle(stage: Stage, pins: Sequence[PinStanding], reasons: Sequence[str]) -> str:
    if stage is Stage.UNLINKED:
        return "Name the upstream change that cures it in [[fixes]]; until then it can never be called ready."
    doubtful = [pin for pin in pins if pin.reading.gating and not pin.has.surely and not pin.has.surely_not]
    if doubtful:
        return "Look at " + "; ".join(f"{_pin(pin)}: {pin.has.why or pin.has.verdict.value}" for pin in doubtful) + "."
    return f"Look at this first: {reasons[-1]}."


def _restore(facts: Facts, carrier: Carrier) -> tuple[Choice, str, tuple[str, ...]]:
    if carrier.carried is CarriedAs.IN_TREE and not facts.was_there:
        return Choice.DONE, "Nothing: at this commit the workaround was not introduced yet.", ()
    if not facts.workaround.removal.restore:
        return Choice.UNSURE, "The fix is missing and the workaround gone; the manifest asks for a report only.", ()
    return Choice.RESTORE, "Put the workaround back: a pin lacks the fix, and it is gone.", ()


def _remove(facts: Facts) -> tuple[Choice, str, tuple[str, ...]]:
    counted = [fix.claim for fix in facts.fixes if fix.counts]
    unproven = ", ".join(claim.label for claim in counted if claim.cures is Cures.UNVERIFIED)
    more = (f"that {unproven} cures it is unverified: only a test shows it",) if unproven else ()
    if facts.workaround.removal.action is Action.REVIEW:
        step = "Revisit it: every gating pin has the fix, and the manifest leaves the edit to a person."
        return Choice.REVIEW, step, more
    return Choice.REMOVE, "Take it out: every gating pin has the fix.", more


_WEIGHT = (Choice.RESTORE, Choice.REMOVE, Choice.REVIEW, Choice.REFRESH, Choice.UNSURE, Choice.KEEP, Choice.DONE)


def is_overdue(standing: Standing, after_days: int) -> bool:
    """Whether it could have gone more than ``after_days`` days ago, when its last gating pin got the fix."""
    pinned = standing.dates.pinned
    able = any(decision.choice in (Choice.REMOVE, Choice.REVIEW) for decision in standing.decisions)
    return able and pinned is not None and (standing.facts.today - pinned).days > after_days


def foremost(standing: Standing) -> Decision:
    """The decision that asks for most, for a line that has room for one."""
    return min(standing.decisions, key=lambda decision: _WEIGHT.index(decision.choice))
