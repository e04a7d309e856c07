"""What takes a fix out again, what lands it once more, and what only sounds like it."""

from __future__ import annotations

import pytest
from fixtures.asking import where
from fixtures.repos import Repo, code, lines


@pytest.fixture
def repo(tmp_path):
    """``main`` with a base commit."""
    repo = Repo(tmp_path / "upstream")
    repo.commit("Start (#1)", {"core.py": code("core", 12), "other.py": code("other")})
    return repo


FIXED = {"core.py": code("core", 12) + code("fix"), "fix.py": code("new")}
UNFIXED = {"core.py": code("core", 12), "fix.py": None}
TITLE = "Fix the kernel for long sequences"


def land(repo: Repo, tag: str | None = "v1.0.0", message: str = f"{TITLE} (#5)") -> str:
    fix = repo.commit(message, FIXED)
    if tag:
        repo.tag(tag)
    return fix


@pytest.mark.parametrize(
    "message",
    [
        'Revert "{title} (#5)"\n\nThis reverts commit {fix}.\n',
        'Revert "{title} (#5)" (#9)\n\nThis reverts commit {fix}.\n',
        'Revert "{title} (#5)" (#9)',
        'Revert "{title}"',
        'Revert "{title}" (#9)',
        'Revert "Fix the kernel for long…" (#9)',
        'Revert "Fix the kernel for long..." (#9)',
        '[ROCm] Revert "{title} (#5)" (#9)',
        '[Fix] Revert "[Bug] [CI] {title}" (#9)',
        'Revert "Something by another title" (#5) (#9)',
        'Revert "Something by another title" (#4 and #5) (#9)',
        'Revert "Something by another title #5" (#9)',
        'Revert "Fix the kernel for long se… (#9)',
        '[ROCm] Revert "Fix the kernel for long sequences (#… (#9)',
        "Back it out (#9)\n\nThis reverts commit {short}.",
        "Back out several (#9)\n\nThis reverts commits {other} and {fix}.",
        "Back it out (#9)\n\nReverts own/project#5\n",
        "Back it out (#9)\n\nReverts #5\n",
        "revert #5 (#9)",
        "Nobody says why (#9)",
    ],
)
def test_reverted(repo, message):
    other = repo.commit("Another (#4)", {"other.py": code("else")})
    fix = land(repo)
    text = message.format(title=TITLE, fix=fix, short=fix[:9], other=other)
    repo.commit(text, UNFIXED | ({"other.py": code("other")} if "{other}" in message else {}))
    repo.tag("v1.1.0")
    told = where(repo, "#5", names={"own/project"})
    assert told == {"v1.0.0": "contained: ancestor", "v1.1.0": "reverted: ancestor, revert"}
    assert "reverted on the default branch" in told.report.notes
    assert told.report.first_release.by_line == (("1.0.0", "v1.0.0"),)


def test_a_title_cut_by_the_forge_where_it_was_too_long(repo):
    """A very long title goes on in the body, and the quotes close there."""
    land(repo, message="Fix the kernel for sequences that are longer than anybody thought they would be (#5)")
    repo.commit(
        'Revert "Fix the kernel for sequences that are longer than anybody t… (#9)\n\n…hought they would be (#5)"\n',
        UNFIXED | {"other.py": code("else")},
    )
    repo.tag("v1.1.0")
    assert where(repo, "#5")["v1.1.0"] == "reverted: ancestor, revert"


def test_not_on_a_branch_cut_before_the_revert(repo):
    fix = land(repo, None)
    repo.branch("release")
    repo.on("main")
    repo.revert(fix)
    repo.tag("v1.1.0")
    repo.on("release")
    repo.commit("Release work", {"other.py": code("release")})
    repo.tag("v1.0.1")
    assert where(repo, "#5") == {"v1.0.1": "contained: ancestor", "v1.1.0": "reverted: ancestor, revert"}


def test_reverted_on_a_release_only(repo):
    fix = land(repo)
    repo.branch("release")
    repo.revert(fix)
    repo.tag("v1.0.1")
    repo.on("main")
    repo.commit("Go on (#6)", {"other.py": code("more")})
    repo.tag("v1.1.0")
    assert list(where(repo, "#5").values()) == [
        "contained: ancestor", "reverted: ancestor, revert", "contained: ancestor"
    ]  # fmt: skip


def test_the_pick_of_a_revert_counts_where_it_was_picked(repo):
    fix = land(repo)
    repo.branch("release")
    repo.commit("Release work", {"core.py": "# own line\n" + FIXED["core.py"]})
    repo.on("main")
    back = repo.commit(f"Back out the slow kernel (#9)\n\nThis reverts commit {fix}.", UNFIXED)
    repo.on("release")
    repo.pick(back, "Back out the slow kernel", {"core.py": "# own line\n" + UNFIXED["core.py"]}, trailer=True)
    repo.tag("v1.0.1")
    assert where(repo, "#5")["v1.0.1"].startswith("reverted")


def test_a_pick_after_the_revert_stands(repo):
    fix = land(repo)
    repo.revert(fix)
    repo.tag("v1.1.0")
    repo.branch("release")
    repo.pick(fix, f"Bring it back for the release\n\n(cherry picked from commit {fix})")
    repo.tag("v1.1.1")
    told = where(repo, "#5")
    assert told["v1.1.0"] == "reverted: ancestor, revert"
    assert told["v1.1.1"] == "contained: cherry-pick-trailer, patch-id"


def test_pick_revert_pick_in_three_tags(repo):
    repo.branch("release")
    repo.on("main")
    fix = land(repo, None)
    repo.on("release")
    first = repo.pick(fix, trailer=True)
    repo.tag("v1.0.0rc1")
    repo.revert(first)
    repo.tag("v1.0.0")
    repo.pick(fix, f"{TITLE}, again (#5)", trailer=True)
    repo.tag("v1.0.0.post1")
    told = where(repo, "#5")
    assert told["v1.0.0rc1"].startswith("contained: cherry-pick-trailer, patch-id")
    assert told["v1.0.0"].startswith("reverted: cherry-pick-trailer, patch-id")
    assert told["v1.0.0.post1"].startswith("contained: cherry-pick-trailer, patch-id")


@pytest.mark.parametrize(
    "message",
    [
        'Revert "Revert "{title} (#5)" (#8)" (#9)\n\nThis reverts commit {back}.\n',
        'Revert "Revert "{title} (#5)" (#8)" (#9)',
        'Reapply "{title} (#5)" (#8)\n\nThis reverts commit {back}.\n',
        'Reapply "{title} (#5)" (#9)',
        "Re-land #5 (#9)",
        "Reland the kernel (#9)\n\nLands #5 again.",
        "[Kernel] {title} (#9)",
        "Reland: {title} (#9)",
        "{title} (#9)",
        "Try once more (#9)",
    ],
)
@pytest.mark.parametrize("grown", [False, True], ids=["same", "grown"])
def test_landed_again(repo, message, grown):
    fix = land(repo)
    back = repo.revert(fix, f'Revert "{TITLE} (#5)" (#8)\n\nThis reverts commit {fix}.\n')
    repo.tag("v1.1.0")
    more = {"more.py": code("more")} if grown else {}
    repo.commit(message.format(title=TITLE, back=back), FIXED | more)
    repo.tag("v1.2.0")
    told = where(repo, "#5")
    assert told["v1.1.0"] == "reverted: ancestor, revert"
    if grown and "once more" in message:
        assert told["v1.2.0"] == "reverted: ancestor, revert", "nothing claims it, and it is more than the fix"
    else:
        assert told["v1.2.0"].startswith("contained: ")
        assert "reverted on the default branch, and landed again since" in told.report.notes


def test_three_deep(repo):
    fix = land(repo)
    back = repo.revert(fix)
    again = repo.revert(back)
    repo.tag("v1.1.0")
    repo.revert(again)
    repo.tag("v1.2.0")
    told = where(repo, "#5")
    assert told["v1.1.0"].startswith("contained: ")
    assert told["v1.2.0"].startswith("reverted: ")


# -- reverts inside a squash -------------------------------------------------------------------------------------------


def squash(steps: str) -> str:
    return f"Prepare the release (#9)\n\n{steps}"


@pytest.mark.parametrize(("left", "says"), [(0, "reverted"), (6, "reverted"), (7, "contained"), (12, "contained")])
def test_a_revert_in_a_squash_counts_from_half_of_its_lines(repo, left: int, says: str):
    repo.commit(f"{TITLE} (#5)", {"core.py": code("core", 12) + code("fix", 12)})
    repo.tag("v1.0.0")
    body = squash(f'* Revert "{TITLE} (#5)"\n\n* Something else\n')
    repo.commit(body, {"core.py": code("core", 12) + code("fix", left), "else.py": code("else")})
    repo.tag("v1.1.0")
    told = where(repo, "#5")
    assert told["v1.1.0"] == ("reverted: ancestor, revert" if says == "reverted" else "contained: ancestor")


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        (f'* Revert "{TITLE} (#5)"\n* Reapply "{TITLE} (#5)"\n', "contained: ancestor"),
        (f'* Revert "{TITLE} (#5)"\n* Revert "Revert "{TITLE} (#5)""\n', "contained: ancestor"),
        (f'* Revert "{TITLE} (#5)"\n* Reapply "{TITLE} (#5)"\n* Revert "{TITLE} (#5)"\n', "reverted: ancestor, revert"),
    ],
)
def test_mentions_in_one_body_cancel_out(repo, steps: str, says: str):
    land(repo)
    gone = says.startswith("reverted")
    repo.commit(squash(steps), (UNFIXED if gone else {}) | {"else.py": code("else")})
    repo.tag("v1.1.0")
    assert where(repo, "#5")["v1.1.0"] == says


def test_a_revert_that_adds_lines_of_its_own_is_no_part_of_the_fix(repo):
    """On a release branch the message of a revert looks like the message of a pick."""
    fix = repo.commit(f"{TITLE} (#5)", {"core.py": code("core", 12) + code("fix", 20)})
    repo.tag("v1.0.0")
    repo.branch("release")
    kept = "".join(line + "\n" for line in code("fix", 20).splitlines()[:3])
    repo.commit(f"revert: #5 and more (#9)\n\nReverts:\n\n  {fix[:8]} the kernel (#5)\n", {
        "core.py": code("core", 12), "compat.py": kept
    })  # fmt: skip
    repo.tag("v1.0.1")
    assert where(repo, "#5")["v1.0.1"] == "reverted: ancestor, revert"


# -- what only sounds like a revert ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        'Revert "..." (#9)',
        'Revert "…"',
        'Revert "Fix…"',
        'Revert ""',
        "Revert the default to 4 (#9)",
        f'Revert "Follow-up of: {TITLE}" (#9)',
        "Reverts other/project#5",
        "Tidy (#9)\n\nReverts other/project#5",
        f'Tidy (#9)\n\n* Revert "{TITLE} (#5)"\n',
        "Tidy (#9)\n\nDoes not revert #5, see this reverts nothing.",
    ],
)
def test_a_message_that_reverts_something_else(repo, message: str):
    land(repo)
    repo.commit(message, {"other.py": code("changed")})
    repo.tag("v1.1.0")
    assert where(repo, "#5", names={"own/project"})["v1.1.0"] == "contained: ancestor"


def test_a_subject_that_two_commits_share(repo):
    """``Revert "Tidy up"`` means one of the two; the diff says which."""
    repo.commit("Tidy up", {"other.py": code("tidy")})
    fix = repo.commit("Tidy up", FIXED)
    repo.tag("v1.0.0")
    repo.commit('Revert "Tidy up"', {"other.py": code("other")})
    repo.tag("v1.1.0")
    assert where(repo, fix)["v1.1.0"] == "contained: ancestor"


def test_a_revert_of_the_follow_up_leaves_the_fix(repo):
    land(repo)
    follow = repo.commit("Follow-up of the kernel fix (#5)", {"other.py": code("follow")})
    repo.revert(follow)
    repo.tag("v1.1.0")
    assert where(repo, "#5")["v1.1.0"] == "contained: ancestor"


def test_half_a_revert_is_for_a_person(repo):
    fix = repo.commit(f"{TITLE} (#5)", {"core.py": code("core", 12) + code("fix", 12)})
    repo.tag("v1.0.0")
    repo.revert(fix, files={"core.py": code("core", 12) + code("fix", 9)})
    repo.tag("v1.1.0")
    assert where(repo, "#5")["v1.1.0"] == "reverted weak: ancestor, revert"


# -- merged branches ---------------------------------------------------------------------------------------------------


@pytest.fixture
def merged(repo):
    repo.branch("topic")
    parts = [repo.commit(f"Step {n} of the kernel", {f"step{n}.py": code(f"step{n}")}) for n in (1, 2)]
    repo.on("main")
    repo.commit("In between (#4)", {"other.py": code("between")})
    merge = repo.merge(parts[1], "Merge pull request #5 from ada/topic\n\nThe kernel")
    repo.tag("v1.0.0")
    gone = {"step1.py": None, "step2.py": None}
    repo.commit(
        'Revert "Merge pull request #5 from ada/topic" (#9)\n\n'
        f"This reverts commit {merge}, reversing\nchanges made to {repo.parents[merge][0]}.\n",
        gone,
    )
    repo.tag("v1.1.0")
    return repo, parts


def test_a_merge_that_was_reverted(merged):
    repo, _ = merged
    assert where(repo, "#5") == {"v1.0.0": "contained: ancestor", "v1.1.0": "reverted: ancestor, revert"}


def test_a_commit_of_a_merged_branch_that_was_reverted_as_a_whole(merged):
    repo, parts = merged
    for part in parts:
        assert where(repo, part) == {"v1.0.0": "contained: ancestor", "v1.1.0": "reverted: ancestor, revert"}


def test_what_the_merge_was_reverted_to_is_not_reverted(merged):
    repo, _ = merged
    assert where(repo, "#4")["v1.1.0"] == "contained: ancestor"


# -- white space -------------------------------------------------------------------------------------------------------


def test_a_change_of_white_space_that_is_its_own_opposite(repo):
    """A patch-id does not see white space, so forward and backward look the same to it."""
    repo.commit("Base (#4)", {"a.py": lines("if a:", "    b()", "c()")})
    repo.commit("Move the calls (#5)", {"a.py": lines("if a:", "b()", "    c()")})
    repo.tag("v1.0.0")
    repo.commit("Move them back (#6)", {"a.py": lines("if a:", "    b()", "c()")})
    repo.tag("v1.1.0")
    repo.commit("Once more (#7)", {"a.py": lines("if a:", "b()", "    c()")})
    repo.tag("v1.2.0")
    told = where(repo, "#5")
    assert [word.split(":")[0] for word in told.values()] == ["contained", "reverted", "contained"]


def test_white_space_only_with_other_work_in_between(repo):
    rest = [f"line_{n}()" for n in range(9)]
    repo.commit("Base (#4)", {"a.py": lines("if a:", "    b()", "c()", *rest)})
    repo.commit("Move the calls (#5)", {"a.py": lines("if a:", "b()", "    c()", *rest)})
    repo.tag("v1.0.0")
    repo.commit("Else (#8)", {"a.py": lines("if a:", "b()", "    c()", *rest, "more()")})
    repo.commit("Move them back (#6)", {"a.py": lines("if a:", "    b()", "c()", *rest, "more()")})
    repo.tag("v1.1.0")
    told = where(repo, "#5")
    assert [word.split(":")[0] for word in told.values()] == ["contained", "reverted"]
