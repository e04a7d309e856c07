"""Remarks on tokens and repositories: what may be written where, and what that means for proposals."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.model.doctor import Level, Remark, TokenFacts, TokenKind, hint, ok, problem
from syncbot.model.forge import Permission, Repository
from syncbot.model.words import Mode

_SOON = dt.timedelta(days=7)
_A_PASS = 5  # requests for a downstream in which nothing changed
_NEEDS = "Contents, Pull requests and Issues: read and write"
_SETTING = "Settings, Actions, General, Workflow permissions: allow GitHub Actions to create and approve pull requests."


def without_token(forge: str, variable: str | None, downstreams: tuple[str, ...]) -> Remark:
    """No token for a code host: no fault, but proposals go another way."""
    named = f"{variable} is not set" if variable else "no variable is named for a token"
    key = variable or "the key token of its [forges] table"
    return hint(
        f"token of {forge}",
        f"{named}, so proposals to {', '.join(downstreams)} are folders below .syncbot/forge",
        f"To propose on the host, set {key}; docs/forges.md says what it needs.",
    )


def on_token(forge: str, variable: str, facts: TokenFacts, *, downstreams: int, now: dt.datetime) -> Iterator[Remark]:
    """Remarks on a token that was accepted: what it is, its scopes, its end, and the quota that is left."""
    topic = f"token of {forge}"
    who = facts.login or f"an app, in {facts.repositories} repositories"
    yield ok(topic, f"{variable} holds a {facts.kind}, which speaks for {who}")
    if facts.scopes is not None and facts.kind is TokenKind.CLASSIC:
        yield from _scopes(topic, facts.scopes)
    if facts.expires is not None:
        end = f"it ends on {facts.expires:%Y-%m-%d}"
        soon = facts.expires - now < _SOON
        yield hint(topic, end, "Make a new one before that day.") if soon else ok(topic, end)
    yield _quota(f"quota of {forge}", facts, downstreams)


def _scopes(topic: str, scopes: tuple[str, ...]) -> Iterator[Remark]:
    if not {"repo", "public_repo"} & set(scopes):
        yield problem(
            topic,
            f"its scopes ({', '.join(scopes) or 'none'}) allow no write anywhere",
            f"Make a token with the scope public_repo or repo; better a fine-grained one with {_NEEDS}.",
        )
        return
    yield ok(topic, f"its scopes are {', '.join(scopes)}")
    if "workflow" not in scopes:
        yield hint(
            topic,
            "without the scope workflow it cannot push a change to a workflow file",
            "Add the scope if a workaround is in .github/workflows.",
        )


def _quota(topic: str, facts: TokenFacts, downstreams: int) -> Remark:
    quota, needed = facts.quota, _A_PASS * downstreams
    if not quota.limited:
        return ok(topic, "the host counts no requests")
    if quota.remaining is None:
        return hint(topic, "how many requests are left could not be told")
    until = f" until {quota.resets_at:%H:%M} UTC" if quota.resets_at else ""
    left = f"{quota.remaining} of {quota.limit} requests are left{until}"
    text = f"{left}; a pass over these downstreams in which nothing changed needs {needed}"
    if quota.allows(needed):
        return ok(topic, text)
    todo = "Try later, or share the downstreams out (docs/scale.md)."
    return Remark(topic=topic, level=Level.UNREACHABLE, text=text, todo=todo)


def on_downstream(
    name: str, repo: Repository, wanted: Mode | None, fork: str | None, home: str | None
) -> Iterator[Remark]:
    """Remarks on a downstream: how proposals to it will be made, and what stands in the way."""
    topic = f"downstream {name}"
    yield from _renamed(topic, repo)
    if repo.archived:
        yield problem(topic, f"{repo.slug} is archived, so nothing can be proposed there")
        return
    mode = wanted or (Mode.PULL_REQUEST if repo.permission.may_write else Mode.HAND_OFF)
    yield ok(topic, f"{repo.slug}: the token may {_may(repo.permission)}, proposals are by {mode}")
    if mode is Mode.PULL_REQUEST and fork is None:
        yield from _must_push(topic, repo)
    missing = [each for each, there in (("fork", fork), ("home", home)) if there is None]
    if mode is Mode.HAND_OFF and missing:
        yield problem(
            topic,
            f"a hand-off needs [proposals] {' and '.join(missing)}: for its branch, and for its issue",
            "Name them in syncbot.toml.",
        )


def on_fork(repo: Repository, downstream: Repository, behind: int | None) -> Iterator[Remark]:
    """Remarks on the fork that branches are pushed to; ``behind``: how many commits, None where unknown."""
    topic = f"fork {repo.slug}"
    yield from _renamed(topic, repo)
    if (repo.fork_of or "").lower() != downstream.slug.lower():
        yield problem(
            topic,
            f"it is no fork of {downstream.slug}, so no pull request can come from it",
            f"Name a fork of {downstream.slug} in [proposals] fork.",
        )
        return
    if repo.archived:
        yield problem(topic, "it is archived", "Unarchive it, or name another in [proposals] fork.")
        return
    far = "" if behind is None else f", {behind} commits behind, which does no harm" if behind else ", in sync"
    yield ok(topic, f"the token may {_may(repo.permission)} there{far}")
    yield from _must_push(topic, repo)


def on_home(repo: Repository, propose: bool | None, kind: TokenKind) -> Iterator[Remark]:
    """Remarks on the bot's own repository. ``propose``: whether its workflows may open pull requests."""
    topic = f"home {repo.slug}"
    yield from _renamed(topic, repo)
    nowhere = "so no dashboard and no hand-off can be kept there"
    if repo.archived:
        yield problem(topic, f"it is archived, {nowhere}", "Name another [proposals.home].")
    elif not repo.has_issues:
        yield problem(topic, f"it has no issues, {nowhere}", "Turn them on under Settings, General, Features.")
    else:
        yield ok(topic, f"the token may {_may(repo.permission)} there")
    if propose:
        yield ok(topic, "its workflows may open pull requests")
    elif propose is not None:
        todo = f"If they should: {_SETTING} Or give syncbot a token of its own."
        yield hint(topic, "its workflows may not open pull requests with their own token", todo)
    elif kind is TokenKind.INSTALLATION:
        text = "whether its workflows may open pull requests is not for this token to see"
        yield hint(topic, text, f"If this is a workflow's token and a proposal is refused: {_SETTING}")


def _must_push(topic: str, repo: Repository) -> Iterator[Remark]:
    if repo.permission is Permission.UNKNOWN:
        text = "whether the token may push is not said of an app's token; trying shows"
        yield hint(topic, text, f"It needs {_NEEDS}.")
    elif not repo.permission.may_write:
        yield problem(
            topic,
            f"the token may not push a branch to {repo.slug}",
            'Give it Contents: write there, name a fork, or set mode = "hand-off".',
        )


def _renamed(topic: str, repo: Repository) -> Iterator[Remark]:
    if repo.renamed_from is not None:
        yield hint(topic, f"{repo.renamed_from} is called {repo.slug} now", "Mend the name in syncbot.toml.")


def _may(permission: Permission) -> str:
    match permission:
        case Permission.ADMIN:
            return "do everything"
        case Permission.UNKNOWN:
            return "do what only trying shows"
        case Permission.NONE:
            return "do nothing"
    return "write" if permission.may_write else "read"
