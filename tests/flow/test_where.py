"""``syncbot where`` as a person and a script call it."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.repos import ENV, Repo, code, run_git
from fixtures.stage import build, fingerprint

from syncbot.cache import cache_folder
from syncbot.cli.main import run


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """Read only: shared by the tests of this file."""
    return build(tmp_path_factory.mktemp("stage"))


def ask(capsys, *words: str, code: int = 0) -> str:
    assert run(["where", *words]) == code
    return capsys.readouterr().out


def test_what_a_person_reads(stage, capsys, snapshot):
    fixes = ["#5", "#6", "#7", "#9", "#404"]
    assert ask(capsys, *fixes, "--repo", str(stage.lib.path)) == snapshot


def test_the_commands_that_repeat_it(stage, capsys, snapshot):
    assert ask(capsys, "#5", "--commands", "--targets", "v1.0.3", "--repo", str(stage.lib.path)) == snapshot


def test_the_commands_work(stage, capsys):
    document = json.loads(ask(capsys, "#5", "#6", "#7", "#9", "--json", "--repo", str(stage.lib.path)))
    commands = {
        evidence["command"] for fix in document["fixes"] for target in fix["targets"] for evidence in target["evidence"]
    }
    assert len(commands) > 10
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=stage.lib.path, env=ENV, capture_output=True)
        assert done.returncode == 0, (command, done.stderr)


def test_what_a_script_reads(stage, capsys):
    document = json.loads(ask(capsys, "own/lib#7", stage.ids["#5"][:10], "--json", "--repo", str(stage.lib.path)))
    assert (document["schema"], document["repo"]) == ("syncbot.where/1", "own/lib")
    dispatch, kernel = document["fixes"]
    assert {key: dispatch[key] for key in ("query", "commit", "pull", "title", "reverted")} == {
        "query": "own/lib#7",
        "commit": stage.ids["#7"],
        "pull": 7,
        "title": "Faster dispatch",
        "reverted": True,
    }
    assert {target["ref"]: target["verdict"] for target in dispatch["targets"]} == {
        "v1.0.0": "absent",
        "v1.0.1": "absent",
        "v1.0.2": "absent",
        "v1.0.3": "absent",
        "v1.1.0rc1": "contained",
        "v1.1.0": "reverted",
        "v1.1.0.post1": "reverted",
    }
    assert kernel["query"] == stage.ids["#5"][:10]
    assert kernel["first_release"]["by_line"] == {
        "1.0.1": "v1.0.1",
        "1.0.2": "v1.0.2",
        "1.0.3": "v1.0.3",
        "1.1.0": "v1.1.0",
    }
    target = next(target for target in kernel["targets"] if target["ref"] == "v1.1.0")
    assert target.keys() >= {"ref", "kind", "commit", "version", "date", "verdict", "confidence", "evidence"}
    assert target["evidence"][0]["kind"] == "ancestor"


def test_all(stage, capsys):
    rows = ask(capsys, "--all", "--repo", str(stage.lib.path)).splitlines()
    assert {row.split("\t")[0]: row.split("\t")[1] for row in rows} == {
        "#1": "v1.0.0", "#5": "v1.1.0", "#6": "v1.1.0", "#7": "v1.1.0rc1", "#8": "v1.1.0", "#9": "v1.1.0.post1",
        "#10": "v1.1.0.post1",
    }  # fmt: skip
    documents = [
        json.loads(line) for line in ask(capsys, "--all", "--json", "--repo", str(stage.lib.path)).splitlines()
    ]
    assert {document["fixes"][0]["query"] for document in documents} == {row.split("\t")[0] for row in rows}


def test_an_old_local_branch_does_not_hide_what_origin_has(stage, capsys, tmp_path):
    path = stage.lib.clone(tmp_path / "clone")
    run_git(path, "checkout", "-q", "-B", "main", "v1.0.0")
    for more in ([], ["--branch", "main"]):
        document = json.loads(ask(capsys, "#10", "--json", "--repo", str(path), *more))
        assert document["fixes"][0]["commit"] == stage.ids["#10"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nonsense"], "'nonsense' is not a fix"),
        (["#" + "9" * 5000], "is not a fix"),
        ([], "name at least one fix"),
        (["#5", "--all"], "not both"),
        (["#5", "--targets", "--upload-pack=id"], "not a ref"),
        (["#5", "--targets", "a..b"], "not a ref"),
        (["#5", "--branch", "nowhere"], "--branch: 'nowhere' names no commit"),
        (["#5", "--tags", "none*"], "no tag matches 'none*'"),
        (["a/b#5", "c/d#6"], "several repositories (a/b, c/d)"),
        (["#5", "--repo", "/nonexistent"], "does not exist"),
    ],
)
def test_what_cannot_be_asked(stage, capsys, words, says):
    place = [] if "--repo" in words else ["--repo", str(stage.lib.path)]
    assert run(["where", *words, *place]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert says in told.err
    assert "Traceback" not in told.err


def test_a_fork_is_said_to_be_taken_for_one(stage, capsys, tmp_path, caplog):
    path = stage.lib.clone(tmp_path / "clone", "--bare")
    run_git(path, "config", "remote.origin.url", "https://github.com/me/lib")
    with caplog.at_level(logging.WARNING):
        assert run(["where", "own/lib#5", "--repo", str(path)]) == 0
    assert "asked about own/lib, and the clone is of me/lib" in caplog.text


def test_a_title_cannot_steer_the_terminal(capsys, tmp_path):
    repo = Repo(tmp_path / "lib")
    repo.commit("Evil \x1b]0;title\x07\x1b[2J\u202e (#5)", {"a": "1\n"})
    repo.tag("v1.0.0")
    for words in (["#5"], ["--all"], ["#5", "--targets", "v\x1b[31m"]):
        run(["where", *words, "--repo", str(repo.path)])
        told = capsys.readouterr()
        assert not {"\x1b", "\x07", "\u202e"} & set(told.out + told.err)


def test_a_terminal_that_knows_ascii_only(stage):
    done = subprocess.run(
        [sys.executable, "-m", "syncbot", "where", "#5", "--repo", str(stage.lib.path)],
        env=ENV | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? contained" in done.stdout


# -- the cache ---------------------------------------------------------------------------------------------------------


def test_the_same_answer_cold_warm_deleted_and_damaged(stage, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "own"))
    file = cache_folder({"SYNCBOT_CACHE": str(tmp_path / "own")}) / "facts.sqlite"
    words = ["#5", "#6", "#7", "#9", "--json", "--repo", str(stage.lib.path)]
    without = ask(capsys, *words, "--no-cache")
    assert not file.exists()
    assert ask(capsys, *words) == without
    assert file.exists()
    assert ask(capsys, *words) == without
    data = file.read_bytes()
    for ruined in (b"", b"not a database", data[: len(data) // 2], data[:4096] + b"\xff" * (len(data) - 4096)):
        file.write_bytes(ruined)
        assert ask(capsys, *words) == without
    file.unlink()
    assert ask(capsys, *words) == without


def test_a_warm_cache_is_used(stage, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "own"))
    words = ["#5", "--json", "--repo", str(stage.lib.path)]
    first = ask(capsys, *words)
    monkeypatch.setattr("syncbot.landing.ask.Survey", None)
    assert ask(capsys, *words) == first


def test_commits_that_name_an_issue_are_a_hint_and_no_verdict(capsys, tmp_path):
    repo = Repo(tmp_path / "lib")
    repo.commit("Start (#1)\n\nNothing to do with other/lib#30 or #300.\n", {"a": code("a")})
    fix = repo.commit("Fix b (#9)\n\nFixes #30.\n", {"b": code("b")})
    repo.tag("v1.0.0")
    words = ["#30", "#31", "--json", "--repo", str(repo.path)]
    cold = ask(capsys, *words)
    hinted, unnamed = json.loads(cold)["fixes"]
    assert (hinted["commit"], hinted["targets"][0]["verdict"]) == (None, "absent")
    assert hinted["notes"][1:] == [
        f"#30 is named by #9 ({fix[:12]}); ask for the one that is the fix, if one of them is"
    ]
    assert len(unnamed["notes"]) == 1
    assert ask(capsys, *words) == cold


def test_a_new_tag_is_seen_through_a_warm_cache(capsys, tmp_path):
    repo = Repo(tmp_path / "lib")
    repo.commit("Fix (#5)", {"a": code("a")})
    repo.tag("v1.0.0")
    words = ["#5", "--json", "--repo", str(repo.path)]
    assert len(json.loads(ask(capsys, *words))["fixes"][0]["targets"]) == 1
    repo.revert(str(repo.head))
    repo.tag("v1.1.0")
    answers = json.loads(ask(capsys, *words))["fixes"][0]["targets"]
    assert [answer["verdict"] for answer in answers] == ["contained", "reverted"]


# -- the clone stays as it was -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bare", "plain", "partial", "shallow"])
def test_nothing_is_written(stage, capsys, tmp_path, kind):
    options = {
        "bare": ["--bare"],
        "plain": [],
        "partial": ["--bare", "--filter=blob:none"],
        "shallow": ["--depth", "2"],
    }
    path = stage.lib.clone(tmp_path / "clone", *options[kind])
    # The remote is gone: whoever wants to fetch would fail.
    run_git(path, "config", "remote.origin.url", f"file://{tmp_path}/gone")
    if kind == "shallow":
        run_git(path, "tag", "v9.0.0")
    before = fingerprint(path)
    for words in (["#5", "#9"], ["--all"], ["#6", "--json"], ["#5", "--targets", "main"]):
        assert run(["where", *words, "--repo", str(path)]) == 0
    assert fingerprint(path) == before
    assert not list(Path(stage.lib.path).glob("*.lock"))
