"""Passes again and again: the time between, what is run, and the file that says how it went."""

import json
import os
import signal

import pytest

from syncbot.cli.every import repeat, seconds_of
from syncbot.model.errors import UsageError


@pytest.mark.parametrize(("text", "seconds"), [("10s", 10), ("30m", 1800), ("6h", 21600), ("1d", 86400)])
def test_times(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "6", "h", "9s", "1w", "-1h", "6 h"])
def test_what_is_no_time(text):
    with pytest.raises(UsageError, match="--every"):
        seconds_of(text)


def test_each_pass_is_a_process_and_the_file_says_how_it_ended(tmp_path):
    ran = []
    code = repeat(["sync"], 10, tmp_path / "new/health.json", passes=1, start=lambda command: ran.append(command) or 3)
    assert code == 3
    assert ran[0][1:] == ["-m", "syncbot", "sync"]
    health = json.loads((tmp_path / "new/health.json").read_text())
    assert (health["schema"], health["exit"]) == ("syncbot.health/1", 3)


def test_a_signal_ends_it_after_the_pass_that_runs(tmp_path):
    before = signal.getsignal(signal.SIGTERM)

    def start(command):
        os.kill(os.getpid(), signal.SIGTERM)
        return 0

    assert repeat(["sync"], 86400, tmp_path / "health.json", start=start) == 0
    assert signal.getsignal(signal.SIGTERM) == before
