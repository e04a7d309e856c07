"""From configuration and environment to a venue: which forge, which token, where branches and issues go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from syncbot.cli import clock
from syncbot.model.errors import UsageError
from syncbot.model.forge import Secret, TokenAuth
from syncbot.model.words import Mode

if TYPE_CHECKING:
    from syncbot.forge.ports import Reader, Writer
    from syncbot.git.clone import Clone
    from syncbot.model.project import Forge, Project, Proposals, Repo
    from syncbot.proposals.venue import Pens, Venue

FOLDER = ".syncbot/forge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A venue and, for ``--apply`` alone, what writes to it."""

    venue: Venue
    writer: Writer
    home_writer: Writer

    def pens(self, root: Path) -> Pens:
        """Return the writers behind the configured limits."""
        from syncbot.forge.limits import LimitedWriter, Limits, QuietHours, Situation
        from syncbot.proposals.venue import Pens

        proposals = self.venue.proposals
        quiet = QuietHours.parse(proposals.quiet_hours) if proposals.quiet_hours else None
        limits = Limits(per_run=proposals.max_writes, quiet=quiet)

        def look() -> Situation:
            stop = root / proposals.stop_file if proposals.stop_file else None
            stopped = f"the stop file {proposals.stop_file} is there" if stop is not None and stop.exists() else None
            return Situation(now=clock.now(), stopped=stopped)

        downstream = LimitedWriter(self.writer, limits, look)
        # One count for both: a run may make so many writes, wherever they go.
        same = self.home_writer is self.writer
        return Pens(downstream=downstream, home=downstream if same else LimitedWriter(self.home_writer, limits, look))


@contextmanager
def open_place(project: Project, name: str, clone: Clone, *, web_timeout: float = 20) -> Iterator[Place]:
    """Yield the place of one downstream's proposals: a code host where there is a token for it, else a folder.

    Raises `UsageError` for settings that do not go together, and what the forge raises about the repository.
    """
    with ExitStack() as stack:
        downstream = project.downstreams[name]
        forge = downstream.repo.forge
        token = _token(forge)
        if forge.kind == "github" and token is not None and downstream.repo.slug is not None:
            yield _on_host(project, name, token, stack, web_timeout)
        else:
            yield _in_folder(project, name, clone)


def reaches(project: Project, name: str) -> bool:
    """Whether proposals of a downstream can be written from here: there is a token for its host, or the folder."""
    repo = project.downstreams[name].repo
    if repo.forge.kind == "github" and repo.slug is not None and _token(repo.forge) is not None:
        return True
    return repo.forge.kind == "folder" or Path(project.root, FOLDER).is_dir()


def _token(forge: Forge) -> Secret | None:
    text = os.environ.get(forge.token_variable, "") if forge.token_variable else ""
    return Secret(text.strip()) if text.strip() else None


def _on_host(project: Project, name: str, token: Secret, stack: ExitStack, timeout: float) -> Place:
    from syncbot.proposals.destination import HostDestination
    from syncbot.proposals.venue import Venue

    downstream, proposals = project.downstreams[name], project.proposals_for(name)
    forge, slug = downstream.repo.forge, downstream.repo.slug
    assert slug is not None
    reader, writer = _connected(forge, token, slug, stack, timeout)
    there = reader.repository(slug)
    mode = proposals.mode or (Mode.PULL_REQUEST if there.permission.may_write else Mode.HAND_OFF)
    home, home_reader, home_writer = _home(proposals.home, reader, writer, forge, stack, timeout)
    push_repo = proposals.fork or there.slug
    web = (forge.web or "").rstrip("/")
    venue = Venue(
        reader=reader, repo=there.slug, push_repo=push_repo, base=downstream.branch or there.default_branch, mode=mode,
        destination=HostDestination(
            url=f"{web}/{push_repo}.git", token=token, token_variable=forge.token_variable
        ),
        proposals=proposals, home=home, home_reader=home_reader, web=f"{web}/{there.slug}", root=Path(project.root),
    )  # fmt: skip
    return Place(venue=venue, writer=writer, home_writer=home_writer)


def _connected(forge: Forge, token: Secret, slug: str, stack: ExitStack, timeout: float) -> tuple[Reader, Writer]:
    from syncbot.cache import cache_folder
    from syncbot.forge.github import GITHUB_API, connect
    from syncbot.forge.github_reader import GitHubReader
    from syncbot.forge.github_writer import GitHubWriter

    api = forge.api or GITHUB_API
    between = float(os.environ.get("SYNCBOT_BETWEEN_WRITES", "1"))
    connection = connect(
        TokenAuth(token=token), api=api, repo=slug, cache_folder=cache_folder(os.environ), timeout=timeout,
        between_writes=between,
    )  # fmt: skip
    stack.callback(connection.close)
    return GitHubReader(connection), GitHubWriter(connection)


def connected_to(repo: Repo, stack: ExitStack) -> tuple[Reader, Writer]:
    """Both halves of a client for the forge of ``repo``; raises `UsageError` where there is no token for it."""
    token = _token(repo.forge)
    if repo.forge.kind != "github" or token is None or repo.slug is None:
        raise UsageError(f"no token for {repo.label} in {repo.forge.token_variable or 'any variable'}")
    return _connected(repo.forge, token, repo.slug, stack, 20)


def connected_here(repo: str | None, stack: ExitStack) -> tuple[Reader, Writer, str]:
    """The repository whose workflow this is (or ``repo`` beside it) and its slug, with the workflow's own token.

    Raises `UsageError` where the environment names neither.
    """
    from syncbot.forge.github import GITHUB_API
    from syncbot.model.project import Forge

    slug, token = repo or os.environ.get("GITHUB_REPOSITORY"), os.environ.get("GITHUB_TOKEN", "").strip()
    missing = [name for name, value in (("GITHUB_REPOSITORY", slug), ("GITHUB_TOKEN", token)) if not value]
    if missing or slug is None:
        raise UsageError(
            *(f"{name} is not set: a workflow sets it, and passes the token on by env" for name in missing)
        )
    forge = Forge(
        name="here", kind="github", web=os.environ.get("GITHUB_SERVER_URL"),
        api=os.environ.get("GITHUB_API_URL") or GITHUB_API, token_variable="GITHUB_TOKEN",  # noqa: S106 - a name
    )  # fmt: skip
    return *_connected(forge, Secret(token), slug, stack, 20), slug


def _home(
    home: Repo | None, reader: Reader, writer: Writer, forge: Forge, stack: ExitStack, timeout: float
) -> tuple[str | None, Reader | None, Writer]:
    """The bot's own repository: as configured, or the one whose workflow this is."""
    slug = home.slug if home is not None else os.environ.get("GITHUB_REPOSITORY") or None
    if slug is None:
        return None, None, writer
    if home is None or home.forge == forge:
        return slug, reader, writer
    token = _token(home.forge)
    if home.forge.kind != "github" or token is None:
        raise UsageError(
            f"[proposals.home]: no token for {home.label} in {home.forge.token_variable or 'any variable'}"
        )
    own = _connected(home.forge, token, slug, stack, timeout)
    return slug, *own


def _in_folder(project: Project, name: str, clone: Clone) -> Place:
    from syncbot.forge.folder import place_of_repository
    from syncbot.forge.folder_reader import FolderReader
    from syncbot.forge.folder_writer import FolderWriter
    from syncbot.git.bare import BareRepositories
    from syncbot.proposals.destination import FolderDestination
    from syncbot.proposals.venue import Venue

    downstream, proposals = project.downstreams[name], project.proposals_for(name)
    repo = downstream.repo
    path = repo.forge.path if repo.forge.kind == "folder" and repo.forge.path else FOLDER
    root = Path(project.root, path)
    bare = BareRepositories(lambda slug: place_of_repository(root, slug))
    slug = repo.slug or name
    home = (proposals.home.slug if proposals.home is not None else None) or slug
    reader = FolderReader(root, bare)
    writer = FolderWriter(root, bare, clock.now, beside=lambda body: _drawings(project, body))
    web = f"{repo.forge.web.rstrip('/')}/{repo.slug}" if repo.forge.web and repo.slug else None
    venue = Venue(
        reader=reader, repo=slug, push_repo=slug, base=downstream.branch or clone.branch or "main",
        mode=proposals.mode or Mode.HAND_OFF, proposals=proposals, home=home, home_reader=reader, web=web, files=True,
        root=Path(project.root),
        destination=FolderDestination(
            bare=bare, repo=slug, home=home, clone_objects=(clone.common_dir / "objects").resolve()
        ),
    )  # fmt: skip
    return Place(venue=venue, writer=writer, home_writer=writer)


def _drawings(project: Project, body: str) -> dict[str, str]:
    """What is drawn beside a proposal in a folder."""
    if '"syncbot.attached/1"' not in body:
        return {}
    from syncbot.checks.spec import read_specs
    from syncbot.report.beside import drawings

    checks = {each.id: each.checks for each in project.workarounds}
    own = project.proposals.templates
    return drawings(
        body, lambda name: read_specs(checks.get(name, ())), templates=Path(project.root, own) if own else None
    )


def home_clone(root: Path) -> Clone | None:
    """Return the clone of the bot's own repository that holds ``root``; None where that is in no repository."""
    from syncbot.git.clone import open_clone
    from syncbot.git.run import Git, GitError

    try:
        return open_clone(Git(root).text("rev-parse", "--show-toplevel"))
    except (GitError, UsageError):
        return None


@contextmanager
def open_home(project: Project, name: str, home: Clone, proposals: Proposals) -> Iterator[tuple[Place, str, str]]:
    """Yield the place of proposals to the bot's own repository, the commit of its branch, and the path of ``patches/``.

    Raises `UsageError` when its clone names no branch or lies on no forge that is known.
    """
    from syncbot.git.history import resolve

    branch_ref, branch = home.branch_ref, home.branch
    if branch_ref is None or branch is None:
        raise UsageError(
            f"{home.label}: it does not say which branch is the default one, so no patch can be proposed to"
        )
    root = Path(project.root).resolve()
    folder = str((root / "patches").relative_to(home.path.resolve()))
    base_oid = resolve(home.git(), branch_ref)
    with ExitStack() as stack:
        repo = proposals.home or project.downstreams[name].repo
        slug = proposals.home.slug if proposals.home is not None else os.environ.get("GITHUB_REPOSITORY") or home.slug
        token = _token(repo.forge)
        if repo.forge.kind == "github" and token is not None and slug is not None:
            place = _own_on_host(repo.forge, slug, token, proposals, stack, root, branch)
        else:
            place = _own_in_folder(project, name, home, proposals, slug or f"local/{home.path.name}", branch)
        yield place, base_oid, folder


def _own_on_host(
    forge: Forge, slug: str, token: Secret, proposals: Proposals, stack: ExitStack, root: Path, branch: str
) -> Place:
    from syncbot.proposals.destination import HostDestination
    from syncbot.proposals.venue import Venue

    reader, writer = _connected(forge, token, slug, stack, 20)
    web = (forge.web or "").rstrip("/")
    venue = Venue(
        reader=reader, repo=slug, push_repo=slug, base=branch, mode=Mode.PULL_REQUEST, web=f"{web}/{slug}", root=root,
        destination=HostDestination(url=f"{web}/{slug}.git", token=token, token_variable=forge.token_variable),
        proposals=replace(proposals, dashboard=None, labels=()), home=slug, home_reader=reader,
    )  # fmt: skip
    return Place(venue=venue, writer=writer, home_writer=writer)


def _own_in_folder(project: Project, name: str, home: Clone, proposals: Proposals, slug: str, branch: str) -> Place:
    own = _in_folder(project, name, home)
    from syncbot.proposals.destination import FolderDestination

    assert isinstance(own.venue.destination, FolderDestination)
    destination = replace(own.venue.destination, repo=slug, home=slug)
    venue = replace(
        own.venue, repo=slug, push_repo=slug, home=slug, base=branch, destination=destination, mode=Mode.PULL_REQUEST,
        web=None, proposals=replace(proposals, dashboard=None, labels=()),
    )  # fmt: skip
    return Place(venue=venue, writer=own.writer, home_writer=own.home_writer)


def version() -> str:
    """Return the program's version, for keys of what it worked out."""
    import importlib.metadata

    return importlib.metadata.version("syncbot")
