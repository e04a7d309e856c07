"""What is said on proposals and issues: comments, read again only where something changed, and whose words count."""

from __future__ import annotations

import base64
import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from syncbot.forge.errors import ForgeError
from syncbot.forge.ports import Reader
from syncbot.model.forge import Account, Comment, Issue, PullRequest, Upload
from syncbot.proposals.prepare import Keeps
from syncbot.render.measured import carries_results, links
from syncbot.render.wishes import Command
from syncbot.render.wishes import commands as parse

_COMMENTS = "comments/1"
_UPLOADS = "uploads/1"
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
        """Those comments that carry results and are by somebody who may write, with the files attached to them.

        Raises what the forge raises where asking later may help: results that were there yesterday must not count as
        gone because a host does not answer today.
        """
        if reader is None or repo is None:
            return ()
        carrying = [each for each in comments if carries_results(each.body) and each.author.login]
        return tuple(
            replace(each, uploads=tuple(self._upload(reader, repo, link) for link in links(each.body)))
            for each in carrying
            if each.author.login and reader.permission(repo, each.author.login).may_write
        )

    def _upload(self, reader: Reader, repo: str, url: str) -> Upload:
        """One attached file; what is attached never changes, so it is fetched once."""
        if self._cache is not None and (kept := self._cache.get_json(_UPLOADS, [url]).get(url)) is not None:
            return Upload(url=url, data=base64.b64decode(kept))
        try:
            data = reader.attachment(repo, url)
        except ForgeError as error:
            return Upload(url=url, problem=f"not read: {error}")
        if self._cache is not None:
            self._cache.put_json(_UPLOADS, {url: base64.b64encode(data).decode()})
        return Upload(url=url, data=data)

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
