"""One key with everything that is known about it: what texts are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from syncbot.checks.spec import Spec
from syncbot.model.checks import Attached
from syncbot.model.project import Upstream, Workaround
from syncbot.model.proposal import Key, Prepared, ProposalKind, Seen, Stuck
from syncbot.model.status import Decision, Standing
from syncbot.proposals import evidence
from syncbot.proposals.venue import Venue


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One key with all that is known about it.

    ``attached`` are results that may be believed, ``unread`` says which were not taken and why, ``later`` what became
    of the fixes in what the pins build. A bundle has ``members``, each a subject of its own, and its evidence
    is ``told``; what it has besides is its first's.
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
    unread: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    members: tuple[Subject, ...] = ()
    told: str = ""

    @property
    def workaround(self) -> Workaround:
        """The workaround it is about."""
        return self.standing.facts.workaround

    @property
    def evidence(self) -> str:
        """See `syncbot.proposals.evidence.digest`, and `syncbot.proposals.bundle` for that of a bundle."""
        return self.told or evidence.digest(self.standing, self.decision.carrier)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its proposal."""
        own = self.workaround.removal.labels if self.key.kind is ProposalKind.REMOVAL else ()
        theirs = [label for each in self.members for label in each.workaround.removal.labels]
        return tuple(dict.fromkeys((*self.venue.proposals.labels, *own, *theirs)))

    @property
    def owners(self) -> str:
        """Who answers for it, as the manifests say."""
        about = self.members or (self,)
        return ", ".join(dict.fromkeys(each.workaround.owner for each in about if each.workaround.owner))

    @property
    def issues(self) -> bool:
        """Whether the proposal is a hand-off that lives in an issue."""
        return self.venue.mode.value == "hand-off" and not self.venue.files


def pin_of(subject: Subject) -> str:
    """Return what the first pin that decides says, "" if none can be read."""
    pins = evidence.gating(subject.standing, subject.decision.carrier)
    return next((pin.reading.text.text for pin in pins if pin.reading.text), "")
