"""lm_eval's ``results_*.json``: a value and a standard error for each task, metric and filter."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any

from syncbot.checks.readers.source import TAGS, Fields, digest, without_empty
from syncbot.model.checks import Run, Scalar

# Keys beside the metrics of a task.
_NOT_METRICS = ("alias", "name", "sample_len", "sample_count", "samples")


def knows(values: Mapping[str, Any]) -> bool:
    """Return whether lm_eval wrote this."""
    return isinstance(values.get("results"), dict) and ("n-shot" in values or "lm_eval_version" in values)


def read(name: str, values: Mapping[str, Any]) -> Run:
    """Return the run, its metrics named ``task:metric,filter``; raises `ResultError`."""
    fields = Fields(name, values)
    metrics: dict[str, float] = {}
    stderr: dict[str, float | None] = {}
    higher: dict[str, bool] = {}
    workload: dict[str, Scalar] = {"model": _model(values)}
    for task, figures in values["results"].items():
        if not isinstance(figures, dict):
            fields.wrong(f"results.{task}: expected a table")
            continue
        better = _table(_table(values, "higher_is_better"), task)
        for key, value in figures.items():
            base = str(key).split(",")[0]
            if base in _NOT_METRICS or base.endswith("_stderr"):
                continue
            full = f"{task}:{key}"
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
                fields.wrong(f"results.{task}.{key}: expected a finite number, not negative, found {value!r:.60}")
                continue
            metrics[full] = float(value)
            stderr[full] = _stderr(fields, task, key, figures)
            if isinstance(better.get(base), bool):
                higher[full] = better[base]
        workload |= _task_workload(values, task)
    if not metrics:
        fields.wrong("results holds no metric")
    fields.close()
    return Run(
        source=name,
        tool="lm_eval",
        metrics=metrics,
        digest=digest({**metrics, "date": values.get("date")}),
        workload=without_empty(workload),
        tags=_tags(values),
        stderr=stderr,
        higher_is_better=higher,
        date=_date(values.get("date")),
    )


def _stderr(fields: Fields, task: str, key: str, figures: Mapping[str, Any]) -> float | None:
    base, comma, rest = key.partition(",")
    value = figures.get(f"{base}_stderr{comma}{rest}")
    # One sample, or a metric without a bootstrap: lm_eval writes the text "N/A".
    if value is None or value == "N/A":
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        fields.wrong(f"results.{task}.{key}: its standard error is {value!r:.60}")
        return None
    return float(value)


def _task_workload(values: Mapping[str, Any], task: str) -> dict[str, Scalar]:
    samples = _table(_table(values, "n-samples"), task)
    found: dict[str, Scalar] = {
        f"{task}.samples": _plain(samples.get("effective")),
        f"{task}.questions": _plain(samples.get("original")),
        f"{task}.shots": _plain(_table(values, "n-shot").get(task)),
        f"{task}.version": _plain(_table(values, "versions").get(task)),
    }
    return found


def _model(values: Mapping[str, Any]) -> str | None:
    """Return the model: by its own field in newer files, else from the arguments, a table or a text."""
    arguments = _table(values, "config").get("model_args")
    if isinstance(arguments, str):
        arguments = dict(word.split("=", 1) for word in arguments.split(",") if "=" in word)
    if isinstance(arguments, dict):
        for key in ("pretrained", "model"):
            if isinstance(arguments.get(key), str):
                return str(arguments[key])
    name = values.get("model_name")
    return name if isinstance(name, str) else None


def _tags(values: Mapping[str, Any]) -> dict[str, str]:
    """Return what ``--metadata`` passed: lm_eval keeps it with the configuration of each task."""
    found: dict[str, str] = {}
    for config in _table(values, "configs").values():
        metadata = _table(config, "metadata") if isinstance(config, dict) else {}
        found |= {key: str(metadata[key]) for key in TAGS if metadata.get(key) not in (None, "")}
    return found


def _table(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = values.get(key)
    return inner if isinstance(inner, dict) else {}


def _plain(value: object) -> Scalar:
    return value if isinstance(value, (str, int, float, bool)) else None


def _date(value: object) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e11:
        return datetime.datetime.fromtimestamp(value, tz=datetime.UTC).strftime("%Y%m%d-%H%M%S")
    return value if isinstance(value, str) else None
