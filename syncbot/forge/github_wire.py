"""How requests reach GitHub: retries, waiting, the conditional cache and redirects, underneath PyGithub.

PyGithub makes one connection object a host. `make_client` gives it ours, which all send through the one session of
their client: it repeats reads and never writes, waits for a rate limit up to a bound, asks with the ETag it saw last,
and follows a redirect for reads only.
"""

from __future__ import annotations

import datetime
import email.utils
import logging
import re
import sqlite3
import time
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
from github import Github
from github.Auth import Auth
from github.GithubException import GithubException, RateLimitExceededExceedsMaxWait
from github.GithubRetry import GithubRetry
from github.Requester import HTTPRequestsConnectionClass, Requester, RequestsResponse
from requests_cache import CachedSession
from urllib3.exceptions import MaxRetryError

from syncbot.model.forge import Secret

_log = logging.getLogger(__name__)

_READS = frozenset({"GET", "HEAD"})
_REDIRECTS = frozenset({301, 302, 307, 308})
_EMPTY = (b"", b"{}", b"null")
_TRIES = 3
_CACHE_LIMIT = 50 << 20
# What is large and decides no write by itself. Everything else is asked afresh: an old answer about a pull request of a
# branch, an issue or a comment would make a second one, or overwrite what a person wrote. (Nor does GitHub change the
# ETag of a pull request when it has worked out ``mergeable``.)
_CACHED = re.compile(r"/(?:repos/[^/]+/[^/]+|repositories/\d+)(?:/pulls|/pulls/\d+/(?:files|commits))?$")


@dataclass
class Wire:
    """One client's session, what was sent through it, and what the answers said of the quota.

    ``quota`` is remaining, limit and reset time (Unix seconds); that for searches is another one and not kept.
    ``secrets`` is everything that was sent as a credential, so that no message repeats it.
    """

    session: requests.Session
    timeout: float
    sent: int = 0
    quota: tuple[int, int, int] | None = None
    secrets: list[Secret] = field(default_factory=list)

    def sending(self, headers: Mapping[str, str]) -> None:
        """Remember the credential of a request: an app's changes every hour."""
        credential = headers.get("Authorization", "").partition(" ")[2]
        if credential and all(credential != known.reveal() for known in self.secrets):
            self.secrets.append(Secret(credential))

    def note(self, response: requests.Response) -> None:
        """Count an answer and remember its quota."""
        self.sent += 1
        unchanged = " (not modified)" if getattr(response, "revalidated", False) else ""
        _log.debug("%s %s: %d%s", response.request.method, response.url, response.status_code, unchanged)
        if response.headers.get("X-RateLimit-Resource", "core") != "core":
            return
        numbers = [response.headers.get(f"X-RateLimit-{name}", "") for name in ("Remaining", "Limit", "Reset")]
        if all(number.isdigit() for number in numbers):
            self.quota = (int(numbers[0]), int(numbers[1]), int(numbers[2]))


def server_time(headers: Mapping[str, str]) -> datetime.datetime | None:
    """Return what time it is at the server; ours may be wrong, and is no business of this room."""
    try:
        return email.utils.parsedate_to_datetime(headers.get("Date", ""))
    except ValueError:
        return None


def until_reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until a used-up quota starts anew, by the server's clock; None where it is not used up."""
    reset, now = headers.get("X-RateLimit-Reset", ""), server_time(headers)
    if headers.get("X-RateLimit-Remaining") != "0" or not reset.isdigit() or now is None:
        return None
    return max(0.0, int(reset) - now.timestamp()) + 1  # it is not said when in that second


class WriteRedirectedError(Exception):
    """A write was answered with a redirect; it had no effect, and following it would be sending it again."""


class PatientRetry(GithubRetry):
    """Repeats reads on 5xx and broken connections; waits for a rate limit if that takes at most the configured time.

    PyGithub's own class obeys a ``Retry-After`` of any length and does not wait for a 429 without one; urllib3 alone
    would send a write again when TLS breaks off while its answer is read. ``pause`` is what sleeps.
    """

    def __init__(self, *, wire: Wire, pause: Callable[[float], None] = time.sleep, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.wire = wire
        self._pause = pause

    def new(self, **kwargs: Any) -> PatientRetry:
        """Return a copy with other counters, as urllib3 asks after each try."""
        return super().new(wire=self.wire, pause=self._pause, **kwargs)

    def increment(  # type: ignore[override]
        self, method: str | None = None, url: str | None = None, response: Any = None, error: Any = None, **rest: Any
    ) -> Any:
        """Return the policy for the next try, with its wait; raises when there should be none."""
        if error is not None and method not in _READS:
            raise MaxRetryError(rest.get("_pool"), url, error)  # type: ignore[arg-type]
        try:
            return self._next(method, url, response, error, **rest)
        except GithubException:
            response.drain_conn()  # raised from within urllib3, which then leaves the connection open
            raise

    def _next(self, method: str | None, url: str | None, response: Any, error: Any, **rest: Any) -> Any:
        wait = self._asked_wait(response)
        if wait is None:
            return super().increment(method, url, response, error, **rest)
        longest = self.max_rate_limit_wait
        if longest is not None and wait > longest:
            raise RateLimitExceededExceedsMaxWait(response.status, None, dict(response.headers.items()), wait=wait)
        retry = super(GithubRetry, self).increment(method, url, response, error, **rest)
        retry.get_backoff_time = lambda: wait  # type: ignore[method-assign]
        return retry

    def _asked_wait(self, response: Any) -> float | None:
        """Return the seconds a rate limit asks to wait, None where this is none; other 403s are PyGithub's to judge."""
        if response is None or response.status not in (403, 429):
            return None
        asked = response.headers.get("Retry-After", "").strip()
        if asked.isdigit():
            return float(asked)
        if (reset := until_reset(response.headers)) is not None:
            return reset
        return self.secondary_rate_wait if response.status == 429 else None

    def _sleep_backoff(self) -> None:
        if (wait := self.get_backoff_time()) > 0:
            _log.info("waiting %.0f s before asking GitHub again", wait)
            self._pause(wait)


class ForgivingSession(CachedSession):
    """A cached session that goes on without its cache when that is broken, and keeps writes away from it."""

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> Any:  # type: ignore[override]
        """Send once; a read that only the cache failed is sent again without it."""
        if request.method not in _READS or self.settings.disabled:
            return requests.Session.send(self, request, **kwargs)
        try:
            return super().send(request, **kwargs)
        except sqlite3.Error as error:
            _log.warning("the cache of GitHub answers is unusable (%s); going on without it", error)
            self.settings.disabled = True
            if "locked" not in str(error):
                _throw_away(Path(self.cache.cache_name))
            return requests.Session.send(self, request, **kwargs)


def _throw_away(path: Path) -> None:
    for leftover in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
        leftover.unlink(missing_ok=True)


def _worth_caching(response: Any) -> bool:
    url = urllib.parse.urlsplit(response.url)
    asked_by_head = "head" in urllib.parse.parse_qs(url.query)
    return bool(response.headers.get("ETag")) and not asked_by_head and bool(_CACHED.search(url.path))


def _open_session(cache: Path | None) -> requests.Session:
    """Return a session with a conditional cache in the file ``cache``; a broken or huge file is thrown away."""
    if cache is None:
        return requests.Session()
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        if cache.exists() and cache.stat().st_size > _CACHE_LIMIT:
            _throw_away(cache)
        cache.touch(mode=0o600)
        return _cached(cache)
    except sqlite3.DatabaseError as error:
        _log.warning("the cache of GitHub answers is unusable (%s); starting a new one", error)
    except OSError as error:
        _log.warning("no cache of GitHub answers (%s)", error)
        return requests.Session()
    _throw_away(cache)
    return _cached(cache)


def _cached(cache: Path) -> ForgivingSession:
    # An answer without an ETag expires at once and so is never kept; one with an ETag is asked about every time.
    session = ForgivingSession(
        cache_name=str(cache),
        backend="sqlite",
        serializer="json",
        always_revalidate=True,
        expire_after=0,
        fast_save=True,
        allowable_methods=("GET",),
        match_headers=["Accept"],
        filter_fn=_worth_caching,
    )
    session.cache.contains(url="http://nothing.invalid/")  # opens the file, so that a broken one shows now
    return session


class _Http(HTTPRequestsConnectionClass):
    """Plain HTTP, for loopback; with the client's session, and with redirects."""

    def __init__(self, host: str, port: int | None = None, retry: Any = None, **kwargs: Any) -> None:
        super().__init__(host, port, retry=retry, **kwargs)
        self.wire = retry.wire if isinstance(retry, PatientRetry) else None
        if self.wire is not None:
            self.session = self.wire.session

    def getresponse(self) -> RequestsResponse:
        """Send what `request` was given; a read follows one redirect within the host, a write none."""
        response = self._send(self.url)
        if self.wire is not None and response.status_code in _REDIRECTS:
            if self.verb not in _READS:
                raise WriteRedirectedError
            response = self._send(self._redirect(response.headers.get("Location", "")))
        return RequestsResponse(response)

    def _send(self, url: str) -> requests.Response:
        tries = _TRIES if self.wire is not None and self.verb in _READS else 1
        for left in reversed(range(tries)):
            try:
                return self._send_once(url)
            except requests.exceptions.ChunkedEncodingError:
                # The body broke off. urllib3 repeats what breaks before the body, but not this.
                if not left:
                    raise
        raise AssertionError("unreachable")

    def _send_once(self, url: str) -> requests.Response:
        if self.wire is not None:
            self.wire.sending(self.headers)
        response = self.session.request(
            self.verb,
            f"{self.protocol}://{self.host}:{self.port}{url}",
            headers=self.headers,
            data=self.input,
            timeout=self.wire.timeout if self.wire is not None else self.timeout,
            verify=self.verify,
            allow_redirects=False,
        )
        if self.wire is not None:
            self.wire.note(response)
            self._insist_on_json(response)
        return response

    def _insist_on_json(self, response: requests.Response) -> None:
        """Refuse what PyGithub would read as "nothing there": a proxy's page, or an empty answer to a question."""
        if response.ok and response.content and "json" not in response.headers.get("Content-Type", ""):
            raise requests.exceptions.InvalidJSONError("an answer that is not JSON; is there a proxy between?")
        if response.status_code == 200 and self.verb == "GET" and response.content.strip() in _EMPTY:
            raise requests.exceptions.InvalidJSONError("an empty answer")

    def _redirect(self, location: str) -> str:
        """Return path and query of a redirect that stays on this host; PyGithub itself would lose the query."""
        base = f"{self.protocol}://{self.host}:{self.port}"
        there = urllib.parse.urlsplit(urllib.parse.urljoin(base + self.url, location))
        port = there.port or {"http": 80, "https": 443}.get(there.scheme)
        if not location or (there.scheme, there.hostname, port) != (self.protocol, self.host, self.port):
            raise requests.exceptions.TooManyRedirects("a redirect to another host, which is not followed")
        query = there.query or urllib.parse.urlsplit(self.url).query
        return there.path + (f"?{query}" if query else "")

    def close(self) -> None:
        """Close a session of its own; the client's stays open until the client is closed."""
        if self.wire is None:
            self.session.close()


class _Https(_Http):
    """HTTPS; PyGithub's two classes differ in nothing else."""

    def __init__(self, host: str, port: int | None = None, retry: Any = None, **kwargs: Any) -> None:
        super().__init__(host, port or 443, retry, **kwargs)
        self.protocol = "https"


def make_retry(
    *, cache: Path | None, timeout: float, longest_wait: float, pause: Callable[[float], None]
) -> PatientRetry:
    """Build the retry policy of one client, with the session it sends through."""
    session = _open_session(cache)
    session.auth = Requester.noopAuth  # else requests takes a password from ~/.netrc and replaces the token
    retry = PatientRetry(
        wire=Wire(session=session, timeout=timeout),
        pause=pause,
        total=_TRIES,
        allowed_methods=_READS,
        status_forcelist=[429, 500, 502, 503, 504],
        backoff_factor=0.5,
        raise_on_status=False,
        respect_retry_after_header=False,
        secondary_rate_wait=60.0,
        max_rate_limit_wait=longest_wait,
    )
    for scheme in ("http://", "https://"):
        session.mount(scheme, requests.adapters.HTTPAdapter(max_retries=retry))
    return retry


def client_options(api: str, retry: PatientRetry, *, between_writes: float) -> dict[str, Any]:
    """Return what `Github` and `GithubIntegration` are built with."""
    Requester.injectConnectionClasses(_Http, _Https)  # type: ignore[arg-type]
    _hush_library()
    return {
        "base_url": api.rstrip("/"),
        "retry": retry,
        "user_agent": "syncbot",
        "per_page": 100,
        "lazy": True,
        "seconds_between_requests": 0,
        "seconds_between_writes": between_writes,
    }


def _hush_library() -> None:
    """Make PyGithub's log a part of ours: as imported it prints to standard error whatever the program wants.

    Its requester stays silent below a warning: at DEBUG it logs whole answers, and that to an app's login is a token.
    This module logs every request instead.
    """
    library = logging.getLogger("github")
    library.handlers.clear()
    library.setLevel(logging.NOTSET)
    logging.getLogger("github.Requester").setLevel(logging.WARNING)


def make_client(auth: Auth, options: dict[str, Any]) -> Github:
    """Build the PyGithub client."""
    return Github(auth=auth, **options)
