"""``sync.yml`` end to end: a plan by a token that reads, writes in a job of their own, a report, and the alarm."""

from __future__ import annotations

import json

from fake_forge import Fault
from small_repo import commit
from standin import DOWN, HOME

from tests.workflows.conftest import READ_TOKEN, TOKEN

CALLER_WITH_AN_APP = """name: app
on: workflow_dispatch
permissions: {}
jobs:
  sync:
    permissions: {contents: write, issues: write, pull-requests: write, actions: write, pages: write, id-token: write}
    uses: ./.github/workflows/sync.yml
    with: {app-client-id: Iv1.acme, app-repositories: 'bot,down'}
    secrets:
      app-private-key: ${{ secrets.key }}
"""
SECRETS = {"GITHUB_TOKEN": TOKEN, "read-token": READ_TOKEN}


def sync(bot, **more):
    return bot.machine.run("sync.yml", "schedule", secrets=SECRETS, **more)


def test_from_schedule_to_proposal_and_then_nothing(bot):
    bot.pin("v0.1.20")
    ran = sync(bot)
    assert ran.code == 0, str(ran)
    assert ran.jobs == dict.fromkeys(("plan", "apply", "report", "alarm", "keep-alive"), "success"), str(ran)
    (proposal,) = bot.proposals
    assert proposal.draft
    assert proposal.head == "syncbot/removal/guard"
    assert [each.title for each in bot.issues] == ["Workarounds"]
    assert ran.outputs("plan")["writes"] not in ("", "0")
    assert "What was written" in ran.summary
    assert "open-proposal" in ran.summary
    report = bot.machine.artifacts / "syncbot-report"
    assert json.loads((report / "report.json").read_text())["rows"][0]["id"] == "guard"
    assert (report / "index.html").read_text().startswith("<!DOCTYPE html>")
    assert not (bot.machine.root / "pages").exists()

    before = bot.writes
    again = sync(bot)
    assert again.code == 0, str(again)
    assert again.jobs.keys() == {"plan", "report", "alarm", "keep-alive"}, "nothing to write, so no job that could"
    assert again.outputs("plan")["writes"] == "0"
    assert (bot.writes[0] - 1, bot.writes[1]) == before, "the schedule's own renewal, and no other write"


def test_a_dry_run_and_one_workaround(bot):
    hostile = "::add-mask::x ##[add-path]/x\n\n::error::$(touch x)\n  ::stop-commands::x\n"
    commit(bot.root / "down.git", "main", {"::error::x.py": "x = 1\n"}, hostile)
    commit(bot.root / "up.git", "main", {"kernel.cu": "int b;\n"}, f"Revert (#4774)\n{hostile}")
    bot.pin("v0.1.20")
    before = bot.writes
    ran = bot.machine.run(
        "sync.yml", "workflow_dispatch", inputs={"dry-run": "true", "verbosity": "debug"}, secrets=SECRETS
    )
    assert ran.code == 0, str(ran)
    assert ran.jobs.keys() == {"plan", "report"}
    assert "What is to be written" in ran.summary
    assert bot.writes == before
    assert ran.orders == []
    ran = bot.machine.run("sync.yml", "workflow_dispatch", inputs={"workaround": "guard; touch $(x)"}, secrets=SECRETS)
    assert ran.code == 1
    assert ran.jobs == {"plan": "failure"}
    assert "no workaround is called 'guard; touch $(x)'" in ran.log("plan")
    ran = bot.machine.run("sync.yml", "workflow_dispatch", inputs={"workaround": "guard"}, secrets=SECRETS)
    assert ran.code == 0, str(ran)
    assert ran.jobs.keys() == {"plan", "apply"}
    assert len(bot.proposals) == 1


def test_what_plans_has_no_token_that_writes(bot):
    """The tokens tell which job asked: every write came by the other one, and none was tried with the first."""
    bot.pin("v0.1.20")
    used = {READ_TOKEN: set(), TOKEN: set()}
    handler = bot.forge._server.RequestHandlerClass
    answer = handler._answer

    def noting(self, url, raw):
        question = b'"query { ' in raw
        used[self.headers["Authorization"].split()[1]].add("GET" if question else self.command)
        answer(self, url, raw)

    handler._answer = noting
    assert sync(bot).code == 0
    assert used[READ_TOKEN] == {"GET"}
    assert {"POST", "PATCH"} <= used[TOKEN]


def test_a_failing_forge_is_a_red_run_and_one_issue_that_recovery_closes(bot):
    bot.pin("v0.1.20")
    alarms = []
    for _ in range(2):
        bot.forge.faults.add(rf"GET /repos/{'octo/down'}/pulls", *[Fault.ERROR_BEFORE] * 4)
        ran = sync(bot)
        assert ran.code == 1
        assert ran.jobs["plan"] == "failure"
        assert "apply" not in ran.jobs
        assert ran.jobs["alarm"] == "success", str(ran)
        bot.forge.faults.entries.clear()
        (issue,) = bot.issues
        alarms.append((issue.number, issue.state))
        assert issue.title == "syncbot: the workflow sync fails"
        assert "octo/down" in issue.body
    assert alarms == [(1, "open"), (1, "open")]
    assert bot.proposals == []
    ran = sync(bot)
    assert ran.code == 0, str(ran)
    assert {each.title: each.state for each in bot.issues} == {
        "syncbot: the workflow sync fails": "closed", "Workarounds": "open",
    }  # fmt: skip
    assert len(bot.proposals) == 1


def test_a_wrong_configuration_is_told_too(bot):
    bot.configure({"syncbot.toml": "[upstream]\n"})
    ran = sync(bot)
    assert ran.code == 1
    assert ran.jobs["plan"] == "failure"
    (issue,) = bot.issues
    assert "unknown key" in issue.body


def test_published_where_the_variable_says_so(bot):
    ran = sync(bot, variables={"SYNCBOT_PAGES": "true"})
    assert ran.code == 0, str(ran)
    assert ran.jobs["pages"] == "success"
    names = {each.name for each in (bot.machine.root / "pages").iterdir()}
    assert names == {"index.html", "badge.json", "report.json", "report.md"}


def test_the_second_day_starts_from_the_first_ones_mirrors(bot):
    assert sync(bot).code == 0
    ran = sync(bot)
    assert ran.code == 0, str(ran)
    assert "cloning" not in ran.log()


def test_an_app_has_a_token_for_each_job_and_knows_what_is_its_own(bot):
    bot.pin("v0.1.20")
    world = bot.forge.world
    world.add_user("acme-sync[bot]", token="ghs_app_write", kind="Bot")
    world.tokens["ghs_app_read"] = "acme-sync[bot]"
    for slug in (DOWN, HOME):
        world.repos[slug].permissions["acme-sync[bot]"] = "write"
    caller = CALLER_WITH_AN_APP
    for _ in range(2):
        ran = bot.machine.run(caller, "workflow_dispatch", secrets={"GITHUB_TOKEN": TOKEN, "key": "key"})
        assert ran.code == 0, str(ran)
    assert [each.author.login for each in bot.proposals] == ["acme-sync[bot]"]
    assert [(each.title, each.author.login) for each in bot.issues] == [("Workarounds", "acme-sync[bot]")]
