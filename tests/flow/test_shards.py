"""A matrix of jobs, each with its part: the same writes and the same report as one pass over everything."""

import json

from syncbot.cli.main import run

MADE = ["--made-at", "2026-08-22T06:00:00Z"]


def test_a_matrix_from_the_configuration_alone(make_stand, capsys):
    stand = make_stand("folder")
    assert run(["plan", "--matrix", "--config", str(stand.project)]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert json.loads(printed) == {"include": [{"shard": "1/1", "workarounds": 1, "name": "down"}]}


def test_each_job_writes_its_part(make_stand):
    stand = make_stand("pull-request", extra='dashboard = "Board"')
    stand.pin("v0.1.20")
    code, text = stand.run("sync", "--apply", "--shard", "2/2")
    assert (code, text.strip()) == (0, "nothing to write")
    assert stand.proposals() == []
    code, text = stand.run("plan", "--shard", "1/2", "--json")
    plan = stand.root / "plan.json"
    plan.write_text(text[text.index("{") :])
    code, text = stand.run("apply", "--shard", "1/2", "--plan", str(plan))
    assert code == 0, text
    assert len(stand.proposals()) == 1
    stand.sync()
    # A downstream is whole in its shard, so its dashboard is kept like in one pass.
    assert [each["title"] for each in stand.issues()] == ["Board"]


def test_the_reports_of_the_jobs_are_one_report(make_stand):
    stand = make_stand("folder")
    shards = stand.root / "shards"
    for number in (1, 2):
        (shards / f"report-{number}").mkdir(parents=True)
        where = str(shards / f"report-{number}" / "report.json")
        assert stand.run("report", "--shard", f"{number}/2", *MADE, "--output", where) == (0, "")
    _, whole = stand.run("report", *MADE, "--format", "json")
    merge = ["report", "--config", str(stand.project), "--merge", str(shards), "--format", "json"]
    assert run(merge) == 0
    assert stand.capsys.readouterr().out == whole

    (shards / "report-2" / "report.json").unlink()
    assert run(merge) == 1
    out, err = stand.capsys.readouterr()
    assert json.loads(out)["rows"] == json.loads(whole)["rows"]
    assert "part 2 of 2 is missing" in err
    assert "part 2 of 2 is missing" in json.loads(out)["problems"][0]


def test_what_makes_no_sense(make_stand):
    stand = make_stand("folder")
    for words, said in (
        (["plan", "--matrix", "guard"], "--matrix shares everything out"),
        (["plan", "guard", "--shard", "1/2"], "exclude each other"),
        (["sync", "--shard", "3/2"], "expected I/N"),
        (["sync", "--apply", "--every", "6h", "--shard", "1/2"], "exclude each other"),
        (["report", "--merge", str(stand.root), "--shard", "1/2"], "--merge reads reports"),
        (["report", "--merge", str(stand.root / "nothing")], "No such file"),
    ):
        code, text = stand.run(*words)
        if "--merge" in words:
            code, text = run([*words, "--config", str(stand.project)]), stand.capsys.readouterr().err
        assert code == 2, (words, text)
        assert said in text
