"""The tables of docs/deciding.md say what the tables in code do."""

import itertools
import re
from pathlib import Path

import pytest
from fixtures.facts import facts, fix, pin

from syncbot.model.project import Carrier
from syncbot.model.proposal import State
from syncbot.model.words import Action, CarriedAs, Choice, Cures, Fit, Stage
from syncbot.policy import conclude

PAGE = (Path(__file__).parents[3] / "docs" / "deciding.md").read_text(encoding="utf-8")
NEEDED = {"yes": ["absent"], "no": ["contained"], "not sure": ["unsure weak"]}
NEEDED["any"] = [state for states in NEEDED.values() for state in states]


def rows(heading):
    section = PAGE.split(f"\n## {heading}")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "`" in line[:60]
            and line.startswith("| ")]  # fmt: skip


def words(cell):
    return re.findall(r"`([a-z-]+)`", cell)


def choice(state, fit, *, action=Action.REMOVE, carried=CarriedAs.IN_TREE, restore=True, was_there=True):
    standing = conclude(
        facts(
            [fix(1, {"v1.0.0": state, "v1.1.0": "contained"})], [pin("v1.0.0")], fit=fit, action=action,
            carriers=[Carrier(carried=carried)], restore=restore, was_there=was_there,
        )
    )  # fmt: skip
    return standing.decisions[0].choice


def test_the_decisions():
    table = rows("3. What follows?")
    told = {(needed, fit) for needed, fits, _ in table for fit in words(fits)}
    for needed, fits, decision in table:
        for state, fit in itertools.product(NEEDED[needed], words(fits)):
            assert choice(state, Fit(fit)) is Choice(words(decision)[0]), (needed, fit)
    assert {fit for _, fit in told} == {fit.value for fit in Fit}
    assert len(told) == 3 * 4 + 1


def test_what_changes_a_cell():
    for carried, was_there in itertools.product(CarriedAs, (True, False)):
        there = {"carried": carried, "was_there": was_there}
        assert choice("contained", Fit.PRESENT, action=Action.REVIEW, **there) is Choice.REVIEW
        early = carried is CarriedAs.IN_TREE and not was_there
        assert choice("absent", Fit.ABSENT, **there) is (Choice.DONE if early else Choice.RESTORE)
        assert choice("absent", Fit.ABSENT, restore=False, **there) is (Choice.DONE if early else Choice.UNSURE)


# One case for each row, in its order.
STAGES = [
    facts([fix(1, {"v1.0.0": "contained"}, cures=Cures.REFUTED)], [pin("v1.0.0")]),
    facts([fix(1, {"v1.0.0": "absent", "v1.1.0": "contained"})], [pin("v1.1.0", "v1.0.0")]),
    facts([fix(1, None)], [pin("v1.0.0")]),
    facts([fix(1, {"v1.0.0": "absent"}, landed=False)], [pin("v1.0.0")]),
    facts([fix(1, {"v1.0.0": "absent"})], [pin("v1.0.0")]),
    facts([fix(1, {"v1.0.0": "absent", "v1.1.0": "contained"})], [pin("v1.0.0")]),
    facts([fix(1, {"v1.0.0": "partial weak", "v1.1.0": "contained"})], [pin("v1.0.0")]),
    facts([fix(1, {"v1.0.0": "contained"})], [pin("v1.0.0")]),
]


def test_there_is_a_case_for_each_stage():
    assert len(rows("2. Where")) == len(STAGES)
    assert {row[0].strip("`") for row in rows("2. Where")} == {stage.value for stage in Stage}


@pytest.mark.parametrize("place", range(len(STAGES)))
def test_the_stages(place):
    assert conclude(STAGES[place]).stage is Stage(rows("2. Where")[place][0].strip("`"))


def test_what_the_forge_may_hold():
    assert {row[0].strip("`") for row in rows("4. What is written?")} == {state.value for state in State}
