"""The tables of ``syncbot.toml``. The docstring of each key is what the JSON Schema and an editor show."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from syncbot.config.fields import (
    Branch,
    Email,
    EnvName,
    Glob,
    HttpUrl,
    Identifier,
    Label,
    Line,
    Login,
    PinPattern,
    QuietHours,
    RepoUrl,
    Slug,
    Table,
    TagFormat,
    TitleForm,
    TreePath,
)
from syncbot.model.words import Mode


class AppTable(Table):
    """A GitHub App: the names of the environment variables that hold what it logs in with; never the values."""

    id: EnvName
    """Name of the variable with the app's id."""
    key: EnvName
    """Name of the variable with its private key, in PEM form."""
    installation: EnvName | None = None
    """Name of the variable with the installation's number; left out: the one in the repository at hand."""


class ForgeTable(Table):
    """A code host. github.com is there without being declared, under the name ``github``."""

    kind: Literal["github", "folder", "git"]
    """``github`` (github.com or GitHub Enterprise), ``folder`` (proposals are files) or ``git`` (plain git)."""
    web: HttpUrl | None = None
    """Address of the host as a browser sees it; ``repo = "owner/name"`` is below it."""
    api: HttpUrl | None = None
    """Address of the REST API; a GitHub Enterprise server has it at ``WEB/api/v3``, which is the default there."""
    token: EnvName | None = None
    """Name of the environment variable that holds the token; never the token."""
    app: AppTable | None = None
    """A GitHub App to log in as, in place of ``token``, with ``kind = "github"``."""
    path: Line | None = None
    """Where a ``folder`` forge keeps its proposals; relative paths are from the folder of ``syncbot.toml``."""


class RepoKeys(Table):
    """The keys that name a repository: ``repo`` on a forge, or ``url`` for git alone, or both."""

    forge: Identifier | None = None
    """Name of a table of ``[forges]``; left out: ``github``, or the forge that ``url`` leads to."""
    repo: Slug | None = None
    """The repository on its forge, as ``owner/name``."""
    url: RepoUrl | None = None
    """What git fetches: https, ssh, ``git@host:path``, ``file://`` or an absolute path.

    Beside ``repo`` it replaces the address that the forge would give.
    """


class UpstreamTable(RepoKeys):
    """A project whose fixes are waited for."""

    branch: Branch | None = None
    """The branch fixes are merged to; left out: the remote's default branch."""
    tag_pattern: Glob | None = None
    """Which tags are releases, as a shell pattern; left out: plain versions, else the largest family of names."""
    ignore_tags: list[Glob] = Field(default_factory=list)
    """Tags, or shell patterns of tags, that are no releases though ``tag_pattern`` matches."""


class IdentityTable(Table):
    """Who the bot's own commits are by, and signed off with in mode ``pull-request``."""

    name: Line = "syncbot"
    """Name of the author."""
    email: Email = "syncbot@users.noreply.github.com"
    """E-mail address of the author."""


class LimitsTable(Table):
    """What one run may do."""

    max_open: int = Field(default=5, ge=0, le=1000)
    """Proposals open at once."""
    max_writes: int = Field(default=20, ge=0, le=10000)
    """Writes to a forge in one run."""
    min_release_age_days: int = Field(default=0, ge=0, le=3650)
    """A release younger than this opens no gate."""
    max_distance: int = Field(default=500, ge=1, le=1_000_000)
    """An open proposal is rebuilt once its base is this many commits behind."""
    results_max_distance: int = Field(default=500, ge=1, le=1_000_000)
    """Results are stale once the base they were measured on is this many commits behind."""
    quiet_hours: QuietHours | None = None
    """No writes between these times, in UTC, such as ``22:00-06:00``."""


class ProposalsTable(Table):
    """How proposals are made."""

    mode: Annotated[Mode, Field(strict=False)] | None = None
    """``pull-request``: the bot opens drafts; ``hand-off``: a person submits. Left out: the token's rights decide."""
    fork: Slug | None = None
    """The fork the bot pushes to, as ``owner/name``."""
    home: RepoKeys | None = None
    """The bot's own repository, where its tracking issues, dashboard and memory are."""
    dashboard: Line | None = None
    """Title of the dashboard issue; left out: none is kept."""
    title: TitleForm | None = None
    """Form of a proposal's title, with ``{title}`` and ``{id}`` of the workaround."""
    labels: list[Label] = Field(default_factory=list)
    """Labels of each proposal."""
    reviewers: list[Login] = Field(default_factory=list)
    """Accounts asked to review."""
    team_reviewers: list[Identifier] = Field(default_factory=list)
    """Teams asked to review."""
    templates: TreePath | None = None
    """Folder of templates that replace the ones shipped, from the folder of ``syncbot.toml``."""
    stop_file: TreePath | None = None
    """While this file is there, nothing is written; from the folder of ``syncbot.toml``."""
    stop_label: Label = "syncbot-stop"
    """While the dashboard issue has this label, nothing is written."""
    backlinks: bool = False
    """Write bare ``owner/repo#N``, which makes a link back from the issue that is named."""
    push_refresh: bool = False
    """Push a refreshed branch with a lease, without a proposal."""
    issue_comment: bool = False
    """Keep one comment on the ``issue`` of each workaround that says where it stands."""
    identity: IdentityTable = IdentityTable()
    limits: LimitsTable = LimitsTable()
    bundles: dict[Identifier, list[Identifier]] = Field(default_factory=dict)
    """Small removals offered as one proposal: a key for the bundle, and the ids in it."""


class DownstreamTable(RepoKeys):
    """A project that carries workarounds."""

    branch: Branch | None = None
    """The branch that carries them; left out: the remote's default branch."""
    proposals: ProposalsTable | None = None
    """How proposals to this project are made, in place of ``[proposals]``; keys left out are taken from there."""


class PinTable(RepoKeys):
    """A place that says which upstream is built; in the downstream, or in the repository named here."""

    upstream: Identifier
    """Name of a table of ``[upstreams]``."""
    downstream: Identifier
    """Name of a table of ``[downstreams]``."""
    branch: Branch | None = None
    """The branch it is read from; left out: the downstream's."""
    path: TreePath | None = None
    """The file that holds it."""
    former_paths: list[TreePath] = Field(default_factory=list)
    """Where that file was before, newest first; for history."""
    pattern: PinPattern | None = None
    """Regular expression (Python, multi-line) that matches once in the file; its group ``ref`` is the pin."""
    submodule: TreePath | None = None
    """Path of a submodule, in place of ``path`` and ``pattern``."""
    gating: bool = True
    """Whether a workaround must stay until this pin has the fix."""
    tag_format: TagFormat | None = None
    """Turns a plain version into a tag, such as ``v{version}``."""


class ReportsTable(Table):
    """What reports are called, and what is late."""

    title: Line = "Workarounds"
    """Heading of the report."""
    overdue_after_days: int = Field(default=14, ge=0, le=3650)
    """A workaround that nothing waits for any more is overdue after this many days."""
    archive_after_days: int = Field(default=30, ge=0, le=3650)
    """The manifest of a removed workaround is archived after this many days."""


class ConfigFile(Table):
    """``syncbot.toml``: where the projects are, and how proposals to them are made."""

    forges: dict[Identifier, ForgeTable] = Field(default_factory=dict)
    upstreams: dict[Identifier, UpstreamTable] = Field(min_length=1)
    downstreams: dict[Identifier, DownstreamTable] = Field(min_length=1)
    pins: dict[Identifier, PinTable] = Field(default_factory=dict)
    proposals: ProposalsTable = ProposalsTable()
    reports: ReportsTable = ReportsTable()
