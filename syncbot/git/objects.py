"""Objects without a work tree: a scratch repository in front of a clone, and the reads and writes it needs.

A `Scratch` owns a temporary bare repository that borrows the clone's objects. What is written lands in it, what is read
comes from it or from the clone, which gains no object and no ref. The clone's configuration and attributes have no say:
a merge driver or a filter named there could be any program. Objects made here stay readable until the scratch is
closed; `patch` and `commit` turn a tree into something that outlives it. In front of a mirror contents that are missing
are brought into the mirror first, as `Git.bring` says.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
# What git itself leaves out of a name: nowhere inside it, and not at its ends.
_BREAKS = str.maketrans("", "", "\0\n<>")
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"


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
    date: str

    def signature(self) -> str:
        """Return it as it stands in a commit."""
        name, email = (text.translate(_BREAKS).strip(_CRUD) for text in (self.name, self.email))
        return f"{name} <{email}> {self.date.removeprefix('@')}"


NOBODY = Identity(name="syncbot", email="syncbot@localhost", date="@0 +0000")


def is_binary(data: bytes) -> bool:
    """Whether git would call this content binary: a NUL byte near its beginning."""
    return b"\0" in data[:_BINARY_PROBE]


class Scratch:
    """A folder for new objects in front of one clone. Use it as a context manager.

    ``bring`` is what `Clone.bring` is, ``also`` a second folder of objects to read from, such as those of the project
    that this one is a fork of. Raises `UsageError` where ``repository`` is no git repository.
    """

    def __init__(
        self, repository: Path, *, bring: Callable[[Collection[str]], None] | None = None, also: Path | None = None
    ) -> None:
        self.repository = repository
        self._bring = bring
        if not repository.is_dir():
            raise UsageError(f"{repository} is not a folder; give the path of a clone")
        self.clone = Git(repository, Access.READ)
        objects, shallow, form = self._layout()
        self._form = form
        self._known: dict[bytes, str] = {}
        self._commits: set[str] = set()
        self._folder = Path(tempfile.mkdtemp(prefix="syncbot-scratch-"))
        place = (repository / objects).resolve()
        self._untouched = Untouched(place)
        _initialise(self._folder, [place, *([also.resolve()] if also is not None else [])], form)
        if (repository / shallow).is_file():
            shutil.copyfile(repository / shallow, self._folder / "shallow")
        self.git = Git(self._folder, Access.READ, env={"GIT_DIR": str(self._folder), "GIT_LITERAL_PATHSPECS": "1"})

    def _layout(self) -> tuple[str, str, str]:
        """Where objects and the cut of a shallow clone lie, and the format; only a configuration can move them."""
        view = self.repository
        if (view / "objects").is_dir() and (view / "HEAD").is_file() and not (view / "config").exists():
            return "objects", "shallow", "sha1"
        try:
            objects, shallow, form = self.clone.lines(
                "rev-parse", "--git-path", "objects", "--git-path", "shallow", "--show-object-format"
            )
        except (GitError, ValueError) as error:
            raise UsageError(f"{view} is not a git repository") from error
        return objects, shallow, form

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
        """The folder of the new objects, for whoever pushes them to name as an alternate."""
        return self._folder / "objects"

    def commit_id(self, ref: str) -> str:
        """Return the commit ``ref`` names. Raises `UsageError` for what git must not see, else `UnknownObjectError`."""
        if ref in self._commits:
            return ref
        question = ("rev-parse", "--verify", "--quiet", "--end-of-options", safe_ref(ref) + "^{commit}")
        try:
            found = self.clone.text(*question)
        except GitError:
            try:
                found = self.git.text(*question)
            except GitError as error:
                raise UnknownObjectError(f"{self.repository} has no commit {ref!r}") from error
        self._commits.add(found)
        return found

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

    @property
    def brings(self) -> bool:
        """Whether missing contents can be brought at all."""
        return self._bring is not None

    def bring(self, oids: Iterable[str]) -> None:
        """Bring those of ``oids`` that are missing, in one request; does nothing in front of a person's clone."""
        wanted = list(dict.fromkeys(oids))
        if self._bring is None or not wanted:
            return
        answers = self.git.lines("cat-file", "--batch-check", stdin="".join(oid + "\n" for oid in wanted).encode())
        if missing := [oid for oid, answer in zip(wanted, answers, strict=True) if answer.endswith(" missing")]:
            self._bring(missing)

    def read(self, oids: Iterable[str]) -> dict[str, bytes]:
        """Return the content of blobs, read by one process. An object the clone lacks is left out."""
        wanted = list(dict.fromkeys(oids))
        if not wanted:
            return {}
        self.bring(wanted)
        request = "".join(oid + "\n" for oid in wanted).encode("ascii")
        output = self.git.run("cat-file", "--batch", stdin=request)
        found, at = {}, 0
        while at < len(output):
            end = output.index(b"\n", at)
            oid, *told = output[at:end].decode("ascii").split(" ")
            at = end + 1
            if told[0] != "missing":
                size = int(told[1])
                if told[0] == "blob":
                    found[oid] = output[at : at + size]
                    self._known[found[oid]] = oid
                at += size + 1
        return found

    def write(self, data: bytes) -> str:
        """Store a blob and return its id; what was read or written before is not written again."""
        if data not in self._known:
            self._known[data] = self._put("blob", data)
        return self._known[data]

    def _put(self, kind: str, body: bytes) -> str:
        """Store an object as git stores a loose one; a process for each would be what an edit spends its time on."""
        data = f"{kind} {len(body)}\0".encode() + body
        oid = hashlib.new(self._form, data, usedforsecurity=False).hexdigest()
        place = self.objects / oid[:2] / oid[2:]
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place.parent, prefix="tmp_obj_", delete=False) as file:
                file.write(zlib.compress(data, 1))
            # Whole or not at all: another thread may already be looking for it.
            Path(file.name).replace(place)
        return oid

    def flat_trees(self, trees: Sequence[Mapping[str, Entry]]) -> list[str]:
        """Store trees of files whose names hold no ``/``, and return their ids in order."""
        return [
            self._put("tree", b"".join(_tree_line(name, tree[name]) for name in sorted(tree, key=_raw)))
            for tree in trees
        ]

    def index(self, tree: str) -> Git:
        """Return a runner whose index, a file of the scratch, holds ``tree``; one index is in use at a time."""
        with contextlib.suppress(FileNotFoundError):
            (self._folder / "index").unlink()
        self.git.run("read-tree", tree)
        return self.git

    def replace(self, tree: str, changes: Mapping[str, Entry | None]) -> str:
        """Return a tree like that of ``tree`` (a full id) with some files put in, or taken out (None)."""
        index = self.index(tree)
        null = "0" * len(tree)
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
        who = identity.signature()
        head = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {who}", f"committer {who}"]
        return self._put("commit", ("\n".join(head) + "\n\n" + message.replace("\0", "")).encode("utf-8"))

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


def _tree_line(name: str, entry: Entry) -> bytes:
    return f"{entry.mode} ".encode() + _raw(name) + b"\0" + bytes.fromhex(entry.oid)


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _initialise(folder: Path, objects: Sequence[Path], form: str) -> None:
    """Make a bare repository by hand; ``git init`` would copy templates and take longer than the files it writes."""
    for part in ("objects/info", "refs"):
        (folder / part).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    version = "0" if form == "sha1" else f"1\n[extensions]\n\tobjectformat = {form}"
    (folder / "config").write_text(f"[core]\n\tbare = true\n\trepositoryformatversion = {version}\n")
    (folder / "objects" / "info" / "alternates").write_text("".join(f"{_quoted(str(each))}\n" for each in objects))


def _quoted(path: str) -> str:
    """Quote a folder for the file of alternates, where a line break would end it and ``#`` would be a comment."""
    if "\n" not in path and not path.startswith(('"', "#")):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
