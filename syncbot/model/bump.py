"""What a move of a pin means: for each workaround, and for the upstream changes that go missing."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.model.landing import Answer, Target
from syncbot.model.project import Pin
from syncbot.model.status import Has
from syncbot.model.words import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A workaround's fixes at both ends of the move."""

    workaround: str
    title: str
    fixes: tuple[str, ...]
    old: Has
    new: Has


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A commit that the old pin has and the new one has not.

    ``change`` is the default branch's commit it is a copy of, where there is one; ``new`` says whether the new pin has
    the change by another commit (then nothing is lost but the commit). ``undone_by`` is the commit that reverts it in
    the old pin, so that there was nothing left to lose; ``undoes`` the dropped commit that it reverts itself.
    """

    commit: str
    change: str | None
    pull: int | None
    title: str
    new: Answer
    undone_by: str | None = None
    undoes: str | None = None

    @property
    def missing(self) -> bool:
        """Whether something goes missing with it: the old pin has the change, and the new one not surely."""
        return self.new.verdict is not Verdict.CONTAINED and self.undone_by is None and self.undoes is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Better:
    """A release that frees as much as the new pin, loses no more, and drops fewer changes (``dropped`` counts them)."""

    ref: str
    dropped: int
    freed: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bump:
    """The whole answer."""

    upstream: str
    old: Target
    new: Target
    freed: tuple[Effect, ...]
    lost: tuple[Effect, ...]
    unchanged: tuple[Effect, ...]
    dropped: tuple[Dropped, ...]
    better: tuple[Better, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PinMoved:
    """One pin that a pull request changes. ``old`` or ``new`` None: it says nothing there.

    ``bump`` is the review of the move; without one, ``problem`` says why there is none.
    """

    pin: Pin
    path: str
    old: str | None
    new: str | None
    bump: Bump | None = None
    problem: str | None = None
