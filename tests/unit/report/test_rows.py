"""Rows agree with the status they are made from, and the past with what was known then."""

import datetime as dt
import json
from dataclasses import replace

import pytest
from report_world import FELL, MADE, PAST, TODAY, everywhere, facts, fix, given, hostile, project, reading

from syncbot.memory import Figure
from syncbot.model.landing import FixReport
from syncbot.model.project import Removed
from syncbot.model.report import TrendPoint
from syncbot.model.status import PinFacts
from syncbot.model.words import Choice, Fit, Stage
from syncbot.policy import conclude
from syncbot.render.status import status_json
from syncbot.report import past
from syncbot.report.figures import remembered, to_remember
from syncbot.report.past import facts_on, history
from syncbot.report.rows import build


@pytest.fixture(scope="module")
def report():
    return build(given())


def row(report, name):
    return next(each for each in report.rows if each.id == name)


def test_the_facts_are_those_of_status(report):
    asked = given()
    for said in status_json(asked.standings)["workarounds"]:
        shown = row(report, said["id"])
        assert (shown.stage, shown.fit, shown.decision, shown.next) == (
            said["stage"],
            said["fit"],
            said["decision"],
            said["next"],
        )
        assert list(shown.reasons) == said["reasons"]
        assert [(pin.name, pin.ref, pin.verdict, pin.confidence) for pin in shown.pins] == [
            (pin["name"], pin["ref"], pin["verdict"], pin["confidence"]) for pin in said["pins"]
        ]
        days = {"merged": shown.merged, "released": shown.released, "pinned": shown.pinned}
        assert {name: day.isoformat() if day else None for name, day in days.items()} == {
            name: said["dates"][name] for name in days
        }
        assert (shown.first_release, [each.label for each in shown.by_line]) == (
            said["first_release"]["by_date"],
            list(said["first_release"]["by_line"].values()),
        )
        if shown.removed is None:
            counted = {
                "merged": shown.days.past_fix,
                "released": shown.days.past_release,
                "pinned": shown.days.past_pin,
            }
            assert counted == {name: said["days"][name] for name in counted}


def test_overdue_comes_first_and_what_is_gone_last(report):
    assert [each.id for each in report.rows[:2]] == ["ready-overdue", "review"]
    assert [each.overdue for each in report.rows] == [True, True] + [False] * (len(report.rows) - 2)
    assert report.rows[2].decision is Choice.RESTORE
    assert report.rows[-1].decision is Choice.DONE


def test_overdue_begins_the_day_after_the_allowed_ones():
    late = conclude(facts("one", fix(11, "2026-02-10", "aaacccc")))
    pinned = late.dates.pinned
    for allowed, overdue in ((25, True), (26, False)):
        assert (TODAY - pinned).days == 26
        asked = project()
        asked = replace(asked, reports=replace(asked.reports, overdue_after_days=allowed))
        assert build(given(project=asked)).rows[0].overdue is overdue


def test_days_end_with_the_removal(report):
    assert row(report, "done").days.carried == 59
    assert row(report, "done").days.past_pin == 10
    assert row(report, "ready-overdue").days.carried == 75


def test_the_removal_of_something_gone_on_no_known_day_is_not_counted():
    gone = facts("gone", fix(11, "2026-02-10", "aaacccc"), fit=Fit.ABSENT)
    days = row(build(given(gone)), "gone").days
    assert (days.carried, days.past_pin) == (None, None)


def test_links_lead_to_the_forge(report):
    one = row(report, "ready-overdue")
    assert one.introduced.url == "https://github.com/acme/app/pull/7"
    assert one.fixes[0].url == "https://github.com/acme/lib/pull/11"
    assert one.by_line[0].url == "https://github.com/acme/lib/releases/tag/v1.1.post1"
    assert one.fixes[0].evidence == "https://github.com/acme/app/pull/9"


def test_only_addresses_of_the_web_become_links():
    bad = row(build(given(hostile())), "hostile")
    assert bad.issue is None
    assert bad.fixes[0].evidence is None


def test_a_refuted_claim_is_told_and_not_waited_for(report):
    one = row(report, "ready-overdue")
    told = [event.text for event in one.events if "#10" in event.text]
    assert told == ["#10 lands upstream (refuted: not waited for)"]
    assert report.figures.claims_refuted == 2


def test_figures_count_what_is_carried(report):
    counts = report.figures
    assert (counts.total, counts.carried, counts.overdue) == (11, 9, 2)
    assert sum(counts.stages.values()) == counts.carried
    assert counts.overdue_by_owner == {"@ann": 1, "@bob": 1}
    assert counts.pins_fell_back == 1


def test_the_order_of_the_manifests_changes_nothing(report):
    asked = given()
    assert build(replace(asked, standings=tuple(reversed(asked.standings)))) == report


def test_the_matrix_has_each_fix_once_with_every_release(report):
    (matrix,) = report.matrices
    assert [each.label for each in matrix.rows] == [f"#{number}" for number in range(10, 19)]
    assert matrix.rows[1].workarounds == ("done", "fell-back", "ready-overdue", "restore")
    assert [str(each) for each in matrix.rows[1].cures] == ["unverified", "verified"]
    for each in matrix.rows:
        assert [run.first for run in each.runs] == [
            sum(run.count for run in each.runs[:number]) for number in range(len(each.runs))
        ]
        assert sum(run.count for run in each.runs) == len(matrix.releases) == 6
    assert matrix.rows[3].words == "contained v1.1; reverted v1.1.post1 to v1.3; absent from the others"
    assert matrix.notes == ("two histories share no commit",)


# -- the past ----------------------------------------------------------------------------------------------------------


def told(facts):
    return [(f"{each.date:%m-%d}", each.stage.value, each.decision.value) for each in history(conclude(facts))]


def test_history_of_one_that_fell_back():
    assert told(facts("one", fix(11, "2026-02-10", "aaacccc"), past=FELL)) == [
        ("01-15", "waiting", "keep"),
        ("02-10", "fixed", "keep"),
        ("02-20", "released", "keep"),
        ("03-05", "ready", "remove"),
        ("03-25", "regressed", "keep"),
    ]


def test_history_ends_with_today():
    gone = facts("one", fix(11, "2026-02-10", "aaacccc"), fit=Fit.ABSENT)
    assert told(gone)[-1] == ("03-31", "ready", "done")


def test_history_of_a_removal():
    removed = Removed(pull=9, date=dt.date(2026, 3, 15))
    gone = facts("one", fix(11, "2026-02-10", "aaacccc"), fit=Fit.ABSENT, removed=removed)
    assert told(gone)[-2:] == [("03-05", "ready", "remove"), ("03-15", "ready", "done")]


def test_without_a_day_of_introduction_there_is_no_history():
    one = everywhere()[0]
    unknown = replace(one, workaround=replace(one.workaround, introduced=replace(one.workaround.introduced, date=None)))
    assert history(conclude(unknown)) == ()


def test_a_branch_says_nothing_of_the_past():
    branch = tuple(replace(seen, reading=reading("main")) for seen in PAST[:1])
    one = facts("one", fix(11, "2026-02-10", "aaacccc"), past=branch)
    assert told(one)[-2:] == [("02-20", "unsure", "keep"), ("03-31", "ready", "remove")]


def test_a_fix_that_cannot_be_looked_up_is_never_absent():
    unknown = replace(fix(11, "2026-02-10", "aaacccc"), report=None, problem="no such object")
    assert {stage for _, stage, _ in told(facts("one", unknown))} == {"unsure"}


def test_facts_of_a_day_know_nothing_of_later_ones():
    now = facts("one", fix(11, "2026-02-10", "aaacccc"), past=FELL)
    then = facts_on(now, dt.date(2026, 2, 1))
    assert then.fixes[0].report.commit is None
    assert [each.ref for each in then.releases] == ["v1.0", "v1.1rc1"]
    assert [seen.reading.text.text for seen in then.pins[0].past] == ["v1.0"]
    before = facts_on(now, dt.date(2026, 1, 8))
    assert before.pins[0].reading.problem == "it did not exist yet"
    assert before.sights[0].fit is Fit.ABSENT
    assert isinstance(then.fixes[0].report, FixReport)


# -- the trend ---------------------------------------------------------------------------------------------------------


def test_the_trend_ends_as_the_figures_say(report):
    last = report.trend[-1]
    assert last.date == report.as_of
    assert (last.carried, last.overdue, last.stages) == (
        report.figures.carried,
        report.figures.overdue,
        report.figures.stages,
    )


def test_the_trend_counts_a_removal(report):
    carried = {point.date: point.carried for point in report.trend}
    days = sorted(carried)
    before = max(day for day in days if day < dt.date(2026, 3, 15))
    assert carried[before] - carried[dt.date(2026, 3, 15)] == 2


def test_since_begins_the_trend(report):
    cut = build(given(since=dt.date(2026, 3, 1))).trend
    assert cut[0].date == dt.date(2026, 3, 1)
    assert cut[1:] == tuple(point for point in report.trend if point.date > dt.date(2026, 3, 1))


def test_a_long_trend_has_a_bounded_number_of_points(monkeypatch):
    monkeypatch.setattr(past, "MOST_POINTS", 20)
    many = [
        facts(f"one-{number}", fix(11, None, "aaaaaaa"), introduced=f"{TODAY - dt.timedelta(days=number)}")
        for number in range(1, 41)
    ]
    trend = build(given(*many)).trend
    assert 15 < len(trend) <= 21
    assert (trend[0].carried, trend[-1].carried) == (11, 9 + len(many))


def test_what_was_remembered_wins_over_what_is_told_from_history(report):
    kept = TrendPoint(date=dt.date(2026, 3, 10), carried=3, overdue=1, stages={"ready": 3}, remembered=True)
    trend = build(given(remembered=[kept])).trend
    assert [point for point in trend if point.date >= kept.date] == [kept, report.trend[-1]]
    assert [point for point in trend if point.date < kept.date] == [
        point for point in report.trend if point.date < kept.date
    ]


def test_figures_come_back_from_the_memory(report):
    lines = [Figure(at=MADE, name=name, value=value) for name, value in to_remember(report).items()]
    (point,) = remembered([*lines, Figure(at=MADE, name="something else", value=1.0)])
    assert (point.carried, point.overdue, point.stages) == (
        report.figures.carried,
        report.figures.overdue,
        report.figures.stages,
    )


def test_an_empty_project_has_a_report():
    empty = build(given(standings=[], moves={}, problems=()))
    assert (empty.figures.total, empty.rows, empty.trend[-1].carried) == (0, (), 0)


def test_rows_can_be_a_pins_whole_trouble():
    lost = facts("one", fix(11, "2026-02-10", "aaacccc"))
    broken = PinFacts(reading=replace(reading("v1.2"), text=None, target=None, problem="pin 'image' is not found"))
    shown = row(build(given(replace(lost, pins=(broken,)))), "one")
    assert shown.stage is Stage.UNSURE
    assert shown.pins[0].problem == "pin 'image' is not found"
    assert json.dumps(shown.next)
