"""``benchmark.yml``: both arms measured by one job, the results pushed by another, whatever the names hold."""

from __future__ import annotations

import json
import os

from small_repo import git

from tests.flow.stub_tools import free_port, install
from tests.flow.test_results import EDIT, MANIFEST, PIN, SPEED
from tests.workflows.conftest import TOKEN

CALLER = """name: bench
on: workflow_dispatch
permissions: {{}}
jobs:
  benchmark:
    permissions: {{contents: write}}
    uses: ./.github/workflows/benchmark.yml
    with:
      id: {id}
      edit: {edit}
      pin: {pin}
      downstream: octo/down
      baseline: {oid}
      candidate: {oid}
      runner: '["ubuntu-latest"]'
      hardware: {hardware}
      prepare: touch "built-$ARM"
"""
# As gh does it: the token is asked of a helper, and in no address.
GH = """#!/bin/bash
git config credential.helper '!f() { echo username=x; echo "password=$GH_TOKEN"; }; f'
"""


def run(bot, **given):
    values = {"id": "nan", "edit": EDIT, "pin": PIN, "hardware": "stub", **given}
    oid = git(bot.root / "down.git", "rev-parse", "main")
    tools = bot.machine.root / "bin"
    return bot.machine.run(
        CALLER.format(oid=oid, **{name: json.dumps(value) for name, value in values.items()}), "workflow_dispatch",
        secrets={"GITHUB_TOKEN": TOKEN}, path=f"{tools}:{os.environ['PATH']}",
        env={"PORT": str(free_port()), "ORDER": str(bot.root / "order")},
    )  # fmt: skip


def prepare(bot):
    tools = bot.machine.root / "tools"
    install(tools)
    for name in ("serve", "bench"):
        (tools / name).rename(bot.machine.root / "bin" / name)
    (bot.machine.root / "bin" / "gh").write_text(GH)
    (bot.machine.root / "bin" / "gh").chmod(0o755)
    bot.configure({"patches/nan/patch.toml": MANIFEST + SPEED + "runs = 2\n"})


def test_measures_and_pushes(bot):
    prepare(bot)
    ran = run(bot)
    assert ran.code == 0, str(ran)
    assert ran.jobs == {"measure": "success", "attach": "success"}
    assert (bot.root / "order").read_text().split() == ["baseline", "candidate"] * 2
    assert "ready: every required check has passed" in ran.summary
    names = git(bot.root / "bot.git", "ls-tree", "-r", "--name-only", "main", "patches/nan/results").split()
    assert len(names) == 1
    assert json.loads(git(bot.root / "bot.git", "show", f"main:{names[0]}"))["hardware"] == "stub"
    assert bot.forge.pushes == ["octo/bot"]


def test_no_input_reaches_a_shell(bot):
    prepare(bot)
    ran = run(bot, id="nan; touch $(x)", hardware='`touch x`"; touch x; "\n::add-mask::x')
    assert ran.code == 1
    assert "nan; touch $(x)" in ran.log("measure"), str(ran)
    assert ran.orders == []
    assert "attach" not in ran.jobs
    assert bot.forge.pushes == []
    assert not list(bot.machine.root.rglob("x"))
