"""A fake GitHub with one repository and one open pull request, and the two halves of a client for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fake_forge import FakeForge, Pull, Repo, Script
from forge_stages import template
from small_repo import commit

from syncbot.forge.github import GitHubConnection, connect
from syncbot.forge.github_reader import GitHubReader
from syncbot.forge.github_writer import GitHubWriter
from syncbot.model.forge import NewPull, PullRequest, Secret, TokenAuth

__all__ = ["template"]

REPO = "octo/down"
TOKEN = "ghp_the-secret-token-of-this-test"


@dataclass
class Bench:
    """Everything a test of the GitHub adapter needs at hand."""

    forge: FakeForge
    repo: Repo
    folder: Path
    waits: list[float] = field(default_factory=list)
    longest_wait: float = 60

    def connect(self, token: str = TOKEN, **options: object) -> GitHubConnection:
        given = {
            "api": self.forge.api,
            "cache_folder": self.folder / "cache",
            "between_writes": 0,
            "timeout": 5,
            "longest_wait": self.longest_wait,
            "pause": self.waits.append,
        } | options
        return connect(TokenAuth(token=Secret(token)), **given)  # type: ignore[arg-type]

    @property
    def script(self) -> Script:
        assert isinstance(self.forge.faults, Script)
        return self.forge.faults

    def branch(self, name: str) -> str:
        return commit(self.repo.git, name, {"kernel.py": "def logits(x):\n    return x\n"}, "Remove it", onto="main")

    def item(self, number: int) -> Pull:
        item = self.repo.items[number]
        assert isinstance(item, Pull)
        return item

    def sent(self) -> list[str]:
        return [f"{seen.method} {seen.path}" for seen in self.forge.requests]


@pytest.fixture
def bench(tmp_path: Path, template: Path) -> Iterator[Bench]:
    bare = Path(shutil.copytree(template, tmp_path / "down.git"))
    with FakeForge(tmp_path) as forge:
        forge.world.add_user("syncbot", token=TOKEN)
        forge.world.add_user("ann", token="ann-token")
        repo = forge.world.add_repo(REPO, bare, permissions={"syncbot": "write", "ann": "admin"})
        yield Bench(forge, repo, tmp_path)


@pytest.fixture
def connection(bench: Bench) -> Iterator[GitHubConnection]:
    made = bench.connect()
    yield made
    made.close()


@pytest.fixture
def reader(connection: GitHubConnection) -> GitHubReader:
    return GitHubReader(connection)


@pytest.fixture
def writer(connection: GitHubConnection) -> GitHubWriter:
    return GitHubWriter(connection)


@pytest.fixture
def pull(bench: Bench, writer: GitHubWriter) -> PullRequest:
    """An open proposal; what it took to open it is forgotten."""
    made = writer.open_pull(NewPull(repo=REPO, base="main", head="syncbot/remove/x", title="Remove it", body="Why"))
    bench.forge.forget()
    return made
