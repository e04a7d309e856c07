"""Upstream changes that an unlinked workaround may wait for: offered with reasons, never as fact.

What speaks for a change: it says it ends the issue that is named; its message has the names in the guarded code, or
rare words of the remark; it touches a file whose name is in them; it came after the workaround did. A message that
says "fix" weighs more. One pass over the upstream's messages answers for all findings.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from syncbot.discover.origin import pull_of
from syncbot.git.clone import Clone
from syncbot.git.history import resolve
from syncbot.git.run import Git
from syncbot.model.discover import Candidate, Finding, Judged, RefKind
from syncbot.model.errors import UnknownObjectError
from syncbot.model.words import Stage

_MOST = 3
_LEAST = 6.0
_LINK = re.compile(r"https?://\S+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,}")
_MENDS = re.compile(r"\b(?:fix|bug|revert|support|crash|hang|nan|accuracy|wrong|correct)\w*", re.IGNORECASE)
_CLOSES = r"(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)[:\s]+(?:[\w.-]+/[\w.-]+)?(?:#|https?://\S+/issues/){number}\b"
_EARLY = dt.timedelta(days=30)
_COMMON = 0.01
_ENDS = 20.0


@dataclass(frozen=True, slots=True)
class _Change:
    commit: str
    date: dt.date
    title: str
    body: str
    words: frozenset[str]


def with_candidates(judged: Sequence[Judged], upstreams: Mapping[str, Clone | str]) -> list[Judged]:
    """The findings, those that are unlinked with up to three candidates each, where their upstream can be read."""
    changes = {
        name: _changes(clone.git(), clone.branch_ref)
        for name in {each.finding.upstream for each in judged if each.outlook.stage is Stage.UNLINKED}
        if name is not None and isinstance(clone := upstreams.get(name), Clone) and clone.branch_ref is not None
    }
    rarity = {name: _rarity(all_) for name, all_ in changes.items()}
    return [
        replace(each, candidates=_for(each.finding, changes[name], rarity[name]))
        if each.outlook.stage is Stage.UNLINKED and (name := each.finding.upstream) in changes
        else each
        for each in judged
    ]


def _changes(git: Git, ref: str) -> list[_Change]:
    try:
        tip = resolve(git, ref)
    except UnknownObjectError:
        return []
    found: list[_Change] = []
    for record in git.records("log", "-z", "--no-merges", "--format=%H%x1f%ct%x1f%s%x1f%b", tip):
        oid, time, title, body = record.decode("utf-8", "replace").lstrip("\n").split("\x1f", 3)
        words = frozenset(word.lower() for word in _WORD.findall(f"{title} {body}"))
        found.append(_Change(oid, dt.datetime.fromtimestamp(int(time), dt.UTC).date(), title, body, words))
    return found


def _rarity(changes: Sequence[_Change]) -> dict[str, float]:
    """How much a word says: none where more than one change in a hundred has it."""
    counts = Counter(word for change in changes for word in change.words)
    limit = max(3.0, _COMMON * len(changes))
    return {word: math.log2(1 + limit / count) for word, count in counts.items() if count <= limit}


def _for(finding: Finding, changes: Sequence[_Change], rarity: Mapping[str, float]) -> tuple[Candidate, ...]:
    issues = [each.value for each in finding.references if each.kind in (RefKind.ISSUE, RefKind.NUMBER)]
    closes = [(number, re.compile(_CLOSES.format(number=number), re.IGNORECASE)) for number in issues]
    code = _words_of(finding, code=True)
    said = _words_of(finding, code=False) - code
    since = finding.introduced.date.date() if finding.introduced else None
    found: list[Candidate] = []
    for change in changes:
        score, telling = 0.0, 0
        reasons: list[str] = []
        for number, pattern in closes:
            message = f"{change.title}\n{change.body}"
            if number in message and pattern.search(message):
                score, telling = score + _ENDS, telling + 2
                reasons.append(f"it says that it ends #{number}")
        for what, words, weight in (("names of the guarded code", code, 2.0), ("words of the remark", said, 1.0)):
            shared = sorted(words & change.words & rarity.keys(), key=lambda word: -rarity[word])
            if shared:
                score += weight * sum(rarity[word] for word in shared[:4])
                telling += len(shared) + any(word.count("_") > 1 for word in shared)
                reasons.append(f"{what}: {', '.join(shared[:4])}")
        if telling < 2:
            continue  # one word in common is chance
        if since is not None and change.date < since - _EARLY:
            score *= 0.3
        elif _MENDS.search(change.title):
            score += 1.5
        if score >= _LEAST:
            found.append(
                Candidate(
                    commit=change.commit,
                    pull=pull_of(change.title),
                    title=change.title,
                    date=change.date,
                    score=round(score, 1),
                    reasons=tuple(reasons),
                )
            )
    return tuple(sorted(found, key=lambda each: (-each.score, each.commit))[:_MOST])


def _words_of(finding: Finding, *, code: bool) -> set[str]:
    words: set[str] = set()
    for place in finding.places:
        remark = place.remark
        text = f"{remark.guard.statement or ''} {remark.guard.symbol or ''}" if code else remark.text
        for word in _WORD.findall(_LINK.sub(" ", text)):
            if not code or "_" in word or word.lower() != word:
                words.add(word.lower())
    return words
