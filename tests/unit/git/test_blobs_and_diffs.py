"""Contents and changes in one go, also where names are odd and objects are missing."""

from __future__ import annotations

import pytest
from fixtures.repos import Repo, code, run_git
from hypothesis import given
from hypothesis import strategies as st

from syncbot.git.blobs import exists, read_blobs
from syncbot.git.clone import open_clone
from syncbot.git.diff import change_of, read_changes, read_patches
from syncbot.landing.content import flipped, overlap, telling_lines

ODD = [
    "a b",
    "new\nline",
    'quote"',
    "back\\slash",
    "tab\t",
    "é",
    "latin-\udce9",
    "-p",
    ":(top)x",
    "x missing",
    "x blob 3",
]


@pytest.fixture
def repo(tmp_path):
    repo = Repo(tmp_path / "repo")
    repo.commit("One", {name: f"{at}\n" for at, name in enumerate(ODD)} | {"folder/x": "y", "empty": ""})
    return repo


def test_contents_by_odd_names_between_missing_ones(repo):
    git = open_clone(repo.path).git()
    names = [name for odd in ODD for name in (f"main:{odd}", f"main:no {odd}")]
    found = read_blobs(git, [*names, "main:folder", "main:empty", "f" * 40, "nowhere:a", "main"])
    assert {name: found[f"main:{name}"] for name in ODD} == {name: b"%d\n" % at for at, name in enumerate(ODD)}
    assert {found[f"main:no {name}"] for name in ODD} == {None}
    assert [found[name] for name in ("main:folder", "main:empty", "f" * 40, "nowhere:a", "main")] == [
        None, b"", None, None, None
    ]  # fmt: skip
    assert read_blobs(git, []) == {}
    assert all(exists(git, "main", name) for name in ODD)
    assert not exists(git, "main", "no such")


def test_changes_by_odd_paths(repo):
    git = open_clone(repo.path).git()
    changed = {name: repo.commit(f"Change {name!r}", {name: "other\n"}) for name in ODD}
    for name, oid in changed.items():
        touching = read_changes(git, "main", paths=[name])
        assert set(touching) == {oid, *(each for each in repo.parents if not repo.parents[each])}
        assert [entry.path for entry in touching[oid]] == [name]
    assert change_of(git, [repo.commit("Empty")]) == {repo.head: ()}


def test_a_patch_without_what_is_missing(repo):
    oid = repo.commit("Two", {"here.py": code("here"), "gone.py": code("gone")})
    repo.object_path(repo.blob(code("gone"))).unlink()
    git = open_clone(repo.path).git()
    patch = read_patches(git, change_of(git, [oid]))[oid]
    assert patch.unread == {"gone.py"}
    assert b"here_1" in patch.text
    assert b"gone" not in patch.text


def test_patch_ids_are_gits(repo):
    oid = repo.commit("Two", {"a b": code("x"), "new\nline": "y\n"})
    git = open_clone(repo.path).git()
    shown = run_git(repo.path, "-c", "core.quotePath=false", "show", oid)
    expected = run_git(repo.path, "patch-id", "--stable", stdin=shown).split()[0].decode()
    assert read_patches(git, change_of(git, [oid]))[oid].patch_id == expected


LINES = st.frozensets(st.builds(lambda sign, text: sign + text, st.sampled_from([b"+", b"-"]), st.binary(max_size=4)))


@given(LINES, LINES)
def test_overlap_is_a_share_and_flipping_twice_is_nothing(fix, other):
    assert flipped(flipped(fix)) == fix
    found = overlap(fix, other)
    assert found.present <= fix & other
    assert not found.present & found.missing
    if found.share is not None:
        assert 0 <= found.share <= 1
        assert overlap(fix, fix).share == 1
    else:
        assert not fix


@given(st.binary(max_size=200))
def test_any_bytes_are_a_patch_without_lines_or_with_some(text):
    for line in telling_lines(b"diff --git a/x b/x\n@@ -1 +1 @@\n" + text):
        assert line[:1] in (b"+", b"-")
