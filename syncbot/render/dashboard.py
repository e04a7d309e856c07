"""The dashboard: one issue that says for each workaround what is done, and why nothing is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.model.plan import Line
from syncbot.model.proposal import Note, Record
from syncbot.render.memory import Known, memory_line
from syncbot.render.regions import with_record
from syncbot.render.template import render
from syncbot.render.wishes import Verb

BOARD = "dashboard:"
_SECTIONS = (
    ("Waiting for people", ("open", "pushed", "submitted", "others")),
    ("To look at", ("review", "unknown", "unsure")),
    ("Due, not offered", ("none",)),
    ("Declined or merged", ("declined", "merged")),
    ("Needed", ("keep",)),
    ("Done", ("done",)),
)
_BOXES = {
    Verb.HOLD: "leave it alone",
    Verb.REBASE: "rebuild it on today's base",
    Verb.REOPEN: "offer it again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the dashboard. ``section`` is a proposal's state, or the decision; ``topic`` its key, "" for none."""

    line: Line
    title: str
    section: str
    topic: str = ""
    boxes: Mapping[str, bool] | None = None


def board_topic(repo: str) -> str:
    """Return the topic of the dashboard about ``repo``: one home may hold those of several downstreams."""
    return f"{BOARD}{repo.lower()}"


def dashboard(
    entries: Sequence[Entry], known: Mapping[str, Known], *, repo: str, title: str, folder: Path | None
) -> Note:
    """Return what the dashboard should say."""
    sections = [
        {
            "title": name,
            "entries": [
                {
                    "id": each.line.workaround, "carrier": each.line.carrier, "title": each.title, "why": each.line.why,
                    "url": each.line.url, "topic": each.topic,
                    "boxes": [
                        {"verb": verb, "label": _BOXES[Verb(verb)], "ticked": ticked}
                        for verb, ticked in (each.boxes or {}).items()
                    ],
                }
                for each in entries
                if each.section in states
            ],
        }
        for name, states in _SECTIONS
    ]  # fmt: skip
    body = render(
        "issue/dashboard.md.j2",
        {"sections": [each for each in sections if each["entries"]], "memory": memory_line(known), "repo": repo},
        folder=folder,
    )
    topic = board_topic(repo)
    record = Record(topic=topic, title=title)
    return Note(topic=topic, title=title, body=with_record(body, record), evidence="")
