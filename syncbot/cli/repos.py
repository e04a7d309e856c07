"""``--repo [NAME=]PATH`` and the mirrors: from what a person named to a repository that can be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncbot.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from syncbot.cache import Cache
    from syncbot.git.clone import Clone
    from syncbot.model.project import Project, Repo, Upstream
    from syncbot.observe import Clones
    from syncbot.shards import Shard


def open_cache(wanted: bool = True) -> Cache:
    """The cache of this user, or one that keeps nothing."""
    from syncbot.cache import Cache, cache_folder

    return Cache(cache_folder(os.environ) / "facts.sqlite" if wanted else None)


def split_repo(option: str) -> tuple[str | None, str]:
    """``NAME=PATH`` as name and path; a plain path has no name. A path that exists wins over the form."""
    name, found, path = option.partition("=")
    if not found or Path(option).expanduser().exists() or "/" in name.replace("/", "", 1):
        return None, option
    if not name or not path:
        raise UsageError(f"--repo {option}: expected PATH or NAME=PATH, and one of the two is empty")
    return name, path


def open_project(path: str, repos: Sequence[str], shard: Shard | None = None) -> tuple[Project, Clones]:
    """The configuration in ``path``, and a clone for each repository it names.

    ``repos`` are ``--repo`` options: ``NAME=PATH`` for an upstream, a downstream, a pin's own repository, or one that a
    carrier names (by ``owner/name``). The others come from mirrors in the cache folder. ``shard``: that part of the
    configuration alone, so that nothing else is cloned. Raises `UsageError` for a name that is not configured.
    """
    from syncbot.config import load_project
    from syncbot.git.clone import open_clone
    from syncbot.observe import Clones
    from syncbot.shards import part

    project = load_project(Path(path))
    given = {name: open_clone(place) for name, place in (_named(option, project) for option in repos)}
    if shard is not None:
        project = part(project, shard)
    mirrors: dict[Repo, Clone] = {}

    def clone(name: str, repo: Repo) -> Clone:
        if name in given:
            return given[name]
        if repo not in mirrors:
            mirrors[repo] = open_remote(repo)
        return mirrors[repo]

    return project, Clones(
        upstreams={name: clone(name, each.repo) for name, each in project.upstreams.items()},
        downstreams={name: clone(name, each.repo) for name, each in project.downstreams.items()},
        pins={
            name: clone(name, pin.repo)
            for name, pin in project.pins.items()
            if pin.repo != project.downstreams[pin.downstream].repo
        },
        carriers={repo: clone(repo.label, repo) for repo in _carriers(project)},
    )


def _carriers(project: Project) -> list[Repo]:
    """The repositories that carriers name for themselves."""
    named = [carrier.repo for each in project.workarounds for carrier in each.carriers]
    return list(dict.fromkeys(repo for repo in named if repo is not None))


def open_upstream(project: Project, upstream: Upstream, repos: Sequence[str]) -> tuple[Clone, str]:
    """One upstream's clone and the full ref of its branch, for commands that need no downstream."""
    from syncbot.git.clone import branch_ref_in, open_clone

    given = named_repos(repos, project)
    clone = open_clone(given[upstream.name]) if upstream.name in given else open_remote(upstream.repo)
    return clone, branch_ref_in(clone, upstream.branch)


def named_repos(repos: Sequence[str], project: Project) -> dict[str, str]:
    """``--repo NAME=PATH`` options as paths by name. Raises `UsageError` for a name that is not configured."""
    return dict(_named(option, project) for option in repos)


def _named(option: str, project: Project) -> tuple[str, str]:
    name, path = split_repo(option)
    known = {*project.upstreams, *project.downstreams, *project.pins, *(each.label for each in _carriers(project))}
    if name is None or name not in known:
        raise UsageError(f"--repo {option}: expected NAME=PATH with one of {', '.join(sorted(known))}")
    return name, path


def open_remote(repo: Repo) -> Clone:
    """The mirror of a configured repository, cloned or brought up to date first.

    Raises `TryLaterError` when its host cannot be reached, `UsageError` when it refuses or has no such repository.
    """
    from syncbot.cache import cache_folder
    from syncbot.cli.credentials import git_token
    from syncbot.git.mirror import open_mirror
    from syncbot.git.remote import remote

    found = git_token(repo)
    token, variable = found.reveal() if found is not None else None, repo.forge.token_variable
    # Only a folder forge is on this machine; anywhere else an address that leads here is a slip or a trap.
    local = repo.forge.kind == "folder"
    there = remote(repo.url, token=token, token_variable=variable, allow_local=local)
    with progress(f"fetching {repo.label}") as told:
        return open_mirror(cache_folder(os.environ) / "mirrors", there, progress=told).clone()


def progress(label: str) -> AbstractContextManager[Callable[[str], None] | None]:
    """A spinner with ``label`` on a terminal's standard error, nothing elsewhere; see `syncbot.cli.progress.shown`."""
    from syncbot.cli.progress import shown

    return shown(label, os.environ)


def console() -> Any:
    """A rich console on standard output: plain when it is no terminal, when ``CI`` or ``NO_COLOR`` is set."""
    import sys

    from rich.console import Console

    coloured = sys.stdout.isatty() and not os.environ.get("CI") and not os.environ.get("NO_COLOR")
    width = None if sys.stdout.isatty() else 120
    return Console(
        highlight=False, markup=False, emoji=False, no_color=not coloured, force_terminal=coloured, width=width
    )
