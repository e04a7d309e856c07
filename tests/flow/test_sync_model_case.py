"""The model case, date by date, on the folder forge and on the fake GitHub, with proposals and with hand-offs.

What a test is about ends with a second run that writes nothing.
"""

import json

from small_repo import commit, git
from standin import TEST_LATER


def held(stand):
    """What is offered: the proposals, or the issues of hand-offs."""
    if stand.kind != "hand-off":
        return stand.proposals()
    return [each for each in stand.issues() if each["title"].startswith("Hand-off")]


def test_nothing_while_the_pin_lacks_the_fix(stand):
    text = stand.sync()
    assert "guard: keep. Wait for pin image to reach v0.1.20" in text
    assert held(stand) == []
    assert stand.tip() == ""


def test_one_proposal_once_the_pin_has_it(stand):
    stand.pin("v0.1.20")
    stand.sync()
    (only,) = held(stand)
    assert only["state"] == "open"
    assert "v0.1.20" in only["body"]
    patch = git(stand.branches, "log", "-1", "-p", "--format=%B", stand.tip())
    assert '-    out.nan_to_num_(float("-inf"))' in patch
    assert "-from types import SimpleNamespace" not in patch
    assert "Syncbot-Workaround: guard" in patch
    assert ("Signed-off-by" in patch) == (stand.kind != "hand-off")
    if stand.kind != "hand-off":
        assert only["draft"]
        assert only["labels"] == ["workaround"]
        assert git(stand.branches, "log", "-1", "--format=%P", stand.tip()) == git(stand.down, "rev-parse", "main")


def test_the_same_proposal_however_far_main_moves(stand):
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    before, tip = held(stand), stand.tip()
    stand.move_main(5)
    stand.pin("v0.1.20")
    stand.quiet()
    assert (held(stand), stand.tip()) == (before, tip)


def test_rebuilt_when_the_edit_is_another_one(stand):
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    first = stand.tip()
    # The later test does without the import, so that the import can go as well.
    commit(stand.down, "main", {"test_kernel.py": TEST_LATER.replace("SimpleNamespace(y=2).y", "2")}, "Simplify a test")
    stand.sync()
    assert len(held(stand)) == 1
    assert stand.tip() not in ("", first)
    assert git(stand.branches, "log", "-1", "--format=%P", stand.tip()) == git(stand.down, "rev-parse", "main")


def test_a_draft_with_a_comment_when_the_pin_falls_back(stand):
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    tip = stand.tip()
    stand.pin("v0.1.19")
    text = stand.sync()
    (only,) = held(stand)
    assert "not right today" in text
    assert only["state"] == "open"
    assert stand.tip() == tip
    assert sum("not right any more" in each for each in only["comments"]) == 1
    if stand.kind != "hand-off":
        assert only["draft"]
        assert "syncbot-not-now" in only["labels"]
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    assert len(held(stand)) == 1
    if stand.kind != "hand-off":
        assert held(stand)[0]["labels"] == ["workaround"]


def test_a_restore_when_it_is_gone_and_the_pin_falls_back(stand):
    stand.pin("v0.1.20")
    stand.remove_by_hand()
    text = stand.sync()
    assert "guard: done" in text
    assert held(stand) == []
    stand.pin("v0.1.19")
    stand.sync()
    (only,) = held(stand)
    assert "put" in only["title"].lower()
    tip = stand.tip("syncbot/restore/guard")
    assert '+    out.nan_to_num_(float("-inf"))' in git(stand.branches, "log", "-1", "-p", tip)


def test_quiet_when_a_person_closed_it(stand):
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    if stand.kind == "hand-off":
        stand.close_issue(1)
    else:
        stand.close(1)
    text = stand.sync()
    assert "Declined" in text
    stand.pin("v0.1.21.post1")
    assert "Declined" in stand.sync()
    assert len(held(stand)) == 1
    # Other evidence: the pin lost it, and got it again by then.
    stand.pin("v0.1.19")
    stand.sync()
    assert len(held(stand)) == 1


def test_done_when_it_was_merged(stand):
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    if stand.kind == "hand-off":
        number = stand.submit()
        assert "was submitted" in stand.sync()
        assert "**submitted**" in held(stand)[0]["body"]
        stand.merge(number)
    else:
        stand.merge(1)
    text = stand.sync()
    assert "guard: done" in text
    assert len(held(stand)) == 1
    if stand.kind == "hand-off":
        assert held(stand)[0]["state"] == "closed"
        assert "**merged**" in held(stand)[0]["body"]


def test_the_report_shows_what_is_offered(stand):
    """The folder is always read, a code host when asked to; a hand-off is no pull request yet."""
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    code, out = stand.run("report", "--proposals", "--format", "json")
    assert code == 0
    (row,) = json.loads(out)["rows"]
    offered = [(each["kind"], each["state"]) for each in row["proposals"]]
    assert offered == ([] if stand.kind == "hand-off" else [("removal", "draft")])


def test_a_tag_that_moved_since_is_told(stand, caplog):
    """Git shows only where a tag is now; what it named at the last run is remembered beside the configuration."""
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    old = git(stand.up, "rev-parse", "v0.1.20^{commit}")
    git(stand.up, "tag", "--force", "v0.1.20", f"{old}~1")
    code, out = stand.run("status", "--json")
    assert code == 0
    assert [note.split(":")[0] for note in json.loads(out)["notes"]] == ["tag v0.1.20 of up/kernels moved"]
    assert f"it named {old[:12]} since " in out
    stand.run("sync", "--apply")
    assert "tag v0.1.20 of up/kernels moved" in caplog.text
    assert json.loads(stand.run("status", "--json")[1])["notes"] == [], "the move is known now"
