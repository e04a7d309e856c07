"""Review a move of a pin: what it frees and loses, which changes go missing, which releases would do better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from syncbot.git.clone import Clone
from syncbot.git.diff import read_changes
from syncbot.git.history import History, resolve
from syncbot.git.refs import read_refs
from syncbot.landing.everything import reports_on
from syncbot.landing.survey import Survey, commits_in_queries, parse_query
from syncbot.landing.targets import in_version_order, named_target, release_tags, release_target
from syncbot.model.bump import Better, Bump, Dropped, Effect
from syncbot.model.errors import UsageError
from syncbot.model.landing import Answer, FixReport, Target
from syncbot.model.project import Upstream, Workaround
from syncbot.model.status import FixFacts
from syncbot.model.words import Cures, Verdict
from syncbot.policy import has

_DROPPED = (Cures.REFUTED, Cures.ABANDONED)
_SUGGESTED = 3


def bump(
    upstream: Upstream, clone: Clone, branch_ref: str, old: str, new: str, workarounds: Sequence[Workaround]
) -> Bump:
    """Compare two upstream refs (tags, branches or commit ids) for the workarounds that wait for this upstream.

    Raises `UsageError` when one of them names nothing in the clone.
    """
    git = clone.git()
    before, after = (named_target(git, ref) for ref in (old, new))
    problems = [f"{target.ref}: {target.note}" for target in (before, after) if target.commit is None]
    if problems:
        raise UsageError(*problems)
    tags = release_tags(read_refs(git, "refs/tags/"), upstream.tag_pattern, upstream.ignore_tags)
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
        return [
            Dropped(
                commit=commit.oid,
                change=change if (change := self.change_of(commit.oid)) != commit.oid else None,
                pull=self.survey.index.claims.number.get(change),
                title=commit.subject,
                new=self._answer(change, new),
            )
            for commit in commits
        ]

    def _answer(self, change: str, target: Target) -> Answer:
        assert self._changes is not None
        answers = self._changes[change].answers
        return next(each for each in answers if (each.target.kind, each.target.ref) == (target.kind, target.ref))


def really_dropped(dropped: Sequence[Dropped]) -> list[Dropped]:
    """Those whose change the new pin does not surely have by another commit."""
    return [each for each in dropped if each.new.verdict is not Verdict.CONTAINED]


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
    limit = len(really_dropped(view.dropped(old, new)))
    found = [
        Better(ref=release.ref, dropped=count, freed=tuple(sorted(sets[0])), lost=tuple(sorted(sets[1])))
        for release, sets in rivals
        if (count := len(really_dropped(view.dropped(old, release)))) < limit or sets != goal
    ]
    found = [each for each in found if each.dropped <= limit]
    return sorted(found, key=lambda each: (-len(each.freed), each.dropped))[:_SUGGESTED]


def _sets(view: _View, old: Target, new: Target) -> tuple[set[str], set[str]]:
    effects = [view.effect(each, old, new) for each in view.waiting]
    return {each.workaround for each in effects if _freed(each)}, {each.workaround for each in effects if _lost(each)}
