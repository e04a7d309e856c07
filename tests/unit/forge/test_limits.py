"""When a write must wait, decided from values; and the writer that obeys."""

from __future__ import annotations

import datetime

import pytest

from syncbot.forge.errors import HeldBackError, UnclearWriteError
from syncbot.forge.limits import LimitedWriter, Limits, QuietHours, Situation, refusal
from syncbot.model.errors import UsageError
from syncbot.model.forge import Account, NewPull, PullRequest, PullState, Write, Written

NOON = datetime.datetime(2026, 8, 18, 12, tzinfo=datetime.UTC)


def minutes(count: int) -> datetime.timedelta:
    return datetime.timedelta(minutes=count)


def wrote(*times: datetime.datetime) -> list[Written]:
    return [Written(kind=Write.ADD_COMMENT, repo="o/r", number=1, url=None, at=time) for time in times]


@pytest.mark.parametrize(
    ("text", "hour", "covered"),
    [
        ("22:00-06:00", 23, True),
        ("22:00-06:00", 5, True),
        ("22:00-06:00", 6, False),
        ("22:00-06:00", 22, True),
        ("22:00-06:00", 12, False),
        ("09:00-17:00", 12, True),
        ("09:00-17:00", 17, False),
        ("09:00-09:00", 9, False),
        ("22:00-06:00 Asia/Tokyo", 14, True),
        ("22:00-06:00 Asia/Tokyo", 22, False),
        (" 22:00-06:00  Europe/Berlin ", 3, True),
        ("22:00-06:00 Europe/Berlin", 4, False),
    ],
)
def test_quiet_hours(text, hour, covered):
    assert QuietHours.parse(text).covers(NOON.replace(hour=hour)) is covered


@pytest.mark.parametrize(
    "text", ["", "22-06", "22:00", "25:00-06:00", "22:00-06:00 Mars/Base", "22:00-06:00 ../etc", "x"]
)
def test_quiet_hours_that_are_none(text):
    with pytest.raises(UsageError, match="expected HH:MM-HH:MM"):
        QuietHours.parse(text)


def test_nothing_in_the_way():
    assert refusal(Limits(per_run=2, per_hour=2), Situation(now=NOON), wrote(NOON)) is None
    assert refusal(Limits(per_run=None), Situation(now=NOON), wrote(*[NOON] * 500)) is None


def test_each_limit_gives_its_reason():
    quiet = QuietHours.parse("11:00-13:00")
    assert refusal(Limits(), Situation(now=NOON, stopped="the stop file /x is there")) == "the stop file /x is there"
    assert refusal(Limits(quiet=quiet), Situation(now=NOON)) == "these are quiet hours (11:00 to 13:00 UTC)"
    assert refusal(Limits(per_run=1), Situation(now=NOON), wrote(NOON)) == "this run has made its 1 writes"


def test_an_hour_slides():
    limits = Limits(per_hour=2)
    earlier = (NOON - minutes(59), NOON - minutes(61))
    assert refusal(limits, Situation(now=NOON, earlier=earlier)) is None
    assert refusal(limits, Situation(now=NOON, earlier=earlier), wrote(NOON)) == "2 writes were made within an hour"
    assert refusal(limits, Situation(now=NOON + minutes(2), earlier=earlier), wrote(NOON)) is None


class Recorder:
    """A writer that only notes its calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __getattr__(self, name: str):
        def call(*args, **kwargs):
            self.calls.append(name)
            if name == "open_pull":
                return PullRequest(
                    repo="o/r", number=7, url="https://x/7", title="", body="", state=PullState.OPEN, draft=True,
                    author=Account(login="b"), base="main", head="h", head_oid="0" * 40, head_repo="o/r",
                )  # fmt: skip
            if name == "edit_comment":
                raise UnclearWriteError("lost")
            return False if name == "set_draft" else None

        return call


CALLS = [
    ("open_pull", (NewPull(repo="o/r", base="main", head="h", title="t", body="b"),), {}),
    ("edit_pull", ("o/r", 1), {"body": "x"}),
    ("set_draft", ("o/r", 1), {"draft": True}),
    ("add_labels", ("o/r", 1, ["x"]), {}),
    ("remove_label", ("o/r", 1, "x"), {}),
    ("request_review", ("o/r", 1), {"people": ["x"]}),
    ("open_issue", ("o/r",), {"title": "t", "body": "b"}),
    ("edit_issue", ("o/r", 1), {"body": "x"}),
    ("add_comment", ("o/r", 1, "x"), {}),
    ("edit_comment", ("o/r", 1, "9", "x"), {}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS, ids=[call[0] for call in CALLS])
def test_no_write_gets_past_a_stop(name, args, kwargs):
    inner = Recorder()
    writer = LimitedWriter(inner, Limits(), lambda: Situation(now=NOON, stopped="the label syncbot-stop is set"))
    with pytest.raises(HeldBackError, match="not now, the label syncbot-stop is set") as caught:
        getattr(writer, name)(*args, **kwargs)
    assert inner.calls == []
    assert writer.written == ()
    assert caught.value.exit_code == 0


def test_every_writing_method_is_tested_above():
    told = {name for name in dir(LimitedWriter) if not name.startswith("_")}
    assert told - {"written", "check", "note", "after_push"} == {call[0] for call in CALLS}


def test_what_was_written_is_counted_and_told():
    inner = Recorder()
    writer = LimitedWriter(inner, Limits(per_run=3), lambda: Situation(now=NOON))
    writer.open_pull(CALLS[0][1][0])
    writer.set_draft("o/r", 7, draft=True)  # changes nothing, so it is no write
    with pytest.raises(UnclearWriteError):
        writer.edit_comment("o/r", 7, "9", "x")
    writer.note(Write.PUSH, "o/r", None)
    with pytest.raises(HeldBackError, match="add-comment in o/r#7: not now, this run has made its 3 writes"):
        writer.add_comment("o/r", 7, "hello")
    with pytest.raises(HeldBackError):
        writer.check("push")
    assert [(one.kind, one.number, one.url, one.answered) for one in writer.written] == [
        (Write.OPEN_PULL, 7, "https://x/7", True),
        (Write.EDIT_COMMENT, 7, None, False),
        (Write.PUSH, None, None, True),
    ]
    writer.after_push("o/r", "h")
    assert inner.calls == ["open_pull", "set_draft", "edit_comment", "after_push"]


def test_a_stop_in_the_middle_of_a_run_is_obeyed():
    situations = iter([Situation(now=NOON), Situation(now=NOON), Situation(now=NOON, stopped="stop file")])
    inner = Recorder()
    writer = LimitedWriter(inner, Limits(), lambda: next(situations))
    writer.add_labels("o/r", 1, ["x"])
    with pytest.raises(HeldBackError):
        writer.add_labels("o/r", 1, ["x"])
    assert inner.calls == ["add_labels"]
