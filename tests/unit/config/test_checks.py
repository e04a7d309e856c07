"""The tables of checks are those of the model, key for key."""

from pathlib import Path

import pytest

from syncbot.config import check_project, load_project
from syncbot.config.check_tables import AccuracyTable, BenchmarkTable, CommandTable, FunctionalTable, ManualTable
from syncbot.model.checks import OPTIONS, PRESETS, CheckKind, option_problems

TABLES = {
    CheckKind.FUNCTIONAL: FunctionalTable,
    CheckKind.BENCHMARK: BenchmarkTable,
    CheckKind.ACCURACY: AccuracyTable,
    CheckKind.COMMAND: CommandTable,
    CheckKind.MANUAL: ManualTable,
}
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("kind", list(CheckKind))
def test_keys_and_presets_are_those_of_the_model(kind):
    fields = TABLES[kind].model_fields
    assert set(fields) - {"name", "kind", "required"} == set(OPTIONS[kind])
    schema = TABLES[kind].model_json_schema()["properties"].get("preset", {"anyOf": [{}]})
    preset = schema["anyOf"][0]
    assert tuple(preset.get("enum", [preset["const"]] if "const" in preset else [])) == PRESETS.get(kind, ())


def test_only_what_was_written_is_handed_on(project):
    text = """
[[checks]]
name = "8k1k"
kind = "benchmark"
preset = "vllm-8k1k"
required = false
workload = { model = "m", request_rate = "inf" }
metrics = [{ name = "output_throughput", tolerance = 2 }]
"""
    manifest = project / "patches" / "guard" / "patch.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + text, encoding="utf-8")
    check = load_project(project).workarounds[0].checks[1]
    assert (check.name, check.kind, check.required) == ("8k1k", "benchmark", False)
    assert check.options == {
        "preset": "vllm-8k1k",
        "workload": {"model": "m", "request_rate": "inf"},
        "metrics": [{"name": "output_throughput", "tolerance": 2}],
    }


def test_checks_of_the_repository_are_right_for_the_model_too():
    checks = [check for each in load_project(ROOT).workarounds for check in each.checks]
    assert checks
    assert [line for check in checks for line in option_problems(check.kind, check.options)] == []


@pytest.mark.parametrize(
    ("kind", "options", "key"),
    [
        ("benchmark", "runs = 3", "concurrency"),
        ("functional", "waves = 3", "command"),
        ("accuracy", 'task = "gsm8k"', "metric"),
        ("benchmark", "concurrency = []", "concurrency"),
        ("benchmark", 'preset = "vllm-8k1k"\nconfidence = 1.0', "confidence"),
        ("accuracy", 'preset = "lm-eval-gsm8k"\ntolerance = -1', "tolerance"),
        ("command", 'command = "true"\nexit_code = 256', "exit_code"),
        ("manual", 'text = " "', "text"),
    ],
)
def test_what_the_model_refuses_is_refused_here(project, kind, options, key):
    manifest = project / "patches" / "guard" / "patch.toml"
    text = f'\n[[checks]]\nname = "other"\nkind = "{kind}"\n{options}\n'
    manifest.write_text(manifest.read_text(encoding="utf-8") + text, encoding="utf-8")
    (problem,) = check_project(project)
    assert problem.key == ("checks", 1, key)
