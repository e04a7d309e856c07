"""Reads result files as the tools write them. `read` tells them apart by what they hold, never by their name.

A file that is none of the known forms, or whose figures cannot be true, is refused with everything that is wrong with
it; nothing is guessed. docs/results.md names the versions of the tools whose output was read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from syncbot.checks.readers import lm_eval, outcome, pytest_benchmark, serving, table
from syncbot.checks.readers.source import MOST_BYTES, ResultError, objects
from syncbot.model.checks import Arm, Run

__all__ = ["ResultError", "read", "read_files"]

_Reader = Callable[[str, Mapping[str, Any]], Run]

_READERS: tuple[tuple[Callable[[Mapping[str, Any]], bool], _Reader], ...] = (
    (outcome.knows, outcome.read),
    (serving.knows_vllm, serving.read_vllm),
    (serving.knows_sglang, serving.read_sglang),
    (lm_eval.knows, lm_eval.read),
    (pytest_benchmark.knows, pytest_benchmark.read),
)
KNOWN = (
    "vllm bench serve (JSON, or one object a line), SGLang bench_serving (JSON lines), lm_eval results_*.json, "
    "pytest-benchmark JSON, syncbot.outcome/1, or CSV with the columns metric,arm,run,value"
)


def read(name: str, data: bytes, arm: Arm | None = None) -> tuple[Run, ...]:
    """Return the runs of one file, in its order. ``arm`` picks the rows of a CSV. Raises `ResultError`."""
    if table.knows(data):
        return table.read(name, data, arm)
    runs: list[Run] = []
    problems: list[str] = []
    found = objects(name, data)
    for number, each in enumerate(found, start=1):
        label = name if len(found) == 1 else f"{name} (object {number})"
        reader = next((reader for knows, reader in _READERS if knows(each)), None)
        if reader is None:
            keys = ", ".join(sorted(map(str, each))[:6]) or "none"
            problems.append(f"{label}: not a result file: its keys are {keys}; known are {KNOWN}")
            continue
        try:
            runs.append(reader(label, each))
        except ResultError as error:
            problems.extend(error.problems)
    if problems:
        raise ResultError(*problems)
    return tuple(runs)


def read_files(paths: Sequence[Path], arm: Arm | None = None) -> tuple[Run, ...]:
    """Return the runs of all files; every problem of every file in one `ResultError`."""
    runs: list[Run] = []
    problems: list[str] = []
    for path in paths:
        try:
            size = path.stat().st_size
            if size > MOST_BYTES:
                problems.append(f"{path}: {size} bytes; a result file of more than {MOST_BYTES} is not read")
                continue
            runs.extend(read(str(path), path.read_bytes(), arm))
        except OSError as error:
            problems.append(f"{path}: {error.strerror or error}")
        except ResultError as error:
            problems.extend(error.problems)
    if problems:
        raise ResultError(*problems)
    return tuple(runs)
