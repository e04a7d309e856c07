"""Releases as targets: which tags are releases, their versions and lines.

Versions order releases within a line for people; they never decide whether a release has a fix.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from packaging.version import InvalidVersion, Version

from syncbot.git.history import resolve
from syncbot.git.refs import Ref, read_refs
from syncbot.git.run import Git, safe_ref
from syncbot.model.errors import UnknownObjectError
from syncbot.model.landing import Target
from syncbot.model.words import TargetKind

_NUMBERED = re.compile(r"^(.*?)(\d+(?:\.\d+)+.*)$")
_FAIR_SHARE = 0.1
_SEGMENT = re.compile(r"^\d+(?:\.\d+)+")


@lru_cache(maxsize=4096)
def parse_version(text: str) -> Version:
    """``packaging``'s version, parsed once. Raises `packaging.version.InvalidVersion`."""
    return Version(text)


def release_tags(tags: Iterable[Ref], pattern: str | None = None, ignore: Iterable[str] = ()) -> list[Ref]:
    """The tags that are releases.

    With a ``pattern`` (glob), those that match it. Without one, those of one family: tags that are one prefix followed
    by a dotted number (``v1.2``, ``release-1.2``). Of the families with a fair share of the tags the one with the
    shortest prefix is taken, so that ``v1.2`` wins over ten times as many ``nightly-v1.2``.
    """
    ignored = tuple(ignore)
    kept = [tag for tag in tags if not any(fnmatch.fnmatchcase(tag.short, each) for each in ignored)]
    if pattern is not None:
        return [tag for tag in kept if fnmatch.fnmatchcase(tag.short, pattern)]
    prefixes = {tag.short: match[1] for tag in kept if (match := _NUMBERED.match(tag.short))}
    sizes = Counter(prefixes.values())
    fair = [prefix for prefix, size in sizes.items() if size >= _FAIR_SHARE * len(prefixes)]
    family = min(fair, key=lambda prefix: (len(prefix), -sizes[prefix]), default=None)
    return [tag for tag in kept if prefixes.get(tag.short) == family] if family is not None else []


def release_target(tag: Ref) -> Target:
    """A tag as a target; a name that is no PEP 440 version keeps its line and is told apart as odd."""
    match = _NUMBERED.match(tag.short)
    text = match[2] if match else tag.short
    version, line, early, note = None, None, False, None
    try:
        parsed = parse_version(text)
    except InvalidVersion:
        segment = _SEGMENT.match(text)
        line = segment[0] if segment else None
        note = "not a PEP 440 version: kept, but it is nobody's first release"
    else:
        version, line, early = str(parsed), parsed.base_version.split("!")[-1], parsed.is_prerelease
    return Target(
        ref=tag.short,
        kind=TargetKind.RELEASE,
        commit=tag.commit,
        version=version,
        line=line,
        date=tag.date,
        prerelease=early,
        note=note,
    )


def named_target(git: Git, ref: str, kind: TargetKind = TargetKind.REF) -> Target:
    """Any ref as a target: a tag is a release, a branch a branch; one that cannot be read has no commit and says so.

    Raises `UsageError` for a name that is no ref at all (an option, a range).
    """
    safe_ref(ref)
    places = [f"{place}/{ref}" for place in ("refs/tags", "refs/heads", "refs/remotes/origin")]
    known = {found.name: found for found in read_refs(git, *places)}
    for found in (known[place] for place in places if place in known):
        if found.name.startswith("refs/tags/"):
            return release_target(found)
        return Target(ref=ref, kind=TargetKind.BRANCH, commit=found.commit, date=found.date)
    try:
        return Target(ref=ref, kind=kind, commit=resolve(git, ref))
    except UnknownObjectError as error:
        return Target(ref=ref, kind=kind, commit=None, note=str(error))


def in_version_order(targets: Iterable[Target]) -> list[Target]:
    """Releases by version; odd names last within their line; everything else after, in the order given."""

    def key(target: Target) -> tuple[int, Version, int, str]:
        if target.version is not None:
            return (0, parse_version(target.line or "0"), 0, "")
        return (0, parse_version(target.line), 1, target.ref) if target.line else (1, parse_version("0"), 2, "")

    def within(target: Target) -> Version:
        return parse_version(target.version or "0")

    return sorted(targets, key=lambda target: (*key(target)[:3], within(target), key(target)[3]))
