"""Values of the discover room: what was read in the code, and what it is taken to mean."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from syncbot.model.project import FixClaim
from syncbot.model.words import Stage


class Kind(StrEnum):
    """What sort of workaround a remark speaks of."""

    WAIT = "wait"
    """It says what has to happen before this code goes."""
    BYPASS = "bypass"
    """It calls itself a workaround, temporary, a hotfix."""
    SKIP = "skip"
    """A test that is skipped or expected to fail."""
    DEFECT = "defect"
    """Code that is off, or other than it would be, because of a defect it links to."""
    PIN = "pin"
    """A version that is held with a reason."""


class Certainty(StrEnum):
    """How sure it is that this is a workaround that waits for somebody else's code."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class RefKind(StrEnum):
    """What a reference names."""

    PULL = "pull"
    ISSUE = "issue"
    COMMIT = "commit"
    NUMBER = "number"
    """A bare number: a pull request or an issue, the text does not say."""
    VERSION = "version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Something of another repository that a remark names.

    ``repo`` is the ``owner/name`` of a link or short reference, or the configured name of an upstream where the remark
    uses that. ``value`` is a number, a commit id or a version.
    """

    repo: str
    kind: RefKind
    value: str

    @property
    def label(self) -> str:
        """What a person reads, such as ``ROCm/aiter#4530`` or ``flashinfer 0.2.3``."""
        if self.kind is RefKind.VERSION:
            return f"{self.repo} {self.value}"
        return f"{self.repo}@{self.value[:12]}" if self.kind is RefKind.COMMIT else f"{self.repo}#{self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """What a remark stands over: lines ``first`` to ``last`` (from 1), in the function, class or test ``symbol``.

    ``whole``: the guarded lines are all of ``symbol``. ``statement`` is the text of a short one, else None.
    """

    first: int
    last: int
    symbol: str | None = None
    whole: bool = False
    statement: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One comment, docstring or reason of a skipped test that speaks of a workaround; depends on one blob alone.

    ``line`` to ``last`` (from 1) is the text itself. ``names`` are configured upstreams that it names in words.
    ``marker`` is the line of it that says most, as it stands in the file.
    """

    line: int
    last: int
    text: str
    marker: str
    kind: Kind
    certainty: Certainty
    reason: str
    guard: Guard
    references: tuple[Reference, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A remark in a file of the downstream, and the commit that brought it, where that was asked for."""

    path: str
    blob: str
    remark: Remark
    introduced: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The downstream commit that wrote a line; ``moved`` are later commits that only carried it elsewhere."""

    commit: str
    date: dt.datetime
    title: str
    pull: int | None = None
    moved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """All remarks of one tree; ``skipped`` counts files that were not read, by reason."""

    commit: str
    places: tuple[Place, ...]
    files: int
    skipped: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An upstream change that may be what an unlinked workaround waits for, with the reasons; never a fact."""

    commit: str
    pull: int | None
    title: str
    date: dt.date
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One workaround, in one or several places.

    ``key`` is stable as long as its text or its reference is. ``upstream`` is the configured name, or None where the
    remark names none that is configured. ``fixes`` are the changes that the landing engine can be asked about.
    ``tracked`` is the id of a manifest that records it already.
    """

    key: str
    kind: Kind
    certainty: Certainty
    reason: str
    places: tuple[Place, ...]
    upstream: str | None
    references: tuple[Reference, ...]
    fixes: tuple[FixClaim, ...] = ()
    tracked: str | None = None

    @property
    def introduced(self) -> Origin | None:
        """The commit that brought the first of its places, as far as that is known."""
        known = [place.introduced for place in self.places if place.introduced is not None]
        return min(known, key=lambda each: each.date, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Where upstream stands with a finding today, with the reasons; ``since``: the day the last gating pin got it.

    ``stage`` is None where nothing could be asked. ``pins`` are name, text and verdict of each pin.
    """

    stage: Stage | None
    reasons: tuple[str, ...]
    pins: tuple[tuple[str, str, str], ...] = ()
    first_release: str | None = None
    since: dt.date | None = None

    @property
    def word(self) -> str:
        """The stage, or ``unknown`` where nothing could be asked."""
        return self.stage.value if self.stage is not None else "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A finding with today's outlook and, where they were asked for, candidates for what it waits for."""

    finding: Finding
    outlook: Outlook
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A commit that took a workaround's lines away (``kept`` falls) or brought them back; ``kept`` is a share."""

    origin: Origin
    kept: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A workaround from the commit that brought it to the one that took it out, if there is one.

    ``places`` are the remarks the commit added; ``files`` the code files it changed; ``references`` what its remarks
    name, or its message where they name nothing. ``markers`` are lines that tell whether it is there (path and text),
    ``kept`` the share of its lines at the head, ``turns`` what happened to them in between, ``now`` where they are.
    """

    introduced: Origin
    files: tuple[str, ...]
    places: tuple[Place, ...]
    references: tuple[Reference, ...]
    markers: tuple[tuple[str, str], ...]
    kept: float
    turns: tuple[Turn, ...] = ()
    now: tuple[str, ...] = ()

    @property
    def removed(self) -> Origin | None:
        """The commit after which it was gone for good; None while it is there."""
        return self.turns[-1].origin if self.turns and self.turns[-1].kept == 0 else None
