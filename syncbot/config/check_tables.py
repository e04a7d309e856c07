"""The tables of ``[[checks]]``, one a kind, with the keys of `syncbot.model.checks.OPTIONS`; docs/checks.md has more.

What the keys mean, and their defaults, is the business of ``syncbot.checks``: only what was written is handed on.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from syncbot.config.fields import Identifier, Line, Scalar, Table, Text

_Workload = Annotated[dict[Line, Scalar], Field(min_length=1)]
_Share = Annotated[float, Field(gt=0.5, lt=1)]
_Whole = Annotated[int, Field(ge=1)]


class MetricTable(Table):
    """One figure to compare."""

    name: Line
    """Its name in the result file."""
    direction: Literal["higher", "lower"] | None = None
    """Which way is better; known by itself for the usual ones."""
    tolerance: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """How much worse may pass, in per cent."""


class _CheckTable(Table):
    name: Identifier
    """Name of the check, unique in its manifest."""
    required: bool = True
    """Whether a proposal stays a draft until it has passed."""
    title: Line | None = None
    """What a person reads."""
    hardware: Line | None = None
    """What it must run on, such as ``gfx950``."""
    software: Line | None = None
    """Software it needs; printed, not checked."""


class _RunTable(_CheckTable):
    server: Text | None = None
    """Command that starts the server; may hold placeholders."""
    command: Text | None = None
    """Command that sends the requests; may hold placeholders."""
    workload: _Workload | None = None
    """What must be alike in both arms, such as ``model``, ``input_len``, ``output_len``."""


class FunctionalTable(_RunTable):
    """A load that must be served whole."""

    kind: Literal["functional"]
    preset: Literal["vllm-waves"] | None = None
    """Brings the keys that are left out."""
    waves: _Whole | None = None
    """How often the load is sent."""
    concurrency: _Whole | None = None
    """Requests in flight."""
    requests: _Whole | None = None
    """Requests in all waves together; every one must complete."""
    forbidden_log_lines: list[Text] | None = None
    """Texts that must not occur in the server's log."""


class BenchmarkTable(_RunTable):
    """Speed of both arms, level by level."""

    kind: Literal["benchmark"]
    preset: Literal["vllm-8k1k", "vllm-1k1k"] | None = None
    """Brings the keys that are left out."""
    concurrency: list[_Whole] | None = Field(default=None, min_length=1)
    """The ladder of requests in flight."""
    metrics: list[MetricTable] | None = Field(default=None, min_length=1)
    """The figures that are compared."""
    runs: _Whole | None = None
    """Runs an arm and level; fewer are inconclusive."""
    confidence: _Share | None = None
    """One-sided level of a pass."""


class AccuracyTable(_RunTable):
    """Quality of both arms: the candidate must not be inferior."""

    kind: Literal["accuracy"]
    preset: Literal["lm-eval-gsm8k"] | None = None
    """Brings the keys that are left out."""
    task: Line | None = None
    """The task, as lm_eval names it."""
    metric: Line | None = None
    """The metric with its filter, such as ``exact_match,strict-match``."""
    tolerance: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """How far the candidate may lie below the baseline, in standard errors of the difference."""
    questions: _Whole | None = None
    """How many questions must have been answered."""
    confidence: _Share | None = None
    """One-sided level of a pass."""


class CommandTable(_CheckTable):
    """A command that is run with the workaround out."""

    kind: Literal["command"]
    command: Text
    """The command."""
    exit_code: int | None = Field(default=None, ge=0, le=255)
    """What it must return."""


class ManualTable(_CheckTable):
    """What only a person can tick."""

    kind: Literal["manual"]
    text: Text
    """What a person has to see."""


CheckTable = Annotated[
    FunctionalTable | BenchmarkTable | AccuracyTable | CommandTable | ManualTable, Field(discriminator="kind")
]
