"""Everything a proposal, an issue or a comment says, rendered before anything is planned. Reads only templates."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from syncbot.checks.judge import gate, judge, stale_reason
from syncbot.edit import told
from syncbot.model.checks import Gate, Judged, Wanted
from syncbot.model.forge import BODY_LIMIT, TITLE_LIMIT
from syncbot.model.project import Workaround
from syncbot.model.proposal import Key, Note, Prepared, Progress, ProposalKind, Record, Seen, State, Stuck, Texts
from syncbot.plan import todo_of
from syncbot.proposals import compose_values
from syncbot.proposals.subject import Subject, pin_of
from syncbot.proposals.venue import Venue
from syncbot.render import results
from syncbot.render.commit import title_of
from syncbot.render.regions import merge, read_record, with_record
from syncbot.render.shorten import shorten
from syncbot.render.template import render
from syncbot.render.text import plain

_POINTER = (
    "(Left out, since the whole would be too long for this forge. `syncbot report` has the evidence, `syncbot remove` "
    "and `syncbot rebase` print the edit, and the folder of results beside the manifest has the figures.)"
)
# What stands around a text that is itself quoted in an issue, or marked as said in a comment.
_AROUND = 4_000
_MARKER = "<!-- syncbot-proposal {key} -->"
_REGION_LINE = re.compile(r"^<!-- syncbot:(?:begin|end|record|/?results)\b.*-->\n?", re.MULTILINE)


def judged(subject: Subject) -> tuple[tuple[Judged, ...], Gate]:
    """Return the checklist with its verdicts, and whether the proposal may leave draft."""
    prepared, there = subject.prepared, subject.seen.pull or subject.seen.issue
    if not isinstance(prepared, Prepared) or subject.key.kind not in (ProposalKind.REMOVAL, ProposalKind.BUNDLE):
        return (), Gate(ready=False)
    wanted = _wanted(subject, prepared)
    checks = judge(subject.specs, subject.attached, wanted)
    ticks = results.read_ticks(there.body) if there is not None else {}
    stale = [why for each in subject.attached if (why := stale_reason(each, wanted))]
    return checks, gate(checks, ticks, stale)


def ready(subject: Subject) -> bool:
    """Whether every required check has passed; without checks nothing shows that it may leave draft."""
    return bool(subject.specs) and judged(subject)[1].ready


def _wanted(subject: Subject, prepared: Prepared) -> Wanted:
    limit = subject.venue.proposals.results_max_distance
    distance = subject.seen.distance
    # Below the limit the distance changes nothing, and a number that moves with the base has no place in a text.
    far = distance if distance is not None and distance > limit else None
    return Wanted(edit=prepared.edit, pin=pin_of(subject), distance=far, max_distance=limit)


def texts(subject: Subject) -> Texts:
    """Return the texts of one key."""
    venue, seen, prepared = subject.venue, subject.seen, subject.prepared
    title = title_of(subject.key, subject.workaround, venue.proposals)
    withdrawn = _render(
        venue, "proposal/withdrawn.md.j2",
        {"next": subject.decision.next, "reasons": subject.standing.stage_reasons, "workaround": subject.workaround},
    )  # fmt: skip
    withdrawn = shorten(withdrawn, BODY_LIMIT - _AROUND, _POINTER)
    there = seen.pull if not subject.issues else seen.issue
    if not isinstance(prepared, Prepared):
        current = there.body if there is not None else None
        if subject.issues and seen.issue is not None and seen.record is not None:
            current = _hand_off(subject, seen.record, seen.issue.body, title)
        return Texts(title=title, opening="", current=current, withdrawn=withdrawn)
    fresh = Record(
        topic=str(subject.key), edit=prepared.edit, base=prepared.base_oid, head=prepared.head,
        evidence=subject.evidence, title=title, answered=seen.wish.comment,
    )  # fmt: skip
    if subject.issues:
        return _issue_texts(subject, replace(fresh, topic=f"hand-off:{subject.key}"), title, withdrawn)
    settled = _fitted(_with_results(subject, with_record(_body(subject, prepared), fresh)))
    todo = todo_of(subject.labels, venue.proposals)
    opening = _fitted(with_record(settled, replace(fresh, todo=todo))) if todo else settled
    if there is None or seen.state in (State.DECLINED, State.MERGED):
        return Texts(title=title, opening=opening, settled=settled if todo else None, withdrawn=withdrawn)
    record = seen.record or replace(fresh, title=there.title)
    kept = replace(
        record, todo=(), title=title if there.title == record.title else record.title,
        readied=prepared.edit if ready(subject) else record.readied,
    )  # fmt: skip
    return Texts(
        title=title,
        opening=opening,
        current=_renewed(subject, there.body, with_record(settled, kept)),
        rebuilt=_renewed(
            subject, there.body, with_record(settled, replace(fresh, readied=kept.readied, title=kept.title))
        ),
        withdrawn=withdrawn,
    )


def _renewed(subject: Subject, existing: str, rendered: str) -> str:
    """The text that is there with our regions renewed; as it is where what people wrote leaves no room for them."""
    whole = shorten(_with_results(subject, merge(existing, rendered)), BODY_LIMIT, _POINTER, owned=True)
    return whole if len(whole) <= BODY_LIMIT else existing


def _issue_texts(subject: Subject, fresh: Record, title: str, withdrawn: str) -> Texts:
    """The texts of a hand-off: an issue in the bot's own repository."""
    seen = subject.seen
    name = plain(f"Hand-off: {title}", TITLE_LIMIT)
    fresh = replace(fresh, title=name)
    opening = _hand_off(subject, fresh, None, title)
    if seen.issue is None or (seen.record is None):
        return Texts(title=name, opening=opening, withdrawn=withdrawn)
    return Texts(
        title=name, opening=opening, withdrawn=withdrawn,
        current=_hand_off(subject, seen.record, seen.issue.body, title),
        rebuilt=_hand_off(subject, fresh, seen.issue.body, title),
    )  # fmt: skip


def _hand_off(subject: Subject, record: Record, existing: str | None, title: str) -> str:
    seen, venue, prepared = subject.seen, subject.venue, subject.prepared
    progress, pull = _progress(seen), seen.pull
    record = replace(record, progress=progress.value, pull=pull.number if pull is not None else record.pull)
    text = ""
    if isinstance(prepared, Prepared) and progress is Progress.PREPARED:
        text = _REGION_LINE.sub("", shorten(_body(subject, prepared), BODY_LIMIT - _AROUND, _POINTER)).strip()
        text += "\n" + _MARKER.format(key=subject.key)
    fork = venue.web.removesuffix(venue.repo) + venue.push_repo if venue.web else venue.push_repo
    branch = f"syncbot/{subject.key}"
    base = prepared.base if isinstance(prepared, Prepared) else venue.base
    compare = venue.reader.compare_url(venue.repo, base, branch, head_repo=venue.head_repo) if text else ""
    fence = "`" * (max((len(run) for run in re.findall(r"`{3,}", text)), default=3) + 1)
    body = _render(
        venue, "issue/hand-off.md.j2",
        {
            "progress": progress.value, "status": _STATUS[progress].format(number=record.pull or "?"),
            "owner": subject.owners, "repo": venue.repo, "base": base, "branch": branch,
            "fork_url": shlex.quote(fork), "compare": compare, "title": title, "text": text, "fence": fence,
            "workaround": subject.workaround,
        },
    )  # fmt: skip
    whole = with_record(body, record)
    if existing is None:
        return _fitted(whole)
    renewed = shorten(merge(existing, whole), BODY_LIMIT, _POINTER, owned=True)
    return renewed if len(renewed) <= BODY_LIMIT else existing


_STATUS = {
    Progress.PREPARED: "the change below is ready for a person who wants to stand behind it and submit it.",
    Progress.SUBMITTED: "a person has submitted it (pull request {number}). From here on syncbot pushes nothing and "
    "writes nothing there; it only reports.",
    Progress.MERGED: "it was merged (pull request {number}).",
    Progress.CLOSED: "it was closed without being merged (pull request {number}).",
}


def _progress(seen: Seen) -> Progress:
    match seen.state:
        case State.SUBMITTED:
            return Progress.SUBMITTED
        case State.MERGED:
            return Progress.MERGED
        case State.DECLINED if seen.pull is not None or (seen.record is not None and seen.record.pull is not None):
            return Progress.CLOSED
        case _:
            return Progress.PREPARED


def _body(subject: Subject, prepared: Prepared) -> str:
    checks, _ = judged(subject)
    values = compose_values.of_bundle if subject.members else compose_values.values
    return _render(subject.venue, f"proposal/{subject.key.kind}.md.j2", values(subject, prepared, checks))


def _with_results(subject: Subject, body: str) -> str:
    """Write the results into a body that is there, where there is anything to write."""
    checks, decided = judged(subject)
    prepared = subject.prepared
    if not checks or not isinstance(prepared, Prepared) or results.BEGIN not in body:
        return body
    far = _wanted(subject, prepared).distance
    return results.with_results(
        body, checks, subject.attached, decided, distance=far, templates=subject.venue.templates
    )


def _fitted(body: str) -> str:
    return shorten(body, BODY_LIMIT, _POINTER)


def review(subject: Subject) -> Note:
    """Return the issue that asks a person to look: an edit no machine may decide, or one that got stuck."""
    stuck = subject.prepared if isinstance(subject.prepared, Stuck) else None
    lead = (
        "Every pin that decides builds an upstream with the fix, and the manifest leaves the edit to a person."
        if stuck is None
        else f"A {subject.key.kind.value} is due, and no verified edit was found on today's branch: {stuck.reason}."
    )
    conflict = ""
    if stuck is not None and stuck.result is not None:
        base, branch = stuck.result.base, subject.venue.base
        # By the branch's name, so that a base that moved alone does not change the text.
        conflict = told.as_markdown(stuck.result).replace(base, branch).replace(base[:12], branch)
    title = plain(f"Look at: {subject.workaround.title} ({subject.workaround.id})", TITLE_LIMIT)
    topic = review_topic(subject.workaround, subject.key.carrier)
    body = _render(
        subject.venue, "issue/review.md.j2",
        {
            **compose_values.common(subject), "lead": lead, "places": subject.decision.sight.found,
            "notes": subject.workaround.notes, "conflict": conflict,
        },
    )  # fmt: skip
    record = Record(topic=topic, evidence=subject.evidence, title=title)
    return Note(topic=topic, title=title, body=_fitted(with_record(body, record)), evidence=subject.evidence)


def review_topic(workaround: Workaround, carrier: str | None) -> str:
    """Return the topic of the issue that asks a person to look at a workaround."""
    return "/".join(part for part in ("review:" + workaround.id, carrier) if part)


def kept_text(note: Note, existing: str | None) -> Note:
    """Return the note with what people wrote around its region."""
    if existing is None:
        return replace(note, body=_fitted(note.body))
    record = read_record(note.body)
    body = merge(existing, note.body)
    body = shorten(with_record(body, record) if record is not None else body, BODY_LIMIT, _POINTER, owned=True)
    return replace(note, body=body if len(body) <= BODY_LIMIT else existing)


def marker(key: Key) -> str:
    """Return the line by which a person's pull request made of a hand-off is found again."""
    return _MARKER.format(key=key)


def _render(venue: Venue, name: str, values: Mapping[str, Any]) -> str:
    return render(name, values, folder=venue.templates, backlinks=venue.proposals.backlinks)
