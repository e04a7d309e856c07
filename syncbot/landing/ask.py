"""Answers for several fixes over one clone, from the cache where nothing they rest on has changed.

A report follows from object ids alone: the branch's commit, the targets' commits and the fix. They are its key, and
whatever moves makes another key. Reports with an ``unknown`` are not kept: a clone may be given its missing objects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Protocol

from syncbot.git.run import Git
from syncbot.landing.claims import Names
from syncbot.landing.codec import decode, encode
from syncbot.landing.survey import Query, Survey, commits_in_queries
from syncbot.model.landing import FixReport, Target
from syncbot.model.words import Verdict

# One more whenever the same history may get another answer.
_NAMESPACE = "landing/5"


class Facts(Protocol):
    """What is asked of the cache; see `syncbot.cache.Cache`."""

    def get_json(self, namespace: str, keys: Sequence[str]) -> dict[str, Any]:
        """The values kept under ``keys``."""

    def put_json(self, namespace: str, values: dict[str, Any]) -> None:
        """Keep ``values``."""


def ask(
    git: Git,
    branch: str,
    targets: Sequence[Target],
    queries: Sequence[Query],
    *,
    names: Names = frozenset(),
    shallow: bool = False,
    cache: Facts | None = None,
) -> list[FixReport]:
    """One report a query, in order. ``branch`` is the commit of the default branch.

    Raises `UnknownObjectError` when the clone's own history cannot be read.
    """
    ground = json.dumps(
        [branch, sorted(names), shallow, [[each.kind, each.ref, each.commit, each.note] for each in targets]]
    )
    keys = [hashlib.sha256(f"{ground}\0{query.text}".encode()).hexdigest() for query in queries]
    known = cache.get_json(_NAMESPACE, keys) if cache is not None else {}
    reports: dict[str, FixReport] = {}
    for key in keys:
        try:
            reports[key] = decode(known[key], targets)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    open_queries = {key: query for key, query in zip(keys, queries, strict=True) if key not in reports}
    if open_queries:
        more = commits_in_queries(git, open_queries.values())
        survey = Survey(git, branch, targets, names=names, shallow=shallow, more=more)
        found = {key: survey.ask(query) for key, query in open_queries.items()}
        reports |= found
        if cache is not None:
            cache.put_json(_NAMESPACE, {key: encode(each) for key, each in found.items() if _settled(each)})
    return [reports[key] for key in keys]


def _settled(report: FixReport) -> bool:
    if report.commit is None and report.pull is None:
        return False  # a commit that this clone may be given yet
    return bool(report.answers) and all(answer.verdict is not Verdict.UNKNOWN for answer in report.answers)
