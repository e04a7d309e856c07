"""``syncbot status`` over a stage of two projects: today, at a commit, as of a day, and every move of a pin."""

from __future__ import annotations

import datetime as dt
import json
import shutil

import pytest
from fixtures.repos import HOUR, START, run_git
from fixtures.stage import build, fingerprint

from syncbot.cli.main import run


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One for the file, since the stage has the same commits each time; `test_where.py` holds cold against warm."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def stage(tmp_path, monkeypatch, cache):
    stage = build(tmp_path)
    monkeypatch.setenv("SYNCBOT_CACHE", str(cache))
    # Commits are hours apart in January; "today" must not move the days that are printed.
    monkeypatch.setattr("syncbot.cli.clock.now", lambda: dt.datetime(2026, 2, 1, 12, tzinfo=dt.UTC))
    return stage


def ask(capsys, stage, *words: str, code: int = 0):
    assert run(["status", *stage.repos, *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def brief(document) -> dict[str, tuple[str, str, str]]:
    return {each["id"]: (each["stage"], each["fit"], each["decision"]) for each in document["workarounds"]}


def test_before_any_pin_has_a_fix(stage, capsys):
    document = ask(capsys, stage)
    assert document["schema"] == "syncbot.status/1"
    assert brief(document) == {
        "cache": ("released", "present", "keep"),
        "dispatch": ("released", "present", "keep"),
        "input": ("released", "present", "keep"),
        "kernel": ("released", "present", "keep"),
        "mystery": ("unlinked", "present", "keep"),
    }
    kernel = next(each for each in document["workarounds"] if each["id"] == "kernel")
    assert kernel["first_release"]["by_date"] == "v1.1.0"
    assert [(pin["name"], pin["gating"], pin["verdict"]) for pin in kernel["pins"]] == [
        ("image", True, "absent"),
        ("nightly", False, "contained"),
    ]
    assert kernel["next"] == "Wait for pin image to reach v1.1.0 or another release that has it."


def test_the_pin_moves_up_and_falls_back(stage, capsys):
    stage.pin("v1.1.0.post1")
    assert brief(ask(capsys, stage)) == {
        "cache": ("ready", "present", "remove"),
        "dispatch": ("released", "present", "keep"),
        "input": ("ready", "present", "remove"),
        "kernel": ("ready", "present", "remove"),
        "mystery": ("unlinked", "present", "keep"),
    }
    stage.pin("v1.0.2")
    found = brief(ask(capsys, stage))
    assert found["cache"] == ("regressed", "present", "keep"), "v1.0.2 had its pick reverted"
    assert found["input"] == ("regressed", "present", "keep")
    assert found["kernel"] == ("ready", "present", "remove")


def test_a_fix_that_was_reverted_in_the_release_after(stage, capsys):
    stage.pin("v1.1.0rc1")
    assert brief(ask(capsys, stage))["dispatch"] == ("ready", "present", "review")
    stage.pin("v1.1.0")
    document = ask(capsys, stage)
    assert brief(document)["dispatch"] == ("regressed", "present", "keep")
    dispatch = next(each for each in document["workarounds"] if each["id"] == "dispatch")
    assert dispatch["pins"][0]["had_it_as"] == "v1.1.0rc1"
    assert "reverted upstream" in dispatch["reasons"][0]


def test_gone_and_needed_again(stage, capsys):
    stage.pin("v1.1.0")
    stage.app.commit("Take the guard out", {"kernel.py": None, "input.py": None})
    found = brief(ask(capsys, stage))
    assert found["kernel"] == ("ready", "absent", "done")
    assert found["input"] == ("released", "absent", "restore"), "gone, though the pin lacks its fixes"
    stage.pin("v1.0.0")
    assert brief(ask(capsys, stage))["kernel"] == ("regressed", "absent", "restore")


def test_as_it_was(stage, capsys):
    before = str(stage.app.head)
    stage.pin("v1.1.0")
    assert brief(ask(capsys, stage))["kernel"][0] == "ready"
    for words in (["--at", before], ["--at", f"{before[:12]}"], ["--at", "main~1"]):
        assert brief(ask(capsys, stage, *words))["kernel"][0] == "released"
    first = run_git(stage.app.path, "rev-list", "--max-parents=0", "main").decode().strip()
    found = brief(ask(capsys, stage, "--at", first))
    assert found["kernel"] == ("unsure", "absent", "unsure"), "no pin there yet"


def test_as_of_a_day(stage, capsys):
    """Both sides at the end of that day: what landed, was tagged or pinned later is not known."""
    late = START + 40 * 24 * HOUR
    stage.lib.on("main")
    stage.lib.commit("Fix the mystery (#12)", {"mystery.py": "1\n" * 3}, when=late)
    stage.lib.tag("v1.2.0")
    stage.app.commit("Move lib", {"Dockerfile": 'ARG LIB="v1.2.0"\n'}, when=late)
    stage.manifest("mystery", 12)
    assert brief(ask(capsys, stage))["mystery"] == ("ready", "present", "remove")
    then = ask(capsys, stage, "--as-of", "2026-01-15")
    assert brief(then)["mystery"] == ("waiting", "present", "keep")
    assert brief(then)["kernel"] == ("released", "present", "keep")
    assert then["workarounds"][0]["as_of"] == "2026-01-15"


def test_a_named_commit_that_landed_later_had_not_landed(stage, capsys):
    stage.lib.on("main")
    late = stage.lib.commit("Fix the mystery (#12)", {"mystery.py": "1\n" * 3}, when=START + 40 * 24 * HOUR)
    stage.manifest("mystery", extra=f'\n[[fixes]]\nupstream = "lib"\ncommit = "{late}"\n')
    assert brief(ask(capsys, stage))["mystery"][0] == "fixed"
    assert brief(ask(capsys, stage, "--as-of", "2026-01-15"))["mystery"][0] == "waiting"


def test_what_a_person_reads(stage, capsys, snapshot):
    stage.pin("v1.1.0.post1")
    assert run(["status", *stage.repos]) == 0
    assert capsys.readouterr().out == snapshot


def test_the_day_looked_at_is_printed_and_an_unlinked_one_has_no_verdicts(stage, capsys):
    assert run(["status", *stage.repos, "mystery", "--as-of", "2026-01-15"]) == 0
    day, _, _, row, *_ = capsys.readouterr().out.splitlines()
    assert day == "as of 2026-01-15"
    assert "image v1.0.0 –" in row
    assert "unknown" not in row


def test_no_workaround_at_all_is_said(stage, capsys):
    shutil.rmtree(stage.project / "patches")
    assert run(["status", *stage.repos]) == 0
    assert capsys.readouterr().out.startswith("no workaround is recorded")


def test_pin_history(stage, capsys, snapshot):
    for text in ("v1.0.1", "v1.1.0", "v1.0.3", "v1.0.1", "v9.9"):
        stage.pin(text)
    assert run(["status", *stage.repos, "--pin-history", "kernel"]) == 0
    assert capsys.readouterr().out == snapshot
    document = ask(capsys, stage, "--pin-history", "kernel")
    moves = [(each["new"], each["move"]) for each in document["moves"] if each["pin"] == "image"]
    assert moves == [
        ("v1.0.0", "first"), ("v1.0.1", "forward"), ("v1.1.0", "diverged"), ("v1.0.3", "diverged"),
        ("v1.0.1", "backward"), ("v9.9", "unknown"),
    ]  # fmt: skip


def test_a_move_is_a_line_however_long_its_title(stage, capsys):
    stage.app.commit("Move lib " + "far " * 40, {"Dockerfile": 'ARG LIB="v1.1.0"\n'})
    assert run(["status", *stage.repos, "--pin-history", "kernel"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4, "a heading, two moves of one pin, one of the other"


def test_fail_on(stage, capsys):
    assert run(["status", *stage.repos, "--fail-on", "released"]) == 1
    assert run(["status", *stage.repos, "--fail-on", "regressed,overdue"]) == 0
    stage.pin("v1.1.0")
    assert run(["status", *stage.repos, "--fail-on", "overdue"]) == 1
    assert run(["status", *stage.repos, "kernel", "--fail-on", "unlinked"]) == 0
    assert run(["status", *stage.repos, "--fail-on", "hungry"]) == 2
    assert "hungry" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nobody"], "no workaround is called 'nobody'; there are cache, dispatch"),
        (["--at", "nowhere"], "downstream 'app': 'nowhere' names no commit"),
        (["--at", "-x"], "not a ref"),
        (["--as-of", "yesterday"], "expected a day as YYYY-MM-DD"),
        (["--as-of", "2020-01-01"], "no commit up to 2020-01-01"),
        (["--as-of", "9999-12-31"], None),
        (["--at", "main", "--as-of", "2026-01-01"], "exclude each other"),
        (["--repo", "nobody=/tmp"], "expected NAME=PATH with one of app, image, lib, nightly"),
    ],
)
def test_what_cannot_be_asked(stage, capsys, words, says):
    assert run(["status", *stage.repos, *words]) == (2 if says else 0)
    told = capsys.readouterr().err
    assert (says or "") in told
    assert "bug in syncbot" not in told


def test_a_wrong_pin_is_said_and_the_rest_is_answered(stage, capsys):
    stage.app.commit("Break the pin", {"Dockerfile": "ARG LIBB\n"})
    document = ask(capsys, stage, code=2)
    assert brief(document)["kernel"] == ("unsure", "present", "keep")
    assert "pattern matches nothing in Dockerfile" in document["workarounds"][0]["pins"][0]["problem"]


def test_an_upstream_that_cannot_be_read_is_unsure_and_never_no(stage, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    below = run_git(stage.lib.path, "rev-parse", "main~1").decode().strip()
    stage.lib.object_path(below).unlink()
    found = brief(ask(capsys, stage))
    assert {each[0] for name, each in found.items() if name != "mystery"} == {"unsure"}
    assert {each[2] for each in found.values()} == {"keep"}


def test_nothing_is_written(stage):
    stage.pin("v1.1.0")
    before = [fingerprint(repo.path) for repo in (stage.lib, stage.app)]
    for words in ([], ["--pin-history"], ["--at", "main~1"], ["--as-of", "2026-01-15"]):
        assert run(["status", *stage.repos, *words]) == 0
    assert [fingerprint(repo.path) for repo in (stage.lib, stage.app)] == before


def test_a_pin_that_was_not_there_yet_is_no_mistake(stage, capsys):
    """Looked at before its place existed a pin is unknown; today the same would be a mistake in the configuration."""
    first = run_git(stage.app.path, "rev-list", "--max-parents=0", "main").split()[0]
    stage.app.commit("Drop the image", {"Dockerfile": None})
    assert run(["status", *stage.repos, "--at", first]) == 0
    assert "error" not in capsys.readouterr().err
    assert run(["status", *stage.repos]) == 2
    assert "does not exist at" in capsys.readouterr().err
