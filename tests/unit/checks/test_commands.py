"""The printed script: what it asks for, and that nothing in a manifest or on the command line becomes a command."""

from __future__ import annotations

import os
import subprocess

import pytest

from syncbot.checks.commands import filled, script
from syncbot.checks.spec import read_specs
from syncbot.model.errors import UsageError
from syncbot.model.project import Check


def specs(**options):
    usual = {"concurrency": [1], "command": "true", "workload": {"input_len": 8, "output_len": 8}}
    return read_specs([Check(name="speed", kind="benchmark", options=usual | {"runs": 1} | options)])


def run(text, folder, **environment):
    for arm in ("with", "without"):
        (folder / arm).mkdir(exist_ok=True)
    given = {"BASELINE": str(folder / "with"), "CANDIDATE": str(folder / "without"), "OUT": str(folder / "out")}
    return subprocess.run(
        ["bash", "-c", text],
        env={"PATH": os.environ["PATH"]} | given | environment,
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_values_never_become_commands(tmp_path):
    evil = "x'; touch pwned; '$(touch pwned)`touch pwned`}\"\ntouch pwned"
    hostile = specs(
        hardware=evil,
        software=evil,
        title=evil,
        workload={"model": evil, "input_len": evil, "request_rate": evil},
        command='printf %s {model} > {out}; test "$HARDWARE" = "$WANTED"',
    )
    done = run(script(f"id {evil}", hostile, edit=evil, pin=evil), tmp_path, WANTED=evil)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("pwned")) == []
    assert (tmp_path / "out" / "speed-baseline-c1-r1.json").read_text() == evil


def test_the_environment_wins_over_what_was_printed(tmp_path):
    text = script("id", specs(command='echo "$EDIT $PIN $HARDWARE"'), edit="one", pin="two")
    done = run(text, tmp_path, HARDWARE="gfx950", EDIT="three")
    assert done.stdout.splitlines()[:2] == ["three two gfx950"] * 2


@pytest.mark.parametrize("missing", ["EDIT", "PIN", "HARDWARE"])
def test_what_the_files_must_say_is_asked_for(tmp_path, missing):
    given = {name: "x" for name in ("EDIT", "PIN", "HARDWARE") if name != missing}
    done = run(script("id", specs(), edit=None, pin=None), tmp_path, **given)
    assert done.returncode != 0
    assert f"{missing}: " in done.stderr


def test_a_server_that_ends_stops_the_script_and_names_its_log(tmp_path):
    done = run(script("id", specs(server="exit 3"), edit="e", pin="p"), tmp_path, HARDWARE="h", PORT="1")
    assert done.returncode == 1
    assert "the server of speed ended; see " in done.stderr


def test_placeholders():
    assert filled("a {model} {{model}} {out}") == 'a "$MODEL" {model} "$out"'
    with pytest.raises(UsageError, match=r"\{modle\} is no placeholder; known are model, "):
        script("id", specs(command="serve {modle}"), edit=None, pin=None)
