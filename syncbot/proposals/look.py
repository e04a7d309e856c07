"""Look at the forge: what it holds for each key a decision is about. Reads only; what cannot be read is ``unknown``.

An idle run costs the same few requests however many workarounds there are: one ``git ls-remote`` for the branches, one
listing of open pull requests, one of the bot's own issues. Comments are asked for where ``updated_at`` is not the one
whose comments the cache has. Only a key that would be proposed now, and is nowhere to be seen, is asked about by name.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncbot.forge.errors import NotFoundError
from syncbot.model.errors import SyncbotError
from syncbot.model.forge import Issue, IssueState, PullRequest, PullState
from syncbot.model.project import Upstream, Workaround
from syncbot.model.proposal import Key, Prepared, Progress, ProposalKind, Record, Seen, State, Stuck, Wish
from syncbot.proposals import bundle, others
from syncbot.proposals.hearing import Hearing
from syncbot.proposals.prepare import Keeps, Workshop
from syncbot.proposals.venue import Venue
from syncbot.render.branch import branch_name, parse_branch
from syncbot.render.dashboard import board_topic
from syncbot.render.memory import Known, read_memory
from syncbot.render.regions import read_record
from syncbot.render.wishes import boxes, commands, wish_of, with_boxes

log = logging.getLogger(__name__)

ISSUE_LABEL = "syncbot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One key to look for: ``wanted`` if a decision asks for it, with what was prepared."""

    key: Key
    workaround: Workaround
    wanted: bool = False
    prepared: Prepared | Stuck | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the forge holds. ``issues`` are the bot's own by topic; ``spare`` those whose topic has an older issue."""

    seen: dict[Key, Seen]
    ask: Callable[[Asked], Seen]
    issues: Mapping[str, tuple[Issue, Record]] = field(default_factory=dict)
    spare: tuple[Issue, ...] = ()
    ticked: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    open_count: int = 0
    problem: SyncbotError | None = None

    def also(self, asked: Asked) -> Seen:
        """Look for one more key; its answer joins ``seen``."""
        return self.seen.setdefault(asked.key, self.ask(asked))

    def dashboard(self, repo: str) -> Issue | None:
        """The dashboard issue about ``repo``, open or closed."""
        held = self.issues.get(board_topic(repo))
        return held[0] if held else None


def topic_of(kind: str, key: Key) -> str:
    """Return the topic of an issue about a key: ``hand-off:removal/guard``."""
    return f"{kind}:{key}"


def look(
    venue: Venue, asked: Sequence[Asked], workshop: Workshop, upstreams: Mapping[str, Upstream], *,
    cache: Keeps | None, now: dt.datetime,
) -> View:  # fmt: skip
    """Return what the forge holds for ``asked``; bundles are asked for after that, with `View.also`."""
    try:
        return _Look(venue, workshop, upstreams, cache, now).run(asked)
    except SyncbotError as error:
        unknown = Seen(state=State.UNKNOWN, problem=str(error))
        return View(seen={each.key: unknown for each in asked}, problem=error, ask=lambda _: unknown)


class _Look:
    def __init__(
        self, venue: Venue, workshop: Workshop, upstreams: Mapping[str, Upstream], cache: Keeps | None, now: dt.datetime
    ) -> None:
        self.venue = venue
        self.workshop = workshop
        self.upstreams = upstreams
        self.cache = cache
        self.now = now

    def run(self, asked: Sequence[Asked]) -> View:
        venue = self.venue
        self.bot = venue.reader.identity()
        self.hearing = Hearing(self.bot, self.cache, self.now, files=venue.files)
        self.tips = venue.destination.branches(self.workshop.pusher())
        self.pulls: tuple[PullRequest, ...] = _or_nothing(venue, lambda: venue.reader.open_pulls(venue.repo))
        self.issues, spare = self._issues()
        held = self.issues.get(board_topic(venue.repo))
        self.known: Mapping[str, Known] = read_memory(held[0].body) if held else {}
        ticked = boxes(held[0].body) if held and held[0].state is IssueState.OPEN else {}
        told = self.hearing.commands(venue.home_reader, venue.home, held[0]) if held and venue.home else []
        self.ours: dict[Key, PullRequest] = {}
        for pull in self.pulls:
            key = parse_branch(pull.head)
            if key is not None and _same(pull.head_repo, venue.push_repo):
                self.ours.setdefault(key, pull)
        handed = [
            issue for topic, (issue, _) in self.issues.items()
            if topic.startswith("hand-off:") and issue.state is IssueState.OPEN
        ]  # fmt: skip
        self.open_count = len(self.ours) + len(handed)
        self.room = venue.proposals.max_open - self.open_count
        self.ticked, self.told = ticked, told
        self.bundled = self._bundled()
        seen = {each.key: self._one(each) for each in asked}
        return View(
            seen=seen, ask=self._one, issues=self.issues, spare=spare, ticked=ticked, open_count=self.open_count
        )

    def _bundled(self) -> frozenset[str]:
        """The workarounds that a bundle offers, or offered: nobody needs to ask whether they were offered alone."""
        told = [self.known[topic].evidence for topic in self.known if topic.startswith("bundle/")]
        told += [record.evidence for topic, (_, record) in self.issues.items() if topic.startswith("hand-off:bundle/")]
        for key, pull in self.ours.items():
            if key.kind is ProposalKind.BUNDLE and (record := read_record(pull.body)) is not None:
                told.append(record.evidence)
        return frozenset(name for each in told for name in bundle.inside(each))

    # -- the bot's own issues ----------------------------------------------------------------------------------------

    def _issues(self) -> tuple[dict[str, tuple[Issue, Record]], tuple[Issue, ...]]:
        """The bot's issues by topic, the oldest of each; later open ones of the same topic are spare."""
        venue = self.venue
        if venue.home is None or venue.home_reader is None:
            return {}, ()
        reader, home = venue.home_reader, venue.home
        listed = _or_nothing(venue, lambda: reader.issues(home, state=None, labels=(ISSUE_LABEL,)))
        found: dict[str, tuple[Issue, Record]] = {}
        spare: list[Issue] = []
        bot = reader.identity()
        for issue in sorted(listed, key=lambda each: each.number):
            record = read_record(issue.body)
            if record is None or issue.author.login != bot.login:
                continue
            held = found.get(record.topic)
            if held is None or held[0].state is IssueState.CLOSED:
                found[record.topic] = (issue, record)
            elif issue.state is IssueState.OPEN:
                spare.append(issue)
        return found, tuple(spare)

    # -- one key -----------------------------------------------------------------------------------------------------

    def _one(self, each: Asked) -> Seen:
        try:
            if self.venue.mode.value == "hand-off" and not self.venue.files:
                return self._hand_off(each)
            return self._pull(each)
        except SyncbotError as error:
            return Seen(state=State.UNKNOWN, problem=str(error))

    def _pull(self, each: Asked) -> Seen:
        pull, tip = self.ours.get(each.key), self.tips.get(branch_name(each.key))
        if pull is None and each.wanted and (other := self._others(each)) is not None:
            return Seen(state=State.OTHERS, pull=other, tip=tip)
        if pull is None:
            pull = self._ended(each)
        if pull is None:
            state = State.PUSHED if tip is not None and self._foreign(each, tip, None) else State.NONE
            return Seen(state=state, tip=tip, wish=self._wish(each))
        record = read_record(pull.body)
        if record is None and pull.state is PullState.OPEN and pull.author.login != self.bot.login:
            # Somebody opened one from our branch, in words of their own.
            return Seen(state=State.OTHERS, pull=pull, tip=tip)
        if pull.state is not PullState.OPEN:
            return self._closed(each, pull, record, tip)
        return self._open(each, pull, None, record, tip or pull.head_oid)

    def _open(
        self, each: Asked, pull: PullRequest | None, issue: Issue | None, record: Record | None, tip: str | None
    ) -> Seen:
        where = (self.venue.reader, self.venue.repo, pull) if pull else (self.venue.home_reader, self.venue.home, issue)
        comments = self.hearing.comments(*where)
        given = self.hearing.allowed(where[0], where[1], commands(comments))
        wish = wish_of(given, labels=where[2].labels if where[2] else (), answered=record.answered if record else "")
        wish = _joined(wish, self._wish(each))
        state = State.OPEN
        if tip is not None and self._foreign(each, tip, record):
            state = State.PUSHED
        merges, distance = self._meets(each, record, tip)
        return Seen(
            state=state, pull=pull, issue=issue, record=record, tip=tip, merges=merges, distance=distance,
            trusted=self.hearing.trusted(where[0], where[1], comments), said=self.hearing.said(comments), wish=wish,
        )  # fmt: skip

    def _closed(self, each: Asked, pull: PullRequest, record: Record | None, tip: str | None) -> Seen:
        state = State.MERGED if pull.state is PullState.MERGED else State.DECLINED
        return Seen(
            state=state, pull=pull, record=record, tip=tip, wish=self._wish(each, after=pull.closed_at)
        )  # fmt: skip

    def _ended(self, each: Asked) -> PullRequest | None:
        """The latest proposal that is not open any more, asked for by name where a new one might be opened."""
        if not each.wanted or not isinstance(each.prepared, Prepared):
            return None
        single = each.key.kind is ProposalKind.REMOVAL and each.key.workaround in self.venue.proposals.bundled
        if single and each.key.workaround in self.bundled:
            return None
        known = self.known.get(str(each.key))
        if known is not None and not self._wish(each, after=known.closed).reopen:
            return known.pull(self.venue.repo, each.key)
        if self.room <= 0 and not single:
            return None
        venue = self.venue
        found = _or_nothing(
            venue,
            lambda: venue.reader.pulls_of_branch(venue.repo, branch_name(each.key), head_repo=venue.head_repo),
        )
        latest = next((pull for pull in found if pull.state is PullState.OPEN), found[0] if found else None)
        if latest is None and not single:
            self.room -= 1
        return latest

    def _hand_off(self, each: Asked) -> Seen:
        held = self.issues.get(topic_of("hand-off", each.key))
        tip = self.tips.get(branch_name(each.key))
        submitted = next((pull for pull in self.pulls if self._is_of(pull, each.key)), None)
        if submitted is None and each.wanted and (other := self._others(each)) is not None:
            return Seen(
                state=State.OTHERS,
                pull=other,
                tip=tip,
                issue=held[0] if held else None,
                record=held[1] if held else None,
            )
        if held is None:
            if submitted is not None:
                return Seen(state=State.SUBMITTED, pull=submitted, tip=tip)
            state = State.PUSHED if tip is not None and self._foreign(each, tip, None) else State.NONE
            return Seen(state=state, tip=tip, wish=self._wish(each))
        issue, record = held
        if submitted is not None:
            return Seen(state=State.SUBMITTED, pull=submitted, issue=issue, record=record, tip=tip)
        if record.pull is not None:
            return self._ended_hand_off(each, issue, record, tip)
        if issue.state is IssueState.CLOSED:
            return Seen(
                state=State.DECLINED, issue=issue, record=record, tip=tip,
                wish=self._wish(each, after=issue.closed_at),
            )  # fmt: skip
        return self._open(each, None, issue, record, tip)

    def _ended_hand_off(self, each: Asked, issue: Issue, record: Record, tip: str | None) -> Seen:
        """A hand-off whose pull request is not open any more; once the issue says how it ended, nobody asks again."""
        wish = self._wish(each, after=issue.closed_at)
        if record.progress in (Progress.MERGED, Progress.CLOSED):
            state = State.MERGED if record.progress == Progress.MERGED else State.DECLINED
            return Seen(state=state, issue=issue, record=record, tip=tip, wish=wish)
        assert record.pull is not None
        pull = self.venue.reader.pull(self.venue.repo, record.pull)
        if pull.state is PullState.OPEN:
            return Seen(state=State.SUBMITTED, pull=pull, issue=issue, record=record, tip=tip)
        state = State.MERGED if pull.state is PullState.MERGED else State.DECLINED
        return Seen(state=state, pull=pull, issue=issue, record=record, tip=tip, wish=wish)

    def _is_of(self, pull: PullRequest, key: Key) -> bool:
        """Whether a person's pull request is this hand-off, by its branch or by the record in its body."""
        if parse_branch(pull.head) == key:
            return True
        return f"<!-- syncbot-proposal {key} -->" in pull.body

    def _wish(self, each: Asked, *, after: dt.datetime | None = None) -> Wish:
        """What the dashboard's comments and boxes ask of a key; ``after``: when its last proposal ended."""
        about = [one for one in self.told if one.workaround == each.key.workaround]
        return with_boxes(wish_of(about, after=after), str(each.key), self.ticked)

    def _others(self, each: Asked) -> PullRequest | None:
        """An open pull request of somebody else that does the same."""
        if each.key.kind is not ProposalKind.REMOVAL or not isinstance(each.prepared, Prepared):
            return None
        theirs = [
            pull for pull in self.pulls
            if not _same(pull.head_repo, self.venue.push_repo) or parse_branch(pull.head) is None
        ]  # fmt: skip
        return others.find(
            each.prepared, each.workaround, theirs, reader=self.venue.reader, repo=self.venue.repo,
            upstreams=self.upstreams, cache=self.cache,
        )  # fmt: skip

    # -- how a branch stands -----------------------------------------------------------------------------------------

    def _foreign(self, each: Asked, tip: str, record: Record | None) -> bool:
        """Whether somebody else committed to the branch. Raises `NotFoundError` when nobody can tell."""
        if record is not None and tip == record.head:
            return False
        if isinstance(each.prepared, Prepared) and tip == each.prepared.head:
            return False
        ours = self._made_by_us(each, tip)
        if ours is None:
            raise NotFoundError(f"the commits of {branch_name(each.key)} cannot be read, so whose they are is unknown")
        return not ours

    def _made_by_us(self, each: Asked, tip: str) -> bool | None:
        if not self.workshop.has(tip):
            self.venue.destination.bring(self.workshop.pusher(), branch_name(each.key))
        return self.workshop.made_by_us(tip, each.key)

    def _meets(self, each: Asked, record: Record | None, tip: str | None) -> tuple[bool | None, int | None]:
        if not isinstance(each.prepared, Prepared) or record is None or tip is None:
            return None, None
        moved = record.base != each.prepared.base_oid or each.key.kind is ProposalKind.REFRESH
        if moved and not self.workshop.has(tip):
            self.venue.destination.bring(self.workshop.pusher(), branch_name(each.key))
        return self.workshop.meets(record, each.prepared, tip)


def _or_nothing(venue: Venue, ask: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """Ask; a folder that was not made yet holds nothing, while a host without the repository is an error."""
    try:
        return ask()
    except NotFoundError:
        if venue.files:
            return ()
        raise


def _same(one: str | None, other: str) -> bool:
    return one is not None and one.lower() == other.lower()


def _joined(own: Wish, dashboard: Wish) -> Wish:
    if not (dashboard.held or dashboard.rebase or dashboard.reopen):
        return own
    return Wish(
        held=own.held or dashboard.held, until=own.until if own.held else dashboard.until,
        rebase=own.rebase or dashboard.rebase, reopen=own.reopen or dashboard.reopen, by=own.by or dashboard.by,
        comment=own.comment,
    )  # fmt: skip
