"""Syncbot's own limits on writing: caps a run and an hour, quiet hours, and a stop that a person can pull at any time.

`refusal` decides, from values alone. `LimitedWriter` asks it before each write of the writer it wraps, and notes what
was written. What is held back is left for a later run, which finds it again by looking.
"""

from __future__ import annotations

import datetime
import re
import zoneinfo
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from syncbot.forge.errors import HeldBackError, UnclearWriteError
from syncbot.forge.ports import Writer
from syncbot.model.errors import UsageError
from syncbot.model.forge import Comment, Issue, IssueState, NewPull, PullRequest, Write, Written

_T = TypeVar("_T")
_HOURS = re.compile(r"(\d\d:\d\d)-(\d\d:\d\d)(?: +(\S+))?")
_HOUR = datetime.timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """A span of each day without writes; it may go over midnight. ``start`` belongs to it, ``end`` does not."""

    start: datetime.time
    end: datetime.time
    zone: str = "UTC"

    @classmethod
    def parse(cls, text: str) -> QuietHours:
        """Read ``22:00-06:00`` or ``22:00-06:00 Europe/Berlin``; raises `UsageError` for anything else."""
        match = _HOURS.fullmatch(text.strip())
        try:
            if match is None:
                raise ValueError
            start, end = (datetime.time.fromisoformat(match[group]) for group in (1, 2))
            zone = match[3] or "UTC"
            zoneinfo.ZoneInfo(zone)
        except (ValueError, zoneinfo.ZoneInfoNotFoundError):
            raise UsageError(
                f"quiet hours {text!r}: expected HH:MM-HH:MM and perhaps a time zone, as in '22:00-06:00 Europe/Berlin'"
            ) from None
        return cls(start=start, end=end, zone=zone)

    def covers(self, now: datetime.datetime) -> bool:
        """Whether an aware time falls into it; a span that starts when it ends is empty."""
        local = now.astimezone(zoneinfo.ZoneInfo(self.zone)).time()
        if self.start <= self.end:
            return self.start <= local < self.end
        return local >= self.start or local < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much may be written. None: no such limit."""

    per_run: int | None = 20
    per_hour: int | None = None
    quiet: QuietHours | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What `refusal` has to know besides: the time, who stopped the bot and how, and when it wrote before this run."""

    now: datetime.datetime
    stopped: str | None = None
    earlier: tuple[datetime.datetime, ...] = ()


def refusal(limits: Limits, situation: Situation, written: Sequence[Written] = ()) -> str | None:
    """Return why the next write must wait, or None. ``written`` is what this run wrote."""
    if situation.stopped is not None:
        return situation.stopped
    if limits.quiet is not None and limits.quiet.covers(situation.now):
        quiet = limits.quiet
        return f"these are quiet hours ({quiet.start:%H:%M} to {quiet.end:%H:%M} {quiet.zone})"
    if limits.per_run is not None and len(written) >= limits.per_run:
        return f"this run has made its {limits.per_run} writes"
    if limits.per_hour is not None:
        times = (*situation.earlier, *(one.at for one in written))
        if sum(situation.now - time < _HOUR for time in times) >= limits.per_hour:
            return f"{limits.per_hour} writes were made within an hour"
    return None


class LimitedWriter:
    """A `Writer` that raises `HeldBackError` instead of a write that must wait. ``look`` tells the situation now."""

    def __init__(self, writer: Writer, limits: Limits, look: Callable[[], Situation]) -> None:
        self._writer = writer
        self._limits = limits
        self._look = look
        self._written: list[Written] = []

    @property
    def written(self) -> tuple[Written, ...]:
        """What was sent so far, with those whose answer was lost."""
        return tuple(self._written)

    def check(self, what: str) -> None:
        """Raise `HeldBackError` if a write must wait; also for a push, which goes another way but is one."""
        if reason := refusal(self._limits, self._look(), self._written):
            raise HeldBackError(f"{what}: not now, {reason}")

    def note(
        self, kind: Write, repo: str, number: int | None, url: str | None = None, *, answered: bool = True
    ) -> None:
        """Count a write."""
        self._written.append(
            Written(kind=kind, repo=repo, number=number, url=url, at=self._look().now, answered=answered)
        )

    def _send(self, kind: Write, repo: str, number: int | None, send: Callable[[], _T]) -> _T:
        self.check(f"{kind} in {repo}" + (f"#{number}" if number is not None else ""))
        try:
            answer = send()
        except UnclearWriteError:
            self.note(kind, repo, number, answered=False)
            raise
        if answer is not False:
            made = answer if isinstance(answer, PullRequest | Issue) else None
            self.note(kind, repo, made.number if made else number, made.url if made else None)
        return answer

    def open_pull(self, new: NewPull) -> PullRequest:
        """See `Writer`."""
        return self._send(Write.OPEN_PULL, new.repo, None, lambda: self._writer.open_pull(new))

    def edit_pull(
        self, repo: str, number: int, *, title: str | None = None, body: str | None = None, base: str | None = None
    ) -> None:
        """See `Writer`."""
        self._send(
            Write.EDIT_PULL,
            repo,
            number,
            lambda: self._writer.edit_pull(repo, number, title=title, body=body, base=base),
        )

    def set_draft(self, repo: str, number: int, *, draft: bool) -> bool:
        """See `Writer`; one that changes nothing does not count."""
        return self._send(Write.SET_DRAFT, repo, number, lambda: self._writer.set_draft(repo, number, draft=draft))

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        """See `Writer`."""
        self._send(Write.ADD_LABELS, repo, number, lambda: self._writer.add_labels(repo, number, labels))

    def remove_label(self, repo: str, number: int, label: str) -> None:
        """See `Writer`."""
        self._send(Write.REMOVE_LABEL, repo, number, lambda: self._writer.remove_label(repo, number, label))

    def request_review(self, repo: str, number: int, *, people: Sequence[str] = (), teams: Sequence[str] = ()) -> None:
        """See `Writer`."""
        self._send(
            Write.REQUEST_REVIEW,
            repo,
            number,
            lambda: self._writer.request_review(repo, number, people=people, teams=teams),
        )

    def open_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str] = ()) -> Issue:
        """See `Writer`."""
        return self._send(
            Write.OPEN_ISSUE,
            repo,
            None,
            lambda: self._writer.open_issue(repo, title=title, body=body, labels=labels),
        )

    def edit_issue(
        self,
        repo: str,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: IssueState | None = None,
    ) -> None:
        """See `Writer`."""
        self._send(
            Write.EDIT_ISSUE,
            repo,
            number,
            lambda: self._writer.edit_issue(repo, number, title=title, body=body, state=state),
        )

    def add_comment(self, repo: str, number: int, body: str) -> Comment:
        """See `Writer`."""
        return self._send(Write.ADD_COMMENT, repo, number, lambda: self._writer.add_comment(repo, number, body))

    def edit_comment(self, repo: str, number: int, comment: str, body: str) -> None:
        """See `Writer`."""
        self._send(Write.EDIT_COMMENT, repo, number, lambda: self._writer.edit_comment(repo, number, comment, body))

    def after_push(self, repo: str, branch: str, *, head_repo: str | None = None) -> None:
        """See `Writer`; this is no write of its own."""
        self._writer.after_push(repo, branch, head_repo=head_repo)
