"""Standard output may be closed, full, or left by its reader; none of that is a bug of the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from syncbot.cli.main import main

COMMAND = [sys.executable, "-m", "syncbot", "--help"]


def test_nobody_reads(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "argv", ["syncbot", "--help"])
    with pytest.raises(SystemExit) as left:
        main()
    sys.stdout.close()
    assert left.value.code == 0


def test_the_reader_leaves():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(COMMAND, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_no_room():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(COMMAND, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: cannot write: ")
