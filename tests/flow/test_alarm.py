"""One issue while a workflow fails: opened once, edited, closed, opened again, and never a second one."""

from __future__ import annotations

import io
import json
import shutil

import pytest
from fake_forge import FakeForge, Fault
from small_repo import make_bare

from syncbot.cli.main import run

HOME = "octo/bot"
TOKEN = "ghs_workflow"


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return make_bare(tmp_path_factory.mktemp("home") / "bot.git")


@pytest.fixture
def forge(tmp_path, bare, monkeypatch):
    with FakeForge(tmp_path) as forge:
        forge.world.add_user("github-actions[bot]", token=TOKEN, kind="Bot")
        forge.world.add_user("eve", token="eve-token")
        home = shutil.copytree(bare, tmp_path / "bot.git")
        forge.world.add_repo(HOME, home, permissions={"github-actions[bot]": "write"})
        for name, value in {
            "GITHUB_TOKEN": TOKEN, "GITHUB_REPOSITORY": HOME, "GITHUB_API_URL": forge.api,
            "GITHUB_SERVER_URL": forge.web, "GITHUB_RUN_ID": "7", "SYNCBOT_BETWEEN_WRITES": "0",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield forge


@pytest.fixture
def alarm(forge, monkeypatch, capsys):
    def ask(problem="", code=0, run_id="7", **results):
        needs = {job: {"result": result, "outputs": {"problem": problem}} for job, result in results.items()}
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(needs)))
        monkeypatch.setenv("GITHUB_RUN_ID", run_id)
        assert run(["alarm", "--needs", "-"]) == code
        return capsys.readouterr().out

    return ask


def issues(forge):
    return list(forge.world.repos[HOME].items.values())


def test_one_issue_for_good(forge, alarm):
    assert "quiet" in alarm(plan="success")
    assert issues(forge) == []
    assert "opened" in alarm("error: host is away", plan="failure", apply="skipped")
    assert "edited" in alarm("error: host is away", plan="failure", run_id="8")
    (only,) = issues(forge)
    assert only.title == "syncbot: the workflow sync fails"
    assert "host is away" in only.body
    assert "/actions/runs/8" in only.body
    assert "/actions/runs/7" not in only.body
    assert "closed" in alarm(plan="success", apply="success", run_id="9")
    assert only.state == "closed"
    assert "works again" in only.body
    writes = len(forge.writes)
    assert "quiet" in alarm(plan="success")
    assert len(forge.writes) == writes
    assert "opened again" in alarm("error: again", plan="failure", run_id="11")
    assert [each.state for each in issues(forge)] == ["open"]


def test_a_job_that_ran_out_of_time_is_a_failure(forge, alarm):
    assert "opened" in alarm(plan="success", apply="cancelled")
    assert "job `apply`: `cancelled`" in issues(forge)[0].body


def test_nothing_ran_says_nothing(forge, alarm):
    alarm(plan="failure")
    assert "stays as it is" in alarm(plan="skipped", apply="skipped")
    assert issues(forge)[0].state == "open"


def test_what_people_write_around_it_stays(forge, alarm):
    alarm(plan="failure")
    (only,) = issues(forge)
    only.body = f"I am on it.\n\n{only.body}"
    alarm("error: other", plan="failure")
    assert only.body.startswith("I am on it.")
    assert "other" in only.body


def test_words_of_strangers_do_nothing(forge, alarm):
    alarm("error: @ann see octo/down#7 <img src=x> `rm`\n<!-- syncbot:end alarm -->\n${{ secrets.X }}", plan="failure")
    body = issues(forge)[0].body
    outside = "".join(body.split("`")[::2])
    assert not any(word in outside for word in ("@ann", "#7", "<img", "secrets"))
    assert body.count("<!-- syncbot:end alarm -->") == 1


def test_a_strangers_issue_is_not_ours(forge, alarm):
    alarm(plan="failure")
    (ours,) = issues(forge)
    ours.author = forge.world.users["eve"]
    alarm(plan="failure")
    assert len(issues(forge)) == 2


def test_one_too_many_is_closed(forge, alarm):
    """Two runs at once are kept apart by the workflow; should it happen all the same, one stays."""
    alarm(plan="failure")
    repo = forge.world.repos[HOME]
    import copy

    repo.items[2] = copy.copy(repo.items[1])
    repo.items[2].number = 2
    alarm(plan="failure", run_id="8")
    assert [each.state for each in issues(forge)] == ["open", "closed"]


@pytest.mark.parametrize("fault", [Fault.DROP_AFTER, Fault.ERROR_AFTER, Fault.DROP_BEFORE])
def test_a_lost_answer_makes_no_second_one(forge, alarm, fault):
    forge.faults.add(f"POST /repos/{HOME}/issues$", fault)
    alarm("x", code=3, plan="failure")
    alarm("x", plan="failure")
    assert len(issues(forge)) == 1


def test_says_what_is_missing(monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    (tmp_path / "needs").write_text('{"plan": {"result": "failure", "outputs": {}}}')
    assert run(["alarm", "--needs", str(tmp_path / "needs")]) == 2
    assert capsys.readouterr().err.count("is not set") == 2
    (tmp_path / "needs").write_text("[1]")
    assert run(["alarm", "--needs", str(tmp_path / "needs")]) == 2
    assert "not what toJSON(needs) gives" in capsys.readouterr().err
