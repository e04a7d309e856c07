"""Values of plans: what is to be written, what each write expects to find, and what became of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ActionKind(StrEnum):
    """The writes a plan may hold. Merging, closing a proposal and deleting are not among them, on purpose."""

    PUSH_BRANCH = "push-branch"
    OPEN_PROPOSAL = "open-proposal"
    EDIT_PROPOSAL = "edit-proposal"
    MAKE_DRAFT = "make-draft"
    MAKE_READY = "make-ready"
    ADD_LABELS = "add-labels"
    REMOVE_LABEL = "remove-label"
    REQUEST_REVIEW = "request-review"
    COMMENT = "comment"
    EDIT_COMMENT = "edit-comment"
    OPEN_ISSUE = "open-issue"
    EDIT_ISSUE = "edit-issue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One write. ``topic`` groups the actions that follow from one another: if one fails, the rest of it waits.

    ``expects`` is what must still hold right before (looked up again), ``data`` what is written. Both are plain JSON.
    """

    kind: ActionKind
    topic: str
    repo: str
    number: int | None = None
    expects: Mapping[str, object] = field(default_factory=dict)
    data: Mapping[str, object] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """16 hex digits that change with anything the action says."""
        text = json.dumps([self.kind, self.topic, self.repo, self.number, self.expects, self.data], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Why something, or nothing, is done about one workaround (or one carrier of it), in one sentence."""

    workaround: str
    carrier: str | None
    decision: str
    state: str
    why: str
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything to write, in order, and a line for each workaround."""

    actions: tuple[Action, ...] = ()
    lines: tuple[Line, ...] = ()


class Result(StrEnum):
    """What became of an action; ``unclear``: its answer was lost, the next run looks."""

    DONE = "done"
    NOTHING = "nothing"
    SKIPPED = "skipped"
    HELD_BACK = "held back"
    FAILED = "failed"
    UNCLEAR = "unclear"
    LATER = "try later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One action and what became of it, in words."""

    action: Action
    result: Result
    why: str = ""
    url: str | None = None
