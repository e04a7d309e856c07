"""Review a move of a pin: what it frees and loses, which changes go missing, which releases would do better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from syncbot.git.clone import Clone
from syncbot.git.diff import read_changes
from syncbot.git.history import History, resolve
from syncbot.git.run import Git
from syncbot.landing.everything import reports_on
from syncbot.landing.pins import UpstreamRefs, resolve_pins, upstream_refs
from syncbot.landing.survey import Survey, commits_in_queries, parse_query
from syncbot.landing.targets import in_version_order, named_target, release_tags, release_target
from syncbot.model.bump import Better, Bump, Dropped, Effect
from syncbot.model.errors import UsageError
from syncbot.model.landing import Answer, FixReport, Target
from syncbot.model.pins import PinText
from syncbot.model.project import Pin, Upstream, Workaround
from syncbot.model.status import FixFacts
from syncbot.model.words import Cures, EvidenceKind, Verdict
from syncbot.policy import has

_DROPPED = (Cures.REFUTED, Cures.ABANDONED)
_SUGGESTED = 3


def bump(
    upstream: Upstream,
    clone: Clone,
    branch_ref: str,
    old: str,
    new: str,
    workarounds: Sequence[Workaround],
    pins: Sequence[Pin] = (),
) -> Bump:
    """Compare two upstream refs (tags, branches or commit ids) for the workarounds that wait for this upstream.

    What is no ref may be the text of one of ``pins`` (a plain version), and means what it means there. Raises
    `UsageError` when one of the two names nothing in the clone, or different commits for different pins.
    """
    git = clone.git()
    refs = upstream_refs(git)
    before, after = _ends(git, refs, pins, (old, new))
    tags = release_tags(refs.tags.values(), upstream.tag_pattern, upstream.ignore_tags)
    releases = in_version_order(map(release_target, tags))
    targets = list({(each.kind, each.ref): each for each in (*releases, before, after)}.values())
    waiting = [each for each in workarounds if any(claim.upstream == upstream.name for claim in each.fixes)]
    queries = [parse_query(claim.query) for each in waiting for claim in each.fixes if claim.upstream == upstream.name]
    names = frozenset({name.lower() for name in (upstream.repo.slug, clone.slug) if name})
    survey = Survey(
        git,
        resolve(git, branch_ref),
        targets,
        names=names,
        shallow=clone.shallow,
        more=commits_in_queries(git, queries),
    )
    reports = {query.text: survey.ask(query) for query in dict.fromkeys(queries)}
    view = _View(survey, reports, waiting)
    effects = [view.effect(each, before, after) for each in waiting]
    better = _better(view, before, after, [release for release in releases if not release.prerelease])
    return Bump(
        upstream=upstream.name,
        old=before,
        new=after,
        freed=tuple(each for each in effects if _freed(each)),
        lost=tuple(each for each in effects if _lost(each)),
        unchanged=tuple(each for each in effects if not _freed(each) and not _lost(each)),
        dropped=tuple(view.dropped(before, after)),
        better=tuple(better),
        notes=_notes(survey.history, before, after),
    )


def _ends(git: Git, refs: UpstreamRefs, pins: Sequence[Pin], words: Sequence[str]) -> list[Target]:
    ends = [_end(git, refs, pins, word) for word in words]
    problems = [f"{end.note}" for end in ends if end.commit is None]
    if problems:
        raise UsageError(*problems)
    return ends


def _end(git: Git, refs: UpstreamRefs, pins: Sequence[Pin], word: str) -> Target:
    named = named_target(git, word)
    if named.commit is not None:
        return named
    texts = [PinText(text=word, path="")]
    read = [resolve_pins(git, refs, pin, texts)[word].target for pin in pins]
    meant = {target.commit: target for target in read if target is not None and target.commit is not None}
    if len(meant) > 1:
        which = " or ".join(commit[:12] for commit in meant if commit)
        return replace(named, note=f"{word!r} means {which}, by the pin that says it; name a tag or a commit")
    return next(iter(meant.values()), named)


def _freed(effect: Effect) -> bool:
    return effect.new.surely and not effect.old.surely


def _lost(effect: Effect) -> bool:
    return effect.old.surely and not effect.new.surely


def _notes(history: History, old: Target, new: Target) -> tuple[str, ...]:
    assert old.commit is not None
    assert new.commit is not None
    lost, gained, shared = history.difference(old.commit, new.commit)
    if not shared:
        return (f"{old.ref} and {new.ref} share no commit: one of them is from before a rewrite of history",)
    return (f"{new.ref} has {gained} commits that {old.ref} has not, and lacks {lost} that it has",)


@dataclass(slots=True)
class _View:
    """The survey with what was asked of it, and the answers on dropped commits once they were needed."""

    survey: Survey
    reports: Mapping[str, FixReport]
    waiting: Sequence[Workaround]
    _changes: dict[str, FixReport] | None = None

    def effect(self, workaround: Workaround, old: Target, new: Target) -> Effect:
        fixes = [self._fix(claim.query, workaround, at) for at, claim in enumerate(workaround.fixes)]
        counted = [fix for fix in fixes if fix.counts]
        return Effect(
            workaround=workaround.id,
            title=workaround.title,
            fixes=tuple(fix.claim.label for fix in counted),
            old=has(counted, workaround.needs, old),
            new=has(counted, workaround.needs, new),
        )

    def _fix(self, query: str, workaround: Workaround, at: int) -> FixFacts:
        claim = workaround.fixes[at]
        report = self.reports.get(query)
        problem = None if report else f"waits for another upstream ({claim.upstream})"
        return FixFacts(claim=claim, report=report, counts=claim.cures not in _DROPPED, problem=problem)

    def read_changes(self, commits: Sequence[str]) -> None:
        """Answer for every commit in ``commits``, or for the change on the branch that it is a copy of."""
        changes = read_changes(self.survey.git, *self.survey.history.tips)
        wanted = {change: change for change in dict.fromkeys(map(self.change_of, commits))}
        self._changes = {str(report.commit): report for report in reports_on(self.survey, wanted, changes)}

    def change_of(self, commit: str) -> str:
        index = self.survey.index
        copies = index.counterparts(commit)
        number = index.claims.number.get(commit)
        if not copies and number is not None:
            copies = [each for each in index.claims.by_number[number] if index.on_branch(each)]
        return copies[-1] if copies else commit

    def dropped(self, old: Target, new: Target) -> list[Dropped]:
        """The commits that only ``old`` has, newest first."""
        commits = self.survey.history.only_in(str(old.commit), str(new.commit))
        if self._changes is None:
            self.read_changes([commit.oid for commit in commits])
        undoes = self._undoes([commit.oid for commit in commits])
        return [
            Dropped(
                commit=commit.oid,
                change=change if (change := self.change_of(commit.oid)) != commit.oid else None,
                pull=self.survey.index.claims.number.get(change),
                title=commit.subject,
                new=self._answer(change, new),
                undone_by=_undone_by(self._answer(change, old)),
                undoes=undoes.get(commit.oid),
            )
            for commit in commits
        ]

    def _undoes(self, commits: Sequence[str]) -> dict[str, str]:
        """The commits that do nothing but revert another one of them, and which."""
        index = self.survey.index
        return {
            undo.commit: oid
            for oid in commits
            for undo in index.undos_of(self.survey.history.commits[oid])
            if undo.sign < 0 and undo.direct and undo.commit in commits
        }

    def _answer(self, change: str, target: Target) -> Answer:
        assert self._changes is not None
        answers = self._changes[change].answers
        return next(each for each in answers if (each.target.kind, each.target.ref) == (target.kind, target.ref))


def _undone_by(answer: Answer) -> str | None:
    if answer.verdict is not Verdict.REVERTED:
        return None
    return next((each.commit for each in answer.evidence if each.kind is EvidenceKind.REVERT), None)


def _missing(dropped: Sequence[Dropped]) -> int:
    return sum(1 for each in dropped if each.missing)


def _better(view: _View, old: Target, new: Target, releases: Sequence[Target]) -> list[Better]:
    """Releases no older than ``old`` that free as much, lose no more and drop fewer changes; at most three."""
    goal = _sets(view, old, new)
    history = view.survey.history
    rivals: list[tuple[Target, tuple[set[str], set[str]]]] = []
    for release in releases:
        newer = old.date is None or (release.date is not None and release.date >= old.date)
        if release.commit in (None, old.commit, new.commit) or release.version is None or not newer:
            continue
        sets = _sets(view, old, release)
        if sets[0] >= goal[0] and sets[1] <= goal[1]:
            rivals.append((release, sets))
    ends = [new, *(release for release, _ in rivals)]
    commits = {each.oid for end in ends for each in history.only_in(str(old.commit), str(end.commit))}
    view.read_changes(sorted(commits, key=lambda oid: history.commits[oid].place))
    limit = _missing(view.dropped(old, new))
    found = [
        Better(ref=release.ref, dropped=count, freed=tuple(sorted(sets[0])), lost=tuple(sorted(sets[1])))
        for release, sets in rivals
        if (count := _missing(view.dropped(old, release))) < limit or sets != goal
    ]
    found = [each for each in found if each.dropped <= limit]
    return sorted(found, key=lambda each: (-len(each.freed), each.dropped))[:_SUGGESTED]


def _sets(view: _View, old: Target, new: Target) -> tuple[set[str], set[str]]:
    effects = [view.effect(each, old, new) for each in view.waiting]
    return {each.workaround for each in effects if _freed(each)}, {each.workaround for each in effects if _lost(each)}
