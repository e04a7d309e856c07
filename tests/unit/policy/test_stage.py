"""Where upstream stands: the whole table, and the dates that go with it."""

from __future__ import annotations

import itertools

import pytest
from fixtures.facts import STATES, day, facts, fix, pin

from syncbot.model.words import Cures, Needs, Stage
from syncbot.policy import conclude

IN_1_1 = {"v1.0.0": "absent", "v1.1.0": "contained", "v1.2.0": "contained"}
NOWHERE = dict.fromkeys(IN_1_1, "absent")


def stage(*args, **options) -> Stage:
    return conclude(facts(*args, **options)).stage


@pytest.mark.parametrize(
    ("fixes", "pins", "expected"),
    [
        ([], [pin("v1.2.0")], Stage.UNLINKED),
        ([fix(1, IN_1_1, cures=Cures.REFUTED)], [pin("v1.2.0")], Stage.UNLINKED),
        ([fix(1, IN_1_1, cures=Cures.ABANDONED)], [pin("v1.2.0")], Stage.UNLINKED),
        ([fix(1, NOWHERE, landed=False)], [pin("v1.2.0")], Stage.WAITING),
        ([fix(1, NOWHERE)], [pin("v1.2.0")], Stage.FIXED),
        ([fix(1, IN_1_1)], [pin("v1.0.0")], Stage.RELEASED),
        ([fix(1, IN_1_1)], [pin("v1.1.0")], Stage.READY),
        ([fix(1, IN_1_1)], [pin("v1.1.0", "v1.0.0")], Stage.REGRESSED),
        ([fix(1, IN_1_1)], [pin("v1.0.0", "v1.1.0", "v1.0.0", "v1.2.0")], Stage.READY),
        ([fix(1, IN_1_1 | {"v1.2.0": "reverted"})], [pin("v1.1.0", "v1.2.0")], Stage.REGRESSED),
        ([fix(1, IN_1_1 | {"v1.2.0": "reverted"})], [pin("v1.2.0")], Stage.RELEASED),
        ([fix(1, IN_1_1 | {"v1.2.0": "contained weak"})], [pin("v1.2.0")], Stage.UNSURE),
        ([fix(1, IN_1_1 | {"v1.2.0": "partial weak"})], [pin("v1.2.0")], Stage.UNSURE),
        ([fix(1, IN_1_1 | {"v1.2.0": "unknown weak"})], [pin("v1.2.0")], Stage.UNSURE),
        ([fix(1, IN_1_1 | {"v1.2.0": "absent weak"})], [pin("v1.2.0")], Stage.UNSURE),
        ([fix(1, None)], [pin("v1.2.0")], Stage.UNSURE),
        ([fix(1, IN_1_1)], [pin(None)], Stage.UNSURE),
        ([fix(1, IN_1_1)], [], Stage.UNSURE),
        ([fix(1, IN_1_1)], [pin("v1.0.0", gating=False)], Stage.UNSURE),
        ([fix(1, IN_1_1)], [pin("v1.1.0"), pin("v1.0.0", name="other")], Stage.RELEASED),
        ([fix(1, IN_1_1)], [pin("v1.1.0"), pin("v1.0.0", name="other", gating=False)], Stage.READY),
        ([fix(1, IN_1_1)], [pin("v1.1.0", "v1.0.0"), pin(None, name="other")], Stage.REGRESSED),
        ([fix(1, IN_1_1)], [pin("v1.0.0"), pin(None, name="other")], Stage.RELEASED),
    ],
)
def test_one_fix(fixes, pins, expected):
    assert stage(fixes, pins) is expected


@pytest.mark.parametrize(
    ("needs", "second", "at", "expected"),
    [
        (Needs.ALL, fix(2, {"v1.0.0": "absent", "v1.1.0": "absent", "v1.2.0": "contained"}), "v1.1.0", Stage.RELEASED),
        (Needs.ALL, fix(2, {"v1.0.0": "absent", "v1.1.0": "absent", "v1.2.0": "contained"}), "v1.2.0", Stage.READY),
        (Needs.ANY, fix(2, {"v1.0.0": "absent", "v1.1.0": "absent", "v1.2.0": "contained"}), "v1.1.0", Stage.READY),
        (Needs.ALL, fix(2, NOWHERE, landed=False), "v1.2.0", Stage.WAITING),
        (Needs.ANY, fix(2, NOWHERE, landed=False), "v1.2.0", Stage.READY),
        (Needs.ALL, fix(2, NOWHERE), "v1.2.0", Stage.FIXED),
        (Needs.ALL, fix(2, None), "v1.2.0", Stage.UNSURE),
        (Needs.ANY, fix(2, None), "v1.2.0", Stage.READY),
        (Needs.ALL, fix(2, NOWHERE, cures=Cures.REFUTED), "v1.2.0", Stage.READY),
        (Needs.ANY, fix(2, IN_1_1 | {"v1.0.0": "contained"}, cures=Cures.REFUTED), "v1.0.0", Stage.RELEASED),
    ],
)
def test_two_fixes(needs, second, at, expected):
    assert stage([fix(1, IN_1_1), second], [pin(at)], needs=needs) is expected


@pytest.mark.parametrize(
    ("floor", "expected"),
    [("1.0.0", Stage.RELEASED), ("v1.0.0", Stage.RELEASED), ("1.1.0", Stage.READY), ("0.9", Stage.UNSURE)],
)
def test_a_support_floor(floor, expected):
    assert stage([fix(1, IN_1_1)], [pin("v1.2.0")], floor=floor) is expected


def test_ready_needs_every_gating_pin_to_be_sure():
    """Over every pair of answers at two gating pins: ready only if both are surely there, never otherwise."""
    for one, two in itertools.product(STATES, repeat=2):
        states = {"v1.0.0": one, "v1.1.0": two, "v1.2.0": "contained"}
        told = stage([fix(1, states)], [pin("v1.0.0"), pin("v1.1.0", name="other")])
        sure_no = {"absent", "reverted"}
        if one == two == "contained":
            assert told is Stage.READY
        elif sure_no & {one, two}:
            assert told is Stage.RELEASED
        else:
            assert told is Stage.UNSURE


def test_every_stage_says_why():
    for fixes, pins in [
        ([], []),
        ([fix(1, None)], []),
        ([fix(1, NOWHERE)], [pin("v1.0.0")]),
        ([fix(1, IN_1_1)], [pin("v1.1.0", "v1.0.0")]),
    ]:
        standing = conclude(facts(fixes, pins))
        assert standing.stage_reasons
        assert all(decision.next for decision in standing.decisions)


def test_a_fix_that_was_reverted_upstream_before_any_release_is_waited_for():
    gone = fix(1, NOWHERE | {"v1.2.0": "reverted"}, reverted=True)
    assert stage([gone], [pin("v1.2.0")]) is Stage.WAITING
    assert stage([gone, fix(2, NOWHERE)], [pin("v1.2.0")]) is Stage.WAITING
    assert stage([gone, fix(2, NOWHERE)], [pin("v1.2.0")], needs=Needs.ANY) is Stage.FIXED
    shipped = fix(1, IN_1_1 | {"v1.2.0": "reverted"}, reverted=True)
    assert stage([shipped], [pin("v1.1.0")]) is Stage.READY, "the pinned release has it all the same"


# -- dates -------------------------------------------------------------------------------------------------------------

DATES = {"v1.0.0": 1, "v1.1.0": 30, "v1.2.0": 20}


def test_days_and_first_releases():
    standing = conclude(
        facts([fix(1, IN_1_1, merged=10, dates=DATES)], [pin("v1.0.0", "v1.1.0", "v1.2.0")], releases=DATES)
    )
    assert standing.first_release.by_date == "v1.2.0", "the tag of v1.2.0 is older"
    assert standing.first_release.by_line == (("1.1.0", "v1.1.0"), ("1.2.0", "v1.2.0"))
    assert standing.dates.merged == day(10).date()
    assert standing.dates.released == day(20).date()
    assert standing.dates.pinned == day(110).date(), "the day it came, not of the last move"


def test_the_last_of_all_fixes_and_the_first_of_any():
    fixes = [fix(1, IN_1_1, merged=10), fix(2, IN_1_1, merged=15)]
    assert conclude(facts(fixes, [pin("v1.1.0")])).dates.merged == day(15).date()
    assert conclude(facts(fixes, [pin("v1.1.0")], needs=Needs.ANY)).dates.merged == day(10).date()


def test_no_day_where_one_gating_pin_still_lacks_it():
    assert conclude(facts([fix(1, IN_1_1)], [pin("v1.1.0"), pin("v1.0.0", name="other")])).dates.pinned is None


def test_a_pre_release_is_first_only_where_nothing_else_has_it():
    states = {"v1.1.0rc1": "contained", "v1.1.0": "contained", "v1.2.0rc1": "contained"}
    dates = {"v1.1.0rc1": 1, "v1.1.0": 5, "v1.2.0rc1": 9}
    first = conclude(facts([fix(1, states, dates=dates)], [pin("v1.1.0")], releases=dates)).first_release
    assert first.by_date == "v1.1.0"
    assert dict(first.by_line) == {"1.1.0": "v1.1.0", "1.2.0": "v1.2.0rc1"}
