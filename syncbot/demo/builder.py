"""Builds a bare repository commit by commit: the same ids on every machine, no work tree, no user's configuration."""

from __future__ import annotations

import datetime as dt
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.git.run import Access, Git


@dataclass(frozen=True, slots=True)
class Edit:
    """Put ``new`` where ``old`` stands, exactly once, in ``path``; an empty ``old`` makes the file, no ``new`` cuts."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An author; ``example.com`` belongs to nobody."""

    name: str

    @property
    def ident(self) -> str:
        """The form git writes."""
        return f"{self.name} <{self.name.split()[0].lower()}@example.com>"


class Builder:
    """A repository in ``folder``. Commits are one minute apart on their day, so their order is told by their dates."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.path = folder
        self.git = Git(folder, Access.WRITE).with_env(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
        self.git.run(
            "init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main", str(folder)
        )
        self._files: dict[str, dict[str, str]] = {}
        self._tips: dict[str, str] = {}
        self._when: dict[str, dt.datetime] = {}
        self._minutes = 0

    def tip(self, branch: str) -> str:
        """The commit a branch is at."""
        return self._tips[branch]

    def written(self, commit: str) -> dt.datetime:
        """When a commit was first written; a pick or a rewrite may keep that time."""
        return self._when[commit]

    def commit(
        self,
        branch: str,
        title: str,
        edits: Sequence[Edit],
        *,
        by: Person,
        day: dt.date,
        body: str = "",
        authored: dt.datetime | None = None,
        new_root: bool = False,
    ) -> str:
        """Add a commit to ``branch`` and return its id; ``new_root`` starts the branch over without a parent."""
        parent = None if new_root else self._tips.get(branch)
        files = _edited(self._files[parent] if parent else {}, edits)
        return self._write(branch, parent, files, f"{title}\n\n{body}", by=by, day=day, authored=authored)

    def merge(self, branch: str, patch: bytes, title: str, *, by: Person, day: dt.date) -> str:
        """Commit what a patch changes, and return the commit's id. Raises `GitError` where it does not apply."""
        return self._write(branch, self._tips[branch], self.patched(branch, patch), title, by=by, day=day)

    def edited(self, branch: str, edits: Sequence[Edit]) -> dict[str, str]:
        """The files of a branch as these edits leave them."""
        return _edited(self._files[self._tips[branch]], edits)

    def patched(self, branch: str, patch: bytes) -> dict[str, str]:
        """The files of a branch with a patch applied. Raises `GitError` where it does not apply without fuzz."""
        with tempfile.TemporaryDirectory() as folder:
            index = self.git.with_env(GIT_INDEX_FILE=str(Path(folder, "index")))
            index.run("read-tree", self._tips[branch])
            index.run("apply", "--cached", "-", stdin=patch)
            return {path: index.run("show", f":{path}").decode() for path in index.lines("ls-files")}

    def _write(
        self, branch: str, parent: str | None, files: dict[str, str], message: str, *, by: Person, day: dt.date,
        authored: dt.datetime | None = None,
    ) -> str:  # fmt: skip
        self._minutes += 1
        now = dt.datetime.combine(day, dt.time(9), dt.UTC) + dt.timedelta(minutes=self._minutes)
        written = authored or now
        stream = [
            f"commit refs/heads/{branch}",
            "mark :1",
            _signed("author", by, written),
            _signed("committer", by, now),
        ]
        stream += [_data(message.strip() + "\n")] + ([f"from {parent}"] if parent else []) + ["deleteall"]
        for path, text in sorted(files.items()):
            stream += [f"M 100644 inline {path}", _data(text)]
        stream += ["get-mark :1", ""]
        oid = self.git.text("fast-import", "--quiet", "--force", stdin="\n".join(stream).encode()).strip()
        self._files[oid], self._tips[branch], self._when[oid] = files, oid, written
        return oid

    def text(self, path: str, at: str = "main") -> str:
        """A file at a commit or tree."""
        return self.git.run("show", f"{at}:{path}").decode()

    def patch(self, old: str, new: str) -> bytes:
        """What lies between two commits, with the ids of the files it was made on."""
        return self.git.run("diff", "--full-index", old, new)

    def branch(self, name: str, at: str) -> None:
        """Start a branch at a commit."""
        self.git.run("update-ref", f"refs/heads/{name}", at)
        self._tips[name] = at

    def tag(self, name: str, at: str) -> None:
        """Set a tag, or move it."""
        self.git.run("update-ref", f"refs/tags/{name}", at)


def _edited(files: Mapping[str, str], edits: Sequence[Edit]) -> dict[str, str]:
    result = dict(files)
    for edit in edits:
        text = result.get(edit.path, "")
        if text.count(edit.old) != 1 and edit.old:
            raise ValueError(f"{edit.path} has {text.count(edit.old)} places that read {edit.old!r}, not one")
        result[edit.path] = text.replace(edit.old, edit.new, 1) if edit.old else edit.new
    return {path: text for path, text in result.items() if text}


def _signed(role: str, by: Person, when: dt.datetime) -> str:
    return f"{role} {by.ident} {int(when.timestamp())} +0000"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}"
