"""GitHub, and GitHub Enterprise, through PyGithub: `connect`, then a `GitHubReader` and a `GitHubWriter` on it.

The modules ``github*.py`` of this room are the only ones that import PyGithub. What is promised beyond the ports:

- a write is one request, sent once, never repeated and never redirected;
- large listings are asked for with their ETag and cost no quota while unchanged; what decides a write never is;
- a client is used by one thread at a time: calls from several take turns.
"""

from __future__ import annotations

import logging
import re
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from github import Auth as GhAuth
from github import GithubIntegration

from syncbot.forge import github_values as values
from syncbot.forge.github_errors import reading, writing
from syncbot.forge.github_wire import Wire, client_options, make_client, make_retry
from syncbot.model.errors import UsageError
from syncbot.model.forge import Account, AppAuth, Auth, Permission, Repository, Secret, TokenAuth

if TYPE_CHECKING:
    from github import Github
    from github.Repository import Repository as GhRepository

GITHUB_API = "https://api.github.com"

_log = logging.getLogger(__name__)
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+")


def connect(
    auth: Auth,
    *,
    api: str = GITHUB_API,
    repo: str | None = None,
    cache_folder: Path | None = None,
    timeout: float = 20,
    longest_wait: float = 60,
    between_writes: float = 1.0,
    pause: Callable[[float], None] = time.sleep,
) -> GitHubConnection:
    """Make a connection; sends nothing yet, except for an app whose installation has to be looked up by ``repo``.

    ``api`` is the root of the REST API (``https://HOST/api/v3`` on Enterprise). ``cache_folder`` holds one file of
    answers a token and host. ``timeout`` is seconds for one answer; ``longest_wait`` seconds to wait for a rate limit
    at a time, beyond which `RateLimitedError` is raised; ``between_writes`` seconds between two writes, as GitHub asks.
    """
    parts = urllib.parse.urlsplit(api)
    safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    if not safe or not parts.hostname or parts.username or parts.password or parts.query:
        raise UsageError(f"the address of a GitHub API is https://HOST/api/v3 or {GITHUB_API}, without credentials")
    secret = auth.token if isinstance(auth, TokenAuth) else auth.private_key
    if not secret:
        raise UsageError("the token is empty")
    cache = cache_folder / f"github-{parts.hostname}-{secret.fingerprint()}.sqlite" if cache_folder else None
    retry = make_retry(cache=cache, timeout=timeout, longest_wait=longest_wait, pause=pause)
    options = client_options(api, retry, between_writes=between_writes)
    if isinstance(auth, TokenAuth):
        return GitHubConnection(make_client(GhAuth.Token(secret.reveal()), options), retry.wire)
    return _connect_app(auth, repo, options, retry.wire)


def _connect_app(auth: AppAuth, repo: str | None, options: dict[str, Any], wire: Wire) -> GitHubConnection:
    try:
        app = GhAuth.AppAuth(auth.app_id, auth.private_key.reveal())
        app.token  # noqa: B018 - signs once, so that a broken key shows now
    except Exception as error:  # noqa: BLE001 - jwt and cryptography raise many kinds, and some hold the key
        raise UsageError(f"the app's private key cannot be used ({type(error).__name__})") from None
    integration = GithubIntegration(auth=app, **options)
    with reading("the GitHub App", wire.secrets):
        if auth.installation is not None:
            installation = integration.get_app_installation(auth.installation)
        elif repo is None:
            raise UsageError("name the installation of the GitHub App, or a repository it is installed in")
        else:
            installation = integration.get_repo_installation(*checked_slug(repo).split("/"))
        identity = Account(login=f"{installation.app_slug}[bot]", is_bot=True)
        granted = Permission.WRITE if installation.permissions.get("contents") == "write" else Permission.READ
        client = make_client(GhAuth.AppInstallationAuth(app, installation.id), options)
    return GitHubConnection(client, wire, identity=identity, granted=granted)


def checked_slug(repo: str) -> str:
    """Return ``repo`` if it is an ``owner/name`` that GitHub could have; raises `UsageError` otherwise."""
    if not _SLUG.fullmatch(repo) or repo.endswith(("/.", "/..")):
        raise UsageError(f"{repo!r} is not a repository: expected owner/name")
    return repo


class GitHubConnection:
    """One client with what it has learnt in this run: who it is, and which repositories are called what today."""

    def __init__(
        self,
        client: Github,
        wire: Wire,
        *,
        identity: Account | None = None,
        granted: Permission = Permission.UNKNOWN,
    ) -> None:
        self.client = client
        self.wire = wire
        self.identity = identity
        self._granted = granted
        self._turn = threading.RLock()
        self._repositories: dict[str, tuple[GhRepository, Repository]] = {}

    def git_token(self) -> Secret:
        """Return the token that git pushes with: the given one, or the app's for its installation (valid an hour)."""
        with self.look("a token for git"):
            auth = self.client.requester.auth
            assert auth is not None
            return Secret(auth.token)

    @contextmanager
    def look(self, what: str) -> Iterator[None]:
        """Take a turn for a read."""
        with self._turn, reading(what, self.wire.secrets):
            yield

    @contextmanager
    def write(self, what: str) -> Iterator[None]:
        """Take a turn for the one request of a write."""
        with self._turn:
            with reading(what, self.wire.secrets):
                auth = self.client.requester.auth
                assert auth is not None
                auth.token  # noqa: B018 - an app's token is renewed here, so that failing at it is no unclear write
            _log.info("writing: %s", what)
            with writing(what, self.wire.secrets):
                yield

    def repository(self, repo: str) -> tuple[GhRepository, Repository]:
        """Find a repository once, under the name it has today."""
        key = checked_slug(repo).lower()
        with self.look(repo):
            if key not in self._repositories:
                found = self.client.get_repo(repo).complete()
                value = values.repository(found, repo)
                if value.permission is Permission.UNKNOWN:
                    value = replace(value, permission=self._granted)
                if value.renamed_from is not None:
                    _log.warning("%s is called %s now; mend the configuration", repo, value.slug)
                # Under its own address, not the /repositories/ID it was redirected to.
                self._repositories[key] = (self.client.get_repo(value.slug), value)
            return self._repositories[key]

    def close(self) -> None:
        """Close the connection and its cache."""
        self.client.close()
        self.wire.session.close()
