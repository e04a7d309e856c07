"""``syncbot rebase`` as a user runs it."""

from __future__ import annotations

import json

import pytest
from histories import History

from syncbot.cli.main import run

OPS = "def first(x):\n    return x\n\n\ndef logits(x):\n    out = x @ x\n    return out\n"
GUARDED = OPS.replace("    return out\n", "    out.clean_()\n    return out\n")


@pytest.fixture
def history(tmp_path) -> History:
    history = History(tmp_path / "repo")
    base = history.commit({"ops.py": OPS})
    history.guard = history.commit({"ops.py": GUARDED}, "Guard (#7)")
    history.git("branch", "carried")
    history.git("reset", "--quiet", "--hard", base)
    return history


def answer(history, capsys, *more):
    code = run(["rebase", history.guard, "--repo", str(history.path), "--onto", "main", "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def test_a_change_goes_onto_a_branch_that_moved(history, capsys, tmp_path):
    history.commit({"ops.py": "import os\n\n\n" + OPS})
    code, told = answer(history, capsys, "--patch", str(tmp_path / "p"))
    assert (code, told["direction"], told["outcome"]) == (0, "rebase", "clean")
    history.git("apply", str(tmp_path / "p"))
    assert (history.path / "ops.py").read_text() == "import os\n\n\n" + GUARDED


def test_the_function_is_found_again_in_its_new_file(history, capsys, tmp_path):
    first, second = OPS.split("\n\n\n")
    history.commit({"ops.py": first + "\n", "fast/ops.py": second})
    code, told = answer(history, capsys, "--patch", str(tmp_path / "p"), "--explain")
    assert (code, told["outcome"], told["method"]) == (0, "moved", "guided")
    assert [file["path"] for file in told["files"]] == ["fast/ops.py"]
    assert any(step["met"].startswith("moved") for step in told["steps"])


def test_what_is_there_already_is_empty(history, capsys):
    history.commit({"ops.py": "import os\n\n\n" + GUARDED})
    code, told = answer(history, capsys)
    assert (code, told["outcome"]) == (0, "empty")


def test_no_place_is_a_conflict(history, capsys):
    history.commit({"ops.py": "def other():\n    return None\n"})
    code, told = answer(history, capsys)
    assert (code, told["outcome"]) == (1, "conflict")
    assert told["conflicts"][0]["theirs"] == "    out.clean_()\n"
    assert told["tree"] == history.tree()
