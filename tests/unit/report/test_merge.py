"""The reports of shards together are the report of the whole."""

from dataclasses import replace

import pytest
from report_world import given, hostile

from syncbot.model.errors import UsageError
from syncbot.report.data import parse_report, report_json
from syncbot.report.merge import merged
from syncbot.report.rows import build


@pytest.fixture(scope="module")
def whole():
    return build(given())


def parts(count):
    """The report of ``given()`` in so many parts, shared out like cards."""
    asked = given()
    return {
        f"{number}.json": build(
            replace(asked, standings=asked.standings[number::count], shard=f"{number + 1}/{count}")
        )
        for number in range(count)
    }  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 3, 11])
def test_the_parts_are_the_whole(whole, count):
    found, missing = merged(parts(count))
    assert missing == ()
    # A pin's moves are in each part that was looked at through it.
    assert replace(found, matrices=(), pins=(), sources=()) == replace(whole, matrices=(), pins=(), sources=())


def test_a_matrix_is_joined(whole):
    (matrix,) = merged(parts(3))[0].matrices
    assert (matrix.releases, matrix.rows) == (whole.matrices[0].releases, whole.matrices[0].rows)


def test_a_release_between_two_jobs_leaves_two_matrices():
    two = parts(2)
    older = two["0.json"]
    two["0.json"] = replace(
        older, matrices=tuple(replace(each, releases=each.releases[:-1]) for each in older.matrices)
    )
    assert [each.upstream for each in merged(two)[0].matrices] == ["lib", "lib"]


def test_a_missing_part_is_told():
    three = parts(3)
    del three["1.json"]
    found, missing = merged(three)
    assert missing == ("part 2 of 3 is missing: its job wrote no report, so its workarounds are not in this one",)
    assert found.problems[0] == missing[0]
    assert found.shard is None


def test_what_does_not_belong_together():
    with pytest.raises(UsageError) as error:
        merged({"a": build(given()), **parts(2)})
    assert "different splits: 0.json is 1/2, 1.json is 2/2, a is the whole" in str(error.value)
    assert "both speak of 'done'" in str(error.value)
    with pytest.raises(UsageError):
        merged({})


def test_a_report_is_read_as_it_was_written():
    report = replace(build(given(hostile())), shard="1/1")
    assert parse_report(report_json(report)) == report


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "syncbot.report/1"}', '{"schema": "syncbot.status/1"}', "[" * 100_000]
)
def test_what_is_no_report(text):
    with pytest.raises(UsageError):
        parse_report(text)


def test_a_file_is_a_strangers_word(whole):
    text = report_json(whole).replace("https://github.com/acme/lib/pull/11", "javascript:alert(1)")
    text = text.replace('"v1.2"', '"v1.2\\u202e\\u001b[31m"')
    again = report_json(parse_report(text))
    assert "javascript" not in again
    assert "\\u202e" not in again
    assert "\\u001b" not in again
