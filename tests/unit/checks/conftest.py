"""Runs and sets of runs with sane figures, so that a test states only what differs."""

from __future__ import annotations

import datetime
import itertools
from pathlib import Path

import pytest

from syncbot.checks.readers import read_files
from syncbot.checks.spec import read_specs
from syncbot.model.checks import Attached, Run, Wanted
from syncbot.model.project import Check

REAL = Path(__file__).parents[2] / "corpus" / "results" / "real"
EDIT, PIN = "3f1c9a7e5b2d", "v0.1.21.post1"
_numbers = itertools.count()


@pytest.fixture
def real():
    """Reads files of the real corpus: ``real("vllm-0.33.0/baseline_*")``."""
    return lambda *patterns: read_files([path for each in patterns for path in sorted(REAL.glob(each))])


@pytest.fixture
def make_run():
    def make(arm="baseline", value=100.0, *, tool="vllm bench serve", concurrency=8, tags=None, **changes):
        number = next(_numbers)
        fields = {
            "source": f"{arm}{number}.json",
            "tool": tool,
            "metrics": {
                "output_throughput": value + number * 1e-5,
                "mean_ttft_ms": 30.0 + number * 1e-5,
                "mean_tpot_ms": 2.0 + number * 1e-5,
            },
            "digest": f"{number:016x}",
            "workload": {"model": "stub", "input_len": 128, "output_len": 32, "prompts": 48},
            "level": {"max_concurrency": concurrency},
            "tags": {"edit": EDIT, "pin": PIN, "hardware": "stub", "arm": arm, "check": "speed"} | (tags or {}),
            "asked": 48,
            "completed": 48,
            "failed": 0,
        }
        return Run(**(fields | changes))

    return make


@pytest.fixture
def make_arms(make_run):
    """Five runs an arm with a little noise; the candidate's throughput is ``change`` times the baseline's."""

    def make(change=1.0, runs=5, **changes):
        noise = (1.0, 1.004, 0.997, 1.002, 0.998, 1.003, 0.996)[:runs]
        return tuple(
            tuple(make_run(arm, 100.0 * factor * each, **changes) for each in noise)
            for arm, factor in (("baseline", 1.0), ("candidate", change))
        )

    return make


@pytest.fixture
def attach():
    def make(baseline=(), candidate=(), **changes):
        at = datetime.datetime(2026, 9, 8, 12, tzinfo=datetime.UTC)
        fields = {"edit": EDIT, "pin": PIN, "baseline": tuple(baseline), "candidate": tuple(candidate), "at": at}
        return Attached(**(fields | changes))

    return make


@pytest.fixture
def wanted():
    return Wanted(edit=EDIT, pin=PIN)


@pytest.fixture
def specs():
    """Returns the specs of ``(name, kind, options)``; without any, one benchmark at one level."""

    def make(*checks, required=True):
        usual = {
            "command": "bench",
            "concurrency": [8],
            "workload": {"model": "stub", "input_len": 128, "output_len": 32, "prompts": 48},
        }
        chosen = checks or (("speed", "benchmark", usual),)
        return read_specs(
            [Check(name=name, kind=kind, required=required, options=options) for name, kind, options in chosen]
        )

    return make
