"""Clones that lack something: the answer is ``unknown`` or right, at once, and never a "no" made of missing objects."""

from __future__ import annotations

import shutil

import pytest
from fixtures.asking import where
from fixtures.repos import Repo, code, run_git

from syncbot.git.clone import open_clone
from syncbot.landing.survey import Survey
from syncbot.model.errors import UnknownObjectError


@pytest.fixture
def repo(tmp_path):
    """#5 is on main (v1.1.0), picked with other words onto a release (v1.0.1); #6 is on main only."""
    repo = Repo(tmp_path / "upstream")
    repo.commit("Start (#1)", {"core.py": code("core", 12), "fix.py": code("old")})
    repo.tag("v1.0.0")
    repo.branch("release")
    repo.commit("Own work of the release", {"core.py": code("own", 12), "fix.py": code("old") + "own()\n"})
    repo.on("main")
    fix = repo.commit("Fix (#5)", {"fix.py": code("fix") + code("old")})
    repo.commit("More (#6)", {"core.py": code("more")})
    repo.tag("v1.1.0")
    repo.on("release")
    repo.pick(fix, "Bring it along", {"fix.py": code("fix") + code("old") + "own()\n"}, keep_author=False)
    repo.tag("v1.0.1")
    return repo


def test_whole(repo):
    assert where(repo, "#5") == {
        "v1.0.0": "absent", "v1.0.1": "contained: patch-id", "v1.1.0": "contained: ancestor"
    }  # fmt: skip


def test_without_blobs_and_with_its_remote_gone(repo, tmp_path):
    path = repo.clone(tmp_path / "partial", "--bare", "--filter=blob:none")
    shutil.move(repo.path, tmp_path / "gone")
    told = where(path, "#5")
    assert told == {"v1.0.0": "absent", "v1.0.1": "unknown weak", "v1.1.0": "contained: ancestor"}
    assert "this clone lacks content of fix.py" in str(told.answer("v1.0.1").reason)
    assert where(path, "#6")["v1.0.1"] == "unknown weak", "a commit there that names nothing touches its paths"


def test_the_same_blobs_need_no_content(tmp_path):
    """A pick whose files are the same before and after is told by ids alone."""
    repo = Repo(tmp_path / "upstream")
    repo.commit("Start (#1)", {"fix.py": code("old")})
    repo.branch("release")
    repo.on("main")
    fix = repo.commit("Fix (#5)", {"fix.py": code("fix")})
    repo.on("release")
    repo.pick(fix, "Bring it along", keep_author=False)
    repo.tag("v1.0.1")
    path = repo.clone(tmp_path / "partial", "--bare", "--filter=blob:none")
    assert where(path, "#5") == {"v1.0.1": "contained: patch-id"}


def test_a_reverted_fix_that_may_be_back(tmp_path):
    """Without blobs nobody can say whether the third commit lands it again."""
    repo = Repo(tmp_path / "upstream")
    repo.commit("Start (#1)", {"fix.py": code("old")})
    fix = repo.commit("Fix (#5)", {"fix.py": code("old") + code("fix")})
    repo.revert(fix)
    repo.tag("v1.0.0")
    repo.commit("Shift (#7)", {"fix.py": "# shifted\n" + code("old")})
    repo.commit("Once more (#8)", {"fix.py": "# shifted\n" + code("old") + code("fix")})
    repo.tag("v1.1.0")
    assert where(repo, "#5")["v1.1.0"] == "contained: patch-id"
    path = repo.clone(tmp_path / "partial", "--bare", "--filter=blob:none")
    told = where(path, "#5")
    assert told["v1.0.0"] == "reverted: ancestor, revert"
    assert told["v1.1.0"] == "unknown weak"


def test_one_missing_blob(repo):
    repo.object_path(repo.blob(code("fix") + code("old") + "own()\n")).unlink()
    told = where(repo, "#5")
    assert told["v1.0.1"] == "unknown weak"
    assert told["v1.1.0"] == "contained: ancestor"


def test_shallow(repo, tmp_path):
    path = repo.clone(tmp_path / "shallow", "--bare", "--depth", "1", "--no-single-branch")
    told = where(path, "#6")
    assert told["v1.1.0"] == "contained: ancestor"
    assert told["v1.0.1"] == "unknown weak"
    assert any("shallow" in note for note in told.report.notes)
    unseen = where(path, "#5")
    assert set(unseen.values()) == {"unknown weak"}


def test_a_tag_whose_commit_is_missing(repo):
    lost = run_git(repo.path, "rev-parse", "v1.0.1").decode().strip()
    (repo.path / "refs/heads/release").unlink()
    repo.object_path(lost).unlink()
    told = where(repo, "#5")
    assert told == {"v1.0.0": "absent", "v1.0.1": "unknown weak", "v1.1.0": "contained: ancestor"}
    assert "lacks" in str(told.answer("v1.0.1").reason)


def test_a_commit_missing_below_a_tag(repo):
    below = run_git(repo.path, "rev-parse", "v1.0.1~1").decode().strip()
    repo.object_path(below).unlink()
    told = where(repo, "#5")
    assert told == {"v1.0.0": "absent", "v1.0.1": "unknown weak", "v1.1.0": "contained: ancestor"}


def test_a_commit_missing_below_the_branch_is_an_error_and_no_answer(repo):
    below = run_git(repo.path, "rev-parse", "v1.1.0~1").decode().strip()
    repo.object_path(below).unlink()
    git = open_clone(repo.path).git()
    tip = run_git(repo.path, "rev-parse", "main").decode().strip()
    with pytest.raises(UnknownObjectError, match="lacks commits of its branch"):
        Survey(git, tip, [])


def test_a_ref_that_does_not_exist_is_unknown(repo):
    told = where(repo, "#5", targets=["v1.1.0", "v9", "f" * 40])
    assert told == {"v1.1.0": "contained: ancestor", "v9": "unknown weak", "f" * 40: "unknown weak"}


def test_a_fix_that_is_not_in_the_clone(repo):
    assert set(where(repo, "abcdef1234").values()) == {"unknown weak"}
    assert set(where(repo, "#404").values()) == {"absent"}


def test_numbers_mean_nothing_where_commits_do_not_carry_them(tmp_path):
    repo = Repo(tmp_path / "upstream")
    for number in range(4):
        repo.commit(f"Change {number}", {"a": f"{number}\n"})
    repo.tag("v1.0.0")
    told = where(repo, "#5")
    assert told == {"v1.0.0": "unknown weak"}
    assert "do not name their pull requests" in told.report.notes[0]
