"""Results that comments carry: a block in the text, or links to attached files under a line ``/syncbot results``."""

from __future__ import annotations

import datetime
import re
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import replace

from syncbot.checks.gather import gather
from syncbot.checks.readers import ResultError
from syncbot.model.checks import Attached
from syncbot.model.forge import Comment, Permission
from syncbot.render.results import has_block, read_block

MOST_LINKS = 50
_ASKS = re.compile(r"^/syncbot[ \t]+results\b", re.MULTILINE)
_LINK = re.compile(r"https?://[^\s<>()\[\]\"'`]+/files/\d+/[\w.%+-]+")
_UNKNOWN_TIME = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def links(body: str) -> tuple[str, ...]:
    """Return the links to attached files that ``body`` asks to be read as results, each once."""
    return tuple(dict.fromkeys(_LINK.findall(body)))[:MOST_LINKS] if _ASKS.search(body) else ()


def carries_results(body: str) -> bool:
    """Whether a comment brings results in one of the two documented forms."""
    return has_block(body) or bool(links(body))


def from_comments(
    comments: Sequence[Comment], permission: Callable[[str], Permission]
) -> tuple[tuple[Attached, ...], tuple[str, ...]]:
    """Return the results that comments carry, and a line for each that was not taken, with the reason.

    Only a comment whose author may write to the repository counts, as ``permission`` of a login says, asked only where
    there are results; who brought them is that author, whatever they say. Refusals of the gate come after
    (`syncbot.checks.judge.refusals`).
    """
    found: list[Attached] = []
    notes: list[str] = []
    for comment in comments:
        if not carries_results(comment.body):
            continue
        login = comment.author.login
        may = permission(login) if login is not None else Permission.NONE
        if not may.may_write:
            why = "nobody could say whether its author may write" if may is Permission.UNKNOWN else "may not write here"
            notes.append(f"results in {comment.url} by {login} are not taken: {why}")
            continue
        sets: list[Attached] = []
        try:
            sets += read_block(comment.url, comment.body) if has_block(comment.body) else ()
            sets += _attached_files(comment)
        except ResultError as error:
            notes += error.problems
            continue
        found += (replace(each, by=f"@{login}") for each in sets)
    return tuple(found), tuple(notes)


def _attached_files(comment: Comment) -> tuple[Attached, ...]:
    if problems := [f"{_name(each.url)} in {comment.url}: {each.problem}" for each in comment.uploads if each.problem]:
        raise ResultError(*problems)
    files = [(f"{_name(each.url)} in {comment.url}", each.data or b"") for each in comment.uploads]
    return gather(files, at=comment.created_at or _UNKNOWN_TIME)


def _name(url: str) -> str:
    return urllib.parse.unquote(url.rpartition("/")[2])
