"""What a forge is reached with: the variables that the configuration names, read here and nowhere else.

An app's key comes first, then a token. Neither is ever printed: both are `Secret` from here on.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from syncbot.model.errors import UsageError
from syncbot.model.forge import AppAuth, Auth, Secret, TokenAuth

if TYPE_CHECKING:
    from syncbot.forge.github import GitHubConnection
    from syncbot.model.project import Forge, Repo


def auth_of(forge: Forge) -> Auth | None:
    """Return what the environment holds for a forge, None where it holds nothing.

    Raises `UsageError` for an app of which only a part is set, or whose installation is no number.
    """
    app = forge.app
    if app is not None and (given := {name: _read(name) for name in (app.id, app.key) if _read(name)}):
        if missing := [name for name in (app.id, app.key) if name not in given]:
            raise UsageError(f"forge {forge.name!r}: {missing[0]} is not set, which its GitHub App needs")
        number = _read(app.installation) if app.installation else ""
        if number and not (number.isascii() and number.isdigit()):
            raise UsageError(f"forge {forge.name!r}: {app.installation} holds no number of an installation")
        # Some places take no line breaks in a variable: there they are written out.
        key = given[app.key].replace("\\n", "\n")
        return AppAuth(app_id=given[app.id], private_key=Secret(key), installation=int(number) if number else None)
    token = _read(forge.token_variable) if forge.token_variable else ""
    return TokenAuth(token=Secret(token)) if token else None


def named_in(forge: Forge) -> str:
    """Return the name of the variable a person is told about when the forge refuses."""
    if forge.app is not None and _read(forge.app.key):
        return forge.app.key
    return forge.token_variable or "any variable"


def _read(name: str) -> str:
    return os.environ.get(name, "").strip()


def connection_to(forge: Forge, auth: Auth, slug: str, *, timeout: float = 20) -> GitHubConnection:
    """Return a connection to a GitHub; the caller closes it."""
    from syncbot.cache import cache_folder
    from syncbot.forge.github import GITHUB_API, connect

    between = float(os.environ.get("SYNCBOT_BETWEEN_WRITES", "1"))
    return connect(
        auth, api=forge.api or GITHUB_API, repo=slug, cache_folder=cache_folder(os.environ), timeout=timeout,
        between_writes=between,
    )  # fmt: skip


def git_token(repo: Repo) -> Secret | None:
    """Return what git reads ``repo`` with; None where there is nothing, or where the app is not installed."""
    auth = auth_of(repo.forge)
    if isinstance(auth, AppAuth):
        return _app_token(repo.forge, repo.slug) if repo.slug is not None and repo.forge.kind == "github" else None
    return auth.token if auth is not None else None


@functools.lru_cache(maxsize=64)
def _app_token(forge: Forge, slug: str) -> Secret | None:
    from syncbot.forge.errors import NotFoundError

    auth = auth_of(forge)
    assert auth is not None
    try:
        connection = connection_to(forge, auth, slug)
    except NotFoundError:
        return None  # a public repository needs none, and of a private one git says so
    try:
        return connection.git_token()
    finally:
        connection.close()
