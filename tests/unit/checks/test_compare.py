"""Verdicts on figures: what passes, what fails, what stays open, and what is said about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.checks.accuracy import judge_scores
from syncbot.checks.compare import Arms, judge_rows
from syncbot.model.checks import Direction, Judgement, Metric

HIGHER = Metric(name="output_throughput", direction=Direction.HIGHER, tolerance=2.0)
LOWER = Metric(name="mean_ttft_ms", direction=Direction.LOWER, tolerance=2.0)
NOISE = (1.0, 1.004, 0.997, 1.002, 0.998)


def row(baseline, candidate, metric=HIGHER, **options):
    (only,) = judge_rows(
        [Arms(metric=metric, level={}, baseline=tuple(baseline), candidate=tuple(candidate))], **options
    )
    return only


def arm(mean, noise=NOISE):
    return [mean * each for each in noise]


@pytest.mark.parametrize(
    ("metric", "change", "verdict"),
    [
        (HIGHER, 1.0, Judgement.PASS),
        (HIGHER, 1.2, Judgement.PASS),
        (HIGHER, 0.98, Judgement.INCONCLUSIVE),
        (HIGHER, 0.95, Judgement.FAIL),
        (LOWER, 1.0, Judgement.PASS),
        (LOWER, 0.8, Judgement.PASS),
        (LOWER, 1.02, Judgement.INCONCLUSIVE),
        (LOWER, 1.05, Judgement.FAIL),
    ],
)
def test_verdict_follows_change_and_direction(metric, change, verdict):
    assert row(arm(100), arm(100 * change), metric).verdict is verdict


@pytest.mark.parametrize(
    ("metric", "before", "change"),
    [
        (HIGHER, 1000.0, -0.0031),
        (LOWER, 500.0, 0.0039),
        (Metric(name="mean_tpot_ms", direction=Direction.LOWER, tolerance=2.0), 20.0, 0.0026),
    ],
)
def test_the_published_numbers_of_the_model_case_are_inconclusive(metric, before, change):
    answer = row([before], [before * (1 + change)], metric)
    assert answer.verdict is Judgement.INCONCLUSIVE
    assert answer.interval == (None, None)
    assert answer.ratio == pytest.approx(1 + change)
    assert answer.reason.startswith("one run an arm has no interval")


def test_one_run_is_inconclusive_however_good():
    assert row([100.0], [900.0]).verdict is Judgement.INCONCLUSIVE
    assert row(arm(100), [900.0]).verdict is Judgement.INCONCLUSIVE


def test_figures_without_any_noise_are_a_copy():
    answer = row([100.0] * 5, [101.0] * 5)
    assert answer.verdict is Judgement.INCONCLUSIVE
    assert "copy" in answer.reason


def test_noise_hides_what_quiet_runs_show():
    loud = (0.97, 1.03, 0.96, 1.05, 0.99)
    answer = row(arm(100, loud), arm(100, reversed(loud)))
    assert answer.verdict is Judgement.INCONCLUSIVE
    assert answer.settle is not None
    assert answer.settle.startswith("14 more runs an arm would narrow ±4.2 % to about ±2.0 %")


def test_says_when_no_number_of_runs_would_decide():
    answer = row(arm(100), arm(98.0))
    assert answer.settle is not None
    assert "not even 40 runs" in answer.settle


def test_a_stricter_confidence_asks_for_more():
    base, cand = arm(100, (1.0, 1.012, 0.991, 1.006, 0.994)), arm(100, (0.998, 1.009, 0.990, 1.004, 0.993))
    assert row(base, cand).verdict is Judgement.PASS
    assert row(base, cand, confidence=0.999).verdict is Judgement.INCONCLUSIVE


def test_many_comparisons_do_not_pile_up_false_alarms():
    """A loss that would fail alone is held back among twenty rows, by Holm's correction, and says so."""
    loss = Arms(metric=HIGHER, level={}, baseline=tuple(arm(100)), candidate=tuple(arm(97.35)))
    quiet = Arms(metric=HIGHER, level={}, baseline=tuple(arm(100)), candidate=tuple(arm(100)))
    assert judge_rows([loss])[0].verdict is Judgement.FAIL
    among = judge_rows([loss, *[quiet] * 19])[0]
    assert among.verdict is Judgement.INCONCLUSIVE
    assert "20 comparisons" in among.reason


def test_holm_lets_a_second_loss_through_once_the_first_is_rejected():
    clear = Arms(metric=HIGHER, level={}, baseline=tuple(arm(100)), candidate=tuple(arm(90)))
    assert [each.verdict for each in judge_rows([clear, clear])] == [Judgement.FAIL, Judgement.FAIL]


def test_warm_up_and_drift_are_shown():
    assert "the first run is -20.00 % off the rest" in row([80.0, 100.0, 100.1, 99.9, 100.0], arm(100)).notes[0]
    assert "drifts by" in row([100.0, 101.0, 102.1, 103.0, 104.1], arm(100)).notes[0]
    assert row(arm(100), arm(100)).notes == ()


@given(
    st.lists(st.floats(50, 150), min_size=2, max_size=8, unique=True),
    st.lists(st.floats(50, 150), min_size=2, max_size=8, unique=True),
    st.floats(0.001, 1000),
)
def test_units_do_not_matter_and_arms_mirror(baseline, candidate, unit):
    one = row(baseline, candidate)
    scaled = row([each * unit for each in baseline], [each * unit for each in candidate])
    mirrored = row(candidate, baseline)
    assert scaled.ratio == pytest.approx(one.ratio)
    assert mirrored.ratio == pytest.approx(1 / one.ratio)
    if one.interval[0] is not None and mirrored.interval[1] is not None:
        assert one.interval[0] <= one.ratio <= one.interval[1]
        assert mirrored.interval[1] == pytest.approx(1 / one.interval[0], rel=1e-6)


def scores(make_run, value, stderr=0.006):
    name = "gsm8k:exact_match,strict-match"
    return make_run(tool="lm_eval", metrics={name: value}, stderr={name: stderr}, level={}, workload={})


@pytest.mark.parametrize(
    ("candidate", "stderr", "verdict"),
    [
        (0.95, 0.006, Judgement.PASS),
        (0.945, 0.006, Judgement.PASS),
        (0.93, 0.006, Judgement.INCONCLUSIVE),
        (0.90, 0.006, Judgement.FAIL),
        (0.95, None, Judgement.INCONCLUSIVE),
        (0.95, 0.0, Judgement.INCONCLUSIVE),
    ],
)
def test_accuracy_counts_standard_errors(make_run, candidate, stderr, verdict):
    metric = Metric(name="gsm8k:exact_match,strict-match", direction=Direction.HIGHER, tolerance=3.0)
    (answer,) = judge_scores([scores(make_run, 0.95, stderr)], [scores(make_run, candidate, stderr)], [metric])
    assert answer.verdict is verdict
    assert answer.unit == "SE"
