"""Which files of a downstream may say what it is built with: builds, dependencies, locks, CI; and their contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.git.blobs import read_blobs
from syncbot.git.run import Git

_LARGEST = 4 << 20
_NAMES = re.compile(
    r"(?:^|/)(?:[^/]*(?:Dockerfile|Containerfile)[^/]*|[^/]*requirements?[^/]*\.(?:txt|in)|constraints?[^/]*\.txt"
    r"|requirements/[^/]+\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)|Pipfile(?:\.lock)?|Cargo\.(?:toml|lock)"
    r"|package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|go\.mod|CMakeLists\.txt|Makefile|WORKSPACE(?:\.bazel)?"
    r"|MODULE\.bazel|meson\.build|\.env[^/]*|Earthfile|Justfile|Jenkinsfile[^/]*|\.gitmodules|versions?\.(?:txt|json))$"
    r"|\.(?:cmake|bzl|bazel|lock|ya?ml|sh|bash|ps1|bat|mk|nix|def|hcl|gradle|toml|wrap)$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The paths of one commit, the contents of what was read, and the gitlinks (path to commit id)."""

    paths: tuple[str, ...]
    contents: dict[str, str]
    links: dict[str, str]
    unread: tuple[str, ...] = ()


def read_tree(git: Git, commit: str) -> Tree:
    """Read the build files of ``commit``. Those that are larger than 4 MiB, or not in this clone, stay ``unread``."""
    blobs: dict[str, str] = {}
    links: dict[str, str] = {}
    paths: list[str] = []
    for record in git.records("ls-tree", "-z", "-r", "--full-tree", commit):
        head, _, raw = record.partition(b"\t")
        mode, _, oid = head.decode("ascii").split(" ")
        path = raw.decode("utf-8", "surrogateescape")
        paths.append(path)
        if mode == "160000":
            links[path] = oid
        elif mode != "120000" and _NAMES.search(path):
            blobs[path] = oid
    found = read_blobs(git, blobs.values())
    contents: dict[str, str] = {}
    for name, blob in blobs.items():
        content = found[blob]
        if content is not None and len(content) <= _LARGEST and b"\0" not in content[:8000]:
            contents[name] = content.decode("utf-8", "replace")
    return Tree(
        paths=tuple(paths), contents=contents, links=links, unread=tuple(path for path in blobs if path not in contents)
    )


def former_paths(git: Git, commit: str, path: str) -> tuple[str, ...]:
    """Where the file was before, newest first, as far as it was moved unchanged: more would need every content."""
    log = git.with_env(GIT_LITERAL_PATHSPECS="1").records(
        "log", "--follow", "-M100%", "--diff-filter=R", "--format=", "--name-status", "-z", commit, "--", path
    )
    words = [each.decode("utf-8", "surrogateescape").strip("\n") for each in log]
    return tuple(dict.fromkeys(words[at + 1] for at in range(0, len(words) - 2, 3) if words[at + 1] != path))


def read_texts(git: Git, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """The contents of some files of ``commit``, without those this clone lacks."""
    found = read_blobs(git, (f"{commit}:{path}" for path in paths))
    texts: dict[str, bytes | None] = {path: found[f"{commit}:{path}"] for path in paths}
    return {path: text.decode("utf-8", "replace") for path, text in texts.items() if text is not None}
