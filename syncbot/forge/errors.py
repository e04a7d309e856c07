"""What can go wrong between syncbot and a code host, by meaning.

Every message is one line that names the repository and what was asked, with the forge's own words cleaned: no secret,
no control character, at most some hundred characters.
"""

from __future__ import annotations

import datetime

from syncbot.model.errors import SyncbotError, TryLaterError


class ForgeError(SyncbotError):
    """The forge answered, and the answer was no."""


class NotFoundError(ForgeError):
    """It is not there, or the token may not see that it is: a forge does not say which."""


class BadTokenError(ForgeError):
    """The token is wrong, expired or revoked."""

    exit_code = 2


class RefusedError(ForgeError):
    """The token may not do this; the message names the permission that is missing where the forge told."""


class ActionsMayNotProposeError(RefusedError):
    """A repository setting forbids workflows to open pull requests; the message says where it is."""


class AlreadyExistsError(ForgeError):
    """An open pull request from that branch to that base is there already."""


class InvalidError(ForgeError):
    """The forge understood the write and found something in it wrong (a branch that is gone, nothing to merge)."""


class DraftsUnsupportedError(InvalidError):
    """This repository has no drafts (some plans of private repositories)."""


class TooLongError(ForgeError):
    """A text is over the forge's limit; nothing was sent."""

    def __init__(self, what: str, length: int, limit: int) -> None:
        super().__init__(f"{what}: {length:,} characters, the limit is {limit:,}")
        self.length = length
        self.limit = limit


class UnreachableError(TryLaterError):
    """No answer, or none that can be read. Nothing was written."""


class RateLimitedError(TryLaterError):
    """Out of quota for longer than the configured wait. Nothing was written. ``retry_at`` is None if unknown."""

    def __init__(self, message: str, retry_at: datetime.datetime | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class UnclearWriteError(TryLaterError):
    """A write was sent and its answer lost: it may have taken effect. Never send it again; look first."""


class HeldBackError(SyncbotError):
    """A write was not sent because of syncbot's own limits (`syncbot.forge.limits`); it is left for a later run."""

    exit_code = 0
