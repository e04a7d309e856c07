"""``syncbot track``: manifests from findings, numbers and commits."""

import json
import shutil
import tomllib

import pytest
import waiting
from small_repo import commit, git

from syncbot.cli.main import run
from syncbot.config import load_project


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return waiting.make(tmp_path_factory.mktemp("track") / "world")


@pytest.fixture
def world(template, tmp_path, monkeypatch):
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    return shutil.copytree(template, tmp_path / "world")


@pytest.fixture
def track(world, capsys):
    def run_it(*words):
        code = run(["track", *waiting.options(world), *words])
        told = capsys.readouterr()
        assert code == 0, told.err
        return told.out

    return run_it


def manifest(world, name):
    return world / "project" / "patches" / name / "patch.toml"


def read(world, name):
    return tomllib.loads(manifest(world, name).read_text(encoding="utf-8"))


def findings(world, capsys):
    assert run(["discover", *waiting.options(world), "--json", "--all"]) == 0
    return json.loads(capsys.readouterr().out)["findings"]


def test_a_finding_becomes_a_manifest_that_check_passes(world, track, capsys):
    key = findings(world, capsys)[0]["key"]
    assert "wrote" in track(key)
    data = read(world, "app-7")
    assert data["introduced"]["pull"] == 7
    assert data["introduced"]["commit"] == git(world / "app", "rev-parse", "main")
    assert [(fix["upstream"], fix["pull"]) for fix in data["fixes"]] == [("lib", 12)]
    assert data["removal"]["edits"] == [
        {"path": "app/kernel.py", "kind": "statement", "target": "x = clamp(x)", "within": "scores"}
    ]
    assert data["removal"]["markers"][0]["text"] == "# TODO: remove once acme/lib#12 is released."
    assert run(["check", str(world / "project")]) == 0


def test_it_is_then_recorded(world, track, capsys):
    track(findings(world, capsys)[0]["key"])
    recorded = {each["line"]: each["tracked"] for each in findings(world, capsys)}
    assert recorded[3] == "app-7"
    assert recorded[9] is None


def test_a_second_run_keeps_every_byte(world, track, capsys):
    key = findings(world, capsys)[0]["key"]
    track(key)
    file = manifest(world, "app-7")
    text = file.read_text(encoding="utf-8").replace(
        "title =", "# Ann looks after this.\nowner = '@ann'  # yes\ntitle ="
    )
    file.write_text(text, encoding="utf-8")
    assert "nothing to add" in track(key)
    assert file.read_text(encoding="utf-8") == text


def test_a_new_place_is_added_and_nothing_else_changes(world, track, capsys):
    key = findings(world, capsys)[0]["key"]
    track(key)
    file = manifest(world, "app-7")
    before = file.read_text(encoding="utf-8").replace("title =", "# Ann looks after this.\ntitle =")
    file.write_text(before, encoding="utf-8")
    commit(
        world / "app",
        "main",
        {"app/other.py": "# Remove once acme/lib#12 is released, too.\nx = clamp(1)\n"},
        "Copy (#9)",
    )
    assert "added to" in track(key)
    after = file.read_text(encoding="utf-8")
    assert set(before.splitlines()) <= set(after.splitlines())
    assert "# Ann looks after this." in after
    assert [each["path"] for each in read(world, "app-7")["removal"]["markers"]] == ["app/kernel.py", "app/other.py"]
    assert run(["check", str(world / "project")]) == 0


def test_all_records_what_is_sure(world, track):
    out = track("--all")
    assert out.count("wrote") == 3
    project = load_project(world / "project")
    claims = {each.id: [fix.pull for fix in each.fixes] for each in project.workarounds}
    assert sorted(map(tuple, claims.values())) == [(), (12,), (14,)]
    assert "nothing" not in out
    assert track("--all") == ""


def test_by_the_number_of_a_pull_request(world, track):
    track("#7")
    data = read(world, "app-7")
    assert {fix["pull"] for fix in data["fixes"]} == {12, 14}
    assert data["removal"]["action"] == "review"


def test_the_whole_life_of_one_that_is_gone(world, track):
    app = world / "app"
    added = git(app, "rev-parse", "main")
    text = git(app, "show", "main:app/kernel.py") + "\n"
    moved = commit(app, "main", {"app/kernel.py": "", "app/deep/kernel.py": text}, "Move (#20)")
    gone = commit(
        app, "main", {"app/deep/kernel.py": "def scores(x):\n    return compute(x)\n"}, "Remove the guards (#21)"
    )
    track(added)
    data = read(world, "app-7")
    assert data["removed"]["commit"] == gone
    assert data["removed"]["pull"] == 21
    assert moved not in manifest(world, "app-7").read_text(encoding="utf-8").partition("[removed]")[2]
    assert run(["check", str(world / "project")]) == 0


def test_removed_too_early_and_put_back(world, track):
    app = world / "app"
    added = git(app, "rev-parse", "main")
    text = git(app, "show", "main:app/kernel.py") + "\n"
    commit(app, "main", {"app/kernel.py": "def scores(x):\n    return compute(x)\n"}, "Remove the guards (#21)")
    commit(app, "main", {"app/kernel.py": text}, "Revert it (#22)")
    out = track(added, "--print")
    assert "[removed]" not in out
    assert "#21: 0% of its lines left" in out
    assert "#22: 100% of its lines left" in out


def test_a_commit_without_any_remark_is_followed_by_its_lines(world, track):
    app = world / "app"
    added = commit(
        app, "main", {"app/plain.py": "def guard(out):\n    out.nan_to_num_(minus_infinity)\n"}, "Guard (#30)"
    )
    gone = commit(app, "main", {"app/plain.py": "x = 1\n"}, "Unguard (#31)")
    track(added)
    data = read(world, "app-30")
    assert data["removed"]["commit"] == gone
    assert "out.nan_to_num_(minus_infinity)" in [each["text"] for each in data["removal"]["markers"]]
    assert "fixes" not in data


def test_print_writes_nothing(world, track):
    assert 'downstream = "app"' in track("#7", "--print")
    assert not (world / "project" / "patches").exists()


def test_a_broken_manifest_stops_it_before_anything_is_written(world, capsys):
    broken = manifest(world, "other")
    broken.parent.mkdir(parents=True)
    broken.write_text("title = 1\n", encoding="utf-8")
    assert run(["track", *waiting.options(world), "#7"]) == 2
    assert not manifest(world, "app-7").exists()
    assert "patches/other/patch.toml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "name what to track"),
        (["#7", "--all"], "not both"),
        (["#99"], "no commit up to"),
        (["0123abcd"], "is no finding of app"),
        (["--id", "a/../b", "#7"], "is no id"),
        (["--id", "x", "#7", "#1"], "--id names one manifest"),
    ],
)
def test_what_cannot_be_tracked(world, capsys, words, told):
    assert run(["track", *waiting.options(world), *words]) == 2
    assert told in capsys.readouterr().err


def test_an_abbreviated_commit_is_waited_for_and_told_but_no_fix_of_a_manifest(world, track, capsys):
    fix = git(world / "lib", "rev-parse", "--short=10", "v1.1")
    text = f"# TODO: remove once https://github.com/acme/lib/commit/{fix} is released\nx = clamp(1)\n"
    commit(world / "app", "main", {"app/other.py": text}, "Other (#9)")
    finding = next(each for each in findings(world, capsys) if each["path"] == "app/other.py")
    assert finding["stage"] == "ready"
    track(finding["key"])
    assert "fixes" not in read(world, "app-9")
    assert fix in manifest(world, "app-9").read_text(encoding="utf-8")


def test_two_findings_of_one_change_get_ids_that_stay(world, track, capsys):
    names = sorted(each["key"] for each in findings(world, capsys))
    track("--all")
    ids = sorted(each.name for each in (world / "project" / "patches").iterdir())
    assert ids[0] == "app-7"
    assert {each.removeprefix("app-7-") for each in ids[1:]} < set(names)
