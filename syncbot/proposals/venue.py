"""Everything one run needs to know about where one downstream's proposals go. Ports, not adapters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from syncbot.forge.limits import LimitedWriter
from syncbot.forge.ports import Reader
from syncbot.model.project import Proposals
from syncbot.model.words import Mode
from syncbot.proposals.destination import Destination


@dataclass(frozen=True, slots=True, kw_only=True)
class Venue:
    """``repo`` is proposed to (``owner/name``), branches go to ``push_repo``, the bot's issues to ``home``.

    ``web`` begins the links to commits of ``repo`` (None: no links). ``files``: a forge that keeps files, where a
    proposal's folder is the hand-off already. A venue has no writer: a dry run is given nothing that could write.
    """

    reader: Reader
    destination: Destination
    repo: str
    push_repo: str
    base: str
    mode: Mode
    proposals: Proposals
    home: str | None = None
    home_reader: Reader | None = None
    web: str | None = None
    files: bool = False
    root: Path | None = None

    @property
    def head_repo(self) -> str | None:
        """``push_repo`` where it is another repository, as the forge wants it."""
        return self.push_repo if self.push_repo.lower() != self.repo.lower() else None

    @property
    def templates(self) -> Path | None:
        """The folder of the configuration's own templates."""
        if self.proposals.templates is None or self.root is None:
            return None
        return self.root / self.proposals.templates


@dataclass(frozen=True, slots=True, kw_only=True)
class Pens:
    """The writers of one venue: to the downstream's forge, and to the bot's own repository."""

    downstream: LimitedWriter
    home: LimitedWriter
