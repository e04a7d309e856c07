"""What the dashboard remembers of proposals that are closed, so that nobody has to ask for each of them again.

One line of JSON in an HTML comment. If it is lost or was edited, the forge is asked once for each key; nothing else.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from syncbot.model.forge import Account, PullRequest, PullState
from syncbot.model.proposal import Key, Record
from syncbot.render.branch import branch_name
from syncbot.render.regions import record_line

_LINE = re.compile(r"^<!-- syncbot:memory (?P<json>\{.*\}) -->[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A proposal that ended: its number, whether it was merged, its evidence, and when it ended."""

    number: int
    merged: bool
    evidence: str
    closed: dt.datetime | None = None
    url: str = ""

    def pull(self, repo: str, key: Key) -> PullRequest:
        """Return it as the forge would tell it, as far as decisions need."""
        record = Record(topic=str(key), evidence=self.evidence)
        return PullRequest(
            repo=repo, number=self.number, url=self.url, title="", body=record_line(record), draft=False, base="",
            state=PullState.MERGED if self.merged else PullState.CLOSED, author=Account(login=None),
            head=branch_name(key), head_oid="", head_repo=None, closed_at=self.closed,
        )  # fmt: skip


def memory_line(known: Mapping[str, Known]) -> str:
    """Return the line; the same proposals give the same bytes."""
    values = {
        topic: [
            each.number,
            int(each.merged),
            each.evidence,
            each.closed.isoformat() if each.closed else None,
            each.url,
        ]
        for topic, each in sorted(known.items())
    }
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=True)
    for character in "-<>@#`":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f"<!-- syncbot:memory {text} -->"


def read_memory(body: str) -> dict[str, Known]:
    """Return what the line of a dashboard says, `memory_line` undone; nothing where it is damaged."""
    match = _LINE.search(body)
    try:
        values = json.loads(match["json"]) if match else {}
        return {
            str(topic): Known(
                number=int(number), merged=bool(merged), evidence=str(evidence),
                closed=dt.datetime.fromisoformat(at) if at else None,
                url=str(url),
            )
            for topic, (number, merged, evidence, at, url) in values.items()
        }  # fmt: skip
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
