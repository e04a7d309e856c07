"""Ready-made checks: what a preset brings for each key that a manifest leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SERVER = "vllm serve {model} --port {port}"
_BENCH = (
    "vllm bench serve --backend vllm --base-url http://127.0.0.1:{port} --endpoint /v1/completions --model {model}"
    " --dataset-name random --random-input-len {input_len} --random-output-len {output_len} --ignore-eos"
    " --num-prompts {prompts} --max-concurrency {concurrency} --request-rate {request_rate} --seed 0"
    " --save-result --result-filename {out} --metadata {tags}"
)
_LADDER = [1, 2, 4, 8, 16, 32, 64, 128, 256]


def _serving(input_len: int, output_len: int) -> dict[str, Any]:
    return {
        "server": _SERVER,
        "command": _BENCH,
        "concurrency": _LADDER,
        "workload": {"input_len": input_len, "output_len": output_len, "request_rate": "inf"},
    }


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "vllm-8k1k": _serving(8192, 1024),
    "vllm-1k1k": _serving(1024, 1024),
    "vllm-waves": {
        "server": _SERVER,
        "command": _BENCH,
        "concurrency": 64,
        "waves": 3,
        "workload": {"input_len": 1024, "output_len": 128, "request_rate": "inf"},
    },
    "lm-eval-gsm8k": {
        "server": _SERVER,
        "command": (
            "lm_eval --model local-completions --tasks {task} --output_path {out} --metadata {tags_json}"
            " --model_args model={model},base_url=http://127.0.0.1:{port}/v1/completions,num_concurrent=64,max_retries=3"
        ),
        "task": "gsm8k",
        "metric": "exact_match,strict-match",
        "questions": 1319,
    },
}
