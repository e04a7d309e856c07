"""The real clones with the folder forge: what is due is offered, the rest is left alone, each with its reason."""

import os
import shutil
from pathlib import Path

import pytest

from syncbot.cli.main import run

CLONES = os.environ.get("SYNCBOT_CLONES")
HERE = Path(__file__).parents[2]


@pytest.mark.real
@pytest.mark.skipif(CLONES is None, reason="SYNCBOT_CLONES names no folder of clones")
def test_what_is_due_at_a_commit_of_vllm(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CI", "1")
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    shutil.copy(HERE / "syncbot.toml", tmp_path)
    shutil.copytree(HERE / "patches", tmp_path / "patches")
    vllm = Path(CLONES, "shen-shanshan+vllm/repo")
    repos = ["--repo", f"aiter={CLONES}/ROCm+aiter/repo", "--repo", f"vllm={vllm}"]
    assert run(["sync", "--apply", "--config", str(tmp_path), *repos]) == 0
    out, _ = capsys.readouterr()
    lines = {line.partition(":")[0]: line for line in out.splitlines() if line.startswith("vllm-")}
    assert len(lines) == 6
    assert all(len(line) > 40 for line in lines.values())
    place = tmp_path / ".syncbot/forge/vllm-project/vllm"
    offered = sorted(path.name.partition("removal-")[2] for path in place.glob("proposals/*"))
    assert offered == ["vllm-45681", "vllm-46065"]
    (issue,) = place.glob("issues/*")
    assert "vllm-44679" in (issue / "body.md").read_text()
    for name in ("vllm-46122", "vllm-49714", "vllm-50859"):
        assert ": keep. " in lines[name]
    assert run(["sync", "--apply", "--config", str(tmp_path), *repos]) == 0
    assert "nothing to write" in capsys.readouterr()[0]
