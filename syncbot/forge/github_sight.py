"""What a token is and may do, and settings of a repository, asked of GitHub for ``syncbot doctor``. Only reads."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from syncbot.forge.errors import ForgeError, RefusedError
from syncbot.forge.github import GitHubConnection, checked_slug
from syncbot.forge.github_reader import GitHubReader
from syncbot.forge.github_wire import server_time
from syncbot.model.doctor import TokenFacts, TokenKind


class GitHubSight:
    """Looks at what a `Reader` has no need of. ``now`` tells this machine's time."""

    def __init__(self, connection: GitHubConnection, now: Callable[[], dt.datetime]) -> None:
        self._at = connection
        self._now = now
        self.reader = GitHubReader(connection)

    def token(self, kind: TokenKind) -> TokenFacts:
        """The token itself: one request, or two for one of an app.

        Raises `BadTokenError` for one that is not accepted.
        """
        login: str | None = None
        repositories: int | None = None
        try:
            headers, user = self._get("/user", "who the token belongs to")
            login = str(user["login"])
        except RefusedError:
            headers, found = self._get("/installation/repositories?per_page=1", "the installation of the token")
            repositories = int(found["total_count"])
        served = server_time({"Date": headers.get("date", "")})
        scopes = headers.get("x-oauth-scopes")
        return TokenFacts(
            kind=kind, login=login, repositories=repositories,
            scopes=None if scopes is None else tuple(filter(None, (each.strip() for each in scopes.split(",")))),
            expires=_moment(headers.get("github-authentication-token-expiration")),
            skew=(self._now() - served).total_seconds() if served is not None else None,
            quota=self.reader.quota(),
        )  # fmt: skip

    def workflows_may_propose(self, repo: str) -> bool | None:
        """Whether workflows of ``repo`` may open pull requests; None where the token may not see the setting."""
        try:
            _, found = self._get(f"/repos/{checked_slug(repo)}/actions/permissions/workflow", f"the Actions of {repo}")
        except ForgeError:
            return None
        return bool(found["can_approve_pull_request_reviews"])

    def behind(self, repo: str, branch: str, fork: str) -> int | None:
        """How many commits the fork's branch is behind; None where that cannot be told."""
        owner = checked_slug(fork).partition("/")[0]
        there = quote(branch, safe="")
        try:
            _, found = self._get(
                f"/repos/{checked_slug(repo)}/compare/{owner}:{there}...{there}?per_page=1", f"{fork} beside {repo}"
            )
        except ForgeError:
            return None
        return int(found["ahead_by"])

    def _get(self, path: str, what: str) -> tuple[dict[str, str], Any]:
        with self._at.look(what):
            headers, data = self._at.client.requester.requestJsonAndCheck("GET", path)
            return {name.lower(): str(value) for name, value in headers.items()}, data


def _moment(text: str | None) -> dt.datetime | None:
    """``2026-12-24 10:00:00 UTC`` or ``… +0100``, as GitHub writes when a token ends."""
    for form in ("%Y-%m-%d %H:%M:%S %Z", "%Y-%m-%d %H:%M:%S %z"):
        try:
            found = dt.datetime.strptime(text or "", form)  # noqa: DTZ007 - the zone is set below
        except ValueError:
            continue
        return found if found.tzinfo is not None else found.replace(tzinfo=dt.UTC)
    return None
