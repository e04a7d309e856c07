"""``syncbot bump``: what a move frees, loses, leaves and drops, and what would do better."""

from __future__ import annotations

import json

import pytest
from fixtures.repos import code, run_git
from fixtures.stage import build, fingerprint

from syncbot.cli.main import run


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """Read only: shared by the tests of this file."""
    return build(tmp_path_factory.mktemp("stage"))


def options(stage) -> list[str]:
    return ["--config", str(stage.project), "--repo", f"lib={stage.lib.path}"]


def ask(capsys, stage, old: str, new: str):
    assert run(["bump", old, new, *options(stage), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def ids(effects) -> set[str]:
    return {each["id"] for each in effects}


@pytest.mark.parametrize(
    ("old", "new", "freed", "lost"),
    [
        ("v1.0.0", "v1.1.0", {"kernel", "cache"}, set()),
        ("v1.1.0", "v1.0.0", set(), {"kernel", "cache"}),
        ("v1.0.0", "v1.1.0rc1", {"kernel", "cache", "dispatch"}, set()),
        ("v1.1.0rc1", "v1.1.0.post1", {"input"}, {"dispatch"}),
        ("v1.0.1", "v1.0.2", set(), {"cache"}),
        ("v1.0.2", "v1.0.3", {"cache"}, set()),
        ("v1.1.0", "main", {"input"}, set()),
        ("v1.1.0", "v1.1.0", set(), set()),
    ],
)
def test_freed_lost_and_unchanged(stage, capsys, old, new, freed, lost):
    document = ask(capsys, stage, old, new)
    assert document["schema"] == "syncbot.bump/1"
    assert (ids(document["freed"]), ids(document["lost"])) == (freed, lost)
    assert ids(document["unchanged"]) == {"kernel", "cache", "dispatch", "input"} - freed - lost


def test_dropped_with_and_without_a_counterpart(stage, capsys):
    """From v1.0.3 to v1.1.0 four commits go; what the picks carried is there as other commits."""
    dropped = ask(capsys, stage, "v1.0.3", "v1.1.0")["dropped_changes"]
    assert [(each["pull"], each["missing"]) for each in dropped] == [(6, False), (None, False), (6, False), (5, False)]
    assert dropped[0]["change"] == stage.ids["#6"]
    revert = dropped[1]
    assert revert["title"] == 'Revert "Fix the cache (#6)"'
    assert revert["undoes"] == dropped[2]["commit"], "the old pin had taken it back, and picked it once more"


def test_a_pick_that_the_old_pin_had_reverted_is_not_lost(stage, capsys):
    dropped = ask(capsys, stage, "v1.0.2", "v1.0.0")["dropped_changes"]
    assert [(each["pull"], each["missing"]) for each in dropped] == [(None, False), (6, False), (5, True)]
    revert, pick, _ = dropped
    assert (revert["undoes"], pick["undone_by"]) == (pick["commit"], revert["commit"])
    assert run(["bump", "v1.0.2", "v1.0.0", *options(stage)]) == 0
    said = capsys.readouterr().out
    assert "go missing: 1\n" in said
    assert "reverted within v1.0.2 already" in said


@pytest.fixture
def versions(tmp_path):
    """A project whose pins are plain versions, and whose tags have another form."""
    stage = build(tmp_path)
    stage.lib.on("main")
    for version in ("1.0.0", "1.1.0"):
        run_git(stage.lib.path, "tag", f"rel-{version}", f"v{version}")
    config = stage.project / "syncbot.toml"
    config.write_text(config.read_text().replace("gating = false", 'gating = false\ntag_format = "rel-{version}"'))
    return stage


def test_a_pins_own_text_means_what_it_means_there(versions, capsys):
    document = ask(capsys, versions, "1.0.0", "v1.1.0")
    assert (document["old"]["ref"], ids(document["freed"])) == ("1.0.0", {"kernel", "cache"})
    run_git(versions.lib.path, "tag", "--force", "rel-1.1.0", "v1.0.1")
    assert run(["bump", "1.0.0", "1.1.0", *options(versions)]) == 2
    assert "by the pin that says it; name a tag or a commit" in capsys.readouterr().err


def test_a_release_that_would_do_better(stage, capsys):
    better = ask(capsys, stage, "v1.0.0", "v1.0.2")["better"]
    assert better[0]["ref"] == "v1.1.0.post1"
    assert set(better[0]["freed"]) == {"kernel", "cache", "input"}
    assert ask(capsys, stage, "v1.0.0", "v1.1.0.post1")["better"] == []


def test_what_a_person_reads(stage, capsys, snapshot):
    assert run(["bump", "v1.0.3", "v1.1.0.post1", *options(stage)]) == 0
    assert capsys.readouterr().out == snapshot


def test_a_long_way_back_is_cut_for_a_person_only(tmp_path, capsys):
    stage = build(tmp_path)
    stage.lib.on("main")
    for number in range(60):
        stage.lib.commit(f"Work (#{100 + number})", {"work.py": code(f"work{number}")})
    assert sum(each["missing"] for each in ask(capsys, stage, "main", "v1.1.0rc1")["dropped_changes"]) > 60
    assert run(["bump", "main", "v1.1.0rc1", *options(stage)]) == 0
    said = capsys.readouterr().out
    assert said.count(" Work ") == 50
    assert "older ones; --json lists them all" in said


def test_a_rewritten_history_is_said(tmp_path, capsys):
    stage = build(tmp_path)
    stage.lib.orphan("old")
    stage.lib.commit("Old", {"core.py": code("core")})
    stage.lib.tag("v0.9.0")
    document = ask(capsys, stage, "v0.9.0", "v1.1.0")
    assert "share no commit" in document["notes"][0]
    assert ids(document["freed"]) == {"kernel", "cache"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["v7", "v1.0.0"], "'v7' names no commit"),
        (["v7", "v8"], "'v8' names no commit"),
        (["-x", "v1.0.0"], "No such option"),
        (["--", "-x", "v1.0.0"], "not a ref"),
        (["v1.0.0"], "Missing argument 'NEW'"),
        (["v1.0.0", "v1.1.0", "--upstream", "x"], "expected one of lib"),
    ],
)
def test_what_cannot_be_asked(stage, capsys, words, says):
    assert run(["bump", *options(stage), *words]) == 2
    assert says in capsys.readouterr().err


def test_nothing_is_written(stage, capsys):
    before = fingerprint(stage.lib.path)
    ask(capsys, stage, "v1.0.0", "v1.1.0")
    assert fingerprint(stage.lib.path) == before
