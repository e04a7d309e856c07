"""Values of the edit room: what taking a change out of a branch, or putting it on, came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """Whether a change is taken out or put on."""

    REMOVE = "remove"
    REBASE = "rebase"


class Outcome(StrEnum):
    """``clean``: as recorded; ``moved``: verified, but no plain reverse; ``partial``: some places had gone before, the
    rest is done and verified; ``empty``: nothing is left to do; ``conflict``: no verified way."""

    CLEAN = "clean"
    MOVED = "moved"
    PARTIAL = "partial"
    EMPTY = "empty"
    CONFLICT = "conflict"

    @property
    def answered(self) -> bool:
        """Whether there is a tree to offer."""
        return self in (Outcome.CLEAN, Outcome.MOVED, Outcome.PARTIAL)


class Method(StrEnum):
    """Which step answered; of a conflict, the last that was tried."""

    DECLARED = "declared"
    THREE_WAY = "three-way"
    GUIDED = "guided"


class RepairKind(StrEnum):
    """What was done beside the plain reverse."""

    KEPT_IMPORT = "kept-import"
    DROPPED_IMPORT = "dropped-import"
    RESTORED_IMPORT = "restored-import"


class ProblemKind(StrEnum):
    """Why a result was refused."""

    SYNTAX = "syntax"
    UNDEFINED_NAME = "undefined-name"
    USED_ELSEWHERE = "used-elsewhere"
    DANGLING = "dangling"
    FOREIGN_LINE = "foreign-line"
    OWN_LINE_LEFT = "own-line-left"
    MOVED_AWAY = "moved-away"
    TWICE = "twice"
    REWRITTEN = "rewritten"
    MARKER = "marker"
    MATCH = "match"
    UNREADABLE = "unreadable"
    ODD_FILE = "odd-file"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """One file of the result. ``added`` and ``removed`` count lines, None for a binary file.

    ``judged`` says what was verified: ``python`` (names and syntax), ``data`` (still parses) or ``lines`` only.
    """

    path: str
    added: int | None
    removed: int | None
    judged: str = "lines"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """Something done so that the result holds; ``line`` counts from 1 in the result (or, of a dropped line, before)."""

    kind: RepairKind
    path: str
    line: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A rule the result would have broken; ``line`` counts from 1, 0 where the whole file is meant."""

    kind: ProblemKind
    path: str
    line: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """A later commit that touched the lines in question; ``number`` is its pull request where the title ends in one."""

    commit: str
    title: str
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One place a person must settle: what the change knew (``base``), what is there (``ours``), what it wants."""

    path: str
    line: int
    reason: str
    base: str
    ours: str
    theirs: str
    culprits: tuple[Culprit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one hunk, or one step of the ladder, met; in the order they were tried."""

    method: Method
    path: str
    line: int
    met: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditResult:
    """The whole answer. ``tree`` is a scratch object, ``base``'s own tree unless ``outcome.answered``.

    ``commit`` is the introducing commit (the newest of a range), ``base`` the commit of the branch.
    """

    direction: Direction
    outcome: Outcome
    method: Method
    commit: str
    base: str
    tree: str
    files: tuple[FileEdit, ...] = ()
    repairs: tuple[Repair, ...] = ()
    problems: tuple[Problem, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    steps: tuple[Step, ...] = ()
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
