"""Do these runs answer this check, for this edit and this pin? What differs, and what the files leave unsaid. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.checks.arms import SERVING
from syncbot.checks.readers.table import arm_of
from syncbot.checks.spec import Spec
from syncbot.model.checks import Arm, CheckKind, Run

_TOOLS = {
    CheckKind.ACCURACY: ("lm_eval",),
    CheckKind.BENCHMARK: (*SERVING, "pytest-benchmark", "csv"),
}


def runs_for(spec: Spec, runs: Sequence[Run], specs: Sequence[Spec]) -> tuple[Run, ...]:
    """Return the runs that name this check; those that name none go to the only check of their kind."""
    alone = len([each for each in specs if each.kind is spec.kind]) == 1
    suits = _TOOLS.get(spec.kind, ())
    return tuple(
        run
        for run in runs
        if run.tags.get("check") == spec.name or ("check" not in run.tags and alone and run.tool in suits)
    )


def unbound(runs: Sequence[Run], specs: Sequence[Spec]) -> Iterator[str]:
    """Yield one line for each run that no check asks for."""
    for run in runs:
        if not any(run in runs_for(spec, (run,), specs) for spec in specs):
            named = run.tags.get("check")
            yield (
                f"{run.source}: is for the check {named!r}, which the manifest has not; it has "
                f"{', '.join(spec.name for spec in specs) or 'none'}"
                if named
                else f"{run.source}: does not say which check it is for, and several could be meant"
            )


def differences(spec: Spec, run: Run, arm: Arm, *, edit: str, pin: str) -> Iterator[str]:
    """Yield what the run says that is not what was asked."""
    for key, wanted in (("edit", edit), ("pin", pin), ("hardware", spec.hardware)):
        said = run.tags.get(key)
        if wanted is not None and said is not None and said != wanted:
            yield f"{run.source}: {key} is {said!r}, wanted is {wanted!r}"
    said = run.tags.get("arm")
    if said is not None and arm_of(said) is not arm:
        yield f"{run.source}: says it is the arm {said!r}, and was given as {arm}"
    for key in ("model", "tokenizer", "input_len", "output_len", "request_rate"):
        wanted_value, found = spec.workload.get(key), run.workload.get(key)
        if wanted_value is not None and found is not None and found != wanted_value:
            yield f"{run.source}: {key} is {found!r}, the check asks for {wanted_value!r}"
    yield from run.doubts
    yield from _amount(spec, run)


def _amount(spec: Spec, run: Run) -> Iterator[str]:
    """Yield it if the run did less than the check asks for."""
    concurrency = run.level.get("max_concurrency")
    if spec.kind is CheckKind.BENCHMARK and run.asked is not None and isinstance(concurrency, int):
        wanted = spec.prompts(concurrency)
        if run.asked < wanted:
            yield f"{run.source}: {run.asked} prompts at max_concurrency {concurrency}, the check asks for {wanted}"
    if spec.kind is CheckKind.FUNCTIONAL and isinstance(concurrency, int) and concurrency < spec.concurrency[0]:
        yield f"{run.source}: max_concurrency is {concurrency}, the check asks for {spec.concurrency[0]}"
    if spec.kind is CheckKind.ACCURACY:
        for metric in spec.metrics:
            if metric.name not in run.metrics:
                yield f"{run.source}: has no {metric.name}; it has {', '.join(sorted(run.metrics)[:8])}"
        answered = run.workload.get(f"{spec.task}.samples")
        wanted_questions = spec.questions or run.workload.get(f"{spec.task}.questions")
        if isinstance(answered, int) and isinstance(wanted_questions, int) and answered < wanted_questions:
            yield f"{run.source}: answered {answered} questions, the check asks for {wanted_questions}"


def unsaid(spec: Spec, run: Run) -> list[str]:
    """Return the fields the run's file leaves unsaid and that a gate cannot do without."""
    needed = ["edit", "pin", "arm", "hardware"]
    missing = [key for key in needed if key not in run.tags]
    if run.tool in SERVING:
        missing += [name for key, name in (("input_len", "isl"), ("output_len", "osl")) if key not in run.workload]
        missing += [key for key in ("model", "prompts") if key not in run.workload]
    if run.tool == "lm_eval":
        missing += [key for key in (f"{spec.task}.samples", "model") if key not in run.workload]
    return missing
