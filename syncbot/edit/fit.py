"""How far a workaround is on a branch, told by its markers, or by the lines its introducing commit added.

This is the quick look that status reports take. Whether it can be taken out is the engine's question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from syncbot.git.blobs import exists, read_blobs
from syncbot.git.diff import blob_sizes, change_of
from syncbot.git.run import Git, GitError
from syncbot.model.project import Marker, Workaround
from syncbot.model.status import Sight
from syncbot.model.words import Fit, Scope

_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPED = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))
_MOST = 0.8
_NEXT_TO_NOTHING = 0.05


def look(git: Git, head: str, workaround: Workaround) -> Sight:
    """The fit of an in-tree workaround at ``head``; ``unknown`` where this clone lacks what would tell."""
    markers = workaround.removal.markers
    try:
        if markers:
            return _by_markers(git, head, markers)
        if workaround.introduced.commit is not None:
            return _by_lines(git, head, workaround, workaround.introduced.commit)
    except _LacksError as error:
        return Sight(fit=Fit.UNKNOWN, reason=str(error))
    except GitError:
        return Sight(fit=Fit.UNKNOWN, reason="this clone lacks the introducing commit, or what it changed")
    return Sight(fit=Fit.UNKNOWN, reason="the manifest names neither markers nor the introducing commit")


def _texts(git: Git, head: str, paths: Iterable[str]) -> dict[str, bytes | None]:
    """The files at ``head``, None where there is none. Raises `_LacksError` when only the content is missing."""
    wanted = list(dict.fromkeys(paths))
    found = read_blobs(git, (f"{head}:{path}" for path in wanted))
    texts = {path: found[f"{head}:{path}"] for path in wanted}
    for path, text in texts.items():
        if text is None and exists(git, head, path):
            raise _LacksError(f"this clone lacks the content of {path}")
    return texts


class _LacksError(Exception):
    """A file is there, and its content is not in this clone."""


def _by_markers(git: Git, head: str, markers: tuple[Marker, ...]) -> Sight:
    texts = _texts(git, head, (marker.path for marker in markers))
    found: list[str] = []
    lost: list[str] = []
    short = False
    for marker in markers:
        text = texts[marker.path]
        count = text.count(marker.text.encode()) if text is not None else 0
        wanted = marker.count or 1
        place = f"{marker.path}: {marker.text}"
        (found if count else lost).append(place if count in (0, wanted) else f"{place} ({count} of {wanted})")
        short = short or 0 < count < wanted
    fit = Fit.ABSENT if not found else Fit.PARTIAL if lost or short else Fit.PRESENT
    return Sight(fit=fit, found=tuple(found), lost=tuple(lost), reason="told by the manifest's markers")


def _by_lines(git: Git, head: str, workaround: Workaround, commit: str) -> Sight:
    removal = workaround.removal
    limits = removal.paths if removal.scope is Scope.PATHS else ()
    blob_sizes(git, change_of(git, [commit]).values())  # a mirror brings them, all in one go
    patch = git.with_env(GIT_LITERAL_PATHSPECS="1").run(
        "diff-tree", "-p", "-r", "--root", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv",
        "--unified=0", "--diff-merges=first-parent", "--no-commit-id", commit, "--", *limits,
    )  # fmt: skip
    added = _added_lines(patch)
    texts = _texts(git, head, added)
    found: list[str] = []
    lost: list[str] = []
    there = total = 0
    for path, lines in added.items():
        here = {line.strip() for line in (texts[path] or b"").splitlines()}
        kept = len(lines & here)
        there, total = there + kept, total + len(lines)
        (found if kept else lost).append(f"{path}: {kept} of {len(lines)} lines")
    share = there / total if total else 0.0
    fit = Fit.PRESENT if share >= _MOST else Fit.ABSENT if share < _NEXT_TO_NOTHING else Fit.PARTIAL
    reason = f"{there} of the {total} lines that the introducing commit added are there"
    return Sight(fit=fit, found=tuple(found), lost=tuple(lost), reason=reason)


def _added_lines(patch: bytes) -> dict[str, set[bytes]]:
    added: dict[str, set[bytes]] = {}
    current: set[bytes] = set()
    in_hunk = False
    for line in patch.split(b"\n"):
        if line.startswith(b"diff --git "):
            in_hunk = False
        elif line.startswith(b"+++ ") and not in_hunk:
            path = _unquoted(line[4:]).removeprefix(b"b/").decode("utf-8", "surrogateescape")
            current = added.setdefault(path, set()) if line != b"+++ /dev/null" else set()
        elif line.startswith(b"@@"):
            in_hunk = True
        elif in_hunk and line.startswith(b"+") and any(chr(byte).isalnum() for byte in line):
            current.add(line[1:].strip())
    return {path: lines for path, lines in added.items() if lines}


def _unquoted(name: bytes) -> bytes:
    """A path as it stands in a diff's header: git quotes those with a quote, a backslash or a control character."""
    if not name.startswith(b'"'):
        return name.removesuffix(b"\t")  # a tab ends a name with spaces
    inner = name.strip().removeprefix(b'"').removesuffix(b'"')
    return _ESCAPE.sub(_meant, inner)


def _meant(match: re.Match[bytes]) -> bytes:
    escaped = match[1]
    return bytes([int(escaped, 8) & 0xFF if len(escaped) == 3 else _ESCAPED[escaped[0]]])
