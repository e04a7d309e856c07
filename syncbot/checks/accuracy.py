"""Is the candidate's score no worse? Non-inferiority of two proportions, with the standard errors lm_eval gives. Pure.

The tolerance counts standard errors of the difference. Both arms answer the same questions, so the true standard error
is smaller than the one used here: a pass is safe, and some passes are missed.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

from syncbot.checks import student
from syncbot.checks.compare import FAIL_LEVEL
from syncbot.model.checks import Direction, Judgement, Metric, Row, Run

CONFIDENCE = 0.95
TOLERANCE = 3.0


def judge_scores(
    baseline: Sequence[Run], candidate: Sequence[Run], metrics: Sequence[Metric], confidence: float = CONFIDENCE
) -> tuple[Row, ...]:
    """Judge each metric over all runs of both arms, which all have it."""
    return tuple(_row(baseline, candidate, metric, confidence, rows=len(metrics)) for metric in metrics)


def _row(baseline: Sequence[Run], candidate: Sequence[Run], metric: Metric, confidence: float, *, rows: int) -> Row:
    base = statistics.fmean(run.metrics[metric.name] for run in baseline)
    cand = statistics.fmean(run.metrics[metric.name] for run in candidate)
    row = Row(
        name=metric.name,
        level={},
        direction=metric.direction,
        tolerance=metric.tolerance,
        unit="SE",
        baseline=base,
        candidate=cand,
        ratio=cand / base if base else math.nan,
        interval=(None, None),
        runs=(len(baseline), len(candidate)),
        noise=(None, None),
        verdict=Judgement.INCONCLUSIVE,
        reason="",
    )
    error = _error(baseline, candidate, metric.name)
    if error is None or error <= 0 or base <= 0:
        return replace(
            row,
            ratio=row.ratio if base > 0 else 1.0,
            reason="no standard error (too few questions, or a score of 0 or 1), so no difference can be judged",
            settle="a run over all questions of the task",
        )
    gain = cand - base if metric.direction is Direction.HIGHER else base - cand
    half = student.quantile(confidence, math.inf) * error
    margin = metric.tolerance * error
    row = replace(row, interval=((cand - half) / base, (cand + half) / base))
    where = f"{cand - base:+.4f} with a standard error of {error:.4f}; the tolerance is {metric.tolerance:g} of them"
    if gain - half > -margin:
        return replace(row, verdict=Judgement.PASS, reason=where)
    # One score a task and a handful of tasks: the plain correction is as good as any.
    if gain + student.quantile(1 - FAIL_LEVEL / rows, math.inf) * error < -margin:
        return replace(row, verdict=Judgement.FAIL, reason=where)
    return replace(
        row,
        reason=where,
        settle="more questions narrow this, more runs over the same questions hardly; look at the answers that differ",
    )


def _error(baseline: Sequence[Run], candidate: Sequence[Run], name: str) -> float | None:
    """Return the standard error of the difference. Runs over the same questions do not make it smaller."""
    parts = []
    for runs in (baseline, candidate):
        errors = [run.stderr.get(name) for run in runs]
        known = [error for error in errors if error is not None]
        if len(known) < len(errors):
            return None
        parts.append(statistics.fmean(error**2 for error in known))
    return math.sqrt(sum(parts))
