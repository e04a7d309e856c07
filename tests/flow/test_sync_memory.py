"""What a run remembers, in a file and on a branch of the bot's repository: only what changed, and lost by neither."""

import json
import logging

import pytest
from small_repo import git

from syncbot.proposals import memory_branch

BRANCH = "refs/heads/syncbot-memory"


def kept(text):
    rows = [json.loads(line) for line in text.splitlines()]
    return {kind: [row for row in rows if row["kind"] == kind] for kind in ("tag", "first", "trend")}


def file(stand):
    return stand.project / ".syncbot/memory.jsonl"


@pytest.fixture
def home(make_stand):
    stand = make_stand("pull-request")
    return stand, stand.root / "bot.git"


def on_branch(bot):
    return git(bot, "show", f"{BRANCH}:memory.jsonl")


def test_tags_first_days_and_the_trend_are_kept_beside_a_folder(make_stand):
    stand = make_stand("folder")
    assert stand.run("sync")[0] == 0
    assert not file(stand).exists(), "a dry run writes nothing"
    stand.sync()
    before = file(stand).read_bytes()
    stand.quiet()
    assert file(stand).read_bytes() == before
    rows = kept(before.decode())
    assert {row["tag"] for row in rows["tag"]} == {"v0.1.19", "v0.1.20", "v0.1.21.post1"}
    assert [row["what"] for row in rows["first"]] == ["guard/keep"]
    figures = {row["name"]: row["value"] for row in rows["trend"]}
    assert (figures["carried"], figures["stage.released"], figures["stage.ready"]) == (1, 1, 0)
    stand.pin("v0.1.20")
    stand.sync()
    rows = kept(file(stand).read_text())
    assert [row["what"] for row in rows["first"]] == ["guard/keep", "guard/remove"]
    assert {row["name"]: row["value"] for row in rows["trend"]}["stage.ready"] == 1


def test_one_commit_on_a_branch_of_the_bots_repository_for_each_change(home):
    stand, bot = home
    stand.sync()
    assert on_branch(bot) == file(stand).read_text().strip()
    assert git(bot, "rev-list", "--count", BRANCH) == "1"
    stand.pin("v0.1.20")
    stand.sync()
    assert git(bot, "rev-list", "--count", BRANCH) == "2"
    assert [row["what"] for row in kept(on_branch(bot))["first"]] == ["guard/keep", "guard/remove"]


def test_a_lost_branch_is_told_and_comes_back_from_the_file(home, caplog):
    stand, bot = home
    stand.sync()
    before = on_branch(bot)
    caplog.clear()
    git(bot, "update-ref", "-d", BRANCH)
    with caplog.at_level(logging.WARNING):
        stand.sync(twice=False)
    assert "it was lost" in caplog.text
    assert on_branch(bot) == before
    file(stand).unlink()
    stand.sync(twice=False)
    assert file(stand).read_text().strip() == before


def test_two_runs_at_once_lose_nothing(home, monkeypatch):
    stand, bot = home
    stand.sync()
    push, theirs = memory_branch.HostDestination.push, []

    def late(self, git_, *, branch, **given):
        if branch == memory_branch.BRANCH and not theirs:
            line = '{"kind": "first", "what": "theirs", "day": "2026-01-01"}\n'
            blob = git(bot, "hash-object", "-w", "--stdin", stdin=on_branch(bot) + "\n" + line)
            tree = git(bot, "mktree", stdin=f"100644 blob {blob}\tmemory.jsonl\n")
            theirs.append(git(bot, "commit-tree", tree, "-p", BRANCH, "-m", "Theirs"))
            git(bot, "update-ref", BRANCH, theirs[0])
        return push(self, git_, branch=branch, **given)

    monkeypatch.setattr(memory_branch.HostDestination, "push", late)
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    assert git(bot, "rev-parse", f"{BRANCH}^") == theirs[0]
    assert [row["what"] for row in kept(on_branch(bot))["first"]] == ["guard/keep", "guard/remove", "theirs"]


def test_a_stop_file_holds_the_memory_back_too(make_stand):
    stand = make_stand("pull-request", extra='stop_file = "STOP"')
    (stand.project / "STOP").touch()
    stand.sync()
    assert git(stand.root / "bot.git", "for-each-ref", BRANCH) == ""
    assert not file(stand).exists()
