"""``syncbot results`` from end to end: the printed script is run against a stub, its files are attached and judged."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from syncbot.cli.main import run
from tests.flow.stub_tools import free_port, install

REAL = Path(__file__).parents[1] / "corpus" / "results" / "real"
EDIT, PIN = "3f1c9a7e5b2d", "v0.1.21.post1"

CONFIG = """
[upstreams.up]
url = "https://example.org/up.git"
[downstreams.down]
url = "https://example.org/down.git"
"""

MANIFEST = """
title = "NaN guard"
why = "The operator returns NaN."
downstream = "down"
[introduced]
commit = "6c7e679f048dc6123caecc3985150766e455ff22"
"""

SPEED = """
[[checks]]
name = "speed"
kind = "benchmark"
command = "bench {port} {model} {concurrency} {prompts} {out} {tags}"
server = "serve {model} --port {port}"
concurrency = [8]
workload = { model = "stub", input_len = 128, output_len = 32, prompts = 48 }
metrics = [{ name = "output_throughput", direction = "higher", tolerance = 5.0 }]
"""

OTHERS = """
[[checks]]
name = "unit"
kind = "command"
command = "test -e workaround && exit 1 || exit 0"
[[checks]]
name = "waves"
kind = "functional"
command = "bench {port} {model} {concurrency} {prompts} {out} {tags}"
server = "serve {model} --port {port}"
concurrency = 4
waves = 3
workload = { model = "stub", input_len = 128, output_len = 32 }
forbidden_log_lines = ["Memory access fault"]
[[checks]]
name = "eyes"
kind = "manual"
text = "Logs were read"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one workaround, ``nan``, in the current folder."""
    folder = tmp_path / "project"
    (folder / "patches" / "nan").mkdir(parents=True)
    (folder / "syncbot.toml").write_text(CONFIG)
    (folder / "patches" / "nan" / "patch.toml").write_text(MANIFEST + SPEED)
    monkeypatch.chdir(folder)
    return folder


def files(arm, pattern="vllm-0.33.0/{arm}_c8_r*.json"):
    found = sorted(REAL.glob(pattern.format(arm=arm)))
    assert found
    return [word for path in found for word in (f"--{arm}", str(path))]


def answer(capsys, *arguments):
    status = run(["results", *arguments])
    out, err = capsys.readouterr()
    assert status == 0, err
    return json.loads(out)


def kept(project):
    return sorted((project / "patches" / "nan" / "results").glob("*"))


def test_compare_has_the_documented_form(capsys):
    said = answer(capsys, "compare", *files("baseline"), *files("candidate"), "--json")
    assert said["schema"] == "syncbot.results/1"
    assert [each["name"] for each in said["metrics"]] == ["output_throughput", "mean_ttft_ms", "mean_tpot_ms"]
    first = said["metrics"][0]
    assert first["level"] == {"max_concurrency": 8}
    assert first["interval"][0] < first["ratio"] < first["interval"][1]
    assert first["runs"] == [5, 5]


def test_compare_one_run_an_arm_is_inconclusive(capsys):
    one = "vllm-0.33.0/{arm}_c8_r1.json"
    said = answer(capsys, "compare", *files("baseline", one), *files("candidate", one), "--json")
    assert {(each["verdict"], *each["interval"], *each["runs"]) for each in said["metrics"]} == {
        ("inconclusive", None, None, 1, 1)
    }


def test_compare_for_people(capsys):
    assert run(["results", "compare", *files("baseline"), *files("candidate"), "--plot"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("metric ")
    assert "verdict: " in out
    assert "●" in out


def test_attach_judges_keeps_and_writes_the_body(project, capsys):
    body = project / "body.md"
    body.write_text("## Purpose\n")
    signed = ["--by", "@name", "--hardware", "stub", "--note", "as printed", "--body", str(body)]
    said = answer(capsys, "attach", "nan", *files("baseline"), *files("candidate"), *signed, "--json")
    assert (said["ready"], said["checks"][0]["verdict"]) == (True, "pass")
    assert "- [x] benchmark: `speed`" in body.read_text()
    assert len(kept(project)) == 1
    assert answer(capsys, "show", "nan", "--json") == said


def test_attaching_again_adds_nothing(project, capsys):
    arms = [*files("baseline"), *files("candidate")]
    assert run(["results", "attach", "nan", *arms]) == 0
    before = kept(project)
    assert run(["results", "attach", "nan", *arms]) == 0
    assert kept(project) == before
    assert "nothing new" in capsys.readouterr().err


def test_a_comment_with_a_block_is_as_good_as_files(project, capsys):
    body = project / "body.md"
    body.write_text("")
    assert run(["results", "attach", "nan", *files("baseline"), *files("candidate"), "--body", str(body)]) == 0
    for each in kept(project):
        each.unlink()
    capsys.readouterr()
    said = answer(capsys, "attach", "nan", "--comment", str(body), "--by", "@other", "--json")
    assert said["checks"][0]["verdict"] == "pass"


def test_files_without_metadata_are_kept_and_inconclusive(project, capsys):
    old = [*files("baseline", "bench/base_c8_r*.json"), *files("candidate", "bench/fast_c8_r*.json")]
    assert run(["results", "attach", "nan", *old]) == 2
    assert "--edit is needed: the files name none" in capsys.readouterr().err
    said = answer(capsys, "attach", "nan", *old, "--edit", EDIT, "--pin", PIN, "--json")
    (check,) = said["checks"]
    assert check["verdict"] == "inconclusive"
    assert any(reason.endswith("does not say edit, pin, hardware") for reason in check["reasons"])


REFUSALS = [
    ("candidate", "other_edit", "edit is '000000000000'"),
    ("candidate", "other_pin", "pin is 'v0.1.19'"),
    ("candidate", "other_model", "model is 'other-stub'"),
    ("candidate", "other_tokenizer", "tokenizer is './tok453'"),
    ("candidate", "other_lengths", "input_len is 64"),
    ("candidate", "fewer_prompts", "24 prompts at max_concurrency 8, the check asks for 48"),
    ("candidate", "failed", "1 of 48 requests failed"),
    ("baseline", "detailed", "says it is the arm 'candidate', and was given as baseline"),
]


CHANGED = [
    ({"output_throughput": 9000.0}, "output_throughput is 9000, but its count over its duration is "),
    ({"isl": "8192"}, "isl says 8192 tokens, but the run used 128 a request"),
    ({"osl": "1024"}, "osl says 1024 tokens, but the run made 32 a request (was --ignore-eos forgotten?)"),
]


@pytest.mark.parametrize(("change", "said"), CHANGED)
def test_a_file_that_contradicts_itself_is_shown_and_refused_at_the_gate(project, capsys, change, said):
    arms = {}
    for arm in ("baseline", "candidate"):
        (project / arm).mkdir()
        for path in REAL.glob(f"vllm-0.33.0/{arm}_c8_r*.json"):
            (project / arm / path.name).write_text(json.dumps(json.loads(path.read_text()) | change))
        arms[arm] = [f"--{arm}", arm]
    assert run(["results", "attach", "nan", *arms["baseline"], *arms["candidate"]]) == 2
    assert said in capsys.readouterr().err
    assert kept(project) == []
    compared = answer(capsys, "compare", *arms["baseline"], *arms["candidate"], "--json")
    assert any(said in note for note in compared["notes"])


@pytest.mark.parametrize(("arm", "name", "said"), REFUSALS)
def test_nothing_is_half_attached(project, capsys, arm, name, said):
    body = project / "body.md"
    body.write_text("## Purpose\n")
    extra = [f"--{arm}", str(REAL / "vllm-0.33.0" / f"{name}.json")]
    bound = ["--edit", EDIT, "--pin", PIN, "--body", str(body)]
    assert run(["results", "attach", "nan", *files("baseline"), *files("candidate"), *extra, *bound]) == 2
    assert said in capsys.readouterr().err
    assert kept(project) == []
    assert body.read_text() == "## Purpose\n"


def test_results_of_another_edit_are_stale(project, capsys):
    assert run(["results", "attach", "nan", *files("baseline"), *files("candidate")]) == 0
    capsys.readouterr()
    said = answer(capsys, "show", "nan", "--edit", "new", "--json")
    assert not said["ready"]
    assert said["stale"] == f"measured with another edit ({EDIT}, now new)"


def test_a_name_nearly_right(project, capsys):
    assert run(["results", "show", "nam"]) == 2
    assert "did you mean 'nan'?" in capsys.readouterr().err


def test_the_script_runs_both_arms_and_its_files_open_the_gate(project, tmp_path, capsys):
    """What is printed is run by bash, with a stub for the server and one for the client, from two checkouts."""
    manifest = project / "patches" / "nan" / "patch.toml"
    manifest.write_text(MANIFEST + SPEED.replace("prompts = 48", "prompts_per_concurrency = 6") + "runs = 2\n" + OTHERS)
    for arm in ("with", "without"):
        (tmp_path / arm).mkdir()
    (tmp_path / "with" / "workaround").touch()
    tools = tmp_path / "bin"
    install(tools)
    assert run(["results", "commands", "nan", "--edit", EDIT, "--pin", PIN]) == 0
    (tmp_path / "measure.sh").write_text(capsys.readouterr().out)
    environment = os.environ | {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "BASELINE": str(tmp_path / "with"),
        "CANDIDATE": str(tmp_path / "without"),
        "HARDWARE": "stub",
        "PORT": str(free_port()),
        "OUT": str(tmp_path / "out"),
        "ORDER": str(tmp_path / "order"),
    }
    done = subprocess.run(["bash", str(tmp_path / "measure.sh")], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    order = (tmp_path / "order").read_text().split()
    assert order[:4] == ["baseline", "candidate"] * 2
    body = project / "body.md"
    body.write_text("")
    said = answer(capsys, "attach", "nan", "--folder", str(tmp_path / "out"), "--body", str(body), "--json")
    assert {each["name"]: each["verdict"] for each in said["checks"]} == {
        "speed": "pass",
        "unit": "pass",
        "waves": "pass",
        "eyes": "missing",
    }
    assert said["waiting"] == ["eyes: a person has to tick it"]
    body.write_text(body.read_text().replace("- [ ] manual", "- [x] manual"))
    assert answer(capsys, "show", "nan", "--body", str(body), "--json")["ready"]
