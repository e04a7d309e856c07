"""The memory: nothing lost by runs at the same time, nothing fatal in its file."""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.memory import (
    Figure,
    FileMemory,
    Memory,
    TagChanges,
    TagMoved,
    compare_tags,
    merge,
    parse_memory,
    render_memory,
)
from syncbot.model.errors import CouldNotError
from syncbot.model.landing import TagSeen

A, B, C = ("a" * 40, "b" * 40, "c" * 64)
MONDAY = datetime.date(2026, 8, 17)
TUESDAY = datetime.date(2026, 8, 18)
NOON = datetime.datetime(2026, 8, 18, 12, tzinfo=datetime.UTC)


def seen(tag: str, commit: str | None, day: datetime.date = MONDAY) -> TagSeen:
    return TagSeen(repo="ROCm/aiter", tag=tag, commit=commit, first_seen=day)


days = st.dates(MONDAY, MONDAY + datetime.timedelta(days=3))
words = st.sampled_from(["v1", "v2", 'ü "x"\n', "\ud800"])
memories = st.builds(
    Memory,
    tags=st.frozensets(
        st.builds(TagSeen, repo=words, tag=words, commit=st.sampled_from([A, B, C, None]), first_seen=days), max_size=5
    ),
    first=st.dictionaries(words, days, max_size=3),
    trend=st.lists(
        st.builds(
            Figure,
            at=st.integers(0, 100).map(lambda hours: NOON + datetime.timedelta(hours=hours)),
            name=words,
            value=st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False),
        ),
        max_size=5,
    ).map(tuple),
    unknown=st.frozensets(st.sampled_from(['{"kind": "later", "a": 1}', '{"kind": "new"}']), max_size=2),
).map(lambda memory: merge(memory, Memory()))


@given(memories, memories, memories)
def test_merging_does_not_depend_on_order_grouping_or_repetition(one: Memory, two: Memory, three: Memory) -> None:
    assert merge(one, two) == merge(two, one)
    assert merge(one, merge(two, three)) == merge(merge(one, two), three)
    assert merge(one, one) == one
    assert merge(merge(one, two), two) == merge(one, two)


@given(memories)
def test_what_is_written_is_read_again(memory: Memory) -> None:
    text = render_memory(memory)
    assert parse_memory(text) == (memory, ())
    assert render_memory(parse_memory(text)[0]) == text
    shuffled = "\n".join(reversed(text.splitlines()))
    assert parse_memory(shuffled) == (memory, ())


@pytest.mark.parametrize(
    ("lines", "now", "expected"),
    [
        pytest.param([], {"v1": A}, TagChanges(new=("v1",)), id="new"),
        pytest.param([seen("v1", A)], {"v1": A}, TagChanges(), id="as it was"),
        pytest.param(
            [seen("v1", A)],
            {"v1": B},
            TagChanges(moved=(TagMoved(tag="v1", before=A, since=MONDAY, now=B),)),
            id="moved",
        ),
        pytest.param(
            [seen("v1", A)],
            {},
            TagChanges(withdrawn=(TagMoved(tag="v1", before=A, since=MONDAY, now=None),)),
            id="withdrawn",
        ),
        pytest.param([seen("v1", A), seen("v1", None, TUESDAY)], {}, TagChanges(), id="still gone"),
        pytest.param([seen("v1", A), seen("v1", None, TUESDAY)], {"v1": A}, TagChanges(new=("v1",)), id="back again"),
        pytest.param(
            [seen("v1", A), seen("v1", None, TUESDAY)],
            {"v1": B},
            TagChanges(moved=(TagMoved(tag="v1", before=A, since=MONDAY, now=B),)),
            id="back as another",
        ),
        pytest.param(
            [seen("v1", A), seen("v1", B, TUESDAY)],
            {"v1": A},
            TagChanges(moved=(TagMoved(tag="v1", before=B, since=TUESDAY, now=A),)),
            id="moved back",
        ),
        pytest.param([seen("v1", A), seen("v1", B)], {"v1": A}, TagChanges(), id="order within a day is not known"),
    ],
)
def test_tags_that_moved_went_or_came(lines, now, expected) -> None:
    assert compare_tags(lines, now) == expected
    assert compare_tags(reversed(lines), now) == expected


def test_tags_are_told_once_and_by_repository() -> None:
    memory = Memory().with_tags("ROCm/aiter", {"v1": A, "v2": B}, MONDAY).with_tags("other/one", {"v1": B}, MONDAY)
    same = memory.with_tags("ROCm/aiter", {"v1": A, "v2": B}, TUESDAY)
    assert same == memory
    later = memory.with_tags("ROCm/aiter", {"v1": B}, TUESDAY)
    assert later.tags - memory.tags == {seen("v1", B, TUESDAY), seen("v2", None, TUESDAY)}
    assert later.with_tags("ROCm/aiter", {"v1": B}, TUESDAY) == later


def test_first_days_stay_and_a_trend_keeps_the_last_figure_of_a_day() -> None:
    memory = Memory().with_first(["x/ready"], TUESDAY).with_first(["x/ready", "y"], MONDAY)
    assert memory.with_first(["y"], TUESDAY).first == {"x/ready": MONDAY, "y": MONDAY}

    east = datetime.timezone(datetime.timedelta(hours=8))
    early, late = NOON.replace(hour=1), NOON.replace(hour=23).astimezone(east)  # the 19th, where the runner is
    trend = Memory().with_figures(late, {"overdue": 4}).with_figures(early, {"overdue": 3, "carried": 9}).trend
    assert [(figure.name, figure.value) for figure in trend] == [("carried", 9), ("overdue", 4)]


def test_of_figures_of_one_second_the_one_said_last_is_kept_by_a_merge_too():
    at = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
    first = Memory().with_figures(at, {"overdue": 4, "carried": 2})
    second = first.with_figures(at, {"overdue": 3})
    third = second.with_figures(at, {"overdue": 2})
    for said, overdue in ((second, 3), (merge(second, first), 3), (merge(first, third), 2)):
        assert {each.name: each.value for each in said.trend} == {"overdue": overdue, "carried": 2}


def test_two_figures_of_one_second_stay_in_their_order_in_a_merge():
    """A quick run after another one would otherwise find its own figure lost, and write it again and again."""
    at = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
    before = Memory().with_figures(at, {"overdue": 4})
    after = before.with_figures(at + datetime.timedelta(milliseconds=200), {"overdue": 3})
    kept = parse_memory(render_memory(merge(after, before)))[0]
    assert [each.value for each in kept.trend] == [3]
    assert kept == after


@pytest.mark.parametrize(
    "line",
    [
        "<<<<<<< HEAD",
        "{",
        "[1]",
        "3",
        '"tag"',
        "{}",
        '{"kind": 7}',
        '{"kind": "tag"}',
        '{"kind": "tag", "repo": "r", "tag": "v1", "commit": "v1", "first_seen": "2026-08-17"}',
        '{"kind": "tag", "repo": "r", "tag": "v1", "commit": 7, "first_seen": "2026-08-17"}',
        '{"kind": "tag", "repo": "", "tag": "v1", "commit": null, "first_seen": "2026-08-17"}',
        '{"kind": "tag", "repo": "r", "tag": "v1", "commit": null, "first_seen": "yesterday"}',
        '{"kind": "first", "what": [], "day": "2026-08-17"}',
        '{"kind": "first", "what": "x", "day": null}',
        '{"kind": "trend", "at": "2026-08-17T00:00:00", "name": "x", "value": 1}',
        '{"kind": "trend", "at": "2026-08-17T00:00:00+00:00", "name": "x", "value": NaN}',
        '{"kind": "trend", "at": "2026-08-17T00:00:00+00:00", "name": "x", "value": true}',
        '{"kind": "trend", "at": "2026-08-17T00:00:00+00:00", "name": "x", "value": 1' + "0" * 400 + "}",
        '{"kind": "trend", "at": "0001-01-01T00:00:00+14:00", "name": "x", "value": 1}',
        "[" * 100_000,
        "\ufffd\0",
    ],
)
def test_a_damaged_line_is_told_by_its_number_and_costs_only_itself(line: str) -> None:
    good = render_memory(Memory(tags=frozenset({seen("v1", A)})))
    memory, problems = parse_memory(f"{good}\n{line}\n{good}")
    assert memory.tags == {seen("v1", A)}
    (problem,) = problems
    assert problem.startswith("line 3 is damaged and was skipped: ")


def test_a_file_saved_is_loaded_and_saving_again_leaves_it_alone(tmp_path: Path) -> None:
    store = FileMemory(tmp_path / "new" / "memory.jsonl")
    memory = Memory().with_tags("ROCm/aiter", {"v1": A}, MONDAY)
    store.save(memory)
    assert store.load().memory == memory
    assert store.load().problems == ()
    before = store.path.stat().st_mtime_ns, store.path.stat().st_ino
    store.save(memory)
    assert (store.path.stat().st_mtime_ns, store.path.stat().st_ino) == before


def test_saving_adds_to_what_another_run_wrote_and_keeps_what_a_newer_version_wrote(tmp_path: Path) -> None:
    store = FileMemory(tmp_path / "memory.jsonl")
    mine, theirs = Memory().with_first(["mine"], MONDAY), Memory().with_first(["theirs"], MONDAY)
    store.save(theirs)
    with store.path.open("a", encoding="utf-8") as file:
        file.write('{"kind": "later", "text": "é"}\n')
    both = store.save(mine)
    assert both.first == {"mine": MONDAY, "theirs": MONDAY}
    assert store.load().memory == both
    assert '{"kind": "later", "text": "é"}\n' in store.path.read_text(encoding="utf-8")


def test_a_memory_that_is_not_there_is_told_and_is_no_error(tmp_path: Path) -> None:
    loaded = FileMemory(tmp_path / "memory.jsonl").load()
    assert loaded.memory == Memory()
    assert "lost" in loaded.problems[0]
    assert "cannot be read" in FileMemory(tmp_path).load().problems[0]


def test_a_damaged_file_names_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_bytes(b"\xff\xfe\n" + render_memory(Memory().with_first(["x"], MONDAY)).encode())
    loaded = FileMemory(path).load()
    assert loaded.memory.first == {"x": MONDAY}
    assert loaded.problems[0].startswith(f"{path}: line 1 is damaged")


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CouldNotError, match="cannot write the memory"):
        FileMemory(tmp_path / "file" / "memory.jsonl").save(Memory())


SAVE = """
import datetime, sys
from pathlib import Path
from syncbot.memory import FileMemory, Memory
for number in range(25):
    FileMemory(Path(sys.argv[1])).save(Memory().with_first([f"{sys.argv[2]}-{number}"], datetime.date(2026, 8, 17)))
"""


def test_two_processes_save_at_once_and_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    processes = [subprocess.Popen([sys.executable, "-c", SAVE, str(path), own]) for own in "01"]
    assert [process.wait(30) for process in processes] == [0, 0]
    assert len(FileMemory(path).load().memory.first) == 50
