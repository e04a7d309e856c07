"""The GPU workflow, its steps run in order by bash with what a runner would give them; actions are played by hand."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.flow.stub_tools import free_port, install
from tests.flow.test_results import CONFIG, EDIT, MANIFEST, PIN, SPEED

FILE = Path(__file__).parents[2] / ".github" / "workflows" / "benchmark.yml"


@pytest.fixture(scope="module")
def workflow():
    return YAML(typ="safe").load(FILE.read_text())


def test_actions_are_pinned_and_rights_are_few(workflow):
    assert workflow["permissions"] == {}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", each) for each in used)
    assert workflow["jobs"]["measure"]["permissions"] == {"contents": "read"}
    scripts = "".join(step.get("run", "") for step in steps)
    assert "${{" not in scripts, "an expression in a script would be run as its text"


def git(folder, *arguments):
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = [
        "git",
        "-c",
        "user.name=n",
        "-c",
        "user.email=e@example.org",
        "-c",
        "init.defaultBranch=main",
        *arguments,
    ]
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


def steps_of(workflow, job, expressions, folder, extra):
    """Run the scripts of one job in ``folder``, installing left out."""
    for step in workflow["jobs"][job]["steps"]:
        if "run" not in step or step["name"] == "Install syncbot":
            continue
        if step.get("if") and not expressions["inputs.prepare"]:
            continue
        given = {name: filled(str(text), expressions) for name, text in step.get("env", {}).items()}
        where = folder / step.get("working-directory", ".")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=where,
            env=os.environ | extra | given,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{step['name']}: {done.stdout}{done.stderr}"


def filled(text, expressions):
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda match: expressions[match[1]], text)


def test_measures_interleaved_and_pushes_the_results(workflow, tmp_path):
    seed, origin, runner = tmp_path / "seed", tmp_path / "origin.git", tmp_path / "runner"
    (seed / "patches" / "nan").mkdir(parents=True)
    (seed / "syncbot.toml").write_text(CONFIG)
    (seed / "patches" / "nan" / "patch.toml").write_text(MANIFEST + SPEED + "runs = 2\n")
    git(seed, "init", "--quiet")
    git(seed, "add", ".")
    git(seed, "commit", "--quiet", "--message", "Begin")
    git(tmp_path, "clone", "--quiet", "--bare", str(seed), str(origin))

    runner.mkdir()
    git(tmp_path, "clone", "--quiet", str(origin), str(runner / "bot"))
    for arm in ("baseline", "candidate"):
        (runner / arm).mkdir()
    install(runner / "tools" / "bin")
    (runner / "tools" / "bin" / "gh").write_text("#!/bin/sh\n")
    (runner / "tools" / "bin" / "gh").chmod(0o755)
    expressions = {
        "inputs.id": "nan",
        "inputs.edit": EDIT,
        "inputs.pin": PIN,
        "inputs.hardware": "stub",
        "inputs.model": "",
        "inputs.prepare": 'touch "built-$ARM"',
        "github.actor": "name",
        "github.server_url": "https://example.org",
        "github.repository": "owner/bot",
        "github.run_id": "7",
        "github.ref_name": "main",
        "github.token": "not-a-token",
        "runner.temp": str(tmp_path / "temp"),
    }
    extra = {
        "PORT": str(free_port()),
        "ORDER": str(tmp_path / "order"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": f"{runner / 'tools' / 'bin'}:{os.environ['PATH']}",
    }
    steps_of(workflow, "measure", expressions, runner, extra)
    assert (tmp_path / "order").read_text().split() == ["baseline", "candidate"] * 2
    assert (runner / "candidate" / "built-candidate").exists()
    assert "ready: every required check has passed" in (tmp_path / "summary.md").read_text()

    shutil.copytree(runner / "results", tmp_path / "temp" / "measured" / "results")
    desk = tmp_path / "desk"
    git(tmp_path, "clone", "--quiet", str(origin), str(desk))
    # Somebody else pushes in between; the results must get there all the same.
    (seed / "README.md").write_text("New.\n")
    git(seed, "add", ".")
    git(seed, "commit", "--quiet", "--message", "Change")
    git(seed, "push", "--quiet", str(origin), "HEAD:main")
    steps_of(workflow, "attach", expressions, desk, extra)
    (kept,) = git(origin, "ls-tree", "-r", "--name-only", "main", "patches/nan/results").split()
    values = json.loads(git(origin, "show", f"main:{kept}"))
    assert (values["by"], values["hardware"]) == ("@name", "stub")
    assert values["note"] == "https://example.org/owner/bot/actions/runs/7"
    assert git(origin, "log", "--format=%s", "main").splitlines() == ["Attach results to nan", "Change", "Begin"]
