"""What is attached is read back as it was, and nothing else is."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from syncbot.checks.codec import decode, encode
from syncbot.checks.readers import ResultError
from syncbot.checks.store import load, save
from syncbot.model.errors import CouldNotError


def without_source(attached):
    from dataclasses import replace

    return replace(
        attached,
        baseline=tuple(replace(run, source="") for run in attached.baseline),
        candidate=tuple(replace(run, source="") for run in attached.candidate),
    )


@pytest.mark.parametrize(
    "patterns",
    [
        ("vllm-0.33.0/baseline_c*", "vllm-0.33.0/candidate_c*"),
        ("vllm-0.9.2/baseline_*", "vllm-0.9.2/candidate_*"),
        ("sglang-0.4.9.post2/baseline.jsonl", "sglang-0.4.9.post2/candidate.jsonl"),
        ("lm_eval-0.4.13/baseline.json", "lm_eval-0.4.13/limit1.json"),
        ("pytest-benchmark-5.3.1/baseline_*", "pytest-benchmark-5.3.1/candidate_*"),
    ],
)
def test_real_runs_come_back_as_they_were(real, attach, patterns):
    attached = attach(real(patterns[0]), real(patterns[1]), by="@name", note="three waves")
    back = decode("x", json.loads(json.dumps(encode(attached))))
    assert without_source(back) == without_source(attached)


def test_a_block_for_a_body_is_small(real, attach):
    attached = attach(real("vllm-0.33.0/baseline_c*"), real("vllm-0.33.0/candidate_c*"))
    assert len(json.dumps(encode(attached, ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"]))) < 8000


@pytest.fixture
def values(attach, make_arms):
    return encode(attach(*make_arms(runs=2)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_block_is_read_or_refused(values, data):
    """Every field, at every depth, replaced by something else."""
    junk = (
        st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=3) | st.just([]) | st.just({})
    )
    changed = json.loads(json.dumps(values))
    place = changed
    while isinstance(place, (dict, list)) and place:
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.booleans()):
            place[key] = data.draw(junk)
            break
        place = place[key]
    _read(changed)


def _read(values):
    try:
        return decode("x", values)
    except ResultError as error:
        return error.problems


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("schema",), "other", "expected a syncbot.attached/1 object"),
        (("at",), "yesterday", "expected a UTC time"),
        (("edit",), None, "edit is missing"),
        (("groups",), "x", "expected a list of tables"),
        (("groups", 0, "runs", 0, "arm"), "third", "arm is 'third'"),
        (("groups", 0, "runs", 0, "metrics", "mean_ttft_ms"), float("nan"), "must be finite"),
        (("groups", 0, "runs", 0, "metrics", "mean_ttft_ms"), -1, "must be finite and not negative"),
        (("groups", 0, "completed"), -3, "expected a whole number"),
        (("groups", 0, "workload"), [1], "expected a table of plain values"),
    ],
)
def test_says_what_is_wrong(values, path, value, said):
    place = values
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ResultError) as error:
        decode("x", values)
    assert said in str(error.value)


def test_the_folder_keeps_sets_in_order(tmp_path, attach, make_arms):
    import datetime

    late, early = attach(*make_arms()), attach(*make_arms(), at=datetime.datetime(2026, 9, 1, tzinfo=datetime.UTC))
    save(tmp_path / "results", [late, early])
    assert [each.at for each in load(tmp_path / "results")] == [early.at, late.at]
    assert load(tmp_path / "none") == ()


def test_a_broken_file_in_the_folder_is_named(tmp_path):
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(ResultError) as error:
        load(tmp_path)
    assert len(error.value.problems) == 2


def test_all_files_are_written_or_none(tmp_path, attach, make_arms):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CouldNotError, match="nothing was written"):
        save(tmp_path / "results", [attach(*make_arms())], {tmp_path / "file" / "body.md": "text"})
    assert list(tmp_path.rglob("*.json")) == []
