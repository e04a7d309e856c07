"""``sync-many.yml``: a plan for each part, writes where a part has some, and one report of the whole."""

from __future__ import annotations

import json
import shutil

import pytest
from fake_forge import Fault
from small_repo import git
from standin import DOWN

from tests.workflows.conftest import READ_TOKEN, TOKEN

CALLER = """name: many
on: workflow_dispatch
permissions: {}
jobs:
  many:
    permissions: {contents: write, issues: write, pull-requests: write}
    uses: ./.github/workflows/sync-many.yml
    with: {between-writes: 0}
    secrets:
      token: ${{ secrets.token }}
      read-token: ${{ secrets.read-token }}
"""
OTHER = "octo/other"


@pytest.fixture
def two(bot):
    """A second downstream, whose guard is not due."""
    other = bot.root / "other.git"
    shutil.copytree(bot.root / "down.git", other)
    bot.forge.world.add_repo(OTHER, other, permissions=bot.forge.world.repos[DOWN].permissions)
    config, manifest = (
        git(bot.root / "bot.git", "show", f"main:{path}") for path in ("syncbot.toml", "patches/guard/patch.toml")
    )
    more = config.replace(
        "[pins.image]",
        '[downstreams.other]\nrepo = "octo/other"\nbranch = "main"\n\n[pins.other_image]\nupstream = "kernels"\n'
        'downstream = "other"\npath = "docker/Dockerfile"\n'
        'pattern = \'^ARG LIB="(?P<ref>[^"]+)"\'\n\n[pins.image]',
    )
    second = manifest.replace('downstream = "down"', 'downstream = "other"').replace('["image"]', '["other_image"]')
    bot.configure({"syncbot.toml": more, "patches/second/patch.toml": second})
    bot.pin("v0.1.20")
    return bot


def run(bot):
    secrets = {"GITHUB_TOKEN": TOKEN, "token": TOKEN, "read-token": READ_TOKEN}
    return bot.machine.run(CALLER, "workflow_dispatch", secrets=secrets)


def test_only_the_part_with_something_to_write_is_applied(two):
    ran = run(two)
    assert ran.code == 0, str(ran)
    assert len(two.proposals) == 1
    assert two.forge.world.repos[OTHER].pulls == []
    report = json.loads((two.machine.artifacts / "syncbot-report" / "report.json").read_text())
    assert {row["id"]: row["decision"] for row in report["rows"]} == {"guard": "remove", "second": "keep"}
    before = two.writes
    again = run(two)
    assert again.code == 0, str(again)
    assert [each.title for each in two.issues] == ["Workarounds", "Workarounds"], "one for each downstream"
    assert two.writes == before, str(again)


def test_a_part_that_fails_leaves_the_other_alone_and_raises_the_alarm(two):
    two.forge.faults.add(r"GET /repos/octo/other/pulls", *[Fault.ERROR_BEFORE] * 4)
    ran = run(two)
    assert ran.code == 1
    assert len(two.proposals) == 1
    assert "syncbot: the workflow sync fails" in [each.title for each in two.issues]
