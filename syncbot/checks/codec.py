"""Attached results as JSON and back: what is kept in ``patches/<id>/results/`` and what a proposal's block holds.

Runs that share tool, check, level and workload are one group with columns of figures, so that ninety runs fit into a
pull request's body. `decode` takes nothing on trust: it is also what reads a block that a stranger may have edited.
"""

from __future__ import annotations

import datetime
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from syncbot.checks.readers import ResultError
from syncbot.model.checks import Arm, Attached, Run, Scalar

SCHEMA = "syncbot.attached/1"
_MOST_RUNS = 5000
_TEXTS = ("by", "hardware", "note")
_COUNTS = ("asked", "completed", "failed", "exit_code")


def encode(attached: Attached, metrics: Sequence[str] | None = None) -> dict[str, Any]:
    """Return plain JSON values.

    With ``metrics`` only those figures, to seven digits (all of a run's where it has none of them): for a body, which
    has little room.
    """
    answer: dict[str, Any] = {
        "schema": SCHEMA,
        "edit": attached.edit,
        "pin": attached.pin,
        "at": attached.at.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    answer |= {key: value for key in _TEXTS if (value := getattr(attached, key)) is not None}
    groups: dict[str, dict[str, Any]] = {}
    for arm, runs in ((Arm.BASELINE, attached.baseline), (Arm.CANDIDATE, attached.candidate)):
        for run in runs:
            shared = _shared(run)
            group = groups.setdefault(json.dumps(shared, sort_keys=True), {**shared, "runs": []})
            group["runs"].append({"arm": arm.value, **_own(run, metrics)})
    answer["groups"] = list(groups.values())
    return answer


def decode(name: str, values: object) -> Attached:
    """Return the set that `encode` made these values from; raises `ResultError` naming what is wrong with them."""
    if not isinstance(values, dict) or values.get("schema") != SCHEMA:
        raise ResultError(f"{name}: expected a {SCHEMA} object")
    reader = _Reader(name)
    baseline: list[Run] = []
    candidate: list[Run] = []
    for number, group in enumerate(reader.table_list(values, "groups"), start=1):
        for index, own in enumerate(reader.table_list(group, "runs"), start=1):
            run = reader.run(f"{name} (group {number}, run {index})", group, own)
            (baseline if own.get("arm") == Arm.BASELINE else candidate).append(run)
            if own.get("arm") not in tuple(Arm):
                reader.problems.append(f"{run.source}: arm is {own.get('arm')!r:.40}")
    at = reader.moment(values.get("at"))
    texts = {key: reader.text(values, key) for key in ("edit", "pin", *_TEXTS)}
    reader.problems += [f"{name}: {key} is missing" for key in ("edit", "pin") if not texts[key]]
    if len(baseline) + len(candidate) > _MOST_RUNS:
        reader.problems.append(f"{name}: more than {_MOST_RUNS} runs")
    if reader.problems:
        raise ResultError(*reader.problems)
    return Attached(
        edit=texts["edit"] or "",
        pin=texts["pin"] or "",
        baseline=tuple(baseline),
        candidate=tuple(candidate),
        at=at,
        by=texts["by"],
        hardware=texts["hardware"],
        note=texts["note"],
    )


def _shared(run: Run) -> dict[str, Any]:
    shared: dict[str, Any] = {
        "tool": run.tool,
        "level": dict(run.level),
        "workload": {key: value for key, value in run.workload.items() if not key.endswith("_per_request")},
        "tags": {key: value for key, value in run.tags.items() if key != "arm"},
        "says_arm": "arm" in run.tags,
    }
    if run.higher_is_better:
        shared["higher_is_better"] = dict(run.higher_is_better)
    return shared | {key: value for key in _COUNTS if (value := getattr(run, key)) is not None}


def _own(run: Run, metrics: Sequence[str] | None) -> dict[str, Any]:
    kept = dict(run.metrics)
    if metrics is not None:
        some = {key: value for key, value in kept.items() if key in metrics} or kept
        kept = {key: float(f"{value:.7g}") for key, value in some.items()}
    own: dict[str, Any] = {"digest": run.digest, "metrics": kept}
    errors = {key: value for key, value in run.stderr.items() if key in kept}
    tokens = {key: value for key, value in run.workload.items() if key.endswith("_per_request")}
    if run.date:
        own["date"] = run.date
    if errors:
        own["stderr"] = errors
    if tokens:
        own["tokens"] = tokens
    if run.log_hits is not None:
        own["log_hits"] = list(run.log_hits)
    return own


@dataclass(slots=True)
class _Reader:
    name: str
    problems: list[str]

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems = []

    def table_list(self, values: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
        found = values.get(key)
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            self.problems.append(f"{self.name}: {key}: expected a list of tables")
            return []
        return list(itertools.islice(found, _MOST_RUNS + 1))

    def text(self, values: Mapping[str, Any], key: str) -> str | None:
        value = values.get(key)
        if value is not None and not isinstance(value, str):
            self.problems.append(f"{self.name}: {key}: expected a text, found {value!r:.60}")
            return None
        return value

    def moment(self, value: object) -> datetime.datetime:
        try:
            return datetime.datetime.strptime(str(value), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.UTC)
        except ValueError:
            self.problems.append(f"{self.name}: at is {value!r:.60}: expected a UTC time such as 2026-09-08T12:00:00Z")
            return datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

    def run(self, source: str, group: Mapping[str, Any], own: Mapping[str, Any]) -> Run:
        tags = {key: str(value) for key, value in self._scalars(source, group, "tags").items()}
        if group.get("says_arm") is True:
            tags["arm"] = str(own.get("arm"))
        counts = {key: self._count(source, group, key) for key in _COUNTS}
        hits = own.get("log_hits")
        if hits is not None and not (isinstance(hits, list) and all(isinstance(each, str) for each in hits)):
            self.problems.append(f"{source}: log_hits: expected a list of texts")
            hits = None
        better = self._scalars(source, group, "higher_is_better")
        return Run(
            source=source,
            tool=str(self.text(group, "tool")),
            metrics={key: value for key, value in self._figures(source, own, "metrics").items() if value is not None},
            digest=str(self.text(own, "digest")),
            workload={**self._scalars(source, group, "workload"), **self._scalars(source, own, "tokens")},
            level=self._scalars(source, group, "level"),
            tags=tags,
            stderr=self._figures(source, own, "stderr"),
            higher_is_better={key: value is True for key, value in better.items()},
            date=self.text(own, "date"),
            log_hits=tuple(hits) if hits is not None else None,
            asked=counts["asked"],
            completed=counts["completed"],
            failed=counts["failed"],
            exit_code=counts["exit_code"],
        )

    def _scalars(self, source: str, values: Mapping[str, Any], key: str) -> dict[str, Scalar]:
        found = values.get(key, {})
        plain = (str, int, float, bool, type(None))
        if not isinstance(found, dict) or not all(isinstance(each, plain) for each in found.values()):
            self.problems.append(f"{source}: {key}: expected a table of plain values")
            return {}
        return dict(found)

    def _figures(self, source: str, values: Mapping[str, Any], key: str) -> dict[str, float | None]:
        figures: dict[str, float | None] = {}
        for name, value in self._scalars(source, values, key).items():
            if value is None:
                figures[name] = None
            elif isinstance(value, (bool, str)) or not math.isfinite(value) or value < 0:
                self.problems.append(f"{source}: {name} is {value!r:.40}: a figure must be finite and not negative")
            else:
                figures[name] = float(value)
        return figures

    def _count(self, source: str, values: Mapping[str, Any], key: str) -> int | None:
        value = values.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
            return value
        self.problems.append(f"{source}: {key} is {value!r:.40}: expected a whole number")
        return None
