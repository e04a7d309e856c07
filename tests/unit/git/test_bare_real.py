"""A bare repository that borrows from a real clone, one that lacks its largest objects."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from small_repo import ENV

from syncbot.git.bare import BareRepositories
from syncbot.git.push import push
from syncbot.git.run import Access, Git

CLONE = Path(os.environ.get("SYNCBOT_CLONES", "/nonexistent")) / "shen-shanshan+vllm" / "repo"


@pytest.mark.real
@pytest.mark.skipif(not CLONE.exists(), reason="SYNCBOT_CLONES names no folder with shen-shanshan+vllm/repo")
def test_one_commit_is_all_that_is_copied(tmp_path):
    scratch: dict[str, str] = {}

    def run(*args: str, stdin: str | None = None) -> str:
        env = ENV | scratch | {"GIT_INDEX_FILE": str(tmp_path / "index")}
        done = subprocess.run(
            ["git", *args], cwd=CLONE, env=env, input=stdin, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    objects = Path(run("rev-parse", "--path-format=absolute", "--git-path", "objects"))
    scratch |= {"GIT_OBJECT_DIRECTORY": str(tmp_path / "scratch"), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}
    (tmp_path / "scratch").mkdir()
    head = run("rev-parse", "HEAD")
    run("read-tree", head)
    run("update-index", "--index-info", stdin=f"100644 {run('hash-object', '-w', '--stdin', stdin='x')}\tREADME.md\n")
    oid = run("commit-tree", run("write-tree", "--missing-ok"), "-p", head, "-m", "Change one file")

    branches = BareRepositories(lambda repo: tmp_path / repo / "repository.git")
    place = branches.create("vllm-project/vllm", default_branch="main", borrow_from=objects)
    runner = Git(CLONE, Access.NETWORK, env=scratch)
    assert push(runner, remote=place, branch="syncbot/remove/x", oid=oid, expected=None).done
    assert push(runner, remote=place, branch="main", oid=head, expected=None).done
    assert [one.path for one in branches.files("vllm-project/vllm", "main", oid)] == ["README.md"]
    assert [one.oid for one in branches.commits("vllm-project/vllm", "main", oid)] == [oid]
    assert branches.merges("vllm-project/vllm", "main", oid) is True
    assert branches.patch("vllm-project/vllm", "main", oid).startswith(f"From {oid}".encode())
    assert sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) < 1 << 20
