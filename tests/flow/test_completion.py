"""Shell completion, installed and asked by the shells themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from syncbot.cli.main import COMMANDS, run

# How each shell is asked what it would offer, once the script that was installed is read.
ASK = {
    "bash": """
        source ~/.bashrc
        ask() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _syncbot_completion syncbot; printf '%s\\n' "${COMPREPLY[@]}"
        }
    """,
    "zsh": """
        compdef() { : }
        _arguments() { printf '%s\\n' "${(Q)${(s: :)1}[@]}" }
        source ~/.zfunc/_syncbot
        ask() { words=("$@"); CURRENT=$#; _syncbot_completion; }
    """,
    "fish": """
        source ~/.config/fish/completions/syncbot.fish
        function ask; complete --do-complete "$argv"; end
    """,
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with two manifests, an empty home, and this syncbot first on the path."""
    for name in ("guard", "long-rows"):
        (tmp_path / "patches" / name).mkdir(parents=True)
        (tmp_path / "patches" / name / "patch.toml").touch()
    (tmp_path / "syncbot.toml").touch()
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("shell", ASK)
def test_a_shell_offers_commands_options_and_ids(shell, project):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = f"""
        syncbot --install-completion
        {ASK[shell]}
        ask syncbot stat
        ask syncbot status --pin
        ask syncbot status gu
    """
    answer = subprocess.run([shell, "-c", script], capture_output=True, text=True, timeout=60)
    assert answer.stderr == ""
    assert f"{shell} completion installed" in answer.stdout
    for offered in ("status", "--pin-history", "guard"):
        assert offered in answer.stdout.split("restart the terminal")[1]
    assert "long-rows" not in answer.stdout


def offered(monkeypatch, capsys, line):
    monkeypatch.setenv("_SYNCBOT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    with pytest.raises(SystemExit) as left:
        run([])
    assert left.value.code == 0
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("syncbot ", list(COMMANDS)),
        ("syncbot results ", ["compare", "commands", "attach", "show", "outcome"]),
        ("syncbot status ", ["guard", "long-rows"]),
        ("syncbot status guard ", ["long-rows"]),
        ("syncbot remove l", ["long-rows"]),
        ("syncbot results show g", ["guard"]),
        ("syncbot report --config nowhere ", []),
    ],
)
def test_what_is_offered(line, expected, project, monkeypatch, capsys):
    assert offered(monkeypatch, capsys, line) == expected


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_offers_its_options(command, project, monkeypatch, capsys):
    assert "--help" in offered(monkeypatch, capsys, f"syncbot {command} --")


def test_completion_is_a_matter_of_the_whole(capsys):
    assert run(["--help"]) == 0
    assert "--install-completion" in capsys.readouterr().out
    assert run(["status", "--help"]) == 0
    assert "--install-completion" not in capsys.readouterr().out
