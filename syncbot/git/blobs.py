"""Contents of files, many in one go."""

from __future__ import annotations

import re
from collections.abc import Iterable

from syncbot.git.run import Git

_NOTHING = re.compile(rb" (?:missing|ambiguous)\n")


def read_blobs(git: Git, names: Iterable[str]) -> dict[str, bytes | None]:
    """The contents of blobs named by id or as ``<commit>:<path>``; None where this clone has no such blob.

    A path that does not exist and content that is missing look alike here; `exists` tells them apart. In a mirror the
    missing ones are brought first, all in one go.
    """
    wanted = list(dict.fromkeys(names))
    found = _read(git, wanted)
    missing = [name for name in wanted if found[name] is None]
    if git.bring is not None and (oids := [oid for name in missing if (oid := _oid(git, name))]):
        git.bring(oids)
        found |= _read(git, missing)
    return found


def _oid(git: Git, name: str) -> str:
    """The id a name stands for, whether or not the object is here; "" for a path that is not there."""
    return git.text("rev-parse", "--verify", "--quiet", "--end-of-options", name, ok=(0, 1, 128))


def _read(git: Git, names: Iterable[str]) -> dict[str, bytes | None]:
    wanted = {name: name.encode("utf-8", "surrogateescape") for name in names}
    if not wanted:
        return {}
    out = git.run("cat-file", "--batch", "-z", "--buffer", stdin=b"\0".join(wanted.values()) + b"\0")
    found: dict[str, bytes | None] = {}
    at = 0
    for name, asked in wanted.items():
        # The name comes back when there is nothing to show for it, and a name may hold a newline.
        if out.startswith(asked, at) and (answer := _NOTHING.match(out, at + len(asked))):
            found[name], at = None, answer.end()
            continue
        end = out.index(b"\n", at)
        _, kind, *size = out[at:end].split(b" ")
        at = end + 1
        found[name] = out[at : at + int(size[0])] if kind == b"blob" else None
        at += int(size[0]) + 1 if size else 0
    return found


def exists(git: Git, commit: str, path: str) -> bool:
    """Whether ``path`` is a file at ``commit``, whether or not its content is in this clone."""
    return bool(git.with_env(GIT_LITERAL_PATHSPECS="1").run("ls-tree", "--full-tree", commit, "--", path))
