"""Objects without a work tree: a scratch object store in front of a clone, and the reads and writes it needs.

A `Scratch` owns a temporary folder. What is written lands there, what is read comes from there or from the clone, which
gains no object and no ref. Objects made in it stay readable until the scratch is closed; `patch` and `commit` turn a
tree into something that outlives it.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from syncbot.git.run import Access, Git, GitError, safe_ref
from syncbot.git.untouched import Untouched
from syncbot.model.errors import UnknownObjectError, UsageError

SYMLINK = "120000"
GITLINK = "160000"
_FILE = "100644"
_BINARY_PROBE = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of a tree: ``mode`` as git writes it (``100644``), ``oid`` the object's id."""

    mode: str
    oid: str

    @property
    def is_regular(self) -> bool:
        """Whether this is a file with lines, not a symbolic link and not a submodule pointer."""
        return self.mode not in (SYMLINK, GITLINK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who a commit names as author and committer; ``date`` in git's own ``@<seconds> <zone>`` form."""

    name: str
    email: str
    date: str | None = None


NOBODY = Identity(name="syncbot", email="syncbot@localhost", date="@0 +0000")


def is_binary(data: bytes) -> bool:
    """Whether git would call this content binary: a NUL byte near its beginning."""
    return b"\0" in data[:_BINARY_PROBE]


class Scratch:
    """A folder for new objects in front of one clone. Use it as a context manager.

    Raises `UsageError` where ``repository`` is no git repository.
    """

    def __init__(self, repository: Path) -> None:
        self.repository = repository
        if not repository.is_dir():
            raise UsageError(f"{repository} is not a folder; give the path of a clone")
        clone = Git(repository, Access.READ)
        try:
            objects = clone.text("rev-parse", "--git-path", "objects")
        except GitError as error:
            raise UsageError(f"{repository} is not a git repository") from error
        self._folder = Path(tempfile.mkdtemp(prefix="syncbot-scratch-"))
        (self._folder / "objects").mkdir()
        place = (repository / objects).resolve()
        self._untouched = Untouched(place)
        self.git = clone.with_env(
            GIT_OBJECT_DIRECTORY=str(self._folder / "objects"),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=_quoted(place),
            GIT_INDEX_FILE=str(self._folder / "index"),
            GIT_LITERAL_PATHSPECS="1",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Throw the scratch objects away."""
        self._untouched.restore()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def objects(self) -> Path:
        """The folder of the new objects, to be named as an alternate by whoever pushes them."""
        return self._folder / "objects"

    def commit_id(self, ref: str) -> str:
        """Return the commit ``ref`` names. Raises `UsageError` for what git must not see, else `UnknownObjectError`."""
        try:
            return self.git.text("rev-parse", "--verify", "--quiet", "--end-of-options", safe_ref(ref) + "^{commit}")
        except GitError as error:
            raise UnknownObjectError(f"{self.repository} has no commit {ref!r}") from error

    def parents(self, commit: str) -> tuple[str, ...]:
        """Return the parents of a commit, none for a root or at the edge of a shallow clone."""
        return tuple(self.git.text("rev-list", "--parents", "-n1", commit, "--").split()[1:])

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether ``old`` is reachable from ``new``."""
        return self.git.result("merge-base", "--is-ancestor", old, new, ok=(0, 1))[0] == 0

    def entries(self, tree: str, paths: Iterable[str]) -> dict[str, Entry]:
        """Return the entries of ``tree`` (or a commit) for those ``paths`` that are files in it."""
        wanted = sorted(set(paths))
        if not wanted:
            return {}
        found = dict(self._listing("ls-tree", "-z", "-r", "--full-tree", tree, "--", *wanted))
        return {path: found[path] for path in wanted if path in found}

    def listing(self, tree: str) -> dict[str, Entry]:
        """Return every file of ``tree`` (or a commit)."""
        return dict(self._listing("ls-tree", "-z", "-r", "--full-tree", tree))

    def _listing(self, *args: str) -> Iterable[tuple[str, Entry]]:
        for record in self.git.records(*args):
            head, _, path = record.partition(b"\t")
            mode, _, oid = head.decode("ascii").split(" ")
            yield path.decode("utf-8", "surrogateescape"), Entry(mode=mode, oid=oid)

    def read(self, oids: Iterable[str]) -> dict[str, bytes]:
        """Return the content of blobs, read by one process. An object the clone lacks is left out."""
        wanted = list(dict.fromkeys(oids))
        if not wanted:
            return {}
        there = self._readable(wanted)
        output = self.git.run("cat-file", "--batch", stdin="".join(oid + "\n" for oid in there).encode("ascii"))
        found, at = {}, 0
        while at < len(output):
            end = output.index(b"\n", at)
            oid, _, size = output[at:end].decode("ascii").split(" ")
            found[oid] = output[end + 1 : end + 1 + int(size)]
            at = end + 1 + int(size) + 1
        return found

    def _readable(self, oids: Sequence[str]) -> list[str]:
        """Return those blobs that are here. One that is not ends a whole ``cat-file --batch``, so it is asked first."""
        request = "".join(oid + "\n" for oid in oids).encode("ascii")
        try:
            rows = self.git.lines("cat-file", "--batch-check", stdin=request)
        except GitError:
            # In a partial clone git gives up at the first object it would have to fetch.
            return [oid for oid in oids if self.git.result("cat-file", "-e", oid, ok=(0, 1, 128))[0] == 0]
        return [row.split()[0] for row in rows if row.split()[1:2] == ["blob"]]

    def write(self, data: bytes) -> str:
        """Store a blob and return its id."""
        return self.git.text("hash-object", "-w", "-t", "blob", "--stdin", stdin=data)

    def flat_trees(self, trees: Sequence[Mapping[str, Entry]]) -> list[str]:
        """Store trees whose names hold no ``/``, by one process, and return their ids in order."""
        blocks = []
        for tree in trees:
            lines = [f"{entry.mode} {_kind(entry)} {entry.oid}\t{name}\0" for name, entry in sorted(tree.items())]
            blocks.append("".join(lines) + "\0")
        request = "".join(blocks).encode("utf-8")
        return self.git.lines("mktree", "--batch", "--missing", "-z", stdin=request)

    def index(self, tree: str) -> Git:
        """Return a runner whose index, a file of the scratch, holds ``tree``; one index is in use at a time."""
        with contextlib.suppress(FileNotFoundError):
            (self._folder / "index").unlink()
        self.git.run("read-tree", tree)
        return self.git

    def replace(self, tree: str, changes: Mapping[str, Entry | None]) -> str:
        """Return a tree like ``tree`` with some files put in, or taken out (None)."""
        index = self.index(tree)
        null = "0" * len(self.git.text("rev-parse", "--verify", tree + "^{tree}"))
        gone = [f"0 {null}\t".encode() + _raw(path) + b"\0" for path, entry in changes.items() if entry is None]
        put = [
            f"{entry.mode} {entry.oid}\t".encode() + _raw(path) + b"\0"
            for path, entry in changes.items()
            if entry is not None
        ]
        index.run("update-index", "-z", "--index-info", stdin=b"".join(gone + put))
        return index.text("write-tree", "--missing-ok")

    def commit(self, tree: str, parents: Sequence[str], message: str, identity: Identity = NOBODY) -> str:
        """Store a commit in the scratch and return its id."""
        who = {}
        for role in ("AUTHOR", "COMMITTER"):
            who[f"GIT_{role}_NAME"] = identity.name
            who[f"GIT_{role}_EMAIL"] = identity.email
            if identity.date is not None:
                who[f"GIT_{role}_DATE"] = identity.date
        links = [word for parent in parents for word in ("-p", parent)]
        return self.git.with_env(**who).text("commit-tree", *links, tree, stdin=message.encode("utf-8"))

    def patch(self, old: str, new: str, paths: Iterable[str]) -> bytes:
        """Return the change between two trees in ``paths`` as a git patch that ``git apply`` takes."""
        wanted = sorted(set(paths))
        if not wanted:
            return b""
        return self.git.run(
            "diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-textconv", "--no-ext-diff",
            "--src-prefix=a/", "--dst-prefix=b/", old, new, "--", *wanted,
        )  # fmt: skip


def blob(oid: str, mode: str = _FILE) -> Entry:
    """Return an entry for a blob."""
    return Entry(mode=mode, oid=oid)


def _kind(entry: Entry) -> str:
    return "commit" if entry.mode == GITLINK else "blob"


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _quoted(path: Path) -> str:
    """Quote a folder for GIT_ALTERNATE_OBJECT_DIRECTORIES, where a colon would end it."""
    text = str(path)
    if ":" not in text and not text.startswith('"'):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
