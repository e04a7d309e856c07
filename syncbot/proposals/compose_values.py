"""The values of the templates of proposals and issues, made of facts. Pure.

Commits are linked, pull requests are not: a link to one makes a link back from it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from syncbot.model.checks import Judged
from syncbot.model.edit import Outcome
from syncbot.model.proposal import Prepared, ProposalKind
from syncbot.model.words import CarriedAs, Mode
from syncbot.proposals import evidence
from syncbot.proposals.subject import Subject, pin_of
from syncbot.render import results

_JUDGED = {"python": "syntax, names", "data": "still parses", "lines": "line by line"}


_KEEPS = (
    " It keeps only its own parts of this text true (why, what changes, results); ticked boxes and anything else that "
    "is written here stay."
)


def values(subject: Subject, prepared: Prepared, checks: Sequence[Judged]) -> dict[str, Any]:
    """Return what the templates of a proposal may use."""
    safe, older = evidence.safe_from(subject.standing)
    return {
        **common(subject),
        "reason": _reason(subject),
        "branch": prepared.base if prepared.onto is not None else "",
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
        "pin": shlex.quote(pin_of(subject)) if pin_of(subject) else "",
        # Of a text that a person submits nothing is rewritten.
        "keeps": "" if subject.venue.mode is Mode.HAND_OFF else _KEEPS,
        "standing_behind": (
            "A person has to read it, sign it off and submit it."
            if subject.venue.mode.value == "hand-off"
            else "A person has to review it; syncbot never merges."
        ),
    }  # fmt: skip


def of_bundle(subject: Subject, prepared: Prepared, checks: Sequence[Judged]) -> dict[str, Any]:
    """Return what the template of a bundle may use: ``members``, each with what stands for it, and the rest as one."""
    members = [{**values(each, prepared, ()), "owner": each.workaround.owner or ""} for each in subject.members]
    return {
        **values(subject, prepared, checks),
        "members": members,
        "name": subject.key.workaround,
        "greps": [grep for each in members for grep in each["greps"]],
        "measured": [each.workaround.id for each in subject.members if each.specs],
    }


def common(subject: Subject) -> dict[str, Any]:
    """Return what every text about a workaround may use: its origin, the evidence and the fixes."""
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
    if subject.key.kind is ProposalKind.RESTORE:
        return (
            f"The patch applies strictly to today's `{subject.workaround.downstream}`; where its surroundings have "
            "changed since it was dropped, it was written anew, with the checks of any edit."
        )
    return "The patch goes, and its manifest with it to the archive when nothing else carries the workaround."


_VERIFIED = (
    "What was checked on the commit of this branch before it was offered: the changed Python files parse and use no "
    "name they do not define; nothing else in the repository uses what goes; no line goes that the recorded change did "
    "not write."
)


def _searched(subject: Subject) -> str:
    pulls = [each.workaround.introduced.pull for each in subject.members or (subject,)]
    numbers = ", ".join(f"`#{pull}`" for pull in pulls if pull is not None)
    named = f"{numbers}, " if numbers else ""
    if subject.venue.files:
        named = f"{numbers} and the files below " if numbers else "the files below "
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
