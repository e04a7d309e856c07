"""AITER's releases as they are: the answers that were checked by hand, each a case that simpler rules get wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.real


def syncbot(*words: str) -> str:
    done = subprocess.run([sys.executable, "-m", "syncbot", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def every_change(clone: Path) -> dict[str, dict]:
    """Every numbered change over every release, by its number."""
    documents = map(json.loads, syncbot("where", "--all", "--json", "--repo", str(clone)).splitlines())
    return {document["fixes"][0]["query"]: document["fixes"][0] for document in documents}


@pytest.fixture
def upstream(clones) -> Path:
    return clones / "ROCm+aiter" / "repo"


@pytest.fixture
def verdicts(upstream):
    """``contained``, ``reverted weak`` … of a change, by release; ``absent`` ones are left out."""

    def ask(number: int) -> dict[str, str]:
        targets = every_change(upstream)[f"#{number}"]["targets"]
        words = {t["ref"]: t["verdict"] + (" weak" if t["confidence"] == "weak" else "") for t in targets}
        return {ref: word for ref, word in words.items() if word != "absent"}

    return ask


def names(*parts: str) -> set[str]:
    return {f"v0.1.{part}" for part in parts}


def test_the_model_case(upstream, verdicts):
    assert verdicts(4774) == dict.fromkeys(names("20", "20.post1"), "contained")
    fix = every_change(upstream)["#4774"]
    assert fix["first_release"]["by_date"] == "v0.1.20"
    kinds = {evidence["kind"] for target in fix["targets"] for evidence in target["evidence"]}
    assert kinds == {"ancestor"}


def test_asked_alone_it_is_the_same(upstream):
    numbers = ["#4774", "#3741", "#2863", "#2221", "#651", "#2638", "#3219"]
    asked = json.loads(syncbot("where", *numbers, "--json", "--no-cache", "--repo", str(upstream)))["fixes"]
    for fix in asked:
        assert fix == every_change(upstream)[fix["query"]]


@pytest.mark.parametrize(
    ("number", "has", "lacks"),
    [
        (
            3741,
            {"15.post2", "15.post3"},
            {"16", "16.post1", "16.post2", "16.post3", "16.post4", "16.post5", "16.post6"},
        ),
        (3677, {"15.post3", "16.post2"}, {"16", "16.post1"}),
        (3913, {"16.post4", "16.post5", "16.post6"}, {"17"}),
        (3422, {"16.post4", "16.post5", "16.post6"}, {"17"}),
        (3832, {"16.post4", "16.post5", "16.post6"}, {"17"}),
        (2983, {"13"}, set()),
        (2879, {"13"}, set()),
        (4843, {"20.post1"}, {"20"}),
        (4853, {"20.post1"}, {"20"}),
        (1853, {"10.post1"}, {"10"}),
        (2035, {"11"}, set()),
        (651, {"5"}, set()),
        (3050, {"13-rc4", "13.post1"}, {"13"}),
        (2863, {"13-rc4", "13.post1"}, {"13"}),
        (2638, {"12.post1", "12.post2"}, {"13", "14"}),
        (2121, set(), set()),
        (1411, set(), set()),
    ],
)
def test_where_it_is_and_is_not(verdicts, number, has, lacks):
    found = verdicts(number)
    assert {ref for ref in names(*has) if found.get(ref) == "contained"} == names(*has)
    assert not {ref for ref in names(*lacks) if found.get(ref, "absent").startswith("contained")}


@pytest.mark.parametrize(("number", "first"), [(1853, "10.post1"), (2035, "11"), (651, "5"), (4774, "20")])
def test_the_first_release_across_the_rewritten_root(upstream, number, first):
    fix = every_change(upstream)[f"#{number}"]
    assert fix["first_release"]["by_date"] == f"v0.1.{first}"
    assert any("history was rewritten" in note for note in fix["notes"])


@pytest.mark.parametrize(
    ("number", "expected"),
    [(3050, {"13": "reverted"}), (2863, {"13": "reverted"}), (2638, {"13": "reverted", "20": "reverted"})],
)
def test_reverted(verdicts, number, expected):
    found = verdicts(number)
    assert {release: found[f"v0.1.{release}"] for release in expected} == expected


def test_a_revert_that_did_more_than_revert(verdicts):
    found = verdicts(3233)
    assert found["v0.1.15"] == "contained"
    assert not {ref for ref, word in found.items() if word == "contained" and ref >= "v0.1.16"}


@pytest.mark.parametrize("number", [2121, 1411, 3174, 933])
def test_landed_again_though_nobody_said_so(verdicts, number):
    assert verdicts(number)["v0.1.20"] == "contained"


@pytest.mark.parametrize("number", [3451, 2999, 4210, 2734])
def test_a_mention_is_no_weak_yes(upstream, verdicts, number):
    assert "contained weak" not in verdicts(number).values()
    for target in every_change(upstream)[f"#{number}"]["targets"]:
        if target["verdict"] == "contained":
            assert {each["kind"] for each in target["evidence"]} & {"ancestor", "patch-id", "cherry-pick-trailer"}


def test_part_of_it_is_partial(verdicts):
    assert "partial weak" in verdicts(2221).values()


@pytest.mark.parametrize("number", [3219, 3304])
def test_content_alone_is_for_a_person(verdicts, number):
    assert "unsure weak" in verdicts(number).values()


def test_what_differs_from_ancestry_rests_on_something_stronger_than_words(upstream):
    """No contained without an ancestor may rest on a number alone: a diff always backs it."""
    for query, fix in every_change(upstream).items():
        for target in fix["targets"]:
            kinds = {each["kind"] for each in target["evidence"]}
            if target["verdict"] == "contained" and "ancestor" not in kinds:
                assert kinds & {"patch-id", "content"}, (query, target["ref"], kinds)


def test_how_many_answers_there_are(upstream):
    counted = Counter(target["verdict"] for fix in every_change(upstream).values() for target in fix["targets"])
    assert counted["unknown"] == 0, "the clone is complete"
    assert counted["unsure"] + counted["partial"] < 100, "what a person must look at is rare"
    assert counted["contained"] > 80_000
