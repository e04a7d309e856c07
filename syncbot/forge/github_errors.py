"""From what PyGithub and requests raise to our errors, by meaning.

A read that got no usable answer is `UnreachableError`; a write that got none is `UnclearWriteError`, unless it is sure
that it was never sent. Only an answer in the 400s is a refusal.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import requests
from github.GithubException import BadAttributeException, GithubException, RateLimitExceededException
from requests.structures import CaseInsensitiveDict
from urllib3.exceptions import MaxRetryError, NewConnectionError

from syncbot.forge import errors
from syncbot.forge.github_wire import WriteRedirectedError, server_time, until_reset
from syncbot.forge.texts import clean
from syncbot.model.errors import SyncbotError
from syncbot.model.forge import Secret

# AssertionError, RuntimeError: PyGithub's own refusals of a URL or a redirect that leads to another host.
# ValueError: JSON that ends early. The last three: JSON of another shape than GitHub's, which is hostile data like any.
_ANY = (
    GithubException,
    BadAttributeException,
    requests.RequestException,
    WriteRedirectedError,
    ValueError,
    RuntimeError,
    AssertionError,
    AttributeError,
    KeyError,
    TypeError,
)
_log = logging.getLogger(__name__)
_BRANCH_TROUBLE = {"head": "the branch it is from is gone", "base": "the branch it goes to is gone"}


@contextmanager
def reading(what: str, secrets: Iterable[Secret]) -> Iterator[None]:
    """Turn what a read raises into our errors; ``what`` says in words what was asked."""
    try:
        yield
    except _ANY as error:
        # `from None`: the original holds the answer and its headers, and a traceback would print it.
        raise _read_error(what, error, tuple(secrets)) from None


@contextmanager
def writing(what: str, secrets: Iterable[Secret]) -> Iterator[None]:
    """Turn what a write raises into our errors. Around the one request that writes, and nothing else."""
    try:
        yield
    except _ANY as error:
        raise _write_error(what, error, tuple(secrets)) from None


def _read_error(what: str, error: Exception, secrets: tuple[Secret, ...]) -> SyncbotError:
    if isinstance(error, GithubException) and (refusal := _refusal(what, error, secrets)):
        return refusal
    return errors.UnreachableError(f"{what}: {_words(error, secrets)}")


def _write_error(what: str, error: Exception, secrets: tuple[Secret, ...]) -> SyncbotError:
    if isinstance(error, WriteRedirectedError):
        return errors.RefusedError(f"{what}: the repository was renamed or moved meanwhile; nothing was written")
    if isinstance(error, GithubException) and (refusal := _refusal(what, error, secrets)):
        return refusal
    if _never_sent(error):
        return errors.UnreachableError(f"{what}: {_words(error, secrets)}; nothing was written")
    return errors.UnclearWriteError(
        f"{what}: {_words(error, secrets)}. It may have taken effect; it is not sent again, the next run looks"
    )


def _never_sent(error: Exception) -> bool:
    if isinstance(error, requests.ConnectTimeout):
        return True
    cause = error.args[0] if error.args else None
    return isinstance(cause, MaxRetryError) and isinstance(cause.reason, NewConnectionError)


def _words(error: Exception, secrets: tuple[Secret, ...]) -> str:
    if isinstance(error, GithubException):
        return clean(f"GitHub answered {error.status} {_message(error)}".strip(), secrets)
    _log.debug("no usable answer", exc_info=error)
    return clean(f"no usable answer ({type(error).__name__}: {error})", secrets)


def _message(error: GithubException) -> str:
    data = error.data
    if not isinstance(data, dict):
        return str(error.message or "")
    listed: Any = data.get("errors")
    details = [
        str(item.get("message") or f"{item.get('field')}: {item.get('code')}") if isinstance(item, dict) else str(item)
        for item in (listed if isinstance(listed, list) else ())
    ]
    return "; ".join(text for text in (str(data.get("message") or ""), *details) if text)


def _headers(error: GithubException) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in (error.headers or {}).items()}


def _refusal(what: str, error: GithubException, secrets: tuple[Secret, ...]) -> SyncbotError | None:
    """Return our error for a clear no, None where the answer says nothing about what happened."""
    said = clean(_message(error), secrets)
    if isinstance(error, RateLimitExceededException) or error.status == 429:
        return _rate_limited(what, error)
    match error.status:
        case 401:
            return errors.BadTokenError(f"{what}: the token was not accepted ({said})")
        case 403:
            return _forbidden(what, said, _headers(error))
        case 404 | 410:
            return errors.NotFoundError(f"{what}: not found, or hidden from this token ({said})")
        case 422:
            return _invalid(what, error, said)
        case 400:
            return _graphql(what, error, said)
        case status if 400 <= status < 500:
            return errors.RefusedError(f"{what}: GitHub answered {status} {said}")
    return None


def _rate_limited(what: str, error: GithubException) -> errors.RateLimitedError:
    headers = CaseInsensitiveDict(_headers(error))
    asked = headers.get("Retry-After", "").strip()
    wait = getattr(error, "wait", None) or (float(asked) if asked.isdigit() else until_reset(headers))
    now = server_time(headers)
    if wait is None or now is None:
        return errors.RateLimitedError(f"{what}: GitHub's rate limit is reached, and it does not say until when")
    retry_at = now + datetime.timedelta(seconds=wait)
    return errors.RateLimitedError(
        f"{what}: GitHub's rate limit is reached; it asks to wait until {retry_at:%Y-%m-%d %H:%M:%S} UTC", retry_at
    )


def _forbidden(what: str, said: str, headers: dict[str, str]) -> errors.RefusedError:
    lower = said.lower()
    if "not permitted to create or approve pull requests" in lower:
        return errors.ActionsMayNotProposeError(
            f"{what}: workflows of this repository may not open pull requests. Turn on 'Allow GitHub Actions to create "
            "and approve pull requests' in the repository under Settings, Actions, General, Workflow permissions; "
            "where it is greyed out, in the organisation under the same headings. Or give syncbot a token of its own"
        )
    hint = ""
    if needed := headers.get("x-accepted-github-permissions"):
        hint = f"; the token needs {clean(needed)}"
    elif "not accessible by integration" in lower:
        hint = "; give the workflow or the app that permission (`permissions:` in the workflow file)"
    elif "x-github-sso" in headers or "saml" in lower:
        hint = "; authorise the token for the organisation's single sign-on"
    elif "archived" in lower:
        hint = "; the repository is archived"
    return errors.RefusedError(f"{what}: not allowed ({said}){hint}")


def _invalid(what: str, error: GithubException, said: str) -> errors.ForgeError:
    lower = said.lower()
    if "already exists" in lower:
        return errors.AlreadyExistsError(f"{what}: {said}")
    if "draft pull requests are not supported" in lower:
        return errors.DraftsUnsupportedError(f"{what}: {said}")
    data = error.data if isinstance(error.data, dict) else {}
    for item in data.get("errors") or ():
        if isinstance(item, dict) and item.get("code") == "invalid" and item.get("field") in _BRANCH_TROUBLE:
            return errors.InvalidError(f"{what}: {_BRANCH_TROUBLE[item['field']]} ({said})")
    return errors.InvalidError(f"{what}: {said}")


def _graphql(what: str, error: GithubException, said: str) -> SyncbotError | None:
    """GraphQL tells its refusals inside a 200, which PyGithub raises as a 400."""
    data = error.data if isinstance(error.data, dict) else {}
    kinds = {item.get("type") for item in data.get("errors") or () if isinstance(item, dict)}
    if "RATE_LIMITED" in kinds:
        return errors.RateLimitedError(f"{what}: GitHub's rate limit is reached, and it does not say until when")
    if kinds & {"FORBIDDEN", "INSUFFICIENT_SCOPES"}:
        return errors.RefusedError(f"{what}: not allowed ({said})")
    if "NOT_FOUND" in kinds:
        return errors.NotFoundError(f"{what}: not found, or hidden from this token ({said})")
    if kinds & {"UNPROCESSABLE", "BAD_USER_INPUT"} or not kinds:
        return errors.InvalidError(f"{what}: {said}")
    return None
