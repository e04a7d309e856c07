"""Every malformed or mismatched pair of the corpus is refused, with the exact difference and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.cli.main import run

REFUSED = Path(__file__).parents[2] / "corpus" / "results" / "refused"
CASES = sorted(each.name for each in REFUSED.iterdir())


def test_the_corpus_is_there():
    assert len(CASES) >= 25


@pytest.mark.parametrize("case", CASES)
def test_is_refused_with_the_exact_difference(case, monkeypatch, capsys):
    monkeypatch.chdir(REFUSED / case)
    (baseline,), (candidate,) = Path().glob("baseline.*"), Path().glob("candidate.*")
    status = run(["results", "compare", "--baseline", str(baseline), "--candidate", str(candidate)])
    out, err = capsys.readouterr()
    assert (status, out, err) == (2, "", Path("expected.txt").read_text())


def test_json_too_deep_to_read_is_refused(tmp_path, capsys):
    deep = tmp_path / "deep.json"
    deep.write_text('{"a":' * 100_000)
    assert run(["results", "compare", "--baseline", str(deep), "--candidate", str(deep)]) == 2
    assert "JSON" in capsys.readouterr().err


def test_all_problems_of_all_files_at_once(tmp_path, capsys):
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "b.json").write_text("nonsense")
    files = ["--baseline", str(tmp_path / "a.json"), "--baseline", str(tmp_path / "b.json"), "--baseline", "not-there"]
    assert run(["results", "compare", *files, "--candidate", "not-there"]) == 2
    err = capsys.readouterr().err
    assert "a.json: not a result file" in err
    assert "b.json: line 1, column 1: not JSON" in err
    assert "not-there: No such file" in err
