"""Whether a target has what a workaround waits for: several fixes, all of them or any, and how sure that is."""

from __future__ import annotations

import itertools

import pytest
from fixtures.facts import STATES, answer, fix, release

from syncbot.model.words import Cures, Needs, Verdict
from syncbot.policy import has

TARGET = release("v1.0.0")
SURE_YES, SURE_NO = "contained", {"absent", "reverted"}


def ask(states, needs):
    fixes = [fix(number, {"v1.0.0": state}) for number, state in enumerate(states, 1)]
    return has(fixes, needs, TARGET)


@pytest.mark.parametrize("needs", list(Needs))
@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_mixture_of_answers(needs, count):
    """Surely there if all (any) are surely there, surely not if any (all) are surely not, else not sure."""
    decide = {Needs.ALL: (all, any), Needs.ANY: (any, all)}[needs]
    for states in itertools.product(STATES, repeat=count):
        found = ask(states, needs)
        assert found.surely == decide[0](state == SURE_YES for state in states), states
        assert found.surely_not == decide[1](state in SURE_NO for state in states), states


def test_the_deciding_fix_is_named():
    assert str(ask(["contained", "absent"], Needs.ALL).why).startswith("#2")
    assert str(ask(["contained", "absent"], Needs.ANY).why).startswith("#1")
    assert str(ask(["contained", "unsure weak"], Needs.ALL).why).startswith("#2")


@pytest.mark.parametrize("cures", [Cures.REFUTED, Cures.ABANDONED])
def test_a_fix_that_is_given_up_does_not_count(cures):
    fixes = [fix(1, {"v1.0.0": "contained"}, cures=cures), fix(2, {"v1.0.0": "absent"})]
    for needs in Needs:
        assert has(fixes, needs, TARGET).surely_not
    assert has(fixes[:1], Needs.ALL, TARGET).verdict is Verdict.UNKNOWN


def test_what_could_not_be_looked_up_is_unknown():
    for broken in (fix(1, None), fix(1, {})):
        found = has([broken], Needs.ALL, TARGET)
        assert (found.verdict, found.surely, found.surely_not) == (Verdict.UNKNOWN, False, False)
    assert has([fix(1, {"v1.0.0": "contained"})], Needs.ALL, None).verdict is Verdict.UNKNOWN
    assert answer(TARGET, "contained").target is TARGET
