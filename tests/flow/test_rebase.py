"""``syncbot rebase`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import pytest
from histories import History

from syncbot.cli import edit_options
from syncbot.cli.main import run
from syncbot.model.project import Carrier, Downstream, Forge, Introduced, Project, Repo, Workaround
from syncbot.model.words import CarriedAs

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


@pytest.fixture
def carried(history, tmp_path, monkeypatch):
    """A project whose one workaround is carried as a patch-file, and as a commit on a branch."""
    patch = tmp_path / "patches" / "guard" / "change.patch"
    patch.parent.mkdir(parents=True)
    patch.write_bytes(history.raw("diff", f"{history.guard}^", history.guard))
    repo = Repo(url="x", forge=Forge(name="none", kind="git"))
    carriers = (Carrier(carried=CarriedAs.PATCH_FILE, patch=PurePosixPath("change.patch")),)

    def project(**introduced):
        branch = (Carrier(carried=CarriedAs.BRANCH, branch="carried"),) if introduced else ()
        guard = Workaround(
            id="guard", title="t", why="w", downstream="ops",
            introduced=Introduced(**introduced), carriers=carriers + branch,
        )  # fmt: skip
        made = Project(
            root=str(tmp_path), upstreams={}, pins={}, workarounds=(guard,),
            downstreams={"ops": Downstream(name="ops", repo=repo, branch="main")},
        )  # fmt: skip
        monkeypatch.setattr(edit_options, "_project", lambda config: made)
        return ["rebase", "guard", "--repo", f"ops={history.path}"]

    return project, patch


def test_a_carried_patch_is_rewritten_only_when_asked_and_only_when_it_must(history, carried, capsys):
    project, patch = carried
    before = patch.read_bytes()
    assert run(project()) == 0
    assert "change.patch still applies as it is" in capsys.readouterr().out
    history.commit({"ops.py": OPS.replace("x @ x", "x.mm(x)")})
    assert run(project()) == 0
    assert "--refresh writes it" in capsys.readouterr().out
    assert patch.read_bytes() == before
    assert run([*project(), "--refresh"]) == 0
    assert patch.read_bytes() != before
    history.git("apply", str(patch))
    assert "clean_" in (history.path / "ops.py").read_text()


def test_a_branch_is_asked_for_its_own_commit(history, carried, capsys):
    project, _ = carried
    history.git("switch", "--quiet", "carried")
    history.git("reset", "--quiet", "--hard", "main")
    history.commit({"b.py": "b = 1\n"})
    history.git("cherry-pick", history.guard)
    assert run(project(commit=history.guard)) == 0
    assert f"carried carries it as {history.git('rev-parse', 'carried')[:12]}" in capsys.readouterr().out


def test_names_that_are_wrong_are_told(history, carried, capsys):
    project, _ = carried
    project()
    assert run(["rebase", "gaurd", "--repo", str(history.path)]) == 2
    assert "did you mean 'guard'?" in capsys.readouterr().err
    assert run(["rebase", "guard", "--repo", f"other={history.path}"]) == 2
    assert "lives in 'ops'" in capsys.readouterr().err
    assert run(["remove", "guard", "--repo", f"ops={history.path}"]) == 2
    assert "drop the patch" in capsys.readouterr().err
