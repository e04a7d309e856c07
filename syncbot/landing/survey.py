"""Ask one upstream repository which targets have which fixes.

A `Survey` reads the history once for all targets and all questions. For a single fix it then asks git only for commits
that touch the fix's paths; for every change at once (`Survey.everything`) it reads the list of changed blobs of all
commits in one stream and the diffs of the few that could be twins.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from syncbot.git.diff import Change, Patch, blob_sizes, change_of, read_changes, read_patches, unread_paths
from syncbot.git.history import Commit, History, merge_components, read_history, resolve
from syncbot.git.run import Git
from syncbot.landing.candidates import Candidates, Index, find, is_wordless
from syncbot.landing.claims import Names, read_claims
from syncbot.landing.judge import Diffs, Weighed, answer, weigh
from syncbot.landing.releases import first_release
from syncbot.model.errors import UnknownObjectError, UsageError
from syncbot.model.landing import Answer, FirstRelease, FixReport, Target
from syncbot.model.words import Confidence, Verdict

_QUERY = re.compile(r"^(?:(?P<name>[\w.-]+/[\w.-]+))?#(?P<number>\d+)$")
_ADDRESS = re.compile(r"^https?://[^/\s]+/(?P<name>[\w.-]+/[\w.-]+)/(?:pull|issues)/(?P<number>\d+)/?$")
_OID = re.compile(r"^[0-9a-fA-F]{7,64}$")
_TITLE_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_PATHS_ASKED = 64
_COMPONENTS = 50


@dataclass(frozen=True, slots=True)
class Query:
    """A fix as it was asked for: a number (with the repository it was said of, if any) or a commit."""

    text: str
    number: int | None = None
    name: str | None = None
    oid: str | None = None


def parse_query(text: str) -> Query:
    """Read ``#N``, ``owner/name#N``, a pull request's address or a commit id of 7 or more digits.

    Raises `UsageError` for anything else.
    """
    word = text.strip()
    if match := _QUERY.match(word) or _ADDRESS.match(word):
        return Query(word, number=int(match["number"]), name=match["name"])
    if _OID.match(word):
        return Query(word, oid=word.lower())
    raise UsageError(
        f"{text!r} is not a fix: expected a commit id (7 or more hex digits), #N, owner/name#N "
        "or the address of a pull request"
    )


class Survey:
    """The landing engine over one clone.

    ``branch`` is the commit of the default branch; ``names`` are the ``owner/name`` of the repository, as far as they
    are known, so that ``owner/name#N`` in a message counts as ``#N``; ``more`` are commits to read besides.
    ``shallow``: history is cut, so "absent" becomes "unknown".
    """

    def __init__(
        self,
        git: Git,
        branch: str,
        targets: Sequence[Target],
        *,
        names: Names = frozenset(),
        shallow: bool = False,
        more: Iterable[str] = (),
    ) -> None:
        self.git = git
        self.targets = tuple(targets)
        self.shallow = shallow
        known = [target.commit for target in self.targets if target.commit is not None]
        tips = list(dict.fromkeys([branch, *known, *more]))
        self.history: History = read_history(git, tips)
        self._absent = {
            target.ref: Answer(target=target, verdict=Verdict.ABSENT, confidence=Confidence.STRONG)
            for target in self.targets
        }
        self._bits = {tip: bit for bit, tip in enumerate(tips)}
        self.index = Index(self.history, read_claims(self.history, 0, names), 0)
        self._numbered = _numbers_its_changes(self.index)
        self._unshared = self._without_merge_base()
        self._off_branch = [tip for tip in tips[1:] if not self.index.on_branch(tip)]

    # -- questions ----------------------------------------------------------------------------------------------------

    def ask(self, query: Query) -> FixReport:
        """Answer for one fix over all targets."""
        commit = self._commit_of(query)
        if commit is None:
            return self._not_found(query)
        return self._report(query.text, commit, self._weigh_alone)

    def everything(self) -> Iterator[FixReport]:
        """Answer for every numbered change of the default branch, newest first."""
        bulk = _Bulk(self)
        weighed = bulk.weigh_all()
        for number, oid in bulk.numbered:
            yield self._report(f"#{number}", self.history.commits[oid], weighed.__getitem__)

    def _commit_of(self, query: Query) -> Commit | None:
        commits = self.history.commits
        if query.oid is not None:
            full = self.index.full(query.oid)
            return commits[full] if full is not None else None
        found = self.index.claims.by_number.get(query.number or 0, [])
        # The oldest commit on the branch is the landing; later ones with the same number are picks or re-landings.
        on_branch = [oid for oid in found if self.index.on_branch(oid)]
        rest = on_branch or found
        return commits[max(rest, key=lambda oid: commits[oid].place)] if rest else None

    def _not_found(self, query: Query) -> FixReport:
        if query.oid is not None:
            note, verdict = f"commit {query.oid} is not in this clone", Verdict.UNKNOWN
        elif self._numbered and not self.shallow:
            note, verdict = f"no commit of the default branch or a target landed #{query.number}", Verdict.ABSENT
        else:
            note = f"#{query.number} cannot be looked up: commits here do not name their pull requests"
            verdict = Verdict.UNKNOWN
        confidence = Confidence.STRONG if verdict is Verdict.ABSENT else Confidence.WEAK
        answers = tuple(
            Answer(target=target, verdict=verdict, confidence=confidence, reason=note) for target in self.targets
        )
        return FixReport(
            query=query.text,
            commit=None,
            pull=query.number,
            title=None,
            merged_at=None,
            answers=answers,
            first_release=FirstRelease(),
            notes=(note,),
        )

    # -- one fix ------------------------------------------------------------------------------------------------------

    def _weigh_alone(self, fix: str) -> Weighed:
        changes = change_of(self.git, [fix])
        paths = sorted(entry.path for entry in changes.get(fix, ()))
        same: dict[str, Change] = {}
        touching: dict[str, Change] = {}
        if paths:
            # A change with the same paths touches each of them, so one is enough to find it: the deepest, as a file
            # far down is changed less often than one near the top.
            rarest = max(paths, key=lambda path: (path.count("/"), len(path)))
            near = read_changes(self.git, *self.history.tips, paths=[rarest])
            same = {oid: change for oid, change in near.items() if _paths(change) == set(paths)}
            if self._off_branch:
                asked = paths[:: max(1, len(paths) // _PATHS_ASKED)]
                touching = read_changes(self.git, *self._off_branch, f"^{self.history.tips[0]}", paths=asked)
        found = find(self.index, fix, self.index.claims.number.get(fix), same, touching)
        found.wordless = {oid for oid in found.wordless if _could_hold(changes[fix], touching[oid])}
        changes |= same | touching
        missing = found.commits() - changes.keys()
        changes |= change_of(self.git, missing) if missing else {}
        sizes = blob_sizes(self.git, [changes[oid] for oid in (fix, *found.lookalike) if oid in changes])
        _sort_lookalikes(self.index, changes, found, sizes)
        return weigh(found, self._read_diffs([found], changes), self.history)

    def _read_diffs(self, candidates: Sequence[Candidates], changes: Mapping[str, Change]) -> Diffs:
        """The diffs that the candidates of some fixes need, each once: a copy with the very same blobs needs none."""
        needed: dict[str, Change] = {}
        turned: dict[str, Change] = {}
        for found in candidates:
            own = changes.get(found.fix, ())
            others = [oid for oid in found.commits() if changes.get(oid, ()) != own]
            if others:
                needed |= {oid: changes[oid] for oid in (found.fix, *others) if oid in changes}
            if found.mirror or found.backward:
                turned[found.fix] = own
        patches = read_patches(self.git, needed)
        return Diffs(changes, patches, _ids(read_patches(self.git, turned, reverse=True)))

    # -- reports ------------------------------------------------------------------------------------------------------

    def _report(self, text: str, commit: Commit, weighed_of: Callable[[str], Weighed]) -> FixReport:
        weighed = weighed_of(commit.oid)
        answers = [self._answer(weighed, target) for target in self.targets]
        parts = merge_components(self.history, commit)
        if 1 <= len(parts) <= _COMPONENTS and any(each.verdict is not Verdict.CONTAINED for each in answers):
            answers = self._with_parts(answers, parts)
        notes = self._notes(weighed, answers)
        return FixReport(
            query=text,
            commit=commit.oid,
            pull=self.index.claims.number.get(commit.oid),
            title=_TITLE_NUMBER.sub("", commit.subject),
            merged_at=dt.datetime.fromtimestamp(commit.committed, dt.UTC),
            answers=tuple(answers),
            first_release=first_release(answers),
            notes=tuple(notes),
        )

    def _answer(self, weighed: Weighed, target: Target) -> Answer:
        if target.commit is None:
            reason = target.note or f"{target.ref} cannot be read in this clone"
            return Answer(target=target, verdict=Verdict.UNKNOWN, confidence=Confidence.WEAK, reason=reason)
        bit = self._bits[target.commit]
        if not weighed.anywhere >> bit & 1 and not self.shallow:
            return self._absent[target.ref]
        found = answer(weighed, target, bit)
        if self.shallow and found.verdict is Verdict.ABSENT:
            reason = "this clone is shallow: its history is cut, so nothing says the fix is not there"
            return replace(found, verdict=Verdict.UNKNOWN, confidence=Confidence.WEAK, reason=reason)
        return found

    def _with_parts(self, answers: list[Answer], parts: list[str]) -> list[Answer]:
        """A merged branch is in a target too when each of its commits is."""
        columns = [
            [self._answer(weighed, each.target) for each in answers] for weighed in map(self._weigh_alone, parts)
        ]
        combined: list[Answer] = []
        for whole, *each in zip(answers, *columns, strict=True):
            has = [part for part in each if part.verdict is Verdict.CONTAINED]
            if whole.verdict is not Verdict.ABSENT or not has:
                combined.append(whole)
                continue
            full = len(has) == len(each)
            weak = any(part.confidence is Confidence.WEAK for part in has)
            combined.append(
                Answer(
                    target=whole.target,
                    verdict=Verdict.CONTAINED if full else Verdict.PARTIAL,
                    confidence=Confidence.STRONG if full and not weak else Confidence.WEAK,
                    evidence=tuple(evidence for part in has for evidence in part.evidence),
                    reason=f"{len(has)} of the {len(each)} commits of the merged branch are there",
                )
            )
        return combined

    def _notes(self, weighed: Weighed, answers: Sequence[Answer]) -> list[str]:
        notes: list[str] = []
        mine = [each.target.ref for each in answers if each.target.commit in self._unshared]
        if mine:
            span = mine[0] if len(mine) == 1 else f"{mine[0]} to {mine[-1]} ({len(mine)} targets)"
            notes.append(
                f"{span} share no commit with the default branch: history was rewritten, ancestry says nothing there, "
                "and the answer rests on twins and patch-ids"
            )
        if not self.index.on_branch(weighed.fix):
            notes.append("this commit is not on the default branch")
        elif any(undoing for undoing in weighed.undoings if self.index.on_branch(undoing.commit)):
            standing = any(mask & 1 for mask in weighed.standing.values())
            notes.append("reverted on the default branch" + (", and landed again since" if standing else ""))
        if self.shallow:
            notes.append("this clone is shallow: history is cut")
        return notes

    def _without_merge_base(self) -> set[str]:
        shared = 0
        for oid in self.history.commits:
            mask = self.history.mask(oid)
            if mask & 1:
                shared |= mask
        return {tip for tip, bit in self._bits.items() if not shared >> bit & 1}


class _Bulk:
    """The same work for every numbered change at once, with each diff read once."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        index = survey.index
        commits = survey.history.commits
        self.numbered = [
            (number, max((oid for oid in oids if index.on_branch(oid)), key=lambda oid: commits[oid].place))
            for number, oids in index.claims.by_number.items()
            if any(index.on_branch(oid) for oid in oids)
        ]

    def weigh_all(self) -> dict[str, Weighed]:
        """Weigh each numbered change; the result is keyed by its commit."""
        survey = self.survey
        changes = read_changes(survey.git, *survey.history.tips)
        groups: dict[frozenset[str], list[str]] = defaultdict(list)
        for oid, change in changes.items():
            if change:
                groups[frozenset(entry.path for entry in change)].append(oid)
        crowded = {paths: oids for paths, oids in groups.items() if len(oids) > 1}
        sizes = blob_sizes(survey.git, (changes[oid] for oids in crowded.values() for oid in oids))
        wordless = self._wordless(changes)
        everything: list[Candidates] = []
        for _, fix in self.numbered:
            own = changes.get(fix, ())
            paths = _paths(own)
            touching = {oid: changes[oid] for path in paths for oid in wordless.get(path, ())}
            found = find(
                survey.index, fix, survey.index.claims.number.get(fix), crowded.get(frozenset(paths), ()), touching
            )
            _sort_lookalikes(survey.index, changes, found, sizes)
            found.wordless = {oid for oid in found.wordless if _could_hold(own, changes[oid])}
            everything.append(found)
        diffs = survey._read_diffs(everything, changes)  # noqa: SLF001 - the same work, for all at once
        return {found.fix: weigh(found, diffs, survey.history) for found in everything}

    def _wordless(self, changes: Mapping[str, Change]) -> dict[str, list[str]]:
        """Off-branch commits without any counterpart, by the paths they touch."""
        found: dict[str, list[str]] = defaultdict(list)
        for oid, change in changes.items():
            if is_wordless(self.survey.index, oid):
                for entry in change:
                    found[entry.path].append(oid)
        return found


def _paths(change: Change) -> set[str]:
    return {entry.path for entry in change}


def _ids(patches: Mapping[str, Patch]) -> dict[str, str]:
    return {oid: patch.patch_id for oid, patch in patches.items() if patch.patch_id is not None}


def _could_hold(fix: Change, other: Change) -> bool:
    """Whether a commit touches at least half of the fix's paths; fewer cannot hold nearly all of its lines."""
    paths = _paths(fix)
    return 2 * len(paths & _paths(other)) >= len(paths)


def _growth(change: Change, sizes: Mapping[str, int], left_out: frozenset[str]) -> dict[str, int]:
    return {
        entry.path: sizes.get(entry.new, 0) - sizes.get(entry.old, 0) for entry in change if entry.path not in left_out
    }


def _sort_lookalikes(index: Index, changes: Mapping[str, Change], found: Candidates, sizes: Mapping[str, int]) -> None:
    """Of commits with the same paths, keep those that can be the fix (``lookalike``) or its undoing (``mirror``).

    The same patch grows each file by the same number of bytes, and its undoing shrinks it by as many, so blob sizes
    tell most apart without a diff. Where a size is not to be had, only an off-branch commit that names nothing is kept.
    """
    own = changes.get(found.fix, ())
    near, found.lookalike = found.lookalike, set()
    for oid in near:
        other = changes[oid]
        left_out = unread_paths(own, sizes) | unread_paths(other, sizes)
        if left_out and other != own and not is_wordless(index, oid):
            continue
        grown, there = _growth(own, sizes, left_out), _growth(other, sizes, left_out)
        if grown == there:
            found.lookalike.add(oid)
        if all(there[path] == -size for path, size in grown.items()):
            found.mirror.add(oid)


def _numbers_its_changes(index: Index) -> bool:
    """Whether the branch's commits usually name their pull request, so that a missing number means something."""
    newest = [oid for oid in index.history.commits if index.on_branch(oid)][:200]
    numbered = sum(1 for oid in newest if oid in index.claims.number)
    return bool(newest) and 2 * numbered >= len(newest)


def commits_in_queries(git: Git, queries: Iterable[Query]) -> list[str]:
    """The full ids of the commits asked for, as far as this clone has them."""
    found: list[str] = []
    for query in queries:
        if query.oid is not None:
            try:
                found.append(resolve(git, query.oid))
            except UnknownObjectError:
                continue
    return found
