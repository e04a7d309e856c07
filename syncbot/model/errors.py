"""Errors a user can mend, each with its exit code (1, 2 or 3). Everything else is a bug and exits with 70."""

from __future__ import annotations


class SyncbotError(Exception):
    """Base of every error that is told in one line, without a traceback; ``exit_code`` is what the process returns."""

    exit_code = 1


class CouldNotError(SyncbotError):
    """The command understood what was asked and could not do it (a conflict, an action that failed)."""

    exit_code = 1


class UsageError(SyncbotError):
    """A wrong option, configuration, manifest or ref. ``problems`` holds one line a problem, all found in one go."""

    exit_code = 2

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class TryLaterError(SyncbotError):
    """The git host or the forge is unreachable or out of quota; the same call may work later."""

    exit_code = 3


class UnknownObjectError(SyncbotError):
    """A ref or an object that this clone lacks or cannot read. Callers make it ``unknown``, never "no"."""
