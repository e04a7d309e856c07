"""Stand-in result files: invented figures in the form that ``vllm bench serve`` writes, since no GPU runs a demo."""

from __future__ import annotations

import datetime as dt
import json
import random
from pathlib import Path

MODEL, INPUT, OUTPUT, RUNS = "harbor-small", 128, 32, 5
LADDER = (1, 8, 64)
_NOISE = 0.003
_ARMS = ("baseline", "candidate")


def measure(folder: Path, *, edit: str, pin: str, day: dt.date) -> int:
    """Write the files of both arms, measured in turn, into ``folder``; return how many. The same on every machine."""
    folder.mkdir()
    dice = random.Random(edit + pin)  # noqa: S311 - noise, no secret
    now = dt.datetime.combine(day, dt.time(9))
    for number in range(RUNS):
        for level in LADDER:
            for arm in _ARMS:
                now += dt.timedelta(minutes=4)
                said = {"arm": arm, "edit": edit, "pin": pin, "hardware": "stand-in", "check": "throughput"}
                said |= {"date": f"{now:%Y%m%d-%H%M%S}"}
                text = json.dumps(_one(level, dice) | said, indent=1)
                (folder / f"{arm}-c{level}-{number + 1}.json").write_text(text + "\n", encoding="utf-8")
    return RUNS * len(LADDER) * len(_ARMS)


def _one(level: int, dice: random.Random) -> dict[str, object]:
    def about(value: float) -> float:
        return value * dice.gauss(1, _NOISE)

    prompts, tpot = 10 * level, about(2.4 + 0.02 * level)
    ttft = about(20 + 1.5 * level)
    duration = prompts / level * (ttft + tpot * (OUTPUT - 1)) / 1000
    tokens = prompts * OUTPUT
    return {
        "endpoint_type": "vllm", "backend": "vllm", "label": None, "model_id": MODEL, "tokenizer_id": MODEL,
        "num_prompts": prompts, "isl": str(INPUT), "osl": str(OUTPUT), "request_rate": "inf", "burstiness": 1.0,
        "max_concurrency": level, "duration": duration, "completed": prompts, "failed": 0,
        "total_input_tokens": prompts * INPUT, "total_output_tokens": tokens,
        "request_throughput": prompts / duration, "request_goodput": None, "output_throughput": tokens / duration,
        "total_token_throughput": (tokens + prompts * INPUT) / duration,
        "mean_ttft_ms": ttft, "median_ttft_ms": ttft, "std_ttft_ms": ttft * 0.05, "p99_ttft_ms": ttft * 1.2,
        "mean_tpot_ms": tpot, "median_tpot_ms": tpot, "std_tpot_ms": tpot * 0.05, "p99_tpot_ms": tpot * 1.2,
    }  # fmt: skip
