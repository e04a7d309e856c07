"""The alarm: one issue that says a workflow fails, edited while it does, closed once it works again.

It is found by its topic among the bot's own issues, open or closed, so there is never a second one: what failed before
is opened again. Needs no configuration, since that may be what is broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.forge.ports import Reader, Writer
from syncbot.model.forge import Issue, IssueState
from syncbot.model.proposal import Record
from syncbot.plan import ISSUE_LABEL, same_text
from syncbot.render.regions import merge, read_record, with_record
from syncbot.render.template import render

_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What failed: the jobs with their results, what they said (text of strangers among it), and where to read it."""

    jobs: Sequence[tuple[str, str]]
    said: Sequence[str] = ()


def settle(
    reader: Reader, writer: Writer, repo: str, *, name: str, run: str | None, failure: Failure | None
) -> tuple[str, Issue | None]:
    """Make the alarm about workflow ``name`` tell the truth; returns what was done (a word) and the issue, if any.

    ``run`` is the page of this run, ``failure`` None when it did its work. Raises what the forge raises.
    """
    topic = f"alarm:{name}"
    held, spare = _find(reader, repo, topic)
    for each in spare:
        writer.edit_issue(repo, each.number, state=IssueState.CLOSED)
    if failure is None and (held is None or held.state is IssueState.CLOSED):
        return "quiet", held
    title = f"syncbot: the workflow {name} fails"
    text = render(
        "issue/alarm.md.j2",
        {
            "name": name, "run": run, "jobs": failure.jobs if failure else (),
            "said": list(failure.said)[-_LINES:] if failure else (), "failing": failure is not None,
        },
    )  # fmt: skip
    record = Record(topic=topic, title=title)
    if held is None:
        return "opened", writer.open_issue(repo, title=title, body=with_record(text, record), labels=(ISSUE_LABEL,))
    body = merge(held.body, with_record(text, record))
    wanted = IssueState.OPEN if failure else IssueState.CLOSED
    if held.state is wanted and same_text(body, held.body):
        return "unchanged", held
    writer.edit_issue(repo, held.number, body=body, state=wanted if held.state is not wanted else None)
    return {True: "edited", False: "opened again" if failure else "closed"}[held.state is wanted], held


def _find(reader: Reader, repo: str, topic: str) -> tuple[Issue | None, list[Issue]]:
    """The oldest issue of the bot's own with this topic, and younger ones that are open besides."""
    me = reader.identity().login
    listed = reader.issues(repo, state=None, labels=(ISSUE_LABEL,))
    ours = [
        each
        for each in sorted(listed, key=lambda issue: issue.number)
        if each.author.login == me and (record := read_record(each.body)) is not None and record.topic == topic
    ]
    return (ours[0], [each for each in ours[1:] if each.state is IssueState.OPEN]) if ours else (None, [])
