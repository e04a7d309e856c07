"""Carry a plan out: one write after the other, each after a fresh look at what it expects.

Killed anywhere and run again, it ends the same: a push has an exact lease, an opening looks first and is refused by the
forge where one is open, an edit is made only over the text it was planned for, a comment only where its mark is not.
Nothing is sent twice. A write whose answer was lost ends what follows from it, and the next run looks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from syncbot.forge.errors import (
    AlreadyExistsError,
    DraftsUnsupportedError,
    HeldBackError,
    RateLimitedError,
    UnclearWriteError,
)
from syncbot.forge.limits import LimitedWriter
from syncbot.forge.ports import Reader
from syncbot.model.errors import CouldNotError, SyncbotError, TryLaterError
from syncbot.model.forge import IssueState, NewPull, PullState, PushOutcome, Write
from syncbot.model.plan import Action, ActionKind, Outcome, Result
from syncbot.model.project import Workaround
from syncbot.model.proposal import Prepared, ProposalKind
from syncbot.proposals.prepare import Workshop
from syncbot.proposals.venue import Pens, Venue
from syncbot.render.branch import parse_key
from syncbot.render.regions import read_record

log = logging.getLogger(__name__)

_GOES_ON = (ActionKind.ADD_LABELS, ActionKind.REQUEST_REVIEW, ActionKind.REMOVE_LABEL)


class _ChangedError(SyncbotError):
    """What an action expected is not so any more."""


@dataclass
class Hands:
    """The writers of one venue and what they need: ``workarounds`` by id, from which a commit is built again, and
    ``base``, the downstream's branch and the commit it is at.
    """

    venue: Venue
    pens: Pens
    workshop: Workshop
    workarounds: Mapping[str, Workaround]
    base: tuple[str, str]
    readied: set[str] = field(default_factory=set)
    opened: dict[str, int] = field(default_factory=dict)

    def apply(self, actions: Iterable[Action]) -> list[Outcome]:
        """Carry ``actions`` out in order; return what became of each. Raises nothing a forge or git can cause."""
        outcomes: list[Outcome] = []
        ended: dict[str, Outcome] = {}
        stopped: Outcome | None = None
        for action in actions:
            before = stopped or ended.get(action.topic)
            if before is not None:
                kept = before.result if before.result in (Result.HELD_BACK, Result.LATER) else Result.SKIPPED
                outcomes.append(Outcome(action=action, result=kept, why=f"left for the next run: {before.why}"))
                continue
            outcome = self._one(action)
            log.info("%s %s: %s %s", action.kind, action.topic, outcome.result, outcome.why)
            outcomes.append(outcome)
            if outcome.result in (Result.DONE, Result.NOTHING):
                continue
            if outcome.result is Result.FAILED and action.kind in _GOES_ON:
                continue
            ended[action.topic] = outcome
            if outcome.result is Result.HELD_BACK or outcome.why.startswith(_OUT_OF_QUOTA):
                stopped = outcome
        return outcomes

    def _one(self, action: Action) -> Outcome:
        try:
            return _DO[action.kind](self, action)
        except _ChangedError as error:
            return Outcome(action=action, result=Result.SKIPPED, why=str(error))
        except HeldBackError as error:
            return Outcome(action=action, result=Result.HELD_BACK, why=str(error))
        except UnclearWriteError as error:
            return Outcome(action=action, result=Result.UNCLEAR, why=f"{error}; the next run looks")
        except RateLimitedError as error:
            return Outcome(action=action, result=Result.LATER, why=f"{_OUT_OF_QUOTA}{error}")
        except TryLaterError as error:
            return Outcome(action=action, result=Result.LATER, why=str(error))
        except SyncbotError as error:
            return Outcome(action=action, result=Result.FAILED, why=str(error))

    # -- git ---------------------------------------------------------------------------------------------------------

    def push(self, action: Action) -> Outcome:
        """Build the commit again and push it with an exact lease."""
        data = action.data
        branch, head = str(data["branch"]), str(data["head"])
        key = parse_key(action.topic)
        about = _names(action, "members") or ((key.workaround,) if key is not None else ())
        if key is None or any(each not in self.workarounds for each in about):
            raise CouldNotError(f"{action.topic}: no such workaround is configured")
        where: dict[str, str] = {
            "repo": self.venue.repo, "base": str(data["base"]), "base_oid": str(data["base_oid"])
        }  # fmt: skip
        if "onto" in data:
            made = self.workshop.refresh(
                key, self.workarounds[key.workaround], **where, onto=str(data["onto"]), push=bool(data["pushes"])
            )
        elif key.kind is ProposalKind.BUNDLE:
            made = self.workshop.build_bundle(key, [self.workarounds[each] for each in about], **where)
        else:
            made = self.workshop.build(key, self.workarounds[key.workaround], **where)
        if not isinstance(made, Prepared) or made.head != head:
            raise _ChangedError(f"the commit of {branch} comes out as another one now")
        self.pens.downstream.check(f"push {branch}")
        self._ready(str(data["base"]), str(data["base_oid"]))
        expected = action.expects.get("tip")
        result = self.venue.destination.push(
            self.workshop.pusher(), branch=branch, oid=head, expected=str(expected) if expected else None
        )
        match result.outcome:
            case PushOutcome.UNREACHABLE:
                self.pens.downstream.note(Write.PUSH, action.repo, None, answered=False)
                return Outcome(action=action, result=Result.UNCLEAR, why=f"{result.reason}; the next run looks")
            case PushOutcome.LEASE_LOST:
                raise _ChangedError(f"{branch} was moved by somebody else meanwhile")
            case PushOutcome.REJECTED:
                raise CouldNotError("; ".join(part for part in (result.reason, result.hint) if part))
            case PushOutcome.UNCHANGED:
                return Outcome(action=action, result=Result.NOTHING, why="it is there already")
        self.pens.downstream.note(Write.PUSH, action.repo, None)
        self.pens.downstream.after_push(self.venue.repo, branch, head_repo=self.venue.head_repo)
        return Outcome(action=action, result=Result.DONE)

    def _ready(self, base: str, oid: str) -> None:
        if base not in self.readied:
            self.venue.destination.ready(base=base, oid=oid)
            self.readied.add(base)

    # -- proposals ---------------------------------------------------------------------------------------------------

    def open(self, action: Action) -> Outcome:
        """Open a pull request, unless one is open from that branch."""
        data, venue = action.data, self.venue
        branch = str(data["branch"])
        there = venue.reader.pulls_of_branch(venue.repo, branch, head_repo=venue.head_repo)
        for pull in there:
            if pull.state is PullState.OPEN:
                self.opened[action.topic] = pull.number
                return Outcome(action=action, result=Result.NOTHING, why="one is open already", url=pull.url)
        new = NewPull(
            repo=venue.repo, base=str(data["base"]), head=branch, title=str(data["title"]), body=str(data["body"]),
            head_repo=venue.head_repo, draft=bool(data["draft"]),
        )  # fmt: skip
        try:
            try:
                made = self.pens.downstream.open_pull(new)
            except DraftsUnsupportedError:
                # Refused, not lost: nothing was made. The text says what it still waits for.
                made = self.pens.downstream.open_pull(
                    NewPull(
                        repo=new.repo, base=new.base, head=new.head, title=new.title, body=new.body,
                        head_repo=new.head_repo, draft=False,
                    )
                )  # fmt: skip
        except AlreadyExistsError as error:
            raise _ChangedError(f"somebody opened one meanwhile: {error}") from error
        self.opened[action.topic] = made.number
        return Outcome(action=action, result=Result.DONE, url=made.url)

    def edit(self, action: Action) -> Outcome:
        """Change title or body over the text that was planned for."""
        number = self._number(action)
        pull = self.venue.reader.pull(self.venue.repo, number)
        _expect(action, state=pull.state.value, body=pull.body, title=pull.title)
        self.pens.downstream.edit_pull(
            self.venue.repo, number, title=_text(action, "title"), body=_text(action, "body")
        )
        return Outcome(action=action, result=Result.DONE, url=pull.url)

    def draft(self, action: Action) -> Outcome:
        """Put the draft mark on, or take it off."""
        number = self._number(action)
        self._still(action, number)
        done = self.pens.downstream.set_draft(self.venue.repo, number, draft=action.kind is ActionKind.MAKE_DRAFT)
        return Outcome(action=action, result=Result.DONE if done else Result.NOTHING)

    def label(self, action: Action) -> Outcome:
        """Add labels or take one off."""
        number = self._number(action)
        self._still(action, number)
        if action.kind is ActionKind.ADD_LABELS:
            self.pens.downstream.add_labels(self.venue.repo, number, _names(action, "labels"))
        else:
            self.pens.downstream.remove_label(self.venue.repo, number, str(action.data["label"]))
        return Outcome(action=action, result=Result.DONE)

    def review(self, action: Action) -> Outcome:
        """Ask people and teams to review."""
        number = self._number(action)
        self._still(action, number)
        self.pens.downstream.request_review(
            self.venue.repo, number, people=_names(action, "people"), teams=_names(action, "teams")
        )
        return Outcome(action=action, result=Result.DONE)

    def comment(self, action: Action) -> Outcome:
        """Comment once: a comment with this mark is not made again."""
        number = self._number(action)
        home = action.repo == self.venue.home and action.repo.lower() != self.venue.repo.lower()
        reader, writer = self._home() if home else (self.venue.reader, self.pens.downstream)
        mark = f"<!-- syncbot:said {action.data['mark']} -->"
        me = reader.identity().login
        if any(mark in each.body and each.author.login == me for each in reader.comments(action.repo, number)):
            return Outcome(action=action, result=Result.NOTHING, why="it is said already")
        made = writer.add_comment(action.repo, number, f"{action.data['body']}\n\n{mark}")
        return Outcome(action=action, result=Result.DONE, url=made.url)

    def edit_comment(self, action: Action) -> Outcome:
        """Replace the text of a comment of the bot's own, over the text that was planned for."""
        number, comment = self._number(action), str(action.data["comment"])
        there = self.venue.reader.comments(action.repo, number)
        found = next((each for each in there if each.id == comment), None)
        if found is None:
            raise _ChangedError("the comment was deleted meanwhile")
        _expect(action, body=found.body)
        self.pens.downstream.edit_comment(action.repo, number, comment, str(action.data["body"]))
        return Outcome(action=action, result=Result.DONE, url=found.url)

    def _number(self, action: Action) -> int:
        number = action.number or self.opened.get(action.topic)
        if number is None:
            raise _ChangedError("the proposal it belongs to is not there")
        return number

    def _still(self, action: Action, number: int) -> None:
        if "state" in action.expects:
            _expect(action, state=self.venue.reader.pull(self.venue.repo, number).state.value)

    # -- the bot's own issues ----------------------------------------------------------------------------------------

    def _home(self) -> tuple[Reader, LimitedWriter]:
        if self.venue.home_reader is None or self.venue.home is None:
            raise CouldNotError("no repository is configured for the bot's own issues ([proposals.home])")
        return self.venue.home_reader, self.pens.home

    def open_issue(self, action: Action) -> Outcome:
        """Open an issue, unless one with its topic is open."""
        reader, writer = self._home()
        self._ready(*self.base)
        labels = _names(action, "labels")
        me = reader.identity().login
        for issue in reader.issues(action.repo, state=IssueState.OPEN, labels=labels[:1]):
            record = read_record(issue.body)
            if record is not None and record.topic == action.expects["topic"] and issue.author.login == me:
                return Outcome(action=action, result=Result.NOTHING, why="one is open already", url=issue.url)
        made = writer.open_issue(
            action.repo, title=str(action.data["title"]), body=str(action.data["body"]), labels=labels
        )
        return Outcome(action=action, result=Result.DONE, url=made.url)

    def edit_issue(self, action: Action) -> Outcome:
        """Change an issue of the bot's own over the text that was planned for."""
        reader, writer = self._home()
        assert action.number is not None
        issue = reader.issue(action.repo, action.number)
        _expect(action, state=issue.state.value, body=issue.body, title=issue.title)
        state = _text(action, "state")
        writer.edit_issue(
            action.repo, action.number, title=_text(action, "title"), body=_text(action, "body"),
            state=IssueState(state) if state else None,
        )  # fmt: skip
        return Outcome(action=action, result=Result.DONE, url=issue.url)


_OUT_OF_QUOTA = "out of quota: "
_DO: Mapping[ActionKind, Callable[[Hands, Action], Outcome]] = {
    ActionKind.PUSH_BRANCH: Hands.push,
    ActionKind.OPEN_PROPOSAL: Hands.open,
    ActionKind.EDIT_PROPOSAL: Hands.edit,
    ActionKind.MAKE_DRAFT: Hands.draft,
    ActionKind.MAKE_READY: Hands.draft,
    ActionKind.ADD_LABELS: Hands.label,
    ActionKind.REMOVE_LABEL: Hands.label,
    ActionKind.REQUEST_REVIEW: Hands.review,
    ActionKind.COMMENT: Hands.comment,
    ActionKind.EDIT_COMMENT: Hands.edit_comment,
    ActionKind.OPEN_ISSUE: Hands.open_issue,
    ActionKind.EDIT_ISSUE: Hands.edit_issue,
}


def _expect(action: Action, **now: Any) -> None:
    """Raise `_ChangedError` naming the first thing that is not as the plan found it."""
    for name, value in now.items():
        if name in action.expects and _lines(value) != _lines(action.expects[name]):
            raise _ChangedError(f"its {name} was changed meanwhile")


def _lines(value: object) -> list[str]:
    return [line.rstrip() for line in str(value).strip().splitlines()]


def _text(action: Action, name: str) -> str | None:
    value = action.data.get(name)
    return None if value is None else str(value)


def _names(action: Action, name: str) -> tuple[str, ...]:
    value = action.data.get(name, ())
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()
