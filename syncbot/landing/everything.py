"""Every numbered change of the default branch over all targets, with each diff read once.

The list of changed blobs of all commits comes in one stream. Most changes have no candidate but copies with the very
same blobs; they are answered while git reads the diffs that the others need, so these come last.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from syncbot.git.diff import Change, blob_sizes, read_changes
from syncbot.git.run import Git
from syncbot.landing.candidates import Candidates, Index, find, is_wordless
from syncbot.landing.claims import Names
from syncbot.landing.judge import Diffs, weigh
from syncbot.landing.lookalikes import could_hold, paths_of, read_diffs, sort_lookalikes, to_compare
from syncbot.landing.survey import Survey
from syncbot.model.landing import FixReport, Target


def everything(
    git: Git, branch: str, targets: Sequence[Target], *, names: Names = frozenset(), shallow: bool = False
) -> Iterator[FixReport]:
    """One report for each numbered change that landed on ``branch`` (a commit id); parameters as for `Survey`."""
    with _reading(git, branch, targets) as changes:
        survey = Survey(git, branch, targets, names=names, shallow=shallow)
        numbered = _numbered(survey.index)
        queries = {oid: f"#{number}" for number, oid in numbered.items()}
        complete = survey.targets == tuple(targets)
        yield from reports_on(
            survey, queries, changes.result() if complete else read_changes(git, *survey.history.tips)
        )


@contextlib.contextmanager
def _reading(git: Git, branch: str, targets: Sequence[Target]) -> Iterator[Future[dict[str, Change]]]:
    """Start to read every change while the history itself is read."""
    tips = dict.fromkeys([branch, *(target.commit for target in targets if target.commit is not None)])
    with ThreadPoolExecutor(1) as background:
        yield background.submit(read_changes, git, *tips)


def reports_on(survey: Survey, queries: Mapping[str, str], changes: Mapping[str, Change]) -> Iterator[FixReport]:
    """One report for each commit in ``queries``, which maps it to the words it was asked for by.

    ``changes`` are those of all the survey's commits. Reports that need no diff come first.
    """
    candidates = _candidates(survey, changes, list(queries))
    busy = [each for each in candidates if each.mirror or each.backward or to_compare(each, changes)]
    waiting = {each.fix for each in busy}
    quiet = Diffs(changes, {}, {})
    with ThreadPoolExecutor(1) as background:
        diffs = background.submit(read_diffs, survey.git, busy, changes)
        for each in candidates:
            if each.fix not in waiting:
                yield _report(survey, queries[each.fix], each, quiet)
        for each in busy:
            yield _report(survey, queries[each.fix], each, diffs.result())


def _report(survey: Survey, query: str, candidates: Candidates, diffs: Diffs) -> FixReport:
    commit = survey.history.commits[candidates.fix]
    return survey.report(query, commit, weigh(candidates, diffs, survey.history))


def _numbered(index: Index) -> dict[int, str]:
    """The commit under which each number first landed on the branch."""
    found: dict[int, str] = {}
    for number, oids in index.claims.by_number.items():
        here = [oid for oid in oids if index.on_branch(oid)]
        if here:
            found[number] = max(here, key=lambda oid: index.history.commits[oid].place)
    return found


def _candidates(survey: Survey, changes: Mapping[str, Change], fixes: Sequence[str]) -> list[Candidates]:
    groups: dict[frozenset[str], list[str]] = defaultdict(list)
    for oid, change in changes.items():
        if change:
            groups[frozenset(entry.path for entry in change)].append(oid)
    crowded = {paths: oids for paths, oids in groups.items() if len(oids) > 1}
    sizes = blob_sizes(survey.git, (changes[oid] for oids in crowded.values() for oid in oids))
    wordless = _wordless_by_path(survey.index, changes)
    every: list[Candidates] = []
    for fix in fixes:
        own = changes.get(fix, ())
        paths = paths_of(own)
        touching = {oid: changes[oid] for path in paths for oid in wordless.get(path, ())}
        same = crowded.get(frozenset(paths), ())
        found = find(survey.index, fix, survey.index.claims.number.get(fix), same, touching)
        sort_lookalikes(survey.index, changes, found, sizes)
        found.wordless = {oid for oid in found.wordless if could_hold(own, changes[oid])}
        every.append(found)
    return every


def _wordless_by_path(index: Index, changes: Mapping[str, Change]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for oid, change in changes.items():
        if is_wordless(index, oid):
            for entry in change:
                found[entry.path].append(oid)
    return found
