"""``syncbot remove`` as a user runs it: answers, exit codes, patches."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from histories import History

from syncbot.cli.main import run

LOGITS = "import torch\n\n\ndef logits(x):\n    out = torch.matmul(x, x)\n    return out\n"
GUARDED = LOGITS.replace("    return", "    out.nan_to_num_()\n    return")


@pytest.fixture
def history(tmp_path, monkeypatch) -> History:
    history = History(tmp_path / "repo")
    history.commit({"ops.py": LOGITS})
    history.guard = history.commit({"ops.py": GUARDED}, "Guard the logits (#7)")
    history.commit({"ops.py": GUARDED.replace("import torch\n", "import torch\n\nSCALE = 2\n")}, "Scale")
    monkeypatch.chdir(tmp_path)
    return history


def test_json_is_the_contract(history, capsys):
    assert run(["remove", history.guard, "--repo", str(history.path), "--onto", "main", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "syncbot.edit/1"
    assert (answer["direction"], answer["outcome"], answer["method"]) == ("remove", "clean", "three-way")
    assert answer["base"] == history.git("rev-parse", "main")
    assert answer["files"] == [{"path": "ops.py", "added": 0, "removed": 1, "judged": "python"}]
    assert answer["repairs"] == answer["problems"] == answer["conflicts"] == []
    assert "steps" not in answer


def test_the_patch_is_what_git_apply_takes(history):
    assert run(["remove", history.guard, "--repo", str(history.path), "--patch", "out.patch"]) == 0
    history.git("apply", str(Path("out.patch").resolve()))
    assert "nan_to_num_" not in (history.path / "ops.py").read_text()
    assert "SCALE" in (history.path / "ops.py").read_text()


def test_the_patch_may_go_to_standard_output(history, capfdbinary):
    assert run(["remove", history.guard, "--repo", str(history.path), "--patch", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(b"diff --git ")
    assert b"clean:" in err


def test_a_plain_answer_names_files_and_explains_itself(history, capsys):
    assert run(["remove", history.guard, "--repo", str(history.path), "--explain", "--diff"]) == 0
    out = capsys.readouterr().out
    assert f"clean: {history.guard[:12]} taken out of" in out
    assert "  ops.py  +0 -1\n" in out
    assert "three-way: merges" in out
    assert "-    out.nan_to_num_()\n" in out


def test_a_conflict_exits_1_and_says_who_and_how(history, capsys):
    history.commit({"ops.py": GUARDED.replace("nan_to_num_()", "nan_to_num_(0)")}, "Tune `it` (#9)")
    assert run(["remove", history.guard, "--repo", str(history.path), "--patch", "none.patch"]) == 1
    out = capsys.readouterr().out
    assert "Tune `it` (#9)" in out
    assert f"git revert --no-commit {history.guard}" in out
    assert not Path("none.patch").exists()
    assert run(["remove", history.guard, "--repo", str(history.path), "--markdown"]) == 1
    markdown = capsys.readouterr().out
    assert "**Conflict 1**: `ops.py`, line 6" in markdown
    assert "``Tune `it` (#9)``" in markdown
    assert "```sh\ngit switch --detach" in markdown


def test_the_clone_is_named_or_is_the_folder_one_is_in(history, monkeypatch):
    assert run(["remove", history.guard, "--repo", f"ops={history.path}"]) == 0
    monkeypatch.chdir(history.path)
    assert run(["remove", history.guard]) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["nothing-like-this"], 1, "has no commit"),
        (["--", "-x"], 2, "is not a ref"),
        (["HEAD", "--onto", "a..b"], 2, "is not a ref"),
        (["HEAD", "--repo", "/nowhere/at/all"], 2, "is not a folder"),
        (["HEAD", "--patch", "no/such/folder/x.patch"], 2, "--patch"),
        (["main..HEAD~1"], 2, "is no range"),
    ],
)
def test_mistakes_are_told_in_one_line(history, monkeypatch, capsys, arguments, code, told):
    monkeypatch.chdir(history.path)
    assert run(["remove", *arguments]) == code
    err = capsys.readouterr().err
    assert told in err
    assert "Traceback" not in err


def test_a_folder_that_is_no_repository(history, tmp_path, capsys, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert run(["remove", "HEAD", "--repo", str(tmp_path / "empty")]) == 2
    assert "is not a git repository" in capsys.readouterr().err


def test_a_bare_clone_and_a_linked_work_tree_will_do(history, tmp_path):
    bare = tmp_path / "with: colon.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(history.path), str(bare)], check=True)
    assert run(["remove", history.guard, "--repo", str(bare), "--onto", "main"]) == 0
    history.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    assert run(["remove", history.guard, "--repo", str(tmp_path / "linked")]) == 0


def test_configuration_of_the_clone_runs_nothing(history, tmp_path):
    """A clone is data: a merge driver, a diff program or a filter it configures must never start."""
    trap = tmp_path / "ran"
    for key in ("merge.trap.driver", "diff.trap.command", "diff.trap.textconv", "filter.trap.clean", "core.fsmonitor"):
        history.git("config", key, f"touch {trap}; false")
    history.git("config", "diff.external", f"touch {trap}")
    (history.path / ".git" / "info").mkdir()
    (history.path / ".git" / "info" / "attributes").write_text("* merge=trap diff=trap filter=trap\n")
    assert run(["remove", history.guard, "--repo", str(history.path), "--diff"]) == 0
    assert not trap.exists()
