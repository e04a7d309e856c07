"""Ask one upstream repository which targets have which fixes.

A `Survey` reads the history once for all targets and all questions. For a fix it then asks git only for commits that
touch the fix's paths; `syncbot.landing.everything` does the same for all changes at once.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.git.diff import Change, blob_sizes, change_of, read_changes
from syncbot.git.history import Commit, History, is_readable, read_history, resolve
from syncbot.git.run import Git
from syncbot.landing.candidates import Index, find
from syncbot.landing.claims import Names, numbers_in, read_claims
from syncbot.landing.judge import Weighed, answer, weigh
from syncbot.landing.lookalikes import could_hold, paths_of, read_diffs, sort_lookalikes
from syncbot.landing.releases import first_release
from syncbot.model.errors import UnknownObjectError, UsageError
from syncbot.model.landing import Answer, FirstRelease, FixReport, Target
from syncbot.model.words import Confidence, Verdict

_QUERY = re.compile(r"^(?:(?P<name>[\w.-]+/[\w.-]+))?#(?P<number>[0-9]{1,10})$")
_ADDRESS = re.compile(r"^https?://[^/\s]+/(?P<name>[\w.-]+/[\w.-]+)/(?:pull|issues)/(?P<number>[0-9]{1,10})/?$")
_OID = re.compile(r"^[0-9a-fA-F]{7,64}$")
_TITLE_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_DOUBTFUL = (Verdict.UNKNOWN, Verdict.UNSURE, Verdict.PARTIAL)
_PATHS_ASKED = 64
_HINTS = 3


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
        self.shallow = shallow
        self._names = names
        self.targets = tuple(targets)
        tips = _tips(branch, self.targets, more)
        try:
            self.history: History = read_history(git, tips)
        except UnknownObjectError:
            self.targets = tuple(_without_lost(git, branch, self.targets))
            tips = _tips(branch, self.targets, more)
            self.history = read_history(git, tips)
        self._absent = {
            (target.kind, target.ref): Answer(target=target, verdict=Verdict.ABSENT, confidence=Confidence.STRONG)
            for target in self.targets
        }
        self._bits = {tip: bit for bit, tip in enumerate(tips)}
        self.index = Index(self.history, read_claims(self.history, 0, names), 0)
        self._numbered = _numbers_its_changes(self.index)
        unshared = self._without_merge_base()
        self._unshared = [target.ref for target in self.targets if target.commit in unshared]
        self._off_branch = [tip for tip in tips[1:] if not self.index.on_branch(tip)]

    # -- questions -----------------------------------------------------------------------------------------------------

    def ask(self, query: Query) -> FixReport:
        """Answer for one fix over all targets."""
        commit = self._commit_of(query)
        if commit is None:
            return self._not_found(query)
        return self.report(query.text, commit, self._weigh_alone(commit.oid))

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
            notes=(note, *self._hints(query.number)),
        )

    def _hints(self, number: int | None) -> Iterator[str]:
        """Who names a number that never landed: an issue has no commit, and the fix for it often says its number."""
        if number is None:
            return
        digits = str(number)
        naming = [
            commit
            for commit in self.history.commits.values()
            if digits in commit.subject or digits in commit.body
            if number in numbers_in(f"{commit.subject}\n{commit.body}", self._names)
        ]
        if not naming:
            return
        oldest = sorted(naming, key=lambda commit: (not self.index.on_branch(commit.oid), -commit.place))
        named = ", ".join(map(self._short, oldest[:_HINTS]))
        more = f" and {len(naming) - _HINTS} more" if len(naming) > _HINTS else ""
        yield f"#{number} is named by {named}{more}; ask for the one that is the fix, if one of them is"

    def _short(self, commit: Commit) -> str:
        number = self.index.claims.number.get(commit.oid)
        return f"#{number} ({commit.oid[:12]})" if number is not None else commit.oid[:12]

    # -- one fix -------------------------------------------------------------------------------------------------------

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
            same = {oid: change for oid, change in near.items() if paths_of(change) == set(paths)}
            if self._off_branch:
                asked = paths[:: max(1, len(paths) // _PATHS_ASKED)]
                touching = read_changes(self.git, *self._off_branch, f"^{self.history.tips[0]}", paths=asked)
        found = find(self.index, fix, self.index.claims.number.get(fix), same, touching)
        found.wordless = {oid for oid in found.wordless if could_hold(changes[fix], touching[oid])}
        changes |= same | touching
        missing = found.commits() - changes.keys()
        changes |= change_of(self.git, missing) if missing else {}
        sizes = blob_sizes(self.git, [changes[oid] for oid in (fix, *found.lookalike) if oid in changes])
        sort_lookalikes(self.index, changes, found, sizes)
        return weigh(found, read_diffs(self.git, [found], changes), self.history)

    # -- reports -------------------------------------------------------------------------------------------------------

    def report(self, text: str, commit: Commit, weighed: Weighed) -> FixReport:
        """The report on a fix that was asked for as ``text``, landed as ``commit`` and weighed before."""
        answers = [self._answer(weighed, target) for target in self.targets]
        parts = self.index.parts(commit.oid)
        if parts and any(each.verdict is not Verdict.CONTAINED for each in answers):
            answers = self._with_parts(answers, parts)
        reverted = self.index.on_branch(commit.oid) and not any(mask & 1 for mask in weighed.standing.values())
        first = first_release(answers)
        notes = self._notes(weighed, answers, first, reverted=reverted)
        return FixReport(
            query=text,
            commit=commit.oid,
            pull=self.index.claims.number.get(commit.oid),
            title=_TITLE_NUMBER.sub("", commit.subject),
            merged_at=dt.datetime.fromtimestamp(commit.committed, dt.UTC),
            answers=tuple(answers),
            first_release=first,
            reverted=reverted,
            notes=tuple(notes),
        )

    def _answer(self, weighed: Weighed, target: Target) -> Answer:
        if target.commit is None:
            reason = target.note or f"{target.ref} cannot be read in this clone"
            return Answer(target=target, verdict=Verdict.UNKNOWN, confidence=Confidence.WEAK, reason=reason)
        bit = self._bits[target.commit]
        if not weighed.anywhere >> bit & 1 and not self.shallow:
            return self._absent[target.kind, target.ref]
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

    def _notes(self, weighed: Weighed, answers: Sequence[Answer], first: FirstRelease, *, reverted: bool) -> list[str]:
        notes: list[str] = []
        mine = self._unshared
        if mine:
            span = mine[0] if len(mine) == 1 else f"{mine[0]} to {mine[-1]} ({len(mine)} targets)"
            notes.append(
                f"{span} share no commit with the default branch: history was rewritten, ancestry says nothing there, "
                "and the answer rests on twins and patch-ids"
            )
        notes += _doubts(answers, first)
        if not self.index.on_branch(weighed.fix):
            notes.append("this commit is not on the default branch")
        elif any(undoing for undoing in weighed.undoings if self.index.on_branch(undoing.commit)):
            notes.append("reverted on the default branch" + ("" if reverted else ", and landed again since"))
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


def _tips(branch: str, targets: Iterable[Target], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([branch, *(each.commit for each in targets if each.commit is not None), *more]))


def _without_lost(git: Git, branch: str, targets: Iterable[Target]) -> Iterator[Target]:
    """The targets, those whose history is not all there without their commit.

    Raises `UnknownObjectError` when the branch's own history is not: then nothing can be said.
    """
    if not is_readable(git, branch):
        raise UnknownObjectError(f"this clone lacks commits of its branch ({branch[:12]}); git fsck says which")
    for target in targets:
        if target.commit is None or is_readable(git, target.commit):
            yield target
        else:
            note = f"this clone lacks {target.commit[:12]} or a commit below it"
            yield replace(target, commit=None, note=note)


def _doubts(answers: Sequence[Answer], first: FirstRelease) -> list[str]:
    """Whether an earlier release than the first may have the fix after all."""
    doubtful = [each.target for each in answers if each.verdict in _DOUBTFUL and each.target.version is not None]
    if not doubtful:
        return []
    date = next((each.target.date for each in answers if each.target.ref == first.by_date), None)
    earlier = [each.ref for each in doubtful if date is None or each.date is None or each.date < date]
    if not earlier:
        return []
    named = ", ".join(earlier[:3]) + (f" and {len(earlier) - 3} more" if len(earlier) > 3 else "")
    return [f"the first release may be an earlier one: look at {named}"]


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
