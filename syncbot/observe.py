"""Gather the facts about workarounds: upstream history, pins, and how each workaround meets the branch.

Reads and never writes. What cannot be looked up becomes a problem of the one fix or pin it belongs to, so that one
broken repository leaves the other workarounds their answers.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from syncbot.edit.fit import look
from syncbot.git.clone import Clone, branch_tip
from syncbot.git.history import commit_before, resolve
from syncbot.git.objects import Scratch
from syncbot.git.run import Git, GitError
from syncbot.landing.ask import Facts as Cached
from syncbot.landing.ask import ask
from syncbot.landing.pins import UpstreamRefs, pin_at, pin_history, upstream_refs
from syncbot.landing.survey import parse_query
from syncbot.landing.targets import in_version_order, release_tags, release_target
from syncbot.model.errors import CouldNotError, SyncbotError, UnknownObjectError, UsageError
from syncbot.model.landing import FixReport, Target
from syncbot.model.pins import PinReading
from syncbot.model.project import Carrier, FixClaim, Pin, Project, Repo, Upstream, Workaround
from syncbot.model.status import Facts, FixFacts, PinFacts, Sight
from syncbot.model.words import CarriedAs, Cures, Fit
from syncbot.proposals.carried import is_stale
from syncbot.proposals.patching import Applies, meets, patch_text

_DROPPED = (Cures.REFUTED, Cures.ABANDONED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clones:
    """The repositories to read: upstreams and downstreams by their names, a pin's own repository by the pin's name, and
    those that carriers name for themselves.
    """

    upstreams: Mapping[str, Clone]
    downstreams: Mapping[str, Clone]
    pins: Mapping[str, Clone]
    carriers: Mapping[Repo, Clone] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When to look: ``today`` for counting days; ``until``: both sides as they were at that moment; ``at``: the
    downstream at that ref, whatever its date.
    """

    today: dt.date
    until: dt.datetime | None = None
    at: str | None = None


def observe(
    project: Project, clones: Clones, moment: Moment, *, only: Sequence[str] = (), cache: Cached | None = None
) -> list[Facts]:
    """The facts about each workaround (those named in ``only``, or all), in the order of the manifests.

    Raises `UsageError` when a downstream has no such branch or ref.
    """
    chosen = [each for each in project.workarounds if not only or each.id in only]
    heads = {name: _head(project, clones, moment, name) for name in {each.downstream for each in chosen}}
    pins = {name: _Pins(project, clones, moment, heads) for name in {each.downstream for each in chosen}}
    upstreams: dict[str, _Upstream] = {}
    for name in {claim.upstream for each in chosen for claim in each.fixes} | {
        project.pins[pin].upstream for each in chosen for pin in _gate(project, each)
    }:
        upstreams[name] = _Upstream(project.upstreams[name], clones.upstreams[name], moment, cache)
    for each in chosen:
        for pin in _gate(project, each):
            facts = pins[each.downstream].facts(project.pins[pin], upstreams[project.pins[pin].upstream])
            upstreams[project.pins[pin].upstream].add_targets(facts)
    for name, upstream in upstreams.items():
        upstream.look_up([claim for each in chosen for claim in each.fixes if claim.upstream == name])
    return [
        _facts(project, clones, moment, each, heads[each.downstream], pins[each.downstream], upstreams)
        for each in chosen
    ]


def _gate(project: Project, workaround: Workaround) -> tuple[str, ...]:
    """The pins a workaround is shown against: those its gate and carriers name, or every pin of its downstream."""
    named = [*workaround.gate, *(pin for carrier in workaround.carriers for pin in carrier.pins)]
    every = [name for name, pin in project.pins.items() if pin.downstream == workaround.downstream]
    upstreams = {claim.upstream for claim in workaround.fixes} or {project.pins[name].upstream for name in every}
    shown = [name for name in every if project.pins[name].upstream in upstreams]
    return tuple(dict.fromkeys([*named, *shown]))


def _head(project: Project, clones: Clones, moment: Moment, name: str) -> str:
    clone = clones.downstreams[name]
    try:
        if moment.at is not None:
            return resolve(clone.git(), moment.at)
        tip = branch_tip(clone, project.downstreams[name].branch)
    except UnknownObjectError as error:
        raise UsageError(f"downstream {name!r}: {error}") from error
    if moment.until is None:
        return tip
    then = commit_before(clone.git(), tip, moment.until)
    if then is None:
        raise UsageError(f"downstream {name!r}: its branch has no commit up to {moment.until:%Y-%m-%d}")
    return then


class _Pins:
    """The pins of one downstream at one moment, each read once."""

    def __init__(self, project: Project, clones: Clones, moment: Moment, heads: Mapping[str, str]) -> None:
        self._project = project
        self._clones = clones
        self._moment = moment
        self._heads = heads
        self._known: dict[str, PinFacts] = {}

    def facts(self, pin: Pin, upstream: _Upstream) -> PinFacts:
        if pin.name not in self._known:
            self._known[pin.name] = self._read(pin, upstream)
        return self._known[pin.name]

    def __getitem__(self, name: str) -> PinFacts:
        return self._known[name]

    def _read(self, pin: Pin, upstream: _Upstream) -> PinFacts:
        own = self._clones.pins.get(pin.name)
        clone = own or self._clones.downstreams[pin.downstream]
        try:
            head = self._foreign_head(pin, own) if own is not None else self._heads[pin.downstream]
            reading = pin_at(clone.git(), head, pin, upstream.git, upstream.refs)
            past = pin_history(clone.git(), head, pin, upstream.git, upstream.refs)
        except (GitError, UnknownObjectError) as error:
            problem = f"pin {pin.name!r} cannot be read: {error}"
            return PinFacts(reading=PinReading(name=pin.name, gating=pin.gating, problem=problem))
        return PinFacts(reading=reading, past=tuple(past))

    def _foreign_head(self, pin: Pin, clone: Clone) -> str:
        tip = branch_tip(clone, pin.branch)
        if self._moment.until is None:
            return tip
        return commit_before(clone.git(), tip, self._moment.until) or tip


class _Upstream:
    """One upstream at one moment: refs, releases, and the reports on all fixes that are asked of it."""

    def __init__(self, upstream: Upstream, clone: Clone, moment: Moment, cache: Cached | None) -> None:
        self.upstream = upstream
        self.clone = clone
        self.git: Git = clone.git()
        self._moment = moment
        self._cache = cache
        self.refs: UpstreamRefs = upstream_refs(self.git, moment.until)
        tags = release_tags(self.refs.tags.values(), upstream.tag_pattern, upstream.ignore_tags)
        self.releases = in_version_order(map(release_target, tags))
        self._targets: dict[tuple[str, str], Target] = {(each.kind, each.ref): each for each in self.releases}
        self.reports: dict[str, FixReport] = {}
        self.problem: str | None = None

    def add_targets(self, pin: PinFacts) -> None:
        readings = [pin.reading, *(seen.reading for seen in pin.past)]
        for target in (reading.target for reading in readings if reading.target is not None):
            self._targets.setdefault((target.kind, target.ref), target)

    def look_up(self, claims: Iterable[FixClaim]) -> None:
        queries = [parse_query(query) for query in dict.fromkeys(claim.query for claim in claims)]
        if not queries:
            return
        names = frozenset({name.lower() for name in (self.upstream.repo.slug, self.clone.slug) if name})
        try:
            tip: str | None = branch_tip(self.clone, self.upstream.branch)
            if self._moment.until is not None and tip is not None:
                tip = commit_before(self.git, tip, self._moment.until)
            if tip is None:
                self.problem = f"upstream {self.upstream.name!r} has no commit up to {self._moment.until:%Y-%m-%d}"
                return
            targets = [target for target in self._targets.values() if self._known_then(target)]
            reports = ask(self.git, tip, targets, queries, names=names, shallow=self.clone.shallow, cache=self._cache)
        except SyncbotError as error:
            self.problem = f"upstream {self.upstream.name!r}: {error}"
            return
        self.reports = {query.text: self._then(report) for query, report in zip(queries, reports, strict=True)}

    def _known_then(self, target: Target) -> bool:
        until = self._moment.until
        return until is None or target.date is None or target.date <= until

    def _then(self, report: FixReport) -> FixReport:
        """A fix that was asked for by its commit and merged later had not landed at the moment looked at."""
        until = self._moment.until
        if until is None or report.merged_at is None or report.merged_at <= until:
            return report
        note = f"it landed on {report.merged_at:%Y-%m-%d}, after the day looked at"
        return replace(report, commit=None, merged_at=None, notes=(note,))

    def facts(self, claim: FixClaim) -> FixFacts:
        report = self.reports.get(claim.query)
        counts = claim.cures not in _DROPPED
        return FixFacts(claim=claim, report=report, counts=counts, problem=None if report else self.problem)


def _facts(
    project: Project,
    clones: Clones,
    moment: Moment,
    workaround: Workaround,
    head: str,
    pins: _Pins,
    upstreams: Mapping[str, _Upstream],
) -> Facts:
    clone = clones.downstreams[workaround.downstream]
    sights = tuple(_sight(project, clones, head, workaround, carrier) for carrier in workaround.carriers)
    shown = _gate(project, workaround)
    main = workaround.fixes[0].upstream if workaround.fixes else project.pins[shown[0]].upstream if shown else None
    return Facts(
        workaround=workaround,
        today=moment.today,
        head=head,
        sights=sights,
        was_there=_was_there(clone.git(), head, workaround, sights),
        fixes=tuple(upstreams[claim.upstream].facts(claim) for claim in workaround.fixes),
        pins=tuple(_gated(pins[name], workaround) for name in shown),
        releases=tuple(upstreams[main].releases) if main is not None else (),
    )


def _gated(pin: PinFacts, workaround: Workaround) -> PinFacts:
    """A pin gates a workaround when its gate names it, or, without a gate, when the configuration says so."""
    named = {*workaround.gate, *(name for carrier in workaround.carriers for name in carrier.pins)}
    if not named or (pin.reading.name in named) == pin.reading.gating:
        return pin
    return replace(pin, reading=replace(pin.reading, gating=pin.reading.name in named))


def _sight(project: Project, clones: Clones, head: str, workaround: Workaround, carrier: Carrier) -> Sight:
    whole = clones.downstreams[workaround.downstream]
    clone = whole if carrier.repo is None else clones.carriers.get(carrier.repo, whole)
    try:
        tip = head
        if carrier.repo is not None or carrier.branch is not None:
            tip = branch_tip(clone, carrier.branch)
    except (UnknownObjectError, UsageError) as error:
        return Sight(fit=Fit.UNKNOWN, reason=str(error))
    if carrier.carried is CarriedAs.PATCH_FILE:
        return _patch_sight(project, clone, tip, workaround, carrier)
    sight = look(clone.git(), tip, workaround)
    if carrier.carried is not CarriedAs.BRANCH or sight.fit not in (Fit.PRESENT, Fit.PARTIAL):
        return sight
    also = (whole.common_dir / "objects") if clone is not whole else None
    try:
        with Scratch(clone.git().directory, bring=clone.bring, also=also) as store:
            return replace(sight, stale=is_stale(store, workaround, tip, head))
    except (GitError, CouldNotError, UnknownObjectError) as error:
        # Whether it is there is known all the same.
        return replace(sight, reason=f"{sight.reason}; whether it still goes onto the project's head is not: {error}")


def _patch_sight(project: Project, clone: Clone, head: str, workaround: Workaround, carrier: Carrier) -> Sight:
    """A carried patch is there while its file is; whether it still applies is asked of the branch it names."""
    text = patch_text(project.root, workaround, carrier)
    if text is None:
        return Sight(fit=Fit.ABSENT, lost=(str(carrier.patch),), reason="there is no such patch file")
    try:
        with Scratch(clone.git().directory, bring=clone.bring) as store:
            applies = meets(store, head, text)
    except (GitError, CouldNotError, UnknownObjectError) as error:
        return Sight(fit=Fit.UNKNOWN, reason=str(error))
    reason = {
        Applies.STRICTLY: "its patch applies",
        Applies.ALREADY: "its change is on the branch already, so the patch adds nothing",
        Applies.NOT: "its patch does not apply any more",
    }[applies]
    return Sight(fit=Fit.PRESENT, found=(str(carrier.patch),), reason=reason, stale=applies is Applies.NOT)


def _was_there(git: Git, head: str, workaround: Workaround, sights: Sequence[Sight]) -> bool:
    in_tree = [sight for sight, carrier in zip(sights, workaround.carriers, strict=True) if carrier.branch is None
               and carrier.carried is CarriedAs.IN_TREE]  # fmt: skip
    if workaround.removed is not None or any(sight.fit in (Fit.PRESENT, Fit.PARTIAL) for sight in in_tree):
        return True
    commit = workaround.introduced.commit
    if commit is None:
        return False
    try:
        return git.result("merge-base", "--is-ancestor", commit, head, ok=(0, 1))[0] == 0
    except GitError:
        return False
