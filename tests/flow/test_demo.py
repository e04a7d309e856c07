"""``demo`` as a person calls it, and its promise that the commands it shows work in the folder it keeps."""

import datetime as dt
import json
import shlex
import subprocess

import pytest

from syncbot.cli.main import run
from syncbot.demo import play
from syncbot.demo.builder import Builder, Edit, Person
from syncbot.demo.telling import Step, check


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "kept"
    return folder, list(play.play(folder))


def test_every_step_holds(kept):
    _, steps = kept
    assert [check for step in steps for check in step.checks if not check.held] == []
    assert sum(len(step.checks) for step in steps) > 20


def test_the_same_objects_on_every_machine(kept):
    folder, _ = kept
    tips = {
        name: subprocess.run(
            ["git", "-C", folder / f"{name}.git", "rev-parse", "main"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("lumen", "harbor")
    }
    assert tips == {
        "lumen": "8f32a58fe5e0a8b2b40cc22d9f565b0f71288699",
        "harbor": "598da7c9a579293c944f29fe260ddb7c65127967",
    }


def test_the_status_commands_it_shows_give_the_same_answers_later(kept, monkeypatch, capsys):
    folder, steps = kept
    monkeypatch.chdir(folder)
    shown = [
        step for step in steps if step.command and "status" in step.command and "--pin-history" not in step.command
    ]
    assert len(shown) == 6
    for step in shown:
        assert run([*shlex.split(step.command)[1:], "--no-cache", "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        for each in answer["workarounds"]:
            said = f"{each['stage']}, {each['fit']}, {each['decision']}"
            assert said in [one.found for one in step.checks if one.claim == each["id"]], step.title


def test_the_where_commands_it_shows_work(kept, monkeypatch, capsys):
    folder, steps = kept
    monkeypatch.chdir(folder)
    shown = [step.command for step in steps if step.command and "where" in step.command]
    assert len(shown) == 4
    for command in shown:
        assert run([*shlex.split(command)[1:], "--no-cache"]) == 0
        assert "first release" in capsys.readouterr().out


def test_the_edit_commands_it_shows_work(kept, monkeypatch, capsys):
    folder, steps = kept
    monkeypatch.chdir(folder)
    shown = [step.command for step in steps if step.command and shlex.split(step.command)[1] in ("remove", "rebase")]
    assert len(shown) == 2
    for command in shown:
        assert run(shlex.split(command)[1:]) == 0
        assert "masked" not in capsys.readouterr().err


def test_its_project_passes_check(kept, capsys):
    folder, _ = kept
    assert run(["check", str(folder)]) == 0


def test_a_step_that_does_not_hold_leaves_with_1(monkeypatch, capsys):
    def wrong(stage):
        yield Step(
            title="Wrong", story="", checks=(check("the sky", "blue", "green"), check("grass", "green", "green"))
        )

    monkeypatch.setattr(play, "ACTS", (wrong,))
    assert run(["demo"]) == 1
    told = capsys.readouterr()
    assert "✗ the sky: expected blue; found green" in told.out
    assert "1 of 2 checks did not hold: the sky" in told.err


def test_without_keep_nothing_stays(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(play, "ACTS", play.ACTS[:1])
    assert run(["demo"]) == 0
    assert [each.name for each in tmp_path.iterdir() if not each.name.startswith("syncbot-view-")] == []


def test_a_folder_with_something_in_it_is_refused(tmp_path, capsys):
    (tmp_path / "mine").write_text("")
    assert run(["demo", "--keep", str(tmp_path)]) == 2
    assert "expected a folder that is empty" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_an_edit_that_does_not_fit_is_an_error(tmp_path):
    builder = Builder(tmp_path / "repo.git")
    with pytest.raises(ValueError, match="0 places"):
        builder.commit(
            "main", "x", [Edit("a", "no such text", "")], by=Person(name="Ada Vale"), day=dt.date(2026, 1, 1)
        )
