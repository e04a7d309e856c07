"""History read in one stream: every commit reachable from some tips, with the tips that reach it.

One ``git log`` answers ancestry for all targets at once: each commit carries a bit mask of the tips it is reachable
from, so "does target T have commit C" is one bit test, however many targets there are.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from syncbot.git.run import Git, GitError, safe_ref
from syncbot.model.errors import UnknownObjectError

# None of the fields before the body can hold a newline.
_FORMAT = "%H%n%P%n%at%n%ct%n%an <%ae>%n%s%n%b"

_TIME = re.compile(r"-?[0-9]{1,11}")
_HEX = re.compile(r"^[0-9a-fA-F]{7,64}$")


class Commit(NamedTuple):
    """One commit. Times are seconds since 1970 (UTC); ``place`` counts in topological order, children first."""

    oid: str
    parents: tuple[str, ...]
    authored: int
    committed: int
    author: str
    subject: str
    body: str
    place: int


class History:
    """The commits reachable from ``tips`` (object ids), in topological order, children first."""

    def __init__(self, commits: dict[str, Commit], tips: Sequence[str]) -> None:
        self.commits = commits
        self.tips = tuple(tips)
        self._masks = _reach(commits, self.tips)

    def mask(self, oid: str) -> int:
        """Bit ``i`` is set when ``tips[i]`` reaches ``oid``; 0 for a commit that is not here."""
        return self._masks.get(oid, 0)

    def only_in(self, one: str, other: str) -> list[Commit]:
        """The commits that tip ``one`` has and tip ``other`` has not, in topological order; both must be tips."""
        has, lacks = 1 << self.tips.index(one), 1 << self.tips.index(other)
        return [
            commit for oid, commit in self.commits.items() if self._masks[oid] & has and not self._masks[oid] & lacks
        ]

    def difference(self, old: str, new: str) -> tuple[int, int, int]:
        """How many commits only ``old`` has, only ``new`` has, and both have; both must be tips."""
        before, after = 1 << self.tips.index(old), 1 << self.tips.index(new)
        lost = gained = shared = 0
        for mask in self._masks.values():
            had, has = mask & before, mask & after
            lost += bool(had and not has)
            gained += bool(has and not had)
            shared += bool(had and has)
        return lost, gained, shared

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether ``newer`` reaches ``older``; a commit reaches itself. Walks only what lies between the two."""
        start, goal = self.commits.get(newer), self.commits.get(older)
        if start is None or goal is None:
            return False
        stack, seen = [start], {start.oid}
        while stack:
            commit = stack.pop()
            if commit.oid == older:
                return True
            for parent in commit.parents:
                known = self.commits.get(parent)
                # Topological order: an ancestor always stands further down, so whatever stands below the goal is done.
                if known is not None and known.place <= goal.place and parent not in seen:
                    seen.add(parent)
                    stack.append(known)
        return False


def _reach(commits: dict[str, Commit], tips: Sequence[str]) -> dict[str, int]:
    masks = dict.fromkeys(commits, 0)
    for bit, tip in enumerate(tips):
        if tip in masks:
            masks[tip] |= 1 << bit
    for oid, commit in commits.items():
        mask = masks[oid]
        for parent in commit.parents:
            if parent in masks:
                masks[parent] |= mask
    return masks


def read_history(git: Git, tips: Sequence[str]) -> History:
    """Read everything reachable from ``tips`` (commit ids).

    Raises `UnknownObjectError` when the clone lacks a commit on the way (a damaged or interrupted clone).
    """
    commits: dict[str, Commit] = {}
    words = "\n".join(safe_ref(tip) for tip in dict.fromkeys(tips)).encode()
    try:
        for record in git.records("log", "-z", "--topo-order", f"--format={_FORMAT}", "--stdin", stdin=words):
            text = record.decode("utf-8", "replace").lstrip("\n")
            oid, parents, authored, committed, author, subject, body = text.split("\n", 6)
            times = _seconds(authored), _seconds(committed)
            commits[oid] = Commit(oid, tuple(parents.split()), *times, author, subject, body, len(commits))
    except GitError as error:
        raise UnknownObjectError(f"the history of this clone cannot be read: {error.stderr}") from error
    return History(commits, tips)


def _seconds(text: str) -> int:
    """A time as git prints it; 0 where the commit has none, and for years no calendar knows."""
    return int(text) if _TIME.fullmatch(text) else 0


def moment(text: str) -> dt.datetime | None:
    """The same as a date; None where there is none."""
    return dt.datetime.fromtimestamp(_seconds(text), dt.UTC) if _seconds(text) else None


def is_readable(git: Git, tip: str) -> bool:
    """Whether this clone has every commit below ``tip``."""
    return git.result("rev-list", "--count", "--end-of-options", safe_ref(tip), ok=(0, 128))[0] == 0


def merge_components(history: History, merge: Commit, most: int) -> list[str]:
    """The ordinary commits that a two-parent merge brought in, newest first.

    Empty for any other commit, and for a merge that brought in more than ``most``: no pull request, a whole branch.
    """
    if len(merge.parents) != 2:
        return []
    # Children come before parents, so that by its turn a commit knows whether the first parent reaches it.
    first, second = (history.commits.get(parent) for parent in merge.parents)
    waiting = [(commit.place, commit.oid) for commit in (first, second) if commit is not None]
    heapify(waiting)
    known = {merge.parents[0]: True} | {merge.parents[1]: merge.parents[0] == merge.parents[1]}
    new = int(second is not None and not known[merge.parents[1]])
    found: list[str] = []
    while new:
        commit = history.commits[heappop(waiting)[1]]
        shared = known[commit.oid]
        new -= not shared
        if not shared and len(commit.parents) < 2:
            found.append(commit.oid)
            if len(found) > most:
                return []
        for parent in commit.parents:
            if parent not in history.commits:
                continue
            if parent not in known:
                known[parent] = shared
                new += not shared
                heappush(waiting, (history.commits[parent].place, parent))
            elif shared and not known[parent]:
                known[parent] = True
                new -= 1
    return found


def resolve(git: Git, ref: str) -> str:
    """The commit id of a ref or an abbreviated id. Raises `UnknownObjectError` when it names no commit here."""
    try:
        return git.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{safe_ref(ref)}^{{commit}}")
    except GitError as error:
        raise UnknownObjectError(f"{ref!r} names no commit in this clone") from error


def commit_before(git: Git, tip: str, moment: dt.datetime) -> str | None:
    """The newest first-parent commit of ``tip`` that was committed up to ``moment``; None when there is none."""
    until = f"--before={int(moment.timestamp())}"
    return git.text("rev-list", "-1", "--first-parent", until, "--end-of-options", safe_ref(tip)) or None


def commit_dates(git: Git, names: Iterable[str]) -> dict[str, tuple[str, dt.datetime | None]]:
    """The commit that each full or abbreviated id names, with its date; those that name none are left out."""
    wanted = [name for name in dict.fromkeys(names) if _HEX.match(name)]
    if not wanted:
        return {}
    asked = "".join(f"{name}^{{commit}}\n" for name in wanted).encode()
    answers = git.text("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked).splitlines()
    oids = {name: line.split(" ")[0] for name, line in zip(wanted, answers, strict=True) if line.endswith(" commit")}
    if not oids:
        return {}
    log = git.lines("log", "--no-walk=unsorted", "--format=%H %ct", "--stdin", stdin="\n".join(oids.values()).encode())
    dates = {oid: moment(time) for oid, time in (line.split(" ") for line in log)}
    return {name: (oid, dates[oid]) for name, oid in oids.items() if oid in dates}
