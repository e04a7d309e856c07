"""What to write to an issue of the bot's own: opened, renewed, closed, or left alone. Pure, like `syncbot.plan`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from syncbot.model.forge import Issue, IssueState
from syncbot.model.plan import Action, ActionKind
from syncbot.model.proposal import Note, Record
from syncbot.plan import ISSUE_LABEL, Answer, same_text


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteItem:
    """An issue that should, or should not any more, be open. ``note`` None: nothing calls for it today."""

    topic: str
    home: str | None
    note: Note | None
    issue: Issue | None
    record: Record | None
    problem: str | None = None
    labels: tuple[str, ...] = field(default=(ISSUE_LABEL,))


def plan_note(item: NoteItem) -> Answer:
    """Return the actions for one issue of the bot's own: opened, renewed when its text changes, closed when it is over.

    One that a person closed stays closed until the evidence changes.
    """
    note, issue = item.note, item.issue
    if item.problem is not None:
        return Answer(why=f"Not looked at: {item.problem}.")
    if note is None:
        if issue is None or issue.state is IssueState.CLOSED:
            return Answer(why="")
        return Answer(why="", actions=(_edit_issue(item, {"state": IssueState.CLOSED.value}),))
    if item.home is None:
        return Answer(why="A person must look; [proposals.home] names no repository to keep an issue in.")
    if issue is None:
        action = Action(
            kind=ActionKind.OPEN_ISSUE, topic=item.topic, repo=item.home,
            expects={"topic": note.topic, "open": False},
            data={"title": note.title, "body": note.body, "labels": list(item.labels)},
        )  # fmt: skip
        return Answer(why="A person must look; an issue says what at.", actions=(action,))
    if issue.state is IssueState.CLOSED:
        if item.record is not None and item.record.evidence == note.evidence:
            return Answer(why=f"Issue {issue.number} was closed; quiet until the evidence changes.")
        changed: dict[str, object] = {"state": IssueState.OPEN.value, "body": note.body}
        return Answer(
            why=f"Issue {issue.number} is open again: the evidence changed.", actions=(_edit_issue(item, changed),)
        )
    if not same_text(note.body, issue.body):
        edit = _edit_issue(item, {"body": note.body})
        return Answer(why=f"A person must look; issue {issue.number} is brought up to date.", actions=(edit,))
    return Answer(why=f"A person must look; issue {issue.number} says what at.")


def _edit_issue(item: NoteItem, data: Mapping[str, object]) -> Action:
    assert item.issue is not None
    return Action(
        kind=ActionKind.EDIT_ISSUE, topic=item.topic, repo=item.home or item.issue.repo, number=item.issue.number,
        expects={"state": item.issue.state.value, "body": item.issue.body}, data=data,
    )  # fmt: skip
