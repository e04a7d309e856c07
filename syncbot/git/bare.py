"""Bare repositories of our own, one a repository name, beside the files of the folder forge.

They hold the branches that syncbot prepared and borrow every other object from the clone the work was done in, so that
making one copies no history.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from syncbot.git.run import Access, Git, GitError, safe_ref
from syncbot.model.forge import ChangedFile, PullCommit

_STATUS = {"A": "added", "D": "removed", "M": "modified", "T": "changed"}


class BareRepositories:
    """Makes and reads them; ``place`` says where the one of a repository name is."""

    def __init__(self, place: Callable[[str], Path]) -> None:
        self._place = place

    def location(self, repo: str) -> Path:
        """Return where the bare repository of ``repo`` is, or would be."""
        return self._place(repo)

    def create(self, repo: str, *, default_branch: str, borrow_from: Path | None = None) -> Path:
        """Make it if it is not there; ``borrow_from`` is an object folder to read what it lacks from."""
        where = self._place(repo)
        if not (where / "HEAD").exists():
            where.mkdir(parents=True, exist_ok=True)
            Git(where, Access.WRITE).run("init", "--quiet", "--bare", f"--initial-branch={safe_ref(default_branch)}")
        if borrow_from is not None:
            alternates = where / "objects" / "info" / "alternates"
            known = alternates.read_text().splitlines() if alternates.exists() else []
            if str(borrow_from) not in known:
                alternates.write_text("".join(f"{line}\n" for line in (*known, str(borrow_from))))
        return where

    def _git(self, repo: str) -> Git | None:
        where = self._place(repo)
        return Git(where) if (where / "HEAD").exists() else None

    def default_branch(self, repo: str) -> str | None:
        """Return its default branch; None if there is no such repository."""
        git = self._git(repo)
        return git.text("symbolic-ref", "--short", "HEAD") if git is not None else None

    def head(self, repo: str, branch: str) -> str | None:
        """Return the commit a branch is at; None if there is no such branch or repository."""
        git = self._git(repo)
        if git is None:
            return None
        _, out = git.result("rev-parse", "--verify", "--quiet", f"refs/heads/{safe_ref(branch)}", ok=(0, 1))
        return out.decode().strip() or None

    def commits(self, repo: str, base: str, oid: str) -> tuple[PullCommit, ...]:
        """Return the commits of ``oid`` that ``base`` lacks, oldest first; only the last one if none or no ``base``."""
        git = Git(self._place(repo))
        records = git.text("log", "-z", "--reverse", "--format=%H%n%B", *self._own(repo, base, oid), "--").split("\0")
        pairs = (record.partition("\n") for record in records if record)
        return tuple(PullCommit(oid=commit, message=message.rstrip("\n")) for commit, _, message in pairs)

    def files(self, repo: str, base: str, oid: str) -> tuple[ChangedFile, ...]:
        """Return what those commits change, by path."""
        git = Git(self._place(repo))
        before = git.text("rev-parse", f"{self.commits(repo, base, oid)[0].oid}^")
        counts = {}
        for record in git.text("diff", "--numstat", "--no-renames", "-z", before, oid).split("\0"):
            if record:
                added, removed, path = record.split("\t", 2)
                counts[path] = (0, 0) if added == "-" else (int(added), int(removed))
        words = git.text("diff", "--name-status", "--no-renames", "-z", before, oid).split("\0")
        return tuple(
            ChangedFile(
                path=path, status=_STATUS.get(status, "changed"), added=counts[path][0], removed=counts[path][1]
            )
            for status, path in zip(words[::2], words[1::2], strict=False)
        )

    def file(self, repo: str, base: str, oid: str, path: str) -> tuple[bytes | None, bytes | None]:
        """Return what is at ``path`` before those commits and at ``oid``; None where nothing is."""
        from syncbot.git.blobs import read_blobs

        before = f"{self.commits(repo, base, oid)[0].oid}^:{path}"
        after = f"{safe_ref(oid)}:{path}"
        found = read_blobs(Git(self._place(repo)), (before, after))
        return found[before], found[after]

    def patch(self, repo: str, base: str, oid: str) -> bytes:
        """Return those commits as ``git am`` takes them, the same bytes for the same commits."""
        return Git(self._place(repo)).run(
            "format-patch",
            "--stdout",
            "--no-signature",
            "--no-renames",
            "--full-index",
            "--binary",
            *self._own(repo, base, oid),
            "--",
        )

    def merges(self, repo: str, base: str, oid: str) -> bool | None:
        """Return whether ``oid`` merges into ``base`` without a conflict; None if ``base`` is not there."""
        ours = self.head(repo, base)
        if ours is None:
            return None
        where = self._place(repo)
        # The merged tree goes to a place of its own: looking must not add objects.
        with tempfile.TemporaryDirectory(prefix="syncbot-merge-") as scratch:
            git = Git(where).with_env(
                GIT_OBJECT_DIRECTORY=scratch, GIT_ALTERNATE_OBJECT_DIRECTORIES=str(where / "objects")
            )
            try:
                return git.result("merge-tree", "--write-tree", "--no-messages", ours, oid, ok=(0, 1))[0] == 0
            except GitError:
                return None

    def _own(self, repo: str, base: str, oid: str) -> tuple[str, ...]:
        """Return what `git log` is asked for; of a branch that is merged by now the last commit still tells it."""
        ours = self.head(repo, base)
        git = Git(self._place(repo))
        if ours is None or git.result("merge-base", "--is-ancestor", safe_ref(oid), ours, ok=(0, 1))[0] == 0:
            return ("-1", safe_ref(oid))
        return (f"{ours}..{safe_ref(oid)}",)
