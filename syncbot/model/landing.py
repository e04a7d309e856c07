"""Values of the landing room: what is asked, and what is answered for each target."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from syncbot.model.words import Confidence, EvidenceKind, TargetKind, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A commit to ask about. ``version`` is the PEP 440 form of a release tag, None where the tag has none.

    ``date`` is the tagger's date of an annotated tag, else the commit's. ``commit`` None: the ref could not be read.
    """

    ref: str
    kind: TargetKind
    commit: str | None
    version: str | None = None
    line: str | None = None
    date: datetime.datetime | None = None
    prerelease: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One reason for a verdict: the commit that shows it, and a plain git command that repeats it in the clone."""

    kind: EvidenceKind
    commit: str
    detail: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The verdict for one target. ``evidence`` is empty only for ``absent`` and ``unknown``."""

    target: Target
    verdict: Verdict
    confidence: Confidence
    evidence: tuple[Evidence, ...] = ()
    missing_lines: tuple[str, ...] = ()
    present_lines: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRelease:
    """The earliest release that has the fix: by the date of its tag, and within each line (PEP 440 order)."""

    by_date: str | None = None
    by_line: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FixReport:
    """Everything known of one fix. ``commit`` None: no change on the branch or in a release answers to ``query``.

    ``reverted``: it landed on the default branch, was taken back there and has not landed again.
    """

    query: str
    commit: str | None
    pull: int | None
    title: str | None
    merged_at: datetime.datetime | None
    answers: tuple[Answer, ...]
    first_release: FirstRelease
    reverted: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSeen:
    """A tag as the memory saw it: ``first_seen`` is a day (UTC), ``commit`` None says that the tag was gone then."""

    repo: str
    tag: str
    commit: str | None
    first_seen: datetime.date
