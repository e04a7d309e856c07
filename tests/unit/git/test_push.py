"""Pushing over HTTP with a token, against git's own server behind a check of that token."""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fake_forge import FakeForge, Fault, Repo
from forge_stages import template
from small_repo import ENV, commit, git

from syncbot.git.push import push
from syncbot.git.remote import remote as remote_at
from syncbot.git.run import Access, Git
from syncbot.model.errors import TryLaterError, UnknownObjectError, UsageError
from syncbot.model.forge import PushOutcome, Secret

__all__ = ["template"]

TOKEN = "ghp_the-secret-token-of-this-test"
BRANCH = "syncbot/remove/nan-logits"


@dataclass
class Ground:
    """A remote behind HTTP, and a clone of our own to push from."""

    forge: FakeForge
    repo: Repo
    clone: Path

    @property
    def url(self) -> str:
        return f"{self.forge.web}/octo/down.git"

    def make(self, text: str = "x", branch: str = "work") -> str:
        return commit(self.clone, branch, {"kernel.py": text}, "Remove it", onto="main")

    def push(self, oid: str, expected: str | None = None, **changes):
        given = {"remote": self.url, "branch": BRANCH, "token": Secret(TOKEN)} | changes
        return push(Git(self.clone, Access.NETWORK), oid=oid, expected=expected, **given)

    def remote_head(self) -> str | None:
        return self.repo.branches().get(BRANCH)


@pytest.fixture
def ground(tmp_path: Path, template: Path) -> Iterator[Ground]:
    bare = Path(shutil.copytree(template, tmp_path / "down.git"))
    clone = Path(shutil.copytree(template, tmp_path / "ours.git"))
    with FakeForge(tmp_path) as forge:
        forge.world.add_user("syncbot", token=TOKEN)
        forge.world.add_user("reader", token="ghp_reader")
        repo = forge.world.add_repo("octo/down", bare, permissions={"syncbot": "write"})
        yield Ground(forge, repo, clone)


def test_a_new_branch(ground):
    oid = ground.make()
    result = ground.push(oid)
    assert (result.outcome, result.oid, result.done) == (PushOutcome.PUSHED, oid, True)
    assert ground.remote_head() == oid


def test_from_what_it_was_to_what_it_becomes(ground):
    first = ground.make("one")
    ground.push(first)
    second = ground.make("two", "other")
    assert ground.push(second, expected=first).outcome is PushOutcome.PUSHED
    assert ground.remote_head() == second


def test_a_watcher_sees_the_push_before_and_after_it_took_effect(ground):
    seen = []
    ground.forge.watch = lambda moment, request: seen.append((moment, request, ground.remote_head()))
    oid = ground.make()
    ground.push(oid)
    assert seen == [("before", "PUSH octo/down", None), ("after", "PUSH octo/down", oid)]


def test_the_same_again_is_harmless(ground):
    oid = ground.make()
    ground.push(oid)
    again = ground.push(oid, expected=oid)
    assert (again.outcome, again.done) == (PushOutcome.UNCHANGED, True)


def test_a_person_pushed_meanwhile(ground):
    first = ground.make("one")
    ground.push(first)
    persons = commit(ground.repo.git, BRANCH, {"kernel.py": "by hand"}, "Mine")
    result = ground.push(ground.make("two", "other"), expected=first)
    assert (result.outcome, result.done, result.found) == (PushOutcome.LEASE_LOST, False, persons)
    assert ground.remote_head() == persons


def test_a_branch_that_should_not_be_there(ground):
    persons = commit(ground.repo.git, BRANCH, {"kernel.py": "by hand"}, "Mine", onto="main")
    assert ground.push(ground.make()).outcome is PushOutcome.LEASE_LOST
    assert ground.remote_head() == persons


def test_a_branch_that_was_deleted_meanwhile(ground):
    first = ground.make("one")
    ground.push(first)
    git(ground.repo.git, "update-ref", "-d", f"refs/heads/{BRANCH}")
    assert ground.push(ground.make("two", "other"), expected=first).outcome is PushOutcome.LEASE_LOST
    assert ground.remote_head() is None


def test_of_two_at_once_one_wins(ground):
    oids = [ground.make("one", "a"), ground.make("two", "b")]
    results = {}
    threads = [threading.Thread(target=lambda oid=oid: results.update({oid: ground.push(oid).outcome})) for oid in oids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results.values()) == [PushOutcome.LEASE_LOST, PushOutcome.PUSHED]
    assert results[ground.remote_head()] is PushOutcome.PUSHED


def test_a_hook_says_no(ground):
    hook = ground.repo.git / "hooks" / "pre-receive"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nprintf 'GH006: Protected branch \\033[31m for x\\n' >&2\nexit 1\n")
    hook.chmod(0o755)
    result = ground.push(ground.make())
    assert result.outcome is PushOutcome.REJECTED
    assert result.reason == "[remote rejected] (pre-receive hook declined); GH006: Protected branch [31m for x"
    assert result.hint == "a rule of the repository protects this branch"


@pytest.mark.parametrize(
    ("token", "hint"),
    [("ghp_reader", "the token may not push here"), ("ghp_wrong", "the token is not accepted"), (None, "not accepted")],
)
def test_a_token_that_may_not(ground, token, hint):
    result = ground.push(ground.make(), token=Secret(token) if token else None)
    assert result.outcome is PushOutcome.REJECTED
    assert hint in (result.hint or "")
    assert ground.remote_head() is None


def test_no_such_repository(ground):
    result = ground.push(ground.make(), remote=f"{ground.forge.web}/octo/nowhere.git")
    assert (result.outcome, result.hint) == (
        PushOutcome.REJECTED,
        "there is no such repository, or the token may not see it",
    )


def test_a_repository_that_moved_is_not_followed(ground):
    url = ground.url
    ground.forge.world.rename("octo/down", "octo/elsewhere")
    result = ground.push(ground.make(), remote=url)
    assert result.outcome is PushOutcome.REJECTED
    assert result.hint == "the repository has moved; mend its address in the configuration"
    assert ground.remote_head() is None


def test_a_server_that_is_down(ground):
    ground.forge.git_open = False
    result = ground.push(ground.make())
    assert (result.outcome, result.done) == (PushOutcome.UNREACHABLE, False)
    assert "503" in (result.reason or "")


def test_a_lost_answer_says_nothing_and_the_same_push_again_is_right(ground):
    ground.forge.git_faults.append(Fault.ERROR_AFTER)
    oid = ground.make()
    first = ground.push(oid)
    assert (first.outcome, first.done) == (PushOutcome.UNREACHABLE, False)
    assert ground.remote_head() == oid
    assert ground.push(oid).outcome is PushOutcome.UNCHANGED


@pytest.mark.parametrize("fault", [Fault.DROP_BEFORE, Fault.DROP_AFTER], ids=lambda fault: fault.name)
def test_a_lease_is_not_lost_to_ourselves(ground, fault):
    """Curl sends the request again by itself, and the second one finds what the first one did."""
    ground.forge.git_faults.append(fault)
    oid = ground.make()
    assert ground.push(oid).outcome is PushOutcome.PUSHED
    assert len(ground.forge.pushes) == 2
    assert ground.remote_head() == oid


def test_nobody_listens(ground):
    assert ground.push(ground.make(), remote="http://127.0.0.1:1/x.git").outcome is PushOutcome.UNREACHABLE


def test_a_fork_is_another_remote(ground, tmp_path, template):
    fork = Path(shutil.copytree(template, tmp_path / "fork.git"))
    ground.forge.world.add_repo("syncbot/down", fork, fork_of="octo/down", permissions={"syncbot": "admin"})
    oid = ground.make()
    assert ground.push(oid, remote=f"{ground.forge.web}/syncbot/down.git").done
    assert git(fork, "rev-parse", BRANCH) == oid
    assert ground.remote_head() is None


def test_a_bare_repository_beside_us_needs_no_token(ground):
    oid = ground.make()
    assert ground.push(oid, remote=ground.repo.git, token=None).done
    assert ground.remote_head() == oid


def test_objects_in_a_store_of_their_own(ground, tmp_path):
    """The edit engine makes its commits in front of a clone, not in it."""
    store = tmp_path / "scratch"
    store.mkdir()
    env = {"GIT_OBJECT_DIRECTORY": str(store), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(ground.clone / "objects")}
    tree = git(ground.clone, "rev-parse", "second^{tree}")
    parent = git(ground.clone, "rev-parse", "main")
    oid = subprocess.run(
        ["git", "commit-tree", tree, "-p", parent, "-m", "made in scratch"],
        cwd=ground.clone, env=ENV | env, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    runner = Git(ground.clone, Access.NETWORK, env=env)
    result = push(runner, remote=ground.url, branch=BRANCH, oid=oid, expected=None, token=Secret(TOKEN))
    assert result.done
    assert ground.remote_head() == oid


def heads(ground, prefix, token=TOKEN, **where):
    there = remote_at(where.get("url", ground.url), token=token, allow_local=True)
    return there.branches(Git(ground.clone, Access.NETWORK), prefix)


def test_branches_by_prefix(ground):
    oid, there = ground.make(), ground.repo.branches()["syncbot/remove/x"]
    assert ground.push(oid, branch="syncbot/restore/deep/y").done
    commit(ground.repo.git, "other/syncbot/z", {"kernel.py": "z"}, "m", onto="main")
    assert heads(ground, "syncbot/") == {"syncbot/remove/x": there, "syncbot/restore/deep/y": oid}
    assert heads(ground, "nothing/", url=str(ground.repo.git)) == {}


def test_branches_that_cannot_be_asked_for_are_an_error_and_never_none(ground):
    ground.repo.private = True
    with pytest.raises(UsageError, match="refuses"):
        heads(ground, "syncbot/", "ghp_wrong")
    ground.forge.git_open = False
    with pytest.raises(TryLaterError, match="503"):
        heads(ground, "syncbot/")
    with pytest.raises(UsageError):
        heads(ground, "--upload-pack=id")


@pytest.mark.parametrize(
    "remote",
    [
        "https://user:pw@github.com/o/r.git",
        "https://token@github.com/o/r.git",
        "http://github.com/o/r.git",
        "ext::sh -c id",
        "--upload-pack=id",
        "file:///tmp/x.git",
        "git@github.com:o/r.git",
        "",
    ],
)
def test_a_remote_no_token_is_sent_to(ground, remote):
    with pytest.raises(UsageError) as caught:
        ground.push(ground.make(), remote=remote)
    assert "pw" not in str(caught.value)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("branch", ["-x", "a..b", "a b", "", "a:b", "a\nb"])
def test_a_name_that_is_no_branch(ground, branch):
    with pytest.raises(UsageError):
        ground.push(ground.make(), branch=branch)


def test_only_whole_commit_ids(ground):
    for oid, expected in (("main", None), ("0" * 39, None), (ground.make(), "main")):
        with pytest.raises(UsageError):
            ground.push(oid, expected=expected)
    with pytest.raises(UnknownObjectError):
        ground.push("1" * 40)


def test_a_header_that_a_checkout_left_behind_is_not_sent_as_well(ground):
    git(ground.clone, "config", f"http.{ground.forge.web}/.extraheader", "Authorization: Basic bGVmdDpiZWhpbmQ=")
    git(ground.clone, "config", "http.extraheader", "Authorization: Basic bGVmdDpiZWhpbmQ=")
    assert ground.push(ground.make()).done


def test_the_token_is_in_gits_environment_and_nowhere_else(ground, tmp_path, monkeypatch, caplog):
    """A git of our own in front of the real one writes down what it is called with."""
    caplog.set_level(logging.DEBUG)
    real = shutil.which("git")
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >> {tmp_path}/argv\n'
        f'{real} config --list --show-origin >> {tmp_path}/config-files 2>&1 || true\nexec {real} "$@"\n'
    )
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spy.parent}:{os.environ['PATH']}")
    trace = tmp_path / "trace"
    for name in (
        "GIT_TRACE",
        "GIT_TRACE_CURL",
        "GIT_TRACE_PACKET",
        "GIT_TRACE2",
        "GIT_TRACE2_EVENT",
        "GIT_TRACE2_PERF",
    ):
        monkeypatch.setenv(name, str(trace))
    monkeypatch.setenv("GIT_TRACE_REDACT", "0")
    monkeypatch.setenv("GIT_TRACE2_ENV_VARS", "GIT_CONFIG_VALUE_6,GIT_CONFIG_VALUE_5")
    monkeypatch.setenv("GIT_TRACE2_CONFIG_PARAMS", "*")
    monkeypatch.setenv("GIT_CURL_VERBOSE", "1")
    oid = ground.make()
    trace.unlink(missing_ok=True)
    assert ground.push(oid).done
    header = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    assert "push" in (tmp_path / "argv").read_text()
    places = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "config-files"]
    places = [path for path in places if TOKEN.encode() in path.read_bytes() or header.encode() in path.read_bytes()]
    assert places == []
    config = (tmp_path / "config-files").read_text()
    assert "credential." in config, "the helper is there, in git's environment"
    assert TOKEN not in config
    assert header not in config
    assert TOKEN not in caplog.text
    assert header not in caplog.text


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_no_process_shows_the_token_while_git_pushes(ground):
    header = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    lines: list[bytes] = []

    def look(moment: str, request: str) -> None:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # gone meanwhile
                lines.append(process.read_bytes())

    ground.forge.watch = look
    assert ground.push(ground.make()).done
    assert any(b"git-remote-http" in line for line in lines)
    assert [line for line in lines if TOKEN.encode() in line or header.encode() in line] == []


def test_a_remote_that_repeats_the_token(ground):
    header = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    hook = ground.repo.git / "hooks" / "pre-receive"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\necho 'you sent {TOKEN} as {header}' >&2\nexit 1\n")
    hook.chmod(0o755)
    result = ground.push(ground.make())
    assert result.reason == "[remote rejected] (pre-receive hook declined); you sent *** as ***"
