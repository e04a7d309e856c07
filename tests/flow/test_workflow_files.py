"""The workflows as texts: what they may, what they pin, and that the examples of docs/actions.md fit them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"
PAGE = (ROOT / "docs" / "actions.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
RANKS = ("none", "read", "write")


def load(text):
    return YAML(typ="safe").load(text)


def steps_of(workflow):
    runs = [*workflow.get("jobs", {}).values(), workflow.get("runs", {})]
    return [step for each in runs for step in each.get("steps", [])]


@pytest.mark.parametrize("file", [*FILES, ACTION], ids=lambda file: file.name)
def test_actions_are_pinned_and_no_expression_is_in_a_script(file):
    for step in steps_of(load(file.read_text(encoding="utf-8"))):
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", step["uses"]), step
            assert f"{step['uses']} # v" in file.read_text(encoding="utf-8"), "the tag stands beside the commit"
        assert "${{" not in step.get("run", "")
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_is_allowed_but_what_a_job_asks_for(file):
    workflow = load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert "permissions" in job, name
        assert "timeout-minutes" in job, name


def test_what_is_pinned_is_one_version_everywhere():
    used = {}
    for file in [*FILES, ACTION, ROOT / "docs" / "actions.md"]:
        text = file.read_text(encoding="utf-8")
        for name, commit in re.findall(r"uses:\s*([\w.-]+/[\w.-]+)(?:/[\w/-]+)?@([0-9a-f]{40})", text):
            used.setdefault(name, set()).add(commit)
    assert {name for name, commits in used.items() if len(commits) > 1} == set()


def test_only_one_job_of_the_schedule_may_write_contents():
    jobs = load((ROOT / ".github" / "workflows" / "sync.yml").read_text(encoding="utf-8"))["jobs"]
    writing = {name: {key for key, may in job["permissions"].items() if may == "write"} for name, job in jobs.items()}
    assert {name: may for name, may in writing.items() if may} == {
        "apply": {"contents", "issues", "pull-requests"}, "pages": {"pages", "id-token"}, "alarm": {"issues"},
        "keep-alive": {"actions"},
    }  # fmt: skip


@pytest.mark.parametrize("text", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_gives_what_it_calls_what_that_takes(text):
    for job in load(text)["jobs"].values():
        if "uses" in job:
            name = re.fullmatch(r"OWNER/syncbot/\.github/workflows/([\w-]+\.yml)@REF", job["uses"])[1]
            called = load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
            takes = called["on"]["workflow_call"]
            assert set(job.get("with", {})) <= set(takes["inputs"])
            assert set(job.get("secrets", {})) <= set(takes.get("secrets", {}))
            asked = [each for inner in called["jobs"].values() for each in inner["permissions"].items()]
            short = [key for key, may in asked if RANKS.index(may) > RANKS.index(job["permissions"].get(key, "none"))]
            assert short == [], "GitHub refuses to start a workflow that asks for more than its caller has"
            continue
        takes = load(ACTION.read_text(encoding="utf-8"))["inputs"]
        ours = [step for step in job["steps"] if step["uses"] == "OWNER/syncbot@REF"]
        assert ours
        assert set(ours[0]["with"]) <= set(takes)


@pytest.mark.parametrize("name", ["sync.yml", "commands.yml", "pin-check.yml"])
def test_the_page_names_every_input_of_the_schedule_and_the_action(name):
    called = load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))["on"]["workflow_call"]
    missing = [each for each in (*called["inputs"], *called.get("secrets", {})) if each not in PAGE]
    assert missing == [each for each in missing if each.startswith("config-")], "told in the file itself"
    for each in load(ACTION.read_text(encoding="utf-8"))["inputs"]:
        assert f"`{each}`" in PAGE


def test_the_scripts_of_the_action_pass_shellcheck():
    """What actionlint does for workflows."""
    found = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip("needs shellcheck: `pip install --group lint`")
    stand_ins = sorted((ROOT / "tests" / "workflows" / "actions").rglob("action.yml"))
    for file in [ACTION, *stand_ins]:
        for step in steps_of(load(file.read_text(encoding="utf-8"))):
            if step.get("shell") == "bash":
                script = f"#!/bin/bash\nset -euo pipefail\n{step['run']}"
                done = subprocess.run([found, "-"], input=script, capture_output=True, text=True)
                assert done.returncode == 0, f"{file}: {done.stdout}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_is_compared_with_a_truth_value(file):
    """On a schedule an input is nothing at all, and GitHub calls nothing and false the same."""
    assert not re.search(r"[!=]= *(?:true|false)\b", file.read_text(encoding="utf-8"))
