"""Fixes in words: which releases have one and why that is believed, and the matrix of fixes by releases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from syncbot.model.landing import Answer, FirstRelease, FixReport, Target
from syncbot.model.project import Project, Repo, Workaround
from syncbot.model.report import AnswerRow, ChangeRow, FixRow, Matrix, MatrixRow, ReleaseRow, RunRow
from syncbot.model.status import FixFacts, Standing
from syncbot.model.words import Confidence, Cures, EvidenceKind, TargetKind, Verdict
from syncbot.render.text import plain
from syncbot.report.links import change, release, web

TITLE, TEXT, WORD = 160, 2000, 80
_FULL = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28}\b")


def fix_row(project: Project, fix: FixFacts) -> FixRow:
    """A fix with its answers, neighbouring releases with the same answer on one row."""
    claim, report = fix.claim, fix.report
    repo = project.upstreams[claim.upstream].repo
    commit = report.commit if report is not None else claim.commit
    releases = [answer.target for answer in _released(report)]
    first = next((each for each in releases if report and each.ref == report.first_release.by_date), None)
    return FixRow(
        label=claim.label,
        upstream=claim.upstream,
        pull=claim.pull,
        commit=commit,
        url=change(repo, pull=claim.pull, commit=commit),
        title=plain(report.title, TITLE) if report is not None and report.title else None,
        merged=report.merged_at.date() if report is not None and report.merged_at else None,
        cures=claim.cures,
        counts=fix.counts,
        by=plain(claim.by, WORD) if claim.by else None,
        evidence=web(claim.evidence),
        note=plain(claim.note, TEXT) if claim.note else None,
        first_release=plain(first.ref, WORD) if first else None,
        first_released=first.date.date() if first and first.date else None,
        first_url=release(repo, first.ref) if first else None,
        by_line=by_line(repo, releases, report.first_release) if report is not None else (),
        answers=_answers(repo, report),
        problem=plain(fix.problem, TEXT) if fix.problem else None,
        notes=tuple(plain(note, TEXT) for note in report.notes) if report is not None else (),
    )


def by_line(repo: Repo | None, releases: Iterable[Target], first: FirstRelease) -> tuple[ChangeRow, ...]:
    """The first release on each line, with its day and page."""
    known = {each.ref: each for each in releases}
    targets = [known[ref] for _, ref in first.by_line if ref in known]
    return tuple(
        ChangeRow(
            label=plain(each.ref, WORD),
            url=release(repo, each.ref) if repo is not None else None,
            commit=each.commit,
            date=each.date.date() if each.date else None,
        )
        for each in targets
    )


def _released(report: FixReport | None) -> list[Answer]:
    return [each for each in report.answers if each.target.kind is TargetKind.RELEASE] if report is not None else []


def _answers(repo: Repo, report: FixReport | None) -> tuple[AnswerRow, ...]:
    def key(answer: Answer) -> tuple[object, ...]:
        return (answer.verdict, answer.confidence, answer.reason, tuple(each.detail for each in answer.evidence))

    return tuple(_answer(repo, list(group)) for _, group in groupby(_released(report), key=key))


def _answer(repo: Repo, answers: Sequence[Answer]) -> AnswerRow:
    """The command of the last of them, the newest, stands for all: they differ only in the tag's name."""
    last = answers[-1]
    why = [last.reason] if last.reason else []
    why += [each.detail for each in last.evidence]
    own = bool(last.evidence) and last.evidence[0].kind is EvidenceKind.ANCESTOR
    return AnswerRow(
        releases=span([plain(each.target.ref, WORD) for each in answers]),
        count=len(answers),
        verdict=last.verdict,
        confidence=last.confidence,
        why=tuple(dict.fromkeys(plain(_FULL.sub(r"\1", each), TEXT) for each in why)),
        commands=tuple(dict.fromkeys(plain(_FULL.sub(r"\1", each.command), TEXT) for each in last.evidence)),
        url=change(repo, commit=last.evidence[0].commit) if last.evidence and not own else None,
    )


def span(refs: Sequence[str]) -> str:
    """Neighbours by their names: one, two, or first to last."""
    return ", ".join(refs) if len(refs) < 3 else f"{refs[0]} to {refs[-1]}"


# -- the matrix --------------------------------------------------------------------------------------------------------


def matrices(project: Project, standings: Sequence[Standing]) -> tuple[Matrix, ...]:
    """A matrix for each upstream that a recorded fix belongs to, each fix once, in the order of their numbers."""
    fixes: dict[str, dict[str, tuple[FixFacts, list[Workaround]]]] = {}
    releases: dict[str, dict[str, Target]] = {}
    for standing in sorted(standings, key=lambda each: each.facts.workaround.id):
        for fix in standing.facts.fixes:
            held = fixes.setdefault(fix.claim.upstream, {}).setdefault(fix.claim.label, (fix, []))
            held[1].append(standing.facts.workaround)
            columns = releases.setdefault(fix.claim.upstream, {})
            for answer in _released(fix.report) if not columns else ():
                columns[answer.target.ref] = answer.target
    return tuple(_matrix(project, name, list(releases[name].values()), fixes[name].values()) for name in sorted(fixes))


def _matrix(
    project: Project, name: str, targets: Sequence[Target], fixes: Iterable[tuple[FixFacts, list[Workaround]]]
) -> Matrix:
    repo = project.upstreams[name].repo
    columns = {target.ref: number for number, target in enumerate(targets)}
    every = list(fixes)
    notes = Counter(note for fix, _ in every if fix.report is not None for note in fix.report.notes)
    return Matrix(
        upstream=name,
        notes=tuple(plain(note, TEXT) for note, count in notes.items() if count > 1),
        releases=tuple(
            ReleaseRow(
                ref=plain(each.ref, WORD),
                line=each.line,
                date=each.date.date() if each.date else None,
                prerelease=each.prerelease,
                url=release(repo, each.ref),
            )
            for each in targets
        ),
        rows=tuple(
            _matrix_row(repo, targets, columns, fix, of)
            for fix, of in sorted(every, key=lambda one: (one[0].claim.pull or 0, one[0].claim.label))
        ),
    )


def _matrix_row(
    repo: Repo, targets: Sequence[Target], columns: dict[str, int], fix: FixFacts, of: Sequence[Workaround]
) -> MatrixRow:
    cells = [(Verdict.UNKNOWN, Confidence.WEAK)] * len(targets)
    for answer in _released(fix.report):
        if answer.target.ref in columns:
            cells[columns[answer.target.ref]] = (answer.verdict, answer.confidence)
    runs, first = [], 0
    for (verdict, confidence), group in groupby(cells):
        count = len(list(group))
        runs.append(RunRow(first=first, count=count, verdict=verdict, confidence=confidence))
        first += count
    refs = [plain(target.ref, WORD) for target in targets]
    told = [run for run in runs if run.verdict is not Verdict.ABSENT]
    words = [f"{run.verdict.value} {span(refs[run.first : run.first + run.count])}" for run in told]
    words += ["absent from the others" if told else "absent from all"] if len(told) < len(runs) else []
    report = fix.report
    claimed = {claim.cures for each in of for claim in each.fixes if claim.label == fix.claim.label}
    return MatrixRow(
        label=fix.claim.label,
        title=plain(report.title, TITLE) if report is not None and report.title else None,
        url=change(repo, pull=fix.claim.pull, commit=fix.claim.commit),
        cures=tuple(cures for cures in Cures if cures in claimed),
        workarounds=tuple(plain(each.id, WORD) for each in of),
        runs=tuple(runs),
        words="; ".join(words),
    )
