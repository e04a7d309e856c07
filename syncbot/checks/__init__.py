"""Benchmark and accuracy results: read, compared, judged. The only effect in this room is reading result files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.checks import accuracy, arms, compare
from syncbot.checks.readers import ResultError
from syncbot.model.checks import Judgement, Metric, Row, Run

__all__ = ["Comparison", "ResultError", "compare_runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two arms compared. ``verdict`` is fail if any row failed, pass if every row passed, else inconclusive."""

    rows: tuple[Row, ...]
    verdict: Judgement
    notes: tuple[str, ...] = ()


def compare_runs(
    baseline: Sequence[Run], candidate: Sequence[Run], metrics: Sequence[Metric], *, confidence: float | None = None
) -> Comparison:
    """Compare two sets of runs; raises `ResultError` with every difference that makes them incomparable."""
    if _scores(baseline):
        arms.require(baseline, candidate, metrics)
        rows = accuracy.judge_scores(baseline, candidate, metrics, confidence or accuracy.CONFIDENCE)
    else:
        rows = compare.judge_rows(arms.pair(baseline, candidate, metrics), confidence or compare.CONFIDENCE)
    notes = (
        *(doubt for run in (*baseline, *candidate) for doubt in run.doubts),
        *arms.order_notes(baseline, candidate),
    )
    return Comparison(rows=rows, verdict=worst(rows), notes=notes)


def worst(rows: Sequence[Row]) -> Judgement:
    """Return the verdict over all rows."""
    found = {row.verdict for row in rows}
    if Judgement.FAIL in found:
        return Judgement.FAIL
    return Judgement.PASS if found == {Judgement.PASS} else Judgement.INCONCLUSIVE


def _scores(runs: Sequence[Run]) -> bool:
    return bool(runs) and runs[0].tool == "lm_eval"
