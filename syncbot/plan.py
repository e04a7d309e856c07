"""What to write, and why nothing is written: pure tables over what is decided and what the forge holds.

No clock, no environment, no I/O; texts come rendered. `plan_key` answers for one key (one carrier of one workaround and
one kind of proposal), with the sentence that a person is told.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace

from syncbot.model.forge import IssueState
from syncbot.model.plan import Action, ActionKind
from syncbot.model.project import Proposals
from syncbot.model.proposal import Key, Prepared, Progress, Seen, State, Stuck, Texts
from syncbot.model.status import Decision
from syncbot.model.words import Choice, Mode, Stage

NOT_NOW = "syncbot-not-now"
ISSUE_LABEL = "syncbot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Everything a plan for one key rests on. ``wanted``: the decision asks for this proposal today.

    ``waits`` says what else is in the way of opening it (a young release, no fork to push to). ``ready``: every
    required check has passed. ``evidence`` is the digest under which a refusal holds. ``issues``: hand-offs are issues.
    ``place`` is the folder of a proposal that is files ("": nobody knows), None for a pull request.
    """

    key: Key
    decision: Decision
    stage: Stage
    wanted: bool
    prepared: Prepared | Stuck | None
    seen: Seen
    texts: Texts | None
    evidence: str
    mode: Mode
    repo: str
    push_repo: str
    home: str | None
    proposals: Proposals
    labels: tuple[str, ...] = ()
    ready: bool = False
    waits: str | None = None
    issues: bool = False
    place: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What to do about one key, and the sentence that says why; ``opens``: it adds to the open proposals."""

    why: str
    actions: tuple[Action, ...] = ()
    opens: bool = False


def plan_key(item: Item, *, today: dt.date, room: int) -> Answer:
    """Return the actions for one key; ``room`` is how many proposals may still be opened."""
    seen = item.seen
    if seen.state is State.UNKNOWN:
        return Answer(why=f"Not looked at: {seen.problem}.")
    if not item.wanted:
        return _not_wanted(item)
    if seen.wish.holds(today):
        until = f" until {seen.wish.until}" if seen.wish.until else ""
        return Answer(why=f"Left alone{until}: {_person(seen.wish.by)} asked for it.")
    if not isinstance(item.prepared, Prepared):
        return _stuck(item)
    if item.prepared.pushes and seen.state in (State.NONE, State.DECLINED, State.MERGED):
        return _push_itself(item, item.prepared)
    match seen.state:
        case State.NONE:
            return _open(item, room)
        case State.OTHERS:
            return Answer(why=f"Quiet: {_named(item)} does it already.")
        case State.OPEN:
            return _keep_right(item)
        case State.PUSHED:
            return _hands_off(item)
        case State.SUBMITTED:
            return _submitted(item)
        case State.DECLINED | State.MERGED:
            return _ended(item, room)


def _person(name: str | None) -> str:
    return f"@{name}" if name and " " not in name else name or "somebody"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _named(item: Item) -> str:
    pull, issue = item.seen.pull, item.seen.issue
    if pull is not None and item.place is not None:
        return f"proposal {pull.number}, in {item.place}," if item.place else f"proposal {pull.number}"
    if pull is not None:
        return f"pull request {pull.number}" if pull.number else "a pull request"
    return f"issue {issue.number}" if issue is not None else "it"


# -- nothing there -----------------------------------------------------------------------------------------------------


def _open(item: Item, room: int) -> Answer:
    assert isinstance(item.prepared, Prepared)
    assert item.texts is not None
    if item.waits is not None:
        return Answer(why=f"Not offered yet: {item.waits}.")
    if room <= 0:
        return Answer(why=f"Not offered yet: {item.proposals.max_open} proposals are open, which is the limit.")
    actions = []
    if item.seen.tip != item.prepared.head:
        actions.append(_push(item, item.prepared))
    if item.issues:
        actions.append(_open_issue(item, item.texts))
        return Answer(why="Due: it is prepared for a person to submit.", actions=tuple(actions), opens=True)
    actions.append(
        Action(
            kind=ActionKind.OPEN_PROPOSAL, topic=str(item.key), repo=item.repo,
            expects={"open": False},
            data={
                "base": item.prepared.base, "branch": item.prepared.branch, "head": item.prepared.head,
                "title": item.texts.title, "body": item.texts.opening, "draft": not item.ready,
            },
        )
    )  # fmt: skip
    actions += _setup(item, None)
    if item.texts.settled is not None:
        actions.append(
            Action(
                kind=ActionKind.EDIT_PROPOSAL, topic=str(item.key), repo=item.repo,
                expects={"state": "open", "body": item.texts.opening}, data={"body": item.texts.settled},
            )
        )  # fmt: skip
    return Answer(why="Due: it is proposed.", actions=tuple(actions), opens=True)


def _push(item: Item, prepared: Prepared) -> Action:
    return Action(
        kind=ActionKind.PUSH_BRANCH, topic=str(item.key), repo=item.push_repo,
        expects={"tip": item.seen.tip},
        data={
            "branch": prepared.branch, "head": prepared.head, "base": prepared.base, "base_oid": prepared.base_oid,
            **({"members": list(prepared.members)} if prepared.members else {}),
            **({"onto": prepared.onto, "pushes": prepared.pushes} if prepared.onto is not None else {}),
        },
    )  # fmt: skip


def _push_itself(item: Item, prepared: Prepared) -> Answer:
    """Set a carried branch itself, where the configuration allows it: over the commit that it was read at alone."""
    if item.waits is not None:
        return Answer(why=f"Not pushed yet: {item.waits}.")
    if prepared.head == prepared.base_oid:
        return Answer(why=f"Branch {prepared.base} is on today's base.")
    push = replace(_push(item, prepared), expects={"tip": prepared.base_oid})
    return Answer(why=f"Due: branch {prepared.base} is carried onto today's base and pushed.", actions=(push,))


def _open_issue(item: Item, texts: Texts) -> Action:
    return Action(
        kind=ActionKind.OPEN_ISSUE, topic=str(item.key), repo=item.home or "",
        expects={"topic": f"hand-off:{item.key}", "open": False},
        data={"title": texts.title, "body": texts.opening, "labels": [ISSUE_LABEL]},
    )  # fmt: skip


def _setup(item: Item, number: int | None) -> list[Action]:
    """Labels and reviewers of a proposal that was just opened, then the text without the note that they are due."""
    todo = todo_of(item.labels, item.proposals) if number is None else item.seen.record.todo if item.seen.record else ()
    actions = []
    if "labels" in todo:
        actions.append(_on(item, ActionKind.ADD_LABELS, number, {"labels": list(item.labels)}))
    if "reviewers" in todo:
        people = {"people": list(item.proposals.reviewers), "teams": list(item.proposals.team_reviewers)}
        actions.append(_on(item, ActionKind.REQUEST_REVIEW, number, people))
    return actions


def todo_of(labels: tuple[str, ...], proposals: Proposals) -> tuple[str, ...]:
    """Return what is due once a proposal is open."""
    people = proposals.reviewers or proposals.team_reviewers
    return (*(["labels"] if labels else []), *(["reviewers"] if people else []))


def _on(item: Item, kind: ActionKind, number: int | None, data: Mapping[str, object]) -> Action:
    """An action on the proposal of this key: the pull request, or the hand-off's issue."""
    pull, issue = item.seen.pull, item.seen.issue
    there = pull or issue
    expects: dict[str, object] = {}
    if there is not None:
        expects = {"state": there.state.value}
        if kind in (ActionKind.EDIT_PROPOSAL, ActionKind.EDIT_ISSUE):
            expects |= {"body": there.body} | ({"title": there.title} if "title" in data else {})
    repo = item.repo if pull is not None or not item.issues else item.home or ""
    return Action(kind=kind, topic=str(item.key), repo=repo, number=number, expects=expects, data=data)


# -- ours, open --------------------------------------------------------------------------------------------------------


def _keep_right(item: Item) -> Answer:
    seen, prepared, texts = item.seen, item.prepared, item.texts
    assert isinstance(prepared, Prepared)
    assert texts is not None
    number = _number(seen)
    reason = _rebuild_reason(item, prepared)
    actions: list[Action] = []
    if reason is not None and seen.tip != prepared.head:
        actions.append(_push(item, prepared))
    actions += _setup(item, number)
    if seen.pull is not None and NOT_NOW in seen.pull.labels:
        actions.append(_on(item, ActionKind.REMOVE_LABEL, number, {"label": NOT_NOW}))
    if seen.pull is not None and _readies(item, prepared):
        actions.append(_on(item, ActionKind.MAKE_READY, number, {}))
    actions += _edit(item, texts.rebuilt if reason is not None else texts.current)
    why = f"{_capital(_named(item))} is open"
    if reason is not None:
        return Answer(why=f"{why}; it is rebuilt: {reason}.", actions=tuple(actions))
    if actions:
        return Answer(why=f"{why}; what it says is brought up to date.", actions=tuple(actions))
    return Answer(why=f"{why} and right; it waits for people.")


def _rebuild_reason(item: Item, prepared: Prepared) -> str | None:
    seen, record = item.seen, item.seen.record
    if record is None:
        return None if seen.tip == prepared.head else "its record was lost"
    if record.edit != prepared.edit:
        return "the edit is another one on today's base"
    if record.head != seen.tip:
        return "its branch and its text had come apart"
    if seen.merges is False:
        return "it no longer merges"
    if record.base == prepared.base_oid:
        return None
    if seen.wish.rebase:
        return f"{_person(seen.wish.by)} asked for it"
    if seen.distance is not None and seen.distance > item.proposals.max_distance:
        return f"its base is {seen.distance} commits behind"
    return None


def _readies(item: Item, prepared: Prepared) -> bool:
    record = item.seen.record
    draft = item.seen.pull is not None and item.seen.pull.draft
    return item.ready and draft and (record is None or record.readied != prepared.edit)


def _number(seen: Seen) -> int | None:
    there = seen.pull or seen.issue
    return there.number if there is not None else None


def _edit(item: Item, body: str | None) -> list[Action]:
    """Change only what differs; a title that a person changed stays."""
    seen, texts = item.seen, item.texts
    there = seen.pull or seen.issue
    if there is None or body is None or texts is None:
        return []
    data: dict[str, object] = {}
    if not same_text(body, there.body):
        data["body"] = body
    if seen.record is not None and there.title == seen.record.title != texts.title:
        data["title"] = texts.title
    kind = ActionKind.EDIT_PROPOSAL if seen.pull is not None else ActionKind.EDIT_ISSUE
    return [_on(item, kind, there.number, data)] if data else []


def same_text(one: str, other: str) -> bool:
    """Whether two texts say the same; a web form sends other line ends than were sent to it."""
    return [line.rstrip() for line in one.strip().splitlines()] == [
        line.rstrip() for line in other.strip().splitlines()
    ]


def _hands_off(item: Item) -> Answer:
    seen = item.seen
    if seen.pull is None and seen.issue is None:
        return Answer(why="Hands off: its branch holds commits of somebody else, and no proposal is open from it.")
    actions = _edit(item, item.texts.current if item.texts else None)
    if "pushed" not in seen.said:
        text = (
            "Somebody pushed to this branch, so syncbot leaves it alone from here on and only keeps its own part of "
            "the description true."
        )
        actions.append(_on(item, ActionKind.COMMENT, _number(seen), {"mark": "pushed", "body": text}))
    return Answer(why=f"Hands off: somebody pushed to the branch of {_named(item)}.", actions=tuple(actions))


def _submitted(item: Item) -> Answer:
    seen = item.seen
    why = f"{_capital(_named(item))} was submitted; from here on the bot only reports."
    if seen.issue is None:
        return Answer(why=why)
    return Answer(why=why, actions=tuple(_edit_note(item, Progress.SUBMITTED)))


def _edit_note(item: Item, progress: Progress) -> list[Action]:
    """Let the hand-off's issue say how far it is."""
    texts, issue = item.texts, item.seen.issue
    if issue is None or texts is None or texts.current is None or same_text(texts.current, issue.body):
        return []
    data: dict[str, object] = {"body": texts.current}
    expects: dict[str, object] = {"state": issue.state.value, "body": issue.body}
    if progress in (Progress.MERGED, Progress.CLOSED) and issue.state is IssueState.OPEN:
        data["state"] = IssueState.CLOSED.value
    return [
        Action(
            kind=ActionKind.EDIT_ISSUE, topic=str(item.key), repo=item.home or "", number=issue.number,
            expects=expects, data=data,
        )
    ]  # fmt: skip


# -- over --------------------------------------------------------------------------------------------------------------


def _ended(item: Item, room: int) -> Answer:
    seen = item.seen
    merged = seen.state is State.MERGED
    before = seen.record.evidence if seen.record is not None else None
    if seen.wish.reopen or (before is not None and before != item.evidence):
        return _open(item, room)
    closing = _edit_note(item, Progress.MERGED if merged else Progress.CLOSED)
    if merged:
        why = f"{_capital(_named(item))} was merged, yet the workaround is still there: look at it."
        return Answer(why=why, actions=tuple(closing))
    why = f"Declined: {_named(item)} was closed; quiet until the evidence changes or a person asks for it again."
    return Answer(why=why, actions=tuple(closing))


# -- no verified edit --------------------------------------------------------------------------------------------------


def _stuck(item: Item) -> Answer:
    reason = item.prepared.reason if isinstance(item.prepared, Stuck) else "nothing was prepared"
    if item.seen.state in (State.OPEN, State.PUSHED):
        return Answer(why=f"{_capital(_named(item))} is open, and on today's base a person must edit: {reason}.")
    return Answer(why=f"A person must edit: {reason}.")


# -- not wanted any more -----------------------------------------------------------------------------------------------


def _not_wanted(item: Item) -> Answer:
    """A proposal that is open though the decision is another one by now."""
    seen = item.seen
    name = _named(item)
    if seen.state is State.SUBMITTED:
        actions = _edit_note(item, Progress.SUBMITTED)
        return Answer(
            why=f"{_capital(name)} was submitted, and is not called for today: {item.decision.next}",
            actions=tuple(actions),
        )
    if seen.state in (State.MERGED, State.DECLINED):
        merged = seen.state is State.MERGED
        actions = _edit_note(item, Progress.MERGED if merged else Progress.CLOSED)
        return Answer(why=item.decision.next, actions=tuple(actions))
    if seen.state not in (State.OPEN, State.PUSHED) or (seen.pull is None and seen.issue is None):
        return Answer(why=item.decision.next)
    if item.stage in (Stage.UNSURE, Stage.UNLINKED) or item.decision.choice is Choice.UNSURE:
        return Answer(
            why=f"{_capital(name)} stays as it is: whether it is still right cannot be told now. {item.decision.next}"
        )
    mark = f"not-now-{item.evidence[:12]}"
    if mark in seen.said:
        return Answer(why=f"{_capital(name)} is not right today, which it says. {item.decision.next}")
    number = _number(seen)
    actions = []
    if seen.pull is not None and NOT_NOW not in seen.pull.labels:
        actions.append(_on(item, ActionKind.ADD_LABELS, number, {"labels": [NOT_NOW]}))
    if seen.pull is not None and not seen.pull.draft:
        actions.append(_on(item, ActionKind.MAKE_DRAFT, number, {}))
    text = item.texts.withdrawn if item.texts is not None and item.texts.withdrawn else item.decision.next
    # Last: once it is said, the rest is not repeated, so that a person may decide otherwise.
    actions.append(_on(item, ActionKind.COMMENT, number, {"mark": mark, "body": text}))
    return Answer(why=f"{_capital(name)} is not right any more: {item.decision.next}", actions=tuple(actions))
