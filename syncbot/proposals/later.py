"""What became of a fix by the time of the upstream a pin builds: how much still stands, what changed its lines.

Asked line by line: git's blame, run forward over the lines the fix added, says in which commit each was last there, and
what came right after that is what changed it. It depends on two commits alone, so the answer is cached for good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from syncbot.git.run import Git, GitError
from syncbot.model.errors import SyncbotError
from syncbot.proposals.prepare import Keeps
from syncbot.render.text import plain

_CACHE = "later/2"
_MOST_FILES = 12
_MOST_RANGES = 200
_SHOWN = 4
_BLAMED = re.compile(rb"^([0-9a-f]{40,64}) \d+ \d+ (\d+)$", re.MULTILINE)
_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


def later(git: Git, fix: str, built: str, cache: Keeps | None) -> tuple[str, ...]:
    """Return a few lines about the fix ``fix`` in the commit ``built``; none where history cannot tell."""
    name = f"{fix}..{built}"
    if cache is not None and (kept := cache.get_json(_CACHE, [name]).get(name)) is not None:
        return tuple(str(each) for each in kept)
    try:
        found = _lines(git.with_env(**_LITERAL), fix, built)
    except SyncbotError:
        return ()
    if cache is not None:
        cache.put_json(_CACHE, {name: list(found)})
    return found


def _lines(git: Git, fix: str, built: str) -> tuple[str, ...]:
    if git.result("merge-base", "--is-ancestor", fix, built, ok=(0, 1))[0] != 0:
        return ()
    rows = git.lines("diff-tree", "-r", "--no-commit-id", "--name-only", "--diff-filter=AM", "--no-renames", fix)
    paths = [row for row in rows if row and not row.startswith('"')]
    if not paths or len(paths) > _MOST_FILES:
        return ()
    # The lines of each file by the commit they were last seen in; those seen in `built` still stand.
    last = {path: Counter(_last_seen(git, fix, built, path)) for path in paths}
    added = sum(each.total() for each in last.values())
    if not added:
        return ()
    told = [f"{sum(each[built] for each in last.values())} of the {added} lines it added stand there as it wrote them"]
    gone = {path: frozenset(each) - {built} for path, each in last.items()}
    if any(gone.values()):
        culprits = _culprits(git, fix, built, gone)
        told.append(f"{_commits(len(culprits))} changed the others, the latest first:")
        told += [plain(each, 120) for each in culprits[:_SHOWN]]
    return tuple(told)


def _commits(number: int) -> str:
    return "1 later commit" if number == 1 else f"{number} later commits"


def _last_seen(git: Git, fix: str, built: str, path: str) -> Iterable[str]:
    """For each line the fix added to a file, the last commit on the way to ``built`` that has it."""
    diff = git.run("diff-tree", "-p", "-U0", "--no-commit-id", "--no-renames", "--no-ext-diff", "--no-textconv", fix,
                   "--", path)  # fmt: skip
    spans = [(int(match[1]), int(match[2] or 1)) for match in _HUNK.finditer(diff)]
    ranges = [f"-L{start},+{count}" for start, count in spans if count]
    if not ranges or len(ranges) > _MOST_RANGES:
        return
    try:
        blamed = git.run("blame", "--reverse", "--incremental", *ranges, f"{fix}..{built}", "--", path)
    except GitError:
        return
    for match in _BLAMED.finditer(blamed):
        yield from [match[1].decode()] * int(match[2])


def _culprits(git: Git, fix: str, built: str, gone: Mapping[str, frozenset[str]]) -> list[str]:
    """Name the commits right after those in ``gone`` that touch the file, with their subjects, the latest first."""
    children: dict[str, list[str]] = {}
    order: list[str] = []
    for row in git.lines("rev-list", "--topo-order", "--parents", f"{fix}..{built}", "--"):
        commit, *parents = row.split()
        order.append(commit)
        for parent in parents:
            children.setdefault(parent, []).append(commit)
    found: set[str] = set()
    for path, commits in gone.items():
        touching = set(
            git.lines("log", "--full-history", "--format=%H", f"{fix}..{built}", "--", path) if commits else ()
        )
        for commit in commits:
            after = children.get(commit, [])
            found.update([each for each in after if each in touching] or after[:1])
    told = [commit for commit in order if commit in found]
    return git.lines("show", "--no-patch", "--format=%h %s", *told) if told else []
