"""The token is in no log, error, traceback, file or value that is printed."""

from __future__ import annotations

import base64
import copy
import logging
import pickle
import traceback

import pytest
from fake_forge import Fault

from syncbot.forge.errors import RefusedError
from syncbot.forge.texts import clean
from syncbot.model.errors import SyncbotError
from syncbot.model.forge import NewPull, Secret, TokenAuth

REPO = "octo/down"
TOKEN = "ghp_the-secret-token-of-this-test"


def test_a_secret_shows_itself_only_when_asked():
    secret = Secret(TOKEN)
    for text in (repr(secret), str(secret), f"{secret}", f"{secret!r}", repr(TokenAuth(token=secret)), str([secret])):
        assert TOKEN not in text
    assert secret.reveal() == TOKEN
    assert TOKEN not in secret.fingerprint()
    for carry_off in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            carry_off(secret)


def test_cleaned_texts_are_one_printable_line():
    dirty = f"no\x1b[31m {TOKEN}\r\n\x00 \u202e right to left" + "x" * 900
    line = clean(dirty, [Secret(TOKEN)])
    assert TOKEN not in line
    assert line.isprintable()
    assert len(line) == 300
    assert "\u202e" not in line


@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.SLOW_AFTER], ids=lambda f: f.name)
def test_nothing_that_goes_wrong_shows_it(bench, reader, writer, pull, caplog, monkeypatch, fault):
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "requests_cache", "github"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.DEBUG)
    said = []
    new = NewPull(repo=REPO, base="main", head="second", title="t", body="b")
    for request, call in (
        ("GET .*/pulls/1$", lambda: reader.pull(REPO, 1)),
        ("POST .*/comments$", lambda: writer.add_comment(REPO, 1, "hello")),
        ("POST .*/pulls$", lambda: writer.open_pull(new)),
    ):
        bench.script.entries.clear()
        bench.script.add(request, *[fault] * 9)
        try:
            call()
        except SyncbotError as error:
            said += [str(error), repr(error), "".join(traceback.format_exception(error))]
    everything = "\n".join([*said, caplog.text])
    assert everything
    assert TOKEN not in everything
    assert base64.b64encode(TOKEN.encode()).decode()[:20] not in everything
    assert "\x1b" not in "".join(said)


def test_a_server_that_repeats_the_token(bench, reader, pull):
    bench.script.add("GET .*/pulls/1$", Fault.ECHO)
    with pytest.raises(RefusedError, match=r"no: token \*\*\*"):
        reader.pull(REPO, 1)


def test_no_file_holds_it(bench, reader, writer, pull):
    reader.open_pulls(REPO)
    reader.issues(REPO)
    writer.add_comment(REPO, 1, "hello")
    files = [path for path in bench.folder.rglob("*") if path.is_file()]
    assert any("cache" in str(path) for path in files)
    for path in files:
        assert TOKEN.encode() not in path.read_bytes(), path
        assert TOKEN not in path.name
