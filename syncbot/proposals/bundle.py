"""Which removals a bundle offers as one, and how a refusal of it is remembered. Pure.

The evidence of a bundle names each removal in it with the digest of its own evidence, ``guard=3f… mask=91…``; behind a
``!`` those that people refused with an earlier proposal of the bundle, and that stay refused while their evidence is
the same. A removal that was once proposed by itself stays by itself.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from syncbot.checks.spec import Spec
from syncbot.model.proposal import Key, Prepared, ProposalKind, Record, Seen, State, Stuck
from syncbot.model.status import Decision
from syncbot.model.words import CarriedAs, Choice
from syncbot.proposals import evidence
from syncbot.proposals.subject import Subject


def key_of(name: str) -> Key:
    """Return the key of the bundle ``name``."""
    return Key(kind=ProposalKind.BUNDLE, workaround=name)


def inside(told: str) -> frozenset[str]:
    """Return the ids of the removals that a bundle with this evidence offers."""
    return frozenset(word.partition("=")[0] for word in told.split() if "=" in word and not word.startswith("!"))


def _refused(told: str, state: State) -> frozenset[str]:
    """Return the ``id=digest`` of the removals that people refused: of an ended bundle all of them."""
    ended = state in (State.DECLINED, State.MERGED)
    return frozenset(word.lstrip("!") for word in told.split() if "=" in word and (ended or word.startswith("!")))


def _word(subject: Subject) -> str:
    return f"{subject.workaround.id}={subject.evidence}"


def told_of(members: Iterable[Subject], refused: Collection[str]) -> str:
    """Return the evidence of a bundle of ``members``, `inside` undone."""
    return " ".join([*sorted(map(_word, members)), *sorted(f"!{word}" for word in refused)])


def joins(subject: Subject, *, today: dt.date, min_age: int) -> bool:
    """Whether a removal may be offered in a bundle today: due, verified, held by nobody, never offered by itself."""
    return (
        subject.decision.choice is Choice.REMOVE
        and subject.decision.carrier.carried is CarriedAs.IN_TREE
        and subject.decision.carrier.repo is None
        and isinstance(subject.prepared, Prepared)
        and subject.seen.state is State.NONE
        and not subject.seen.wish.holds(today)
        and evidence.young(subject.standing, subject.decision.carrier, min_age) is None
    )


def alike(subjects: Sequence[Subject]) -> list[Subject]:
    """Return those whose checks contradict none of one before, since the checks of a bundle are all of theirs."""
    found: list[Subject] = []
    specs: dict[str, Spec] = {}
    for subject in subjects:
        if all(specs.get(each.name, each) == each for each in subject.specs):
            found.append(subject)
            specs |= {each.name: each for each in subject.specs}
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The members of a bundle today, and its evidence; no members: nothing is left to offer.

    ``refused`` are the ids that are due and that people refused with an earlier proposal of it.
    """

    members: tuple[Subject, ...]
    told: str
    refused: frozenset[str] = frozenset()


def choose(due: Sequence[Subject], seen: Seen) -> Chosen:
    """Return what of the ``due`` removals the bundle offers, given what the forge holds of it."""
    record = seen.record or Record(topic="")
    refused: frozenset[str] = frozenset() if seen.wish.reopen else _refused(record.evidence, seen.state)
    members = tuple(each for each in due if _word(each) not in refused)
    if not members and seen.state in (State.DECLINED, State.MERGED):
        return Chosen(members=tuple(due), told=record.evidence)
    kept = [each for each in due if _word(each) in refused]
    told = told_of(members, [_word(each) for each in kept])
    return Chosen(members=members, told=told, refused=frozenset(each.workaround.id for each in kept))


def doubtful(seen: Seen, subjects: Mapping[str, Subject]) -> tuple[str, ...]:
    """Return the ids that an open bundle offers and of which nobody can tell today whether they are still due."""
    if seen.state not in (State.OPEN, State.PUSHED) or seen.record is None:
        return ()
    unsure = [
        name for name, each in subjects.items()
        if each.decision.choice is Choice.UNSURE or each.seen.state is State.UNKNOWN
    ]  # fmt: skip
    return tuple(sorted(inside(seen.record.evidence) & set(unsure)))


def as_subject(
    key: Key, about: Sequence[Subject], chosen: Chosen, prepared: Prepared | Stuck | None, seen: Seen
) -> Subject:
    """Return the bundle as one subject. ``about`` are its removals, due or not: what it says when nothing is due."""
    members = chosen.members
    first = members[0] if members else about[0]
    decision, standing = first.decision, first.standing
    if not members:
        decision = _nothing_due(decision)
        reasons = tuple(f"{each.workaround.id}: {each.decision.next}" for each in about)
        standing = replace(standing, stage_reasons=reasons)
    specs = {each.name: each for member in members for each in member.specs}
    return replace(
        first, key=key, decision=decision, standing=standing, prepared=prepared, seen=seen, members=members,
        told=chosen.told if members else "", specs=tuple(specs.values()), later=(),
        attached=tuple(each for member in members for each in member.attached),
    )  # fmt: skip


def _nothing_due(decision: Decision) -> Decision:
    return replace(decision, choice=Choice.KEEP, next="None of its removals is due any more.")
