"""What is said on proposals and issues: comments, read again only where something changed, and whose words count."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import Any

from syncbot.forge.ports import Reader
from syncbot.model.forge import Account, Comment, Issue, PullRequest
from syncbot.proposals.prepare import Keeps
from syncbot.render.wishes import Command
from syncbot.render.wishes import commands as parse

_COMMENTS = "comments/1"
_SETTLED = dt.timedelta(minutes=1)
_SAID = re.compile(r"<!-- syncbot:said (?P<mark>[\w-]+) -->")


class Hearing:
    """Reads comments for one run. ``files``: the forge keeps files, whose times tell nothing about their comments."""

    def __init__(self, bot: Account, cache: Keeps | None, now: dt.datetime, *, files: bool) -> None:
        self._bot = bot
        self._cache = cache
        self._now = now
        self._files = files

    def comments(
        self, reader: Reader | None, repo: str | None, item: PullRequest | Issue | None
    ) -> tuple[Comment, ...]:
        """Return the comments on a pull request or an issue; from the cache if it was not touched since."""
        if reader is None or repo is None or item is None:
            return ()
        name = f"{repo}#{item.number}@{item.updated_at.isoformat() if item.updated_at else ''}"
        settled = item.updated_at is not None and self._now - item.updated_at > _SETTLED and not self._files
        if (
            self._cache is not None
            and settled
            and (kept := self._cache.get_json(_COMMENTS, [name]).get(name)) is not None
        ):
            return tuple(_comment(each) for each in kept)
        found = reader.comments(repo, item.number)
        if self._cache is not None and settled:
            self._cache.put_json(_COMMENTS, {name: [_kept(each) for each in found]})
        return found

    def commands(self, reader: Reader | None, repo: str | None, issue: Issue) -> list[Command]:
        """Return the commands on an issue that count."""
        return self.allowed(reader, repo, parse(self.comments(reader, repo, issue)))

    def allowed(self, reader: Reader | None, repo: str | None, given: Iterable[Command]) -> list[Command]:
        """Those commands whose author may write; a permission nobody could tell is none."""
        if reader is None or repo is None:
            return []
        return [each for each in given if each.by and reader.permission(repo, each.by).may_write]

    def trusted(self, reader: Reader | None, repo: str | None, comments: Iterable[Comment]) -> tuple[Comment, ...]:
        """Those comments that carry results and are by somebody who may write."""
        if reader is None or repo is None:
            return ()
        carrying = [each for each in comments if '"syncbot.attached/1"' in each.body and each.author.login]
        return tuple(
            each for each in carrying if each.author.login and reader.permission(repo, each.author.login).may_write
        )

    def said(self, comments: Iterable[Comment]) -> frozenset[str]:
        """Return the marks of the comments the bot made."""
        login = self._bot.login
        return frozenset(
            match["mark"] for each in comments if each.author.login == login for match in _SAID.finditer(each.body)
        )


def _kept(comment: Comment) -> dict[str, Any]:
    return {
        "id": comment.id, "url": comment.url, "login": comment.author.login, "bot": comment.author.is_bot,
        "body": comment.body, "at": comment.created_at.isoformat() if comment.created_at else None,
    }  # fmt: skip


def _comment(kept: Mapping[str, Any]) -> Comment:
    return Comment(
        id=kept["id"], url=kept["url"], author=Account(login=kept["login"], is_bot=kept["bot"]), body=kept["body"],
        created_at=dt.datetime.fromisoformat(kept["at"]) if kept["at"] else None,
    )  # fmt: skip
