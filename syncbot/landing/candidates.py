"""Which commits may carry, undo or re-land a fix, before any diff is read.

The result is deliberately too wide: it follows every claim, and every commit that touches exactly the same paths.
`syncbot.landing.judge` then reads the diffs of these few commits and throws out what does not hold.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from syncbot.git.diff import Change
from syncbot.git.history import Commit, History, merge_components
from syncbot.landing.claims import Claims, Reference, Undo, twin_key, untagged
from syncbot.model.words import EvidenceKind

_TAIL_NUMBER = re.compile(r"\s*\(#([0-9]{1,10})\)\s*$")
_AGAIN = re.compile(
    r"^(?:re-?land(?:ing)?:?\s+|re-?apply:?\s+|retry:?\s+|re-?(?=add|enable|introduce|implement|support))"
)
_CUT = ("…", "...")
_STEM = 12
"""The beginning of a subject is shared by too many commits if it is shorter."""
_PARTS = 50
"""A merge that brought in more commits is no pull request."""


def title_key(subject: str) -> str:
    """What two titles of the same work share: no tags, no number, no word that says "once more".

    >>> title_key("[Core] Re-add the timeout (#7)") == title_key("Add the timeout")
    True
    """
    return _AGAIN.sub("", untagged(_TAIL_NUMBER.sub("", subject)).lower())


@dataclass(frozen=True, slots=True)
class Claim:
    """One reason to look at a commit: its kind, and what a person reads about it."""

    kind: EvidenceKind
    detail: str


@dataclass(slots=True)
class Candidates:
    """What to judge for one fix. ``forward`` may carry it, ``backward`` may undo it, ``relanding`` may land it again.

    ``lookalike`` touches exactly its paths, ``mirror`` those of them that may be its exact undoing; ``wordless`` names
    no change at all. ``rivals`` maps a claimant to the numbered changes of the default branch that it may be instead.
    """

    fix: str
    forward: dict[str, list[Claim]] = field(default_factory=dict)
    backward: dict[str, list[Undo]] = field(default_factory=dict)
    relanding: dict[str, list[Undo]] = field(default_factory=dict)
    lookalike: set[str] = field(default_factory=set)
    mirror: set[str] = field(default_factory=set)
    wordless: set[str] = field(default_factory=set)
    rivals: dict[str, list[str]] = field(default_factory=dict)

    def commits(self) -> set[str]:
        """Every commit that has to be looked at, the fix among them."""
        rivals = {oid for oids in self.rivals.values() for oid in oids}
        return {
            self.fix,
            *self.forward,
            *self.backward,
            *self.relanding,
            *self.lookalike,
            *self.mirror,
            *self.wordless,
            *rivals,
        }


class Index:
    """Claims in the shape that `find` asks for them."""

    def __init__(self, history: History, claims: Claims, branch_bit: int) -> None:
        self.history = history
        self.claims = claims
        self.branch_bit = branch_bit
        self._sorted: list[str] | None = None
        self.undo_by_oid: dict[str, list[Undo]] = defaultdict(list)
        self.undo_by_number: dict[int, list[Undo]] = defaultdict(list)
        self.undo_by_subject: dict[str, list[Undo]] = defaultdict(list)
        self.undo_by_stem: list[tuple[str, Undo]] = []
        self._named: dict[str, set[str]] = defaultdict(set)
        self._parts: dict[str, list[str]] = {}
        self.reverting = {undo.commit for undo in claims.undos if undo.direct}
        self.by_title: dict[str, list[str]] = defaultdict(list)
        for oid, commit in history.commits.items():
            self.by_title[title_key(commit.subject)].append(oid)
        for undo in claims.undos:
            self._add(undo)
        self._pass_on_to_parts()
        self.picks: dict[str, list[str]] = defaultdict(list)
        for oid, commits in claims.picked_from.items():
            self.picks[self.full(oid) or oid].extend(commits)
        self.listed: dict[str, list[str]] = defaultdict(list)
        for oid, commits in claims.listed.items():
            known = self.full(oid)
            if known is not None:
                self.listed[known].extend(commits)

    def _add(self, undo: Undo) -> None:
        reference = undo.reference
        if reference.oid:
            known = self.full(reference.oid) or reference.oid
            self.undo_by_oid[known].append(undo)
            self._named[undo.commit].add(known)
        elif reference.number:
            self.undo_by_number[reference.number].append(undo)
        elif match := _TAIL_NUMBER.search(reference.subject):
            self.undo_by_number[int(match[1])].append(undo)
        elif reference.subject.endswith(_CUT):
            stem = reference.subject.rstrip("….").rstrip()
            if len(stem) >= _STEM:
                self.undo_by_stem.append((stem, undo))
        else:
            self.undo_by_subject[untagged(reference.subject)].append(undo)

    def _pass_on_to_parts(self) -> None:
        """A merge that is undone takes its commits along, as far as the diffs agree."""
        for oid in list(self.undo_by_oid):
            for part in self.parts(oid):
                self.undo_by_oid[part] += [undo._replace(direct=False) for undo in self.undo_by_oid[oid]]

    def parts(self, oid: str) -> list[str]:
        """The commits that a merged pull request consists of, newest first; empty for an ordinary commit."""
        commit = self.history.commits.get(oid)
        if commit is None or len(commit.parents) < 2:
            return []
        if oid not in self._parts:
            self._parts[oid] = merge_components(self.history, commit, _PARTS)
        return self._parts[oid]

    def full(self, oid: str) -> str | None:
        """The commit of this history that a full or abbreviated id names, if exactly one does."""
        if oid in self.history.commits:
            return oid
        if len(oid) >= 40:
            return None
        if self._sorted is None:
            self._sorted = sorted(self.history.commits)
        at = bisect_left(self._sorted, oid)
        near = [each for each in self._sorted[at : at + 2] if each.startswith(oid)]
        return near[0] if len(near) == 1 else None

    def on_branch(self, oid: str) -> bool:
        """Whether the default branch has a commit."""
        return bool(self.history.mask(oid) >> self.branch_bit & 1)

    def twins(self, oid: str) -> list[str]:
        """The other commits with the same author, author date and subject."""
        return [twin for twin in self.claims.twins[twin_key(self.history.commits[oid])] if twin != oid]

    def counterparts(self, oid: str) -> list[str]:
        """The default branch's commits that ``oid`` is a copy of, by rewriting or by its trailers."""
        named = [self.full(picked) for picked in self.claims.trailers.get(oid, ())]
        return [other for other in (*self.twins(oid), *named) if other is not None and self.on_branch(other)]

    def undos_of(self, landing: Commit) -> list[Undo]:
        """The claims to undo (or re-land) a landing, by id, number or subject; one of its parts is undone for it."""
        found = list(self.undo_by_oid.get(landing.oid, ()))
        for part in self.parts(landing.oid):
            found += [undo._replace(direct=False) for undo in self.undo_by_oid.get(part, ())]
        number = self.claims.number.get(landing.oid)
        by_words = list(self.undo_by_number.get(number, ())) if number is not None else []
        whole, stem = landing.subject, _TAIL_NUMBER.sub("", landing.subject)
        by_subject = [
            undo if undo.reference.subject in (whole, stem) else undo._replace(direct=False)
            for subject in dict.fromkeys((untagged(stem), untagged(whole)))
            for undo in self.undo_by_subject.get(subject, ())
        ]
        by_subject += [undo for start, undo in self.undo_by_stem if whole.startswith(start)]
        if by_subject and self._is_shared(landing):
            by_subject = [undo._replace(direct=False) for undo in by_subject]
        # A message that names ids means those; whether it means this one too, only the diff can say.
        for undo in (*by_words, *by_subject):
            named = {oid for oid in self._named[undo.commit] if oid in self.history.commits}
            found.append(undo._replace(direct=False) if named and landing.oid not in named else undo)
        return [undo for undo in dict.fromkeys(found) if undo.commit != landing.oid]

    def _is_shared(self, landing: Commit) -> bool:
        """Whether several changes (not copies of one) have this subject."""
        keys = {twin_key(commit) for commit in self.history.commits.values() if commit.subject == landing.subject}
        return len(keys) > 1


def find(
    index: Index,
    fix: str,
    number: int | None,
    same_paths: Iterable[str],
    touching: Mapping[str, Change] | None = None,
) -> Candidates:
    """Everything that may carry or undo ``fix``.

    ``same_paths``: commits that change exactly the paths of the fix. ``touching``: off-branch commits that change any
    of them, among which those without any counterpart are tried by content.
    """
    found = Candidates(fix)
    queue = [fix]
    seen = {fix}

    def claim(oid: str, kind: EvidenceKind, detail: str) -> None:
        if oid == fix:
            return
        found.forward.setdefault(oid, []).append(Claim(kind, detail))
        if oid not in seen:
            seen.add(oid)
            queue.append(oid)

    while queue:
        landing = index.history.commits[queue.pop()]
        for oid in index.picks.get(landing.oid, ()):
            claim(oid, EvidenceKind.TRAILER, f"says it was cherry picked from {landing.oid[:12]}")
        for oid in index.twins(landing.oid):
            if oid not in seen:
                claim(oid, EvidenceKind.REWRITTEN, f"same author, author date and subject as {landing.oid[:12]}")
        for undo in index.undos_of(landing):
            side = found.backward if undo.sign < 0 else found.relanding
            if undo not in side.setdefault(undo.commit, []):
                side[undo.commit].append(undo)
    _add_mentions(index, found, fix, number)
    _add_relandings(index, found)
    found.lookalike = {oid for oid in same_paths if oid != fix}
    for oid in touching or ():
        if oid not in seen and is_wordless(index, oid):
            found.wordless.add(oid)
    return found


def _add_mentions(index: Index, found: Candidates, fix: str, number: int | None) -> None:
    for oid in index.listed.get(fix, ()):
        _mention(index, found, oid, EvidenceKind.LISTED, f"lists {fix[:12]}", number)
    if number is None:
        return
    for oid in index.claims.subject_numbers.get(number, ()):
        _mention(index, found, oid, EvidenceKind.SUBJECT, f"has #{number} in its subject", number)
    for oid in index.claims.body_numbers.get(number, ()):
        _mention(index, found, oid, EvidenceKind.BODY, f"names #{number} in its message", number)


def _mention(index: Index, found: Candidates, oid: str, kind: EvidenceKind, detail: str, number: int | None) -> None:
    if oid == found.fix or index.on_branch(oid):
        return
    others = [other for other in index.counterparts(oid) if index.claims.number.get(other) != number]
    if others and oid not in found.forward:
        return  # a copy of another numbered change that merely mentions this one
    own = index.claims.number.get(oid)
    if own is not None and own != number:
        found.rivals[oid] = [each for each in index.claims.by_number[own] if index.on_branch(each)]
    found.forward.setdefault(oid, []).append(Claim(kind, detail))


def _add_relandings(index: Index, found: Candidates) -> None:
    """Follow reverts of reverts, to any depth: each second one lands the fix again. Picks of a revert are reverts."""
    queue = [(oid, -1) for oid in found.backward]
    for oid in _titled_alike(index, found) if found.backward else ():
        found.relanding.setdefault(oid, []).append(Undo(oid, Reference(oid=found.fix), 1, False))
        queue.append((oid, 1))
    seen = {oid for oid, _ in queue}
    while queue:
        oid, sign = queue.pop()
        for pick in index.picks.get(oid, ()):
            if pick not in seen and pick not in found.forward:
                seen.add(pick)
                side = found.backward if sign < 0 else found.relanding
                side.setdefault(pick, []).append(Undo(pick, Reference(oid=found.fix), sign, False))
                queue.append((pick, sign))
        for undo in index.undo_by_oid.get(oid, ()):
            # Only an explicit id counts here: the subject of ``Revert "Revert "x""`` was followed from the fix itself.
            if undo.commit in seen or undo.commit == oid:
                continue
            seen.add(undo.commit)
            side = found.relanding if sign < 0 else found.backward
            side.setdefault(undo.commit, []).append(undo)
            queue.append((undo.commit, -sign))
    for oid in found.relanding:
        if oid in found.backward and any(undo.direct for undo in found.relanding[oid]):
            del found.backward[oid]


def _titled_alike(index: Index, found: Candidates) -> list[str]:
    """The commits with the fix's title that came after a revert of it."""
    return [
        oid
        for oid in index.by_title[title_key(index.history.commits[found.fix].subject)]
        if oid != found.fix
        and oid not in found.forward
        and oid not in found.backward
        and any(index.history.is_ancestor(undo, oid) for undo in found.backward)
    ]


def is_wordless(index: Index, oid: str) -> bool:
    """Whether an off-branch commit has no counterpart at all: nothing in it says which change it is."""
    commit = index.history.commits[oid]
    if len(commit.parents) != 1 or index.on_branch(oid) or oid in index.reverting:
        return False
    number = index.claims.number.get(oid)
    known = number is not None and any(index.on_branch(each) for each in index.claims.by_number[number])
    return not known and not index.counterparts(oid)
