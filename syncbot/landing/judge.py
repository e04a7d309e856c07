"""From candidates and their diffs to verdicts: pure, no git.

Two steps. `weigh` decides once for each commit whether it carries the fix (and how much of it) or undoes it. `answer`
then looks at one target: which of those commits it has, and which landing is still standing there. A landing falls to
a revert that has it in its own history, so the order of events in the target's own past decides, and a pick, a revert
and a second pick are three answers in three tags.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from syncbot.git.diff import Change, Patch
from syncbot.git.history import History
from syncbot.landing.candidates import Candidates, Claim
from syncbot.landing.claims import Undo
from syncbot.landing.content import (
    ALIKE,
    CONTAINED,
    ENOUGH,
    NOTHING,
    UNDONE,
    Lines,
    changed_lines,
    flipped,
    overlap,
    telling_lines,
)
from syncbot.model.landing import Answer, Evidence, Target
from syncbot.model.words import Confidence, EvidenceKind, TargetKind, Verdict

_BY_DESIGN = {EvidenceKind.TRAILER, EvidenceKind.REWRITTEN, EvidenceKind.RELANDING}
_NAMED = {EvidenceKind.LISTED, EvidenceKind.SUBJECT}
_NO_LINES = "a commit there names it, and the fix has no lines to compare: a person must look"
_ORDER = {kind: place for place, kind in enumerate(EvidenceKind)}
_SHOWN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """A commit that carries the fix, or part of it; ``grade`` is the verdict of a target where it stands."""

    commit: str
    grade: Verdict
    confidence: Confidence
    claims: tuple[Claim, ...]
    present: Lines = frozenset()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Undoing:
    """A commit that takes the fix out again."""

    commit: str
    confidence: Confidence
    detail: str


@dataclass(slots=True)
class Weighed:
    """All landings and undoings of one fix, with the targets (bit masks) in which each landing still stands.

    ``lines``: the fix's telling lines, read only where some landing is partial. ``anywhere``: the targets that have any
    landing at all, standing or fallen.
    """

    fix: str
    lines: Lines
    landings: list[Landing]
    undoings: list[Undoing]
    standing: dict[str, int] = field(default_factory=dict)
    fallen: dict[str, dict[str, int]] = field(default_factory=dict)
    anywhere: int = 0
    told: dict[str, list[tuple[EvidenceKind, str, str]]] = field(default_factory=dict)


class Diffs:
    """The diffs of the candidates, with the measures taken from them kept for the next fix that asks."""

    def __init__(
        self, changes: Mapping[str, Change], patches: Mapping[str, Patch], undo_ids: Mapping[str, str]
    ) -> None:
        self.changes = changes
        self.patches = patches
        self.undo_ids = undo_ids
        self._lines: dict[str, Lines] = {}

    def lines(self, oid: str) -> Lines:
        """The telling lines of a commit's patch."""
        if oid not in self._lines:
            self._lines[oid] = telling_lines(self.patches[oid].text)
        return self._lines[oid]

    def same(self, one: str, other: str) -> bool:
        """Whether two commits are the same change: the same blobs, or the same stable patch-id."""
        if self.changes.get(one) and self.changes.get(one) == self.changes.get(other):
            return True
        first, second = self.patches.get(one), self.patches.get(other)
        if first is None or second is None or first.unread or second.unread or first.patch_id is None:
            return False
        return first.patch_id == second.patch_id and self._same_binaries(one, other) and not self._turned(one, other)

    def opposite(self, fix: str, other: str) -> bool:
        """Whether ``other`` is exactly the fix backwards."""
        backwards = {(e.path, e.new_mode, e.old_mode, e.new, e.old) for e in self.changes.get(fix, ())}
        if backwards and backwards == {tuple(entry) for entry in self.changes.get(other, ())}:
            return True
        second = self.patches.get(other)
        wanted = self.undo_ids.get(fix)
        if wanted is None or second is None or second.unread or second.patch_id != wanted:
            return False
        return wanted != self.patches[fix].patch_id or self._turned(fix, other)

    def _turned(self, one: str, other: str) -> bool:
        """Whether two changes that have one patch-id, which does not see white space, go opposite ways."""
        mine, theirs = (changed_lines(self.patches[oid].text) for oid in (one, other))
        return mine != theirs and mine == theirs[::-1]

    def unread(self, *oids: str) -> frozenset[str]:
        """The paths among these commits' changes that cannot be read here."""
        found: frozenset[str] = frozenset()
        for oid in oids:
            patch = self.patches.get(oid)
            found |= patch.unread if patch is not None else frozenset({"its whole change"})
        return found

    def _same_binaries(self, one: str, other: str) -> bool:
        # A patch-id says of a binary file only that it differs: the new blobs must be the same as well.
        binary = [line for line in self.patches[one].text.splitlines() if line.startswith(b"Binary files ")]
        if not binary:
            return True
        return {entry.new for entry in self.changes[one]} == {entry.new for entry in self.changes[other]}


def weigh(candidates: Candidates, diffs: Diffs, history: History) -> Weighed:
    """Hold every candidate against the diffs; what does not hold is gone from the result."""
    fix = candidates.fix
    undoings = [each for oid, undos in candidates.backward.items() if (each := _undone(diffs, fix, oid, undos))]
    for oid in sorted(candidates.mirror - candidates.backward.keys()):
        if diffs.opposite(fix, oid):
            detail = f"is exactly {fix[:12]} backwards (reverse patch-id)"
            undoings.append(Undoing(commit=oid, confidence=Confidence.STRONG, detail=detail))
    # A revert names what it takes out, and may well add a few of the same lines.
    taken = {undoing.commit for undoing in undoings if undoing.confidence is Confidence.STRONG}
    ancestor = Claim(EvidenceKind.ANCESTOR, "the fix itself is in its history")
    landings = [Landing(commit=fix, grade=Verdict.CONTAINED, confidence=Confidence.STRONG, claims=(ancestor,))]
    for read, oids in ((_claimed, candidates.forward), (_relanded, candidates.relanding)):
        landings += [found for oid in oids if oid not in taken and (found := read(candidates, diffs, oid)) is not None]
    taken |= {landing.commit for landing in landings}
    for oid in sorted(candidates.lookalike - taken):
        if diffs.same(fix, oid):
            landings.append(_landing(oid, Verdict.CONTAINED, Confidence.STRONG, (_patch_id(fix),)))
        elif unread := diffs.unread(fix, oid):
            landings.append(_unreadable(oid, (), unread))
    taken |= {landing.commit for landing in landings} | {undoing.commit for undoing in undoings}
    landings += [
        found for oid in sorted(candidates.wordless - taken) if (found := _by_content(diffs, fix, oid)) is not None
    ]
    partial = any(landing.grade is Verdict.PARTIAL for landing in landings)
    weighed = Weighed(fix, diffs.lines(fix) if partial else frozenset(), landings, undoings)
    _stand(weighed, history)
    return weighed


def _landing(oid: str, grade: Verdict, confidence: Confidence, claims: tuple[Claim, ...]) -> Landing:
    return Landing(commit=oid, grade=grade, confidence=confidence, claims=claims)


def _patch_id(fix: str) -> Claim:
    return Claim(EvidenceKind.PATCH_ID, f"same change as {fix[:12]} (stable patch-id)")


def _unreadable(oid: str, claims: tuple[Claim, ...], unread: frozenset[str]) -> Landing:
    named = ", ".join(sorted(unread)[:3]) + (" …" if len(unread) > 3 else "")
    return Landing(
        commit=oid,
        grade=Verdict.UNKNOWN,
        confidence=Confidence.WEAK,
        claims=claims,
        reason=f"{oid[:12]} may carry the fix, but this clone lacks content of {named}",
    )


def _claimed(candidates: Candidates, diffs: Diffs, oid: str) -> Landing | None:
    fix, claims = candidates.fix, tuple(candidates.forward[oid])
    if diffs.same(fix, oid):
        return _landing(oid, Verdict.CONTAINED, Confidence.STRONG, (*claims, _patch_id(fix)))
    if any(_is_rival(diffs, oid, rival) for rival in candidates.rivals.get(oid, ())):
        return None
    return _measured(diffs, fix, oid, claims)


def _is_rival(diffs: Diffs, oid: str, rival: str) -> bool:
    """Whether a claimant is another numbered change of the default branch, to nearly every line, and nothing else."""
    if diffs.same(oid, rival):
        return True
    there = overlap(diffs.lines(rival), diffs.lines(oid)).share
    back = overlap(diffs.lines(oid), diffs.lines(rival)).share
    return there is not None and back is not None and min(there, back) >= CONTAINED


def _measured(diffs: Diffs, fix: str, oid: str, claims: tuple[Claim, ...]) -> Landing | None:
    if unread := diffs.unread(fix, oid):
        return _unreadable(oid, claims, unread)
    shared = overlap(diffs.lines(fix), diffs.lines(oid))
    by_design = any(claim.kind in _BY_DESIGN for claim in claims)
    if shared.share is None:
        # Nothing to compare (a mode change, a binary): only a claim made on purpose counts, and weakly.
        if by_design:
            return _landing(oid, Verdict.CONTAINED, Confidence.WEAK, claims)
        named = any(claim.kind in _NAMED for claim in claims)
        return replace(_landing(oid, Verdict.UNSURE, Confidence.WEAK, claims), reason=_NO_LINES) if named else None
    if shared.share < NOTHING:
        return None
    percent = f"{shared.words} telling lines of the fix are in its change"
    seen = (*claims, Claim(EvidenceKind.CONTENT, percent))
    if shared.share >= CONTAINED:
        sure = by_design or shared.total >= ENOUGH
        confidence = Confidence.STRONG if sure else Confidence.WEAK
        return Landing(commit=oid, grade=Verdict.CONTAINED, confidence=confidence, claims=seen, present=shared.present)
    return Landing(commit=oid, grade=Verdict.PARTIAL, confidence=Confidence.WEAK, claims=seen, present=shared.present)


def _relanded(candidates: Candidates, diffs: Diffs, oid: str) -> Landing | None:
    if oid in candidates.forward:
        return None
    claim = Claim(EvidenceKind.RELANDING, "lands the fix again, by its message")
    if diffs.same(candidates.fix, oid):
        return _landing(oid, Verdict.CONTAINED, Confidence.STRONG, (claim, _patch_id(candidates.fix)))
    return _measured(diffs, candidates.fix, oid, (claim,))


def _by_content(diffs: Diffs, fix: str, oid: str) -> Landing | None:
    if unread := diffs.unread(fix, oid):
        return _unreadable(oid, (), unread)
    shared = overlap(diffs.lines(fix), diffs.lines(oid))
    if shared.share is None or shared.share < ALIKE or shared.total < ENOUGH:
        return None
    percent = f"{shared.words} telling lines of the fix are in its change; it names nothing"
    claim = Claim(EvidenceKind.CONTENT, percent)
    return Landing(
        commit=oid, grade=Verdict.UNSURE, confidence=Confidence.WEAK, claims=(claim,), present=shared.present
    )


def _undone(diffs: Diffs, fix: str, oid: str, undos: list[Undo]) -> Undoing | None:
    direct = any(undo.direct for undo in undos)
    if diffs.opposite(fix, oid):
        return Undoing(commit=oid, confidence=Confidence.STRONG, detail="reverts it (reverse patch-id)")
    shared = overlap(diffs.lines(fix), flipped(diffs.lines(oid))) if not diffs.unread(fix, oid) else None
    if shared is None or shared.share is None:
        weak = Undoing(commit=oid, confidence=Confidence.WEAK, detail="says that it reverts it")
        return Undoing(commit=oid, confidence=Confidence.STRONG, detail=weak.detail) if direct else weak
    counted = f"undoes {shared.words} telling lines"
    if shared.share >= UNDONE:
        says = "says that it reverts it" if direct else "reverts it among other things"
        return Undoing(commit=oid, confidence=Confidence.STRONG, detail=f"{says}, and {counted}")
    if direct:
        detail = f"says that it reverts it, but {counted} only"
        return Undoing(commit=oid, confidence=Confidence.WEAK, detail=detail)
    return None


def _stand(weighed: Weighed, history: History) -> None:
    for landing in weighed.landings:
        mask = history.mask(landing.commit)
        fallen: dict[str, int] = {}
        for undoing in weighed.undoings:
            if undoing.commit != landing.commit and history.is_ancestor(landing.commit, undoing.commit):
                fallen[undoing.commit] = history.mask(undoing.commit)
                mask &= ~history.mask(undoing.commit)
        weighed.anywhere |= history.mask(landing.commit)
        weighed.standing[landing.commit] = mask
        weighed.fallen[landing.commit] = fallen


def answer(weighed: Weighed, target: Target, bit: int) -> Answer:
    """The verdict for one target, whose bit in the history's masks is ``bit``."""
    if not weighed.anywhere >> bit & 1:
        return Answer(target=target, verdict=Verdict.ABSENT, confidence=Confidence.STRONG)
    if len(weighed.landings) == 1 and not weighed.undoings:
        return _standing_answer(weighed, target, weighed.landings)
    here = [landing for landing in weighed.landings if weighed.standing[landing.commit] >> bit & 1]
    if here:
        best = min(map(_rank, here))
        return _standing_answer(weighed, target, [landing for landing in here if _rank(landing) == best])
    pairs = [
        (landing, undoings)
        for landing in weighed.landings
        if landing.grade is Verdict.CONTAINED
        and (
            undoings := [
                each for each in weighed.undoings if weighed.fallen[landing.commit].get(each.commit, 0) >> bit & 1
            ]
        )
    ]
    if pairs:
        return _reverted_answer(weighed, target, pairs)
    return Answer(target=target, verdict=Verdict.ABSENT, confidence=Confidence.STRONG)


_RANKS = {
    (Verdict.CONTAINED, Confidence.STRONG): 0,
    (Verdict.CONTAINED, Confidence.WEAK): 1,
    (Verdict.UNKNOWN, Confidence.WEAK): 2,
    (Verdict.PARTIAL, Confidence.WEAK): 3,
    (Verdict.UNSURE, Confidence.WEAK): 4,
}


def _rank(landing: Landing) -> int:
    return _RANKS[landing.grade, landing.confidence]


def _standing_answer(weighed: Weighed, target: Target, chosen: list[Landing]) -> Answer:
    first = chosen[0]
    evidence = _evidence(weighed, first, target)
    if len(chosen) > 1:
        more = [each for landing in chosen[1:_SHOWN] for each in _evidence(weighed, landing, target)]
        evidence = _in_order((*evidence, *more))
    verdict, confidence, reason = first.grade, first.confidence, first.reason
    missing: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    if verdict is Verdict.PARTIAL:
        union: Lines = frozenset()
        for landing in chosen:
            union |= landing.present
        shared = overlap(weighed.lines, union)
        if shared.share is not None and shared.share >= CONTAINED:
            verdict, reason = Verdict.CONTAINED, "several commits carry its parts"
        else:
            reason = f"{shared.words} telling lines of the fix are there"
            missing, present = _texts(shared.missing), _texts(shared.present)
    elif verdict is Verdict.UNSURE:
        reason = reason or "its lines are in a commit there that names nothing: a person must look"
    return Answer(
        target=target,
        verdict=verdict,
        confidence=confidence,
        evidence=evidence,
        missing_lines=missing,
        present_lines=present,
        reason=reason,
    )


def _reverted_answer(weighed: Weighed, target: Target, pairs: list[tuple[Landing, list[Undoing]]]) -> Answer:
    evidence: list[Evidence] = []
    strong = False
    for landing, undoings in pairs[:_SHOWN]:
        evidence += _evidence(weighed, landing, target)
        for undoing in undoings:
            strong = strong or undoing.confidence is Confidence.STRONG
            command = f"git merge-base --is-ancestor {undoing.commit} {_named(target)} && git show {undoing.commit}"
            shown = Evidence(
                kind=EvidenceKind.REVERT,
                commit=undoing.commit,
                detail=f"{undoing.commit[:12]} {undoing.detail}",
                command=command,
            )
            if shown not in evidence:
                evidence.append(shown)
    confidence = Confidence.STRONG if strong else Confidence.WEAK
    return Answer(target=target, verdict=Verdict.REVERTED, confidence=confidence, evidence=_in_order(evidence))


def _texts(lines: Lines) -> tuple[str, ...]:
    return tuple(line.decode("utf-8", "replace") for line in sorted(lines))


def _in_order(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    found = tuple(evidence)
    return found if len(found) < 2 else tuple(sorted(found, key=lambda each: _ORDER[each.kind]))


def _named(target: Target) -> str:
    """A name for the target that a reader's git takes: a release's tag, else its commit."""
    return target.ref if target.kind is TargetKind.RELEASE else str(target.commit)


def _evidence(weighed: Weighed, landing: Landing, target: Target) -> tuple[Evidence, ...]:
    oid = landing.commit
    there = f"git merge-base --is-ancestor {oid} {_named(target)}"
    told = weighed.told.get(oid)
    if told is None:
        told = weighed.told[oid] = _told(weighed.fix, landing)
    return tuple([Evidence(kind=kind, commit=oid, detail=detail, command=there + more) for kind, detail, more in told])


def _told(fix: str, landing: Landing) -> list[tuple[EvidenceKind, str, str]]:
    """A landing's claims, strongest first: kind, words, and what its command adds. The same for every target."""
    oid = landing.commit
    return [
        (
            claim.kind,
            claim.detail if claim.kind is EvidenceKind.ANCESTOR else f"{oid[:12]} {claim.detail}",
            _repeats(claim.kind, fix, oid),
        )
        for claim in sorted(landing.claims, key=lambda claim: _ORDER[claim.kind])
    ]


def _repeats(kind: EvidenceKind, fix: str, oid: str) -> str:
    """The rest of a plain git command that shows a reader what was seen."""
    match kind:
        case EvidenceKind.ANCESTOR:
            return ""
        case EvidenceKind.PATCH_ID:
            return f" && git show {fix} {oid} | git patch-id --stable"
        case EvidenceKind.REWRITTEN:
            return f" && git log --no-walk --format='%an %ad %s' {fix} {oid}"
        case EvidenceKind.CONTENT:
            return f" && git range-diff {fix}^! {oid}^!"
        case _:
            return f" && git log -1 --format=%B {oid}"
