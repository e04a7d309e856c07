"""Refs of a clone, read in one go: branches and tags with the commit behind each, and its date."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from syncbot.git.history import moment
from syncbot.git.run import Git, GitError

_BATCH = 500

_FORMAT = "%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)%00%(creatordate:unix)"


class Ref(NamedTuple):
    """A ref. ``date`` is the tagger's date of an annotated tag, else the commit's; None where the object is missing."""

    name: str
    commit: str
    date: dt.datetime | None
    annotated: bool

    @property
    def short(self) -> str:
        """The name without ``refs/tags/``, ``refs/heads/`` or ``refs/remotes/<remote>/``."""
        kind, _, rest = self.name.removeprefix("refs/").partition("/")
        return rest.partition("/")[2] if kind == "remotes" else rest


def read_refs(git: Git, *prefixes: str) -> list[Ref]:
    """The refs below ``prefixes`` (``refs/tags/`` and so on) that name a commit; a tag of anything else is left out.

    A ref whose object this clone lacks is kept, without a date: what it names is not known, and not nothing.
    """
    try:
        return _listed(git, prefixes)
    except GitError:
        # One missing object ends the whole list, so the refs that have theirs are asked for by name.
        lines = git.lines("for-each-ref", "--format=%(refname)%00%(objectname)", *prefixes)
        oids = dict(line.split("\0") for line in lines)
        asked = "".join(f"{oid}^{{}}\n" for oid in oids.values()).encode()
        answers = git.lines("cat-file", "--batch-check=there", stdin=asked)
        lost = {name for name, answer in zip(oids, answers, strict=True) if answer != "there"}
        known = [name for name in oids if name not in lost]
        found = [ref for at in range(0, len(known), _BATCH) for ref in _listed(git, known[at : at + _BATCH])]
        return found + [Ref(name, oids[name], None, False) for name in oids if name in lost]


def _listed(git: Git, patterns: Sequence[str]) -> list[Ref]:
    found: list[Ref] = []
    for line in git.lines("for-each-ref", f"--format={_FORMAT}", *patterns):
        name, kind, oid, peeled_kind, peeled, date = line.split("\0")
        if kind == "tag":
            commit = peeled if peeled_kind == "commit" else _innermost(git, oid) if peeled_kind == "tag" else None
        else:
            commit = oid if kind == "commit" else None
        if commit is not None:
            found.append(Ref(name, commit, moment(date), kind == "tag"))
    return found


def _innermost(git: Git, oid: str) -> str | None:
    """The commit that a tag of a tag names, however deep."""
    status, out = git.result("rev-parse", "--verify", "--quiet", f"{oid}^{{commit}}", ok=(0, 1, 128))
    return out.decode().strip() if status == 0 else None
