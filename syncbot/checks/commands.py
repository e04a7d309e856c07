"""The commands that measure both arms, as one bash script: ready to paste, and what the GPU workflow runs. Pure.

Runs are interleaved, baseline, candidate, baseline, candidate, so that a machine that warms up or slows down does so in
both arms. Every command passes edit, pin, arm, hardware and lengths along, so that its file says what was run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from syncbot.checks.spec import PROMPTS_PER_CONCURRENCY, Spec
from syncbot.model.checks import CheckKind
from syncbot.model.errors import UsageError

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_TAGS = '"${tags[@]}"'

# What stands for a placeholder in the script; the loops and functions there set these variables.
_VARIABLES = {
    "model": '"$MODEL"',
    "tokenizer": '"$TOKENIZER"',
    "port": '"$PORT"',
    "concurrency": '"$concurrency"',
    "prompts": '"$prompts"',
    "input_len": '"$input_len"',
    "output_len": '"$output_len"',
    "request_rate": '"$request_rate"',
    "task": '"$task"',
    "arm": '"$arm"',
    "run": '"$run"',
    "out": '"$out"',
    "log": '"$log"',
    "tags": _TAGS,
    "tags_json": '"$tags_json"',
}

_HEAD = """\
#!/usr/bin/env bash
# Measures {title}: {checks}.
# baseline: with the workaround, candidate: without it; the same pin, the same machine. Interleaved.
# Needs bash, curl, syncbot and what the commands name. Set what is empty here, or in the environment.
set -euo pipefail

: "${{BASELINE:?the folder of the downstream with the workaround}}"
: "${{CANDIDATE:?the folder of the downstream without it}}"
[ -n "${{EDIT:-}}" ] || EDIT={edit}
[ -n "${{PIN:-}}" ] || PIN={pin}
[ -n "${{HARDWARE:-}}" ] || HARDWARE={hardware}
: "${{PORT:=8000}}" "${{OUT:=results}}"
: "${{EDIT:?the edit id of the proposal}}" "${{PIN:?the upstream that is built with}}" "${{HARDWARE:?such as gfx950}}"
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
server=

# answers: does a server answer
answers() {{ curl --silent --fail --output /dev/null "http://127.0.0.1:$PORT/health"; }}

# stop: end the server and everything it started, so that the other arm finds the port and the memory free
stop() {{
  if [ -z "$server" ]; then return; fi
  kill -- "-$server" 2>/dev/null || true
  local end=$((SECONDS + 60))
  while kill -0 -- "-$server" 2>/dev/null; do
    if [ "$SECONDS" -ge "$end" ]; then kill -KILL -- "-$server" 2>/dev/null || true; fi
    sleep 0.1
  done
  wait "$server" 2>/dev/null || true
  server=
}}
trap stop EXIT

# enter ARM: where the downstream of that arm is
enter() {{ if [ "$1" = baseline ]; then cd "$BASELINE"; else cd "$CANDIDATE"; fi; }}

# start CHECK COMMAND: the server of $arm, until it answers
start() {{
  log="$OUT/$1-$arm-r$run-server.log"
  if answers; then echo "something answers on port $PORT already; it would be measured instead" >&2; exit 1; fi
  set -m; ( enter "$arm"; exec bash -c "$2" ) >"$log" 2>&1 & server=$!; set +m
  local end=$((SECONDS + ${{START_SECONDS:-1800}}))
  until answers; do
    if ! kill -0 "$server" 2>/dev/null; then echo "the server of $1 ended; see $log" >&2; exit 1; fi
    if [ "$SECONDS" -ge "$end" ]; then echo "the server of $1 did not answer; see $log" >&2; exit 1; fi
    sleep 0.2
  done
}}

# told CHECK: what the files will say about this run
told() {{
  tags=("check=$1" "edit=$EDIT" "pin=$PIN" "arm=$arm" "hardware=$HARDWARE")
  if [ -n "$input_len" ]; then tags+=("isl=$input_len"); fi
  if [ -n "$output_len" ]; then tags+=("osl=$output_len"); fi
  printf -v tags_json '{{"check": "%s", "edit": "%s", "pin": "%s", "arm": "%s", "hardware": "%s"}}' \\
    "$1" "$EDIT" "$PIN" "$arm" "$HARDWARE"
}}
"""


def script(title: str, specs: Sequence[Spec], *, edit: str | None, pin: str | None) -> str:
    """Return the script; raises `UsageError` for a placeholder nobody knows."""
    problems = [line for spec in specs for line in _unknown(spec)]
    if problems:
        raise UsageError(*problems)
    measured = [spec for spec in specs if spec.kind is not CheckKind.MANUAL]
    hardware = next((spec.hardware for spec in specs if spec.hardware), None)
    head = _HEAD.format(
        title=_comment(title),
        checks=_comment(", ".join(spec.name for spec in measured)),
        edit=shlex.quote(edit or ""),
        pin=shlex.quote(pin or ""),
        hardware=shlex.quote(hardware or ""),
    )
    sections = ["\n".join(_section(spec)) + "\n" for spec in specs]
    last = f'echo "results are in $OUT; now: syncbot results attach" {shlex.quote(title)} "--folder $OUT"\n'
    return "\n".join((head, *sections, last))


def _section(spec: Spec) -> Iterator[str]:
    yield f"# --- {_comment(spec.name)} ({spec.kind.value})" + (
        f", on {_comment(spec.hardware)}" if spec.hardware else ""
    )
    if spec.software:
        yield f"# needs {_comment(spec.software)}"
    match spec.kind:
        case CheckKind.MANUAL:
            yield f"# a person looks, and ticks the box: {_comment(spec.text or '')}"
        case CheckKind.COMMAND:
            yield from _command(spec)
        case CheckKind.FUNCTIONAL:
            yield from _functional(spec)
        case _:
            yield from _compared(spec)


def _settings(spec: Spec) -> Iterator[str]:
    for key in ("input_len", "output_len", "request_rate"):
        value = spec.workload.get(key)
        yield f"{key}={shlex.quote(str(value)) if value is not None else ''}"
    yield f"task={shlex.quote(spec.task or '')}"
    for key, variable in (("model", "MODEL"), ("tokenizer", "TOKENIZER")):
        value = spec.workload.get(key)
        if value is not None:
            yield f"{variable}={shlex.quote(str(value))}"
        elif f"{{{key}}}" in f"{spec.command} {spec.server}":
            yield f': "${{{variable}:?the {key} to serve}}"'


def _compared(spec: Spec) -> Iterator[str]:
    yield from _settings(spec)
    ladder = " ".join(map(str, spec.concurrency))
    yield f"for run in $(seq {spec.runs}); do for arm in baseline candidate; do"
    yield f"  told {shlex.quote(spec.name)}"
    yield from _server(spec)
    if ladder:
        yield f"  for concurrency in {ladder}; do"
        yield f"    prompts={_prompts(spec)}"
        yield f'    out="$OUT/{spec.name}-$arm-c$concurrency-r$run.json"'
        yield f'    ( enter "$arm"; {filled(spec.command or ":")} )'
        yield "  done"
    else:
        yield f'  out="$OUT/{spec.name}-$arm-r$run.json"'
        yield f'  ( enter "$arm"; {filled(spec.command or ":")} )'
    yield "  stop"
    yield "done; done"


def _functional(spec: Spec) -> Iterator[str]:
    yield from _settings(spec)
    yield f"run=1; arm=candidate; concurrency={spec.concurrency[0]}; prompts={spec.prompts(spec.concurrency[0])}"
    yield f"told {shlex.quote(spec.name)}"
    yield from (line.removeprefix("  ") for line in _server(spec))
    yield f"for run in $(seq {spec.waves}); do"
    yield f'  out="$OUT/{spec.name}-$arm-wave$run.json"'
    yield f'  ( enter "$arm"; {filled(spec.command or ":")} )'
    yield "done"
    yield "stop"
    if spec.forbidden_log_lines and spec.server:
        forbidden = " ".join(f"--forbid {shlex.quote(line)}" for line in spec.forbidden_log_lines)
        yield f'{_outcome(spec)} --log "$log" {forbidden} --output "$OUT/{spec.name}-$arm-log.json"'


def _command(spec: Spec) -> Iterator[str]:
    yield from _settings(spec)
    yield "run=1; arm=candidate; code=0; log=; concurrency=; prompts="
    yield f"told {shlex.quote(spec.name)}"
    yield f'out="$OUT/{spec.name}-$arm.json"'
    yield f'( enter "$arm"; {filled(spec.command or ":")} ) || code=$?'
    yield f'{_outcome(spec)} --exit-code "$code" --output "$out"'


def _outcome(spec: Spec) -> str:
    return (
        f'syncbot results outcome {shlex.quote(spec.name)} --arm "$arm" --edit "$EDIT" --pin "$PIN"'
        ' --hardware "$HARDWARE"'
    )


def _server(spec: Spec) -> Iterator[str]:
    if spec.server:
        # The server's command is a text for a shell of its own, with what it needs in the environment.
        yield "  export MODEL TOKENIZER PORT arm run"
        yield f"  start {shlex.quote(spec.name)} {shlex.quote(filled(spec.server))}"


def _prompts(spec: Spec) -> str:
    fixed = spec.workload.get("prompts")
    if isinstance(fixed, int):
        return str(fixed)
    each = spec.workload.get("prompts_per_concurrency", PROMPTS_PER_CONCURRENCY)
    return f"$((concurrency * {each}))"


def filled(command: str, values: Mapping[str, str] = _VARIABLES) -> str:
    """Return the command with its placeholders filled in; a doubled brace is a brace."""

    def one(match: re.Match[str]) -> str:
        return match[0][0] if match[1] is None else values[match[1]]

    return _PLACEHOLDER.sub(one, command.strip())


def _unknown(spec: Spec) -> Iterator[str]:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", spec.name):
        yield f"check {spec.name!r}: a name for files and shells has only letters, digits, '.', '_' and '-'"
    for command in (spec.server, spec.command):
        for match in _PLACEHOLDER.finditer(command or ""):
            if match[1] is not None and match[1] not in _VARIABLES:
                yield f"check {spec.name!r}: {{{match[1]}}} is no placeholder; known are {', '.join(_VARIABLES)}"


def _comment(text: str) -> str:
    """Return text that cannot leave its comment line."""
    return re.sub(r"[\x00-\x1f\x7f\u2028\u2029]+", " ", text)
