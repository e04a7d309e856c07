"""Tags as releases: which they are, their order, and which is first."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from fixtures.asking import targets_of, where
from fixtures.repos import HOUR, START, Repo
from fixtures.stage import build

from syncbot.cli.main import run
from syncbot.git.clone import open_clone
from syncbot.git.refs import read_refs
from syncbot.landing.targets import release_tags


@pytest.fixture
def repo(tmp_path):
    repo = Repo(tmp_path / "upstream")
    repo.commit("Start (#1)", {"a": "1\n"})
    return repo


def names(repo, pattern=None, ignore=()) -> set[str]:
    return {tag.short for tag in release_tags(read_refs(open_clone(repo.path).git(), "refs/tags/"), pattern, ignore)}


def test_the_family_of_plain_versions(repo):
    for name in ("v1.0", "v1.1", "nightly-v1.2", "nightly-v1.3", "nightly-v1.4", "archive/v1", "tool-1.0"):
        repo.tag(name)
    assert names(repo) == {"v1.0", "v1.1"}
    assert names(repo, "nightly-*", ["*1.3"]) == {"nightly-v1.2", "nightly-v1.4"}
    assert names(repo, "none*") == set()


def test_the_larger_family_where_no_tag_is_a_plain_version(repo):
    for name in ("lib-1.0", "lib-1.1", "tool-1.0"):
        repo.tag(name)
    assert names(repo) == {"lib-1.0", "lib-1.1"}


def test_order_and_lines(repo):
    given = ["v1.10.0", "v1.2.0.post1", "v1.2.0rc1", "v1.2.0", "v1.2.0-longctx", "v1.2.0.dev3", "v1!1.0", "v1.2"]
    for name in given:
        repo.tag(name)
    found = targets_of(repo.path)
    assert [target.ref for target in found] == [
        "v1.2.0.dev3", "v1.2.0rc1", "v1.2", "v1.2.0", "v1.2.0.post1", "v1.2.0-longctx", "v1.10.0"
    ]  # fmt: skip
    assert {target.ref: target.line for target in found}["v1.2.0-longctx"] == "1.2.0"


def test_an_annotated_tag_has_its_own_day_and_a_light_one_that_of_its_commit(repo):
    repo.tag("v1.0")
    repo.tag("v1.1", annotated=True, when=repo.now + 48 * HOUR)
    light, own = targets_of(repo.path)
    assert light.date == dt.datetime.fromtimestamp(START + HOUR, dt.UTC)
    assert own.date == light.date + dt.timedelta(days=2)
    assert own.commit == light.commit


def test_first_by_date_and_by_line(repo):
    repo.tag("v1.0.0")
    repo.branch("stable")
    repo.on("main")
    fix = repo.commit("Fix (#5)", {"a": "2\n"})
    repo.tag("v1.1.0rc1")
    repo.tag("v1.1.0-hotfix")
    repo.on("stable")
    repo.pick(fix, trailer=True)
    repo.tag("v1.0.1")
    repo.on("main")
    repo.commit("More (#6)", {"b": "1\n"})
    repo.tag("v1.1.0")
    repo.tag("v1.1.0.post1")
    first = where(repo, "#5").report.first_release
    assert first.by_date == "v1.0.1", "a candidate and an odd name come first only where nothing else has the fix"
    assert first.by_line == (("1.0.1", "v1.0.1"), ("1.1.0", "v1.1.0"))
    assert where(repo, "#6").report.first_release.by_date == "v1.1.0"


def test_only_a_candidate_has_it(repo):
    repo.commit("Fix (#5)", {"a": "2\n"})
    repo.tag("v1.1.0rc1")
    assert where(repo, "#5").report.first_release.by_date == "v1.1.0rc1"


def test_later_versions_may_lack_what_earlier_ones_have(repo):
    """Never ``>=``: the pick is in 1.0.1, and 1.1.0 was cut before the fix landed."""
    repo.tag("v1.0.0")
    repo.branch("stable")
    repo.on("main")
    repo.commit("Else (#4)", {"c": "1\n"})
    repo.tag("v1.1.0")
    fix = repo.commit("Fix (#5)", {"a": "2\n"})
    repo.on("stable")
    repo.pick(fix, trailer=True)
    repo.tag("v1.0.1")
    told = where(repo, "#5")
    assert [ref for ref, word in told.items() if word.startswith("contained")] == ["v1.0.1"]
    assert told.report.first_release.by_line == (("1.0.1", "v1.0.1"),)


def test_without_a_pattern_a_project_reads_the_releases_that_where_reads(tmp_path, capsys):
    stage = build(tmp_path)
    stage.lib.on("main")
    for number in range(30):
        stage.lib.tag(f"nightly-v1.1.{number}")
    assert run(["status", *stage.repos, "kernel", "--json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["workarounds"]
    assert kernel["first_release"]["by_date"] == "v1.1.0"
