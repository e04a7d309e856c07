"""What ``discover`` and ``track`` share: the project, its clones as far as they are there, and a scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from syncbot.model.errors import SyncbotError, UnknownObjectError, UsageError

if TYPE_CHECKING:
    from syncbot.cache import Cache
    from syncbot.discover.references import Names
    from syncbot.git.clone import Clone
    from syncbot.model.discover import Finding, Scan
    from syncbot.model.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One downstream to look at: its clone, the commit, and how its code speaks of the upstreams."""

    project: Project
    root: Path
    downstream: str
    clone: Clone
    commit: str
    names: Names
    given: Mapping[str, str]
    offline: bool

    def upstreams(self, wanted: set[str]) -> dict[str, Clone | str]:
        """A clone for each of the ``wanted`` upstreams, or the reason why there is none."""
        found: dict[str, Clone | str] = {}
        for name in sorted(wanted):
            found[name] = self._upstream(name)
        return found

    def _upstream(self, name: str) -> Clone | str:
        from syncbot.cli.repos import open_remote
        from syncbot.git.clone import open_clone

        if name in self.given:
            return open_clone(self.given[name])
        if self.offline:
            return f"no clone of {name} was given, and nothing is fetched with --offline"
        try:
            return open_remote(self.project.upstreams[name].repo)
        except SyncbotError as error:
            return f"{name} cannot be read: {error}"

    def scan(self, cache: Cache, commit: str | None = None) -> Scan:
        """All remarks of the tree."""
        from syncbot.discover.scan import scan

        return scan(self.clone.git(), commit or self.commit, self.names, cache=cache)

    def findings(self, scan: Scan) -> list[Finding]:
        """The findings of a scan."""
        from syncbot.discover.findings import find

        return find(scan.places, self.project, self.downstream)


def open_ground(config: str, repos: Sequence[str], downstream: str | None, at: str | None, *, offline: bool) -> Ground:
    """Read the configuration and open the downstream. Raises `UsageError` for what is not there."""
    from syncbot.cli.repos import named_repos, open_remote
    from syncbot.config import load_project
    from syncbot.discover.references import Names, spoken_names
    from syncbot.git.clone import branch_ref_in, open_clone
    from syncbot.git.history import resolve

    project = load_project(Path(config))
    given = named_repos(repos, project)
    name = _chosen(project, downstream)
    where = project.downstreams[name]
    if name not in given and offline:
        raise UsageError(f"--offline: give a clone of the downstream with --repo {name}=PATH")
    clone = open_clone(given[name]) if name in given else open_remote(where.repo)
    try:
        commit = resolve(clone.git(), at if at is not None else branch_ref_in(clone, where.branch))
    except UnknownObjectError as error:
        raise UsageError(f"downstream {name!r}: {error}") from error
    words: dict[str, str] = {}
    for upstream in project.upstreams.values():
        words |= spoken_names(upstream.name, [upstream.repo.slug] if upstream.repo.slug else [])
    own = frozenset(slug.lower() for slug in (where.repo.slug, clone.slug) if slug)
    return Ground(
        project=project,
        root=Path(project.root),
        downstream=name,
        clone=clone,
        commit=commit,
        names=Names({word: each for word, each in words.items() if word not in own}, own),
        given=given,
        offline=offline,
    )


def _chosen(project: Project, downstream: str | None) -> str:
    names = list(project.downstreams)
    if downstream is None:
        if len(names) != 1:
            raise UsageError(
                f"name one of the downstreams with --downstream: {', '.join(names) or 'none is configured'}"
            )
        return names[0]
    if downstream not in names:
        raise UsageError(
            f"--downstream {downstream!r}: expected one of {', '.join(names) or 'none, none is configured'}"
        )
    return downstream
