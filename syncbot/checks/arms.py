"""Puts the runs of two arms side by side, and refuses what cannot be compared, naming each difference.

Nothing is left out to make two sets fit: a level that only one arm has, or one run with other lengths, is a refusal.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from syncbot.checks.compare import Arms
from syncbot.checks.metrics import DEFAULT_TOLERANCE, DEFAULTS, direction_of
from syncbot.checks.readers import ResultError
from syncbot.checks.readers.table import arm_of
from syncbot.model.checks import Arm, Direction, Metric, Run, Scalar

# Token counts of random prompts differ by a token or two from run to run; more is another workload.
_ALIKE = 0.02
SERVING = ("vllm bench serve", "sglang bench_serving")
_BOUND = ("edit", "pin", "hardware")

Level = tuple[tuple[str, Scalar], ...]


def level_of(run: Run) -> Level:
    """Return the level of a run in a form that can be compared and sorted."""
    return tuple(sorted(run.level.items()))


def level_text(level: Mapping[str, Scalar]) -> str:
    """Return what a person reads: ``max_concurrency 8``; "all runs" where there is only one level."""
    return ", ".join(f"{key} {'none' if value is None else value}" for key, value in level.items()) or "all runs"


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Return the runs by date where every one has a date, else as they came."""
    return sorted(runs, key=lambda run: run.date or "") if all(run.date for run in runs) else list(runs)


def problems_of(baseline: Sequence[Run], candidate: Sequence[Run]) -> list[str]:
    """Return everything that keeps the two arms from being compared, one line each; empty if they can be."""
    problems = [f"no run in the {arm} arm" for arm, runs in _arms(baseline, candidate) if not runs]
    if problems:
        return problems
    for arm, runs in _arms(baseline, candidate):
        for run in runs:
            problems += run_problems(run)
            said = run.tags.get("arm")
            if said is not None and arm_of(said) is not arm:
                problems.append(f"{run.source}: says it is the arm {said!r}, and was given as {arm}")
    problems += _copies([*baseline, *candidate])
    problems += _differences(baseline, candidate)
    return problems


def run_problems(run: Run) -> list[str]:
    """Return why one run is no measurement: requests that failed or are missing."""
    if run.failed:
        return [f"{run.source}: {run.failed} of {run.asked or 'its'} requests failed"]
    if run.asked is not None and run.completed is not None and run.completed < run.asked:
        return [f"{run.source}: {run.completed} of {run.asked} requests completed"]
    return []


def pair(baseline: Sequence[Run], candidate: Sequence[Run], metrics: Sequence[Metric]) -> tuple[Arms, ...]:
    """Return the figures of both arms, metric by metric and level by level; raises `ResultError` with all problems."""
    require(baseline, candidate, metrics)
    zero = [
        f"{run.source}: {metric.name} is 0; a ratio needs figures above 0"
        for run in (*baseline, *candidate)
        for metric in metrics
        if run.metrics[metric.name] <= 0
    ]
    if zero:
        raise ResultError(*zero)
    levels = sorted({level_of(run) for run in baseline}, key=_sortable)
    return tuple(
        Arms(
            metric=metric,
            level=dict(level),
            baseline=_figures(baseline, level, metric.name),
            candidate=_figures(candidate, level, metric.name),
        )
        for metric, level in itertools.product(metrics, levels)
    )


def require(baseline: Sequence[Run], candidate: Sequence[Run], metrics: Sequence[Metric]) -> None:
    """Raise `ResultError` with everything that keeps the arms from being compared in these metrics."""
    problems = problems_of(baseline, candidate) or [
        f"{run.source}: has no {metric.name}; it has {', '.join(sorted(run.metrics)[:8]) or 'no figures'}"
        for run in (*baseline, *candidate)
        for metric in metrics
        if metric.name not in run.metrics
    ]
    if problems:
        raise ResultError(*problems)


def choose_metrics(
    runs: Sequence[Run],
    *,
    names: Sequence[str] = (),
    higher: Sequence[str] = (),
    lower: Sequence[str] = (),
    tolerance: float = DEFAULT_TOLERANCE,
) -> tuple[Metric, ...]:
    """Return the metrics to compare; raises `ResultError` where a direction is not known or there is none.

    Without names: a serving benchmark's usual three, else every figure that all runs share and whose direction is
    known.
    """
    directions = {**_known(runs), **dict.fromkeys(higher, Direction.HIGHER), **dict.fromkeys(lower, Direction.LOWER)}
    wanted = tuple(dict.fromkeys((*names, *higher, *lower)))
    if not wanted:
        shared = set.intersection(*(set(run.metrics) for run in runs)) if runs else set()
        # One run that lacks a usual figure is a refusal further on, not a reason to compare other figures.
        usual = next((group for group in DEFAULTS if any(set(group) <= set(run.metrics) for run in runs)), None)
        wanted = usual or tuple(sorted(name for name in shared if name in directions))
        if not wanted:
            raise ResultError(
                "the runs share no figure whose better direction is known; name one with --higher or --lower"
            )
    unknown = [name for name in wanted if name not in directions]
    if unknown:
        raise ResultError(*(f"{name}: which way is better? name it with --higher or --lower" for name in unknown))
    return tuple(Metric(name=name, direction=directions[name], tolerance=tolerance) for name in wanted)


def order_notes(baseline: Sequence[Run], candidate: Sequence[Run]) -> tuple[str, ...]:
    """Say so if one arm was measured after the other: then a machine that drifts looks like a change."""
    dates = [[run.date for run in runs if run.date] for runs in (baseline, candidate)]
    if any(len(each) < len(runs) for each, runs in zip(dates, (baseline, candidate), strict=True)):
        return ()
    if len(baseline) + len(candidate) > 2 and (max(dates[0]) < min(dates[1]) or max(dates[1]) < min(dates[0])):
        return ("one arm was measured wholly before the other: drift of the machine cannot be told from the change",)
    return ()


def _arms(baseline: Sequence[Run], candidate: Sequence[Run]) -> tuple[tuple[Arm, Sequence[Run]], ...]:
    return (Arm.BASELINE, baseline), (Arm.CANDIDATE, candidate)


def _copies(runs: Sequence[Run]) -> Iterator[str]:
    seen: dict[object, Run] = {}
    for run in runs:
        # A digest that was read back from a proposal may have been changed there; figures of sixteen digits that are
        # all the same have not been measured twice either.
        figures = tuple(sorted(run.metrics.items())) if run.tool in SERVING else run.digest
        other = seen.get(run.digest) or seen.get(figures)
        seen.setdefault(run.digest, run)
        seen.setdefault(figures, run)
        if other is not None:
            yield f"{run.source}: the same run as {other.source}; a copy is no second measurement"


def _differences(baseline: Sequence[Run], candidate: Sequence[Run]) -> Iterator[str]:
    tools = {run.tool: run for run in (*baseline, *candidate)}
    if len(tools) > 1:
        yield "written by different tools: " + ", ".join(f"{tool} ({run.source})" for tool, run in tools.items())
        return
    levels = [{level_of(run) for run in runs} for runs in (baseline, candidate)]
    for arm, missing in ((Arm.CANDIDATE, levels[0] - levels[1]), (Arm.BASELINE, levels[1] - levels[0])):
        for level in sorted(missing, key=_sortable):
            yield f"the {arm} arm has no run at {level_text(dict(level))}, the other has"
    for level in sorted(levels[0], key=_sortable):
        here = [run for run in (*baseline, *candidate) if level_of(run) == level]
        for run in here[1:]:
            yield from _unlike(here[0], run)
    first, *others = (*baseline, *candidate)
    for key, run in itertools.product(_BOUND, others):
        mine, theirs = first.tags.get(key), run.tags.get(key)
        if mine is not None and theirs is not None and mine != theirs:
            yield f"{run.source}: {key} is {theirs!r}, in {first.source} it is {mine!r}"


def _unlike(first: Run, run: Run) -> Iterator[str]:
    for key in dict.fromkeys((*first.workload, *run.workload)):
        mine, theirs = first.workload.get(key), run.workload.get(key)
        if isinstance(mine, float) and isinstance(theirs, float):
            if abs(mine - theirs) <= _ALIKE * max(abs(mine), abs(theirs)):
                continue
        elif mine == theirs:
            continue
        said = "not said" if theirs is None else repr(theirs)
        yield f"{run.source}: {key} is {said}, in {first.source} it is {'not said' if mine is None else repr(mine)}"


def _figures(runs: Sequence[Run], level: Level, name: str) -> tuple[float, ...]:
    return tuple(run.metrics[name] for run in in_order([run for run in runs if level_of(run) == level]))


def _known(runs: Sequence[Run]) -> dict[str, Direction]:
    known: dict[str, Direction] = {}
    for run in runs:
        for name in run.metrics:
            direction = direction_of(name)
            if direction is not None:
                known[name] = direction
        for name, better in run.higher_is_better.items():
            known[name] = Direction.HIGHER if better else Direction.LOWER
    return known


def _sortable(level: Level) -> list[tuple[str, int, float, str]]:
    return [
        (key, isinstance(value, str), float(value), "")
        if isinstance(value, (int, float))
        else (key, 1, 0.0, str(value))
        for key, value in level
    ]
