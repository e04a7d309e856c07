"""Serving benchmarks: ``vllm bench serve`` and SGLang's bench_serving, which share their figures but little else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from syncbot.checks.readers.source import Fields, digest, rate, without_empty
from syncbot.model.checks import Run, Scalar

_FIGURE = re.compile(r"^[a-z0-9_.]+_(throughput|goodput|ms)$")
# How far figures that a tool computes from each other may disagree before somebody must have changed one.
_AGREE = 0.01
_LENGTHS = 0.1


def knows_vllm(values: Mapping[str, Any]) -> bool:
    """Return whether ``vllm bench serve`` wrote this."""
    return "request_throughput" in values and "model_id" in values


def knows_sglang(values: Mapping[str, Any]) -> bool:
    """Return whether SGLang's bench_serving wrote this."""
    return "request_throughput" in values and "dataset_name" in values and "random_input_len" in values


def read_vllm(name: str, values: Mapping[str, Any]) -> Run:
    """Return the run; raises `ResultError` naming everything that is wrong with it."""
    fields = Fields(name, values)
    asked = fields.count("num_prompts")
    completed = fields.count("completed", needed=True)
    failed = fields.count("failed")
    input_len, output_len = _length(fields, "isl"), _length(fields, "osl")
    workload: dict[str, Scalar] = {
        "model": fields.text("model_id", needed=True),
        "tokenizer": fields.text("tokenizer_id"),
        "prompts": asked,
        "input_len": input_len,
        "output_len": output_len,
        "request_rate": rate(values.get("request_rate")),
        "burstiness": fields.number("burstiness"),
        "backend": fields.text("endpoint_type") or fields.text("backend"),
    }
    return _run(fields, "vllm bench serve", workload, completed=completed, asked=asked, failed=failed)


def read_sglang(name: str, values: Mapping[str, Any]) -> Run:
    """Return the run. These files name neither the model nor how many requests were asked for."""
    fields = Fields(name, values)
    completed = fields.count("completed", needed=True)
    errors = values.get("errors")
    # With --output-details there is one error text a request, empty where it went well.
    asked = len(errors) if isinstance(errors, list) else None
    failed = sum(1 for each in errors if each) if isinstance(errors, list) else None
    workload: dict[str, Scalar] = {
        "dataset": fields.text("dataset_name", needed=True),
        "completed": completed,
        "input_len": fields.count("random_input_len"),
        "output_len": fields.count("random_output_len"),
        "range_ratio": fields.number("random_range_ratio"),
        "sharegpt_output_len": fields.count("sharegpt_output_len"),
        "request_rate": rate(values.get("request_rate")),
        "backend": fields.text("backend"),
        "prompts": asked,
    }
    tags = _tag_text(fields.text("tag"))
    workload["model"] = tags.pop("model", None)
    return _run(fields, "sglang bench_serving", workload, completed=completed, asked=asked, failed=failed, tags=tags)


def _run(
    fields: Fields,
    tool: str,
    workload: dict[str, Scalar],
    *,
    completed: int | None,
    asked: int | None,
    failed: int | None,
    tags: Mapping[str, str] | None = None,
) -> Run:
    metrics = {key: fields.number(key) for key in fields.values if _FIGURE.match(str(key))}
    level: dict[str, Scalar] = {"max_concurrency": fields.count("max_concurrency")}
    if not isinstance(workload["request_rate"], str) and workload["request_rate"] is not None:
        level["request_rate"] = workload["request_rate"]
    workload |= _tokens(fields, completed)
    doubts = (*_disagreements(fields, completed), *_unlike_said(workload))
    fields.close()
    figures = {key: value for key, value in metrics.items() if value is not None}
    date = fields.values.get("date")
    return Run(
        source=fields.name,
        tool=tool,
        metrics=figures,
        digest=digest(figures),
        workload=without_empty(workload),
        level=level,
        tags={**fields.tags(), **(tags or {})},
        date=date if isinstance(date, str) else None,
        asked=asked,
        completed=completed,
        failed=failed,
        doubts=tuple(f"{fields.name}: {doubt}" for doubt in doubts),
    )


def _length(fields: Fields, key: str) -> int | None:
    """Return a length that was passed as metadata, where every value is a text."""
    value = fields.values.get(key)
    if value is None or value == "":
        return None
    if not re.fullmatch(r"[0-9]{1,9}", str(value).strip()):
        fields.wrong(f"{key}: expected a number of tokens, found {value!r:.60}")
        return None
    return int(str(value).strip())


def _disagreements(fields: Fields, completed: int | None) -> Iterator[str]:
    """Yield where two figures contradict each other: somebody must have changed one."""
    duration = fields.number("duration")
    counted: tuple[tuple[str, float | None], ...] = (
        ("request_throughput", completed),
        ("output_throughput", fields.number("total_output_tokens")),
    )
    for key, count in counted:
        value = fields.number(key)
        if value is None or count is None or not duration:
            continue
        expected = count / duration
        if abs(value - expected) > _AGREE * max(expected, 1e-9):
            yield f"{key} is {value:.6g}, but its count over its duration is {expected:.6g}"


def _tokens(fields: Fields, completed: int | None) -> dict[str, Scalar]:
    """Return tokens a request: files without lengths still show by them whether two workloads are alike."""
    found: dict[str, Scalar] = {}
    for key, name in (("total_input_tokens", "input_tokens"), ("total_output_tokens", "output_tokens")):
        total = fields.number(key)
        if total is not None and completed:
            found[f"{name}_per_request"] = round(total / completed, 2)
    return found


def _unlike_said(workload: Mapping[str, Scalar]) -> Iterator[str]:
    """Yield where the run itself contradicts the lengths it was given as metadata."""
    # With a range of lengths SGLang's number is the upper end, so that only a single length can be held against it.
    if workload.get("range_ratio") not in (None, 1.0):
        return
    said, used = workload.get("input_len"), workload.get("input_tokens_per_request")
    if isinstance(said, int) and isinstance(used, float) and abs(used - said) > max(_LENGTHS * said, 8):
        yield f"isl says {said} tokens, but the run used {used:g} a request"
    said, used = workload.get("output_len"), workload.get("output_tokens_per_request")
    if isinstance(said, int) and isinstance(used, float) and abs(used - said) > max(_LENGTHS * said, 8):
        yield f"osl says {said} tokens, but the run made {used:g} a request (was --ignore-eos forgotten?)"


def _tag_text(text: str | None) -> dict[str, str]:
    """Read ``key=value`` words of SGLang's ``--tag``, its only room for metadata."""
    return dict(word.split("=", 1) for word in (text or "").split() if "=" in word)
