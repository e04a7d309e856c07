"""The workarounds of vLLM for AITER, as they stood on 2026-08-18, found in the real clones."""

import json
import os
from pathlib import Path

import pytest

from syncbot.cli.main import run

ROOT = Path(__file__).parents[2]
CLONES = Path(os.environ.get("SYNCBOT_CLONES", "/nonexistent"))
VLLM, AITER = CLONES / "shen-shanshan+vllm" / "repo", CLONES / "ROCm+aiter" / "repo"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not (VLLM.is_dir() and AITER.is_dir()),
        reason="SYNCBOT_CLONES names no folder that holds shen-shanshan+vllm/repo and ROCm+aiter/repo",
    ),
]


def test_overdue_not_yet_due_unlinked_and_none_at_all(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path))
    where = ["--config", str(ROOT), "--repo", f"vllm={VLLM}", "--repo", f"aiter={AITER}", "--offline"]
    assert run(["discover", *where, "--at", "b01728b08", "--upstream", "aiter", "--all", "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    stages = {Path(place["path"]).name: each["stage"] for each in findings for place in each["places"]}
    recorded = {each["tracked"] for each in findings}
    assert [each["stage"] for each in findings[:4]] == ["ready", "ready", "ready", "released"]
    assert stages["aiter_custom_all_reduce.py"] == "ready"
    assert stages["triton_fp8_mqa_logits.py"] == "ready"
    assert stages["rocm_aiter_moe.py"] == "ready"
    assert stages["aiter_mxfp4_w4a8_moe.py"] == "released"
    assert stages["mxfp4.py"] == "unlinked"
    assert not any(each["path"].endswith("_aiter_ops.py") and "3123" in each["text"] for each in findings)
    assert {"vllm-44679", "vllm-45681", "vllm-46065", "vllm-46122", "vllm-50859"} <= recorded
