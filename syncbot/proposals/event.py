"""What an event of a code host asks the bot to do: a comment with a command, or a dashboard whose boxes were changed.

Pure, and a first look only: it says which workarounds are worth a run, and by whose word. The run itself reads comments
and boxes again, and asks again who may.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from syncbot.model.forge import Account, Comment
from syncbot.render.branch import parse_key
from syncbot.render.dashboard import BOARD
from syncbot.render.regions import read_record
from syncbot.render.wishes import boxes, commands


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Who asks for something in ``repo``, and about which workarounds; none means all of them."""

    repo: str
    by: str
    workarounds: tuple[str, ...] = ()


def hear(payload: Mapping[str, Any], known: Iterable[str]) -> Heard | None:
    """What a webhook's payload asks for, None for nothing; ``known`` are the ids there are.

    Raises `ValueError`, `KeyError`, `TypeError` or `AttributeError` for a payload of another shape.
    """
    repo, issue = str(payload["repository"]["full_name"]), payload["issue"]
    body = str(issue.get("body") or "").replace("\r\n", "\n")
    comment = payload.get("comment")
    if comment is not None:
        by, asked = _in_comment(comment, body)
    else:
        by, asked = _in_boxes(payload, body)
    known = frozenset(known)
    named = tuple(dict.fromkeys(each for each in asked if each in known))
    # An empty name is everything; one that nobody knows asks for nothing.
    if by is None or not (named or "" in asked):
        return None
    return Heard(repo=repo, by=by, workarounds=() if "" in asked else named)


def _in_comment(comment: Mapping[str, Any], body: str) -> tuple[str | None, list[str]]:
    user = comment.get("user") or {}
    author = Account(login=user.get("login"), is_bot=user.get("type") == "Bot")
    said = Comment(id=str(comment["id"]), url="", author=author, body=str(comment.get("body") or ""))
    here = _subject(body)
    return author.login, [each.workaround or here for each in commands([said])]


def _in_boxes(payload: Mapping[str, Any], body: str) -> tuple[str | None, list[str]]:
    before = (payload.get("changes") or {}).get("body") or {}
    sender = payload.get("sender") or {}
    record = read_record(body)
    if "from" not in before or sender.get("type") == "Bot" or record is None or not record.topic.startswith(BOARD):
        return None, []
    was, now = boxes(str(before["from"]).replace("\r\n", "\n")), boxes(body)
    keys = [parse_key(topic) for verb, topic in now if now[verb, topic] != was.get((verb, topic), False)]
    return sender.get("login"), [key.workaround for key in keys if key is not None]


def _subject(body: str) -> str:
    """The workaround that a proposal or an issue is about by its record; "" for the dashboard and for anything else."""
    record = read_record(body)
    key = parse_key(record.topic.rpartition(":")[2]) if record is not None else None
    return key.workaround if key is not None else ""
