"""One run for one downstream: prepare, look, plan, apply, until the plan is empty.

`plan_for` has no writer and writes nothing anywhere. `run` applies and plans again, since only a plan that comes out
empty says that it is done; the dashboard is written last, about what is there then. A workaround that cannot be dealt
with is reported, and the others go on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from syncbot.checks.spec import Spec, read_specs
from syncbot.git.clone import branch_tip
from syncbot.model.checks import Attached
from syncbot.model.errors import SyncbotError, TryLaterError
from syncbot.model.forge import IssueState, Permission
from syncbot.model.plan import Action, ActionKind, Line, Outcome, Plan, Result
from syncbot.model.project import Carrier, Project, Workaround
from syncbot.model.proposal import KIND_OF, Key, Prepared, ProposalKind, Seen, State, Stuck
from syncbot.model.status import Decision, FixFacts, Standing
from syncbot.model.words import CarriedAs, Choice
from syncbot.plan import Answer, Item, plan_key
from syncbot.proposals import compose, evidence
from syncbot.proposals.apply import Hands
from syncbot.proposals.look import Asked, View, look
from syncbot.proposals.plan_notes import NoteItem, plan_note
from syncbot.proposals.prepare import Keeps, Workshop
from syncbot.proposals.subject import Subject
from syncbot.proposals.venue import Pens, Venue
from syncbot.render.dashboard import Entry, board_topic, dashboard
from syncbot.render.measured import from_comments
from syncbot.render.memory import Known

_ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a run is about: the standings of one downstream's workarounds, and where its proposals go.

    ``attached`` are results kept beside the manifests, by workaround. ``carriers``: only decisions about these; those
    about carried patches have a venue, a workshop and a ``base_oid`` of their own, the bot's repository. ``later`` says
    what became of a fix in a commit that a pin builds. ``whole``: these are all workarounds, as a dashboard needs.
    """

    project: Project
    venue: Venue
    standings: Sequence[Standing]
    workshop: Workshop
    now: dt.datetime
    cache: Keeps | None = None
    attached: Mapping[str, tuple[Attached, ...]] = field(default_factory=dict)
    carriers: frozenset[CarriedAs] = frozenset({CarriedAs.IN_TREE, CarriedAs.BRANCH})
    base_oid: str | None = None
    later: Callable[[FixFacts, str], tuple[str, ...]] | None = None
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run came to. ``problem``: the forge could not be looked at; ``errors``: single workarounds could not."""

    plan: Plan
    outcomes: tuple[Outcome, ...] = ()
    problem: SyncbotError | None = None
    errors: tuple[SyncbotError, ...] = ()


def carrier_name(workaround: Workaround, carrier: Carrier) -> str | None:
    """Return what tells a carrier from the workaround's others; None where it has one only."""
    if len(workaround.carriers) == 1:
        return None
    return carrier.name or carrier.carried.value


def plan_for(given: Given) -> Report:
    """Return what would be written, and why; writes nothing anywhere."""
    planned = _plan(given)
    actions = planned.actions or planned.dashboard
    return Report(
        plan=Plan(actions=tuple(actions), lines=tuple(planned.lines)),
        problem=planned.view.problem,
        errors=tuple(planned.errors),
    )


def run(given: Given, pens: Pens, *, only: Callable[[Action], str | None] | None = None) -> Report:
    """Plan and apply until nothing is left, at most three times. ``only`` says why an action must not be taken."""
    outcomes: list[Outcome] = []
    planned = first = _plan(given)
    for _ in range(_ROUNDS):
        done = {each.action.digest for each in outcomes}
        new = [action for action in planned.actions if action.digest not in done]
        if not new or planned.view.problem is not None:
            break
        made = _apply(given, planned, pens, new, only)
        outcomes += made
        if all(each.result is not Result.DONE for each in made):
            break
        planned = _plan(given)
    if planned.dashboard and planned.view.problem is None:
        outcomes += _apply(given, planned, pens, planned.dashboard, only)
    lines = tuple(planned.lines)
    return Report(
        plan=Plan(actions=tuple(first.actions), lines=lines),
        outcomes=tuple(outcomes),
        problem=planned.view.problem,
        errors=tuple(planned.errors),
    )


def _apply(
    given: Given, planned: _Planned, pens: Pens, actions: Sequence[Action], only: Callable[[Action], str | None] | None
) -> list[Outcome]:
    stop = given.venue.proposals.stop_label
    board = planned.view.dashboard(given.venue.repo)
    if board is not None and board.state is IssueState.OPEN and stop in board.labels:
        why = f"the dashboard has the label {stop}"
        return [Outcome(action=action, result=Result.HELD_BACK, why=why) for action in actions]
    refused = {each.digest: no for each in actions if only is not None and (no := only(each)) is not None}
    hands = Hands(
        venue=given.venue, pens=pens, workshop=given.workshop,
        workarounds={each.facts.workaround.id: each.facts.workaround for each in given.standings},
        base=_base(given),
    )  # fmt: skip
    made = iter(hands.apply([action for action in actions if action.digest not in refused]))
    return [
        Outcome(action=action, result=Result.SKIPPED, why=refused[action.digest])
        if action.digest in refused
        else next(made)
        for action in actions
    ]


def _base(given: Given) -> tuple[str, str]:
    head = given.standings[0].facts.head if given.standings else ""
    return given.venue.base, given.base_oid or head


# -- planning ----------------------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class _Planned:
    view: View
    actions: list[Action] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    dashboard: list[Action] = field(default_factory=list)
    errors: list[SyncbotError] = field(default_factory=list)


def _plan(given: Given) -> _Planned:
    asked, decisions = _asked(given)
    view = look(given.venue, asked, given.workshop, given.project.upstreams, cache=given.cache, now=given.now)
    planned = _Planned(view=view)
    room = given.venue.proposals.max_open - view.open_count
    for standing, decision in decisions:
        try:
            room -= _one(given, planned, asked, standing, decision, room)
        except SyncbotError as error:
            workaround = standing.facts.workaround
            planned.errors.append(error)
            line = Line(
                workaround=workaround.id, carrier=carrier_name(workaround, decision.carrier),
                decision=decision.choice.value, state=State.UNKNOWN.value, why=f"Not dealt with: {error}",
            )  # fmt: skip
            planned.lines.append(line)
            planned.entries.append(Entry(line=line, title=workaround.title, section="unknown"))
    for spare in view.spare:
        planned.actions.append(
            Action(
                kind=ActionKind.EDIT_ISSUE, topic=f"spare:{spare.number}", repo=spare.repo, number=spare.number,
                expects={"state": "open"}, data={"state": "closed"},
            )
        )  # fmt: skip
    planned.dashboard = _dashboard(given, planned)
    return planned


def _asked(given: Given) -> tuple[list[Asked], list[tuple[Standing, Decision]]]:
    asked: list[Asked] = []
    decisions: list[tuple[Standing, Decision]] = []
    for standing in given.standings:
        workaround = standing.facts.workaround
        for decision in standing.decisions:
            if decision.carrier.carried not in given.carriers:
                continue
            decisions.append((standing, decision))
            for kind in ProposalKind:
                key = Key(kind=kind, workaround=workaround.id, carrier=carrier_name(workaround, decision.carrier))
                wanted = KIND_OF.get(decision.choice) is kind and decision.carrier.repo is None
                prepared = _prepare(given, key, standing, decision) if wanted else None
                asked.append(Asked(key=key, workaround=workaround, wanted=wanted, prepared=prepared))
    return asked, decisions


def _prepare(given: Given, key: Key, standing: Standing, decision: Decision) -> Prepared | Stuck:
    venue, branch = given.venue, decision.carrier.branch
    base, base_oid = venue.base, given.base_oid or standing.facts.head
    if decision.carrier.carried is CarriedAs.BRANCH and branch is not None:
        clone = given.workshop.clone
        base, base_oid = branch, branch_tip(clone, branch)
    return given.workshop.prepare(key, standing.facts.workaround, repo=venue.repo, base=base, base_oid=base_oid)


def _one(
    given: Given, planned: _Planned, asked: Sequence[Asked], standing: Standing, decision: Decision, room: int
) -> int:
    """Plan for one carrier; return how many proposals it opens."""
    workaround, view = standing.facts.workaround, planned.view
    name = carrier_name(workaround, decision.carrier)
    mine = [each for each in asked if each.key.workaround == workaround.id and each.key.carrier == name]
    subjects = [_subject(given, standing, decision, each, view) for each in mine]
    main = next((each for each, one in zip(subjects, mine, strict=True) if one.wanted), None)
    opened = 0
    answer: Answer | None = None
    for subject in subjects:
        if subject is not main and subject.seen.state in (State.NONE, State.UNKNOWN, State.OTHERS):
            continue
        given_answer = _answer(given, subject, wanted=subject is main, room=room - opened)
        planned.actions += given_answer.actions
        opened += given_answer.opens
        if answer is None or subject is main or (main is None and given_answer.actions):
            answer = given_answer
    shown = main or next((each for each in subjects if each.seen.state is not State.NONE), subjects[0])
    if shown.seen.state is State.UNKNOWN and view.problem is None:
        planned.errors.append(TryLaterError(f"{shown.key}: {shown.seen.problem}"))
    note = _note(given, planned, subjects[0] if main is None else main, view)
    why = note.why or (answer.why if answer is not None else decision.next)
    why = " ".join([why, *(f"Not taken: {line}." for each in subjects for line in each.unread)])
    _tell(planned, shown, why, wanted=main is not None, noted=bool(note.why))
    return opened


def _subject(given: Given, standing: Standing, decision: Decision, asked: Asked, view: View) -> Subject:
    workaround = standing.facts.workaround
    seen = view.seen.get(asked.key, Seen(state=State.UNKNOWN, problem="nobody looked"))
    # Whose words count was asked when the comments were read.
    found, unread = from_comments(seen.trusted, lambda _: Permission.WRITE)
    return Subject(
        key=asked.key, standing=standing, decision=decision, prepared=asked.prepared, seen=seen, venue=given.venue,
        upstreams=given.project.upstreams, specs=_specs(workaround),
        later=_later(given, standing, decision) if asked.wanted else (),
        attached=(*given.attached.get(workaround.id, ()), *found), unread=unread,
    )  # fmt: skip


def _later(given: Given, standing: Standing, decision: Decision) -> tuple[str, ...]:
    if given.later is None:
        return ()
    lines: list[str] = []
    for row in evidence.rows(standing, decision.carrier):
        told = given.later(row.fix, row.target) if row.target is not None else ()
        lines += [f"{row.fix.claim.label} in {row.ref}: {told[0]}", *told[1:]] if told else []
    return tuple(lines)


def _specs(workaround: Workaround) -> tuple[Spec, ...]:
    return read_specs(workaround.checks)


def _answer(given: Given, subject: Subject, *, wanted: bool, room: int) -> Answer:
    venue = given.venue
    item = Item(
        key=subject.key, decision=subject.decision, stage=subject.standing.stage, wanted=wanted,
        prepared=subject.prepared, seen=subject.seen, evidence=subject.evidence, mode=venue.mode, repo=venue.repo,
        push_repo=venue.push_repo, home=venue.home, proposals=venue.proposals, labels=subject.labels,
        texts=compose.texts(subject) if subject.seen.state is not State.UNKNOWN else None,
        ready=compose.ready(subject), waits=_waits(given, subject), issues=subject.issues,
        place=_place(subject.seen) if venue.files else None,
    )  # fmt: skip
    return plan_key(item, today=subject.standing.facts.today, room=room)


def _place(seen: Seen) -> str:
    """The folder of a proposal that is files, "" where nobody knows."""
    url = seen.pull.url if seen.pull is not None else ""
    return unquote(urlsplit(url).path) if url.startswith("file:") else ""


def _waits(given: Given, subject: Subject) -> str | None:
    venue = given.venue
    if subject.issues and venue.home is None:
        return "a hand-off needs [proposals.home], the repository of the issue a person finds it in"
    if subject.issues and venue.head_repo is None:
        return "a hand-off needs [proposals] fork, the repository its branch is pushed to"
    if subject.key.kind is not ProposalKind.REMOVAL:
        return None
    return evidence.young(subject.standing, subject.decision.carrier, venue.proposals.min_release_age_days)


def _note(given: Given, planned: _Planned, subject: Subject, view: View) -> Answer:
    """The issue that asks a person to look, if one is called for."""
    stuck = subject.prepared if isinstance(subject.prepared, Stuck) else None
    called_for = subject.decision.choice is Choice.REVIEW or (stuck is not None and not stuck.empty)
    topic = compose.review_topic(subject.workaround, subject.key.carrier)
    held = view.issues.get(topic)
    note = compose.review(subject) if called_for else None
    if note is not None and held is not None:
        note = compose.kept_text(note, held[0].body)
    answer = plan_note(
        NoteItem(
            topic=topic, home=given.venue.home, note=note, issue=held[0] if held else None,
            record=held[1] if held else None, problem=str(view.problem) if view.problem and called_for else None,
        )
    )  # fmt: skip
    planned.actions += answer.actions
    return answer


def _tell(planned: _Planned, subject: Subject, why: str, *, wanted: bool, noted: bool) -> None:
    workaround, seen = subject.workaround, subject.seen
    name = carrier_name(workaround, subject.decision.carrier)
    there = seen.pull or seen.issue
    if noted and (held := planned.view.issues.get(compose.review_topic(workaround, name))) is not None:
        there = held[0]
    choice = subject.decision.choice
    line = Line(
        workaround=workaround.id, carrier=name, decision=choice.value, state=seen.state.value, why=why,
        url=there.url if there is not None and there.url else None,
    )  # fmt: skip
    planned.lines.append(line)
    alive = wanted or seen.state is not State.NONE
    section = "review" if noted else seen.state.value if alive else _SECTION.get(choice, choice.value)
    topic = str(subject.key) if alive and not noted else ""
    planned.entries.append(
        Entry(
            line=line,
            title=workaround.title,
            section=section,
            topic=topic,
            boxes=_boxes(seen, planned.view.ticked.get(("hold", topic), False)) if topic else None,
        )
    )


_SECTION = {Choice.REVIEW: "review", Choice.REMOVE: "none", Choice.RESTORE: "none", Choice.REFRESH: "none"}


def _boxes(seen: Seen, held: bool) -> dict[str, bool]:
    """The boxes of a line; the one that holds stays as a person left it, the others are ticked to ask once."""
    boxes = {"hold": held}
    if seen.state is State.OPEN:
        boxes["rebase"] = False
    if seen.state in (State.DECLINED, State.MERGED):
        boxes = {"reopen": False}
    return boxes


def _dashboard(given: Given, planned: _Planned) -> list[Action]:
    venue, view = given.venue, planned.view
    title = venue.proposals.dashboard
    if title is None or venue.home is None or view.problem is not None or not given.whole:
        return []
    topic = board_topic(venue.repo)
    held = view.issues.get(topic)
    known = {
        str(key): Known(
            number=seen.pull.number, merged=seen.state is State.MERGED,
            evidence=seen.record.evidence if seen.record else "", closed=seen.pull.closed_at, url=seen.pull.url,
        )
        for key, seen in view.seen.items()
        if seen.state in (State.DECLINED, State.MERGED) and seen.pull is not None and seen.issue is None
    }  # fmt: skip
    note = dashboard(planned.entries, known, repo=venue.repo, title=title, folder=venue.templates)
    note = compose.kept_text(note, held[0].body if held else None)
    answer = plan_note(
        NoteItem(
            topic=topic, home=venue.home, note=note, issue=held[0] if held else None,
            record=held[1] if held else None,
        )
    )  # fmt: skip
    return list(answer.actions)


def outcome_error(report: Report) -> SyncbotError | None:
    """Return the error a run amounts to: look or try later, or an action that failed; None if all is well."""
    if report.problem is not None:
        return report.problem
    if report.errors:
        return min(report.errors, key=lambda error: error.exit_code)
    later = [each for each in report.outcomes if each.result in (Result.LATER, Result.UNCLEAR)]
    failed = [each for each in report.outcomes if each.result is Result.FAILED]
    if failed:
        return SyncbotError(f"{len(failed)} of {len(report.outcomes)} actions failed")
    if later:
        return TryLaterError(f"{len(later)} of {len(report.outcomes)} actions are left for a later run")
    return None


def joined(reports: Sequence[Report]) -> Report:
    """Return several reports about one downstream as one."""
    return Report(
        plan=Plan(
            actions=tuple(action for each in reports for action in each.plan.actions),
            lines=tuple(line for each in reports for line in each.plan.lines),
        ),
        outcomes=tuple(outcome for each in reports for outcome in each.outcomes),
        problem=next((each.problem for each in reports if each.problem is not None), None),
        errors=tuple(error for each in reports for error in each.errors),
    )
