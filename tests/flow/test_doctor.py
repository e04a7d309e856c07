"""``syncbot doctor`` on stand-ins: machine, configuration, token, repositories and pins, and the exit code."""

import json
import sqlite3

import pytest
from fake_forge.faults import Fault, Script
from standin import DOWN, FORK, HOME

from syncbot.cli.main import run


def examined(stand, *args, code=0):
    """The remarks by topic, and nothing that a token could be."""
    said, text = stand.run("doctor", "--json", *args)
    assert said == code, text
    assert "bot-token" not in text
    told = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert told["schema"] == "syncbot.doctor/1"
    found = {}
    for each in told["remarks"]:
        found.setdefault(each["topic"], []).append(each)
    return found


def worst(found):
    """Level and text of each remark that is not well."""
    return {(each["level"], each["text"]) for every in found.values() for each in every if each["level"] != "ok"}


def as_a_person(stand):
    """The token is a person's, of whom GitHub says what they may do."""
    stand.forge.world.users["syncbot"].type = "User"
    return stand


def test_all_is_well(make_stand):
    stand = as_a_person(make_stand("pull-request"))
    stand.forge.world.repos[HOME].permissions["syncbot"] = "admin"
    found = examined(stand)
    assert worst(found) == set()
    assert {
        "git",
        "cache",
        "config",
        "token of fake",
        "quota of fake",
        "clock",
        "downstream down",
        f"home {HOME}",
    } <= set(found)
    assert found["downstream down"][0]["text"] == f"{DOWN}: the token may write, proposals are by pull-request"
    assert [each["text"] for each in found[f"home {HOME}"]] == [
        "the token may do everything there", "its workflows may open pull requests",
    ]  # fmt: skip
    assert found["pin image"][0]["text"].startswith("says v0.1.19, which is ")
    assert not stand.forge.writes


def test_a_workflows_token(make_stand, monkeypatch):
    stand = make_stand("pull-request")
    stand.forge.world.add_user("github-actions[bot]", token="ghs_workflow", kind="Bot")
    stand.forge.world.repos[HOME].permissions["github-actions[bot]"] = "write"
    monkeypatch.setenv("FAKE_TOKEN", "ghs_workflow")
    found = examined(stand)
    assert (
        "token of a GitHub App or a workflow, which speaks for an app, in 1 repo" in found["token of fake"][0]["text"]
    )
    hints = {text for level, text in worst(found) if level == "hint"}
    assert "whether the token may push is not said of an app's token; trying shows" in hints
    assert "whether its workflows may open pull requests is not for this token to see" in hints


def test_workflows_that_may_not_propose(make_stand):
    stand = make_stand("pull-request")
    home = stand.forge.world.repos[HOME]
    home.permissions["syncbot"], home.actions_may_propose = "admin", False
    (said,) = [each for each in examined(stand)[f"home {HOME}"] if each["level"] == "hint"]
    assert said["text"] == "its workflows may not open pull requests with their own token"
    assert "Settings, Actions, General" in said["todo"]


def test_a_fork_in_sync_behind_and_none_at_all(make_stand):
    stand = make_stand("hand-off")
    assert examined(stand)[f"fork {FORK}"][0]["text"].endswith("in sync")
    stand.move_main(3)
    assert examined(stand)[f"fork {FORK}"][0]["text"].endswith("3 commits behind, which does no harm")
    stand.forge.world.repos[FORK].fork_of = None
    assert "is no fork of octo/down" in examined(stand, code=1)[f"fork {FORK}"][0]["text"]
    del stand.forge.world.repos[FORK]
    assert "not found, or hidden" in examined(stand, code=1)[f"fork {FORK}"][0]["text"]


@pytest.mark.parametrize(
    ("change", "topic", "said"),
    [
        (lambda stand: stand.forge.world.repos[DOWN].permissions.update(syncbot="read"), "downstream down", "not push"),
        (lambda stand: setattr(stand.forge.world.repos[DOWN], "archived", True), "downstream down", "is archived"),
        (lambda stand: setattr(stand.forge.world.repos[HOME], "has_issues", False), f"home {HOME}", "has no issues"),
        (lambda stand: stand.pin("v9.9.9"), "pin image", "'v9.9.9'"),
        (lambda stand: setattr(stand.forge, "clock_ahead", 4000), "clock", "behind the host's"),
    ],
)
def test_a_problem_ends_with_one(make_stand, change, topic, said):
    stand = as_a_person(make_stand("pull-request"))
    change(stand)
    found = examined(stand, code=1)
    assert [(each["level"], said in each["text"]) for each in found[topic] if each["level"] == "problem"] == [
        ("problem", True)
    ]


def test_a_classic_token_its_scopes_and_its_end(make_stand, monkeypatch):
    stand = make_stand("pull-request")
    stand.forge.world.add_user("syncbot", token="ghp_classic")
    monkeypatch.setenv("FAKE_TOKEN", "ghp_classic")
    headers = stand.forge.world.user_headers
    headers |= {
        "X-OAuth-Scopes": "public_repo, read:org",
        "GitHub-Authentication-Token-Expiration": "2099-01-02 03:04:05 UTC",
    }
    said = [each["text"] for each in examined(stand)["token of fake"]]
    assert "its scopes are public_repo, read:org" in said
    assert "without the scope workflow it cannot push a change to a workflow file" in said
    assert "it ends on 2099-01-02" in said
    headers |= {"X-OAuth-Scopes": "", "GitHub-Authentication-Token-Expiration": "2020-01-02 03:04:05 +0100"}
    found = examined(stand, code=1)
    assert {level for level, text in worst(found) if "no write anywhere" in text} == {"problem"}
    assert {level for level, text in worst(found) if "2020-01-02" in text} == {"hint"}


def test_a_bad_token_and_a_bad_configuration_end_with_two(make_stand, monkeypatch):
    stand = make_stand("pull-request")
    monkeypatch.setenv("FAKE_TOKEN", "ghp_revoked")
    found = examined(stand, code=2)
    assert found["token of fake"][0]["level"] == "config"
    assert "ghp_revoked" not in json.dumps(found)
    stand.pin("x\nARG OTHER=y")
    config = stand.project / "syncbot.toml"
    config.write_text(config.read_text().replace("ARG LIB", "ARG GONE"))
    assert "its pattern matches nothing" in examined(stand, code=2)["pin image"][0]["text"]
    config.write_text(config.read_text() + "\n[nonsense]\n")
    found = examined(stand, code=2)
    assert set(found) == {"git", "cache", "config"}


@pytest.mark.parametrize("fault", [Fault.DROP_BEFORE, Fault.PRIMARY_LIMIT, Fault.HTML])
def test_a_host_that_does_not_answer_ends_with_three(make_stand, fault):
    stand = make_stand("pull-request")
    stand.forge.faults = Script()
    stand.forge.faults.add("GET /user$", *[fault] * 9)
    found = examined(stand, code=3)
    assert found["token of fake"][0]["level"] == "unreachable"
    assert found["pin image"][0]["level"] == "ok"


def test_no_token_is_a_hint(make_stand, monkeypatch):
    stand = make_stand("pull-request")
    monkeypatch.delenv("FAKE_TOKEN")
    found = examined(stand)
    assert found["token of fake"][0]["text"].startswith("FAKE_TOKEN is not set, so proposals to down are folders")
    assert stand.forge.requests == []


def test_offline_asks_nobody(make_stand):
    stand = make_stand("pull-request")
    assert examined(stand, "--offline")["hosts"][0]["level"] == "hint"
    assert stand.forge.requests == []
    assert run(["doctor", "--offline", "--config", str(stand.project)]) == 0
    assert "not looked at: a repository is missing" in stand.capsys.readouterr().out


def test_cache_memory_and_stop_file(make_stand):
    stand = make_stand("folder", extra='stop_file = "STOP"')
    stand.sync(twice=False)
    (stand.project / "STOP").touch()
    memory = stand.project / ".syncbot/memory.jsonl"
    memory.write_text(memory.read_text() + "{broken\n")
    facts = stand.root / "cache/facts.sqlite"
    assert facts.is_file()
    assert "damaged" not in examined(stand)["cache"][0]["text"]
    with sqlite3.connect(facts) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    facts.write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    found = examined(stand)
    assert "the facts are damaged" in found["cache"][0]["text"]
    assert "is damaged and was skipped" in found["memory"][0]["text"]
    assert found["stop file"][0]["text"] == "STOP is there, so nothing is written anywhere"
