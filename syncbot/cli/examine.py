"""Look at a set-up for ``syncbot doctor``: each part by itself, so that what fails leaves the others their remarks."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from syncbot.model.doctor import Level, Remark, hint, kind_of, ok, problem
from syncbot.model.errors import SyncbotError, TryLaterError, UsageError
from syncbot.model.forge import Secret, TokenAuth

if TYPE_CHECKING:
    from syncbot.forge.github_sight import GitHubSight
    from syncbot.git.clone import Clone
    from syncbot.model.doctor import TokenFacts
    from syncbot.model.forge import Repository
    from syncbot.model.project import Forge, Pin, Project, Repo

_TIMEOUT = 15.0
_LONGEST_WAIT = 2.0


@dataclass(kw_only=True)
class Examination:
    """What is looked at. ``offline``: no host is asked, and only clones named in ``repos`` are read."""

    config: str
    repos: Sequence[str]
    offline: bool
    now: Callable[[], dt.datetime]
    clones: dict[str, Clone | None] = field(default_factory=dict)

    def remarks(self) -> Iterator[Remark]:
        """Yield every remark, from this machine outwards."""
        from syncbot.config import read_project

        yield _git()
        yield _cache()
        project, problems = read_project(Path(self.config))
        for each in problems:
            yield Remark(topic="config", level=Level.CONFIG, text=str(each))
        if project is None:
            return
        counts = f"{len(project.upstreams)} upstreams, {len(project.downstreams)} downstreams, {len(project.pins)} pins"
        yield ok("config", f"valid: {counts}, {len(project.workarounds)} workarounds")
        yield from _own_files(project)
        if self.offline:
            yield hint("hosts", "not asked, because of --offline")
        else:
            yield from self._hosts(project)
        yield from self._pins(project)

    # -- code hosts --

    def _hosts(self, project: Project) -> Iterator[Remark]:
        by_forge: dict[str, tuple[Forge, list[str]]] = {}
        for name, downstream in project.downstreams.items():
            forge = downstream.repo.forge
            if forge.kind == "github" and downstream.repo.slug is not None:
                by_forge.setdefault(forge.name, (forge, []))[1].append(name)
        for forge, names in by_forge.values():
            try:
                yield from self._host(project, forge, names)
            except SyncbotError as error:
                yield _failed(f"token of {forge.name}", error)

    def _host(self, project: Project, forge: Forge, names: list[str]) -> Iterator[Remark]:
        from syncbot.doctor.access import on_token, without_token
        from syncbot.doctor.machine import on_clock

        variable = forge.token_variable
        text = os.environ.get(variable, "").strip() if variable else ""
        if variable is None or not text:
            yield without_token(forge.name, variable, tuple(names))
            return
        with _sight(forge, Secret(text), self.now) as sight:
            facts = sight.token(kind_of(text))
            yield from on_token(forge.name, variable, facts, downstreams=len(names), now=self.now())
            if (clock := on_clock(facts.skew)) is not None:
                yield clock
            homes: dict[str, None] = {}
            for name in names:
                try:
                    yield from self._downstream(project, name, sight, homes)
                except SyncbotError as error:
                    yield _failed(f"downstream {name}", error)
            for home in homes:
                yield from _home(home, sight, facts)

    def _downstream(self, project: Project, name: str, sight: GitHubSight, homes: dict[str, None]) -> Iterator[Remark]:
        from syncbot.doctor.access import on_downstream, on_fork

        downstream, proposals = project.downstreams[name], project.proposals_for(name)
        assert downstream.repo.slug is not None
        there = sight.reader.repository(downstream.repo.slug)
        home = proposals.home
        same = home is None or home.forge == downstream.repo.forge
        slug = (home.slug if home is not None else None) or os.environ.get("GITHUB_REPOSITORY") or None
        if slug is not None and same:
            homes[slug] = None
        yield from on_downstream(name, there, proposals.mode, proposals.fork, slug)
        if proposals.fork is not None:
            try:
                fork = sight.reader.repository(proposals.fork)
                yield from on_fork(fork, there, self._behind(sight, there, fork, downstream.branch))
            except SyncbotError as error:
                yield _failed(f"fork {proposals.fork}", error)

    def _behind(self, sight: GitHubSight, there: Repository, fork: Repository, branch: str | None) -> int | None:
        return sight.behind(there.slug, branch or there.default_branch, fork.slug)

    # -- pins --

    def _pins(self, project: Project) -> Iterator[Remark]:
        for name, upstream in project.upstreams.items():
            yield from self._open(name, upstream.repo, project)
        for name, downstream in project.downstreams.items():
            yield from self._open(name, downstream.repo, project)
        for name, pin in project.pins.items():
            if pin.repo != project.downstreams[pin.downstream].repo:
                yield from self._open(name, pin.repo, project)
        for name, pin in project.pins.items():
            holder = self.clones.get(name, self.clones.get(pin.downstream))
            upstream_clone = self.clones.get(pin.upstream)
            if holder is None or upstream_clone is None:
                yield hint(f"pin {name}", "not looked at: a repository is missing")
                continue
            try:
                yield _pin(project, pin, holder, upstream_clone)
            except SyncbotError as error:
                yield _failed(f"pin {name}", error)

    def _open(self, name: str, repo: Repo, project: Project) -> Iterator[Remark]:
        from syncbot.cli.repos import named_repos, open_remote
        from syncbot.git.clone import open_clone

        topic = f"repository {name}"
        try:
            given = named_repos(self.repos, project)
            if name in given:
                clone = open_clone(given[name])
            elif self.offline:
                self.clones[name] = None
                return
            else:
                clone = open_remote(repo)
        except SyncbotError as error:
            self.clones[name] = None
            yield _failed(topic, error)
            return
        self.clones[name] = clone
        where = f"the clone {clone.path}" if name in given else "its mirror, brought up to date"
        if clone.shallow:
            todo = "git fetch --unshallow brings the history that answers rest on."
            yield hint(topic, f"{repo.label}: {where}, which is shallow", todo)
        else:
            yield ok(topic, f"{repo.label}: {where}")


def _pin(project: Project, pin: Pin, holder: Clone, upstream: Clone) -> Remark:
    from syncbot.git.clone import branch_ref_in
    from syncbot.git.history import resolve
    from syncbot.landing.pins import pin_at, upstream_refs

    topic = f"pin {pin.name}"
    downstream = project.downstreams[pin.downstream]
    branch = downstream.branch if pin.repo == downstream.repo else pin.branch
    head = resolve(holder.git(), branch_ref_in(holder, branch))
    reading = pin_at(holder.git(), head, pin, upstream.git(), upstream_refs(upstream.git()))
    if reading.problem is not None:
        return Remark(topic=topic, level=Level.CONFIG, text=reading.problem, todo="Mend its table in syncbot.toml.")
    assert reading.text is not None
    assert reading.target is not None
    said = reading.text.short
    if reading.target.commit is None:
        return problem(
            topic,
            f"says {said!r}: {reading.target.note or 'the upstream has no such ref'}",
            "Everything that waits for it stays unknown; tag_format may be missing, or the ref is of a fork.",
        )
    return ok(topic, f"says {said}, which is {reading.target.commit[:12]} of {pin.upstream}")


def _home(home: str, sight: GitHubSight, facts: TokenFacts) -> Iterator[Remark]:
    from syncbot.doctor.access import on_home

    try:
        repo = sight.reader.repository(home)
        yield from on_home(repo, sight.workflows_may_propose(repo.slug), facts.kind)
    except SyncbotError as error:
        yield _failed(f"home {home}", error)


@contextlib.contextmanager
def _sight(forge: Forge, token: Secret, now: Callable[[], dt.datetime]) -> Iterator[GitHubSight]:
    from syncbot.forge.github import GITHUB_API, connect
    from syncbot.forge.github_sight import GitHubSight

    # Nothing from a cache: what is asked here is how things are now.
    connection = connect(
        TokenAuth(token=token), api=forge.api or GITHUB_API, timeout=_TIMEOUT, longest_wait=_LONGEST_WAIT
    )
    try:
        yield GitHubSight(connection, now)
    finally:
        connection.close()


def _failed(topic: str, error: SyncbotError) -> Remark:
    if isinstance(error, TryLaterError):
        return Remark(topic=topic, level=Level.UNREACHABLE, text=str(error), todo="Try later.")
    level = Level.CONFIG if isinstance(error, UsageError) or error.exit_code == 2 else Level.PROBLEM
    return Remark(topic=topic, level=level, text=str(error))


# -- this machine ------------------------------------------------------------------------------------------------------


def _git() -> Remark:
    from syncbot.doctor.machine import on_git
    from syncbot.git.run import Access, Git, GitError

    try:
        return on_git(Git(Path(tempfile.gettempdir()), Access.READ).text("version"))
    except (GitError, OSError):
        return on_git(None)


def _cache() -> Remark:
    from syncbot.cache import cache_folder
    from syncbot.doctor.machine import on_cache

    folder = cache_folder(os.environ)
    problem: str | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        problem = error.strerror or str(error)
    facts, mirrors = folder / "facts.sqlite", folder / "mirrors"
    held = [each for each in mirrors.iterdir() if each.is_dir()] if mirrors.is_dir() else []
    size = facts.stat().st_size if facts.is_file() else 0
    return on_cache(str(folder), problem, (size, sum(map(_size, held)), len(held)), _sound(facts))


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _sound(facts: Path) -> bool | None:
    """What SQLite says of the file: read only, and never made."""
    import sqlite3

    if not facts.is_file():
        return None
    try:
        with contextlib.closing(sqlite3.connect(f"{facts.as_uri()}?mode=ro", uri=True, timeout=5)) as connection:
            return [row[0] for row in connection.execute("PRAGMA quick_check(1)")] == ["ok"]
    except sqlite3.Error as error:
        return True if "locked" in str(error) else False  # noqa: SIM210 - busy is no damage


def _own_files(project: Project) -> Iterator[Remark]:
    """The memory and the stop file, beside the configuration."""
    from syncbot.cli.tags import kept_at
    from syncbot.memory import FileMemory

    memory = kept_at(project)
    if memory.exists():
        problems = FileMemory(memory).load().problems
        for each in problems:
            yield hint("memory", each, "Take the line out, or leave it: it is skipped.")
        if not problems:
            yield ok("memory", f"{memory} is whole")
    stop = project.proposals.stop_file
    if stop is not None and Path(project.root, stop).exists():
        yield hint("stop file", f"{stop} is there, so nothing is written anywhere", "Take it away to go on.")
    free = shutil.disk_usage(project.root).free
    if free < 1 << 30:
        yield hint("disk", f"{free >> 20} MiB are free beside the configuration")
