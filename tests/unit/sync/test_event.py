"""Which events are worth a run: pure, from payloads as GitHub sends them."""

from __future__ import annotations

import pytest

from syncbot.model.proposal import Record
from syncbot.proposals.event import hear
from syncbot.render.regions import record_line

KNOWN = ["guard", "other"]
BOARD = record_line(Record(topic="dashboard:octo/down"))


def comment(body, *, on="", user=None):
    return {
        "repository": {"full_name": "octo/bot"},
        "issue": {"number": 1, "body": on},
        "comment": {"id": 5, "body": body, "user": user or {"login": "ann", "type": "User"}},
    }


def edit(before, after, *, record=BOARD, sender=None):
    return {
        "repository": {"full_name": "octo/bot"},
        "issue": {"number": 1, "body": f"{after}\n{record}\n"},
        "changes": {"body": {"from": f"{before}\r\n{record}\r\n"}},
        "sender": sender or {"login": "ann", "type": "User"},
    }


def box(tick=" ", verb="hold", topic="removal/guard"):
    return f"  - [{tick}] leave it alone <!-- syncbot:box {verb} {topic} -->"


@pytest.mark.parametrize(
    ("body", "on", "ids"),
    [
        ("/syncbot rebase guard", "", ("guard",)),
        ("/syncbot recheck", record_line(Record(topic="removal/guard")), ("guard",)),
        ("/syncbot hold 2026-10-01", record_line(Record(topic="hand-off:removal/guard/main")), ("guard",)),
        ("/syncbot recheck", BOARD, ()),
        ("/syncbot hold guard\n/syncbot resume other", BOARD, ("guard", "other")),
    ],
)
def test_a_command_asks_about_a_workaround_or_all(body, on, ids):
    heard = hear(comment(body, on=on), KNOWN)
    assert heard is not None
    assert (heard.repo, heard.by, heard.workarounds) == ("octo/bot", "ann", ids)


@pytest.mark.parametrize(
    "payload",
    [
        comment("what does /syncbot hold do?"),
        comment("/syncbot merge"),
        comment("/syncbot hold nobody-knows-it"),
        comment("/syncbot hold guard;touch x"),
        comment("/syncbot recheck", user={"login": "dependabot[bot]", "type": "Bot"}),
        comment("/syncbot recheck", user={"login": None, "type": "User"}),
        edit(box(), box()),
        edit(box(), box("x"), record=""),
        edit(box(), box("x"), record=record_line(Record(topic="removal/guard"))),
        edit(box(), box("x"), sender={"login": "syncbot[bot]", "type": "Bot"}),
        edit(box(), box("x", topic="removal/nobody-knows-it")),
    ],
)
def test_anything_else_asks_for_nothing(payload):
    assert hear(payload, KNOWN) is None


def test_a_box_of_the_dashboard_asks_about_its_workaround():
    heard = hear(edit(f"{box()}\n{box(topic='removal/other')}", f"{box('x')}\n{box(topic='removal/other')}"), KNOWN)
    assert heard is not None
    assert (heard.by, heard.workarounds) == ("ann", ("guard",))
    assert hear(edit(box("x"), box()), KNOWN) is not None, "a box that was cleared asks as well"


@pytest.mark.parametrize("payload", [[], {}, {"repository": 1}, {"repository": {"full_name": "a/b"}, "issue": None}])
def test_another_shape_is_an_error(payload):
    with pytest.raises((KeyError, TypeError, AttributeError)):
        hear(payload, KNOWN)
