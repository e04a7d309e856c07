"""What people ask for: ``/syncbot`` comments, a label, tick boxes. Pure; who may ask is the caller's to check.

Nothing of it is stored: it is read again from the comments at every run, and the latest word counts.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from syncbot.model.forge import Comment
from syncbot.model.proposal import Wish

HOLD_LABEL = "syncbot-hold"
_COMMAND = re.compile(
    r"^/syncbot[ \t]+(?P<verb>hold|resume|recheck|rebase|reopen)(?P<rest>(?:[ \t]+\S+){0,2})[ \t]*\r?$", re.MULTILINE
)
_BOX = re.compile(
    r"^\s*[-*] \[(?P<tick>[ xX])\] .*<!-- syncbot:box (?P<verb>hold|rebase|reopen) (?P<topic>[\w./-]+) -->\s*$",
    re.MULTILINE,
)


class Verb(StrEnum):
    """The words after ``/syncbot``."""

    HOLD = "hold"
    RESUME = "resume"
    RECHECK = "recheck"
    REBASE = "rebase"
    REOPEN = "reopen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One line of a comment. ``workaround`` None: the proposal it stands on."""

    verb: Verb
    workaround: str | None
    until: dt.date | None
    by: str | None
    at: dt.datetime | None
    comment: str


def commands(comments: Iterable[Comment]) -> list[Command]:
    """Return the commands in ``comments``, in their order; one that cannot be read is none. Bots give none."""
    found = []
    for comment in comments:
        if comment.author.is_bot:
            continue
        for match in _COMMAND.finditer(comment.body):
            words = match["rest"].split()
            until = next((day for word in words if (day := _day(word)) is not None), None)
            names = [word for word in words if _day(word) is None]
            if len(names) > 1 or (until is not None and match["verb"] != Verb.HOLD):
                continue
            found.append(
                Command(
                    verb=Verb(match["verb"]),
                    workaround=names[0] if names else None,
                    until=until,
                    by=comment.author.login,
                    at=comment.created_at,
                    comment=comment.id,
                )
            )
    return found


def _day(word: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(word) if len(word) == len("2026-01-01") else None
    except ValueError:
        return None


def wish_of(
    given: Iterable[Command], *, labels: Iterable[str] = (), after: dt.datetime | None = None, answered: str = ""
) -> Wish:
    """Return what is asked now: the latest of hold and resume; a reopening asked for after ``after`` (the closing);

    a rebase that is not the one in the comment ``answered``.
    """
    wish = Wish(held=HOLD_LABEL in labels, by="a label" if HOLD_LABEL in labels else None)
    for command in given:
        match command.verb:
            case Verb.HOLD:
                wish = replace(wish, held=True, until=command.until, by=command.by)
            case Verb.RESUME:
                wish = replace(wish, held=HOLD_LABEL in labels, until=None, by=command.by)
            case Verb.REBASE:
                wish = replace(wish, rebase=True, by=command.by, comment=command.comment)
            case Verb.REOPEN if after is None or (command.at is not None and command.at >= after):
                wish = replace(wish, reopen=True, by=command.by)
            case _:
                pass
    return replace(wish, rebase=False) if wish.rebase and wish.comment == answered else wish


def boxes(body: str) -> Mapping[tuple[str, str], bool]:
    """Return the tick boxes of a dashboard: verb and topic, and whether it is ticked."""
    return {(match["verb"], match["topic"]): match["tick"] != " " for match in _BOX.finditer(body)}


def with_boxes(wish: Wish, topic: str, ticked: Mapping[tuple[str, str], bool]) -> Wish:
    """Return the wish with what is ticked on the dashboard added."""
    return replace(
        wish,
        held=wish.held or ticked.get((Verb.HOLD, topic), False),
        rebase=wish.rebase or ticked.get((Verb.REBASE, topic), False),
        reopen=wish.reopen or ticked.get((Verb.REOPEN, topic), False),
    )
