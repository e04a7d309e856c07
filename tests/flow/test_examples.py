"""The example projects: right by themselves, and on the real clones as their page says."""

import json
import os
from pathlib import Path

import pytest

from syncbot.cli.main import run

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "vllm-flashinfer"
PAGE = ROOT / "docs" / "example-flashinfer.md"


@pytest.fixture
def status(capsys):
    """Run ``status`` on the real clones and return what it prints."""
    folder = os.environ.get("SYNCBOT_CLONES")
    clones = {"flashinfer": "flashinfer-ai+flashinfer", "vllm": "shen-shanshan+vllm"}
    paths = {name: Path(folder or "") / clone / "repo" for name, clone in clones.items()}
    if not folder or not all(path.exists() for path in paths.values()):
        pytest.skip("SYNCBOT_CLONES names no folder that holds the clones of flashinfer and vllm")
    repos = [word for name, path in paths.items() for word in ("--repo", f"{name}={path}")]

    def ask(*words):
        assert run(["status", "--config", str(EXAMPLE), "--no-cache", *repos, *words]) == 0
        return capsys.readouterr().out

    return ask


def test_the_example_passes_check(capsys):
    assert run(["check", str(EXAMPLE)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "valid"


@pytest.mark.real
def test_the_page_shows_what_the_command_prints(status):
    said = [line.rstrip() for line in status("--as-of", "2026-08-18").splitlines()]
    assert "\n".join(said) in PAGE.read_text()


@pytest.mark.real
@pytest.mark.parametrize(
    ("day", "ref", "stage", "decision"),
    [
        ("2025-10-22", "0.4.1", "waiting", "keep"),
        ("2025-11-05", "0.4.1", "released", "keep"),
        ("2025-11-08", "0.5.2", "ready", "done"),
    ],
)
def test_one_life_in_full(status, day, ref, stage, decision):
    (found,) = json.loads(status("vllm-27262", "--as-of", day, "--json"))["workarounds"]
    assert (found["stage"], found["decision"]) == (stage, decision)
    assert [(pin["name"], pin["ref"], pin["form"]) for pin in found["pins"]] == [
        ("wheel", ref, "version"),
        ("image", ref, "version"),
    ]
    assert f"| {day} | {ref} | `{stage}` | `{decision}` |" in PAGE.read_text()


@pytest.mark.real
def test_both_pins_are_followed_from_their_first_day(status):
    moves = json.loads(status("--as-of", "2026-08-18", "--pin-history", "--json"))["moves"]
    first = {move["pin"]: (move["date"], move["new"]) for move in moves if move["move"] == "first"}
    assert first == {"wheel": ("2025-10-09", "0.4.0"), "image": ("2025-10-09", "0.4.0")}
    assert not [move for move in moves if move["move"] == "unknown"]
