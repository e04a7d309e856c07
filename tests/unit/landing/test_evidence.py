"""Every kind of evidence, each in the smallest history that has it, and what must not be taken for evidence."""

from __future__ import annotations

import pytest
from fixtures.asking import where
from fixtures.repos import Repo, code, lines


@pytest.fixture
def repo(tmp_path):
    """``main`` with a base commit tagged v1.0.0, and a branch ``release`` cut there."""
    repo = Repo(tmp_path / "upstream")
    repo.commit("Start (#1)", {"core.py": code("core", 12), "other.py": code("other")})
    repo.tag("v1.0.0")
    repo.branch("release")
    repo.on("main")
    return repo


def land(repo: Repo, message: str = "Fix the kernel (#5)", name: str = "fix") -> str:
    """The fix: six telling lines in a file of their own."""
    repo.on("main")
    return repo.commit(message, {f"{name}.py": code(name)})


def release(repo: Repo, tag: str = "v1.0.1", branch: str = "release") -> None:
    repo.on(branch)
    repo.tag(tag)


def test_an_ancestor(repo):
    land(repo)
    repo.tag("v1.1.0")
    told = where(repo, "#5")
    assert told == {"v1.0.0": "absent", "v1.1.0": "contained: ancestor"}
    assert told.report.first_release.by_date == "v1.1.0"
    assert (told.report.title, told.report.pull) == ("Fix the kernel", 5)


def test_a_pick_with_a_trailer(repo):
    fix = land(repo)
    repo.on("release")
    repo.pick(fix, "Fix for the release (#9)", trailer=True, keep_author=False)
    release(repo)
    assert where(repo, "#5") == {"v1.0.0": "absent", "v1.0.1": "contained: cherry-pick-trailer, patch-id"}


def test_a_pick_of_a_pick(repo):
    fix = land(repo)
    repo.branch("staging", at=repo.parents[fix][0])
    staged = repo.pick(fix, "Stage it", trailer=True, keep_author=False)
    repo.tag("v1.0.0.dev1")
    repo.on("release")
    repo.commit("Other work", {"fix.py": code("old")})
    kept = code("fix") + "resolved = here()\n"
    repo.pick(staged, "Onto the release", {"fix.py": kept}, trailer=True, keep_author=False)
    release(repo)
    told = where(repo, "#5")
    assert told["v1.0.0.dev1"] == "contained: cherry-pick-trailer, patch-id"
    assert told["v1.0.1"] == "contained: cherry-pick-trailer, content"


def test_a_pick_of_a_pick_that_no_target_has(repo):
    """The commit in the middle is nowhere to be read, so the chain is broken and the content speaks alone."""
    fix = land(repo)
    repo.branch("staging", at=repo.parents[fix][0])
    staged = repo.pick(fix, "Stage it", trailer=True, keep_author=False)
    repo.on("release")
    repo.pick(
        staged, "Onto the release", {"fix.py": code("fix") + "resolved = here()\n"}, trailer=True, keep_author=False
    )
    release(repo)
    assert where(repo, "#5")["v1.0.1"] == "unsure weak: content"


def test_a_shortened_id_in_a_trailer(repo):
    fix = land(repo)
    repo.on("release")
    repo.pick(fix, f"Backport\n\n(cherry picked from commit {fix[:10]})", keep_author=False)
    release(repo)
    assert where(repo, "#5")["v1.0.1"] == "contained: cherry-pick-trailer, patch-id"


def test_the_same_patch_without_any_word(repo):
    fix = land(repo)
    repo.on("release")
    repo.pick(fix, "Bring this along", keep_author=False)
    release(repo)
    assert where(repo, "#5")["v1.0.1"] == "contained: patch-id"


def test_the_same_patch_under_another_number(repo):
    fix = land(repo)
    repo.on("release")
    repo.commit("Line numbers shift", {"core.py": "# one more line\n" + code("core", 12)})
    repo.pick(fix, "Fix the kernel (#77)", keep_author=False)
    release(repo)
    assert where(repo, "#5")["v1.0.1"] == "contained: patch-id"


def test_a_twin_below_a_rewritten_root(tmp_path):
    repo = Repo(tmp_path / "upstream")
    repo.orphan("old")
    repo.commit("Start", {"core.py": code("core")})
    old = repo.commit("Fix the kernel (#5)", {"core.py": code("core") + code("fix")})
    repo.tag("v0.9.0")
    repo.orphan("main")
    repo.commit("Start anew", {"core.py": code("core"), "README": "new home\n"})
    repo.pick(old)
    repo.tag("v1.0.0")
    told = where(repo, "#5")
    assert told == {"v0.9.0": "contained: patch-id, rewritten, subject-number", "v1.0.0": "contained: ancestor"}
    assert told.report.first_release.by_date == "v0.9.0"
    (note,) = told.report.notes
    assert note.startswith("v0.9.0 share no commit with the default branch: history was rewritten")


def test_a_twin_whose_content_is_another_is_none(tmp_path):
    repo = Repo(tmp_path / "upstream")
    repo.orphan("old")
    repo.commit("Start", {"core.py": code("core")}, when=1_700_000_000)
    repo.commit("Sync (#5)", {"core.py": code("core") + code("one")}, when=1_700_000_100)
    repo.tag("v0.9.0")
    repo.orphan("main")
    repo.commit("Start anew", {"core.py": code("core")}, when=1_700_000_050)
    repo.commit("Sync (#5)", {"core.py": code("core") + code("two")}, when=1_700_000_100)
    repo.tag("v1.0.0")
    assert where(repo, "#5") == {"v0.9.0": "absent", "v1.0.0": "contained: ancestor"}


def test_a_release_commit_that_lists_the_id(repo):
    fix = land(repo)
    other = land(repo, "Fix the other thing (#6)", "second")
    repo.on("release")
    files = {"fix.py": code("fix"), "second.py": code("second")}
    repo.commit(f"Backports for 1.0.1\n\n- {fix[:12]}\n- {other}\n", files)
    release(repo)
    for number in (5, 6):
        assert where(repo, f"#{number}")["v1.0.1"] == "contained: listed, content"


def test_its_number_in_the_subject(repo):
    land(repo)
    repo.on("release")
    repo.commit("[release] Fix the kernel (#5) (#31)", {"fix.py": code("fix") + "# and the release's own line\n"})
    release(repo)
    assert where(repo, "#5")["v1.0.1"] == "contained: subject-number, content"


def test_its_number_in_the_body_of_a_squash(repo):
    land(repo)
    land(repo, "Fix the other thing (#6)", "second")
    repo.on("release")
    repo.commit(
        "Pick fixes for 1.0.1 (#31)\n\n* Fix the kernel (#5)\n\n* Fix the other thing (#6)\n",
        {"fix.py": code("fix"), "second.py": code("second")},
    )
    release(repo)
    for number in (5, 6):
        assert where(repo, f"#{number}")["v1.0.1"] == "contained: body-number, content"


def test_content_without_a_claim_is_for_a_person_to_judge(repo):
    land(repo)
    repo.on("release")
    repo.commit("Prepare the release", {"fix.py": code("fix"), "NOTES": "1.0.1\n"})
    release(repo)
    told = where(repo, "#5")
    assert told["v1.0.1"] == "unsure weak: content"
    assert told.report.first_release.by_date is None
    assert "a person must look" in str(told.answer("v1.0.1").reason)


def test_two_lines_without_a_claim_prove_nothing(repo):
    repo.commit("Fix (#5)", {"fix.py": code("fix", 2)})
    repo.on("release")
    repo.commit("Prepare the release", {"fix.py": code("fix", 2), "NOTES": "1.0.1\n"})
    release(repo)
    assert where(repo, "#5")["v1.0.1"] == "absent"


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("New logo, adapted (#5) (#31)", "unsure weak: subject-number"),
        ("New logo, adapted\n\n(cherry picked from commit {fix})", "contained weak: cherry-pick-trailer"),
        ("Colours of #5's logo", "unsure weak: subject-number"),
        ("Colours\n\nGo with #5.", "absent"),
    ],
)
def test_a_claim_where_there_are_no_lines_to_compare(repo, message: str, says: str):
    fix = repo.commit("New logo (#5)", {"logo.png": b"\0one" * 50})
    repo.on("release")
    repo.commit(message.format(fix=fix), {"logo.png": b"\0two" * 50})
    release(repo)
    told = where(repo, "#5")
    assert told["v1.0.1"] == says
    if says.startswith("unsure"):
        assert "no lines to compare" in str(told.answer("v1.0.1").reason)


# -- how much of it ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        (40, "contained: cherry-pick-trailer, content"),
        (38, "contained: cherry-pick-trailer, content"),
        (37, "partial weak: cherry-pick-trailer, content"),
        (2, "partial weak: cherry-pick-trailer, content"),
        (1, "absent"),
        (0, "absent"),
    ],
)
def test_a_pick_whose_conflict_was_resolved(repo, kept: int, says: str):
    fix = repo.commit("Fix (#5)", {"fix.py": code("fix", 40)})
    repo.on("release")
    mine = code("fix", kept) + code("mine", 50)
    repo.pick(fix, "Backport", {"fix.py": mine}, trailer=True, keep_author=False)
    release(repo)
    told = where(repo, "#5")
    assert told["v1.0.1"] == says
    answer = told.answer("v1.0.1")
    if answer.verdict == "partial":
        assert len(answer.present_lines) == kept
        assert len(answer.missing_lines) == 40 - kept
        assert answer.reason == f"{kept} of 40 telling lines of the fix are there"


def test_partial_picks_that_together_are_the_whole(repo):
    fix = repo.commit("Fix (#5)", {"fix.py": code("fix", 10)})
    repo.on("release")
    repo.pick(fix, "First half (#5) (#31)", {"fix.py": code("fix", 5)}, keep_author=False)
    release(repo)
    repo.commit("Second half (#5) (#32)", {"fix.py": code("fix", 10)})
    release(repo, "v1.0.2")
    told = where(repo, "#5")
    assert told["v1.0.1"] == "partial weak: subject-number, content"
    assert told["v1.0.2"] == "contained weak: subject-number, content"
    assert told.answer("v1.0.2").reason == "several commits carry its parts"


def test_one_line_in_a_squash_that_names_it_is_weak(repo):
    repo.commit("Fix (#5)", {"core.py": code("core", 12) + "guard = on()\n"})
    repo.on("release")
    repo.commit("Several (#31)\n\n- #5\n", {"core.py": code("core", 12) + "guard = on()\n", "x": "y\n"})
    release(repo)
    assert where(repo, "#5")["v1.0.1"] == "contained weak: body-number, content"


# -- what is no evidence -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "Work around other/project#5",
        "Like https://github.com/other/project/pull/5",
        "Follow-up to #5 (#31)",
        "See #55 and #50",
        "Version 5",
    ],
)
def test_a_number_is_no_fix_without_its_lines(repo, message: str):
    land(repo)
    repo.on("release")
    repo.commit(message, {"core.py": code("core", 12) + code("follow")})
    release(repo)
    assert where(repo, "#5", names={"own/project"})["v1.0.1"] == "absent"


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("Take own/project#5 and more", "contained: subject-number, content"),
        ("Take OWN/Project#5 and more", "contained: subject-number, content"),
        ("Take https://git.example.org/own/project/pull/5 and more", "contained: subject-number, content"),
        ("Take other/project#5 and more", "unsure weak: content"),
        ("Take https://git.example.org/other/project/pull/5 and more", "unsure weak: content"),
    ],
)
def test_the_number_of_another_repository_is_not_its_number(repo, message: str, says: str):
    land(repo)
    repo.on("release")
    repo.commit(message, {"fix.py": code("fix"), "more": "more\n"})
    release(repo)
    assert where(repo, "#5", names={"own/project"})["v1.0.1"] == says


def test_a_pick_of_another_change_that_mentions_it(repo):
    land(repo)
    other = repo.commit("Extend the fix (#6)\n\nFollow-up to #5.\n", {"fix.py": code("fix") + code("more")})
    repo.on("release")
    repo.commit("Prepare", {"fix.py": lines("# made for the release")})
    repo.pick(other, files={"fix.py": code("fix") + code("more")}, trailer=True)
    release(repo)
    assert where(repo, "#6")["v1.0.1"] == "contained: cherry-pick-trailer, subject-number, content"
    assert where(repo, "#5")["v1.0.1"] == "absent"


def test_a_commit_of_the_default_branch_is_never_a_pick(repo):
    repo.commit("Cleanup, see #5 (#4)", {"fix.py": code("fix"), "more": "x\n"})
    repo.tag("v1.1.0")
    repo.commit("Fix the kernel (#5)", {"fix.py": code("fix") + code("rest")})
    assert where(repo, "#5")["v1.1.0"] == "absent"


def test_an_empty_change_is_like_no_other(repo):
    repo.commit("Trigger the build (#6)")
    repo.on("release")
    repo.commit("Trigger the release build")
    release(repo)
    assert where(repo, "#6") == {"v1.0.0": "absent", "v1.0.1": "absent"}


# -- the default branch last -------------------------------------------------------------------------------------------


def test_released_before_it_landed_on_the_default_branch(repo):
    repo.on("release")
    first = repo.commit("Hotfix (#4)", {"fix.py": code("fix")})
    release(repo)
    repo.on("main")
    repo.pick(first, "Hotfix, forward (#5)", keep_author=False)
    repo.tag("v1.1.0")
    told = where(repo, "#5")
    assert told == {"v1.0.0": "absent", "v1.0.1": "contained: patch-id", "v1.1.0": "contained: ancestor"}
    assert told.report.first_release.by_line == (("1.0.1", "v1.0.1"), ("1.1.0", "v1.1.0"))


def test_on_a_release_only(repo):
    repo.on("release")
    fix = repo.commit("Release only (#5)", {"fix.py": code("fix")})
    release(repo)
    repo.on("main")
    repo.commit("Elsewhere (#6)", {"core.py": code("other")})
    repo.tag("v1.1.0")
    for query in ("#5", fix, fix[:9]):
        told = where(repo, query)
        assert told == {"v1.0.0": "absent", "v1.0.1": "contained: ancestor", "v1.1.0": "absent"}
        assert "this commit is not on the default branch" in told.report.notes


def test_a_pull_request_merged_with_a_merge_commit(repo):
    repo.branch("topic")
    parts = [repo.commit(f"Step {n}", {f"step{n}.py": code(f"step{n}")}) for n in (1, 2)]
    repo.on("main")
    repo.commit("In between (#4)", {"core.py": code("core", 13)})
    repo.merge(parts[1], "Merge pull request #5 from ada/topic\n\nSteps")
    repo.tag("v1.1.0")
    repo.on("release")
    repo.pick(parts[0], trailer=True)
    release(repo)
    repo.pick(parts[1], trailer=True)
    release(repo, "v1.0.2")
    told = where(repo, "#5")
    assert told == {
        "v1.0.0": "absent",
        "v1.0.1": "partial weak: cherry-pick-trailer, patch-id",
        "v1.0.2": "contained: cherry-pick-trailer, patch-id",
        "v1.1.0": "contained: ancestor",
    }
    assert told.answer("v1.0.1").reason == "1 of the 2 commits of the merged branch are there"


def test_a_squash_of_a_merged_branch(repo):
    repo.branch("topic")
    repo.commit("Step 1", {"step1.py": code("step1")})
    last = repo.commit("Step 2", {"step2.py": code("step2")})
    repo.on("main")
    repo.merge(last, "Merge pull request #5 from ada/topic")
    repo.on("release")
    repo.commit("Pick (#5)", {"step1.py": code("step1"), "step2.py": code("step2")})
    release(repo)
    assert where(repo, "#5")["v1.0.1"] == "contained: patch-id, subject-number"
