"""Pins: read at any commit of the repository that holds them, resolved against the upstream, followed through history.

A pin's text is whatever a person wrote: a tag, a full or short commit id, a branch, a plain version, or the gitlink of
a submodule. It means an upstream commit, or nothing that this clone knows.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass

from packaging.version import InvalidVersion

from syncbot.git.history import History, resolve
from syncbot.git.refs import Ref, read_refs
from syncbot.git.run import Git, GitError
from syncbot.landing.targets import parse_version, release_target
from syncbot.model.errors import UnknownObjectError
from syncbot.model.landing import Target
from syncbot.model.pins import Move, PinReading, PinText
from syncbot.model.project import Pin
from syncbot.model.words import PinForm, PinMove, TargetKind

_HEX = re.compile(r"^[0-9a-fA-F]{7,64}$")
_FOUND_TWICE = (
    "is matched by its pattern {count} times in {path}, with different texts ({texts}): make the pattern narrower"
)


class PinProblemError(Exception):
    """A pinned place that does not say what it should; the text names the pin, the path and what to do."""


def read_pin(git: Git, commit: str, pin: Pin) -> PinText | None:
    """What the pin says at ``commit``; None where none of its paths exists there.

    Raises `PinProblemError` when the path is there and the pattern matches nothing, or different texts.
    """
    if pin.submodule is not None:
        return _read_gitlink(git, commit, pin.submodule)
    assert pin.pattern is not None
    for path in pin.paths:
        text = _read_file(git, commit, path)
        if text is not None:
            return _match(pin, path, text)
    return None


def _read_gitlink(git: Git, commit: str, path: str) -> PinText | None:
    line = git.with_env(GIT_LITERAL_PATHSPECS="1").text("ls-tree", "-z", commit, "--", path).rstrip("\0")
    if not line.startswith("160000 commit "):
        return None
    return PinText(text=line.split()[2], path=path, submodule=True)


def _read_file(git: Git, commit: str, path: str) -> str | None:
    entry = git.with_env(GIT_LITERAL_PATHSPECS="1").text("ls-tree", "-z", commit, "--", path).rstrip("\0")
    if not entry:
        return None
    mode, kind, oid = entry.partition("\t")[0].split()
    if kind != "blob" or mode == "120000":
        return None
    try:
        return git.run("cat-file", "blob", oid).decode("utf-8", "replace")
    except GitError as error:
        raise PinProblemError(f"{path} cannot be read at {commit[:12]}: this clone lacks its content") from error


def _match(pin: Pin, path: str, text: str) -> PinText:
    found = [match["ref"] for match in re.finditer(pin.pattern or "", text, re.MULTILINE) if match["ref"]]
    texts = list(dict.fromkeys(found))
    if not texts:
        raise PinProblemError(f"pin {pin.name!r} is not found: its pattern matches nothing in {path}")
    if len(texts) > 1:
        said = _FOUND_TWICE.format(count=len(found), path=path, texts=", ".join(texts[:4]))
        raise PinProblemError(f"pin {pin.name!r} {said}")
    return PinText(text=texts[0].strip(), path=path)


@dataclass(frozen=True, slots=True)
class UpstreamRefs:
    """The tags and branches of the upstream, by short name."""

    tags: Mapping[str, Ref]
    branches: Mapping[str, Ref]


def upstream_refs(git: Git) -> UpstreamRefs:
    """Read the upstream's refs once for all pins. A remote's branch wins over a local one of the same name."""
    heads = {ref.short: ref for ref in read_refs(git, "refs/heads/")}
    remotes = {ref.short: ref for ref in read_refs(git, "refs/remotes/origin/") if ref.short != "HEAD"}
    return UpstreamRefs({ref.short: ref for ref in read_refs(git, "refs/tags/")}, heads | remotes)


def resolve_pin(upstream: Git, refs: UpstreamRefs, pin: Pin, text: PinText) -> tuple[PinForm, Target]:
    """The upstream commit that a pin's text means, as a target; without a commit where it names nothing."""
    word = text.text
    if text.submodule:
        return PinForm.SUBMODULE, _commit_target(upstream, word, "the submodule's commit")
    if word in refs.tags:
        return PinForm.TAG, _pinned(release_target(refs.tags[word]), word)
    if word in refs.branches:
        branch = refs.branches[word]
        return PinForm.BRANCH, Target(ref=word, kind=TargetKind.PIN, commit=branch.commit, date=branch.date)
    if _HEX.match(word):
        return PinForm.SHA, _commit_target(upstream, word, "the commit")
    return PinForm.VERSION, _version_target(refs, pin, word)


def _pinned(release: Target, word: str) -> Target:
    return Target(
        ref=word,
        kind=TargetKind.PIN,
        commit=release.commit,
        version=release.version,
        line=release.line,
        date=release.date,
    )


def _commit_target(upstream: Git, word: str, what: str) -> Target:
    try:
        commit = resolve(upstream, word)
    except UnknownObjectError:
        note = f"{what} {word} is not in the upstream clone"
        return Target(ref=word, kind=TargetKind.PIN, commit=None, note=note)
    date = dt.datetime.fromtimestamp(int(upstream.text("log", "-1", "--format=%ct", commit)), dt.UTC)
    return Target(ref=word, kind=TargetKind.PIN, commit=commit, date=date)


def _version_target(refs: UpstreamRefs, pin: Pin, word: str) -> Target:
    wanted = pin.tag_format.format(version=word) if pin.tag_format else None
    if wanted is not None and wanted in refs.tags:
        return _pinned(release_target(refs.tags[wanted]), word)
    named = wanted or word
    if wanted is None and (tag := _tag_of_version(refs, word)) is not None:
        return _pinned(release_target(tag), word)
    note = f"{word!r} names no tag, branch or commit of the upstream" + (f" (looked for {named!r})" if wanted else "")
    return Target(ref=word, kind=TargetKind.PIN, commit=None, note=note)


def _tag_of_version(refs: UpstreamRefs, word: str) -> Ref | None:
    """The tag whose name is this version, however it is written; the shortest name where several are."""
    try:
        version = parse_version(word)
    except InvalidVersion:
        return None
    named = [tag for tag in refs.tags.values() if release_target(tag).version == str(version)]
    return min(named, key=lambda tag: (len(tag.short), tag.short)) if named else None


def reading(git: Git, commit: str, pin: Pin, upstream: Git, refs: UpstreamRefs) -> PinReading | None:
    """The pin at ``commit``, resolved; its problem, if it has one; None where the place does not exist there."""
    try:
        text = read_pin(git, commit, pin)
    except PinProblemError as error:
        return PinReading(name=pin.name, gating=pin.gating, problem=str(error))
    if text is None:
        return None
    form, target = resolve_pin(upstream, refs, pin, text)
    return PinReading(name=pin.name, gating=pin.gating, text=text, form=form, target=target)


def missing_place(pin: Pin, commit: str) -> PinReading:
    """The reading of a pin whose place does not exist."""
    where = pin.submodule or " or ".join(pin.paths)
    problem = f"pin {pin.name!r} is not found: {where} does not exist at {commit[:12]}"
    return PinReading(name=pin.name, gating=pin.gating, problem=problem)


def pin_history(
    git: Git, head: str, pin: Pin, upstream: Git, refs: UpstreamRefs
) -> list[tuple[PinReading, str, int, str]]:
    """Every reading along the first parents of ``head``, oldest first, with its commit, time and title.

    Only commits that touch one of the pin's paths are looked at. A commit where the place is missing or broken is
    passed over: a renamed file and a typo that was mended are no moves.
    """
    paths = [pin.submodule] if pin.submodule is not None else list(pin.paths)
    found: list[tuple[PinReading, str, int, str]] = []
    log = git.with_env(GIT_LITERAL_PATHSPECS="1").records(
        "log", "-z", "--first-parent", "--reverse", "--format=%H%x1f%ct%x1f%s", head, "--", *paths
    )
    for record in log:
        oid, time, title = record.decode("utf-8", "replace").strip("\n").split("\x1f", 2)
        seen = reading(git, oid, pin, upstream, refs)
        if seen is None or seen.text is None:
            continue
        if not found or found[-1][0].text is None or found[-1][0].text.text != seen.text.text:
            found.append((seen, oid, int(time), title))
    return found


def moves(readings: list[tuple[PinReading, str, int, str]], history: History) -> list[Move]:
    """The moves between neighbouring readings, told by the ancestry of the two upstream commits.

    ``history`` must have been read with those commits among its tips.
    """
    found: list[Move] = []
    before: PinReading | None = None
    for seen, commit, time, title in readings:
        kind, lost, gained = _move(history, before, seen)
        found.append(
            Move(
                pin=seen.name,
                commit=commit,
                date=dt.datetime.fromtimestamp(time, dt.UTC),
                title=title,
                old=before,
                new=seen,
                kind=kind,
                lost=lost,
                gained=gained,
            )
        )
        before = seen
    return found


def _move(history: History, old: PinReading | None, new: PinReading) -> tuple[PinMove, int | None, int | None]:
    if old is None:
        return PinMove.FIRST, None, None
    before = old.target.commit if old.target else None
    after = new.target.commit if new.target else None
    if before is None or after is None or before not in history.commits or after not in history.commits:
        return PinMove.UNKNOWN, None, None
    lost, gained, shared = history.difference(before, after)
    if before == after:
        return PinMove.SAME, 0, 0
    if not shared:
        return PinMove.UNRELATED, lost, gained
    if lost and gained:
        return PinMove.DIVERGED, lost, gained
    return (PinMove.BACKWARD if lost else PinMove.FORWARD), lost, gained
