"""Messages as claims: pure text in, references out, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from syncbot.git.history import Commit, History
from syncbot.landing.candidates import Index
from syncbot.landing.claims import landed_number, numbers_in, peel, read_claims, undos_of

NAMES = frozenset({"own/project"})


def commit(message: str, oid: str = "a" * 40, parents: tuple[str, ...] = (), place: int = 0) -> Commit:
    subject, _, body = message.partition("\n")
    return Commit(oid, parents, 1, 1, "Ada <ada@example.org>", subject, body.lstrip("\n"), place)


@pytest.mark.parametrize(
    ("subject", "number"),
    [
        ("Fix (#5)", 5),
        ("Fix (#5) ", 5),
        ("Fix (#4) (#5)", 5),
        ('Revert "Fix (#5)"', None),
        ('Revert "Fix (#5)" (#6)', 6),
        ("Fix #5", None),
        ("Fix (#5) for real", None),
        ("Merge pull request #5 from ada/topic", 5),
        ("Fix (own/project#5)", None),
        ("Fix (#٥)", None),
        ("Fix (#99999999999999)", None),
    ],
)
def test_the_number_a_commit_landed_under(subject, number):
    assert landed_number(commit(subject)) == number


def test_a_merge_request_names_its_number_at_the_end():
    text = "Merge branch 'topic' into 'main'\n\nFix\n\nSee merge request group/project!5"
    assert landed_number(commit(text, parents=("b" * 40, "c" * 40))) == 5
    assert landed_number(commit(text)) is None, "an ordinary commit may quote that line"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("#1, #2 and (#3)", [1, 2, 3]),
        ("own/project#1 OWN/Project#2 other/project#3", [1, 2]),
        ("https://host/own/project/pull/1 https://host/other/project/pull/2", [1]),
        ("a#1 &#39; /#2 x/y/z#3", []),
        ("#12abc #1.5", [1]),
        ("#0012", [12]),
    ],
)
def test_numbers(text, numbers):
    assert numbers_in(text, NAMES) == numbers


@pytest.mark.parametrize(
    ("subject", "peeled"),
    [
        ('Revert "x"', ("x", -1)),
        ('Revert "Revert "x""', ("x", 1)),
        ('Reapply "x"', ("x", 1)),
        ('Revert "Reapply "x""', ("x", -1)),
        ('revert "x" (#5)', ("x", -1)),
        ('* Revert "x"', ("x", -1)),
        ('[CI] [ROCm] Revert "x"', ("x", -1)),
        ('Reland "x"', ("x", 1)),
        ("Revert x", ("Revert x", 0)),
        ('Do not Revert "x"', ('Do not Revert "x"', 0)),
    ],
)
def test_peel(subject, peeled):
    assert peel(subject) == peeled


def told(message: str) -> set[tuple[object, int, bool]]:
    return {
        (undo.reference.oid[:7] or undo.reference.number or undo.reference.subject, undo.sign, undo.direct)
        for undo in undos_of(commit(message), NAMES)
    }


A, B = "1234567" + "a" * 33, "89abcde" + "b" * 33


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (f'Revert "x"\n\nThis reverts commit {A}.', {("x", -1, True), ("1234567", -1, True)}),
        (f"Out\n\nThis reverts commit {A}, reversing\nchanges made to {B}.", {("1234567", -1, False)}),
        (f"Out\n\nThis reverts commit {A}, reversing changes made to {B}.", {("1234567", -1, False)}),
        (f"Out\n\nThis reverts commits {A} and {B}.", {("1234567", -1, False), ("89abcde", -1, False)}),
        (f"In\n\nThis reapplies commit {A}.", {("1234567", 1, False)}),
        ("Out\n\nReverts own/project#5", {(5, -1, False)}),
        ("Out\n\nReverts other/project#5", set()),
        ("Revert #5 (#6)", {(5, -1, False)}),
        ("[fix] Re-land #5 (#6)", {(5, 1, False)}),
        ("[CI] Revert PRs 34818, 33600 and v1.20 (#34979)", {(34818, -1, False), (33600, -1, False)}),
        ('Pick\n\n* Revert "x"\n* Reapply "x"', set()),
        (f'Pick\n\n* Revert "x"\nThis reverts commit {A}.\n* y', {("x", -1, False), ("1234567", -1, False)}),
        ("Reverse the order", set()),
        ("This reverts nothing", set()),
    ],
)
def test_what_a_commit_undoes(message, says):
    assert told(message) == says


WORDS = st.sampled_from(
    ['Revert "', '"', "This reverts commit ", "#5", "(#5)", "(#", "own/project#", "* ", "- ", "\n", "\n\n", "…", "...",
     "Reverts ", "Reland ", "a" * 40, "1234567", "(cherry picked from commit ", ")", "[x] ", "/", "9" * 30, "\0"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=30).map("".join))


@given(st.lists(TEXTS, min_size=1, max_size=5), st.lists(st.booleans(), min_size=5, max_size=5))
@example(['Revert "..."'], [True] * 5)
@example(["(#" + "9" * 5000 + ")"], [True] * 5)
def test_no_text_is_too_odd_to_read(messages, on_branch):
    oids = [f"{place:040x}" for place in range(len(messages) + 2)]
    commits = {oids[0]: commit("Fix the kernel (#5)", oids[0], (), 0), oids[1]: commit("Off", oids[1], (), 1)}
    for place, message in enumerate(messages, 2):
        parents = (oids[0],) if on_branch[place - 2] else ()
        commits[oids[place]] = commit(message, oids[place], parents, place)
    # Children first, as in a real history: the base last.
    history = History(dict(reversed(commits.items())), [oids[-1]])
    index = Index(history, read_claims(history, 0, NAMES), 0)
    for each in commits.values():
        for undo in index.undos_of(each):
            assert undo.commit != each.oid
            assert undo.sign in (-1, 1)


@given(TEXTS)
def test_numbers_are_small_and_their_repository_is_never_another(text):
    for number in numbers_in(text, NAMES):
        assert 0 <= number < 10**10
