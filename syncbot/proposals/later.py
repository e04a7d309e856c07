"""What became of a fix between its landing and the upstream a pin builds: how much still stands, what came after.

It depends on two commits alone, so the answer is cached for good.
"""

from __future__ import annotations

import re

from syncbot.git.run import Git, GitError
from syncbot.model.errors import SyncbotError
from syncbot.proposals.prepare import Keeps
from syncbot.render.text import plain

_CACHE = "later/1"
_MOST_FILES = 12
_SHOWN = 4
_BLAMED = re.compile(rb"^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$", re.MULTILINE)


def later(git: Git, fix: str, built: str, cache: Keeps | None) -> tuple[str, ...]:
    """Return a few lines about the fix ``fix`` in the commit ``built``; none where history cannot tell."""
    name = f"{fix}..{built}"
    if cache is not None and (kept := cache.get_json(_CACHE, [name]).get(name)) is not None:
        return tuple(str(each) for each in kept)
    try:
        found = _lines(git, fix, built)
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
    added = _added(git, fix, paths)
    standing = sum(_standing(git, fix, built, path) for path in paths)
    commits = git.with_env(GIT_LITERAL_PATHSPECS="1").lines(
        "log", "--no-merges", "--format=%h %s", f"{fix}..{built}", "--", *paths
    )
    told = [f"{standing} of the {added} lines it added stand there as it wrote them"] if added else []
    if commits:
        told.append(f"{len(commits)} later commit{'s' if len(commits) > 1 else ''} touch its files, the latest first:")
        told += [plain(each, 120) for each in commits[:_SHOWN]]
    return tuple(told)


def _added(git: Git, fix: str, paths: list[str]) -> int:
    rows = git.lines("diff-tree", "-r", "--no-commit-id", "--numstat", "--no-renames", fix, "--", *paths)
    return sum(int(row.split("\t")[0]) for row in rows if row.split("\t")[0].isdigit())


def _standing(git: Git, fix: str, built: str, path: str) -> int:
    """How many lines of a file blame still gives to the fix; 0 where the file has gone."""
    try:
        text = git.run("blame", "--incremental", f"{fix}^..{built}", "--", path)
    except GitError:
        return 0
    return sum(int(match[3]) for match in _BLAMED.finditer(text) if match[1].decode() == fix)
