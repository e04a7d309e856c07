"""Runs the workflows by `act`, on this machine without a container, with stand-ins for the actions they use."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
STAND_INS = Path(__file__).parent / "actions"
_PYTHON = """case "$1 $2" in
  "-m pip") exit 0 ;;
  "-m venv") mkdir -p "$3/bin" && cp {bin}/* "$3/bin/" && exit 0 ;;
esac
exec {python} "$@"
"""
_USES = re.compile(r"uses:\s*([\w.-]+/[\w.-]+)(?:/[\w/-]+)?@([0-9a-f]{40})")


def find_act() -> str:
    """Return where act is; the test is skipped where it is not installed, and fails where CI should have done so."""
    found = shutil.which("act", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        if os.environ.get("SYNCBOT_NEEDS_ACT"):
            pytest.fail("act is not installed, and CI must not skip the workflows")
        pytest.skip("needs act: `pip install --group test` (pip 25.1 or newer)")
    return found


@dataclass(frozen=True)
class Ran:
    """One run of a workflow: act's own exit code, and what each job came to and said."""

    code: int
    events: list[dict[str, Any]] = field(repr=False)
    errors: str = field(repr=False)

    @property
    def jobs(self) -> dict[str, str]:
        """Each job that ran, by its id, with its result."""
        return {each["jobID"]: each["jobResult"] for each in self.events if "jobResult" in each}

    def log(self, job: str | None = None) -> str:
        """What the steps wrote, as the runner shows it."""
        return "\n".join(
            each["msg"].rstrip("\n")
            for each in self.events
            if each.get("raw_output") and job in (None, each.get("jobID"))
        )

    @property
    def orders(self) -> list[str]:
        """The orders that the runner read out of the log; what a step puts into a file has no raw line."""
        return [each["raw"] for each in self.events if each.get("command") and "raw" in each]

    def outputs(self, job: str) -> dict[str, str]:
        """The outputs that the steps of a job set."""
        return {
            each["name"]: each["arg"]
            for each in self.events
            if each.get("command") == "set-output" and each.get("jobID") == job
        }

    @property
    def summary(self) -> str:
        """The summaries of all jobs."""
        return "\n".join(each["content"] for each in self.events if each.get("command") == "summary")

    def __str__(self) -> str:
        told = [
            f"{each.get('jobID', '')}| {each.get('msg', '').rstrip()}"
            for each in self.events
            if each.get("raw_output") or each.get("stepResult") == "failure" or "jobResult" in each
        ]
        return "\n".join([*told, self.errors])


@dataclass
class Machine:
    """A machine that runs the workflows of one repository. ``root`` holds everything that outlives a run."""

    root: Path
    act: str
    repository: str
    env: dict[str, str]

    @property
    def place(self) -> Path:
        return self.root / "checkout"

    def __post_init__(self) -> None:
        for name in ("bin", "repos", "artifacts", "home"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        self._shim("syncbot", f'exec {sys.executable} -m syncbot "$@"')
        # What would be installed is this checkout, which is there already.
        for name in ("python", "python3"):
            self._shim(name, _PYTHON.format(python=sys.executable, bin=self.root / "bin"))

    def _shim(self, name: str, script: str) -> None:
        place = self.root / "bin" / name
        place.write_text(f"#!/bin/bash\n{script}\n")
        place.chmod(place.stat().st_mode | stat.S_IXUSR)

    def run(
        self,
        workflow: str,
        event: str,
        payload: Mapping[str, Any] | None = None,
        *,
        inputs: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        path: str | None = None,
    ) -> Ran:
        """Run one workflow file for one event. ``path`` is the PATH before any step adds to it."""
        shutil.rmtree(self.root / "artifacts", ignore_errors=True)
        (self.root / "checkouts").unlink(missing_ok=True)
        folder = self.place / ".github" / "workflows"
        folder.mkdir(parents=True, exist_ok=True)
        text = workflow if "\n" in workflow else (WORKFLOWS / workflow).read_text()
        name = "caller.yml" if "\n" in workflow else workflow
        for file in WORKFLOWS.glob("*.yml"):
            shutil.copy(file, folder / file.name)
        (folder / name).write_text(text)
        if not (self.place / ".git").exists():
            for command in (
                ["init", "-q", "-b", "main"],
                ["remote", "add", "origin", f"https://github.com/{self.repository}"],
            ):
                subprocess.run(["git", *command], cwd=self.place, check=True)
            commit = [
                "-c",
                "user.name=n",
                "-c",
                "user.email=n@example.org",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                "Begin",
            ]
            subprocess.run(["git", *commit], cwd=self.place, check=True)
        given = {"repository": {"private": False}, "inputs": dict(inputs or {}), **(payload or {})}
        (self.root / "event.json").write_text(json.dumps(given))
        command = [
            self.act, event, "--json", "-W", f".github/workflows/{name}", "-e", str(self.root / "event.json"),
            "-P", "ubuntu-latest=-self-hosted", "--no-skip-checkout", "--no-cache-server", "--pull=false",
            "--concurrent-jobs", "1", "-a", "somebody",
            *(word for each in self._replaced() for word in ("--local-repository", each)),
            *(word for key, value in (variables or {}).items() for word in ("--var", f"{key}={value}")),
        ]  # fmt: skip
        command += [word for key, value in (secrets or {}).items() for word in ("-s", f"{key}={value}")]
        reference = f"{self.repository}/.github/workflows/{name}@refs/heads/main"
        settings = self.env | {"STAND_IN": str(self.root), "GITHUB_WORKFLOW_REF": reference, **(env or {})}
        command += [word for key, value in settings.items() for word in ("--env", f"{key}={value}")]
        done = subprocess.run(
            command, cwd=self.place, capture_output=True, text=True,
            env={"PATH": path or os.environ["PATH"], "HOME": str(self.root / "home")},
        )  # fmt: skip
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return Ran(done.returncode, events, done.stderr)

    def _replaced(self) -> Iterator[str]:
        texts = [file.read_text() for file in (self.place / ".github/workflows").glob("*.yml")]
        texts.append((ROOT / "action.yml").read_text())
        for name, commit in sorted({found for text in texts for found in _USES.findall(text)}):
            stand_in = STAND_INS / name.partition("/")[2]
            if stand_in.exists():
                yield f"{name}@{commit}={stand_in}"
        own = self.root / "action"
        own.mkdir(exist_ok=True)
        for name in ("action.yml", "pyproject.toml"):
            shutil.copy(ROOT / name, own / name)
        yield f"OWNER/syncbot@REF={own}"

    @property
    def checkouts(self) -> list[str]:
        """What was checked out in the last run: job, repository and ref."""
        place = self.root / "checkouts"
        return place.read_text().splitlines() if place.exists() else []

    @property
    def artifacts(self) -> Path:
        return self.root / "artifacts"
