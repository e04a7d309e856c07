"""Whatever goes wrong, and in whatever order: passes repeated until one ends well have made exactly one of everything.

A pass here is the least a bot does: look by branch, open if there is none, label, comment once.
"""

from __future__ import annotations

import os

import pytest
from fake_forge import Dice

from syncbot.forge.github_reader import GitHubReader
from syncbot.forge.github_writer import GitHubWriter
from syncbot.model.errors import SyncbotError
from syncbot.model.forge import NewPull, PullState

REPO = "octo/down"
BRANCH = "syncbot/remove/x"
MARK = "<!-- syncbot:note -->"


def one_pass(reader: GitHubReader, writer: GitHubWriter) -> None:
    pulls = [pull for pull in reader.pulls_of_branch(REPO, BRANCH) if pull.state is PullState.OPEN]
    if not pulls:
        writer.open_pull(NewPull(repo=REPO, base="main", head=BRANCH, title="Remove it", body="Why"))
        pulls = [pull for pull in reader.pulls_of_branch(REPO, BRANCH) if pull.state is PullState.OPEN]
    (pull,) = pulls
    if "rocm" not in pull.labels:
        writer.add_labels(REPO, pull.number, ["rocm"])
    if not any(MARK in comment.body for comment in reader.comments(REPO, pull.number)):
        writer.add_comment(REPO, pull.number, f"hello\n{MARK}")


def attempt(bench) -> SyncbotError | None:
    """One pass of a new process; anything but a `SyncbotError` is a bug, and fails the test."""
    connection = bench.connect()
    try:
        one_pass(GitHubReader(connection), GitHubWriter(connection))
    except SyncbotError as error:
        return error
    finally:
        connection.close()
    return None


SEEDS = range(int(os.environ.get("SYNCBOT_SCHEDULES", "20")))
FOUND = [161]  # a lost answer to a comment, then a wrong 304 for the comments


@pytest.mark.parametrize("seed", [*SEEDS, *(seed for seed in FOUND if seed not in SEEDS)])
def test_repeated_passes_make_one_of_each(bench, seed):
    dice = bench.forge.faults = Dice(seed, rate=0.35, most=12)
    errors: list[SyncbotError] = []
    while error := attempt(bench):
        errors.append(error)
        assert len(errors) <= 12, dice.drawn
    assert {error.exit_code for error in errors} <= {1, 3}
    assert all(str(error).isprintable() for error in errors)
    (pull,) = bench.repo.pulls
    assert (pull.state, pull.labels) == ("open", ["rocm"])
    assert len(pull.comments) == 1, dice.drawn
