"""Mirrors against a real git server on loopback."""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import pytest

from syncbot.git.blobs import read_blobs
from syncbot.git.diff import change_of, read_patches
from syncbot.git.mirror import Mirror, mirror_name, open_mirror
from syncbot.git.remote import remote
from syncbot.git.run import GitError
from syncbot.git.url import parse_address
from syncbot.model.errors import CouldNotError, SyncbotError, TryLaterError, UsageError

TOKEN = "s3cret-T0ken_value"


@pytest.fixture(autouse=True)
def no_configuration_of_the_person_who_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "mirrors"


def refs(mirror: Mirror) -> dict[str, str]:
    lines = mirror.clone().git().lines("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags")
    return dict(line.split(" ") for line in lines)


def test_a_mirror_has_branches_and_tags_but_neither_pull_requests_nor_contents(host, mirrors, upstream, git) -> None:
    mirror = open_mirror(mirrors, remote(host.url))
    assert mirror.fetched
    assert sorted(refs(mirror)) == ["refs/heads/main", "refs/heads/release/1", "refs/tags/v1", "refs/tags/v2"]
    clone = mirror.clone()
    assert (clone.bare, clone.partial, clone.branch, clone.slug) == (True, True, "main", "owner/name")
    assert not clone.git().lines("for-each-ref", "refs/pull")
    assert mirror.missing([git(upstream, "rev-parse", "main:file")])
    assert list(mirrors.glob("*.tmp-*")) == []


def test_it_fetches_only_what_changed(host, mirrors, add_commit) -> None:
    open_mirror(mirrors, remote(host.url))
    host.requests.clear()

    assert not open_mirror(mirrors, remote(host.url)).fetched
    assert host.packs() == 0

    new = add_commit("Commit 3")
    mirror = open_mirror(mirrors, remote(host.url))
    assert mirror.fetched
    assert refs(mirror)["refs/heads/main"] == new

    host.requests.clear()
    assert not open_mirror(mirrors, remote(host.url), refresh=False).fetched
    assert host.requests == []


def test_branches_and_tags_that_moved_or_went_are_followed(host, mirrors, upstream, git) -> None:
    open_mirror(mirrors, remote(host.url))
    git(upstream, "tag", "-f", "v1", "main")
    git(upstream, "tag", "-d", "v2")
    git(upstream, "branch", "-D", "release/1")
    git(upstream, "branch", "release", "main~1")  # where a folder of refs was
    mirror = open_mirror(mirrors, remote(host.url))
    main, before = (git(upstream, "rev-parse", ref) for ref in ("main", "main~1"))
    assert refs(mirror) == {"refs/heads/main": main, "refs/heads/release": before, "refs/tags/v1": main}


def test_a_default_branch_that_changed_is_followed(host, mirrors, upstream, git, add_commit) -> None:
    open_mirror(mirrors, remote(host.url))
    git(upstream, "checkout", "-q", "-b", "trunk")
    add_commit("Commit 3")
    assert open_mirror(mirrors, remote(host.url)).clone().branch == "trunk"
    git(upstream, "checkout", "-q", "--detach")
    git(upstream, "branch", "-D", "main")
    mirror = open_mirror(mirrors, remote(host.url))
    assert sorted(refs(mirror)) == ["refs/heads/release/1", "refs/heads/trunk", "refs/tags/v1", "refs/tags/v2"]


def test_an_empty_repository_and_one_whose_head_leads_nowhere(host, mirrors, upstream, git, add_commit) -> None:
    git(host.root / "owner", "init", "-q", "--bare", "empty.git")
    empty = open_mirror(mirrors, remote(host.url.replace("name", "empty")))
    assert (refs(empty), empty.clone().branch) == ({}, None)

    open_mirror(mirrors, remote(host.url))
    add_commit("Commit 3")
    git(upstream, "symbolic-ref", "HEAD", "refs/heads/nowhere")
    assert open_mirror(mirrors, remote(host.url)).fetched


def test_packs_do_not_pile_up_and_what_an_old_tag_named_stays(
    host, mirrors, upstream, git, add_commit, monkeypatch
) -> None:
    monkeypatch.setattr("syncbot.git.mirror._MANY_PACKS", 2)
    mirror = open_mirror(mirrors, remote(host.url))
    withdrawn = add_commit("Commit 3")
    git(upstream, "tag", "v3")
    open_mirror(mirrors, remote(host.url))
    git(upstream, "tag", "-d", "v3")
    git(upstream, "reset", "-q", "--hard", "HEAD~1")
    for number in range(4, 8):
        add_commit(f"Commit {number}")
        open_mirror(mirrors, remote(host.url))
    assert len(list((mirror.path / "objects" / "pack").glob("*.pack"))) < 4
    assert mirror.missing([withdrawn, git(upstream, "rev-parse", "main")]) == []
    assert mirror.missing([git(upstream, "rev-parse", "main:file")]), "tidying fetches nothing"


def test_contents_come_in_one_request(host, mirrors, upstream, git) -> None:
    mirror = open_mirror(mirrors, remote(host.url))
    blobs = [git(upstream, "rev-parse", f"{tag}:file") for tag in ("v1", "v2")]
    host.requests.clear()
    assert mirror.prefetch(blobs) == frozenset()
    assert host.packs() == 1
    assert mirror.clone().git().text("cat-file", "blob", "v1:file") == "Commit 1"

    host.requests.clear()
    assert mirror.prefetch(blobs) == frozenset()
    assert mirror.prefetch([]) == frozenset()
    assert host.requests == []


def test_a_reader_brings_what_a_diff_needs_in_one_request(host, mirrors, upstream, git, add_commit) -> None:
    newest = [add_commit(f"Commit {number}") for number in (3, 4, 5)]
    reader = open_mirror(mirrors, remote(host.url)).clone().git()
    host.requests.clear()
    patches = read_patches(reader, change_of(reader, newest))
    assert host.packs() == 1
    assert [b"+Commit 4" in patches[oid].text for oid in newest] == [False, True, False]
    assert not any(patch.unread for patch in patches.values())


def test_a_reader_brings_files_by_their_paths_in_one_request(host, mirrors) -> None:
    reader = open_mirror(mirrors, remote(host.url)).clone().git()
    host.requests.clear()
    names = ["v1:file", "v2:file", "v2:nowhere", "v9:file"]
    assert read_blobs(reader, names) == dict(zip(names, [b"Commit 1\n", b"Commit 2\n", None, None], strict=True))
    assert host.packs() == 1


def test_a_reader_that_cannot_bring_it_says_so_once_and_goes_on(host, mirrors, add_commit, caplog) -> None:
    newest = [add_commit(f"Commit {number}") for number in (3, 4)]
    reader = open_mirror(mirrors, remote(host.url)).clone().git()
    host.status = 503
    for oid in newest:
        assert read_patches(reader, change_of(reader, [oid]))[oid].unread == {"file"}
    assert caplog.text.count("may be unknown") == 1


def test_contents_nobody_has_do_not_keep_the_others_away(host, mirrors, upstream, git) -> None:
    mirror = open_mirror(mirrors, remote(host.url))
    blob = git(upstream, "rev-parse", "v1:file")
    nowhere = {"0" * 39 + "1", "0" * 39 + "2"}
    assert mirror.prefetch([min(nowhere), "0" * 40, blob, max(nowhere)]) == nowhere
    assert mirror.missing([blob]) == []


def test_a_server_that_gives_no_single_objects(host, mirrors, upstream, git) -> None:
    mirror = open_mirror(mirrors, remote(host.url))
    blob = git(upstream, "rev-parse", "v1:file")
    host.modern = False
    assert mirror.prefetch([blob]) == {blob}


@pytest.mark.parametrize("modern", [True, False])
def test_a_server_without_filters_gives_everything(host, mirrors, upstream, git, modern: bool) -> None:
    host.modern = modern
    git(upstream, "config", "uploadpack.allowFilter", "false")
    mirror = open_mirror(mirrors, remote(host.url))
    assert mirror.missing([git(upstream, "rev-parse", "v1:file")]) == []


def test_a_folder_named_by_a_person(mirrors, upstream, add_commit) -> None:
    there = remote(str(upstream), allow_local=True)
    assert min(refs(open_mirror(mirrors, there))) == "refs/heads/main"
    new = add_commit("Commit 3")
    assert refs(open_mirror(mirrors, there))["refs/heads/main"] == new


def test_a_configured_address_reaches_no_folder_by_way_of_the_users_configuration(
    mirrors, upstream, tmp_path, monkeypatch
) -> None:
    (tmp_path / "gitconfig").write_text(f'[url "file://{upstream}"]\n\tinsteadOf = https://example.org/owner/name\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    with pytest.raises(SyncbotError, match="transport 'file' not allowed"):
        open_mirror(mirrors, remote("https://example.org/owner/name"))


# --- what was killed, or damaged ---------------------------------------------------------------------------------

OPEN = """
import sys
from pathlib import Path
from syncbot.git.blobs import read_blobs
from syncbot.git.diff import change_of, read_patches
from syncbot.git.mirror import open_mirror
from syncbot.git.remote import remote
mirror = open_mirror(Path(sys.argv[1]), remote(sys.argv[2]), wait=30)
print(mirror.fetched, mirror.clone().git().text("rev-list", "--count", "--all"))
"""


def start(host, mirrors: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", OPEN, str(mirrors), host.url]
    env = {**os.environ, "TMPDIR": str(mirrors.parents[1])}  # what it leaves when it is killed goes with the test
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def test_killed_in_the_middle_of_a_clone(host, mirrors) -> None:
    host.gate.clear()
    process = start(host, mirrors)
    assert host.in_the_middle.wait(10)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert list(mirrors.glob("*.git")) == []
    assert list(mirrors.glob("*.tmp-*")) != []
    with pytest.raises(TryLaterError):  # the git it started lives on, and what it writes is not touched
        open_mirror(mirrors, remote(host.url), wait=0)

    threading.Timer(0.2, host.gate.set).start()
    mirror = open_mirror(mirrors, remote(host.url))
    assert len(refs(mirror)) == 4
    assert list(mirrors.glob("*.tmp-*")) == []


def test_killed_in_the_middle_of_a_fetch(host, mirrors, add_commit) -> None:
    open_mirror(mirrors, remote(host.url))
    new = add_commit("Commit 3")
    host.gate.clear()
    host.in_the_middle.clear()
    process = start(host, mirrors)
    assert host.in_the_middle.wait(10)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    threading.Timer(0.2, host.gate.set).start()
    assert refs(open_mirror(mirrors, remote(host.url)))["refs/heads/main"] == new


def test_two_processes_at_once_clone_once(host, mirrors) -> None:
    processes = [start(host, mirrors) for _ in range(2)]
    answers = sorted(process.communicate(timeout=30)[0].strip() for process in processes)
    assert answers == ["False 2", "True 2"]
    assert host.packs() == 1


def test_a_busy_mirror_is_waited_for_and_then_given_up(host, mirrors) -> None:
    host.gate.clear()
    process = start(host, mirrors)
    assert host.in_the_middle.wait(10)
    with pytest.raises(TryLaterError, match=r"another process has held .* for 0\.2 seconds"):
        open_mirror(mirrors, remote(host.url), wait=0.2)
    host.gate.set()
    assert process.communicate(timeout=30)[0].strip() == "True 2"


def test_what_a_crash_leaves_is_cleared(host, mirrors, add_commit) -> None:
    mirror = open_mirror(mirrors, remote(host.url))
    leftovers = [
        mirror.path / "packed-refs.lock",
        mirror.path / "HEAD.lock",
        mirror.path / "refs" / "heads" / "main.lock",
        mirror.path / "objects" / "pack" / "tmp_pack_a1b2c3",
    ]
    for path in leftovers:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    abandoned = mirrors / f"{mirror.path.name}.tmp-0"
    (abandoned / "clone").mkdir(parents=True)
    (mirror.path / "mark").write_text("")
    new = add_commit("Commit 3")
    assert refs(open_mirror(mirrors, remote(host.url)))["refs/heads/main"] == new
    assert not any(path.exists() for path in [*leftovers, abandoned])
    assert (mirror.path / "mark").exists(), "made anew, where clearing was enough"


def cut_pack(mirror: Path) -> None:
    pack = next((mirror / "objects" / "pack").glob("*.pack"))
    pack.chmod(0o600)
    pack.write_bytes(pack.read_bytes()[:-30])


def scribble_over_pack(mirror: Path) -> None:
    pack = next((mirror / "objects" / "pack").glob("*.pack"))
    pack.chmod(0o600)
    data = pack.read_bytes()
    pack.write_bytes(data[:14] + b"\xff" * (len(data) - 40) + data[-26:])


def rename_origin(config: Path) -> None:
    config.write_text(config.read_text().replace("owner/name", "owner/other"))


@pytest.mark.parametrize(
    "ruin",
    [
        pytest.param(cut_pack, id="a pack cut short"),
        pytest.param(scribble_over_pack, id="a pack scribbled over"),
        pytest.param(lambda mirror: next((mirror / "objects/pack").glob("*.pack")).unlink(), id="a pack gone"),
        pytest.param(lambda mirror: (mirror / "config").write_text("[core\n"), id="an unreadable config"),
        pytest.param(lambda mirror: (mirror / "config").unlink(), id="no config"),
        pytest.param(lambda mirror: rename_origin(mirror / "config"), id="the mirror of another address"),
        pytest.param(lambda mirror: (mirror / "HEAD").write_text(""), id="an empty HEAD"),
        pytest.param(lambda mirror: (mirror / "packed-refs").write_bytes(b"\xff" * 99), id="unreadable refs"),
    ],
)
def test_a_damaged_mirror_is_made_anew(host, mirrors, ruin, caplog) -> None:
    mirror = open_mirror(mirrors, remote(host.url))
    before = refs(mirror)
    ruin(mirror.path)
    again = open_mirror(mirrors, remote(host.url))
    assert refs(again) == before
    assert "will be made anew" in caplog.text


def test_damage_below_the_tips_is_found(host, mirrors, upstream, git, add_commit) -> None:
    for tag in ("v1", "v2"):
        git(upstream, "tag", "-d", tag)
    git(upstream, "branch", "-D", "release/1")
    first = open_mirror(mirrors, remote(host.url))
    old = {path.name for path in (first.path / "objects" / "pack").iterdir()}
    add_commit("Commit 3")
    mirror = open_mirror(mirrors, remote(host.url))
    for name in old:
        (mirror.path / "objects" / "pack" / name).unlink()
    again = open_mirror(mirrors, remote(host.url))
    assert again.clone().git().text("rev-list", "--count", "main") == "3"


def test_a_damaged_mirror_is_not_lost_while_the_host_is_away(host, mirrors) -> None:
    mirror = open_mirror(mirrors, remote(host.url))
    (mirror.path / "config").write_text("[core\n")
    host.status = 503
    with pytest.raises(TryLaterError, match="503"):
        open_mirror(mirrors, remote(host.url))
    assert mirror.path.exists()


def test_the_reason_is_what_git_said_last_and_not_its_progress() -> None:
    said = (
        "Cloning into bare repository '/x'...\nremote: Counting objects:   1% (1/99)\rremote: Counting objects: 100%\r"
    )
    error = remote("https://github.com/o/n").explain(f"{said}\nerror: RPC failed; curl 56 gone\nfatal: early EOF\n")
    assert (
        str(error) == "cannot reach github.com for https://github.com/o/n: error: RPC failed; curl 56 gone; early EOF"
    )


def test_a_caller_that_met_damage_has_it_made_anew(host, mirrors) -> None:
    mirror = open_mirror(mirrors, remote(host.url))
    (mirror.path / "mark").write_text("")
    assert open_mirror(mirrors, remote(host.url), rebuild=True).fetched
    assert not (mirror.path / "mark").exists()


# --- refusals and the network ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (404, UsageError, r"127\.0\.0\.1 has no repository at http://127"),
        (401, UsageError, r"wants credentials .*no token was given: set AITER_TOKEN"),
        (403, UsageError, r"wants credentials .*403"),
        (500, TryLaterError, r"cannot reach 127\.0\.0\.1 .*500"),
        (503, TryLaterError, r"cannot reach 127\.0\.0\.1 .*503"),
        (429, TryLaterError, r"cannot reach 127\.0\.0\.1 .*429"),
    ],
)
def test_what_a_host_answers_is_told(host, mirrors, status: int, kind, says: str) -> None:
    host.status = status
    with pytest.raises(kind, match=says):
        open_mirror(mirrors, remote(host.url, token_variable="AITER_TOKEN"))
    assert list(mirrors.glob("*.git")) == []


def test_a_host_that_is_not_there(mirrors) -> None:
    with pytest.raises(TryLaterError, match=r"cannot reach 127\.0\.0\.1 .*(refused|connect)"):
        open_mirror(mirrors, remote("http://127.0.0.1:1/owner/name"))


def test_a_host_that_falls_silent_is_left(host, mirrors) -> None:
    host.gate.clear()
    with pytest.raises(TryLaterError, match=r"gave no sign of life for 0\.5 seconds"):
        open_mirror(mirrors, remote(host.url, patience=0.5))
    assert list(mirrors.glob("*.tmp-*")) == []
    # One that was told to end is in the list until it has.
    assert gone(host.url.encode()), "a child was left behind"


def test_a_place_that_cannot_be_written_is_told(host, tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CouldNotError, match=r"cannot keep mirrors in .*SYNCBOT_CACHE"):
        open_mirror(tmp_path / "file" / "mirrors", remote(host.url))


def test_what_a_person_configured_for_git_is_in_nobodys_way(host, mirrors, tmp_path, monkeypatch, add_commit) -> None:
    settings = {
        "safe.bareRepository": "explicit",
        "clone.defaultRemoteName": "upstream",
        "fetch.pruneTags": "true",
        "fetch.recurseSubmodules": "true",
        "init.templateDir": str(tmp_path / "nowhere"),
        "protocol.version": "0",
        "transfer.fsckObjects": "true",
        "color.ui": "always",
    }
    config = tmp_path / "gitconfig"
    for name, value in settings.items():
        subprocess.run(["git", "config", "--file", str(config), name, value], check=True)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    mirror = open_mirror(mirrors, remote(host.url))
    blob = mirror.clone().git().text("rev-parse", "v1:file")
    assert mirror.prefetch([blob]) == frozenset()
    (mirror.path / "mark").write_text("")
    new = add_commit("Commit 3")
    assert refs(open_mirror(mirrors, remote(host.url)))["refs/heads/main"] == new
    assert (mirror.path / "mark").exists(), "made anew"


def test_progress_is_told_in_safe_lines(host, mirrors) -> None:
    told: list[str] = []
    open_mirror(mirrors, remote(host.url), progress=told.append)
    assert any(line.startswith(("Receiving objects", "remote: ")) for line in told)
    assert all(line.isprintable() for line in told)


# --- the token ---------------------------------------------------------------------------------------------------


def command_lines() -> list[bytes]:
    """Return the arguments of every process of this machine."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(path.read_bytes())
    return lines


def gone(word: bytes) -> bool:
    """Whether no process names ``word``, now or soon."""
    for _ in range(200):
        if not [line for line in command_lines() if word in line]:
            return True
        time.sleep(0.05)
    return False


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc to read every process's arguments")
def test_the_token_reaches_the_host_and_nothing_else(host, mirrors, caplog, upstream, git) -> None:
    caplog.set_level(logging.DEBUG)
    host.token = TOKEN
    host.gate.clear()
    told: list[str] = []
    outcome: list[Mirror] = []
    private = remote(host.url, token=TOKEN, token_variable="AITER_TOKEN")

    thread = threading.Thread(target=lambda: outcome.append(open_mirror(mirrors, private, progress=told.append)))
    thread.start()
    assert host.in_the_middle.wait(10)
    arguments = command_lines()
    files_in_the_middle = everything_in(mirrors)
    host.gate.set()
    thread.join()

    (mirror,) = outcome
    mirror.prefetch([git(upstream, "rev-parse", "v1:file")])
    assert any(b"clone" in line and b"--filter=blob:none" in line for line in arguments), "looked while git was there"
    assert TOKEN.encode() not in b"".join(arguments)
    assert TOKEN.encode() not in files_in_the_middle + everything_in(mirrors)
    assert TOKEN not in caplog.text + repr(told) + repr(mirror)


def test_a_refused_token_is_named_by_its_variable_and_never_shown(host, mirrors, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    host.token = "another"
    with pytest.raises(UsageError, match="refuses the token in AITER_TOKEN") as caught:
        open_mirror(mirrors, remote(host.url, token=TOKEN, token_variable="AITER_TOKEN"))
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert TOKEN not in shown
    assert TOKEN.encode() not in everything_in(mirrors)


def test_no_other_helper_hears_of_the_token(host, mirrors, tmp_path, monkeypatch) -> None:
    heard = tmp_path / "heard"
    (tmp_path / "gitconfig").write_text(
        f'[credential]\n\thelper = "!f() {{ echo $1 >> {heard}; cat >> {heard}; }}; f"\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    host.token = TOKEN
    open_mirror(mirrors, remote(host.url, token=TOKEN))
    assert not heard.exists()


def test_the_callers_own_configuration_by_environment_stays(host, mirrors, monkeypatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.extraHeader")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "Authorization: Basic eC1hY2Nlc3MtdG9rZW46b3du")
    host.token = "own"
    open_mirror(mirrors, remote(host.url, token=TOKEN))
    assert {sent for _, sent in host.authorized} == {"Basic eC1hY2Nlc3MtdG9rZW46b3du"}


def test_the_token_follows_no_redirect_to_another_host(host, mirrors) -> None:
    host.token = TOKEN
    host.elsewhere = host.url.replace("127.0.0.1", "localhost").removesuffix("/owner/name.git")
    with pytest.raises(SyncbotError):
        open_mirror(mirrors, remote(host.url, token=TOKEN))
    asked = [name for name, _ in host.authorized]
    assert any(name.startswith("localhost") for name in asked), "git went there"
    encoded = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    assert not any(encoded in (sent or "") for _, sent in host.authorized)


@pytest.mark.parametrize("token", ["", " ", "a b", "a\nhost=evil.example", "é", "a\0b"])
def test_what_is_no_token_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(UsageError, match="AITER_TOKEN does not hold a token") as caught:
        remote("https://github.com/o/n", token=token, token_variable="AITER_TOKEN")
    assert "evil" not in str(caught.value)


def test_a_token_is_not_sent_in_clear() -> None:
    with pytest.raises(UsageError, match="plain http"):
        remote("http://github.com/o/n", token=TOKEN)
    assert TOKEN not in repr(remote("https://github.com/o/n", token=TOKEN))


def test_a_failure_on_this_side_is_none_of_the_hosts() -> None:
    error = GitError(("git", "fetch"), 128, "fatal: cannot mkdir objects/pack: Permission denied")
    assert remote("https://github.com/o/n").explain(error.stderr) is None


def test_each_address_has_a_name_of_its_own() -> None:
    urls = ["https://github.com/o/n", "https://github.com/o/n.git", "git@github.com:o/n", "https://ghe.example/o/n"]
    names = {mirror_name(parse_address(url)) for url in urls}
    assert len(names) == len(urls)
    assert all("/" not in name and name.endswith(".git") for name in names)
    assert mirror_name(parse_address(urls[0])).startswith("github.com-o-n-")
