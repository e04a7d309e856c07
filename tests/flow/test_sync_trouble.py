"""Killed at any write, run twice at once, with a forge that fails: one proposal in the end, nobody's work lost."""

import os
import threading

import pytest
from standin import DOWN
from trouble import DeathError, death_at, no_waiting, schedule

from syncbot.cli.main import run

BOARD = 'dashboard = "Board"\nreviewers = ["ann"]'
_WRITES = 6  # push, open, labels, reviewers, text, dashboard
# A sample, since each point is a project of its own; all of them where SYNCBOT_EVERYTHING is set.
_ALL = bool(os.environ.get("SYNCBOT_EVERYTHING"))


@pytest.mark.parametrize("point", range(2 * _WRITES) if _ALL else (1, 2, 3, 5, 10))
def test_killed_before_or_after_any_write_and_run_again(make_stand, point):
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    with death_at(point), pytest.raises(DeathError):
        stand.run("sync", "--apply")
    stand.sync(twice=point in (2, 3))
    (only,) = stand.proposals()
    assert only["labels"] == ["workaround"]
    assert stand.forge.world.repos[DOWN].items[1].reviewers == ["ann"]
    assert '"todo"' not in only["body"]
    assert len(stand.issues()) == 1
    assert only["oid"] == stand.tip()


def test_the_last_point_of_a_run_is_the_one_that_was_killed_last(make_stand):
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    with death_at(-1) as passed:
        stand.run("sync", "--apply")
    assert len(passed) == 2 * _WRITES


@pytest.mark.parametrize("point", range(5) if _ALL else (1,))
@pytest.mark.parametrize("kind", ["folder", "hand-off"])
def test_killed_on_the_other_forges(make_stand, kind, point):
    stand = make_stand(kind)
    stand.pin("v0.1.20")
    with death_at(point) as passed:
        try:
            stand.run("sync", "--apply")
        except DeathError:
            assert passed[-1] == point
    stand.sync()
    assert len(stand.proposals() if kind == "folder" else stand.issues()) == 1


@pytest.mark.parametrize("point", range(6) if _ALL else (3,))
def test_killed_while_withdrawing(make_stand, point):
    stand = make_stand("pull-request")
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    stand.forge.world.repos[DOWN].items[1].draft = False
    stand.pin("v0.1.19")
    with death_at(point), pytest.raises(DeathError):
        stand.run("sync", "--apply")
    stand.sync(twice=False)
    (only,) = stand.proposals()
    assert only["draft"]
    assert len(only["comments"]) == 1


@pytest.mark.parametrize("seed", range(20 if _ALL else 1))
def test_a_seeded_schedule_of_faults(make_stand, seed):
    stand = make_stand("pull-request", extra=BOARD)
    with no_waiting():
        assert schedule(stand, seed) == []


def test_two_runs_at_once_make_one_proposal(make_stand):
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    codes = []
    runs = [threading.Thread(target=lambda: codes.append(run(stand.words("sync", "--apply")))) for _ in range(2)]
    for each in runs:
        each.start()
    for each in runs:
        each.join()
    assert codes == [0, 0]
    assert len(stand.proposals()) == 1
    assert len(stand.issues()) == 1


def test_two_machines_at_once_make_one_proposal(make_stand, monkeypatch):
    """Without the lock of one machine: everything the other one does lies between our look and our write."""
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    from syncbot.cli import passes
    from syncbot.proposals import apply

    monkeypatch.setattr(passes, "_locked", lambda root, wanted: __import__("contextlib").nullcontext())
    original, inside = apply.Hands.apply, []

    def second_run_first(self, actions):
        if not inside:
            inside.append(True)
            assert run(stand.words("sync", "--apply")) == 0
        return original(self, actions)

    monkeypatch.setattr(apply.Hands, "apply", second_run_first)
    code, text = stand.run("sync", "--apply")
    assert code == 0, text
    assert len(stand.proposals()) == 1
    assert len(stand.issues()) == 1
    stand.quiet()
