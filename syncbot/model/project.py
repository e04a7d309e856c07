"""What a person wrote down: upstreams, downstreams, pins and the workarounds between them.

``syncbot.config`` is the only room that makes these, from ``syncbot.toml`` and ``patches/<id>/patch.toml``.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from syncbot.model.words import Action, CarriedAs, Cures, Mode, Needs, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A GitHub App, by the names of the variables that hold its id, its private key and, if given, its installation."""

    id: str
    key: str
    installation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forge:
    """A code host. ``kind`` is ``github``, ``folder`` or ``git`` (plain git, no pull requests).

    ``token_variable`` is the name of the environment variable that holds the token, ``app`` those of an app, which
    goes first. ``path`` is where a ``folder`` forge keeps its proposals (absolute, or relative to the project's root).
    """

    name: str
    kind: str
    web: str | None = None
    api: str | None = None
    token_variable: str | None = None
    path: str | None = None
    app: App | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repo:
    """A repository: ``url`` is what git fetches, ``slug`` is ``owner/name`` where a forge knows it."""

    url: str
    forge: Forge
    slug: str | None = None

    @property
    def label(self) -> str:
        """``owner/name`` where there is one, else the URL without credentials."""
        return self.slug or self.url


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A project whose fixes are waited for.

    ``branch`` None means the remote's own default branch, ``tag_pattern`` None that releases are told by their names.
    """

    name: str
    repo: Repo
    branch: str | None = None
    tag_pattern: str | None = None
    ignore_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Downstream:
    """A project that carries workarounds. ``proposals`` None means those of the project."""

    name: str
    repo: Repo
    branch: str | None = None
    proposals: Proposals | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A place that says which upstream is built.

    Exactly one of ``pattern`` (a regular expression with a named group ``ref``, matched with ``re.MULTILINE``) and
    ``submodule`` (the path of a gitlink) is set. ``paths`` holds the path of today first, then former ones.
    ``tag_format`` turns a plain version into a tag, e.g. ``"v{version}"``.
    """

    name: str
    upstream: str
    downstream: str
    repo: Repo
    branch: str | None = None
    paths: tuple[str, ...] = ()
    pattern: str | None = None
    submodule: str | None = None
    gating: bool = True
    tag_format: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixClaim:
    """An upstream change hoped to cure the defect. At least one of ``pull`` and ``commit`` is set."""

    upstream: str
    pull: int | None = None
    commit: str | None = None
    cures: Cures = Cures.UNVERIFIED
    by: str | None = None
    evidence: str | None = None
    note: str | None = None

    @property
    def query(self) -> str:
        """The words ``where`` takes: the commit where it is known, else ``#N``."""
        return self.commit if self.commit is not None else f"#{self.pull}"

    @property
    def label(self) -> str:
        """What a person reads: ``#N`` where there is a number, else the short commit."""
        return f"#{self.pull}" if self.pull is not None else (self.commit or "")[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduced:
    """The downstream change that added the workaround."""

    pull: int | None = None
    commit: str | None = None
    date: datetime.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """The downstream change that took the workaround out."""

    pull: int | None = None
    commit: str | None = None
    date: datetime.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """One place where the workaround lives. ``pins`` empty means: every pin of ``[gate]``."""

    carried: CarriedAs = CarriedAs.IN_TREE
    name: str | None = None
    branch: str | None = None
    patch: PurePosixPath | None = None
    repo: Repo | None = None
    pins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One declared edit.

    ``kind`` says what ``target`` names: ``function``, ``class``, ``test``, ``import`` (a qualified name), ``statement``
    (its text), ``key`` (a dotted key of a TOML, YAML or JSON file) or ``file``. ``within`` narrows a statement to the
    function or class of that qualified name. ``replace`` None deletes. ``count`` is how many places must match.
    """

    path: str
    kind: str
    target: str
    within: str | None = None
    replace: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A literal text that is there while the workaround is, in ``path``."""

    text: str
    path: str
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What is taken out, and whether a machine may decide it."""

    scope: Scope = Scope.COMMIT
    action: Action = Action.REMOVE
    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    markers: tuple[Marker, ...] = ()
    title: str | None = None
    labels: tuple[str, ...] = ()
    restore: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of the benchmark checklist; ``options`` holds the keys of its kind, checked by ``syncbot.config``."""

    name: str
    kind: str
    required: bool = True
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A dated remark of a person."""

    date: datetime.date
    text: str
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workaround:
    """One ``patches/<id>/patch.toml``."""

    id: str
    title: str
    why: str
    downstream: str
    owner: str | None = None
    issue: str | None = None
    introduced: Introduced = Introduced()
    carriers: tuple[Carrier, ...] = (Carrier(),)
    fixes: tuple[FixClaim, ...] = ()
    needs: Needs = Needs.ALL
    gate: tuple[str, ...] = ()
    floor: str | None = None
    removal: Removal = Removal()
    removed: Removed | None = None
    checks: tuple[Check, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """How proposals are made, and how many.

    ``fork`` is where a hand-off's branch is pushed; ``home`` is the bot's own repository (tracking issues, dashboard,
    memory), ``dashboard`` the title of its dashboard issue. Times are days; ``max_distance`` and
    ``results_max_distance`` are commits of the base; ``quiet_hours`` is ``HH:MM-HH:MM`` in UTC. ``bundles`` maps the
    key of a bundle to the ids of its workarounds. ``backlinks`` allows bare ``owner/repo#N`` in what is written;
    ``push_refresh`` allows a refreshed branch to be pushed with a lease without a proposal, ``issue_comment`` a comment
    on the issue that a workaround is for.
    """

    mode: Mode | None = None
    fork: str | None = None
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    team_reviewers: tuple[str, ...] = ()
    title: str | None = None
    identity_name: str = "syncbot"
    identity_email: str = "syncbot@users.noreply.github.com"
    max_open: int = 5
    max_writes: int = 20
    min_release_age_days: int = 0
    max_distance: int = 500
    quiet_hours: str | None = None
    stop_file: str | None = None
    stop_label: str = "syncbot-stop"
    templates: str | None = None
    dashboard: str | None = None
    home: Repo | None = None
    results_max_distance: int = 500
    bundles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    backlinks: bool = False
    push_refresh: bool = False
    issue_comment: bool = False

    @property
    def bundled(self) -> frozenset[str]:
        """The ids that some bundle lists."""
        return frozenset(each for ids in self.bundles.values() for each in ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """What the reports are called and when a workaround counts as overdue (days since its last gate opened)."""

    title: str = "Workarounds"
    overdue_after_days: int = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Everything configured, by name. ``root`` is the folder that holds ``syncbot.toml``."""

    root: str
    upstreams: Mapping[str, Upstream]
    downstreams: Mapping[str, Downstream]
    pins: Mapping[str, Pin]
    workarounds: tuple[Workaround, ...]
    forges: Mapping[str, Forge] = field(default_factory=dict)
    proposals: Proposals = Proposals()
    archive_after_days: int = 30
    reports: Reports = Reports()

    def proposals_for(self, downstream: str) -> Proposals:
        """How proposals to ``downstream`` are made: its own settings, or else the project's."""
        return self.downstreams[downstream].proposals or self.proposals
