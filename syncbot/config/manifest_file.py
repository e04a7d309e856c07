"""The tables of ``patches/<id>/patch.toml``: one workaround, what it waits for, and how it goes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from syncbot.config.check_tables import CheckTable
from syncbot.config.config_file import RepoKeys
from syncbot.config.fields import (
    Branch,
    Commit,
    Day,
    HttpUrl,
    Identifier,
    Label,
    Line,
    Symbol,
    Table,
    Text,
    TreePath,
    Version_,
)
from syncbot.model.words import Action, CarriedAs, Cures, Needs, Scope


class ChangeTable(Table):
    """A change in the downstream: its pull request, its commit on the branch, its day."""

    pull: int | None = Field(default=None, ge=1)
    """Number of the pull request."""
    commit: Commit | None = None
    """The commit on the downstream's branch, in full."""
    date: Day | None = None
    """The day it was merged, in UTC."""


class CarrierTable(RepoKeys):
    """One place where the workaround lives."""

    carried: Annotated[CarriedAs, Field(strict=False)] = CarriedAs.IN_TREE
    """``in-tree`` (on the downstream's branch), ``patch-file`` (applied by who builds) or ``branch`` (of a fork)."""
    name: Identifier | None = None
    """Tells several carriers apart; part of a proposal's branch name."""
    branch: Branch | None = None
    """The branch it is on, or that the patch is for; left out: the downstream's."""
    patch: TreePath | None = None
    """The patch, beside the manifest; left out with ``patch-file``: ``change.patch``."""
    pins: list[Identifier] = Field(default_factory=list)
    """The pins it waits for; left out: those of ``[gate]``."""


class FixTable(Table):
    """An upstream change hoped to cure the defect."""

    upstream: Identifier
    """Name of a table of ``[upstreams]``."""
    pull: int | None = Field(default=None, ge=1)
    """Number of the pull request or change."""
    commit: Commit | None = None
    """Its commit, in full; found by the number when left out."""
    cures: Annotated[Cures, Field(strict=False)] = Cures.UNVERIFIED
    """``unverified``, ``verified`` (a test showed it), ``refuted`` (a test showed it does not) or ``abandoned``."""
    by: Line | None = None
    """Who says so."""
    evidence: HttpUrl | None = None
    """Where that can be read."""
    note: Text | None = None
    """A remark."""


class GateTable(Table):
    """What has to have the fix before the workaround may go."""

    pins: list[Identifier] = Field(default_factory=list)
    """Names of tables of ``[pins]``; left out: every gating pin of this downstream and the fixes' upstreams."""
    floor: Version_ | None = None
    """The oldest upstream version that the downstream supports besides its pins."""


class EditTable(Table):
    """One declared edit of a file: what goes, or what it is replaced by."""

    path: TreePath
    """The file."""
    kind: Literal["function", "class", "test", "import", "statement", "key", "file"]
    """What ``target`` names."""
    target: Text = ""
    """A qualified name, the text of a statement, or a dotted key of TOML, YAML or JSON; nothing for ``file``."""
    within: Line | None = None
    """The function or class, by qualified name, that a statement or import is in."""
    replace: str | None = None
    """What stands there instead; left out: it is deleted."""
    count: int = Field(default=1, ge=1, le=10000)
    """How many places must match."""


class MarkerTable(Table):
    """A literal text that is there while the workaround is."""

    text: Text
    """The text, as it stands in the file."""
    path: TreePath
    """The file."""
    count: int | None = Field(default=None, ge=1, le=10000)
    """How often it is there; left out: at least once."""


class RemovalTable(Table):
    """What is taken out when the day comes, and whether a machine may offer that."""

    scope: Annotated[Scope, Field(strict=False)] = Scope.COMMIT
    """What of the introducing commit is the workaround: ``commit`` (all), ``paths``, ``symbols`` or ``edits``."""
    action: Annotated[Action, Field(strict=False)] = Action.REMOVE
    """``remove``: offer the removal; ``review``: only tell a person that the day has come."""
    paths: list[TreePath] = Field(default_factory=list)
    """The files, with scope ``paths``."""
    symbols: list[Symbol] = Field(default_factory=list)
    """``path/to/file.py::Qualified.name``, with scope ``symbols``."""
    edits: list[EditTable] = Field(default_factory=list)
    """The edits, with scope ``edits``."""
    markers: list[MarkerTable] = Field(default_factory=list)
    """Texts that tell whether the workaround is there."""
    title: Line | None = None
    """Title of the removal proposal."""
    labels: list[Label] = Field(default_factory=list)
    """Labels of the removal proposal, besides those of the config."""
    restore: bool = True
    """Offer to put it back when a pin falls back or the fix is reverted; false: only report it."""


class NoteTable(Table):
    """A dated remark of a person."""

    date: Day
    """The day."""
    text: Text
    """The remark."""
    by: Line | None = None
    """Who made it."""


class ManifestFile(Table):
    """``patches/<id>/patch.toml``: one workaround. Its id is the name of its folder."""

    title: Line
    """The workaround in one line."""
    why: Text
    """What goes wrong without it."""
    owner: Line | None = None
    """Who answers for it, such as ``@login``."""
    downstream: Identifier
    """Name of a table of ``[downstreams]``."""
    issue: HttpUrl | None = None
    """Where the defect is reported."""
    needs: Annotated[Needs, Field(strict=False)] = Needs.ALL
    """Whether ``all`` fixes must be there, or ``any`` one; refuted and abandoned ones never count."""
    introduced: ChangeTable | None = None
    """The downstream change that added it."""
    carried: list[CarrierTable] = Field(default_factory=list)
    """Where it lives; left out: in the downstream's tree."""
    fixes: list[FixTable] = Field(default_factory=list)
    """The upstream changes it waits for."""
    gate: GateTable = GateTable()
    removal: RemovalTable = RemovalTable()
    removed: ChangeTable | None = None
    """The downstream change that took it out."""
    checks: list[CheckTable] = Field(default_factory=list)
    """The benchmark checklist."""
    notes: list[NoteTable] = Field(default_factory=list)
