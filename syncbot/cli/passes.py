"""What ``plan``, ``sync`` and ``apply`` share: one pass over every downstream, and how its lines are told."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syncbot.cli import clock
from syncbot.model.errors import SyncbotError, UsageError
from syncbot.model.words import Mode

if TYPE_CHECKING:
    from syncbot.cache import Cache
    from syncbot.cli.venues import Place
    from syncbot.git.clone import Clone
    from syncbot.model.plan import Action, Line, Outcome
    from syncbot.model.project import Project, Repo
    from syncbot.model.status import FixFacts, Standing
    from syncbot.observe import Clones
    from syncbot.proposals.prepare import Workshop
    from syncbot.shards import Shard
    from syncbot.sync import Report

log = logging.getLogger(__name__)

Config = Annotated[str, typer.Option("--config", metavar="PATH", help="syncbot.toml or its folder.")]
Repos = Annotated[
    list[str] | None, typer.Option("--repo", metavar="NAME=PATH", help="A clone to use; may be repeated.")
]
UseCache = Annotated[bool, typer.Option("--cache/--no-cache", help="Use the cache of immutable facts.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Part = Annotated[
    str | None, typer.Option("--shard", metavar="I/N", help="Only part I of N of the downstreams; see plan --matrix.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """What is asked of one pass. ``apply``: write; ``only`` says why an action must not be taken.

    ``remember`` keeps the memory although only a part is applied.
    """

    config: str
    repos: Sequence[str]
    ids: Sequence[str] = ()
    use_cache: bool = True
    shard: Shard | None = None
    apply: bool = False
    only: Callable[[Action], str | None] | None = None
    remember: bool = False


def shard_of(text: str | None, ids: Sequence[str] | None = None) -> Shard | None:
    """Return the shard that ``--shard`` names; raises `UsageError` for one that is none, or beside ids."""
    from syncbot.shards import parse_shard

    if text is not None and ids:
        raise UsageError("--shard and ids exclude each other: the first is for jobs that share all of them out")
    return parse_shard(text) if text is not None else None


def one_pass(asked: Pass) -> dict[str, Report]:
    """Go once over every downstream that has workarounds; a report for each, by name.

    One that cannot be dealt with at all gets a report of its problem, and the others go on.
    """
    from syncbot.cli.memories import remember
    from syncbot.cli.repos import open_cache, open_project, progress
    from syncbot.config import load_archived
    from syncbot.observe import Moment, observe
    from syncbot.policy import conclude
    from syncbot.render.text import plain

    project, clones = open_project(asked.config, asked.repos, asked.shard)
    archived, unreadable = load_archived(project)
    for problem in unreadable:
        log.warning("%s", plain(problem))
    project = replace(project, workarounds=(*project.workarounds, *archived))
    known = [each.id for each in project.workarounds]
    if problems := [f"no workaround is called {each!r}" for each in asked.ids if each not in known]:
        raise UsageError(*problems)
    now = clock.now()
    reports: dict[str, Report] = {}
    seen: list[Standing] = []
    ids_archived = frozenset(each.id for each in archived)
    with open_cache(asked.use_cache) as cache:
        for name in dict.fromkeys(each.downstream for each in project.workarounds):
            mine = [each.id for each in project.workarounds if each.downstream == name]
            only = [each for each in mine if not asked.ids or each in asked.ids]
            if not only:
                continue
            try:
                with progress(f"reading histories for {name}"):
                    moment = Moment(today=now.date())
                    standings = [conclude(each) for each in observe(project, clones, moment, only=only, cache=cache)]
                seen += standings
                with _locked(project.root, asked.apply):
                    reports[name] = _visit(asked, project, name, clones, standings, cache, now, ids_archived)
            except SyncbotError as error:
                reports[name] = _broken(only, error)
    live = [each for each in seen if each.facts.workaround.id not in ids_archived]
    whole = not asked.ids and asked.shard is None and len(live) == len(project.workarounds) - len(ids_archived)
    stopped = any(report.stopped for report in reports.values())
    # A plan that a person has read says nothing of the memory, so carrying it out leaves that alone unless asked.
    keep = asked.apply and (asked.only is None or asked.remember) and not stopped
    remember(project, clones, live, now, keep=keep, whole=whole)
    return reports


def _broken(ids: Sequence[str], error: SyncbotError) -> Report:
    from syncbot.model.plan import Line, Plan
    from syncbot.sync import Report

    why = f"Not looked at: {error}"
    lines = tuple(Line(workaround=each, carrier=None, decision="unsure", state="unknown", why=why) for each in ids)
    return Report(plan=Plan(lines=lines), problem=error)


def _visit(
    asked: Pass,
    project: Project,
    name: str,
    clones: Clones,
    standings: Sequence[Standing],
    cache: Cache,
    now: dt.datetime,
    archived: frozenset[str],
) -> Report:
    """Go over the downstream's own proposals, over those of repositories that carriers name, and of carried patches."""
    from syncbot.checks.store import FOLDER, load
    from syncbot.cli.venues import home_clone
    from syncbot.model.words import CarriedAs
    from syncbot.planning import Given
    from syncbot.proposals.later import later
    from syncbot.sync import joined, plan_for, run

    root = Path(project.root)

    def later_in(fix: FixFacts, built: str) -> tuple[str, ...]:
        if fix.report is None or fix.report.commit is None:
            return ()
        return later(clones.upstreams[fix.claim.upstream].git(), fix.report.commit, built, cache)

    patches = frozenset({CarriedAs.PATCH_FILE})
    carriers = {decision.carrier for each in standings for decision in each.decisions}
    home = home_clone(root) if any(each.carried in patches for each in carriers) else None
    rest = frozenset(CarriedAs) - patches if home is not None else frozenset(CarriedAs)
    attached = {
        each.facts.workaround.id: load(root / "patches" / each.facts.workaround.id / FOLDER) for each in standings
    }
    reports = []
    for where in (None, *sorted({each.repo for each in carriers if each.repo is not None}, key=lambda repo: repo.url)):
        for kinds in (rest, patches) if home is not None else (rest,):
            mine = [each for each in carriers if each.carried in kinds and each.repo == where]
            if not mine and (where is not None or kinds is patches):
                continue
            opened = (
                _own_desk(project, name, clones, standings, cache, home, where)
                if kinds is patches and home is not None
                else _desk(project, name, clones, cache, where)
            )
            try:
                with opened as desk:
                    given = Given(
                        project=project, venue=desk.place.venue, standings=standings, workshop=desk.workshop, now=now,
                        cache=cache, attached=attached, later=later_in, carriers=kinds, where=where,
                        base_oid=desk.base_oid,
                        whole=not asked.ids and where is None and kinds is rest,
                        archived=archived,
                    )  # fmt: skip
                    pens = desk.place.pens(root) if asked.apply else None
                    reports.append(run(given, pens, only=asked.only) if pens is not None else plan_for(given))
            except SyncbotError as error:
                if where is None:
                    raise
                names = [each.facts.workaround.id for each in standings
                         if any(one.carrier in mine for one in each.decisions)]  # fmt: skip
                reports.append(_broken(names, error))
    return joined(reports)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """Where proposals to one repository go, and where their commits are made."""

    place: Place
    workshop: Workshop
    base_oid: str | None = None


@contextmanager
def _desk(project: Project, name: str, clones: Clones, cache: Cache, where: Repo | None) -> Iterator[_Desk]:
    from syncbot.cli.venues import open_place, version
    from syncbot.proposals.prepare import Workshop

    whole = clones.downstreams[name]
    clone = whole if where is None else clones.carriers[where]
    with open_place(project, name, clone, where=where) as place:
        signed = place.venue.mode is Mode.PULL_REQUEST
        with Workshop(
            clone, proposals=place.venue.proposals, sign_off=signed, version=version(), cache=cache,
            also=whole if clone is not whole else None,
        ) as workshop:  # fmt: skip
            yield _Desk(place=place, workshop=workshop)


@contextmanager
def _own_desk(
    project: Project, name: str, clones: Clones, standings: Sequence[Standing], cache: Cache, home: Clone,
    where: Repo | None,
) -> Iterator[_Desk]:  # fmt: skip
    """The desk of carried patches: the bot's own repository, for patches that apply in ``where`` or the downstream."""
    from syncbot.cli.venues import open_home, version
    from syncbot.proposals.patchfile import PatchWorkshop

    clone = clones.downstreams[name] if where is None else clones.carriers[where]
    proposals = project.proposals_for(name)
    with open_home(project, name, home, proposals) as (place, base_oid, folder):
        heads = _heads(clone, standings, where)
        with PatchWorkshop(
            home, downstream=clone, heads=heads, folder=folder, proposals=proposals, sign_off=True, version=version(),
            cache=cache,
        ) as workshop:  # fmt: skip
            yield _Desk(place=place, workshop=workshop, base_oid=base_oid)


def _heads(clone: Clone, standings: Sequence[Standing], where: Repo | None) -> dict[str | None, str]:
    """The commits that carried patches are for, by the branch their carriers name."""
    from syncbot.git.clone import branch_tip
    from syncbot.model.words import CarriedAs

    heads: dict[str | None, str] = {}
    for each in standings:
        for carrier in (decision.carrier for decision in each.decisions):
            if carrier.repo != where or carrier.carried is not CarriedAs.PATCH_FILE:
                continue
            own = carrier.branch is not None or where is not None
            heads[carrier.branch] = branch_tip(clone, carrier.branch) if own else each.facts.head
    return heads


@contextmanager
def _locked(root: str, wanted: bool) -> Iterator[None]:
    """One writer at a time on this machine for one project. Raises `TryLaterError` while another one writes."""
    if not wanted:
        yield
        return
    import hashlib
    import os

    from filelock import FileLock, Timeout

    from syncbot.cache import cache_folder
    from syncbot.model.errors import TryLaterError

    folder = cache_folder(os.environ) / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(str(Path(root).resolve()).encode()).hexdigest()[:16]
    try:
        with FileLock(folder / f"sync-{name}.lock", timeout=60):
            yield
    except Timeout:
        raise TryLaterError(f"another syncbot has been writing for {root} for a minute") from None


def tell(reports: dict[str, Report], *, applied: bool) -> None:
    """Print a line for each workaround, the actions, and what became of them."""
    from syncbot.render.text import plain

    for report in reports.values():
        for line in report.plan.lines:
            typer.echo(plain(_line(line)))
            for command in _commands(line):
                typer.echo(plain(f"    {command}"))
        if applied:
            for outcome in report.outcomes:
                typer.echo(plain(_outcome(outcome)))
        else:
            for action in report.plan.actions:
                typer.echo(plain(f"  would {_action(action)}"))
    if not any(report.plan.actions or report.outcomes for report in reports.values()):
        typer.echo("nothing to write")


def tell_workflow(reports: dict[str, Report], *, applied: bool) -> None:
    """Tell the same to the workflow that runs this, if one does: outputs, and the job's summary."""
    import os

    if os.environ.get("GITHUB_OUTPUT") or os.environ.get("GITHUB_STEP_SUMMARY"):
        from syncbot.cli.workflow import tell_writes

        tell_writes(reports, os.environ, applied=applied)


def _line(line: Line) -> str:
    name = f"{line.workaround}/{line.carrier}" if line.carrier else line.workaround
    # A folder is named in the sentence, as a person types it.
    url = f" {line.url}" if line.url and not line.url.startswith("file:") else ""
    return f"{name}: {line.decision}. {line.why}{url}"


def _commands(line: Line) -> list[str]:
    """What a person types to submit an open proposal that is a folder, from the file beside it."""
    due = line.decision in ("remove", "restore", "refresh", "bundle")
    if not due or line.state != "open" or not (line.url or "").startswith("file:"):
        return []
    from urllib.parse import unquote, urlsplit

    try:
        text = Path(unquote(urlsplit(line.url or "").path), "commands.md").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return []
    return text.partition("```sh\n")[2].partition("```")[0].splitlines()


def _action(action: Action) -> str:
    where = f"{action.repo}#{action.number}" if action.number is not None else action.repo
    what = action.data.get("branch") or action.data.get("title") or action.topic
    return f"{action.kind.value} in {where}: {what}"


def _outcome(outcome: Outcome) -> str:
    more = ": ".join(part for part in (outcome.result.value, outcome.why) if part)
    return f"  {_action(outcome.action)}: {more}{f' {outcome.url}' if outcome.url else ''}"


def as_data(reports: dict[str, Report]) -> dict[str, Any]:
    """Return the pass as ``syncbot.plan/1``."""
    return {
        "schema": "syncbot.plan/1",
        "actions": [
            action_data(action, name) for name, report in reports.items() for action in report.plan.actions
        ],
        "workarounds": [
            {
                "id": line.workaround, "carrier": line.carrier, "downstream": name, "decision": line.decision,
                "proposal": line.state, "why": line.why, "url": line.url,
            }
            for name, report in reports.items()
            for line in report.plan.lines
        ],
        "outcomes": [
            {
                "digest": each.action.digest, "kind": each.action.kind.value, "key": each.action.topic,
                "result": each.result.value, "why": each.why, "url": each.url,
            }
            for report in reports.values()
            for each in report.outcomes
        ],
    }  # fmt: skip


def action_data(action: Action, downstream: str) -> dict[str, Any]:
    """Return one action as plain data; ``digest`` changes with anything it says."""
    return {
        "kind": action.kind.value, "key": action.topic, "downstream": downstream, "repo": action.repo,
        "number": action.number, "expects": dict(action.expects), "data": dict(action.data), "digest": action.digest,
    }  # fmt: skip


def end(reports: dict[str, Report]) -> None:
    """Raise the worst of what went wrong: something failed before something to try later. Nothing if all is well."""
    from syncbot.sync import outcome_error

    errors = [error for report in reports.values() if (error := outcome_error(report)) is not None]
    if errors:
        raise min(errors, key=lambda error: (error.exit_code != 2, error.exit_code))
