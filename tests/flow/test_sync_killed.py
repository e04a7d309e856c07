"""A process that is really killed, at any write, and run again: one proposal, nothing lost.

Every point in `test_sync_trouble.py` is a death inside this process; here it is `kill -9`. A sample of the points, all
of them where SYNCBOT_EVERYTHING is set.
"""

import os

import pytest
from killed import kill_at_file, kill_at_request, start
from small_repo import commit
from standin import DOWN, TEST_LATER
from trouble import REMARK

BOARD = 'dashboard = "Board"\nreviewers = ["ann"]'
_ALL = bool(os.environ.get("SYNCBOT_EVERYTHING"))
_OPENING = 12  # push, open, labels, reviewers, text, dashboard; 2: pushed, and nothing opened yet
_REBUILDING = 4  # push, text; 1: pushed, and nobody heard that it worked
_FILES = 45  # 26: all of a proposal is there but its name


def points(some, every):
    """All of them, and one more, which a run ends before."""
    return pytest.mark.parametrize("point", range(every + 1) if _ALL else some)


@points((2,), _OPENING)
def test_opening_a_proposal(make_stand, point):
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    killed = kill_at_request(stand.forge, stand.words("sync", "--apply"), point)
    assert killed == (point < _OPENING)
    stand.sync()
    (only,) = stand.proposals()
    assert (only["state"], only["labels"], only["oid"]) == ("open", ["workaround"], stand.tip())
    assert stand.forge.world.repos[DOWN].items[1].reviewers == ["ann"]
    assert '"todo"' not in only["body"]
    assert len(stand.issues()) == 1


@points((1,), _REBUILDING)
def test_rebuilding_one_that_a_person_wrote_into(make_stand, point):
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    before = stand.tip()
    stand.edit_body(1, "## Test Plan", f"{REMARK}\n\n## Test Plan")
    commit(stand.down, "main", {"test_kernel.py": TEST_LATER.replace("SimpleNamespace(y=2).y", "2")}, "Simplify a test")
    killed = kill_at_request(stand.forge, stand.words("sync", "--apply"), point)
    assert killed == (point < _REBUILDING)
    stand.sync()
    (only,) = stand.proposals()
    assert only["oid"] == stand.tip() != before
    assert only["body"].count(REMARK) == 1
    assert len(stand.issues()) == 1


@points((26,), _FILES)
def test_in_a_folder(make_stand, point):
    stand = make_stand("folder", extra=BOARD)
    stand.pin("v0.1.20")
    killed = kill_at_file(stand.project, stand.words("sync", "--apply"), point)
    assert killed == (point < _FILES)
    stand.sync()
    (only,) = stand.proposals()
    assert (only["state"], only["oid"]) == ("open", stand.tip())
    assert len(stand.issues()) == 1
    assert list(stand.place.rglob(".making-*")) == []


def test_two_processes_at_once_make_one_proposal(make_stand):
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    # Locks lie in the cache, so that each on a cache of its own is two machines.
    runs = [start(stand.words("sync", "--apply"), SYNCBOT_CACHE=str(stand.root / f"cache-{each}")) for each in "ab"]
    said = [each.communicate(timeout=60)[0] for each in runs]
    assert {each.returncode for each in runs} <= {0, 1}, said
    assert 0 in {each.returncode for each in runs}, said
    stand.sync()
    assert len(stand.proposals()) == 1
    assert len([each for each in stand.issues() if each["state"] == "open"]) == 1
