"""Working in front of a clone leaves no trace in it, not even a time."""

import os

from fixtures.repos import Repo

from syncbot.git.objects import Scratch


def _snapshot(path):
    return {file: (file.stat().st_size, file.stat().st_mtime_ns) for file in path.rglob("*") if file.is_file()}


def test_objects_that_are_there_already_keep_their_times(tmp_path):
    repo = Repo(tmp_path / "repo")
    commit = repo.commit("One (#1)", {"a.txt": "one\n"})
    for path in (repo.path / "objects").rglob("*"):
        if path.is_file():
            os.utime(path, (1_000_000_000, 1_000_000_000))
    before = _snapshot(repo.path)
    with Scratch(repo.path) as store:
        store.write(b"one\n")
        store.commit(store.git.text("rev-parse", f"{commit}^{{tree}}"), [], "again")
    assert _snapshot(repo.path) == before
