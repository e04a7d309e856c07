"""All remarks of one tree, read from git objects with no checkout.

One ``git grep`` finds the lines that could matter; only files whose lines survive a cheap look are parsed. What one
blob says never changes, so it is kept by blob id, and a second scan reads only what is new.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from syncbot.discover.codec import decode_remark, encode_remark
from syncbot.discover.phrases import TRIGGERS
from syncbot.discover.references import Names, Reader
from syncbot.discover.remarks import promising, remarks
from syncbot.git.blobs import read_blobs
from syncbot.git.run import Git
from syncbot.model.discover import Place, Remark, Scan

_NAMESPACE = "remarks/1"  # to be counted up with every change of what a remark is
_LARGEST = 1 << 20
_BATCH = 200
_ASKED_BY_PATH = 400
# Prose, data and generated files: what they say of a change is no code that waits for it.
_PROSE = (
    ".md", ".mdx", ".rst", ".adoc", ".html", ".htm", ".svg", ".json", ".jsonl", ".csv", ".tsv", ".ipynb", ".lock",
    ".patch", ".diff", ".xml", ".css", ".map", ".po", ".pot", ".tex", ".bib", ".log", ".min.js", ".sum",
)  # fmt: skip
_LISTS = (".gitignore", ".dockerignore", ".gitattributes", ".mailmap")
_PROSE_NAMES = ("license", "changelog", "changes", "copying", "authors", "notice", "news", "readme", "contributing")
_TEXT_THAT_IS_CODE = ("cmakelists.txt",)


class Facts(Protocol):
    """What is asked of the cache; see `syncbot.cache.Cache`."""

    def get_json(self, namespace: str, keys: Iterable[str]) -> dict[str, Any]:
        """The values kept under ``keys``."""

    def put_json(self, namespace: str, values: dict[str, Any]) -> None:
        """Keep ``values``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    path: str
    blob: str


def scan(git: Git, commit: str, names: Names, *, cache: Facts | None = None, paths: Sequence[str] = ()) -> Scan:
    """Read the tree of ``commit`` (below ``paths``, or all of it). Files this clone lacks are skipped and counted."""
    reader = Reader(names)
    files = [each for each in _files(git, commit, paths) if is_code(each.path)]
    there, skipped = _readable(git, files)
    ground = hashlib.sha256(json.dumps([sorted(names.upstreams.items()), sorted(names.own)]).encode()).hexdigest()[:16]
    keys = {f"{ground}:{each.blob}:{each.path}": each for each in there}
    known = cache.get_json(_NAMESPACE, keys) if cache is not None else {}
    found: dict[str, list[Remark]] = {}
    for key, value in known.items():
        found[keys[key].path] = [decode_remark(each) for each in value]
    new = [each for key, each in keys.items() if key not in known]
    fresh = dict(_read(git, commit, new, reader)) if new else {}
    found |= fresh
    if cache is not None and new:
        cache.put_json(
            _NAMESPACE,
            {
                f"{ground}:{each.blob}:{each.path}": [encode_remark(one) for one in fresh.get(each.path, [])]
                for each in new
            },
        )
    places = [
        Place(path=each.path, blob=each.blob, remark=remark) for each in there for remark in found.get(each.path, ())
    ]
    return Scan(commit=commit, places=tuple(places), files=len(there), skipped=dict(skipped))


def is_code(path: str) -> bool:
    """Whether a file can hold a workaround: code, builds, dependencies, CI; not prose, data or locks."""
    name = path.rpartition("/")[2].lower()
    if name.endswith((*_PROSE, *_LISTS)) or name.partition(".")[0] in _PROSE_NAMES:
        return False
    if name.endswith(".txt"):
        return name in _TEXT_THAT_IS_CODE or "require" in path.lower() or "constraint" in name
    return True


def _files(git: Git, commit: str, paths: Sequence[str]) -> Iterator[_File]:
    for record in git.with_env(GIT_LITERAL_PATHSPECS="1").records(
        "ls-tree", "-z", "-r", "--full-tree", commit, "--", *paths
    ):
        head, _, path = record.partition(b"\t")
        mode, _, oid = head.decode("ascii").split(" ")
        if mode not in ("120000", "160000"):
            yield _File(path=path.decode("utf-8", "surrogateescape"), blob=oid)


def _readable(git: Git, files: Sequence[_File]) -> tuple[list[_File], Counter[str]]:
    """The files whose content is here and of a size a person writes, and how many are not, by reason."""
    skipped: Counter[str] = Counter()
    sizes = _sizes(git, files)
    missing = [each.blob for each in files if each.blob not in sizes]
    if missing and git.bring is not None:
        git.bring(missing)
        sizes = _sizes(git, files)
    there: list[_File] = []
    for each in files:
        size = sizes.get(each.blob)
        if size is None:
            skipped["missing"] += 1
        elif size > _LARGEST:
            skipped["larger than 1 MiB"] += 1
        else:
            there.append(each)
    return there, skipped


def _sizes(git: Git, files: Sequence[_File]) -> dict[str, int]:
    asked = "".join(f"{each.blob}\n" for each in files).encode()
    answers = (line.split(" ") for line in git.lines("cat-file", "--batch-check", stdin=asked)) if files else ()
    return {words[0]: int(words[2]) for words in answers if len(words) == 3 and words[1] == "blob"}


def _read(git: Git, commit: str, files: Sequence[_File], reader: Reader) -> Iterator[tuple[str, list[Remark]]]:
    wanted = {each.path: each for each in files}
    hits = _hits(git, commit, list(wanted) if len(files) <= _ASKED_BY_PATH else [])
    near = [(wanted[path], lines) for path, lines in hits.items() if path in wanted]
    for start in range(0, len(near), _BATCH):
        batch = near[start : start + _BATCH]
        contents = read_blobs(git, (each.blob for each, _ in batch))
        for each, lines in batch:
            raw = contents[each.blob]
            if raw is None or b"\0" in raw[:8000]:
                continue
            text = raw.decode("utf-8", "replace")
            if promising(text.splitlines(), lines, each.path, reader):
                yield each.path, remarks(each.path, text, reader)


def _hits(git: Git, commit: str, paths: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the lines that could matter, by path. Objects that cannot be read end nothing."""
    args = ["grep", "-n", "-z", "-I", "-E", "--no-color", "--full-name", "-e", TRIGGERS, commit]
    literal = git.with_env(GIT_LITERAL_PATHSPECS="1")
    _, output, _ = literal.attempt(*args, "--", *paths) if paths else literal.attempt(*args)
    found: dict[str, list[int]] = {}
    prefix = len(commit) + 1
    for line in output.split(b"\n"):
        where, _, rest = line.partition(b"\0")
        number = rest.partition(b"\0")[0]
        if number.isdigit():
            found.setdefault(where[prefix:].decode("utf-8", "surrogateescape"), []).append(int(number))
    return found
