"""Values of pins: what a pinned place says, and how it moved."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from syncbot.model.landing import Target
from syncbot.model.words import PinForm, PinMove

_FULL = re.compile(r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class PinText:
    """What stands at a pinned place: ``text`` as written, found in ``path`` (None for a submodule's gitlink)."""

    text: str
    path: str
    submodule: bool = False

    @property
    def short(self) -> str:
        """The text for a person's eye: a full commit id is cut to twelve digits."""
        return self.text[:12] if _FULL.match(self.text) else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class PinReading:
    """A pin at one commit of the repository that holds it.

    ``target`` is the upstream commit it means; its commit is None where the text names nothing in the upstream clone.
    ``problem`` says why there is no text; then ``form`` and ``target`` are None as well. ``gone``: the problem is that
    its place does not exist there.
    """

    name: str
    gating: bool
    text: PinText | None = None
    form: PinForm | None = None
    target: Target | None = None
    problem: str | None = None
    gone: bool = False

    @property
    def floating(self) -> bool:
        """Whether the pin follows a branch, so that what it means today says little about tomorrow."""
        return self.form is PinForm.BRANCH


@dataclass(frozen=True, slots=True, kw_only=True)
class PinSeen:
    """A reading, and the downstream commit that brought it."""

    reading: PinReading
    commit: str
    date: dt.datetime
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One change of a pin, told by the ancestry of the two upstream commits.

    ``lost`` counts the upstream commits that the old pin had and the new one has not, ``gained`` the reverse; both None
    where one side cannot be read.
    """

    seen: PinSeen
    old: PinReading | None
    kind: PinMove
    lost: int | None = None
    gained: int | None = None
