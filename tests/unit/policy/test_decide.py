"""What follows for each place where a workaround lives: the table of the design, cell by cell."""

from __future__ import annotations

import itertools

import pytest
from fixtures.facts import facts, fix, pin

from syncbot.model.project import Carrier
from syncbot.model.words import Action, CarriedAs, Choice, Cures, Fit
from syncbot.policy import conclude, foremost

STATES = {True: "absent", False: "contained", None: "unsure weak"}
THERE = {Fit.PRESENT, Fit.PARTIAL, Fit.CONFLICT}


def expected(needed, fit, action, carried, *, restore: bool, was_there: bool) -> Choice:
    if fit is Fit.UNKNOWN:
        return Choice.UNSURE
    if fit in THERE:
        return Choice.KEEP if needed is not False else Choice.REVIEW if action is Action.REVIEW else Choice.REMOVE
    if needed is None:
        return Choice.UNSURE
    if not needed:
        return Choice.DONE
    if carried is CarriedAs.IN_TREE and not was_there:
        return Choice.DONE
    return Choice.RESTORE if restore else Choice.UNSURE


@pytest.mark.parametrize("needed", STATES)
@pytest.mark.parametrize("fit", list(Fit))
def test_every_cell(needed, fit):
    states = {"v1.0.0": STATES[needed], "v1.1.0": "contained"}
    for action, carried, restore, was_there in itertools.product(Action, CarriedAs, (True, False), (True, False)):
        standing = conclude(
            facts(
                [fix(1, states)],
                [pin("v1.0.0")],
                fit=fit,
                action=action,
                carriers=[Carrier(carried=carried)],
                restore=restore,
                was_there=was_there,
            )
        )
        (decision,) = standing.decisions
        assert decision.choice is expected(needed, fit, action, carried, restore=restore, was_there=was_there)
        assert decision.next.endswith(".")
        assert decision.reasons


def test_what_is_awaited_is_what_is_missing():
    landed, missing = {"v1.0.0": "absent"}, fix(2, {"v1.0.0": "absent"}, landed=False)
    (decision,) = conclude(facts([fix(1, landed), missing], [pin("v1.0.0")])).decisions
    assert decision.next == "Wait for #2 to land upstream."


def test_a_pin_that_cannot_be_read_is_told_beside_one_that_lacks_the_fix():
    states = {"v1.0.0": "absent", "v1.1.0": "contained"}
    (decision,) = conclude(facts([fix(1, states)], [pin("v1.0.0"), pin(None, name="other")])).decisions
    assert decision.reasons[-1] == "pin other: unknown (pin 'other' is not found)"


def test_each_carrier_has_its_own_pins():
    states = {"v1.0.0": "absent", "v1.1.0": "contained"}
    carriers = [Carrier(pins=("image",)), Carrier(carried=CarriedAs.PATCH_FILE, pins=("release",))]
    standing = conclude(facts([fix(1, states)], [pin("v1.1.0"), pin("v1.0.0", name="release")], carriers=carriers))
    assert [decision.choice for decision in standing.decisions] == [Choice.REMOVE, Choice.KEEP]
    assert foremost(standing).choice is Choice.REMOVE
    assert "pin release" in standing.decisions[1].next


@pytest.mark.parametrize(("floor", "choice"), [("1.0.0", Choice.KEEP), ("1.1.0", Choice.REMOVE), ("0.9", Choice.KEEP)])
def test_a_floor_holds_for_a_carrier_with_its_own_pins_too(floor, choice):
    states = {"v1.0.0": "absent", "v1.1.0": "contained"}
    standing = conclude(facts([fix(1, states)], [pin("v1.1.0")], carriers=[Carrier(pins=("image",))], floor=floor))
    assert standing.decisions[0].choice is choice


def test_nothing_is_removed_on_a_weak_word():
    for state in ("contained weak", "partial weak", "unsure weak", "unknown weak"):
        standing = conclude(facts([fix(1, {"v1.0.0": state, "v1.1.0": "contained"})], [pin("v1.0.0")]))
        assert standing.decisions[0].choice is Choice.KEEP
        assert "#1" in standing.decisions[0].next


def test_an_unverified_cure_counts_and_is_said():
    standing = conclude(facts([fix(1, {"v1.0.0": "contained"}, cures=Cures.UNVERIFIED)], [pin("v1.0.0")]))
    assert standing.decisions[0].choice is Choice.REMOVE
    assert "that #1 cures it is unverified: only a test shows it" in standing.decisions[0].reasons


def test_without_a_fix_nothing_is_ever_taken_out():
    for fit in THERE:
        (decision,) = conclude(facts([], [pin("v1.0.0")], fit=fit)).decisions
        assert decision.choice is Choice.KEEP
        assert "[[fixes]]" in decision.next


def test_what_is_awaited_is_named():
    released = {"v1.0.0": "absent", "v1.1.0": "contained"}
    nowhere = {"v1.0.0": "absent", "v1.1.0": "absent"}

    def step(*args, **options) -> str:
        return conclude(facts(*args, **options)).decisions[0].next

    assert step([fix(1, nowhere, landed=False)], [pin("v1.0.0")]) == "Wait for #1 to land upstream."
    assert step([fix(1, nowhere)], [pin("v1.0.0")]) == "Wait for a release with #1."
    assert step([fix(1, released)], [pin("v1.0.0")]) == (
        "Wait for pin image to reach v1.1.0 or another release that has it."
    )
    assert step([fix(1, released)], [pin("v1.1.0", "v1.0.0")]) == "Keep it: a pin that had the fix has lost it."
    assert step([fix(1, released)], [pin("v1.1.0")], floor="1.0.0") == (
        "Wait for the support floor to reach v1.1.0 or another release that has it."
    )
