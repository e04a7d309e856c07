"""The memory: the few things neither git nor a forge can tell again, as JSON Lines.

Three kinds of line: what a tag pointed to and since which day (``tag``), the day something was first seen (``first``),
and a figure at a time (``trend``). Lines are only ever added, and two versions merge to the same third in whatever
order they meet, so runs at the same time lose nothing. A line of a kind this version does not know is kept as it is.

The upper part is pure. A store loads and saves it: `FileMemory` here; one on a git branch has the same two methods.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from syncbot.model.errors import CouldNotError, TryLaterError
from syncbot.model.landing import TagSeen

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LOCK_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Figure:
    """One point of a trend: the value of ``name`` at the time ``at`` (UTC)."""

    at: datetime.datetime
    name: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Everything remembered. ``first`` holds the day (UTC) each subject was first seen, ``trend`` one figure a day and
    name, the day's last. ``unknown`` are lines a newer version wrote.
    """

    tags: frozenset[TagSeen] = frozenset()
    first: Mapping[str, datetime.date] = field(default_factory=dict)
    trend: tuple[Figure, ...] = ()
    unknown: frozenset[str] = frozenset()

    def with_first(self, subjects: Iterable[str], day: datetime.date) -> Memory:
        """Return it with ``subjects`` seen on ``day``; the earlier day stays."""
        return merge(self, Memory(first=dict.fromkeys(subjects, day)))

    def with_figures(self, at: datetime.datetime, figures: Mapping[str, float]) -> Memory:
        """Return it with the values of ``figures`` at the time ``at``, which must have a time zone."""
        moment = at.astimezone(datetime.UTC)
        # Of one moment what was said last holds, and a merge could not tell which that was.
        before = replace(
            self, trend=tuple(each for each in self.trend if each.at != moment or each.name not in figures)
        )
        return merge(before, Memory(trend=tuple(Figure(at=moment, name=n, value=v) for n, v in figures.items())))

    def with_tags(self, repo: str, now: Mapping[str, str], day: datetime.date) -> Memory:
        """Return it with the tags of ``repo`` as they are ``now`` (tag to object id) on ``day``.

        Adds a line only for what changed since it was last seen, so an unchanged repository adds none.
        """
        changes = compare_tags((seen for seen in self.tags if seen.repo == repo), now)
        current = {tag: now[tag] for tag in (*changes.new, *(moved.tag for moved in changes.moved))}
        gone = dict.fromkeys((withdrawn.tag for withdrawn in changes.withdrawn), None)
        lines = (
            TagSeen(repo=repo, tag=tag, commit=commit, first_seen=day) for tag, commit in {**current, **gone}.items()
        )
        return replace(self, tags=self.tags.union(lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class TagMoved:
    """A tag that names another object now, or none (``now`` None); it named ``before`` since ``since``."""

    tag: str
    before: str
    since: datetime.date
    now: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TagChanges:
    """What differs from when the tags were last seen, each sorted by tag. ``new`` includes tags that came back."""

    moved: tuple[TagMoved, ...] = ()
    withdrawn: tuple[TagMoved, ...] = ()
    new: tuple[str, ...] = ()


def compare_tags(seen: Iterable[TagSeen], now: Mapping[str, str]) -> TagChanges:
    """Return which tags moved, went or came, from what was seen of one repository and its tags ``now``.

    Of several lines on a tag's last day any counts as how it was left: the order within a day is not known.
    """
    lines: dict[str, list[TagSeen]] = defaultdict(list)
    for line in seen:
        lines[line.tag].append(line)
    moved: list[TagMoved] = []
    withdrawn: list[TagMoved] = []
    new = [tag for tag in now if tag not in lines]
    for tag, of_tag in lines.items():
        last_day = max(line.first_seen for line in of_tag)
        left_as = {line.commit for line in of_tag if line.first_seen == last_day}
        commit = now.get(tag)
        if commit in left_as:
            continue
        named = [line for line in of_tag if line.commit is not None]
        latest = max(named, key=lambda line: (line.first_seen, line.commit or ""), default=None)
        if commit is not None and (latest is None or latest.commit == commit):
            new.append(tag)
        elif latest is not None and latest.commit is not None:
            change = TagMoved(tag=tag, before=latest.commit, since=latest.first_seen, now=commit)
            (withdrawn if commit is None else moved).append(change)
    return TagChanges(
        moved=tuple(sorted(moved, key=lambda change: change.tag)),
        withdrawn=tuple(sorted(withdrawn, key=lambda change: change.tag)),
        new=tuple(sorted(new)),
    )


def merge(one: Memory, other: Memory) -> Memory:
    """Return what both remember: the same whichever comes first, however often, and in whatever grouping."""
    first = dict(one.first)
    for subject, day in other.first.items():
        first[subject] = min(day, first.get(subject, day))
    latest: dict[tuple[datetime.date, str], Figure] = {}
    for figure in sorted((*one.trend, *other.trend)):
        latest[figure.at.date(), figure.name] = figure
    return Memory(
        tags=one.tags | other.tags,
        first=first,
        trend=tuple(sorted(latest.values())),
        unknown=one.unknown | other.unknown,
    )


def parse_memory(text: str) -> tuple[Memory, tuple[str, ...]]:
    """Return what ``text`` remembers, and one message for each line that is damaged, with its number."""
    memory, problems = _Lines(), []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            memory.add(line)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            what = f"no {error}" if isinstance(error, KeyError) else str(error)
            problems.append(f"line {number} is damaged and was skipped: {what}")
    whole = Memory(
        tags=frozenset(memory.tags),
        first=memory.first,
        trend=tuple(memory.trend),
        unknown=frozenset(memory.unknown),
    )
    return merge(whole, Memory()), tuple(problems)


def render_memory(memory: Memory) -> str:
    """Return ``memory`` as JSON Lines, sorted; the inverse of `parse_memory`."""
    lines = [
        _json(kind="first", what=subject, day=day.isoformat()) for subject, day in sorted(memory.first.items())
    ] + [
        _json(kind="tag", repo=seen.repo, tag=seen.tag, commit=seen.commit, first_seen=seen.first_seen.isoformat())
        for seen in sorted(memory.tags, key=lambda s: (s.repo, s.tag, s.first_seen, s.commit or ""))
    ]
    lines += [
        _json(kind="trend", at=figure.at.isoformat(), name=figure.name, value=figure.value) for figure in memory.trend
    ]
    return "".join(f"{line}\n" for line in [*lines, *sorted(memory.unknown)])


class _Lines:
    """What was read so far."""

    def __init__(self) -> None:
        self.tags: list[TagSeen] = []
        self.first: dict[str, datetime.date] = {}
        self.trend: list[Figure] = []
        self.unknown: list[str] = []

    def add(self, line: str) -> None:
        """Take one line. Raises ValueError, TypeError or KeyError for one that is damaged."""
        row = json.loads(line)
        if not isinstance(row, dict) or not isinstance(row["kind"], str):
            raise TypeError("expected an object with a kind")
        read: dict[str, Callable[[dict[str, Any]], None]] = {
            "tag": self._tag,
            "first": self._first,
            "trend": self._trend,
        }
        if row["kind"] in read:
            read[row["kind"]](row)
        else:
            self.unknown.append(line.strip())

    def _tag(self, row: dict[str, Any]) -> None:
        commit = row["commit"]
        if commit is not None and not _COMMIT.fullmatch(commit):
            raise ValueError(f"{commit!r} is no commit id")
        day = datetime.date.fromisoformat(row["first_seen"])
        self.tags.append(TagSeen(repo=_text(row, "repo"), tag=_text(row, "tag"), commit=commit, first_seen=day))

    def _first(self, row: dict[str, Any]) -> None:
        subject, day = _text(row, "what"), datetime.date.fromisoformat(row["day"])
        self.first[subject] = min(day, self.first.get(subject, day))

    def _trend(self, row: dict[str, Any]) -> None:
        at, value = datetime.datetime.fromisoformat(row["at"]), row["value"]
        if at.tzinfo is None:
            raise ValueError("its time has no time zone")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"{value!r} is no figure")
        at = at.astimezone(datetime.UTC)
        self.trend.append(Figure(at=at, name=_text(row, "name"), value=value))


def _text(row: dict[str, Any], key: str) -> str:
    value = row[key]
    if not isinstance(value, str) or not value:
        raise TypeError(f"{key} is {value!r}, expected a text")
    return value


def _json(**row: object) -> str:
    return json.dumps(row, ensure_ascii=True, separators=(", ", ": "))


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A memory as a store found it. ``problems`` are for the person: damaged lines, or that there is no memory."""

    memory: Memory
    problems: tuple[str, ...] = ()


class MemoryStore(Protocol):
    """Where the memory is kept."""

    def load(self) -> Loaded:
        """Return what is there; an empty memory, with the reason among the problems, where nothing can be read."""

    def save(self, memory: Memory) -> Memory:
        """Add ``memory`` to what is there and return both together. Raises a `SyncbotError` when it cannot."""


class FileMemory:
    """The memory in one file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> Loaded:
        """Return what the file holds. A file that is not there or cannot be read is told, and never an error."""
        try:
            text = self.path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            lost = "there is no memory yet, or it was lost: tags that moved before today will not be noticed"
            return Loaded(memory=Memory(), problems=(f"{self.path}: {lost}",))
        except OSError as error:
            return Loaded(memory=Memory(), problems=(f"{self.path}: the memory cannot be read: {error.strerror}",))
        memory, problems = parse_memory(text)
        return Loaded(memory=memory, problems=tuple(f"{self.path}: {problem}" for problem in problems))

    def save(self, memory: Memory) -> Memory:
        """Add ``memory`` to the file under a lock, whole or not at all; a file that says it all is left alone.

        Raises `TryLaterError` when another process keeps the lock, `CouldNotError` when the disk refuses.
        """
        from filelock import FileLock, Timeout

        path = self.path.resolve()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{path}.lock", timeout=_LOCK_SECONDS):
                return self._save(path, memory)
        except Timeout:
            raise TryLaterError(f"another process has held {path}.lock for {_LOCK_SECONDS:g} seconds") from None
        except OSError as error:
            raise CouldNotError(f"cannot write the memory {path}: {error.strerror or error}") from error

    def _save(self, path: Path, memory: Memory) -> Memory:
        before = path.read_bytes() if path.exists() else b""
        both = merge(parse_memory(before.decode("utf-8", "replace"))[0], memory)
        after = render_memory(both).encode()
        if after != before:
            fresh = path.with_name(f"{path.name}.new")
            with fresh.open("wb") as file:
                file.write(after)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        return both
