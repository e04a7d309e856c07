"""The branch name is a proposal's key: ``syncbot/<kind>/<id>[/<carrier>]``. Written and read here alone."""

from __future__ import annotations

import re

from syncbot.model.proposal import Key, ProposalKind

PREFIX = "syncbot/"
_NAME = re.compile(
    rf"syncbot/(?P<kind>{'|'.join(ProposalKind)})/(?P<id>[A-Za-z0-9][\w.-]*)(?:/(?P<carrier>[A-Za-z0-9][\w.-]*))?",
    re.ASCII,
)


def branch_name(key: Key) -> str:
    """Return the branch of a proposal.

    >>> branch_name(Key(kind=ProposalKind.REMOVAL, workaround="guard"))
    'syncbot/removal/guard'
    """
    return f"{PREFIX}{key}"


def parse_branch(name: str) -> Key | None:
    """Return the key a branch name stands for, None for a branch that is not one of ours: `branch_name` undone."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    return Key(kind=ProposalKind(match["kind"]), workaround=match["id"], carrier=match["carrier"])


def parse_key(text: str) -> Key | None:
    """Return the key written as ``removal/guard``, None for anything else."""
    return parse_branch(f"{PREFIX}{text}")
