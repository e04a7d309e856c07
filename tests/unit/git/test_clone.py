"""Clones of every shape somebody may name with --repo."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.git.clone import open_clone
from syncbot.model.errors import UsageError

ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=folder, env=ENV, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    """A repository with two commits on ``trunk`` and a branch ``main``."""
    path = tmp_path / "upstream"
    path.mkdir()
    git(path, "init", "-q", "-b", "trunk")
    for number in (1, 2):
        (path / "file").write_text(f"{number}\n")
        git(path, "add", "file")
        git(path, "commit", "-q", "-m", f"Commit {number}")
    git(path, "branch", "main")
    return path


@pytest.fixture
def clone(tmp_path: Path, upstream: Path) -> Callable[..., Path]:
    def make(*options: str, name: str = "clone") -> Path:
        git(tmp_path, "-c", "protocol.file.allow=always", "clone", "-q", *options, f"file://{upstream}", name)
        return tmp_path / name

    return make


def test_an_ordinary_clone(clone) -> None:
    path = clone()
    git(path, "checkout", "-q", "-b", "feature")
    found = open_clone(path)
    assert (found.branch, found.branch_ref) == ("trunk", "refs/remotes/origin/trunk")
    assert (found.git_dir, found.common_dir) == (path / ".git", path / ".git")
    assert (found.bare, found.shallow, found.partial, found.notes) == (False, False, False, ())
    assert found.branch_candidates("v1") == ("refs/remotes/origin/v1", "refs/heads/v1")
    assert found.git().text("log", "-1", "--format=%s", found.branch_ref) == "Commit 2"


def test_a_bare_clone_and_a_mirror(clone) -> None:
    for options in (["--bare"], ["--mirror"]):
        found = open_clone(clone(*options, name=options[0].strip("-")))
        assert (found.bare, found.branch, found.branch_ref) == (True, "trunk", "refs/heads/trunk")
        assert found.branch_candidates("v1")[0] == "refs/heads/v1"


def test_a_bare_clone_without_any_configuration(clone) -> None:
    path = clone("--bare")
    for name in ("config", "description", "hooks", "info", "branches"):
        target = path / name
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
    found = open_clone(path)
    assert (found.branch_ref, found.partial, found.slug) == ("refs/heads/trunk", False, None)


def test_the_git_folder_itself_and_relative_and_home_paths(clone, monkeypatch: pytest.MonkeyPatch) -> None:
    path = clone()
    assert open_clone(path / ".git").branch == "trunk"
    monkeypatch.chdir(path)
    assert open_clone(".").git_dir == path / ".git"
    monkeypatch.chdir(path.parent)
    assert open_clone("clone").path == path
    monkeypatch.setenv("HOME", str(path.parent))
    assert open_clone("~/clone").path == path


def test_a_linked_work_tree(clone, tmp_path: Path) -> None:
    path = clone()
    git(path, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    for place in (tmp_path / "linked", tmp_path / "linked" / ".git"):
        found = open_clone(place)
        assert found.git_dir == path / ".git" / "worktrees" / "linked"
        assert (found.common_dir, found.branch_ref) == (path / ".git", "refs/remotes/origin/trunk")
        assert found.git().text("log", "-1", "--format=%s", found.branch_ref) == "Commit 2"


def test_a_git_file_that_leads_elsewhere(clone, tmp_path: Path) -> None:
    path = clone()
    shutil.move(path / ".git", tmp_path / "moved")
    (path / ".git").write_text("gitdir: ../moved\n")
    assert open_clone(path).git_dir == tmp_path / "moved"
    (path / ".git").write_text("gitdir: ../gone\n")
    with pytest.raises(UsageError, match=r"cannot read the repository.*gone"):
        open_clone(path)


def test_a_shallow_clone_says_so(clone) -> None:
    found = open_clone(clone("--depth", "1"))
    assert found.shallow
    assert any("shallow" in note for note in found.notes)


def test_a_partial_clone_says_so(clone, upstream: Path) -> None:
    git(upstream, "config", "uploadpack.allowFilter", "true")
    path = clone("--bare", "--filter=blob:none")
    assert open_clone(path).partial
    (path / "config").unlink()
    assert open_clone(path).partial, "packs marked as promised tell it too"


def test_objects_that_are_missing_are_missing_at_once_and_nothing_is_fetched(clone, upstream: Path) -> None:
    git(upstream, "config", "uploadpack.allowFilter", "true")
    path = clone("--bare", "--filter=blob:none")
    blobs = [git(upstream, "rev-parse", f"{ref}:file") for ref in ("trunk", "trunk~1")]
    runner = open_clone(path).git()
    answer = runner.lines("cat-file", "--batch-check", stdin="\n".join([*blobs, "trunk"]).encode())
    assert answer[:2] == [f"{blob} missing" for blob in blobs]
    assert answer[2].endswith(f"commit {len(runner.run('cat-file', 'commit', 'trunk'))}")


def test_the_configuration_of_a_clone_reaches_nothing(clone, tmp_path: Path) -> None:
    path = clone()
    trap = tmp_path / "sprung"
    git(path, "config", "diff.external", f"touch {trap}")
    git(path, "config", "core.fsmonitor", f"touch {trap}")
    git(path, "config", "diff.noprefix", "true")
    git(path, "config", "filter.x.smudge", f"touch {trap}")
    (path / ".git" / "info" / "attributes").write_text("* diff=x\n")
    git(path, "config", "diff.x.textconv", f"touch {trap}; cat")
    patch = open_clone(path).git().text("log", "-p", "-1", "--ext-diff", "--textconv", "refs/remotes/origin/trunk")
    assert "+++ b/file" in patch
    assert not trap.exists()


def test_a_ref_packed_after_the_clone_was_opened_is_still_found(clone) -> None:
    path = clone("--bare")
    (path / "packed-refs").unlink()
    git(path, "fetch", "-q", "origin", "trunk:late")
    runner = open_clone(path).git()
    git(path, "pack-refs", "--all")
    assert runner.text("log", "-1", "--format=%s", "refs/heads/late") == "Commit 2"


def test_a_sha256_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "-b", "main", "new")
    git(tmp_path / "new", "commit", "-q", "--allow-empty", "-m", "First")
    found = open_clone(tmp_path / "new")
    assert found.git().text("log", "-1", "--format=%s", "refs/heads/main") == "First"


def test_without_origin_head_main_is_taken_and_said(clone) -> None:
    path = clone()
    git(path, "remote", "set-head", "origin", "--delete")
    found = open_clone(path)
    assert found.branch_ref == "refs/remotes/origin/main"
    assert any("refs/remotes/origin/main" in note for note in found.notes)


def test_origin_head_that_names_a_branch_that_went(clone) -> None:
    path = clone()
    git(path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert open_clone(path).branch_ref == "refs/remotes/origin/main"


def test_a_detached_head_is_told(upstream: Path) -> None:
    git(upstream, "checkout", "-q", "--detach")
    found = open_clone(upstream)
    assert found.branch_ref == "refs/heads/main"
    assert any("detached" in note for note in found.notes)


def test_a_local_repository_with_a_branch_of_another_name(upstream: Path) -> None:
    git(upstream, "branch", "-D", "main")
    found = open_clone(upstream)
    assert found.branch_ref == "refs/heads/trunk"
    assert any("checked-out" in note for note in found.notes)


def test_an_empty_repository_has_no_branch(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    found = open_clone(tmp_path / "empty.git")
    assert (found.branch, found.branch_ref) == (None, None)
    assert any("no default branch" in note for note in found.notes)


@pytest.mark.parametrize(
    ("url", "host", "slug"),
    [
        ("https://github.com/vllm-project/vllm.git", "github.com", "vllm-project/vllm"),
        ("https://x:s3cret@github.com/vllm-project/vllm", "github.com", "vllm-project/vllm"),
        ("git@ghe.example:team/fork.git", "ghe.example", "team/fork"),
        ("/srv/git/project", None, None),
        ("ext::sh -c id", None, None),
    ],
)
def test_owner_and_name_are_guessed_from_origin(upstream: Path, url: str, host: str | None, slug: str | None) -> None:
    git(upstream, "config", "remote.origin.url", url)
    found = open_clone(upstream)
    assert (found.host, found.slug) == (host, slug)
    assert "s3cret" not in repr(found)


def test_an_empty_folder_inside_a_clone_is_not_that_clone(clone) -> None:
    path = clone()
    (path / "sub").mkdir()
    with pytest.raises(UsageError, match=rf"folder inside the clone {path}; name that one"):
        open_clone(path / "sub")


@pytest.mark.parametrize(("name", "says"), [("missing", "does not exist"), ("file", "is a file"), ("", "git clone")])
def test_what_is_no_clone_says_what_to_do(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=says):
        open_clone(tmp_path / name)


def test_a_clone_in_a_process_that_a_hook_started(clone, upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(upstream / ".git"))
    path = clone()
    assert open_clone(path).git_dir == path / ".git"


def test_opening_writes_nothing(clone) -> None:
    path = clone()

    def state() -> dict[Path, tuple[int, int]]:
        return {item: (item.stat().st_mtime_ns, item.stat().st_size) for item in sorted(path.rglob("*"))}

    before = state()
    open_clone(path)
    assert state() == before


@pytest.mark.real
@pytest.mark.parametrize("name", ["ROCm+aiter", "shen-shanshan+vllm", "flashinfer-ai+flashinfer"])
def test_a_real_clone_is_read_and_left_as_it_was(name: str) -> None:
    if not (clones := os.environ.get("SYNCBOT_CLONES")):
        pytest.skip("SYNCBOT_CLONES names no folder of real clones")
    path = Path(clones) / name / "repo"

    # Git sets the time of a pack that already has what is written in front of it, as tests that run beside this one do.
    def state() -> dict[Path, tuple[int, int]]:
        found = {item: item.stat() for item in [path, *sorted(path.rglob("*"))]}
        return {item: (0 if item.suffix == ".pack" else each.st_mtime_ns, each.st_size) for item, each in found.items()}

    before = state()
    found = open_clone(path)
    assert (found.bare, found.branch, found.shallow) == (True, "main", False)
    assert int(found.git().text("rev-list", "--count", "refs/heads/main")) > 2000
    assert found.git().text("cat-file", "--batch-check", stdin=b"0" * 40).endswith(" missing")
    assert state() == before
