"""The comment on the workaround's own issue: one, edited when it says something else, and nobody's peace disturbed."""

import json
import urllib.request

import pytest
from standin import DOWN

ASKED = "issue_comment = true"


@pytest.fixture
def issued(make_stand):
    """A stand-in whose workaround is for issue 1 of the downstream."""
    stand = make_stand("pull-request", extra=ASKED)
    data = json.dumps({"title": "NaN among the logits", "body": "It happens."}).encode()
    request = urllib.request.Request(
        f"{stand.forge.api}/repos/{DOWN}/issues", data, {"Authorization": "token ann-token"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert json.load(answer)["number"] == 1
    stand.forge.forget()
    manifest = stand.project / "patches/guard/patch.toml"
    manifest.write_text(f'issue = "{stand.forge.web}/{DOWN}/issues/1"\n' + manifest.read_text())
    return stand


def comments(stand):
    return stand.forge.world.repos[DOWN].items[1].comments


def test_one_comment_that_is_edited_and_never_made_twice(issued):
    issued.sync()
    (only,) = comments(issued)
    first = only.body
    assert "fixed in a release that not every pin has reached" in first
    issued.move_main(2)
    issued.quiet()
    issued.pin("v0.1.20")
    issued.sync()
    (same,) = comments(issued)
    assert same.id == only.id
    assert "every pin that decides builds an upstream with the fix" in same.body
    assert f"`{issued.forge.web}/{DOWN}/pull/2`" in same.body
    # Without what the cache knows it is looked for, and found.
    before = issued.writes()
    code, text = issued.run("sync", "--apply", "--no-cache")
    assert code == 0, text
    assert issued.writes() == before


def test_an_idle_run_asks_nothing_about_it(issued):
    issued.sync()
    before = len(issued.forge.requests)
    issued.quiet()
    assert not [each for each in issued.forge.requests[before:] if "/issues/1" in each.path]


def test_a_comment_that_people_deleted_stays_away(issued):
    issued.sync()
    comments(issued).clear()
    issued.pin("v0.1.20")
    issued.sync()
    assert comments(issued) == []


def test_a_strangers_copy_of_it_is_not_taken_for_ours(issued):
    issued.sync(twice=False)
    copy = comments(issued)[0].body
    comments(issued).clear()
    issued.comment(1, copy)
    code, _ = issued.run("sync", "--apply", "--no-cache")
    assert code == 0
    assert [each.author.login for each in comments(issued)] == ["ann", "syncbot"]
    assert comments(issued)[0].body == copy


def test_an_issue_elsewhere_is_left_alone(make_stand):
    stand = make_stand("pull-request", extra=ASKED)
    manifest = stand.project / "patches/guard/patch.toml"
    manifest.write_text('issue = "https://tracker.example.org/DOWN-7"\n' + manifest.read_text())
    assert "guard: keep" in stand.sync()
