"""Pins: read at any commit of the repository that holds them, resolved against the upstream, followed through history.

A pin's text is whatever a person wrote: a tag, a full or short commit id, a branch, a plain version, or the gitlink of
a submodule. It means an upstream commit, or nothing that this clone knows.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from packaging.version import InvalidVersion

from syncbot.git.blobs import exists, read_blobs
from syncbot.git.history import History, commit_before, commit_dates, moment
from syncbot.git.refs import Ref, read_refs
from syncbot.git.run import Git
from syncbot.landing.targets import parse_version, release_target
from syncbot.model.landing import Target
from syncbot.model.pins import Move, PinReading, PinSeen, PinText
from syncbot.model.project import Pin
from syncbot.model.words import PinForm, PinMove, TargetKind

_PLACES = ("refs/heads/", "refs/remotes/origin/", "refs/tags/")
_LONG_AGO = dt.datetime.fromtimestamp(0, dt.UTC)
_HEX = re.compile(r"^[0-9a-fA-F]{7,64}$")
_FOUND_TWICE = (
    "is matched by its pattern {count} times in {path}, with different texts ({texts}): make the pattern narrower"
)


class PinProblemError(Exception):
    """A pinned place that does not say what it should; the text names the pin, the path and what to do."""


def read_pin(git: Git, commit: str, pin: Pin) -> PinText | None:
    """What the pin says at ``commit``; None where none of its paths exists there.

    Raises `PinProblemError` when the path is there and the pattern matches nothing, or different texts, or when this
    clone lacks the file's content.
    """
    if pin.submodule is not None:
        line = git.with_env(GIT_LITERAL_PATHSPECS="1").text("ls-tree", "-z", commit, "--", pin.submodule).rstrip("\0")
        link = line.startswith("160000 commit ")
        return PinText(text=line.split()[2], path=pin.submodule, submodule=True) if link else None
    texts = read_blobs(git, (f"{commit}:{path}" for path in pin.paths))
    for path in pin.paths:
        text = texts[f"{commit}:{path}"]
        if text is not None:
            return text_in(pin, path, text)
        if exists(git, commit, path):
            raise PinProblemError(f"pin {pin.name!r}: this clone lacks the content of {path} at {commit[:12]}")
    return None


def text_in(pin: Pin, path: str, content: bytes) -> PinText:
    """What the pin says in the ``content`` of one of its files; raises `PinProblemError` as `read_pin` does."""
    matches = re.finditer(pin.pattern or "", content.decode("utf-8", "replace"), re.MULTILINE)
    found = [match["ref"] for match in matches if match["ref"]]
    texts = list(dict.fromkeys(found))
    if not texts:
        raise PinProblemError(f"pin {pin.name!r} is not found: its pattern matches nothing in {path}")
    if len(texts) > 1:
        said = _FOUND_TWICE.format(count=len(found), path=path, texts=", ".join(texts[:4]))
        raise PinProblemError(f"pin {pin.name!r} {said}")
    return PinText(text=texts[0].strip(), path=path)


@dataclass(frozen=True, slots=True)
class UpstreamRefs:
    """The tags and branches of the upstream, by short name; ``until``: as they were at that moment."""

    tags: Mapping[str, Ref]
    branches: Mapping[str, Ref]
    until: dt.datetime | None = None


def upstream_refs(git: Git, until: dt.datetime | None = None) -> UpstreamRefs:
    """Read the upstream's refs once for all pins. A remote's branch wins over a local one of the same name.

    ``until``: only tags up to that moment, and branches as their own history says they were then.
    """
    heads, remotes, tags = _by_place(read_refs(git, *_PLACES))
    remotes.pop("HEAD", None)
    if until is not None:
        tags = {name: tag for name, tag in tags.items() if tag.date is not None and tag.date <= until}
    return UpstreamRefs(tags, heads | remotes, until)


def _by_place(refs: Iterable[Ref]) -> tuple[dict[str, Ref], ...]:
    found: tuple[dict[str, Ref], ...] = tuple({} for _ in _PLACES)
    for ref in refs:
        at = next(number for number, place in enumerate(_PLACES) if ref.name.startswith(place))
        found[at][ref.short] = ref
    return found


def resolve_pins(upstream: Git, refs: UpstreamRefs, pin: Pin, texts: Iterable[PinText]) -> dict[str, PinReading]:
    """The upstream commit that each text means, by text; a reading's target has no commit where it names nothing."""
    found: dict[str, PinReading] = {}
    loose: dict[str, tuple[PinForm, PinText]] = {}
    for text in texts:
        word = text.text
        if text.submodule:
            loose[word] = PinForm.SUBMODULE, text
        elif word in refs.tags:
            found[word] = _reading(pin, text, PinForm.TAG, _pinned(release_target(refs.tags[word]), word))
        elif word in refs.branches:
            found[word] = _reading(pin, text, PinForm.BRANCH, _branch_target(upstream, refs, word))
        elif _HEX.match(word):
            loose[word] = PinForm.SHA, text
        else:
            found[word] = _reading(pin, text, PinForm.VERSION, _version_target(refs, pin, word))
    commits = commit_dates(upstream, loose)
    for word, (form, text) in loose.items():
        commit, date = commits.get(word, (None, None))
        note = None if commit else f"the commit {word} is not in the upstream clone"
        target = Target(ref=word, kind=TargetKind.PIN, commit=commit, date=date, note=note)
        found[word] = _reading(pin, text, form, target)
    return found


def _reading(pin: Pin, text: PinText, form: PinForm, target: Target) -> PinReading:
    return PinReading(name=pin.name, gating=pin.gating, text=text, form=form, target=target)


def _branch_target(upstream: Git, refs: UpstreamRefs, word: str) -> Target:
    branch = refs.branches[word]
    if refs.until is None:
        return Target(ref=word, kind=TargetKind.PIN, commit=branch.commit, date=branch.date)
    commit = commit_before(upstream, branch.commit, refs.until)
    note = None if commit else f"the branch {word} has no commit before {refs.until:%Y-%m-%d}"
    return Target(ref=word, kind=TargetKind.PIN, commit=commit, note=note)


def _pinned(release: Target, word: str) -> Target:
    return Target(
        ref=word,
        kind=TargetKind.PIN,
        commit=release.commit,
        version=release.version,
        line=release.line,
        date=release.date,
    )


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
    """The tag whose name is this version, however it is written (1.1 is 1.1.0); the closest, then shortest name."""
    try:
        version = parse_version(word)
    except InvalidVersion:
        return None
    known = [(tag, release_target(tag).version) for tag in refs.tags.values()]
    named = [
        (text != str(version), len(tag.short), tag) for tag, text in known if text and parse_version(text) == version
    ]
    return min(named)[2] if named else None


def pin_at(git: Git, commit: str, pin: Pin, upstream: Git, refs: UpstreamRefs) -> PinReading:
    """The pin at ``commit``, resolved; what is wrong with it stands in its ``problem``."""
    try:
        text = read_pin(git, commit, pin)
    except PinProblemError as error:
        return PinReading(name=pin.name, gating=pin.gating, problem=str(error))
    if text is None:
        return missing_place(pin, commit)
    return resolve_pins(upstream, refs, pin, [text])[text.text]


def missing_place(pin: Pin, commit: str) -> PinReading:
    """The reading of a pin whose place does not exist."""
    where = pin.submodule or " or ".join(pin.paths)
    problem = f"pin {pin.name!r} is not found: {where} does not exist at {commit[:12]}"
    return PinReading(name=pin.name, gating=pin.gating, problem=problem, gone=True)


def pin_history(git: Git, head: str, pin: Pin, upstream: Git, refs: UpstreamRefs) -> list[PinSeen]:
    """Every reading along the first parents of ``head``, oldest first.

    Only commits that touch one of the pin's paths are looked at. A commit where the place is missing or broken is
    passed over: a renamed file and a typo that was mended are no moves.
    """
    paths = [pin.submodule] if pin.submodule is not None else list(pin.paths)
    log = git.with_env(GIT_LITERAL_PATHSPECS="1").records(
        "log", "-z", "--first-parent", "--reverse", "--raw", "--no-renames", "--no-abbrev",
        "--diff-merges=first-parent", "--format=%x01%H%x1f%ct%x1f%s", head, "--", *paths,
    )  # fmt: skip
    steps = list(_steps(log))
    blobs = {name for _, files in steps for name in files.values()}
    contents = read_blobs(git, blobs) if pin.submodule is None else {}
    seen: list[tuple[PinText, str, str, str]] = []
    now: dict[str, str] = {}
    for (commit, time, title), files in steps:
        now |= files
        text = _text_of(pin, now, contents)
        if text is not None and (not seen or seen[-1][0].text != text.text):
            seen.append((text, commit, time, title))
    readings = resolve_pins(upstream, refs, pin, [text for text, *_ in seen])
    return [
        PinSeen(reading=readings[text.text], commit=commit, date=moment(time) or _LONG_AGO, title=title)
        for text, commit, time, title in seen
    ]


def _steps(records: Iterator[bytes]) -> Iterator[tuple[tuple[str, str, str], dict[str, str]]]:
    """The commits of a raw log, each with the paths it changed and their new blob ids."""
    head: tuple[str, str, str] | None = None
    files: dict[str, str] = {}
    for record in records:
        token = record.lstrip(b"\n")
        if token[:1] == b"\x01":
            if head is not None:
                yield head, files
            oid, time, title = token[1:].decode("utf-8", "replace").split("\x1f", 2)
            head, files = (oid, time, title), {}
        elif token[:1] == b":":
            path = next(records).decode("utf-8", "surrogateescape")
            files[path] = token.split(b" ")[3].decode()
    if head is not None:
        yield head, files


def _text_of(pin: Pin, now: Mapping[str, str], contents: Mapping[str, bytes | None]) -> PinText | None:
    for path in [pin.submodule] if pin.submodule is not None else pin.paths:
        oid = now.get(path, "")
        if not oid.strip("0"):
            continue
        if pin.submodule is not None:
            return PinText(text=oid, path=path, submodule=True)
        content = contents.get(oid)
        try:
            return text_in(pin, path, content) if content is not None else None
        except PinProblemError:
            return None
    return None


def moves(seen: Iterable[PinSeen], history: History) -> list[Move]:
    """The moves between neighbouring readings, told by the ancestry of the two upstream commits.

    ``history`` must have been read with those commits among its tips.
    """
    found: list[Move] = []
    before: PinReading | None = None
    for each in seen:
        kind, lost, gained = _move(history, before, each.reading)
        found.append(Move(seen=each, old=before, kind=kind, lost=lost, gained=gained))
        before = each.reading
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
