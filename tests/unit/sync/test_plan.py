"""The plan's table over the whole product: what each combination may, must and must never write."""

import datetime as dt
import itertools

import pytest

from syncbot.model.edit import Outcome
from syncbot.model.forge import Account, Issue, IssueState, PullRequest, PullState
from syncbot.model.plan import ActionKind
from syncbot.model.project import Carrier, Proposals
from syncbot.model.proposal import (
    KIND_OF,
    Key,
    Note,
    Prepared,
    ProposalKind,
    Record,
    Seen,
    State,
    Stuck,
    Texts,
    Wish,
)
from syncbot.model.status import Decision, Sight
from syncbot.model.words import CarriedAs, Choice, Fit, Mode, Stage
from syncbot.plan import NOT_NOW, Item, plan_key
from syncbot.proposals.plan_notes import NoteItem, plan_note

TODAY = dt.date(2026, 9, 1)
BASE, HEAD, OLD = "a" * 40, "b" * 40, "c" * 40
PUSH, OPEN = ActionKind.PUSH_BRANCH, ActionKind.OPEN_PROPOSAL
ON_THE_BRANCH = {PUSH, OPEN}


def key(kind=ProposalKind.REMOVAL):
    return Key(kind=kind, workaround="guard")


def prepared(**changes):
    given = {
        "key": key(), "repo": "o/d", "branch": "syncbot/removal/guard", "base": "main", "base_oid": BASE, "head": HEAD,
        "edit": "e1", "outcome": Outcome.CLEAN, "message": "m",
    }  # fmt: skip
    return Prepared(**{**given, **changes})


def record(**changes):
    given = {"topic": "removal/guard", "edit": "e1", "base": BASE, "head": HEAD, "evidence": "ev", "title": "Remove"}
    return Record(**{**given, **changes})


def pull(**changes):
    given = {
        "repo": "o/d", "number": 5, "url": "u", "title": "Remove", "body": "text", "state": PullState.OPEN,
        "draft": True, "author": Account(login="bot"), "base": "main", "head": "syncbot/removal/guard",
        "head_oid": HEAD, "head_repo": "o/d",
    }  # fmt: skip
    return PullRequest(**{**given, **changes})


def issue(**changes):
    given = {
        "repo": "o/b", "number": 9, "url": "u", "title": "Remove", "body": "text", "state": IssueState.OPEN,
        "author": Account(login="bot"),
    }  # fmt: skip
    return Issue(**{**given, **changes})


def seen(state=State.OPEN, *, issues=False, **changes):
    there = state not in (State.NONE, State.UNKNOWN)
    given = {
        "state": state, "pull": pull() if there and not issues else None,
        "issue": issue() if there and issues else None,
        "record": record() if there else None, "tip": HEAD if there else None, "merges": True, "distance": 0,
        "problem": "no answer" if state is State.UNKNOWN else None,
    }  # fmt: skip
    return Seen(**{**given, **changes})


def item(held, **changes):
    decision = Decision(
        carrier=Carrier(), sight=Sight(fit=Fit.PRESENT), choice=changes.pop("choice", Choice.REMOVE), reasons=(),
        next="Take it out.",
    )  # fmt: skip
    given = {
        "key": key(), "decision": decision, "stage": Stage.READY, "wanted": True, "prepared": prepared(), "seen": held,
        "texts": Texts(title="Remove", opening="text", current="text", rebuilt="new text"), "evidence": "ev",
        "mode": Mode.PULL_REQUEST, "repo": "o/d", "push_repo": "o/d", "home": "o/b", "proposals": Proposals(),
    }  # fmt: skip
    return Item(**{**given, **changes})


def kinds(answer):
    return [action.kind for action in answer.actions]


def plan(held, room=3, **changes):
    return plan_key(item(held, **changes), today=TODAY, room=room)


# -- the whole product -------------------------------------------------------------------------------------------------

PREPARED = {
    "same": prepared(), "other": prepared(edit="e2", head=OLD), "stuck": Stuck(key=key(), reason="no way"),
}  # fmt: skip


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("state", State)
def test_every_combination_has_an_answer_and_a_reason(mode, state):
    turns = itertools.cycle(itertools.product(PREPARED, (True, False), (0, 3)))
    for stage, fit, choice, carried in itertools.product(Stage, Fit, Choice, CarriedAs):
        made, ready, room = next(turns)
        issues = mode is Mode.HAND_OFF
        wanted = KIND_OF.get(choice) is ProposalKind.REMOVAL
        decision = Decision(
            carrier=Carrier(carried=carried), sight=Sight(fit=fit), choice=choice, reasons=(), next="Wait."
        )
        one = item(
            seen(state, issues=issues), decision=decision, stage=stage, wanted=wanted, prepared=PREPARED[made],
            mode=mode, ready=ready, issues=issues,
        )  # fmt: skip
        answer = plan_key(one, today=TODAY, room=room)
        done = set(kinds(answer))
        assert answer.why.endswith((".", "!", ":")), answer
        if state is State.UNKNOWN:
            assert not done
        if state in (State.PUSHED, State.SUBMITTED, State.OTHERS):
            assert not done & ON_THE_BRANCH
        if not wanted or made == "stuck":
            assert not done & {*ON_THE_BRANCH, ActionKind.OPEN_ISSUE, ActionKind.MAKE_READY}
        if state in (State.DECLINED, State.MERGED):
            assert not done & {*ON_THE_BRANCH, ActionKind.OPEN_ISSUE}
        if state is State.NONE and room == 0:
            assert not done
        if issues:
            assert OPEN not in done
        assert answer.opens == bool(done & {OPEN, ActionKind.OPEN_ISSUE})


def test_nothing_there_opens_one():
    answer = plan(seen(State.NONE))
    assert kinds(answer) == [PUSH, OPEN]
    assert answer.actions[0].expects == {"tip": None}
    assert answer.actions[1].data["draft"] is True


def test_a_branch_that_is_there_already_is_not_pushed_again():
    assert kinds(plan(seen(State.NONE, tip=HEAD))) == [OPEN]


def test_open_and_right_is_nothing_to_do():
    assert kinds(plan(seen())) == []
    assert kinds(plan(seen(record=record(base=OLD), distance=499))) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"record": record(edit="e0"), "tip": OLD},
        {"record": record(base=OLD), "merges": False, "tip": OLD},
        {"record": record(base=OLD, head=OLD), "distance": 501, "tip": OLD},
        {"record": record(base=OLD, head=OLD), "tip": OLD, "wish": Wish(rebase=True)},
    ],
)
def test_rebuilt_when_it_must_be(changes):
    answer = plan(seen(**changes))
    assert kinds(answer) == [PUSH, ActionKind.EDIT_PROPOSAL]
    assert answer.actions[0].expects == {"tip": OLD}
    assert answer.actions[1].data == {"body": "new text"}


def test_a_push_that_was_not_written_down_is_only_written_down():
    assert kinds(plan(seen(record=record(head=OLD, edit="e0"), tip=HEAD))) == [ActionKind.EDIT_PROPOSAL]


def test_a_title_that_a_person_changed_stays():
    texts = Texts(title="Another", opening="text", current="text", rebuilt="text")
    (edit,) = plan(seen(), texts=texts).actions
    assert edit.data == {"title": "Another"}
    assert kinds(plan(seen(pull=pull(title="Mine")), texts=texts)) == []


def test_declined_until_the_evidence_changes_or_a_person_asks():
    assert kinds(plan(seen(State.DECLINED))) == []
    assert kinds(plan(seen(State.DECLINED), evidence="other")) == [OPEN]
    assert kinds(plan(seen(State.DECLINED, wish=Wish(reopen=True)))) == [OPEN]
    assert kinds(plan(seen(State.DECLINED, record=None), evidence="other")) == []


def test_held_until_the_day_is_over():
    held = seen(State.NONE, wish=Wish(held=True, until=TODAY, by="ann"))
    assert kinds(plan(held)) == []
    assert kinds(plan(seen(State.NONE, wish=Wish(held=True, until=TODAY - dt.timedelta(days=1))))) == [PUSH, OPEN]


def test_ready_once_for_each_edit():
    assert kinds(plan(seen(), ready=True)) == [ActionKind.MAKE_READY]
    assert kinds(plan(seen(record=record(readied="e1")), ready=True)) == []
    assert kinds(plan(seen(pull=pull(draft=False)), ready=False)) == []


def test_not_right_any_more_is_a_draft_a_label_and_one_comment():
    held = seen(pull=pull(draft=False))
    answer = plan(held, wanted=False, choice=Choice.KEEP, stage=Stage.REGRESSED)
    assert kinds(answer) == [ActionKind.ADD_LABELS, ActionKind.MAKE_DRAFT, ActionKind.COMMENT]
    said = seen(pull=pull(labels=(NOT_NOW,)), said=frozenset({"not-now-ev"}))
    assert kinds(plan(said, wanted=False, choice=Choice.KEEP, stage=Stage.REGRESSED)) == []


@pytest.mark.parametrize("stage", [Stage.UNSURE, Stage.UNLINKED])
def test_what_cannot_be_told_withdraws_nothing(stage):
    assert kinds(plan(seen(), wanted=False, choice=Choice.KEEP, stage=stage)) == []


def test_a_person_pushed_one_comment_and_no_more():
    assert kinds(plan(seen(State.PUSHED, tip=OLD))) == [ActionKind.COMMENT]
    assert kinds(plan(seen(State.PUSHED, tip=OLD, said=frozenset({"pushed"})))) == []


def test_labels_and_reviewers_that_a_killed_run_left_due():
    due = seen(record=record(todo=("labels", "reviewers")))
    texts = Texts(title="Remove", opening="text", current="text without", rebuilt="text")
    answer = plan(due, labels=("a",), proposals=Proposals(reviewers=("ann",)), texts=texts)
    assert kinds(answer) == [ActionKind.ADD_LABELS, ActionKind.REQUEST_REVIEW, ActionKind.EDIT_PROPOSAL]


def test_the_same_plan_twice_has_the_same_digests():
    one, two = plan(seen(State.NONE)), plan(seen(State.NONE))
    assert [each.digest for each in one.actions] == [each.digest for each in two.actions]


NOTE = Note(topic="review:guard", title="Look", body="text", evidence="ev")


@pytest.mark.parametrize(
    ("held", "mark", "note", "wanted"),
    [
        (None, None, NOTE, [ActionKind.OPEN_ISSUE]),
        (issue(), record(), NOTE, []),
        (issue(body="old"), record(), NOTE, [ActionKind.EDIT_ISSUE]),
        (issue(state=IssueState.CLOSED), record(), NOTE, []),
        (issue(state=IssueState.CLOSED), record(evidence="other"), NOTE, [ActionKind.EDIT_ISSUE]),
        (issue(), record(), None, [ActionKind.EDIT_ISSUE]),
        (None, None, None, []),
        (issue(state=IssueState.CLOSED), record(), None, []),
    ],
)
def test_an_issue_of_the_bots_own(held, mark, note, wanted):
    answer = plan_note(NoteItem(topic="review:guard", home="o/b", note=note, issue=held, record=mark))
    assert kinds(answer) == wanted


def test_no_home_no_issue_but_a_word():
    answer = plan_note(NoteItem(topic="t", home=None, note=NOTE, issue=None, record=None))
    assert kinds(answer) == []
    assert "home" in answer.why
