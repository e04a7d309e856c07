"""The tables of ``[[checks]]``, one a kind. What the keys mean is the business of ``syncbot.checks``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from syncbot.config.fields import Identifier, Line, Scalar, Table, Text


class _Common(Table):
    name: Identifier
    """Name of the check, unique in its manifest."""
    required: bool = True
    """Whether a removal stays a draft until it has passed."""
    title: Line | None = None
    """What a person reads."""
    hardware: Line | None = None
    """What it must run on, such as ``gfx950``."""
    software: Line | None = None
    """Software it needs, such as ``ROCm 7.2``."""


class MetricTable(Table):
    """One metric of a benchmark or accuracy check."""

    name: Line
    """Its name in the result file."""
    direction: Literal["higher", "lower"]
    """Which way is better."""
    tolerance: float = Field(ge=0, le=100, strict=False)
    """How much worse may pass: per cent for a benchmark, standard errors for accuracy."""


class FunctionalTable(_Common):
    """A load that must be served whole."""

    kind: Literal["functional"]
    server: Text | None = None
    """Command that starts the server."""
    command: Text
    """Command that sends the requests."""
    waves: int = Field(default=1, ge=1, le=1000)
    concurrency: int = Field(default=1, ge=1, le=100_000)
    requests: int | None = Field(default=None, ge=1)
    forbidden_log_lines: list[Line] = Field(default_factory=list)


class BenchmarkTable(_Common):
    """Speed of both arms, by concurrency."""

    kind: Literal["benchmark"]
    preset: Line | None = None
    server: Text | None = None
    command: Text | None = None
    workload: dict[Line, Scalar] = Field(default_factory=dict)
    concurrency: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list)
    metrics: list[MetricTable] = Field(default_factory=list)


class AccuracyTable(_Common):
    """Quality of both arms, not inferior."""

    kind: Literal["accuracy"]
    preset: Line | None = None
    server: Text | None = None
    command: Text | None = None
    task: Line
    metric: Line
    tolerance: float = Field(default=2.0, ge=0, le=100, strict=False)
    questions: int | None = Field(default=None, ge=1)


class CommandTable(_Common):
    """A command whose exit code is the answer."""

    kind: Literal["command"]
    command: Text
    exit_code: int = Field(default=0, ge=0, le=255)


class ManualTable(_Common):
    """What only a person can tick."""

    kind: Literal["manual"]
    text: Text


CheckTable = Annotated[
    FunctionalTable | BenchmarkTable | AccuracyTable | CommandTable | ManualTable, Field(discriminator="kind")
]
