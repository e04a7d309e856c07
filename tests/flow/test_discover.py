"""``syncbot discover`` over a downstream and an upstream."""

import json
import shutil

import pytest
import waiting
from small_repo import commit, git

from syncbot.cli.main import run


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return waiting.make(tmp_path_factory.mktemp("discover") / "world")


@pytest.fixture
def world(template, tmp_path, monkeypatch):
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    return shutil.copytree(template, tmp_path / "world")


@pytest.fixture
def ask(world, capsys):
    def run_it(*more):
        assert run(["discover", *waiting.options(world), *more]) == 0
        return capsys.readouterr().out

    return run_it


@pytest.fixture
def found(ask):
    return lambda *more: json.loads(ask("--json", *more))["findings"]


def change(world, path, old, new, message="Change (#8)"):
    text = git(world / "app", "show", f"main:{path}") + "\n"
    assert old in text
    return commit(world / "app", "main", {path: text.replace(old, new)}, message)


def by_line(findings):
    return {(each["path"], each["line"]): each for each in findings}


def test_what_is_overdue_comes_first_and_a_mention_is_nothing(found):
    findings = found()
    assert [(each["line"], each["stage"]) for each in findings] == [(3, "ready"), (9, "fixed"), (15, "unlinked")]
    first = findings[0]
    assert first["pins"] == [{"name": "image", "ref": "v1.1", "verdict": "contained"}]
    assert first["first_release"] == "v1.1"
    assert first["since"] == "2026-08-01"
    assert first["introduced"]["pull"] == 7
    assert first["guards"] == {"first": 4, "last": 4, "symbol": "scores"}
    assert first["fixes"] == [{"upstream": "lib", "pull": 12, "commit": None}]


def test_a_second_run_answers_the_same_from_the_cache(ask):
    assert ask("--json") == ask("--json") == ask("--json", "--no-cache")


def test_people_read_the_same(ask):
    text = ask()
    assert text.startswith("overdue   ")
    assert "app/kernel.py:3 (scores)" in text
    assert "came with" in text
    assert "Guard scores against lib (#7)" in text
    assert "3 findings in 2 files: 1 overdue, 1 fixed, 1 unlinked" in text


def test_a_pin_that_falls_back_makes_it_wait_again(world, found):
    change(world, "Dockerfile", "v1.1", "v1.0")
    assert by_line(found())["app/kernel.py", 3]["stage"] == "regressed"


def test_an_upstream_without_a_clone_is_unknown(world, found):
    change(world, "app/kernel.py", "acme/lib#12", "acme/tool#12")
    first = by_line(found())["app/kernel.py", 3]
    assert (first["stage"], first["upstream"]) == ("unknown", "tool")


def test_an_upstream_that_is_not_configured_is_unknown(world, found):
    change(world, "app/kernel.py", "acme/lib#12", "other/thing#12")
    first = by_line(found())["app/kernel.py", 3]
    assert (first["stage"], first["upstream"]) == ("unknown", None)
    assert "not a configured upstream" in first["reasons"][0]


def test_a_number_that_nothing_landed_is_never_ready(world, found):
    change(world, "app/kernel.py", "acme/lib#12", "acme/lib#99")
    assert by_line(found())["app/kernel.py", 3]["stage"] == "unsure"


def test_an_issue_is_unlinked_and_candidates_are_offered(world, found):
    change(world, "app/kernel.py", "acme/lib#12 is released", "https://github.com/acme/lib/issues/13 is fixed")
    first = by_line(found("--candidates"))["app/kernel.py", 3]
    assert first["stage"] == "unlinked"
    assert first["candidates"][0]["title"] == "Support more"
    assert first["candidates"][0]["reasons"][0] == "it says that it ends #13"


def test_one_marker_in_many_places_is_one_finding(world, found):
    commit(
        world / "app",
        "main",
        {"app/other.py": "# TODO: remove once acme/lib#12 is released.\nx = clamp(1)\n"},
        "More (#9)",
    )
    finding = by_line(found())["app/kernel.py", 3]
    assert {each["path"] for each in finding["places"]} == {"app/kernel.py", "app/other.py"}


def test_blame_follows_a_moved_file(world, found):
    text = git(world / "app", "show", "main:app/kernel.py") + "\n"
    moved = commit(world / "app", "main", {"app/kernel.py": "x = 1\n", "app/new.py": text}, "Move (#10)")
    origin = by_line(found())["app/new.py", 3]["introduced"]
    assert (origin["pull"], origin["moved"]) == (7, [moved])


def test_since_tells_only_what_is_new_and_is_quiet_otherwise(world, ask):
    git(world / "app", "branch", "base", "main")
    change(world, "Dockerfile", "ARG LIB=v1.1", "ARG LIB=v1.1\nARG OTHER=1")
    assert ask("--since", "base") == ""
    assert ask("--since", "base", "--format", "comment") == ""
    assert ask("--since", "base", "--format", "annotations") == ""
    commit(
        world / "app", "main", {"app/copy.py": "# TODO: remove once acme/lib#12 is released.\nx = 1\n"}, "Copy (#11)"
    )
    lines = ask("--since", "base", "--format", "annotations").splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::warning file=app/copy.py,line=1,endLine=1,title=workaround::This adds a workaround")
    comment = ask("--since", "base", "--format", "comment")
    assert "`app/copy.py:1`" in comment
    assert "syncbot track" in comment


def test_a_moved_workaround_is_not_new(world, ask):
    git(world / "app", "branch", "base", "main")
    text = git(world / "app", "show", "main:app/kernel.py") + "\n"
    commit(world / "app", "main", {"app/kernel.py": "x = 1\n", "app/new.py": text}, "Move (#10)")
    assert ask("--since", "base") == ""


def test_the_baseline(world, ask, found, tmp_path):
    file = tmp_path / "baseline.json"
    ask("--write-baseline", str(file))
    assert found("--baseline", str(file)) == []
    change(world, "app/kernel.py", "acme/lib/pull/14", "acme/lib/pull/15")
    assert [each["line"] for each in found("--baseline", str(file))] == [9]


def test_a_baseline_that_is_none_says_so(world, tmp_path, capsys):
    file = tmp_path / "baseline.json"
    file.write_text("[1]", encoding="utf-8")
    assert run(["discover", *waiting.options(world), "--baseline", str(file)]) == 2
    assert "expected a file that --write-baseline wrote" in capsys.readouterr().err


def test_only_one_upstream(found):
    assert found("--upstream", "tool") == []
    assert len(found("--upstream", "lib")) == 3


def test_a_missing_blob_is_skipped_and_counted(world, ask):
    app = world / "app"
    commit(app, "main", {"app/gone.py": "# TODO: remove once acme/lib#14 is fixed\nx = 1\n"}, "Gone (#12)")
    oid = git(app, "rev-parse", "main:app/gone.py")
    (app / "objects" / oid[:2] / oid[2:]).unlink()
    answer = json.loads(ask("--json"))
    assert answer["skipped"] == {"missing": 1}
    assert len(answer["findings"]) == 3


def test_hostile_text_reaches_no_terminal_and_no_workflow_command(world, ask):
    commit(
        world / "app", "main",
        {"app/evil%,:.py": "# TODO: remove once acme/lib#14 is fixed \x1b[31m @everyone <b> ::error::x\nx = 1\n"},
        "Evil (#13)",
    )  # fmt: skip
    assert "\x1b" not in ask()
    lines = ask("--since", "main~1", "--format", "annotations").splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::warning file=app/evil%25%2C%3A.py,line=1")
    assert "<b>" not in ask("--since", "main~1", "--format", "comment").replace("`", "\n`").split("\n`")[0]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--upstream", "nobody"], "expected one of lib, tool"),
        (["--downstream", "nobody"], "expected one of app"),
        (["--at", "nowhere"], "nowhere"),
        (["--since", "nowhere"], "nowhere"),
        (["--since", "--output=x"], "--output=x"),
    ],
)
def test_what_is_not_there(world, capsys, more, told):
    assert run(["discover", *waiting.options(world), *more]) == 2
    assert told in capsys.readouterr().err
