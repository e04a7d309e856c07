"""History in one stream, against what git itself answers."""

from __future__ import annotations

import datetime as dt

import pytest
from fixtures.repos import START, Repo, run_git
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from syncbot.git.clone import open_clone
from syncbot.git.history import commit_before, commit_dates, merge_components, moment, read_history, resolve
from syncbot.model.errors import UnknownObjectError, UsageError


def ask(repo: Repo, *words: str) -> list[str]:
    return run_git(repo.path, *words).decode().split()


@pytest.fixture
def grow(tmp_path_factory):
    """Build a history from a list of steps: 0 to 2 commit on that branch, 3 and more merge two branches."""

    def build(steps: list[int]) -> Repo:
        repo = Repo(tmp_path_factory.mktemp("history") / "repo")
        repo.commit("Root")
        for name in ("b0", "b1", "b2"):
            repo.branch(name, at=(repo.path / "refs/heads/main").read_text().strip())
        for at, step in enumerate(steps):
            repo.on(f"b{step % 3}")
            if step < 3:
                repo.commit(f"Step {at}")
            else:
                other = (repo.path / f"refs/heads/b{(step + 1 + step // 3 % 2) % 3}").read_text().strip()
                if other != repo.head:
                    repo.commit(f"Merge {at}", parents=(str(repo.head), other))
        return repo

    return build


@given(st.lists(st.integers(0, 8), max_size=14))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reach_difference_ancestors_and_merges_are_what_git_says(grow, steps):
    repo = grow(steps)
    git = open_clone(repo.path).git()
    tips = list(dict.fromkeys(ask(repo, "rev-parse", "b0", "b1", "b2")))
    history = read_history(git, tips)
    reached = {tip: set(ask(repo, "rev-list", tip)) for tip in tips}
    for bit, tip in enumerate(tips):
        assert {oid for oid in history.commits if history.mask(oid) >> bit & 1} == reached[tip]
        for other in tips:
            assert history.is_ancestor(other, tip) == (other in reached[tip])
            assert {each.oid for each in history.only_in(tip, other)} == reached[tip] - reached[other]
            sets = reached[tip], reached[other]
            lost, gained, shared = len(sets[0] - sets[1]), len(sets[1] - sets[0]), len(sets[0] & sets[1])
            assert history.difference(tip, other) == (lost, gained, shared)
    for commit in history.commits.values():
        if len(commit.parents) == 2:
            first, second = commit.parents
            brought = ask(repo, "rev-list", "--no-merges", second, f"^{first}")
            assert set(merge_components(history, commit, 50)) == set(brought)
            assert merge_components(history, commit, 1) == (brought if len(brought) <= 1 else [])


def test_a_merge_of_a_long_lived_branch_is_no_pull_request(tmp_path):
    repo = Repo(tmp_path / "repo")
    root = repo.commit("Root")
    repo.branch("release", at=root)
    own = repo.commit("Own")
    repo.on("main")
    for number in range(120):
        repo.commit(f"Work {number}")
    tip = str(repo.head)
    repo.on("release")
    merge = repo.commit("Merge main (#5)", parents=(own, tip))
    history = read_history(open_clone(repo.path).git(), [merge])
    assert merge_components(history, history.commits[merge], 50) == []
    assert len(merge_components(history, history.commits[merge], 120)) == 120


def test_fields_with_odd_characters(tmp_path):
    repo = Repo(tmp_path / "repo")
    oid = repo.commit("Sub\x1fject\x1e\n\nbo\x1fdy\n\nmore", author="A\x1fb <a@b>", authored=5)
    commit = read_history(open_clone(repo.path).git(), [oid]).commits[oid]
    assert (commit.author, commit.authored, commit.subject) == ("A\x1fb <a@b>", 5, "Sub\x1fject\x1e")
    assert commit.body.rstrip("\n") == "bo\x1fdy\n\nmore"


@pytest.mark.parametrize("text", ["", "x", "9" * 12, "9" * 5000, "0", "--5", "5-5", "٣", "5\n"])
def test_a_time_that_is_none(text):
    assert moment(text) is None


def test_the_newest_first_parent_of_a_moment(tmp_path):
    repo = Repo(tmp_path / "repo")
    first = repo.commit("One", when=START)
    repo.branch("side")
    side = repo.commit("Side", when=START + 50)
    repo.on("main")
    merge = repo.commit("Merge", parents=(first, side), when=START + 100)
    git = open_clone(repo.path).git()

    def before(seconds: int) -> str | None:
        return commit_before(git, "refs/heads/main", dt.datetime.fromtimestamp(START + seconds, dt.UTC))

    assert before(60) == first, "the side came in later"
    assert before(100) == merge
    assert before(-1) is None


def test_ids_in_full_and_short(tmp_path):
    repo = Repo(tmp_path / "repo")
    oid = repo.commit("One", {"a": "b"}, when=1_000_000)
    git = open_clone(repo.path).git()
    assert resolve(git, oid[:9]) == oid
    blob = repo.blob("b")
    found = commit_dates(git, [oid, oid[:7], "f" * 40, "xyz", blob, "main"])
    assert found == {oid: (oid, moment("1000000")), oid[:7]: (oid, moment("1000000"))}
    assert commit_dates(git, []) == {}
    for wrong, error in (("nope", UnknownObjectError), (blob, UnknownObjectError), ("--all", UsageError)):
        with pytest.raises(error):
            resolve(git, wrong)
