"""Real git repositories for tests, a few lines each."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from textwrap import dedent

_ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    # A commit would start the upkeep of a repository that lives for a second.
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.fsync",
    "GIT_CONFIG_VALUE_1": "none",
}


class History:
    """A repository on branch ``main``; each `commit` writes files (None deletes one) and returns the new commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.clock = 1_700_000_000
        self.git("init", "--quiet", "--template=", "--initial-branch=main")

    def git(self, *args: str, stdin: bytes | None = None) -> str:
        """Run git here and return what it printed."""
        return self.raw(*args, stdin=stdin).decode("utf-8", "surrogateescape").strip()

    def raw(self, *args: str, stdin: bytes | None = None) -> bytes:
        when = f"{self.clock} +0000"
        env = {**os.environ, **_ENV, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run(["git", *args], cwd=self.path, env=env, input=stdin, capture_output=True)
        assert done.returncode == 0, (args, done.stderr.decode("utf-8", "replace"))
        return done.stdout

    def commit(self, files: dict[str, str | bytes | None], message: str = "change") -> str:
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else dedent(content).lstrip("\n").encode())
        return self.record(message)

    def record(self, message: str = "change") -> str:
        """Commit whatever is in the work tree."""
        self.clock += 60
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.head()

    def head(self) -> str:
        """The commit that is checked out."""
        text = (self.path / ".git" / "HEAD").read_text()
        return (self.path / ".git" / text.removeprefix("ref: ").strip()).read_text().strip()

    def tree(self, ref: str = "HEAD") -> str:
        return self.git("rev-parse", ref + "^{tree}")

    def state(self) -> tuple[str, ...]:
        """Everything that must not change when the clone is only read: refs, objects, index, work tree."""
        objects = sorted(str(file.relative_to(self.path)) for file in (self.path / ".git").rglob("*"))
        return (self.git("for-each-ref"), self.git("status", "--porcelain"), *objects)
