"""From standings to a plan for one downstream: prepare, look at the forge, decide for each key. Writes nothing.

A workaround that cannot be dealt with is reported, and the others go on.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote, urlsplit

from syncbot.checks.spec import Spec, read_specs
from syncbot.git.clone import branch_tip
from syncbot.model.checks import Attached
from syncbot.model.errors import SyncbotError, TryLaterError
from syncbot.model.forge import Permission
from syncbot.model.plan import Action, ActionKind, Line
from syncbot.model.project import Carrier, Project, Repo, Workaround
from syncbot.model.proposal import KIND_OF, OF_ONE, Key, Prepared, ProposalKind, Seen, State, Stuck
from syncbot.model.status import Decision, FixFacts, Standing
from syncbot.model.words import CarriedAs, Choice
from syncbot.plan import Answer, Item, plan_key
from syncbot.proposals import bundle, compose, evidence
from syncbot.proposals.look import Asked, View, look
from syncbot.proposals.plan_notes import NoteItem, plan_note
from syncbot.proposals.prepare import Keeps, Workshop
from syncbot.proposals.subject import Subject
from syncbot.proposals.tracking import plan_tracking
from syncbot.proposals.venue import Venue
from syncbot.render.dashboard import Entry, board_topic, dashboard
from syncbot.render.measured import from_comments
from syncbot.render.memory import Known

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a run is about: the standings of one downstream's workarounds, and where its proposals go.

    ``attached`` are results kept beside the manifests, by workaround. ``carriers``: only decisions about these; those
    about carried patches have a venue, a workshop and a ``base_oid`` of their own, the bot's repository. ``later`` says
    what became of a fix in a commit that a pin builds. ``whole``: these are all workarounds, as a dashboard needs.
    ``archived`` are ids of the archive's, which are told of only when something is to be done.
    ``where``: only carriers that name this repository for themselves; None, those that name none.
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
    where: Repo | None = None
    archived: frozenset[str] = frozenset()


def carrier_name(workaround: Workaround, carrier: Carrier) -> str | None:
    """Return what tells a carrier from the workaround's others; None where it has one only."""
    if len(workaround.carriers) == 1:
        return None
    return carrier.name or carrier.carried.value


@dataclass(kw_only=True)
class Planned:
    """What came out so far. ``bundled``: the removals in a bundle, with what is done about it and its state.

    ``hidden`` are ids that get no line while nothing is offered of them.
    """

    view: View
    actions: list[Action] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    dashboard: list[Action] = field(default_factory=list)
    errors: list[SyncbotError] = field(default_factory=list)
    bundled: dict[Key, tuple[str, Seen]] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


def plan(given: Given) -> Planned:
    """Return everything to write about ``given``, and a line for each workaround."""
    asked, decisions = _asked(given)
    view = look(given.venue, asked, given.workshop, given.project.upstreams, cache=given.cache, now=given.now)
    planned = Planned(view=view, hidden=given.archived)
    room = given.venue.proposals.max_open - view.open_count
    if CarriedAs.IN_TREE in given.carriers and given.where is None:
        for name, ids in given.venue.proposals.bundles.items():
            room -= _bundle(given, planned, asked, decisions, name=name, ids=ids, room=room)
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
    planned.dashboard = [*_tracking(given, planned), *_dashboard(given, planned)]
    return planned


def _tracking(given: Given, planned: Planned) -> list[Action]:
    """What the comments on the workarounds' own issues need; those are written last, about what is there then."""
    found: list[Action] = []
    if given.where is not None or CarriedAs.IN_TREE not in given.carriers or planned.view.problem is not None:
        return []
    for standing in given.standings:
        workaround = standing.facts.workaround
        if workaround.id in given.archived:
            continue
        told = {each.carrier: each for each in planned.lines if each.workaround == workaround.id}
        lines = [(each, told.get(carrier_name(workaround, each.carrier))) for each in standing.decisions]
        try:
            found += plan_tracking(given.venue, standing, lines, given.cache)
        except SyncbotError as error:
            planned.errors.append(error)
    return found


def _asked(given: Given) -> tuple[list[Asked], list[tuple[Standing, Decision]]]:
    asked: list[Asked] = []
    decisions: list[tuple[Standing, Decision]] = []
    for standing in given.standings:
        workaround = standing.facts.workaround
        for decision in standing.decisions:
            if decision.carrier.carried not in given.carriers or decision.carrier.repo != given.where:
                continue
            decisions.append((standing, decision))
            for kind in OF_ONE:
                key = Key(kind=kind, workaround=workaround.id, carrier=carrier_name(workaround, decision.carrier))
                wanted = KIND_OF.get(decision.choice) is kind
                prepared = _prepare(given, key, standing, decision) if wanted else None
                asked.append(Asked(key=key, workaround=workaround, wanted=wanted, prepared=prepared))
    return asked, decisions


def _prepare(given: Given, key: Key, standing: Standing, decision: Decision) -> Prepared | Stuck:
    venue, carrier, head = given.venue, decision.carrier, standing.facts.head
    base, base_oid = venue.base, given.base_oid or head
    if carrier.carried is not CarriedAs.PATCH_FILE and (carrier.branch is not None or given.where is not None):
        clone = given.workshop.clone
        base = carrier.branch or venue.base
        base_oid = branch_tip(clone, carrier.branch)
    if key.kind is ProposalKind.REFRESH and carrier.carried is CarriedAs.BRANCH:
        # A folder is nobody's branch, and one of a fork is not the one that is carried.
        push = venue.proposals.push_refresh and not venue.files and venue.head_repo is None
        return given.workshop.refresh(
            key, standing.facts.workaround, repo=venue.repo, base=base, base_oid=base_oid, onto=head, push=push
        )
    return given.workshop.prepare(key, standing.facts.workaround, repo=venue.repo, base=base, base_oid=base_oid)


def _bundle(
    given: Given, planned: Planned, asked: Sequence[Asked], decisions: Sequence[tuple[Standing, Decision]], *,
    name: str, ids: Sequence[str], room: int,
) -> int:  # fmt: skip
    """Plan for one bundle, and note which removals it offers; return how many proposals it opens."""
    by_key = {each.key: each for each in asked}
    about: dict[str, Subject] = {}
    for standing, decision in decisions:
        workaround = standing.facts.workaround
        key = Key(
            kind=ProposalKind.REMOVAL, workaround=workaround.id, carrier=carrier_name(workaround, decision.carrier)
        )
        if workaround.id in ids and decision.carrier.carried is CarriedAs.IN_TREE and key in by_key:
            about.setdefault(workaround.id, _subject(given, standing, decision, by_key[key], planned.view))
    if not about:
        return 0
    min_age = given.venue.proposals.min_release_age_days
    today = next(iter(about.values())).standing.facts.today
    due = bundle.alike([each for each in about.values() if bundle.joins(each, today=today, min_age=min_age)])
    if not given.whole:
        planned.bundled |= {each.key: (f"In bundle {name}, which a run over all workarounds looks after.", each.seen)
                            for each in due}  # fmt: skip
        return 0
    try:
        return _bundle_of(given, planned, name, about, due, room)
    except SyncbotError as error:
        planned.errors.append(error)
        return 0


def _bundle_of(
    given: Given, planned: Planned, name: str, about: Mapping[str, Subject], due: Sequence[Subject], room: int
) -> int:
    key, view = bundle.key_of(name), planned.view
    prepared = _prepare_bundle(given, key, due)
    workaround = next(iter(about.values())).workaround
    seen = view.also(Asked(key=key, workaround=workaround, wanted=bool(due), prepared=prepared))
    fits = prepared.members if isinstance(prepared, Prepared) else ()
    chosen = bundle.choose([each for each in due if each.workaround.id in fits], seen)
    if [each.workaround.id for each in chosen.members] != list(fits):
        prepared = _prepare_bundle(given, key, chosen.members)
    subject = bundle.as_subject(key, tuple(about.values()), chosen, prepared, seen)
    found, unread = _attached(seen)
    subject = replace(subject, attached=(*subject.attached, *found), unread=unread)
    if unsure := bundle.doubtful(seen, about):
        why = f"Bundle {name} stays as it is: whether {', '.join(unsure)} may still go cannot be told now."
        answer = Answer(why=why)
    else:
        answer = _answer(given, subject, wanted=bool(chosen.members), room=room)
    no = f"Refused with bundle {name}; quiet until the evidence changes or a person asks for it again."
    planned.bundled |= {each.key: (no, seen) for each in due if each.workaround.id in chosen.refused}
    if seen.state is State.NONE and not chosen.members:
        return 0
    planned.actions += answer.actions
    if seen.state is State.UNKNOWN and view.problem is None:
        planned.errors.append(TryLaterError(f"{key}: {seen.problem}"))
    why = " ".join([answer.why, *(f"Not taken: {line}." for line in unread)])
    _tell(planned, subject, why, wanted=bool(chosen.members), noted=False)
    offered = {each.workaround.id for each in chosen.members}
    if unsure and seen.record is not None:
        offered |= bundle.inside(seen.record.evidence)
    planned.bundled |= {
        each.key: (f"In bundle {name}. {answer.why}", seen) for each in about.values() if each.workaround.id in offered
    }
    return int(answer.opens)


def _prepare_bundle(given: Given, key: Key, members: Sequence[Subject]) -> Prepared | Stuck | None:
    if not members:
        return None
    base_oid = given.base_oid or members[0].standing.facts.head
    workarounds = [each.workaround for each in members]
    return given.workshop.bundle(key, workarounds, repo=given.venue.repo, base=given.venue.base, base_oid=base_oid)


def _one(
    given: Given, planned: Planned, asked: Sequence[Asked], standing: Standing, decision: Decision, room: int
) -> int:
    """Plan for one carrier; return how many proposals it opens."""
    workaround, view = standing.facts.workaround, planned.view
    name = carrier_name(workaround, decision.carrier)
    mine = [each for each in asked if each.key.workaround == workaround.id and each.key.carrier == name]
    subjects = [_subject(given, standing, decision, each, view) for each in mine]
    main = next((each for each, one in zip(subjects, mine, strict=True) if one.wanted), None)
    opened = 0
    answer: Answer | None = None
    whole = planned.bundled.get(main.key) if main is not None else None
    for subject in subjects:
        if subject is main and whole is not None:
            continue
        if subject is not main and subject.seen.state in (State.NONE, State.UNKNOWN, State.OTHERS):
            continue
        given_answer = _answer(given, subject, wanted=subject is main, room=room - opened)
        planned.actions += given_answer.actions
        opened += given_answer.opens
        if answer is None or subject is main or (main is None and given_answer.actions):
            answer = given_answer
    if main is not None and whole is not None:
        _tell(planned, replace(main, seen=whole[1]), whole[0], wanted=True, noted=False, boxes=False)
        return opened
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
    found, unread = _attached(seen)
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


def _attached(seen: Seen) -> tuple[tuple[Attached, ...], tuple[str, ...]]:
    """The results that comments brought, and which were not taken."""
    # Whose words count was asked when the comments were read.
    return from_comments(seen.trusted, lambda _: Permission.WRITE)


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


def _note(given: Given, planned: Planned, subject: Subject, view: View) -> Answer:
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


def _tell(planned: Planned, subject: Subject, why: str, *, wanted: bool, noted: bool, boxes: bool = True) -> None:
    workaround, seen = subject.workaround, subject.seen
    if workaround.id in planned.hidden and not wanted and seen.state not in (State.OPEN, State.PUSHED):
        return
    whole = subject.key.kind is ProposalKind.BUNDLE
    name = None if whole else carrier_name(workaround, subject.decision.carrier)
    there = seen.pull or seen.issue
    if noted and (held := planned.view.issues.get(compose.review_topic(workaround, name))) is not None:
        there = held[0]
    choice = subject.decision.choice
    line = Line(
        workaround=subject.key.workaround, carrier=name, decision="bundle" if whole else choice.value,
        state=seen.state.value, why=why,
        url=there.url if there is not None and there.url else None,
    )  # fmt: skip
    planned.lines.append(line)
    alive = wanted or seen.state is not State.NONE
    section = "review" if noted else seen.state.value if alive else _SECTION.get(choice, choice.value)
    topic = str(subject.key) if alive and not noted and boxes else ""
    planned.entries.append(
        Entry(
            line=line,
            title=f"Bundle {subject.key.workaround}" if whole else workaround.title,
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


def _dashboard(given: Given, planned: Planned) -> list[Action]:
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
