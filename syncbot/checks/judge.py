"""The checklist judged from attached runs, and the gate. Pure: verdicts are worked out anew each time, never kept.

Results count only for the edit and the pin they were measured with, and only while the base has not moved too far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from syncbot.checks import arms, binding, compare_runs
from syncbot.checks.readers import ResultError
from syncbot.checks.spec import Spec
from syncbot.model.checks import Arm, Attached, CheckKind, Gate, Judged, Judgement, Run, Wanted

_SPLIT = tuple[tuple[Run, ...], tuple[Run, ...]]


def refusals(specs: Sequence[Spec], attached: Attached) -> list[str]:
    """Return everything that keeps this set from being attached, one line each; empty if it may be.

    What a file leaves unsaid is no refusal: such runs are kept and their check stays inconclusive.
    """
    both = ((Arm.BASELINE, attached.baseline), (Arm.CANDIDATE, attached.candidate))
    problems = list(binding.unbound((*attached.baseline, *attached.candidate), specs))
    for spec in specs:
        baseline, candidate = (binding.runs_for(spec, runs, specs) for _, runs in both)
        for arm, runs in ((Arm.BASELINE, baseline), (Arm.CANDIDATE, candidate)):
            for run in runs:
                problems += binding.differences(spec, run, arm, edit=attached.edit, pin=attached.pin)
        if _has_arms(spec) and (baseline or candidate):
            problems += arms.problems_of(baseline, candidate)
    given = attached.hardware
    problems += [
        f"{run.source}: hardware is {run.tags['hardware']!r}, given was {given!r}"
        for run in (*attached.baseline, *attached.candidate)
        if given is not None and run.tags.get("hardware", given) != given
    ]
    return list(dict.fromkeys(problems))


def judge(specs: Sequence[Spec], attached: Sequence[Attached], wanted: Wanted) -> tuple[Judged, ...]:
    """Return each check with its verdict, in the order of the manifest."""
    stale = {index: why for index, each in enumerate(attached) if (why := stale_reason(each, wanted))}
    fresh = [each for index, each in enumerate(attached) if index not in stale]
    return tuple(_judge(spec, specs, fresh, tuple(dict.fromkeys(stale.values())), wanted) for spec in specs)


def gate(judged: Sequence[Judged], ticks: Mapping[str, bool], stale: Sequence[str] = ()) -> Gate:
    """Return whether every required check has passed.

    ``ticks`` are the boxes that people ticked, read from the proposal; ``stale`` says why older results do not count,
    which is shown while something is still missing.
    """
    waiting = []
    for each in judged:
        if not each.required or each.verdict is Judgement.PASS or (each.by_person and ticks.get(each.name)):
            continue
        why = "a person has to tick it" if each.by_person else "; ".join(each.reasons) or each.verdict.value
        waiting.append(f"{each.name}: {why}")
    return Gate(
        ready=not waiting,
        waiting=tuple(waiting),
        stale="; ".join(dict.fromkeys(stale)) or None if waiting else None,
    )


def stale_reason(attached: Attached, wanted: Wanted) -> str | None:
    """Say why these results no longer count, None if they do. A moved base alone does not make them stale."""
    if attached.edit != wanted.edit:
        return f"measured with another edit ({attached.edit}, now {wanted.edit})"
    if attached.pin != wanted.pin:
        return f"measured with another pin ({attached.pin}, now {wanted.pin})"
    if wanted.distance is not None and wanted.distance > wanted.max_distance:
        return f"the base has moved by {wanted.distance} commits since, more than {wanted.max_distance}"
    return None


def _judge(
    spec: Spec, specs: Sequence[Spec], fresh: Sequence[Attached], stale: tuple[str, ...], wanted: Wanted
) -> Judged:
    empty = Judged(
        name=spec.name,
        kind=spec.kind,
        required=spec.required,
        title=spec.title,
        verdict=Judgement.MISSING,
        reasons=stale,
    )
    if spec.kind is CheckKind.MANUAL:
        return replace(empty, title=spec.text or spec.title, reasons=(), by_person=True)
    baseline, candidate = _collect(spec, specs, fresh)
    if not baseline and not candidate:
        return replace(empty, reasons=stale or ("no results yet",))
    problems = [
        line
        for arm, runs in ((Arm.BASELINE, baseline), (Arm.CANDIDATE, candidate))
        for run in runs
        for line in binding.differences(spec, run, arm, edit=wanted.edit, pin=wanted.pin)
    ]
    if problems:
        return replace(empty, verdict=Judgement.INCONCLUSIVE, reasons=tuple(problems))
    by_kind = {CheckKind.FUNCTIONAL: _functional, CheckKind.COMMAND: _command}.get(spec.kind)
    judged = by_kind(spec, empty, candidate) if by_kind else _compared(spec, empty, baseline, candidate)
    missing = tuple(dict.fromkeys(_unsaid_lines(spec, (*baseline, *candidate))))
    if missing and judged.verdict is Judgement.PASS:
        return replace(judged, verdict=Judgement.INCONCLUSIVE, reasons=missing)
    return replace(judged, reasons=(*judged.reasons, *missing))


def _collect(spec: Spec, specs: Sequence[Spec], sets: Sequence[Attached]) -> _SPLIT:
    """Return the runs of both arms for a check; the same run attached twice counts once."""
    found: list[tuple[Run, ...]] = []
    for arm in Arm:
        runs = {
            run.digest: run
            for each in sets
            for run in binding.runs_for(spec, each.baseline if arm is Arm.BASELINE else each.candidate, specs)
        }
        found.append(tuple(runs.values()))
    return found[0], found[1]


def _has_arms(spec: Spec) -> bool:
    return spec.kind in (CheckKind.BENCHMARK, CheckKind.ACCURACY)


def _compared(spec: Spec, empty: Judged, baseline: tuple[Run, ...], candidate: tuple[Run, ...]) -> Judged:
    if spec.kind is CheckKind.BENCHMARK and spec.concurrency:
        baseline, candidate = _declared(spec, baseline), _declared(spec, candidate)
    try:
        comparison = compare_runs(baseline, candidate, spec.metrics, confidence=spec.confidence)
    except ResultError as error:
        return replace(empty, verdict=Judgement.INCONCLUSIVE, reasons=error.problems)
    short = tuple(_short(spec, baseline, candidate))
    verdict = comparison.verdict
    if verdict is Judgement.PASS and short:
        verdict = Judgement.INCONCLUSIVE
    undecided = tuple(
        f"{row.name} at {arms.level_text(row.level)}: {row.reason}" for row in comparison.rows if row.verdict is verdict
    )
    reasons = () if verdict is Judgement.PASS else short or undecided
    return replace(empty, verdict=verdict, reasons=(*reasons, *comparison.notes), rows=comparison.rows)


def _declared(spec: Spec, runs: Sequence[Run]) -> tuple[Run, ...]:
    return tuple(
        run for run in runs if "max_concurrency" not in run.level or run.level["max_concurrency"] in spec.concurrency
    )


def _short(spec: Spec, baseline: Sequence[Run], candidate: Sequence[Run]) -> Iterator[str]:
    """Yield what is missing of the ladder and of the runs the check asks for."""
    ladder = spec.concurrency if any("max_concurrency" in run.level for run in baseline) else (None,)
    for concurrency in ladder:
        here = [
            len([run for run in runs if run.level.get("max_concurrency") == concurrency])
            for runs in (baseline, candidate)
        ]
        where = "" if concurrency is None else f" at max_concurrency {concurrency}"
        if min(here) == 0:
            yield f"no run{where}"
        elif min(here) < spec.runs:
            yield f"{min(here)} of {spec.runs} runs an arm{where}"


def _functional(spec: Spec, empty: Judged, candidate: tuple[Run, ...]) -> Judged:
    """Every request of every wave completed, and no forbidden line in the server's log; the candidate arm decides."""
    loads = [run for run in candidate if run.log_hits is None]
    logs = [run for run in candidate if run.log_hits is not None]
    wrong = [line for run in loads for line in arms.run_problems(run)]
    wrong += [f"{run.source}: the server's log has {hit!r}" for run in logs for hit in run.log_hits or ()]
    if wrong:
        return replace(empty, verdict=Judgement.FAIL, reasons=tuple(wrong))
    done = sum(run.completed or 0 for run in loads)
    lacking = []
    if done < spec.requests:
        lacking.append(f"{done} of {spec.requests} requests completed")
    if len(loads) < spec.waves:
        lacking.append(f"{len(loads)} of {spec.waves} waves")
    if spec.forbidden_log_lines and not logs:
        lacking.append("the server's log was not looked at")
    if any(run.failed is None and run.asked is None for run in loads):
        lacking.append("a file does not say how many requests failed")
    verdict = Judgement.INCONCLUSIVE if lacking else Judgement.PASS
    return replace(empty, verdict=verdict, reasons=tuple(lacking))


def _command(spec: Spec, empty: Judged, candidate: tuple[Run, ...]) -> Judged:
    codes = [run.exit_code for run in candidate if run.exit_code is not None]
    if not codes:
        return replace(empty, verdict=Judgement.INCONCLUSIVE, reasons=("no exit code for the candidate arm",))
    wrong = [code for code in codes if code != spec.exit_code]
    if wrong:
        reason = f"exit code {wrong[0]}, expected {spec.exit_code}"
        return replace(empty, verdict=Judgement.FAIL, reasons=(reason,))
    return replace(empty, verdict=Judgement.PASS, reasons=())


def _unsaid_lines(spec: Spec, runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        missing = binding.unsaid(spec, run)
        if missing:
            yield f"{run.source}: does not say {', '.join(missing)}"
