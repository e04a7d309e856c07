"""Refs of a clone, read in one go: branches and tags with the commit behind each, and its date."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from syncbot.git.run import Git

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
    """The refs below ``prefixes`` (``refs/tags/`` and so on) that name a commit; a tag of anything else is left out."""
    found: list[Ref] = []
    for line in git.text("for-each-ref", f"--format={_FORMAT}", *prefixes).splitlines():
        name, kind, oid, peeled_kind, peeled, date = line.split("\0")
        if kind == "tag" and peeled_kind == "commit":
            oid = peeled
        elif kind != "commit":
            continue
        moment = dt.datetime.fromtimestamp(int(date), dt.UTC) if date else None
        found.append(Ref(name, oid, moment, kind == "tag"))
    return found
