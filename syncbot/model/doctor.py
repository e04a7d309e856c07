"""Values of ``syncbot doctor``: what was seen of a set-up, and what is said about it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from syncbot.model.forge import Quota


class Level(StrEnum):
    """How bad a remark is. A hint needs nobody: it says what goes another way, or what could not be seen."""

    OK = "ok"
    HINT = "hint"
    PROBLEM = "problem"
    CONFIG = "config"
    UNREACHABLE = "unreachable"


# What a person mends first comes first: a wrong configuration, then what is wrong, then what may pass by itself.
_EXIT = {Level.CONFIG: 2, Level.PROBLEM: 1, Level.UNREACHABLE: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing that was looked at: its ``topic``, what was seen, and what to do about it, if anything."""

    topic: str
    level: Level
    text: str
    todo: str | None = None


def ok(topic: str, text: str) -> Remark:
    """Return a remark that all is well."""
    return Remark(topic=topic, level=Level.OK, text=text)


def hint(topic: str, text: str, todo: str | None = None) -> Remark:
    """Return a remark that is good to know."""
    return Remark(topic=topic, level=Level.HINT, text=text, todo=todo)


def problem(topic: str, text: str, todo: str | None = None) -> Remark:
    """Return a remark on what is wrong."""
    return Remark(topic=topic, level=Level.PROBLEM, text=text, todo=todo)


def exit_code(remarks: Iterable[Remark]) -> int:
    """Return 0 if all is well or worth a hint at most, else 2, 1 or 3 as in every command."""
    levels = {remark.level for remark in remarks}
    return next((code for level, code in _EXIT.items() if level in levels), 0)


class TokenKind(StrEnum):
    """What sort of token it is, told by how it begins."""

    CLASSIC = "classic personal token"
    FINE_GRAINED = "fine-grained personal token"
    INSTALLATION = "token of a GitHub App or a workflow"
    OTHER = "token"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFacts:
    """A token as its host answered to it. ``login`` None: it speaks for an app; then ``repositories`` is how many the
    installation has. ``scopes`` are those of a classic token, None where the host names none. ``skew`` is how far this
    machine's clock is ahead of the host's, in seconds; None where the host gave no time.
    """

    kind: TokenKind
    login: str | None
    scopes: tuple[str, ...] | None
    expires: dt.datetime | None
    skew: float | None
    quota: Quota
    repositories: int | None = None


def kind_of(token: str) -> TokenKind:
    """Return what sort of token this is; looks at its first letters alone."""
    known = {"ghp_": TokenKind.CLASSIC, "github_pat_": TokenKind.FINE_GRAINED, "ghs_": TokenKind.INSTALLATION}
    return next((kind for start, kind in known.items() if token.startswith(start)), TokenKind.OTHER)
