"""Logged in as a GitHub App: named by variables in the configuration, and its secrets nowhere to be seen."""

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from standin import DOWN

APP = 'app = { id = "THE_APP_ID", key = "THE_APP_KEY" }\n'
TOKEN = "ghs_installation-token"


@pytest.fixture(scope="module")
def key():
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


@pytest.fixture
def as_app(make_stand, monkeypatch):
    stand = make_stand("pull-request")
    config = stand.project / "syncbot.toml"
    config.write_text(config.read_text().replace('token = "FAKE_TOKEN"\n', 'token = "FAKE_TOKEN"\n' + APP))
    monkeypatch.delenv("FAKE_TOKEN")
    world = stand.forge.world
    for name in (DOWN, "octo/bot"):
        world.repos[name].permissions["syncbot[bot]"] = "write"
    return stand


def test_it_proposes_as_the_app_and_shows_no_secret(as_app, key, monkeypatch):
    monkeypatch.setenv("THE_APP_ID", "17")
    monkeypatch.setenv("THE_APP_KEY", key.replace("\n", "\\n"))
    as_app.pin("v0.1.20")
    code, text = as_app.run("-vv", "sync", "--apply")
    assert code == 0, text
    written = len([each for each in as_app.forge.writes if "/access_tokens" not in each.path])
    _, text = as_app.run("sync", "--apply")
    assert "nothing to write" in text
    assert len([each for each in as_app.forge.writes if "/access_tokens" not in each.path]) == written
    (pull,) = as_app.forge.world.repos[DOWN].pulls
    assert pull.author.login == "syncbot[bot]"
    everything = "".join(as_app.said)
    for path in as_app.root.rglob("*"):
        if path.is_file():
            everything += path.read_bytes().decode("utf-8", "replace")
    assert TOKEN not in everything
    assert key.splitlines()[3] not in everything


def test_half_an_app_is_told_by_name(as_app, monkeypatch):
    monkeypatch.setenv("THE_APP_ID", "17")
    code, text = as_app.run("sync")
    assert code == 2
    assert "THE_APP_KEY is not set" in text


def test_a_key_that_is_none_is_told_without_it(as_app, monkeypatch):
    monkeypatch.setenv("THE_APP_ID", "17")
    monkeypatch.setenv("THE_APP_KEY", "not-a-key-but-secret")
    code, text = as_app.run("sync")
    assert code == 2
    assert "private key cannot be used" in text
    assert "not-a-key-but-secret" not in text
