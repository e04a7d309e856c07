"""A repository of any size, made by one `git fast-import`: numbered changes on main, releases with some picks."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

RELEASES = 20
PICKS = 5
_START = 1_700_000_000


def build(folder: Path, commits: int) -> None:
    """Make a bare repository with ``commits`` changes on main. The number of releases and picks is always the same."""
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(folder)], check=True)
    stream = "".join(_stream(commits)).encode()
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=stream, check=True)


def _stream(commits: int) -> Iterator[str]:
    choose = random.Random(commits)
    files = max(20, commits // 10)
    versions: dict[str, int] = {}
    release_at = {commits * (number + 1) // (RELEASES + 1): number for number in range(RELEASES)}
    cut: list[tuple[int, int]] = []
    changes: dict[int, dict[str, str]] = {}
    for number in range(1, commits + 1):
        change: dict[str, str] = {}
        for _ in range(choose.randint(1, 3)):
            path = f"lib/part{choose.randrange(files) // 40}/file{choose.randrange(files)}.py"
            versions[path] = versions.get(path, 0) + 1
            change[path] = "".join(f"value_{line} = {number if line < 4 else line}\n" for line in range(12))
        changes[number] = change
        yield _commit("main", number, number, change, parent=number - 1)
        if number in release_at:
            cut.append((release_at[number], number))
    mark = commits
    for release, base in cut:
        parent = base
        for pick in range(PICKS):
            original = min(commits, base + 3 + 5 * pick)
            mark += 1
            yield _commit(f"release/1.{release}", mark, original, changes[original], parent=parent)
            parent = mark
        yield f"reset refs/tags/v1.{release}.0\nfrom :{parent}\n\n"


def _commit(branch: str, mark: int, number: int, change: dict[str, str], *, parent: int) -> str:
    message = f"Change number {number} (#{number})\n"
    lines = [
        f"commit refs/heads/{branch}\nmark :{mark}\n",
        f"author Ada Vale <ada@example.com> {_START + 60 * number} +0000\n",
        f"committer Ada Vale <ada@example.com> {_START + 60 * mark} +0000\n",
        f"data {len(message)}\n{message}",
        f"from :{parent}\n" if parent else "",
    ]
    for path, text in sorted(change.items()):
        lines.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")
    return "".join(lines) + "\n"
