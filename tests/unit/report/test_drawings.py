"""The geometry of the drawings: to scale, inside the frame, no label over another."""

import datetime as dt
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given as drawn_from
from hypothesis import settings
from hypothesis import strategies as st
from report_world import FELL, JUDGED, TODAY, facts, fix, given

from syncbot.model.words import Confidence
from syncbot.policy import conclude
from syncbot.report.charts import chart, first_column, ladders
from syncbot.report.rows import build
from syncbot.report.timeline import LEFT, SIGN, WIDTH, Scale, ticks, timeline


@pytest.fixture(scope="module")
def report():
    return build(given())


def row(report, name):
    return next(each for each in report.rows if each.id == name)


def lane(drawn, name):
    return next(each for each in drawn.lanes if each.name == name)


def test_days_are_to_scale(report):
    drawn = timeline(row(report, "ready-overdue"), TODAY)
    bars = lane(drawn, "carried").bars
    edges = [bars[0].x, *(bar.x + bar.width for bar in bars)]
    days = [dt.date(2026, 1, 15), dt.date(2026, 2, 10), dt.date(2026, 2, 20), dt.date(2026, 3, 5), TODAY]
    per_day = (edges[-1] - edges[0]) / (days[-1] - days[0]).days
    for edge, day in zip(edges, days, strict=True):
        assert edge == pytest.approx(edges[0] + per_day * (day - days[0]).days, abs=1)


def test_lanes_tell_the_story(report):
    drawn = timeline(row(report, "ready-overdue"), TODAY)
    assert [bar.label for bar in lane(drawn, "carried").bars] == ["waiting", "fixed", "released", "ready"]
    assert [mark.label for mark in lane(drawn, "fixes").marks] == ["#10 refuted", "#11 merged"]
    assert [mark.label for mark in lane(drawn, "releases").marks] == ["v1.1.post1", "v1.2", "v1.3"]
    assert [bar.label for bar in lane(drawn, "image").bars] == ["· v1.0", "· v1.1", "✓ v1.2"]
    assert [mark.sign for mark in lane(drawn, "image").marks] == ["◆"]
    assert drawn.words == "Timeline of ready-overdue; its history says the same in words"


def test_a_removal_ends_the_bar(report):
    drawn = timeline(row(report, "done"), TODAY)
    (mark,) = lane(drawn, "carried").marks
    end = max(bar.x + bar.width for bar in lane(drawn, "carried").bars)
    assert mark.sign == "■"
    assert mark.x + SIGN == pytest.approx(end, abs=1)


def test_without_a_day_nothing_is_drawn(report):
    undated = replace(row(report, "waiting"), introduced=None)
    assert timeline(undated, TODAY) is None


@settings(deadline=None, max_examples=25)
@drawn_from(st.lists(st.dates(dt.date(2026, 1, 1), TODAY), min_size=1, max_size=12), st.integers(1, 300))
def test_nothing_leaves_the_frame_or_lies_over_another(days, length):
    one = facts("one", *(fix(10 + n, f"{day}", "aaacccc") for n, day in enumerate(days)), past=FELL)
    made = build(given(standings=[conclude(one)])).rows[0]
    made = replace(made, by_line=tuple(replace(each, label=each.label * (length // 20 + 1)) for each in made.by_line))
    drawn = timeline(made, TODAY)
    for each in drawn.lanes:
        for bar in each.bars:
            assert bar.x >= LEFT
            assert bar.x + bar.width <= WIDTH
            assert bool(bar.label) != bool(bar.title)
        spans = sorted(
            (mark.x - len(mark.label) * 5.5, mark.x) if mark.left else (mark.x, mark.x + len(mark.label) * 5.5)
            for mark in each.marks
            if mark.label
        )
        for (_, end), (start, _) in pairwise(spans):
            assert end <= start + 2 * SIGN


@settings(deadline=None)
@drawn_from(st.dates(dt.date(2000, 1, 1), dt.date(2040, 1, 1)), st.integers(0, 9000))
def test_an_axis_has_a_few_ticks_in_order(start, days):
    scale = Scale(start, start + dt.timedelta(days=days))
    places = [tick.x for tick in ticks(scale)]
    assert places == sorted(places)
    assert len(places) <= 10
    if days >= 14:
        assert places


def test_the_trend_is_stacked_to_what_is_carried(report):
    drawn = chart(report.trend)
    highest = min(float(point.split(",")[1]) for area in drawn.areas for point in area.points.split())
    top = max(point.carried for point in report.trend)
    (scale,) = {level.y for level in drawn.levels if level.label == "0"}
    ten = next(level.y for level in drawn.levels if level.label == "10")
    assert scale - highest == pytest.approx((scale - ten) / 10 * top, abs=0.5)
    assert drawn.words.startswith("From 2026-01-15 to 2026-03-31: carried 11, then 9; overdue 0, then 2.")
    assert chart(report.trend[:1]) is None


def test_a_matrix_leaves_out_releases_that_have_nothing(report):
    (matrix,) = report.matrices
    assert first_column(matrix) == 2
    weak = replace(matrix.rows[0], runs=(replace(matrix.rows[0].runs[0], confidence=Confidence.WEAK),))
    weak = replace(weak, runs=(*weak.runs, *matrix.rows[0].runs[1:]))
    assert first_column(replace(matrix, rows=(weak,))) == 0
    assert first_column(replace(matrix, rows=())) == 0


def test_a_ladder_has_a_rung_for_each_level(report):
    (ladder,) = ladders(row(report, "ready-overdue").checks[0])
    assert [(rung.label, rung.style) for rung in ladder.rungs] == [
        ("max_concurrency 1", "pass"),
        ("max_concurrency 8", "fail"),
        ("max_concurrency 64", "inconclusive"),
    ]
    one, eight, more = ladder.rungs
    assert eight.x < ladder.allowed < ladder.zero < more.x
    assert one.low < one.x < one.high
    assert more.low == more.high == more.x
    assert len(JUDGED[0].rows) == len(ladder.rungs)
