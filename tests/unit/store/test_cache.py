"""The cache: right or empty, never wrong and never in the way."""

from __future__ import annotations

import logging
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from syncbot.cache import Cache, cache_folder

FACTS = {f"{number:040x}": f"value {number}".encode() * 3 for number in range(3000)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "facts.sqlite"


@pytest.fixture
def filled(path: Path) -> Path:
    with Cache(path) as cache:
        cache.put_many("patch-id/1", FACTS)
    return path


def read(path: Path) -> dict[str, bytes]:
    with Cache(path) as cache:
        return cache.get_many("patch-id/1", FACTS)


def test_what_was_put_is_got_by_another_process_later(filled: Path) -> None:
    assert read(filled) == FACTS


def test_namespaces_and_their_versions_do_not_mix(path: Path) -> None:
    with Cache(path) as cache:
        cache.put_json("diff/1", {"a": [1, "é"], "b": None})
        cache.put_json("diff/2", {"a": {"new": True}})
        assert cache.get_json("diff/1", ["a", "b", "c"]) == {"a": [1, "é"], "b": None}
        assert cache.get_json("diff/2", ["a", "b"]) == {"a": {"new": True}}


def test_no_file_is_made_until_it_is_used_and_none_at_all_without_a_path(path: Path) -> None:
    with Cache(path):
        assert not path.parent.exists()
    with Cache(None) as cache:
        cache.put_many("x/1", {"a": b"1"})
        assert cache.get_many("x/1", ["a"]) == {}


@pytest.mark.parametrize(
    "ruin",
    [
        pytest.param(lambda data: b"not a database at all", id="other-text"),
        pytest.param(lambda data: b"", id="emptied"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut-short"),
        pytest.param(lambda data: data[:100], id="header-only"),
        pytest.param(lambda data: data[:4096] + os.urandom(len(data) - 4096), id="noise-after-the-header"),
        pytest.param(lambda data: data[:60] + b"\0\0\0\x63" + data[64:], id="another-layout"),
        pytest.param(lambda data: data.replace(b"value 17", b"value 71"), id="a-changed-value"),
    ],
)
def test_a_damaged_file_gives_nothing_wrong_and_is_rebuilt(filled: Path, ruin, caplog) -> None:
    filled.write_bytes(ruin(filled.read_bytes()))
    caplog.set_level(logging.INFO)

    before = read(filled)
    assert before.items() <= FACTS.items()
    with Cache(filled) as cache:
        cache.put_many("patch-id/1", FACTS)
    if read(filled) != FACTS:  # damage that only a write meets
        with Cache(filled) as cache:
            cache.put_many("patch-id/1", FACTS)
    assert read(filled) == FACTS


@pytest.mark.parametrize("seed", range(12))
def test_changed_bytes_never_become_an_answer(filled: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(filled.read_bytes())
    for _ in range(40):
        data[chance.randrange(len(data))] = chance.randrange(256)
    filled.write_bytes(data)
    assert read(filled).items() <= FACTS.items()


def test_deleted_while_it_is_open(filled: Path) -> None:
    with Cache(filled) as cache:
        assert cache.get_many("patch-id/1", FACTS) == FACTS
        filled.unlink()
        cache.put_many("patch-id/1", {"f" * 40: b"new"})
        assert cache.get_many("patch-id/1", ["f" * 40]) == {"f" * 40: b"new"}
    assert filled.exists()


def test_a_place_that_cannot_be_made_means_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with Cache(tmp_path / "file" / "facts.sqlite") as cache:
        cache.put_many("x/1", {"a": b"1"})
        assert cache.get_many("x/1", ["a"]) == {}


def test_a_folder_in_its_place_means_no_cache(tmp_path: Path) -> None:
    with Cache(tmp_path) as cache:
        cache.put_many("x/1", {"a": b"1"})
        assert cache.get_many("x/1", ["a"]) == {}


def test_a_read_only_file_is_read_and_not_written(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Permissions do not stop root, who runs tests in containers; SQLite's own read-only mode gives the same error.
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, **options: connect(f"file:{path}?mode=ro", uri=True, **options)
    )
    with Cache(filled) as cache:
        cache.put_many("patch-id/1", {"f" * 40: b"new"})
        assert cache.get_many("patch-id/1", [*FACTS, "f" * 40]) == FACTS


def test_its_size_is_bounded_and_the_newest_stays(path: Path) -> None:
    limit = 400_000
    with Cache(path, max_bytes=limit) as cache:
        for start in range(40):
            cache.put_many("blob/1", {f"{start}-{number}": os.urandom(500) for number in range(50)})
            assert path.stat().st_size < limit + 60_000
        assert len(cache.get_many("blob/1", [f"39-{number}" for number in range(50)])) == 50
        assert cache.get_many("blob/1", ["0-0"]) == {}


FILL = """
import sys
from pathlib import Path
from syncbot.cache import Cache
own = sys.argv[2]
with Cache(Path(sys.argv[1])) as cache:
    for start in range(0, 200, 20):
        keys = range(start, start + 20)
        cache.put_many("own/1", {f"{own}-{key}": b"%d" % key for key in keys})
        cache.put_many("shared/1", {str(key): b"%d" % key for key in keys})
"""


def test_two_processes_write_at_once_and_lose_nothing(path: Path) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", FILL, str(path), own]) for own in "01"]
    assert [process.wait(30) for process in processes] == [0, 0]
    with Cache(path) as cache:
        assert len(cache.get_many("own/1", [f"{own}-{key}" for own in "01" for key in range(200)])) == 400
        assert cache.get_many("shared/1", map(str, range(200))) == {str(key): b"%d" % key for key in range(200)}


def test_killed_while_writing(filled: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from syncbot.cache import Cache\n"
        "cache = Cache(Path(sys.argv[1]))\n"
        "for turn in range(100000):\n"
        "    cache.put_many('other/1', {str(turn * 100 + n): b'x' * 500 for n in range(100)})\n"
        "    print(turn, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(filled)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(3):
        process.stdout.readline()
    time.sleep(0.003)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert read(filled) == FACTS
    with Cache(filled) as cache:
        assert len(cache.get_many("other/1", [str(number) for number in range(300)])) == 300


def test_the_folder_is_the_users_unless_the_environment_says_so(tmp_path: Path) -> None:
    assert cache_folder({"SYNCBOT_CACHE": str(tmp_path / "own")}) == tmp_path / "own"
    assert cache_folder({}).name == "syncbot"
    assert cache_folder({"SYNCBOT_CACHE": ""}) == cache_folder({})
