"""A configured repository, as a command opens it."""

from __future__ import annotations

import os

import pytest

from syncbot.cli.repos import open_remote
from syncbot.model.errors import UsageError
from syncbot.model.project import Forge, Repo


def test_a_configured_repository_is_mirrored_with_the_token_its_forge_names(host, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    host.token = "s3cret"
    forge = Forge(name="inhouse", kind="git", token_variable="INHOUSE_TOKEN")
    repo = Repo(url=host.url, forge=forge, slug="owner/name")

    monkeypatch.delenv("INHOUSE_TOKEN", raising=False)
    with pytest.raises(UsageError, match="set INHOUSE_TOKEN"):
        open_remote(repo)
    monkeypatch.setenv("INHOUSE_TOKEN", "s3cret")
    clone = open_remote(repo)
    assert (clone.slug, clone.branch) == ("owner/name", "main")
    assert clone.git().text("rev-list", "--count", "main") == "2"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["mirrors"]
