"""The repository's own manifests against the code they are about: vLLM at the commit they were written for."""

import os
import subprocess
from pathlib import Path

import pytest

from syncbot.config import load_project

ROOT = Path(__file__).parents[3]
AT = "b01728b0880ca419bb41199523535457f4ab0010"
IDS = sorted(path.parent.name for path in ROOT.glob("patches/*/patch.toml"))


@pytest.fixture(params=IDS)
def workaround(request):
    return next(each for each in load_project(ROOT).workarounds if each.id == request.param)


def clone(name):
    folder = os.environ.get("SYNCBOT_CLONES")
    path = Path(folder or "") / name / "repo"
    if not folder or not path.exists():
        pytest.skip(f"SYNCBOT_CLONES names no folder that holds {name}/repo")
    return path


def git(repo, *args):
    command = ["git", "-c", "protocol.allow=never", "-C", str(repo), *args]
    return subprocess.run(
        command, capture_output=True, check=True, text=True, env=os.environ | {"GIT_NO_LAZY_FETCH": "1"}
    )


@pytest.mark.real
def test_markers_are_there_as_often_as_said(workaround):
    repo = clone("shen-shanshan+vllm")
    assert workaround.removal.markers
    for marker in workaround.removal.markers:
        assert git(repo, "show", f"{AT}:{marker.path}").stdout.count(marker.text) == marker.count


@pytest.mark.real
def test_commits_are_those_of_the_numbers(workaround):
    downstream, upstream = clone("shen-shanshan+vllm"), clone("ROCm+aiter")
    introduced = workaround.introduced
    assert f"(#{introduced.pull})" in git(downstream, "show", "-s", "--format=%s", introduced.commit).stdout
    assert git(downstream, "merge-base", "--is-ancestor", introduced.commit, AT).returncode == 0
    for fix in workaround.fixes:
        if fix.commit is not None:
            assert f"(#{fix.pull})" in git(upstream, "show", "-s", "--format=%s", fix.commit).stdout
