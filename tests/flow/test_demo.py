"""``demo`` as a person calls it: every step holds, and what it leaves can be used."""

import datetime as dt
import json
import os
import shlex
import subprocess
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from syncbot.cli.demo import runner
from syncbot.cli.main import run
from syncbot.demo import play, stage
from syncbot.demo.builder import Builder, Edit, Person
from syncbot.demo.telling import Step, check, excerpt


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The folder a demo left, and its steps; with a token around that it must not use."""
    folder = tmp_path_factory.mktemp("demo") / "kept"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_TOKEN", "ghp_not-for-a-demo")
        before, where = dict(os.environ), Path.cwd()
        steps = list(play.play(folder, runner(folder)))
        assert (dict(os.environ), Path.cwd()) == (before, where)
    return folder, steps


def test_every_step_of_the_story_is_told_and_holds(kept):
    _, steps = kept
    assert [check for step in steps for check in step.checks if not check.held] == []
    story = tomllib.loads((files("syncbot.demo") / "story.toml").read_text(encoding="utf-8"))
    assert [step.title for step in steps] == [each["title"] for each in story.values()]
    assert all(step.checks and all(shown.command for shown in step.shown) for step in steps)
    assert sum(len(step.checks) for step in steps) > 40


def test_it_is_no_wall(kept):
    _, steps = kept
    assert max(len(shown.lines) for step in steps for shown in step.shown) <= 12


def test_the_same_objects_on_every_machine(kept):
    folder, _ = kept
    tips = {
        name: subprocess.run(
            ["git", "-C", folder / f"{name}.git", "rev-parse", "main"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("lumen", "harbor")
    }
    assert tips == {
        "lumen": "1814654538e5053e71bae9809b5dd1e78bff6fa9",
        "harbor": "a4cc99f496b9554b837befc4279e897ef59caf5f",
    }


def test_what_it_leaves_to_look_at(kept):
    folder, _ = kept
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "NaN guard behind lumen" in page
    removal, restore = (
        stage.Proposal(folder=each) for each in sorted((folder / "forge/harbor/harbor/proposals").iterdir())
    )
    assert (removal.stands, restore.stands) == ("merged", "draft")
    assert "| `output_throughput` | `max_concurrency 64` |" in removal.body
    assert ": `invented figures`." in removal.body
    assert "8896.4 → 8905.6" in (removal.folder / "results-throughput.svg").read_text(encoding="utf-8")
    assert b"-    sums = [0.0 if value" in removal.patch
    assert b"+    sums = [0.0 if value" in restore.patch


def test_its_figures_are_read_by_any_comparison(kept, monkeypatch, capsys):
    folder, _ = kept
    monkeypatch.chdir(folder / "measured")
    arms = [
        word
        for arm in ("baseline", "candidate")
        for path in Path().glob(f"{arm}-*")
        for word in (f"--{arm}", str(path))
    ]
    assert run(["results", "compare", *arms, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], len(answer["metrics"]), answer["notes"]) == ("pass", 9, [])


def test_the_commands_it_shows_work_in_the_folder(kept, monkeypatch, capsys):
    folder, steps = kept
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SYNCBOT_CACHE", str(folder / ".cache"))
    shown = [shown.command for step in steps for shown in step.shown]
    asking = [each for each in shown if each.startswith(("syncbot status", "syncbot where", "syncbot check"))]
    assert len(asking) > 10
    for command in (*asking[:1], *asking[-3:]):
        assert run(shlex.split(command.replace("$R", stage.REPOS))[1:]) == 0, capsys.readouterr().err


def test_a_step_that_does_not_hold_leaves_with_1(monkeypatch, tmp_path, capsys):
    def wrong(stage):
        yield Step(
            title="Wrong", story="", checks=(check("the sky", "blue", "green"), check("grass", "green", "green"))
        )

    monkeypatch.setattr(play, "ACTS", (wrong,))
    assert run(["demo", "--keep", str(tmp_path / "kept")]) == 1
    told = capsys.readouterr()
    assert "✗ the sky: expected blue; found green" in told.out
    assert "✓ grass: green" in told.out
    assert "1 of 2 checks did not hold: the sky" in told.err


def test_a_command_that_fails_ends_the_story_with_its_message(monkeypatch, tmp_path, capsys):
    def broken(stage):
        stage.run("syncbot status --as-of yesterday $R")
        yield

    monkeypatch.setattr(play, "ACTS", (broken,))
    assert run(["demo", "--keep", str(tmp_path / "kept")]) == 1
    assert "left with 2: error: --as-of yesterday: expected a day" in capsys.readouterr().err


def test_without_keep_the_folder_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(play, "ACTS", ())
    assert run(["demo"]) == 0
    (folder,) = tmp_path.glob("syncbot-demo-*")
    assert f"Left in {folder.resolve()}:" in capsys.readouterr().out
    assert (folder / "syncbot.toml").exists()


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


def test_an_excerpt_shows_its_gaps():
    text = "head\n\none\ntwo\nthree\n\nlast\n"
    assert excerpt(text, "one", "three") == ("one", "…", "three")
    assert excerpt(text, "^h", "^o", "^l") == ("head", "one", "…", "last")
