"""A GitHub App: signs, finds its installation, speaks as its bot, and leaves none of its three secrets anywhere."""

from __future__ import annotations

import logging

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from fake_forge import Fault

from syncbot.forge.errors import NotFoundError, RefusedError
from syncbot.forge.github import connect
from syncbot.forge.github_reader import GitHubReader
from syncbot.forge.github_writer import GitHubWriter
from syncbot.model.errors import UsageError
from syncbot.model.forge import Account, AppAuth, NewPull, Permission, Secret

REPO = "octo/down"
INSTALLATION_TOKEN = "ghs_installation-token"


@pytest.fixture(scope="module")
def key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


def app(bench, key, **fields):
    options = {"api": bench.forge.api, "cache_folder": bench.folder / "cache", "between_writes": 0, "repo": REPO}
    return connect(AppAuth(app_id="17", private_key=Secret(key), **fields), **options)


def test_it_speaks_as_its_bot(bench, key):
    bench.repo.permissions["syncbot[bot]"] = "write"
    connection = app(bench, key)
    assert GitHubReader(connection).identity() == Account(login="syncbot[bot]", is_bot=True)
    made = GitHubWriter(connection).open_pull(NewPull(repo=REPO, base="main", head="second", title="t", body="b"))
    assert made.author == Account(login="syncbot[bot]", is_bot=True)
    assert connection.git_token().reveal() == INSTALLATION_TOKEN
    asked = [f"{seen.method} {seen.path}" for seen in bench.forge.requests]
    assert asked[0] == "GET /repos/octo/down/installation"
    assert GitHubReader(connection).repository(REPO).permission is Permission.WRITE
    assert asked.count("POST /app/installations/99/access_tokens") == 1
    connection.close()


def test_an_installation_that_is_given_is_not_looked_up(bench, key):
    connection = app(bench, key, installation=99)
    assert [seen.path for seen in bench.forge.requests] == ["/app/installations/99"]
    connection.close()


def test_not_installed_there(bench, key):
    with pytest.raises(NotFoundError):
        connect(AppAuth(app_id="17", private_key=Secret(key)), api=bench.forge.api, repo="octo/elsewhere")


def test_a_broken_key_is_said_without_showing_it(bench):
    with pytest.raises(UsageError, match="private key cannot be used") as caught:
        app(bench, "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n")
    assert "c2VjcmV0" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_server_that_repeats_the_installations_token(bench, key):
    connection = app(bench, key)
    bench.script.add("GET .*/pulls$", Fault.ECHO)
    with pytest.raises(RefusedError, match=r"no: token \*\*\*"):
        GitHubReader(connection).open_pulls(REPO)
    connection.close()


def test_no_secret_is_logged_at_any_level(bench, key, caplog):
    caplog.set_level(logging.DEBUG)
    bench.repo.permissions["syncbot[bot]"] = "write"
    connection = app(bench, key)
    GitHubReader(connection).open_pulls(REPO)
    connection.git_token()
    signed = [headers["authorization"] for headers in bench.forge.headers_seen]
    assert any(value.startswith("Bearer ") for value in signed)
    secrets = {INSTALLATION_TOKEN, *(value.split(" ")[1] for value in signed), *key.splitlines()[1:-1]}
    assert caplog.text
    assert [secret for secret in secrets if secret in caplog.text] == []
    connection.close()
    for path in (bench.folder / "cache").iterdir():
        assert [secret for secret in secrets if secret.encode() in path.read_bytes()] == []
