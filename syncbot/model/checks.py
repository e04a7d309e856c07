"""Values of the checks room: what a check asks, what a result file says, and what was judged.

`OPTIONS` is the closed table of the keys of ``[[checks]]``, one kind a row; `option_problems` names everything that is
wrong with a table of them. docs/checks.md says what each key means.
"""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Scalar = str | int | float | bool | None


class CheckKind(StrEnum):
    """The sorts of check a manifest may declare."""

    FUNCTIONAL = "functional"
    BENCHMARK = "benchmark"
    ACCURACY = "accuracy"
    COMMAND = "command"
    MANUAL = "manual"


class Judgement(StrEnum):
    """What a check or one of its metrics came to; ``missing`` is a check nobody has results for."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    MISSING = "missing"


class Arm(StrEnum):
    """Baseline has the workaround in, candidate has it out; same pin, same machine."""

    BASELINE = "baseline"
    CANDIDATE = "candidate"


class Direction(StrEnum):
    """Which way a metric is better."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One figure to compare. ``tolerance`` is how much worse may pass: per cent, or standard errors for accuracy."""

    name: str
    direction: Direction
    tolerance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run as its result file tells it.

    ``workload`` holds what must be alike in both arms, ``level`` what the runs are paired by (``max_concurrency``),
    ``tags`` what the printed commands passed along (``edit``, ``pin``, ``arm``, ``hardware``, ``check``).
    ``metrics`` are finite and not negative. ``asked`` and ``failed`` are None where the file does not say.
    ``digest`` is that of the figures, so that one run handed in twice is seen. ``doubts`` say where the file
    contradicts itself: a comparison shows them, a gate refuses them.
    """

    source: str
    tool: str
    metrics: Mapping[str, float]
    digest: str
    workload: Mapping[str, Scalar] = field(default_factory=dict)
    level: Mapping[str, Scalar] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    stderr: Mapping[str, float | None] = field(default_factory=dict)
    higher_is_better: Mapping[str, bool] = field(default_factory=dict)
    date: str | None = None
    asked: int | None = None
    completed: int | None = None
    failed: int | None = None
    exit_code: int | None = None
    log_hits: tuple[str, ...] | None = None
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One metric at one level, judged. ``ratio`` is candidate over baseline and ``interval`` its two-sided interval.

    ``unit`` is that of the tolerance: ``%``, or ``SE`` (standard errors of the difference) for accuracy. ``noise`` is
    each arm's spread from run to run (one standard deviation, per cent of its mean).
    """

    name: str
    level: Mapping[str, Scalar]
    direction: Direction
    tolerance: float
    unit: str = "%"
    baseline: float
    candidate: float
    ratio: float
    interval: tuple[float | None, float | None]
    runs: tuple[int, int]
    noise: tuple[float | None, float | None]
    verdict: Judgement
    reason: str
    settle: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One check of the checklist with its answer. ``by_person`` is true for what only a person ticks."""

    name: str
    kind: CheckKind
    required: bool
    title: str
    verdict: Judgement
    reasons: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    by_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """One set of results as it is kept: the runs themselves, and who brought them. Verdicts are never kept.

    ``at`` is a moment in UTC. ``edit`` is the patch-id of the proposal's edit and ``pin`` the upstream it ran with, as
    the person who attached them named them; each run's own tags must agree.
    """

    edit: str
    pin: str
    baseline: tuple[Run, ...]
    candidate: tuple[Run, ...]
    at: datetime.datetime
    by: str | None = None
    hardware: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What results must be bound to today. ``distance`` is how many commits the base moved since; None: not known."""

    edit: str
    pin: str
    distance: int | None = None
    max_distance: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """May the proposal leave draft? ``waiting`` names each required check in the way, with its reason."""

    ready: bool
    waiting: tuple[str, ...] = ()
    stale: str | None = None


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _code(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255


def _share(value: object) -> bool:
    return _number(value) and 0.5 < float(value) < 1  # type: ignore[arg-type]


def _wholes(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(_whole(each) for each in value)


def _texts(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(_text(each) for each in value)


def _scalars(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(each, (str, int, float, bool)) for each in value.values())


def _metrics(value: object) -> bool:
    def one(each: object) -> bool:
        return (
            isinstance(each, Mapping)
            and _text(each.get("name"))
            and each.get("direction", Direction.HIGHER) in tuple(Direction)
            and _number(each.get("tolerance", 0))
            and set(each) <= {"name", "direction", "tolerance"}
        )

    return isinstance(value, (list, tuple)) and bool(value) and all(one(each) for each in value)


_Rule = tuple[Callable[[object], bool], str]
_TEXT: _Rule = (_text, "a text")
_WHOLE: _Rule = (_whole, "a whole number of at least 1")

_COMMON: dict[str, _Rule] = {"title": _TEXT, "hardware": _TEXT, "software": _TEXT}
_RUN: dict[str, _Rule] = {**_COMMON, "preset": _TEXT, "server": _TEXT, "command": _TEXT}
_WORKLOAD: _Rule = (_scalars, "a table of plain values")

OPTIONS: Mapping[CheckKind, Mapping[str, _Rule]] = {
    CheckKind.FUNCTIONAL: {
        **_RUN,
        "workload": _WORKLOAD,
        "waves": _WHOLE,
        "concurrency": _WHOLE,
        "requests": _WHOLE,
        "forbidden_log_lines": (_texts, "a list of texts"),
    },
    CheckKind.BENCHMARK: {
        **_RUN,
        "workload": _WORKLOAD,
        "concurrency": (_wholes, "a list of whole numbers of at least 1"),
        "metrics": (_metrics, "a list of tables with name, direction (higher or lower) and tolerance (not negative)"),
        "runs": _WHOLE,
        "confidence": (_share, "a number between 0.5 and 1"),
    },
    CheckKind.ACCURACY: {
        **_RUN,
        "workload": _WORKLOAD,
        "task": _TEXT,
        "metric": _TEXT,
        "tolerance": (_number, "a number of standard errors, not negative"),
        "questions": _WHOLE,
        "confidence": (_share, "a number between 0.5 and 1"),
    },
    CheckKind.COMMAND: {**_COMMON, "command": _TEXT, "exit_code": (_code, "a whole number from 0 to 255")},
    CheckKind.MANUAL: {**_COMMON, "text": _TEXT},
}

# Without these a check asks nothing; a preset brings all of them.
REQUIRED: Mapping[CheckKind, tuple[str, ...]] = {
    CheckKind.FUNCTIONAL: ("command",),
    CheckKind.BENCHMARK: ("concurrency",),
    CheckKind.ACCURACY: ("task", "metric"),
    CheckKind.COMMAND: ("command",),
    CheckKind.MANUAL: ("text",),
}

PRESETS: Mapping[CheckKind, tuple[str, ...]] = {
    CheckKind.FUNCTIONAL: ("vllm-waves",),
    CheckKind.BENCHMARK: ("vllm-8k1k", "vllm-1k1k"),
    CheckKind.ACCURACY: ("lm-eval-gsm8k",),
}


def option_problems(kind: str, options: Mapping[str, object]) -> Iterator[str]:
    """Yield one line for each thing wrong with the keys of one ``[[checks]]`` (without name, kind and required)."""
    if kind not in tuple(CheckKind):
        yield f"kind: {kind!r} is not one of {', '.join(CheckKind)}{_nearest(kind, tuple(CheckKind))}"
        return
    known = OPTIONS[CheckKind(kind)]
    for key, value in options.items():
        if key not in known:
            yield f"{key}: not a key of a {kind} check{_nearest(key, tuple(known))}"
        elif not known[key][0](value):
            yield f"{key}: expected {known[key][1]}, found {value!r}"
    preset = options.get("preset")
    presets = PRESETS.get(CheckKind(kind), ())
    if preset is not None and preset not in presets:
        yield f"preset: {preset!r} is not one of {', '.join(presets)}{_nearest(str(preset), presets)}"
    if preset is None:
        for key in REQUIRED[CheckKind(kind)]:
            if key not in options:
                yield f"{key}: missing from a {kind} check" + (
                    f" (or name a preset: {', '.join(presets)})" if presets else ""
                )


def _nearest(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {str(close[0])!r}?" if close else ""
