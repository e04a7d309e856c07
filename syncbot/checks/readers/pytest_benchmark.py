"""pytest-benchmark's JSON: the median seconds of each benchmark; one file is one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncbot.checks.readers.source import Fields, ResultError, digest, without_empty
from syncbot.model.checks import Run, Scalar


def knows(values: Mapping[str, Any]) -> bool:
    """Return whether pytest-benchmark wrote this."""
    return isinstance(values.get("benchmarks"), list) and isinstance(values.get("machine_info"), dict)


def read(name: str, values: Mapping[str, Any]) -> Run:
    """Return the run, each metric named as its test; raises `ResultError`."""
    metrics: dict[str, float] = {}
    problems: list[str] = []
    for number, each in enumerate(values["benchmarks"], start=1):
        stats = each.get("stats") if isinstance(each, dict) else None
        test = each.get("fullname") if isinstance(each, dict) else None
        if not isinstance(stats, dict) or not isinstance(test, str):
            problems.append(f"{name}: benchmark {number} has no stats or no name")
            continue
        fields = Fields(f"{name}: {test}", stats)
        median = fields.number("median", needed=True)
        problems += fields.problems
        if median is not None:
            metrics[test] = median
    if problems or not metrics:
        raise ResultError(*(problems or [f"{name}: holds no benchmark"]))
    date = values.get("datetime")
    return Run(
        source=name,
        tool="pytest-benchmark",
        metrics=metrics,
        digest=digest({**metrics, "date": date}),
        workload=without_empty(_machine(values["machine_info"])),
        higher_is_better=dict.fromkeys(metrics, False),
        date=date if isinstance(date, str) else None,
    )


def _machine(info: Mapping[str, Any]) -> dict[str, Scalar]:
    cpu = info.get("cpu")
    brand = cpu.get("brand_raw") if isinstance(cpu, dict) else None
    found = {"machine": info.get("machine"), "cpu": brand, "python": info.get("python_version")}
    return {key: value for key, value in found.items() if isinstance(value, str)}
