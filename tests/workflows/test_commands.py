"""``commands.yml``: words of people who may are done, words of others reach no shell and no write."""

from __future__ import annotations

import pytest
from fake_forge.state import Comment
from standin import DOWN, HOME

from tests.workflows.conftest import BOT, TOKEN

SECRETS = {"GITHUB_TOKEN": TOKEN}
HOSTILE = """/syncbot rebase guard
/syncbot rebase $(touch x)
/syncbot rebase `touch x`
/syncbot hold guard"; touch x; "
::set-output name=asked::true
::add-mask::x
::add-path::/tmp
##[add-mask]x
${{ github.token }} ${{ secrets.GITHUB_TOKEN }}
asked=true
"""


@pytest.fixture
def board(bot):
    """A proposal is open, and a dashboard tells of it."""
    bot.pin("v0.1.20")
    ran = bot.machine.run("sync.yml", "schedule", secrets=SECRETS)
    assert ran.code == 0, str(ran)
    (issue,) = bot.issues
    return issue


def payload(issue, **more):
    return {
        "repository": {"full_name": HOME, "default_branch": "main", "private": False},
        "issue": {"number": issue.number, "title": "$(touch x)", "body": issue.body, "user": {"login": BOT}},
        **more,
    }


def comment(bot, issue, body, login):
    """Somebody comments, on the forge and as the event of it."""
    world = bot.forge.world
    now = world.tick()
    user = world.users[login]
    issue.comments.append(Comment(next(world.ids), user, body, now, now))
    issue.updated_at = now
    said = {"id": issue.comments[-1].id, "body": body, "user": {"login": login, "type": "User"}}
    return bot.machine.run(
        "commands.yml", "issue_comment", payload(issue, action="created", comment=said), secrets=SECRETS
    )


def test_a_command_and_a_box_of_those_who_may(bot, board):
    ran = comment(bot, board, "/syncbot hold guard 2099-01-01", "ann")
    assert ran.code == 0, str(ran)
    assert ran.jobs == {"hear": "success", "do": "success"}
    assert "ann asks about guard" in ran.log("hear")
    assert "2099-01-01" in ran.log("do"), str(ran)
    assert {each.rsplit(" ", 1)[1] for each in bot.machine.checkouts} == {"main"}

    before = board.body
    board.body = before.replace("- [ ] rebuild it", "- [x] rebuild it", 1)
    assert board.body != before
    event = payload(board, action="edited", changes={"body": {"from": before}}, sender={"login": "ann", "type": "User"})
    ran = bot.machine.run("commands.yml", "issues", event, secrets=SECRETS)
    assert ran.jobs == {"hear": "success", "do": "success"}, str(ran)


def test_an_outsiders_words_reach_no_shell_and_no_write(bot, board):
    before = bot.writes
    for body in (HOSTILE, "/syncbot rebase guard"):
        ran = comment(bot, board, body, "eve")
        assert ran.code == 0, str(ran)
        assert ran.jobs == {"hear": "success"}, str(ran)
        assert ran.outputs("hear") == {"asked": "false", "ids": ""}
        assert ran.orders == []
        assert "may not write here" in ran.log("hear")
    ticked = board.body.replace("- [ ]", "- [x]")
    event = payload(
        board, action="edited", changes={"body": {"from": board.body}}, sender={"login": "eve", "type": "User"}
    )
    event["issue"]["body"] = ticked
    ran = bot.machine.run("commands.yml", "issues", event, secrets=SECRETS)
    assert ran.jobs == {"hear": "success"}, str(ran)
    assert bot.writes == before
    assert not list(bot.machine.root.rglob("x"))
    assert bot.forge.world.repos[DOWN].pulls[0].draft


def test_the_same_words_of_somebody_who_may_are_commands_and_nothing_else(bot, board):
    ran = comment(bot, board, HOSTILE, "ann")
    assert ran.code == 0, str(ran)
    assert ran.outputs("hear") == {"asked": "true", "ids": "guard"}
    assert ran.orders == []
    assert not list(bot.machine.root.rglob("x"))


def test_nothing_starts_for_what_is_none_of_ours(bot):
    issue = {"number": 1, "title": "t", "body": "b", "user": {"login": "eve"}}
    event = {"action": "created", "issue": issue, "comment": {"id": 1, "body": "nice", "user": {"login": "eve"}}}
    ran = bot.machine.run("commands.yml", "issue_comment", event, secrets=SECRETS)
    assert ran.jobs == {}
    edited = {"action": "edited", "issue": issue, "changes": {"title": {"from": "x"}}, "sender": {"login": "eve"}}
    assert bot.machine.run("commands.yml", "issues", edited, secrets=SECRETS).jobs == {}
