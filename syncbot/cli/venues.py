"""From configuration and environment to a venue: which forge, which token, where branches and issues go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from syncbot.cli import clock
from syncbot.cli.credentials import auth_of, connection_to, named_in
from syncbot.model.errors import UsageError
from syncbot.model.forge import Secret, TokenAuth
from syncbot.model.words import Mode

if TYPE_CHECKING:
    from syncbot.forge.ports import Reader, Writer
    from syncbot.git.clone import Clone
    from syncbot.model.forge import Auth
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
def open_place(project: Project, name: str, clone: Clone, *, where: Repo | None = None) -> Iterator[Place]:
    """Yield the place of one downstream's proposals: a code host where there is a token for it, else a folder.

    ``where`` is the repository that some of its carriers name for themselves: it has no fork and no dashboard. Raises
    `UsageError` for settings that do not go together, and what the forge raises about the repository.
    """
    downstream, proposals = project.downstreams[name], project.proposals_for(name)
    if where is not None:
        proposals = replace(proposals, fork=None, dashboard=None, bundles={})
    repo, branch = (where, None) if where is not None else (downstream.repo, downstream.branch)
    auth = auth_of(repo.forge)
    with ExitStack() as stack:
        if repo.forge.kind == "github" and auth is not None and repo.slug is not None:
            yield _on_host(project, repo, branch, proposals, auth, stack)
        else:
            yield _in_folder(project, repo, repo.slug or name, branch, proposals, clone)


def reaches(project: Project, name: str) -> bool:
    """Whether proposals of a downstream can be written from here: there is a token for its host, or the folder."""
    repo = project.downstreams[name].repo
    if repo.forge.kind == "github" and repo.slug is not None and auth_of(repo.forge) is not None:
        return True
    return repo.forge.kind == "folder" or Path(project.root, FOLDER).is_dir()


def _on_host(
    project: Project, repo: Repo, branch: str | None, proposals: Proposals, auth: Auth, stack: ExitStack
) -> Place:
    from syncbot.proposals.destination import HostDestination
    from syncbot.proposals.venue import Venue

    forge, slug = repo.forge, repo.slug
    assert slug is not None
    reader, writer, token = _connected(forge, auth, slug, stack)
    there = reader.repository(slug)
    mode = proposals.mode or (Mode.PULL_REQUEST if there.permission.may_write else Mode.HAND_OFF)
    home, home_reader, home_writer = _home(proposals.home, reader, writer, forge, stack)
    push_repo = proposals.fork or there.slug
    web = (forge.web or "").rstrip("/")
    venue = Venue(
        reader=reader, repo=there.slug, push_repo=push_repo, base=branch or there.default_branch, mode=mode,
        destination=HostDestination(
            url=f"{web}/{push_repo}.git", token=token, token_variable=named_in(forge)
        ),
        proposals=proposals, home=home, home_reader=home_reader, web=f"{web}/{there.slug}", root=Path(project.root),
    )  # fmt: skip
    return Place(venue=venue, writer=writer, home_writer=home_writer)


def _connected(forge: Forge, auth: Auth, slug: str, stack: ExitStack) -> tuple[Reader, Writer, Secret]:
    """Return what reads and writes there, and what git pushes with."""
    from syncbot.forge.github_reader import GitHubReader
    from syncbot.forge.github_writer import GitHubWriter

    connection = connection_to(forge, auth, slug)
    stack.callback(connection.close)
    return GitHubReader(connection), GitHubWriter(connection), connection.git_token()


def connected_to(repo: Repo, stack: ExitStack) -> tuple[Reader, Writer]:
    """Both halves of a client for the forge of ``repo``; raises `UsageError` where there is no token for it."""
    auth = auth_of(repo.forge)
    if repo.forge.kind != "github" or auth is None or repo.slug is None:
        raise UsageError(f"no token for {repo.label} in {named_in(repo.forge)}")
    reader, writer, _ = _connected(repo.forge, auth, repo.slug, stack)
    return reader, writer


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
    reader, writer, _ = _connected(forge, TokenAuth(token=Secret(token)), slug, stack)
    return reader, writer, slug


def _home(
    home: Repo | None, reader: Reader, writer: Writer, forge: Forge, stack: ExitStack
) -> tuple[str | None, Reader | None, Writer]:
    """The bot's own repository: as configured, or the one whose workflow this is."""
    slug = home.slug if home is not None else os.environ.get("GITHUB_REPOSITORY") or None
    if slug is None:
        return None, None, writer
    if home is None or home.forge == forge:
        return slug, reader, writer
    auth = auth_of(home.forge)
    if home.forge.kind != "github" or auth is None:
        raise UsageError(f"[proposals.home]: no token for {home.label} in {named_in(home.forge)}")
    own_reader, own_writer, _ = _connected(home.forge, auth, slug, stack)
    return slug, own_reader, own_writer


def _in_folder(
    project: Project, repo: Repo, slug: str, branch: str | None, proposals: Proposals, clone: Clone
) -> Place:
    from syncbot.forge.folder import place_of_repository
    from syncbot.forge.folder_reader import FolderReader
    from syncbot.forge.folder_writer import FolderWriter
    from syncbot.git.bare import BareRepositories
    from syncbot.proposals.destination import FolderDestination
    from syncbot.proposals.venue import Venue

    path = repo.forge.path if repo.forge.kind == "folder" and repo.forge.path else FOLDER
    root = Path(project.root, path)
    bare = BareRepositories(lambda slug: place_of_repository(root, slug))
    home = (proposals.home.slug if proposals.home is not None else None) or slug
    reader = FolderReader(root, bare)
    writer = FolderWriter(root, bare, clock.now, beside=lambda body: _drawings(project, body))
    web = f"{repo.forge.web.rstrip('/')}/{repo.slug}" if repo.forge.web and repo.slug else None
    venue = Venue(
        reader=reader, repo=slug, push_repo=slug, base=branch or clone.branch or "main",
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
        auth = auth_of(repo.forge)
        if repo.forge.kind == "github" and auth is not None and slug is not None:
            place = _own_on_host(repo.forge, slug, auth, proposals, stack, root, branch)
        else:
            place = _own_in_folder(project, name, home, proposals, slug or f"local/{home.path.name}", branch)
        yield place, base_oid, folder


def _own_on_host(
    forge: Forge, slug: str, auth: Auth, proposals: Proposals, stack: ExitStack, root: Path, branch: str
) -> Place:
    from syncbot.proposals.destination import HostDestination
    from syncbot.proposals.venue import Venue

    reader, writer, token = _connected(forge, auth, slug, stack)
    web = (forge.web or "").rstrip("/")
    venue = Venue(
        reader=reader, repo=slug, push_repo=slug, base=branch, mode=Mode.PULL_REQUEST, web=f"{web}/{slug}", root=root,
        destination=HostDestination(url=f"{web}/{slug}.git", token=token, token_variable=named_in(forge)),
        proposals=replace(proposals, dashboard=None, labels=()), home=slug, home_reader=reader,
    )  # fmt: skip
    return Place(venue=venue, writer=writer, home_writer=writer)


def _own_in_folder(project: Project, name: str, home: Clone, proposals: Proposals, slug: str, branch: str) -> Place:
    downstream = project.downstreams[name]
    own = _in_folder(project, downstream.repo, slug, branch, proposals, home)
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
