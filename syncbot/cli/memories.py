"""What a run remembers for the next: tags as they are now, the day something was first seen, and the trend.

Kept on a branch of the bot's own repository where that is on a code host, and in a file beside the configuration, from
which `status` and `report` read it without asking anybody; what one of the two lost comes back from the other. Written
only when something changed; looking never writes.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from syncbot.model.errors import SyncbotError

if TYPE_CHECKING:
    from syncbot.memory import Memory, MemoryStore
    from syncbot.model.project import Project, Repo
    from syncbot.model.status import Standing
    from syncbot.observe import Clones

log = logging.getLogger(__name__)


def open_branch(project: Project, now: dt.datetime) -> MemoryStore | None:
    """Return the memory in the bot's own repository; None where that is on no code host, or without a token."""
    from syncbot.cli.credentials import git_token, named_in
    from syncbot.git.objects import Identity
    from syncbot.proposals.destination import HostDestination
    from syncbot.proposals.memory_branch import BranchMemory

    home = _home(project)
    token = git_token(home) if home is not None and home.forge.kind == "github" else None
    if home is None or token is None or home.slug is None:
        return None
    proposals = project.proposals
    return BranchMemory(
        HostDestination(
            url=f"{(home.forge.web or '').rstrip('/')}/{home.slug}.git", token=token,
            token_variable=named_in(home.forge),
        ),
        label=home.slug,
        identity=Identity(
            name=proposals.identity_name, email=proposals.identity_email, date=f"@{int(now.timestamp())} +0000"
        ),
    )  # fmt: skip


def _home(project: Project) -> Repo | None:
    """The bot's own repository: as configured, or the one whose workflow this is."""
    from syncbot.model.project import Repo

    if project.proposals.home is not None:
        return project.proposals.home
    slug = os.environ.get("GITHUB_REPOSITORY") or None
    forge = next((each.repo.forge for each in project.downstreams.values() if each.repo.forge.kind == "github"), None)
    if slug is None or forge is None:
        return None
    return Repo(url=f"{(forge.web or '').rstrip('/')}/{slug}.git", forge=forge, slug=slug)


def remember(
    project: Project, clones: Clones, standings: Sequence[Standing], now: dt.datetime, *, keep: bool, whole: bool
) -> None:
    """Say which release tags moved or went since they were last seen; with ``keep`` remember how things are now.

    ``whole``: these are the standings of all workarounds, without which a trend says nothing.
    """
    from syncbot.cli.tags import changed_tags, kept_at, release_tags_of
    from syncbot.memory import FileMemory, Memory, merge
    from syncbot.render.text import plain

    try:
        branch = open_branch(project, now)
        stores = [*([branch] if branch is not None else []), FileMemory(kept_at(project))]
        loaded = [store.load() for store in stores]
        # The file is a copy where there is a branch: that it is not there yet is no loss.
        for problem in loaded[0].problems:
            log.log(logging.WARNING if keep else logging.INFO, "%s", plain(problem))
        known = Memory()
        for each in loaded:
            known = merge(known, each.memory)
        tags = release_tags_of(project, clones)
        for note in changed_tags(tags, known):
            log.warning("%s", plain(note))
        if not keep or _waits(project, now):
            return
        memory = known
        for label, named in tags.items():
            memory = memory.with_tags(label, named, now.date())
        memory = _with_standings(memory, project, standings, now, whole=whole)
    except SyncbotError as error:
        log.warning("the memory could not be kept: %s", plain(str(error)))
        return
    for store, each in zip(stores, loaded, strict=True):
        try:
            if memory != each.memory:
                store.save(memory)
        except SyncbotError as error:
            # The other one may still be written, and is merged with this one later.
            log.warning("the memory could not be kept: %s", plain(str(error)))


def _with_standings(
    memory: Memory, project: Project, standings: Sequence[Standing], now: dt.datetime, *, whole: bool
) -> Memory:
    from syncbot.report.figures import to_remember
    from syncbot.report.rows import Given, build

    first = [f"{each.facts.workaround.id}/{decision.choice.value}" for each in standings for decision in each.decisions]
    memory = memory.with_first(first, now.date())
    if not whole:
        return memory
    figures = to_remember(build(Given(project=project, standings=standings, made_at=now)))
    return memory.with_figures(now, figures) if figures != _latest(memory, figures) else memory


def _latest(memory: Memory, names: Mapping[str, float]) -> dict[str, float]:
    """The figures as they were last remembered: while they stay the same a new row would say nothing."""
    return {each.name: each.value for each in memory.trend if each.name in names}


def _waits(project: Project, now: dt.datetime) -> bool:
    """Whether a person's settings hold every write back, as they do those of proposals."""
    from syncbot.forge.limits import QuietHours

    proposals = project.proposals
    stopped = proposals.stop_file is not None and Path(project.root, proposals.stop_file).exists()
    return stopped or (proposals.quiet_hours is not None and QuietHours.parse(proposals.quiet_hours).covers(now))
