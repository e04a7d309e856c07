"""What became of a fix's own lines: told by line, so a change elsewhere in its files is none of it."""

import pytest
from small_repo import commit, git

from syncbot.git.clone import open_clone
from syncbot.proposals.later import later

START = "".join(f"line {number} of the file\n" for number in range(20))
FIXED = START.replace("line 5 of the file\n", "the fix begins here\nthe fix goes on here\nthe fix ends here\n")


@pytest.fixture
def repo(tmp_path):
    where = tmp_path / "up.git"
    where.mkdir()
    git(where, "init", "-q", "--bare", "--initial-branch=main")
    commit(where, "main", {"kernel.py": START, "other.py": "x\n"}, "Start")
    return where


def told(repo, fix, built):
    return later(open_clone(repo).git(), fix, built, None)


def test_only_what_changed_the_lines_of_the_fix_is_named(repo):
    fix = commit(repo, "main", {"kernel.py": FIXED}, "The fix (#5)")
    moved = "a new first line\n" + FIXED.replace("line 15", "another line 15")
    near = commit(repo, "main", {"kernel.py": moved}, "Elsewhere in the file (#6)")
    assert told(repo, fix, near) == ("3 of the 3 lines it added stand there as it wrote them",)
    changed = moved.replace("the fix goes on here", "somebody changed this")
    commit(repo, "main", {"kernel.py": changed}, "On the fix's own line @all (#7)")
    built = commit(repo, "main", {"other.py": "y\n"}, "Something else (#8)")
    first, second, culprit = told(repo, fix, built)
    assert first == "2 of the 3 lines it added stand there as it wrote them"
    assert second == "1 later commit changed the others, the latest first:"
    assert culprit.endswith("On the fix's own line @all (#7)")


def test_a_change_that_came_by_a_merge_is_found(repo):
    fix = commit(repo, "main", {"kernel.py": FIXED}, "The fix (#5)")
    commit(
        repo, "side", {"kernel.py": FIXED.replace("the fix ends here", "it ends elsewhere")}, "On a side", onto="main"
    )
    commit(repo, "main", {"other.py": "y\n"}, "Meanwhile")
    tree = git(repo, "merge-tree", "--write-tree", "main", "side").splitlines()[0]
    built = git(repo, "commit-tree", tree, "-p", "main", "-p", "side", "-m", "Merge the side")
    first, _, culprit = told(repo, fix, built)
    assert first.startswith("2 of the 3")
    assert culprit.endswith(("On a side", "Merge the side"))


def test_a_file_that_went_and_a_fix_that_is_not_there(repo):
    fix = commit(repo, "main", {"kernel.py": FIXED, "more.py": "one\ntwo\n"}, "The fix (#5)")
    git(repo, "update-ref", "refs/heads/before", f"{fix}^")
    assert told(repo, fix, git(repo, "rev-parse", "before")) == ()
    index = git(repo, "ls-tree", fix).splitlines()
    tree = git(repo, "mktree", stdin="\n".join(line for line in index if "more.py" not in line) + "\n")
    built = git(repo, "commit-tree", tree, "-p", fix, "-m", "Drop a file (#9)")
    first, _, culprit = told(repo, fix, built)
    assert first == "3 of the 5 lines it added stand there as it wrote them"
    assert culprit.endswith("Drop a file (#9)")
