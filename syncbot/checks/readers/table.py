"""A plain CSV: ``metric,arm,run,value`` and, if wanted, columns for the level and for what was run."""

from __future__ import annotations

import csv
import io
import math

from syncbot.checks.readers.source import TAGS, ResultError, digest
from syncbot.model.checks import Arm, Run, Scalar

_NEEDED = ("metric", "arm", "run", "value")
_WORKLOAD = ("model", "tokenizer", "prompts", "input_len", "output_len")
_SYNONYMS = {"with": Arm.BASELINE, "without": Arm.CANDIDATE}

_Key = tuple[str, str, tuple[tuple[str, str], ...]]


def knows(data: bytes) -> bool:
    """Return whether the first line is a header with the four needed columns."""
    first = data[:4096].decode("utf-8-sig", "replace").splitlines()[:1]
    return bool(first) and set(_NEEDED) <= {word.strip() for word in first[0].split(",")}


def arm_of(text: str) -> Arm | None:
    """Return the arm that ``baseline``, ``candidate``, ``with`` or ``without`` names."""
    word = text.strip().lower()
    return Arm(word) if word in tuple(Arm) else _SYNONYMS.get(word)


def read(name: str, data: bytes, arm: Arm | None) -> tuple[Run, ...]:
    """Return one run for each arm, ``run`` and level; only those of ``arm`` where it is given."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultError(f"{name}: not text: byte {error.start} is no UTF-8") from None
    problems: list[str] = []
    figures: dict[_Key, dict[str, float]] = {}
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise ResultError(f"{name}: not CSV: {error}") from None
    for line, row in enumerate(rows, start=2):
        try:
            _take(row, figures)
        except ValueError as error:
            problems.append(f"{name}: line {line}: {error}")
    if problems or not figures:
        raise ResultError(*(problems or [f"{name}: has a header and no rows"]))
    return tuple(_run(name, key, metrics) for key, metrics in figures.items() if arm is None or key[0] == arm.value)


def _take(row: dict[str | None, str | None], figures: dict[_Key, dict[str, float]]) -> None:
    if None in row or None in row.values():
        raise ValueError("has more or fewer fields than the header")
    cells = {str(key).strip(): str(value).strip() for key, value in row.items()}
    arm = arm_of(cells["arm"])
    if arm is None:
        raise ValueError(f"arm is {cells['arm']!r:.40}: expected baseline or candidate")
    try:
        value = float(cells["value"])
    except ValueError:
        raise ValueError(f"value is {cells['value']!r:.40}: expected a number") from None
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"value is {cells['value']}: a figure must be finite and not negative")
    others = tuple(sorted((key, cell) for key, cell in cells.items() if key not in _NEEDED and cell))
    metrics = figures.setdefault((arm.value, cells["run"], others), {})
    if not cells["metric"]:
        raise ValueError("metric is empty")
    if cells["metric"] in metrics:
        raise ValueError(f"{cells['metric']} is there twice for run {cells['run']!r:.40} of the {arm} arm")
    metrics[cells["metric"]] = value


def _run(name: str, key: _Key, metrics: dict[str, float]) -> Run:
    arm, number, others = key
    columns: dict[str, Scalar] = {column: _plain(cell) for column, cell in others}
    tags = {column: str(cell) for column, cell in others if column in TAGS}
    return Run(
        source=f"{name} (run {number} of {arm})",
        tool="csv",
        metrics=metrics,
        digest=digest({**metrics, "run": number, "arm": arm, **columns}),
        workload={column: value for column, value in columns.items() if column in _WORKLOAD},
        level={column: value for column, value in columns.items() if column not in (*_WORKLOAD, *TAGS)},
        tags={**tags, "arm": arm},
    )


def _plain(cell: str) -> Scalar:
    try:
        return int(cell)
    except ValueError:
        return cell
