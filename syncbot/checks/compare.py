"""Two arms, one metric, one level: the ratio, its interval, and one of three answers. Pure.

Everything happens on logarithms, so that per cent mean the same in both directions. With ``gain`` the candidate's
advantage (positive is better, whichever way the metric points) and ``margin`` the tolerance on the same scale:

- pass: the one-sided lower bound of ``gain`` at ``confidence`` lies above ``-margin``;
- fail: ``gain`` lies below ``-margin`` with `FAIL_LEVEL`, by Holm's procedure over all rows of the comparison;
- inconclusive: neither.

A pass of a whole check needs a pass of every row. Such an intersection needs no correction: it is wrong only if every
row is wrong at once. A single wrong fail would stop a check, so fails are corrected. Holm holds whatever the rows have
to do with each other, and throughput and latency have much (docs/decisions/0041-interval-and-levels.md).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from syncbot.checks import student
from syncbot.model.checks import Direction, Judgement, Metric, Row, Scalar

CONFIDENCE = 0.94
FAIL_LEVEL = 0.02
MOST_RUNS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """The figures of one metric at one level, one a run, in the order they were measured where that is known."""

    metric: Metric
    level: Mapping[str, Scalar]
    baseline: tuple[float, ...]
    candidate: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """``log_ratio`` of candidate over baseline, its standard error and degrees of freedom."""

    log_ratio: float
    error: float
    freedom: float

    def half_width(self, confidence: float) -> float:
        """Half of the two-sided interval whose each end is a one-sided bound at ``confidence``; log scale."""
        return student.quantile(confidence, self.freedom) * self.error


def estimate(baseline: Sequence[float], candidate: Sequence[float]) -> Estimate | None:
    """Return the estimate from positive figures, None where an arm has one run or the runs do not differ at all.

    With as many runs in both arms the degrees of freedom are those of the pooled test, which then has Welch's standard
    error and holds up well when one arm is noisier; otherwise they are Welch's.
    """
    n, m = len(baseline), len(candidate)
    if n < 2 or m < 2:
        return None
    logs_b, logs_c = [math.log(value) for value in baseline], [math.log(value) for value in candidate]
    part_b, part_c = statistics.variance(logs_b) / n, statistics.variance(logs_c) / m
    variance = part_b + part_c
    if variance <= 0:
        return None
    freedom = n + m - 2.0 if n == m else variance**2 / (part_b**2 / (n - 1) + part_c**2 / (m - 1))
    difference = statistics.fmean(logs_c) - statistics.fmean(logs_b)
    return Estimate(log_ratio=difference, error=math.sqrt(variance), freedom=freedom)


def margin_of(metric: Metric) -> float:
    """Return the tolerance on the log scale: a fifth less throughput is as bad as a fourth more latency."""
    return -math.log1p(-min(metric.tolerance, 99.999) / 100)


def judge_rows(arms: Sequence[Arms], confidence: float = CONFIDENCE) -> tuple[Row, ...]:
    """Judge every row of one comparison; fails are corrected over all of them. Figures must be positive."""
    estimates = [estimate(each.baseline, each.candidate) for each in arms]
    # A row without an interval cannot fail, so it is no comparison to correct for.
    tested = [index for index, one in enumerate(estimates) if one is not None]
    rejected = _holm([_loss_probability(estimates[index], arms[index].metric) for index in tested])
    failed = {index for index, fails in zip(tested, rejected, strict=True) if fails}
    return tuple(
        _row(each, estimates[index], confidence, fails=index in failed, rows=len(tested))
        for index, each in enumerate(arms)
    )


def _gain(one: Estimate, metric: Metric) -> float:
    return one.log_ratio if metric.direction is Direction.HIGHER else -one.log_ratio


def _loss_probability(one: Estimate | None, metric: Metric) -> float:
    """Return the p-value against "the loss is within the tolerance"; small means a loss beyond it."""
    if one is None:
        return 1.0
    return student.cdf((_gain(one, metric) + margin_of(metric)) / one.error, one.freedom)


def _holm(probabilities: Sequence[float]) -> list[bool]:
    """Return which are rejected at `FAIL_LEVEL` by Holm's step-down procedure."""
    rejected = [False] * len(probabilities)
    for rank, index in enumerate(sorted(range(len(probabilities)), key=lambda i: probabilities[i])):
        if probabilities[index] > FAIL_LEVEL / (len(probabilities) - rank):
            break
        rejected[index] = True
    return rejected


def _row(arms: Arms, one: Estimate | None, confidence: float, *, fails: bool, rows: int) -> Row:
    base, cand = _geometric(arms.baseline), _geometric(arms.candidate)
    row = Row(
        name=arms.metric.name,
        level=arms.level,
        direction=arms.metric.direction,
        tolerance=arms.metric.tolerance,
        baseline=base,
        candidate=cand,
        ratio=cand / base,
        interval=(None, None),
        runs=(len(arms.baseline), len(arms.candidate)),
        noise=(_noise(arms.baseline), _noise(arms.candidate)),
        verdict=Judgement.INCONCLUSIVE,
        reason="",
        notes=(*_notes("baseline", arms.baseline), *_notes("candidate", arms.candidate)),
    )
    if one is None:
        return replace(row, reason=_no_interval(arms), settle="at least three runs in each arm")
    half = one.half_width(confidence)
    row = replace(row, interval=(math.exp(one.log_ratio - half), math.exp(one.log_ratio + half)))
    gain, margin = _gain(one, arms.metric), margin_of(arms.metric)
    allowed = f"{arms.metric.tolerance:g} % may pass"
    worst = f"{_change(arms.metric, gain - half)} at worst, {allowed}"
    if gain - half > -margin:
        return replace(row, verdict=Judgement.PASS, reason=worst)
    if fails:
        return replace(
            row, verdict=Judgement.FAIL, reason=f"{_change(arms.metric, gain + half)} even at best, {allowed}"
        )
    reason = f"{worst}, so a loss beyond that is neither ruled out nor shown"
    if gain + half < -margin:
        reason = (
            f"{_change(arms.metric, gain + half)} at best, {allowed}, but {rows} comparisons ask for more than that"
        )
    return replace(row, reason=reason, settle=_settle(arms, one, confidence))


def _change(metric: Metric, gain: float) -> str:
    """Say how much better or worse a gain on the log scale is, in per cent of the baseline."""
    ratio = math.exp(gain if metric.direction is Direction.HIGHER else -gain)
    return f"{100 * abs(ratio - 1):.2f} % {'better' if gain > 0 else 'worse'}"


def _no_interval(arms: Arms) -> str:
    fewest = min(len(arms.baseline), len(arms.candidate))
    if fewest < 2:
        return "one run an arm has no interval: run-to-run noise is not known, so no difference can be judged"
    return "every run of both arms gave the same figure to the last digit: that is a copy, not a measurement"


def _settle(arms: Arms, one: Estimate, confidence: float) -> str:
    """Say how many more runs an arm would decide, if the estimate and the noise stay what they are."""
    runs = min(len(arms.baseline), len(arms.candidate))
    spread = one.error * math.sqrt(runs / 2)
    distance = abs(_gain(one, arms.metric) + margin_of(arms.metric))
    now = one.half_width(confidence)
    for more in range(1, MOST_RUNS - runs + 1):
        total = runs + more
        then = student.quantile(confidence, 2 * total - 2) * spread * math.sqrt(2 / total)
        if then < distance:
            return (
                f"{more} more run{'s' if more > 1 else ''} an arm would narrow ±{100 * now:.1f} % to about "
                f"±{100 * then:.1f} %, enough if the difference stays what it is"
            )
    return (
        f"the difference lies within {100 * distance:.2g} % of the tolerance, with {100 * spread:.2g} % of noise from "
        f"run to run: not even {MOST_RUNS} runs an arm would decide; lower the noise, or say whether so little matters"
    )


def _geometric(values: Sequence[float]) -> float:
    return math.exp(statistics.fmean(math.log(value) for value in values))


def _noise(values: Sequence[float]) -> float | None:
    """Return the spread from run to run in per cent, None with one run."""
    return 100 * statistics.stdev(math.log(value) for value in values) if len(values) > 1 else None


def _notes(arm: str, values: Sequence[float]) -> tuple[str, ...]:
    """Return what a person should see before believing the interval: a first run apart from the rest, and drift."""
    notes = []
    logs = [math.log(value) for value in values]
    if len(logs) >= 3:
        rest = logs[1:]
        middle, away = statistics.fmean(rest), logs[0] - statistics.fmean(rest)
        if abs(away) > 0.01 and abs(away) > 4 * statistics.pstdev(rest):
            notes.append(
                f"{arm}: the first run is {_percent(math.exp(logs[0] - middle))} off the rest; was the server warm?"
            )
    if len(logs) >= 5:
        turn = statistics.correlation(range(len(logs)), logs) if len(set(logs)) > 1 else 0.0
        if abs(turn) > 0.9:
            drift = turn * statistics.stdev(logs) / statistics.stdev(range(len(logs))) * (len(logs) - 1)
            # Five runs look ordered by chance once in thirty: among many rows only a drift that matters is told.
            if abs(drift) > 0.01:
                notes.append(f"{arm}: drifts by {_percent(math.exp(drift))} from the first run to the last")
    return tuple(notes)


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.2f} %"
