"""Everything a proposal, an issue or a comment says, rendered before anything is planned. Reads only templates."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from syncbot import evidence
from syncbot.checks.judge import gate, judge, stale_reason
from syncbot.checks.spec import Spec
from syncbot.edit import told
from syncbot.model.checks import Attached, Gate, Judged, Wanted
from syncbot.model.edit import Outcome
from syncbot.model.forge import BODY_LIMIT, TITLE_LIMIT
from syncbot.model.project import Upstream, Workaround
from syncbot.model.proposal import Key, Note, Prepared, Progress, ProposalKind, Record, Seen, State, Stuck, Texts
from syncbot.model.status import Decision, Standing
from syncbot.model.words import CarriedAs
from syncbot.plan import todo_of
from syncbot.render import results
from syncbot.render.commit import title_of
from syncbot.render.regions import merge, read_record, shorten, with_record
from syncbot.render.template import render
from syncbot.render.text import plain
from syncbot.venue import Venue

_POINTER = "(Left out, since the whole would be too long for this forge. `syncbot plan --json` prints it.)"
_MARKER = "<!-- syncbot-proposal {key} -->"
_JUDGED = {"python": "syntax, names", "data": "still parses", "lines": "line by line"}
_REGION_LINE = re.compile(r"^<!-- syncbot:(?:begin|end|record|/?results)\b.*-->\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One key with all that is known about it.

    ``attached`` are results that may be believed, ``later`` says what became of the fixes in what the pins build.
    """

    key: Key
    standing: Standing
    decision: Decision
    prepared: Prepared | Stuck | None
    seen: Seen
    venue: Venue
    upstreams: Mapping[str, Upstream]
    specs: tuple[Spec, ...] = ()
    attached: tuple[Attached, ...] = ()
    later: tuple[str, ...] = ()

    @property
    def workaround(self) -> Workaround:
        """The workaround it is about."""
        return self.standing.facts.workaround

    @property
    def evidence(self) -> str:
        """See `syncbot.evidence.digest`."""
        return evidence.digest(self.standing, self.decision.carrier)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its proposal."""
        own = self.workaround.removal.labels if self.key.kind is ProposalKind.REMOVAL else ()
        return tuple(dict.fromkeys((*self.venue.proposals.labels, *own)))

    @property
    def issues(self) -> bool:
        """Whether the proposal is a hand-off that lives in an issue."""
        return self.venue.mode.value == "hand-off" and not self.venue.files


def judged(subject: Subject) -> tuple[tuple[Judged, ...], Gate]:
    """Return the checklist with its verdicts, and whether the proposal may leave draft."""
    prepared, there = subject.prepared, subject.seen.pull or subject.seen.issue
    if not isinstance(prepared, Prepared) or subject.key.kind is not ProposalKind.REMOVAL:
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
    return Wanted(edit=prepared.edit, pin=_pin(subject), distance=far, max_distance=limit)


def _pin(subject: Subject) -> str:
    pins = evidence.gating(subject.standing, subject.decision.carrier)
    return next((pin.reading.text.text for pin in pins if pin.reading.text), "")


def texts(subject: Subject) -> Texts:
    """Return the texts of one key."""
    venue, seen, prepared = subject.venue, subject.seen, subject.prepared
    title = title_of(subject.key, subject.workaround, venue.proposals)
    withdrawn = _render(
        venue, "proposal/withdrawn.md.j2",
        {"next": subject.decision.next, "reasons": subject.standing.stage_reasons, "workaround": subject.workaround},
    )  # fmt: skip
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
    return _fitted(_with_results(subject, merge(existing, rendered)))


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
        text = _REGION_LINE.sub("", _body(subject, prepared)).strip() + "\n" + _MARKER.format(key=subject.key)
    fork = venue.web.removesuffix(venue.repo) + venue.push_repo if venue.web else venue.push_repo
    branch = f"syncbot/{subject.key}"
    compare = venue.reader.compare_url(venue.repo, venue.base, branch, head_repo=venue.head_repo) if text else ""
    fence = "`" * (max((len(run) for run in re.findall(r"`{3,}", text)), default=3) + 1)
    body = _render(
        venue, "issue/hand-off.md.j2",
        {
            "progress": progress.value, "status": _STATUS[progress].format(number=record.pull or "?"),
            "owner": subject.workaround.owner, "repo": venue.repo, "base": venue.base, "branch": branch,
            "fork_url": shlex.quote(fork), "compare": compare, "title": title, "text": text, "fence": fence,
            "workaround": subject.workaround,
        },
    )  # fmt: skip
    whole = with_record(body, record)
    return _fitted(merge(existing, whole) if existing is not None else whole)


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
    return _render(subject.venue, f"proposal/{subject.key.kind}.md.j2", _values(subject, prepared, checks))


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


def _values(subject: Subject, prepared: Prepared, checks: Sequence[Judged]) -> dict[str, Any]:
    safe, older = evidence.safe_from(subject.standing)
    return {
        **_common(subject),
        "reason": _reason(subject),
        "safe": _safe(subject, safe, older),
        "exposed": evidence.exposed(subject.standing),
        "later": subject.later,
        "unproven": _unproven(subject),
        "changed": _changed(prepared),
        "files": [
            {
                "path": each.path, "added": _count(each.added), "removed": _count(each.removed),
                "judged": _JUDGED[each.judged],
            }
            for each in prepared.files
        ],
        "repairs": [f"{each.path}:{each.line}: {each.detail}" for each in prepared.repairs],
        "verified": _verified(subject),
        "greps": _greps(subject),
        "searched": _searched(subject),
        "checklist": results.checklist(checks) if checks else "",
        "edit": prepared.edit,
        "pin": shlex.quote(_pin(subject)) if _pin(subject) else "",
        "standing_behind": (
            "A person has to read it, sign it off and submit it."
            if subject.venue.mode.value == "hand-off"
            else "A person has to review it; syncbot never merges."
        ),
    }  # fmt: skip


def _common(subject: Subject) -> dict[str, Any]:
    web = subject.venue.web
    introduced = subject.workaround.introduced
    named = [f"`#{introduced.pull}`"] if introduced.pull is not None else []
    if introduced.commit is not None:
        named.append(f"commit {_link(introduced.commit, web)}")
    return {
        "workaround": subject.workaround,
        "introduced": ", ".join(named),
        "rows": [
            {
                "pin": row.pin, "path": row.path, "ref": row.ref, "verdict": row.verdict, "confidence": row.confidence,
                "detail": row.detail, "command": row.command, "fix": _fix_link(subject, row.fix),
                "commit": _link(row.target, _upstream_web(subject, row.fix.claim.upstream)) if row.target else "",
            }
            for row in evidence.rows(subject.standing, subject.decision.carrier)
        ],
        "fixes": [
            {
                "link": _fix_link(subject, fix), "title": (fix.report.title if fix.report else None) or "",
                "cures": evidence.cures(fix), "note": _sentence(fix.claim.note),
            }
            for fix in subject.standing.facts.fixes
        ],
    }  # fmt: skip


def _sentence(text: str | None) -> str:
    text = (text or "").rstrip()
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def _link(commit: str, web: str | None) -> str:
    """A link to a commit makes no link back from any issue, unlike one to a pull request."""
    return f"[`{commit[:12]}`]({web}/commit/{commit})" if web else f"`{commit[:12]}`"


def _fix_link(subject: Subject, fix: Any) -> str:
    upstream = fix.claim.upstream
    web = _upstream_web(subject, upstream)
    commit = fix.report.commit if fix.report is not None and fix.report.commit is not None else fix.claim.commit
    number = f"`{upstream} #{fix.claim.pull}`" if fix.claim.pull is not None else f"`{upstream}`"
    return f"{number} ({_link(commit, web)})" if commit else number


def _upstream_web(subject: Subject, name: str) -> str | None:
    upstream = subject.upstreams.get(name)
    if upstream is None or upstream.repo.slug is None or not upstream.repo.forge.web:
        return None
    return f"{upstream.repo.forge.web.rstrip('/')}/{upstream.repo.slug}"


def _reason(subject: Subject) -> str:
    pins = evidence.gating(subject.standing, subject.decision.carrier)
    if subject.key.kind is ProposalKind.RESTORE:
        lacking = ", ".join(f"`{pin.reading.name}`" for pin in pins if not pin.has.surely)
        return f"The upstream that {lacking} builds does not have the fix."
    names = ", ".join(f"`{pin.reading.name}`" for pin in pins)
    what = "Every pin that decides builds" if len(pins) > 1 else "The pin that decides builds"
    return f"{what} an upstream with the fix ({names})."


def _safe(subject: Subject, safe: str | None, older: Sequence[str]) -> str:
    name = subject.workaround.fixes[0].upstream if subject.workaround.fixes else "the upstream"
    if safe is None:
        return ""
    also = f", and so have {', '.join(f'`{each}`' for each in older[:8])}" if older else ""
    low = f"Every release of {name} from `{safe}` on has the fix{also}. "
    return low + f"Whoever builds this branch with any other release of {name} gets neither the fix nor the workaround."


def _unproven(subject: Subject) -> tuple[str, ...]:
    counted = [fix.claim for fix in subject.standing.facts.fixes if fix.counts]
    names = ", ".join(
        f"`#{each.pull}`" if each.pull else f"`{each.label}`" for each in counted if each.cures.value == "unverified"
    )
    if not names:
        return ()
    return (
        f"That the pin has {names} is certain. That this cures the defect is recorded as unverified; a run shows it.",
    )


def _changed(prepared: Prepared) -> str:
    match prepared.outcome:
        case Outcome.PARTIAL:
            return "Some of its places had gone before; this is the rest."
        case Outcome.MOVED:
            return "The code around it has changed since it was recorded, so this is not the plain reverse."
        case _:
            return "What the workaround brought, and nothing besides."


def _greps(subject: Subject) -> list[str]:
    """The searches that find nothing once the marked places are gone."""
    if subject.decision.carrier.carried is CarriedAs.PATCH_FILE or subject.key.kind is not ProposalKind.REMOVAL:
        return []
    marked = [each for each in subject.workaround.removal.markers if each.text.isprintable()]
    return [f"git grep -nF -e {shlex.quote(each.text)} -- {shlex.quote(each.path)}" for each in marked]


def _verified(subject: Subject) -> str:
    if subject.decision.carrier.carried is not CarriedAs.PATCH_FILE:
        return _VERIFIED
    if subject.key.kind is ProposalKind.REFRESH:
        return f"The patch applies strictly to today's `{subject.standing.facts.workaround.downstream}`. {_VERIFIED}"
    return "The patch goes, and its manifest with it to the archive when nothing else carries the workaround."


_VERIFIED = (
    "What was checked on the commit of this branch before it was offered: the changed Python files parse and use no "
    "name they do not define; nothing else in the repository uses what goes; no line goes that the recorded change did "
    "not write."
)


def _searched(subject: Subject) -> str:
    pull = subject.workaround.introduced.pull
    named = f"`#{pull}`, " if pull is not None else ""
    if subject.venue.files:
        named = f"`#{pull}` and the files below " if pull is not None else "the files below "
    where = results.inert(subject.venue.repo)
    if subject.venue.files:
        return (
            f"Not searched: there was no access to {where}. Search its open pull requests for {named}before submitting."
        )
    return (
        f"The open pull requests of {where} were searched for {named}the commit, the fixes and the same lines when "
        "this was prepared; none does the same."
    )


def _count(number: int | None) -> str:
    return "binary" if number is None else str(number)


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
            **_common(subject), "lead": lead, "places": subject.decision.sight.found,
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
        return note
    record = read_record(note.body)
    body = merge(existing, note.body)
    return replace(note, body=with_record(body, record) if record is not None else body)


def marker(key: Key) -> str:
    """Return the line by which a person's pull request made of a hand-off is found again."""
    return _MARKER.format(key=key)


def _render(venue: Venue, name: str, values: Mapping[str, Any]) -> str:
    return render(name, values, folder=venue.templates, backlinks=venue.proposals.backlinks)
