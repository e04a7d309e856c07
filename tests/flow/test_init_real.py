"""The pins of real projects, found with nothing configured."""

import json
import os
from pathlib import Path

import pytest

from syncbot.cli.main import run

CLONES = Path(os.environ.get("SYNCBOT_CLONES", "/nonexistent"))
VLLM = "shen-shanshan+vllm"

PAIRS = [
    (
        "ROCm/aiter", VLLM, "vllm-project/vllm",
        {"docker/Dockerfile.rocm_base": ("tag", True), "docker/Dockerfile.rocm_base_gfx1250": ("branch", False)},
    ),
    (
        "flashinfer-ai/flashinfer", VLLM, "vllm-project/vllm",
        {
            "docker/Dockerfile": ("version", True), "docker/versions.json": ("version", True),
            "requirements/cuda.txt": ("version", True),
        },
    ),
    ("rust-lang/regex", "BurntSushi+ripgrep", "BurntSushi/ripgrep", {"Cargo.lock": ("tag", True)}),
    ("pillarjs/router", "expressjs+express", "expressjs/express", {"package.json": ("version", False)}),
    ("spf13/pflag", "spf13+cobra", "spf13/cobra", {"go.mod": ("tag", True)}),
]  # fmt: skip


@pytest.mark.real
@pytest.mark.parametrize(("upstream", "there", "downstream", "pins"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_the_pins_are_found(upstream, there, downstream, pins, tmp_path, capsys):
    up, down = CLONES / upstream.replace("/", "+") / "repo", CLONES / there / "repo"
    if not (up.is_dir() and down.is_dir()):
        pytest.skip(f"SYNCBOT_CLONES names no folder that holds {up.parent.name}/repo and {there}/repo")
    names = [each.rpartition("/")[2] for each in (upstream, downstream)]
    repos = ["--repo", f"{names[0]}={up}", "--repo", f"{names[1]}={down}"]
    where = tmp_path / "new"
    asked = ["init", str(where), "--upstream", upstream, "--downstream", downstream, *repos, "--no-discover", "--json"]
    assert run(asked) == 0
    said = json.loads(capsys.readouterr().out)
    found = {}
    for pin in said["pins"]:
        found.setdefault(pin["path"], (pin["form"], pin["gating"]))
    assert pins.items() <= found.items()
    assert run(["check", str(where)]) == 0
    assert run(["status", "--config", str(where), *repos]) == 0
