"""What real files of each tool say, and that a file is told by what it holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.checks import compare_runs
from syncbot.checks.arms import choose_metrics
from syncbot.checks.readers import ResultError, read
from syncbot.model.checks import Arm, Judgement
from tests.unit.checks.conftest import REAL


def test_vllm_single_file(real):
    (run,) = real("vllm-0.33.0/baseline_c8_r1.json")
    assert run.tool == "vllm bench serve"
    assert run.level == {"max_concurrency": 8}
    assert run.tags == {
        "arm": "baseline",
        "edit": "3f1c9a7e5b2d",
        "pin": "v0.1.21.post1",
        "hardware": "stub",
    }
    assert run.workload["input_len"] == 128
    assert run.workload["request_rate"] == "inf"
    assert (run.asked, run.completed, run.failed) == (48, 48, 0)
    assert "request_goodput" not in run.metrics


def test_vllm_appended_objects_are_runs(real):
    assert [run.asked for run in real("bench/append.json", "vllm-0.33.0/append_baseline.json")] == [48] * 5


def test_vllm_detailed_percentiles_goodput_and_rate(real):
    assert real("bench/detailed.json")[0].metrics.keys() >= {"mean_ttft_ms", "output_throughput"}
    (odd,) = real("vllm-0.33.0/percentiles_goodput.json")
    assert odd.metrics.keys() >= {"p99.9_ttft_ms", "p50_e2el_ms", "request_goodput"}
    (slow,) = real("vllm-0.33.0/rate40.json")
    assert slow.level == {"max_concurrency": 8, "request_rate": 40.0}


def test_vllm_without_concurrency_or_metadata(real):
    assert real("vllm-0.33.0/no_concurrency.json")[0].level == {"max_concurrency": None}
    assert real("vllm-0.33.0/no_metadata.json")[0].tags == {}


def test_old_vllm_has_no_failed(real):
    runs = real("vllm-0.9.2/baseline_*")
    assert [run.failed for run in runs] == [None] * 3
    assert real("vllm-0.9.2/failed.json")[0].completed == 47


def test_sglang_lines(real):
    runs = real("sglang-0.4.9.post2/baseline.jsonl")
    assert [run.level for run in runs] == [{"max_concurrency": 8}] * 3
    assert runs[0].workload["request_rate"] == "inf"
    assert runs[0].asked is None
    (detailed,) = real("sglang-0.4.9.post2/details.jsonl")
    assert (detailed.asked, detailed.failed) == (8, 0)


def test_sglang_tag_carries_metadata():
    # The field exists since SGLang 0.5; the rest of the line is a real one.
    line = json.loads((REAL / "sglang-0.4.9.post2/baseline.jsonl").read_text().splitlines()[0])
    tagged = json.dumps(line | {"tag": "edit=abc pin=v1 arm=baseline hardware=gfx950 model=stub"})
    (run,) = read("x", tagged.encode())
    assert run.tags == {"edit": "abc", "pin": "v1", "arm": "baseline", "hardware": "gfx950"}
    assert run.workload["model"] == "stub"


def test_lm_eval_filters_stderr_and_samples(real):
    (run,) = real("lm_eval-0.4.13/baseline.json")
    strict = "tiny_math:exact_match,strict-match"
    assert run.metrics == {strict: 0.885, "tiny_math:exact_match,flexible-extract": 0.935}
    assert run.stderr[strict] == pytest.approx(0.0226, abs=1e-4)
    assert run.higher_is_better[strict] is True
    assert run.workload["model"] == "stub"
    assert run.workload["tiny_math.samples"] == 200
    assert run.tags["check"] == "math"
    assert real("lm_eval-0.4.13/limit1.json")[0].stderr[strict] is None


def test_lm_eval_model_arguments_as_a_text():
    values = json.loads((REAL / "lm_eval-0.4.13/baseline.json").read_text())
    values["config"]["model_args"] = "pretrained=org/model,dtype=auto"
    assert read("x", json.dumps(values).encode())[0].workload["model"] == "org/model"


def test_pytest_benchmark_medians(real):
    run = real("pytest-benchmark-5.3.1/baseline_r1.json")[0]
    assert set(run.metrics) == {"pb/test_pb.py::test_small", "pb/test_pb.py::test_large"}
    assert set(run.higher_is_better.values()) == {False}


def test_csv_holds_both_arms_and_any_level():
    text = "metric,arm,run,value,batch\nseconds,with,1,2.0,8\nseconds,without,1,1.9,8\nseconds,without,2,1.8,8\n"
    assert [run.metrics for run in read("x", text.encode(), Arm.CANDIDATE)] == [{"seconds": 1.9}, {"seconds": 1.8}]
    (run,) = read("x", text.encode(), Arm.BASELINE)
    assert run.level == {"batch": 8}


@pytest.mark.parametrize(
    ("baseline", "candidate", "rows"),
    [
        ("bench/base_*", "bench/fast_*", 6),
        ("vllm-0.33.0/baseline_c?_r?.json", "vllm-0.33.0/candidate_c?_r?.json", 6),
        ("vllm-0.33.0/append_baseline.json", "vllm-0.33.0/append_candidate.json", 3),
        ("vllm-0.9.2/baseline_*", "vllm-0.9.2/candidate_*", 3),
        ("sglang-0.4.9.post2/baseline.jsonl", "sglang-0.4.9.post2/candidate.jsonl", 3),
        ("lm_eval-0.4.13/baseline.json", "lm_eval-0.4.13/candidate.json", 2),
        ("pytest-benchmark-5.3.1/baseline_*", "pytest-benchmark-5.3.1/candidate_*", 2),
    ],
)
def test_real_arms_can_be_compared(real, baseline, candidate, rows):
    arms = real(baseline), real(candidate)
    comparison = compare_runs(*arms, choose_metrics([*arms[0], *arms[1]]))
    assert len(comparison.rows) == rows


def test_five_per_cent_between_real_arms_is_seen(real):
    """The candidate of these files is faster by construction, by 5 % a token; taking it away again is a loss."""
    slow, fast = real("bench/base_*"), real("bench/fast_*")
    metrics = choose_metrics([*slow, *fast], names=["mean_ttft_ms"])
    assert compare_runs(slow, fast, metrics).verdict is Judgement.PASS
    swapped = [[run for run in arm if run.level["max_concurrency"] == 1] for arm in (fast, slow)]
    untagged = [[_without_arm(run) for run in arm] for arm in swapped]
    tight = choose_metrics(untagged[0], names=["mean_ttft_ms"], tolerance=1.0)
    assert compare_runs(*untagged, tight).verdict is Judgement.FAIL


def _without_arm(run):
    from dataclasses import replace

    return replace(run, tags={})


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data):
    assert all(line.startswith("x") for line in _problems(data))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    ),
    st.sampled_from(sorted(path.name for path in (REAL / "vllm-0.33.0").glob("candidate_c8*"))),
    st.integers(0, 60),
)
def test_any_value_in_any_field_is_read_or_refused(value, name, index):
    values = json.loads((REAL / "vllm-0.33.0" / name).read_text())
    values[sorted(values)[index % len(values)]] = value
    assert all(line.startswith("x: ") for line in _problems(json.dumps(values).encode()))


def _problems(data):
    """Anything but these problems, or runs, would be a bug."""
    try:
        read("x", data)
    except ResultError as error:
        return error.problems
    return ()
