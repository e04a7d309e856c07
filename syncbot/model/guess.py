"""Values of guesses: how a downstream seems to pin an upstream, before anybody configured it."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.model.words import PinForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A place that may pin the upstream: ``ref`` as written on ``line`` (from 1) of ``path``.

    ``pattern`` finds it again (its group ``ref`` is a tag, commit, branch or version); None for a submodule. ``how``
    says in words what sort of place it is. ``exact``: it names one version; else it allows a range, and ``ref`` is the
    least of it. ``package`` is the upstream's package it names, where it names one; ``label`` tells it from others of
    its file.
    """

    path: str
    line: int
    ref: str
    pattern: str | None
    how: str
    exact: bool = True
    package: str | None = None
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinGuess:
    """A sighting that is understood: what its text is in the upstream, and whether a workaround should wait for it.

    ``commit`` is the upstream commit it means. ``reasons`` explain ``gating``, in words. ``former_paths``: where the
    file was before, newest first.
    """

    name: str
    sighting: Sighting
    form: PinForm
    commit: str
    tag: str | None
    tag_format: str | None
    gating: bool
    reasons: tuple[str, ...]
    former_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A place that names the upstream and is no pin as far as is understood, with the reason."""

    path: str
    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TagGuess:
    """Which of the upstream's tags are releases. ``pattern`` None: there is no family of tags to tell one from."""

    pattern: str | None
    ignore: tuple[str, ...]
    releases: int
    tags: int
    newest: str | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Guesses:
    """Everything guessed of a pair of projects. ``packages`` are the names the upstream is installed by."""

    packages: tuple[str, ...]
    tags: TagGuess
    pins: tuple[PinGuess, ...]
    doubts: tuple[Doubt, ...]
    files: int
    notes: tuple[str, ...] = ()
