"""``report`` as a person calls it, on the repositories of `syncbot demo`, and on real clones if there are any."""

import datetime as dt
import json
import os
import re
import shutil
from pathlib import Path

import jsonschema
import pytest

from syncbot.cli.demo import runner
from syncbot.cli.main import run
from syncbot.cli.report import Format
from syncbot.cli.repos import open_project
from syncbot.demo import play
from syncbot.model.project import Introduced
from syncbot.observe import Moment, observe
from syncbot.policy import conclude
from syncbot.report.past import facts_on, history

ROOT = Path(__file__).parents[2]
REPOS = ["--repo", "lumen=lumen.git", "--repo", "harbor=harbor.git"]
MADE = ["--as-of", "2026-03-27", "--made-at", "2026-03-27T06:00:00Z"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "demo"
    folder.mkdir()
    for _ in play.play(folder, runner(folder)):
        pass
    return folder


@pytest.fixture
def here(demo, monkeypatch):
    monkeypatch.chdir(demo)
    # One cache for the file: what is asked is how a report looks; `test_where.py` holds cold against warm.
    monkeypatch.setenv("SYNCBOT_CACHE", str(demo.parent / "cache"))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return demo


def report(capsys, *args):
    assert run(["report", *REPOS, *MADE, *args]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


@pytest.mark.usefixtures("here")
def test_several_files_of_one_moment(tmp_path, capsys):
    names = ("index.html", "report.json", "report.md", "badge.json")
    assert report(capsys, *(word for name in names for word in ("--output", str(tmp_path / name)))) == ""
    assert json.loads((tmp_path / "badge.json").read_text())["schemaVersion"] == 1
    assert json.loads((tmp_path / "report.json").read_text())["schema"] == "syncbot.report/1"
    assert (tmp_path / "index.html").read_text().startswith("<!DOCTYPE html>")


def test_every_format_says_the_same(here, capsys):
    page = report(capsys, "--format", "html")
    summary = report(capsys, "--format", "markdown")
    told = report(capsys, "--format", "terminal")
    badge = json.loads(report(capsys, "--format", "badge"))
    said = json.loads(report(capsys, "--format", "json"))
    assert badge["message"] == "1 carried, 1 to restore"
    for row in said["rows"]:
        for text in (page, told):
            assert row["id"] in text
            assert row["next"] in text
        assert row["stage"] in summary
    assert "<!DOCTYPE html>" in page[:20]
    schema = json.loads((ROOT / "docs" / "schema" / "report.json").read_text(encoding="utf-8"))
    jsonschema.validate(said, schema)


def test_the_facts_are_those_of_status(here, capsys):
    said = json.loads(report(capsys, "--format", "json"))
    assert run(["status", *REPOS, "--as-of", "2026-03-27", "--no-cache", "--json"]) == 0
    status = {each["id"]: each for each in json.loads(capsys.readouterr().out)["workarounds"]}
    assert {row["id"] for row in said["rows"]} == set(status)
    for row in said["rows"]:
        other = status[row["id"]]
        for key in ("title", "stage", "fit", "decision", "next", "reasons", "owner", "downstream"):
            assert row[key] == other[key], key
        for key in ("merged", "released", "pinned"):
            assert row[key] == other["dates"][key]
        for pin, its in zip(row["pins"], other["pins"], strict=True):
            assert {key: pin[key] for key in ("name", "ref", "verdict", "confidence", "since", "had_it_as")} == {
                key: its[key] for key in ("name", "ref", "verdict", "confidence", "since", "had_it_as")
            }


def test_the_moves_are_those_of_the_pin_history(here, capsys):
    said = json.loads(report(capsys, "--format", "json"))
    assert run(["status", *REPOS, "--as-of", "2026-03-27", "--no-cache", "--pin-history", "--json"]) == 0
    moves = json.loads(capsys.readouterr().out)["moves"]
    (pin,) = said["pins"]
    keys = ("date", "old", "new", "move", "lost", "gained")
    assert [{key: move[key] for key in keys} for move in pin["moves"]] == [
        {key: move[key] for key in keys} for move in moves
    ]


def test_twice_the_same_bytes(here, capsys):
    assert report(capsys, "--format", "html") == report(capsys, "--format", "html")


def test_output_by_the_name_of_the_file(here, capsys, tmp_path):
    for ending, begin in ((".html", "<!DOCTYPE"), (".md", "# "), (".json", "{"), (".txt", "Workarounds")):
        file = tmp_path / f"report{ending}"
        assert report(capsys, "--output", str(file)) == ""
        assert file.read_text(encoding="utf-8").startswith(begin)
        assert file.stat().st_mode & 0o044


def test_in_actions_the_summary_gets_markdown(here, capsys, tmp_path, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("from an earlier step\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    told = report(capsys)
    assert "masked-tail" in told
    first, second = summary.read_text(encoding="utf-8").splitlines()[:2]
    assert (first, second) == ("from an earlier step", "# Workarounds")
    report(capsys, "--format", "badge")
    assert summary.read_text(encoding="utf-8").count("# Workarounds\n") == 1


def test_one_workaround_alone(here, capsys):
    said = json.loads(report(capsys, "long-rows", "--format", "json"))
    assert [row["id"] for row in said["rows"]] == ["long-rows"]


def test_the_memory_brings_its_trend(here, capsys, tmp_path):
    memory = tmp_path / "memory.jsonl"
    lines = [
        {"kind": "trend", "at": "2026-03-20T05:00:00+00:00", "name": name, "value": value}
        for name, value in (("carried", 7.0), ("overdue", 3.0), ("stage.ready", 7.0))
    ]
    memory.write_text("".join(json.dumps(line) + "\n" for line in [*lines, {"kind": "trend"}]))
    said = json.loads(report(capsys, "--format", "json", "--memory", str(memory)))
    point = {"date": "2026-03-20", "carried": 7, "overdue": 3, "stages": {"ready": 7}, "remembered": True}
    assert said["trend"][-2] == point
    assert re.search("line 4 is damaged", said["problems"][0])
    again = json.loads(report(capsys, "--format", "json", "--memory", str(memory), "--since", "2026-03-01"))
    assert again["trend"][0]["date"] == "2026-03-01"
    assert point not in again["trend"]


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--every", "soon"], "--every soon: expected a number and m, h or d, as in 6h"),
        (["--since", "May"], "--since May: expected a day as YYYY-MM-DD"),
        (["--made-at", "noon"], "--made-at noon: expected a time as 2026-08-22T06:00:00Z"),
        (["--output", "report.pdf"], "--output report.pdf: name a --format, or a file in .html, .md, .json, .txt"),
        (["nobody"], "no workaround is called 'nobody'; there are long-rows, masked-tail"),
    ],
)
def test_options_that_make_no_sense(here, capsys, args, complaint):
    assert run(["report", *REPOS, "--no-cache", *args]) == 2
    assert capsys.readouterr().err == f"error: {complaint}\n"


def test_a_file_that_cannot_be_written_is_told(here, capsys, tmp_path):
    (tmp_path / "file").write_text("")
    assert run(["report", *REPOS, *MADE, "--format", "badge", "--output", str(tmp_path / "file" / "badge.json")]) == 1
    assert "badge.json" in capsys.readouterr().err


def test_results_that_cannot_be_read_are_a_problem_and_no_end(here, capsys):
    folder = here / "patches" / "long-rows" / "results"
    folder.mkdir()
    try:
        (folder / "20260320T000000Z-x.json").write_text("no json")
        said = json.loads(report(capsys, "--format", "json"))
    finally:
        (folder / "20260320T000000Z-x.json").unlink()
        folder.rmdir()
    assert len(said["rows"]) == 2
    assert said["problems"][0].startswith("long-rows: ")


def test_a_day_that_the_manifest_leaves_out_is_that_of_the_commit(here, capsys, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(here, project, ignore=shutil.ignore_patterns("*.git"))
    manifest = project / "patches" / "long-rows" / "patch.toml"
    text = manifest.read_text(encoding="utf-8")
    assert "date = 2026-02-11\n" in text
    manifest.write_text(text.replace("date = 2026-02-11\n", "", 1), encoding="utf-8")
    rows = json.loads(report(capsys, "--config", str(project), "long-rows", "--format", "json"))["rows"]
    assert rows[0]["introduced"]["date"] == "2026-02-11"
    assert rows[0]["days"]["carried"] == 44


@pytest.mark.parametrize("ending", ["html", "md", "txt", "json", "badge.json"])
def test_the_gallery_is_up_to_date(here, capsys, tmp_path, ending):
    file = tmp_path / f"demo.{ending}"
    form = ["--format", "badge"] if ending == "badge.json" else []
    report(capsys, "--every", "36525d", "--output", str(file), *form)
    same = file.read_bytes() == (ROOT / "docs" / "gallery" / file.name).read_bytes()
    assert same, "run: make docs"


def test_the_schema_is_printed(capsys):
    assert run(["report", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(
        (ROOT / "docs" / "schema" / "report.json").read_text(encoding="utf-8")
    )


def test_formats_are_those_of_the_documentation():
    text = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    assert [word for word in Format if f"`{word.value}`" not in text] == []


# -- the past, held against a second look at git -----------------------------------------------------------------------


def agree(project, clones, today, days):
    """What `facts_on` makes of today's facts is what `observe` finds for that day."""
    now = observe(project, clones, Moment(today=today, until=end_of(today)))
    compared = 0
    for day in days:
        then = {
            each.workaround.id: conclude(each)
            for each in observe(project, clones, Moment(today=day, until=end_of(day)))
        }
        for facts in now:
            if facts.workaround.introduced.date is None or facts.workaround.introduced.date > day:
                continue
            told, found = conclude(facts_on(facts, day)), then[facts.workaround.id]
            assert (told.stage, told.dates) == (found.stage, found.dates), (facts.workaround.id, day)
            compared += 1
    return compared


def end_of(day):
    return dt.datetime.combine(day, dt.time(23, 59, 59), dt.UTC)


def test_the_past_is_what_a_look_at_that_day_finds(here):
    project, clones = open_project(".", [option for option in REPOS if option != "--repo"])
    days = [dt.date(2026, 2, 10) + dt.timedelta(days=4 * number) for number in range(11)]
    assert agree(project, clones, dt.date(2026, 3, 27), days) > 15


@pytest.fixture(scope="module")
def clones():
    folder = os.environ.get("SYNCBOT_CLONES")
    if not folder:
        pytest.skip("SYNCBOT_CLONES names no folder of real clones")
    paths = {name: Path(folder) / at / "repo" for name, at in (("aiter", "ROCm+aiter"), ("vllm", "shen-shanshan+vllm"))}
    if missing := [str(path) for path in paths.values() if not path.is_dir()]:
        pytest.skip(f"no clone at {', '.join(missing)}")
    return open_project(str(ROOT), [f"{name}={path}" for name, path in paths.items()])


@pytest.mark.real
def test_the_past_of_vllm_is_what_a_look_at_that_day_finds(clones):
    days = [dt.date(2026, 6, 20) + dt.timedelta(days=14 * number) for number in range(4)]
    assert agree(*clones, dt.date(2026, 8, 22), days) > 10


@pytest.mark.real
def test_the_model_case_day_by_day(clones):
    project, repos = clones
    today = dt.date(2026, 8, 22)
    (facts,) = observe(project, repos, Moment(today=today, until=end_of(today)), only=["vllm-49714"])
    assert [(f"{past.date}", past.stage.value) for past in history(conclude(facts))] == [
        ("2026-07-28", "waiting"),
        ("2026-08-16", "fixed"),
        ("2026-08-18", "released"),
    ]
    assert isinstance(facts.workaround.introduced, Introduced)
