"""Files that are not plain text with plain names: right, or refused with a reason, never mangled."""

from __future__ import annotations

import subprocess

import pytest

from syncbot.edit.engine import edit
from syncbot.git.objects import Scratch
from syncbot.model.edit import Direction, Outcome, ProblemKind


@pytest.mark.parametrize(
    "path",
    ["with space.py", 'quo"te.py', "tab\there.py", "naïve/ünïcödé.py", "new\nline.py", ":(top)magic.py", "a*b.py"],
)
def test_paths_of_every_kind(history, remove, store, path):
    before = history.commit({path: "a = 1\n", "other.py": "b = 1\n"})
    added = history.commit({path: "a = 1\nextra = 2\n"})
    history.commit({"other.py": "b = 2\n"})
    result = remove(added)
    assert result.outcome is Outcome.CLEAN
    assert [file.path for file in result.files] == [path]
    assert store.entries(result.tree, [path]) == store.entries(before, [path])


@pytest.mark.parametrize(
    ("before", "after", "later"),
    [
        (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nguard = 3\r\nb = 2\r\n", b"a = 11\r\nguard = 3\r\nb = 22\r\n"),
        (b"a = 1\nb = 2", b"a = 1\nguard = 3\nb = 2", b"a = 11\nguard = 3\nb = 22"),
        (
            b"a = 1\n# \xe9\xff\nb = 2\n",
            b"a = 1\n# \xe9\xff\nguard = 3\nb = 2\n",
            b"a = 1\n# \xe9\xfe\nguard = 3\nb = 22\n",
        ),
    ],
    ids=["crlf", "no-final-newline", "latin-1"],
)
def test_bytes_stay_as_they_are(history, remove, store, before, after, later):
    history.commit({"a.txt": before})
    guard = history.commit({"a.txt": after})
    history.commit({"a.txt": later})
    result = remove(guard)
    assert result.outcome.answered
    line = b"guard = 3\r\n" if b"\r" in after else b"guard = 3\n"
    assert store.git.run("cat-file", "blob", f"{result.tree}:a.txt") == later.replace(line, b"")
    assert result.files[0].judged == "lines"


def test_a_binary_file_nobody_touched_goes_back(history, remove):
    before = history.commit({"a.bin": b"\0one", "b.py": "b = 1\n"})
    change = history.commit({"a.bin": b"\0two"})
    result = remove(change)
    assert (result.outcome, result.tree) == (Outcome.CLEAN, history.tree(before))
    assert (result.files[0].added, result.files[0].removed) == (None, None)


def test_a_binary_file_changed_on_both_sides_is_refused(history, remove):
    history.commit({"a.bin": b"\0one"})
    change = history.commit({"a.bin": b"\0two"})
    history.commit({"a.bin": b"\0three"})
    result = remove(change)
    assert result.outcome is Outcome.CONFLICT
    assert result.conflicts[0].path == "a.bin"


def test_a_mode_change_is_undone_and_reported(history, remove, store):
    history.commit({"run.sh": "echo\n"})
    (history.path / "run.sh").chmod(0o755)
    change = history.record("Executable")
    history.commit({"b.py": "b = 1\n"})
    result = remove(change)
    assert result.outcome is Outcome.CLEAN
    assert store.entries(result.tree, ["run.sh"])["run.sh"].mode == "100644"
    assert [file.path for file in result.files] == ["run.sh"]


def test_the_mode_of_today_is_kept(history, remove, store):
    history.commit({"run.sh": "echo one\n"})
    change = history.commit({"run.sh": "echo one\necho two\n"})
    (history.path / "run.sh").chmod(0o755)
    history.record("Executable")
    result = remove(change)
    assert result.outcome is Outcome.CLEAN
    assert store.entries(result.tree, ["run.sh"])["run.sh"].mode == "100755"


def test_a_symbolic_link_is_pointed_back(history, remove, store):
    history.commit({"one.txt": "1\n", "two.txt": "2\n"})
    (history.path / "link").symlink_to("one.txt")
    before = history.record("Link")
    (history.path / "link").unlink()
    (history.path / "link").symlink_to("two.txt")
    change = history.record("Point elsewhere")
    history.commit({"b.py": "b = 1\n"})
    result = remove(change)
    assert result.outcome is Outcome.CLEAN
    assert store.entries(result.tree, ["link"]) == store.entries(before, ["link"])


def test_a_submodule_pointer_goes_back_and_a_moved_one_is_refused(history, remove, store):
    history.commit({"b.py": "b = 1\n"})

    def point(oid):
        history.git("update-index", "--add", "--cacheinfo", f"160000,{oid},sub")
        history.git("commit", "--quiet", "--message", "Point")
        return history.git("rev-parse", "HEAD")

    before = point("1" * 40)
    change = point("2" * 40)
    result = remove(change)
    assert result.outcome is Outcome.CLEAN
    assert store.entries(result.tree, ["sub"]) == store.entries(before, ["sub"])
    point("3" * 40)
    assert remove(change).outcome is Outcome.CONFLICT


def test_a_rename_the_change_made_is_undone(history, remove, store):
    text = "".join(f"line_{i} = {i}\n" for i in range(20))
    before = history.commit({"old.py": text})
    history.git("mv", "old.py", "new.py")
    change = history.record("Rename")
    (history.path / "new.py").write_text(text.replace("line_3 = 3", "line_3 = 33"))
    history.record("Later")
    result = remove(change)
    assert result.outcome is Outcome.CLEAN
    assert set(store.listing(result.tree)) == set(store.listing(before))
    assert "line_3 = 33" in store.git.text("cat-file", "blob", f"{result.tree}:old.py")


def test_a_clone_without_the_blobs_is_refused_and_fetches_nothing(history, tmp_path):
    history.commit({"a.txt": "one\n"})
    change = history.commit({"a.txt": "one\ntwo\n"})
    history.commit({"a.txt": "zero\none\ntwo\n"})
    partial = tmp_path / "partial"
    subprocess.run(
        ["git", "clone", "--quiet", "--bare", "--filter=blob:none", "--upload-pack",
         "git -c uploadpack.allowFilter=true upload-pack", history.path.as_uri(), str(partial)],
        check=True,
    )  # fmt: skip
    before = sorted(partial.rglob("*"))
    with Scratch(partial) as store:
        result = edit(store, direction=Direction.REMOVE, commit=change, onto="main")
    assert result.outcome is Outcome.CONFLICT
    assert {problem.kind for problem in result.problems} == {ProblemKind.UNREADABLE}
    assert sorted(partial.rglob("*")) == before
