"""Turns ``[[checks]]`` of a manifest into what is asked, presets and defaults filled in; docs/checks.md says how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from syncbot.checks import accuracy, compare
from syncbot.checks.metrics import DEFAULT_TOLERANCE, DEFAULTS, direction_of
from syncbot.checks.presets import PRESETS
from syncbot.model.checks import CheckKind, Direction, Metric, Scalar, option_problems
from syncbot.model.errors import UsageError
from syncbot.model.project import Check

RUNS = 5
PROMPTS_PER_CONCURRENCY = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One check with every key filled in; keys of other kinds keep their defaults and mean nothing."""

    name: str
    kind: CheckKind
    required: bool
    title: str
    hardware: str | None = None
    software: str | None = None
    server: str | None = None
    command: str | None = None
    workload: Mapping[str, Scalar] = field(default_factory=dict)
    concurrency: tuple[int, ...] = ()
    metrics: tuple[Metric, ...] = ()
    runs: int = RUNS
    confidence: float = compare.CONFIDENCE
    waves: int = 1
    requests: int = 1
    forbidden_log_lines: tuple[str, ...] = ()
    task: str | None = None
    questions: int | None = None
    exit_code: int = 0
    text: str | None = None

    def prompts(self, concurrency: int) -> int:
        """Return how many requests a run at ``concurrency`` sends."""
        if self.kind is CheckKind.FUNCTIONAL:
            return -(-self.requests // self.waves)
        fixed = self.workload.get("prompts")
        if isinstance(fixed, int):
            return fixed
        each = self.workload.get("prompts_per_concurrency", PROMPTS_PER_CONCURRENCY)
        return concurrency * (each if isinstance(each, int) else PROMPTS_PER_CONCURRENCY)


def read_specs(checks: Sequence[Check]) -> tuple[Spec, ...]:
    """Return what each check asks; raises `UsageError` with everything that is wrong with any of them."""
    problems = [
        f"check {check.name!r}: {line}" for check in checks for line in option_problems(check.kind, check.options)
    ]
    specs: list[Spec] = []
    if not problems:
        for check in checks:
            try:
                specs.append(_read(check))
            except UsageError as error:
                problems += error.problems
    if problems:
        raise UsageError(*problems)
    return tuple(specs)


def _read(check: Check) -> Spec:
    kind = CheckKind(check.kind)
    preset = PRESETS.get(str(check.options.get("preset")), {})
    # What was checked by `option_problems` a moment ago is of its type.
    options = cast("dict[str, Any]", {**preset, **check.options})
    workload = {**preset.get("workload", {}), **cast("dict[str, Any]", check.options.get("workload", {}))}
    waves = options.get("waves", 1)
    concurrency = options.get("concurrency", 1 if kind is CheckKind.FUNCTIONAL else ())
    ladder = tuple(concurrency) if isinstance(concurrency, (list, tuple)) else (concurrency,)
    scores = kind is CheckKind.ACCURACY
    return Spec(
        name=check.name,
        kind=kind,
        required=check.required,
        title=options.get("title") or check.name,
        hardware=options.get("hardware"),
        software=options.get("software"),
        server=options.get("server"),
        command=options.get("command"),
        workload=workload,
        concurrency=ladder,
        metrics=_metrics(check.name, kind, options),
        runs=options.get("runs", 1 if scores else RUNS),
        confidence=options.get("confidence", accuracy.CONFIDENCE if scores else compare.CONFIDENCE),
        waves=waves,
        requests=options.get("requests", waves * ladder[0] if kind is CheckKind.FUNCTIONAL else 1),
        forbidden_log_lines=tuple(options.get("forbidden_log_lines", ())),
        task=options.get("task"),
        questions=options.get("questions"),
        exit_code=options.get("exit_code", 0),
        text=options.get("text"),
    )


def _metrics(name: str, kind: CheckKind, options: Mapping[str, Any]) -> tuple[Metric, ...]:
    if kind is CheckKind.ACCURACY:
        full = f"{options['task']}:{options['metric']}"
        # Which way a score is better is the file's to say; nearly every one is better when higher.
        return (
            Metric(
                name=full, direction=Direction.HIGHER, tolerance=float(options.get("tolerance", accuracy.TOLERANCE))
            ),
        )
    if kind is not CheckKind.BENCHMARK:
        return ()
    found = []
    unknown = []
    for each in options.get("metrics") or [{"name": usual} for usual in DEFAULTS[0]]:
        direction = each.get("direction") or direction_of(each["name"])
        if direction is None:
            unknown.append(f"check {name!r}: metrics: {each['name']}: which way is better? Give its direction")
            continue
        tolerance = each.get("tolerance")
        found.append(
            Metric(
                name=each["name"],
                direction=Direction(direction),
                tolerance=DEFAULT_TOLERANCE if tolerance is None else float(tolerance),
            )
        )
    if unknown:
        raise UsageError(*unknown)
    return tuple(found)
