"""Nothing that upstream wrote is an order to GitHub Actions, however it reaches the log, an output or the summary."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.cli.workflow import Guarded, guarded, put_output, unguarded

ORDERS = ["::error::x", "  ::add-mask::x", "a\n::set-output name=a::b", "a\r::stop-commands::x", "##[add-path]/tmp"]


def is_order(line: str) -> bool:
    """How the runner reads a line: an order at its beginning, or an old one anywhere in it."""
    return line.lstrip().startswith("::") or "##[" in line


def lines(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def written(*pieces: str) -> str:
    stream = io.StringIO(newline="")
    guard = Guarded(stream)
    for piece in pieces:
        assert guard.write(piece) == len(piece)
    return stream.getvalue()


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_is_none_any_more(order):
    assert any(map(is_order, lines(order)))
    assert not any(map(is_order, lines(written(order))))


@given(st.lists(st.text(alphabet=":#[ \n\r\ta]", max_size=6), max_size=8))
def test_no_pieces_make_an_order(pieces):
    assert not any(map(is_order, lines(written(*pieces))))


@given(st.text(alphabet="a: /#\n", max_size=30).filter(lambda text: not any(map(is_order, lines(text)))))
def test_other_text_stays_but_for_a_colon_that_begins_a_line(text):
    assert written(text).replace("\\u003a", ":") == text


@given(st.dictionaries(st.text(max_size=5), st.text(alphabet=':#[]\\\n"a', max_size=9), max_size=4))
def test_json_says_the_same(value):
    for indent in (None, 2):
        assert json.loads(written(json.dumps(value, indent=indent))) == value


def test_guards_in_actions_alone_and_no_file(tmp_path):
    stream = io.StringIO()
    assert guarded(stream, {}) is stream
    assert unguarded(guarded(stream, {"GITHUB_ACTIONS": "true"})) is stream
    with (tmp_path / "plan.json").open("w") as file:
        assert guarded(file, {"GITHUB_ACTIONS": "true"}) is file


def test_an_output_ends_where_it_should(tmp_path):
    place = tmp_path / "output"
    for value in ("one\ntwo", "x\nEOF\nadmin=true\n"):
        put_output("problem", value, {"GITHUB_OUTPUT": str(place)})
    assert set(read_outputs(place.read_text())) == {"problem"}
    put_output("problem", "x", {})


def read_outputs(text: str) -> dict[str, str]:
    """The outputs in a file, as the runner reads it."""
    found: dict[str, str] = {}
    rest = iter(text.splitlines())
    for line in rest:
        name, _, end = line.partition("<<")
        assert end, line
        value = []
        for each in rest:
            if each == end:
                break
            value.append(each)
        found[name] = "\n".join(value)
    return found


def test_the_whole_program_is_guarded(tmp_path):
    """An error that repeats what it was given, on a pipe as the runner reads it."""
    environment = os.environ | {"GITHUB_ACTIONS": "true", "GITHUB_OUTPUT": str(tmp_path / "output")}
    hostile = "x\n::add-mask::e\n##[error]x"
    done = subprocess.run(
        [sys.executable, "-m", "syncbot", "plan", "--config", hostile], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "add-mask" in done.stderr
    assert not any(map(is_order, lines(done.stdout + done.stderr)))
    assert "add-mask" in read_outputs((tmp_path / "output").read_text())["problem"]
    bad = subprocess.run(
        [sys.executable, "-m", "syncbot", "plan", "--no\n::add-mask::e"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert bad.returncode == 2
    assert not any(map(is_order, lines(bad.stdout + bad.stderr)))
