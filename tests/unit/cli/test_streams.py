"""Standard output may be closed, full, or left by its reader; none of that is a bug of the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "syncbot", "schema"]


def test_nobody_reads():
    closed = f'exec {sys.executable} -m syncbot "$@" >&-'
    done = subprocess.run(["sh", "-c", closed, "sh", "schema"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


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
