"""Every workaround is in one job and no downstream in two, whatever the project."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_world import APP, LIB, project

from syncbot.model.errors import UsageError
from syncbot.model.project import Downstream, FixClaim, Pin, Upstream, Workaround
from syncbot.shards import MOST_JOBS, Shard, matrix, parse_shard, part, split


def many(counts, upstream="lib"):
    """A project whose downstreams have so many workarounds each."""
    names = [f"app-{number}" for number in range(len(counts))]
    return replace(
        project(),
        upstreams={name: Upstream(name=name, repo=LIB) for name in (upstream, "spare")},
        downstreams={name: Downstream(name=name, repo=APP) for name in names},
        pins={name: Pin(name=name, upstream=upstream, downstream=name, repo=APP, paths=("D",)) for name in names},
        workarounds=tuple(
            Workaround(
                id=f"{name}-{number}", title="t", why="w", downstream=name, fixes=(FixClaim(upstream=upstream, pull=1),)
            )
            for name, count in zip(names, counts, strict=True)
            for number in range(count)
        ),
    )


@given(st.lists(st.integers(0, 30), max_size=20), st.integers(1, MOST_JOBS))
def test_the_parts_are_the_whole(counts, jobs):
    whole = many(counts)
    shards = split(whole, jobs)
    assert len(shards) <= jobs
    parts = [part(whole, Shard(number=number, of=len(shards))) for number in range(1, len(shards) + 1)]
    assert sorted(each.id for one in parts for each in one.workarounds) == sorted(each.id for each in whole.workarounds)
    names = [name for one in parts for name in one.downstreams]
    assert len(names) == len(set(names))
    assert all(pin.downstream in one.downstreams for one in parts for pin in one.pins.values())
    assert all(set(one.upstreams) == ({"lib"} if one.workarounds else set()) for one in parts)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 40))
def test_no_job_has_more_than_it_must(counts, jobs):
    held = [job["workarounds"] for job in matrix(many(counts), jobs)["include"]]
    assert max(held) <= sum(counts) / len(held) + max(counts)
    assert min(held) > 0


def test_the_order_of_the_manifests_changes_nothing():
    whole = many([3, 1, 4, 1, 5])
    assert split(replace(whole, workarounds=whole.workarounds[::-1]), 3) == split(whole, 3)


def test_a_part_beyond_the_downstreams_is_empty():
    nothing = part(many([2, 2]), Shard(number=3, of=3))
    assert (nothing.workarounds, dict(nothing.downstreams), dict(nothing.upstreams)) == ((), {}, {})


def test_a_matrix_is_never_empty():
    assert matrix(many([]), 20) == {"include": [{"shard": "1/1", "workarounds": 0, "name": "nothing"}]}


def test_ten_thousand_workarounds_fit_into_a_job_output():
    shared_out = matrix(many([20] * 500), MOST_JOBS)
    assert len(shared_out["include"]) == MOST_JOBS
    assert {job["workarounds"] for job in shared_out["include"]} == {20, 40}
    assert len(json.dumps(shared_out)) < 20_000


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "1/257", "1/2/3", "-1/2", " 1/2", "1/2\n", "a/b", "١/٢"])
def test_what_is_no_shard(text):
    with pytest.raises(UsageError):
        parse_shard(text)


def test_a_shard_is_read_as_it_is_written():
    assert str(parse_shard("3/40")) == "3/40"
