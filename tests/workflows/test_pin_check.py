"""``pin-check.yml`` on pull requests of strangers: it comments, and nothing of theirs is checked out or run."""

from __future__ import annotations

import json
import shutil
import urllib.request

import pytest
from small_repo import commit
from standin import DOWN, HOME, PIN

from tests.workflows.acts import Machine
from tests.workflows.conftest import TOKEN

CALLER = """name: pins
on: {event}
permissions: {{}}
jobs:
  pins:
    permissions:
      contents: read
      pull-requests: write
    uses: ./.github/workflows/pin-check.yml
    with:
      config-repository: octo/bot
"""
HOSTILE = 'x$(touch x)`touch x`"; touch x; ${{ github.token }}\n::add-mask::x'


@pytest.fixture
def down(bot):
    """The downstream's own machine, and a fork of it by a stranger."""
    forge = bot.forge
    forge.world.add_user("eve", token="eve-token")
    fork = shutil.copytree(bot.root / "down.git", bot.root / "eve.git")
    forge.world.add_repo("eve/down", fork, permissions={"eve": "admin"}, fork_of=DOWN)
    machine = Machine(bot.root / "machine-down", bot.machine.act, DOWN, bot.machine.env)
    for slug in (DOWN, HOME):
        (machine.root / "repos" / slug).parent.mkdir(exist_ok=True)
        (machine.root / "repos" / slug).symlink_to(forge.world.repos[slug].git)
    return machine


def propose(bot, text, branch="patch"):
    files = {
        "docker/Dockerfile": text, "syncbot.toml": "[[broken", "setup.py": "open('x', 'w')\n",
        "pyproject.toml": "[build-system]\n",
    }  # fmt: skip
    commit(bot.root / "eve.git", branch, files, HOSTILE, onto="main")
    data = {"title": HOSTILE, "head": f"eve:{branch}", "base": "main", "body": HOSTILE}
    request = urllib.request.Request(
        f"{bot.forge.api}/repos/{DOWN}/pulls", json.dumps(data).encode(), {"Authorization": "token eve-token"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["number"]


def check(machine, number, *, event="pull_request_target"):
    payload = {
        "action": "opened",
        "number": number,
        "repository": {"full_name": DOWN, "default_branch": "main", "private": False},
        "pull_request": {
            "number": number, "title": HOSTILE, "body": HOSTILE,
            "head": {"ref": "$(touch x);`touch x`", "sha": "0" * 40, "repo": {"full_name": "eve/down"}},
            "base": {"ref": "main", "sha": "0" * 40},
        },
    }  # fmt: skip
    return machine.run(CALLER.format(event=event), event, payload, secrets={"GITHUB_TOKEN": TOKEN})


def test_a_strangers_pull_request_gets_one_comment_and_runs_nothing(bot, down):
    number = propose(bot, PIN.format(ref="v0.1.20"))
    for _ in range(2):
        ran = check(down, number)
        assert ran.code == 0, str(ran)
        assert ran.orders == []
    assert [each.split()[1] for each in down.checkouts] == [HOME]
    (said,) = bot.forge.world.repos[DOWN].items[number].comments
    assert "`v0.1.19` → `v0.1.20`" in said.body
    assert "| frees | `guard`" in said.body
    assert not list(bot.root.rglob("x"))


def test_a_hostile_pin_and_names_reach_no_shell(bot, down):
    number = propose(bot, f'ARG LIB="{HOSTILE.replace(chr(34), "")}"\n')
    ran = check(down, number)
    assert ran.code == 0, str(ran)
    assert ran.orders == []
    (said,) = bot.forge.world.repos[DOWN].items[number].comments
    assert "cannot be reviewed" in said.body
    assert not list(bot.root.rglob("x"))


def test_another_event_is_left_alone(bot, down):
    """On ``pull_request`` the token of a fork's pull request cannot comment, and the configuration would be theirs."""
    number = propose(bot, PIN.format(ref="v0.1.20"))
    ran = check(down, number, event="pull_request")
    assert "comment" not in ran.jobs
    assert bot.forge.world.repos[DOWN].items[number].comments == []
