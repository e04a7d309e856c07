"""Which of an upstream's tags are releases, guessed from the tags and from what the pins say."""

from __future__ import annotations

import fnmatch
import glob
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from packaging.version import InvalidVersion

from syncbot.git.refs import Ref
from syncbot.landing.targets import parse_version, release_tags
from syncbot.model.guess import TagGuess

_NUMBERED = re.compile(r"^(.*?)(\d+(?:\.\d+)+.*)$")
_MOST_IGNORED = 20


def prefix_of(tag: str) -> str | None:
    """What stands before the version in a tag: ``v`` of ``v1.2``, ``pkg-v`` of ``pkg-v1.2``; None if none is there."""
    match = _NUMBERED.match(tag)
    return match[1] if match else None


def guess_tags(tags: Sequence[Ref], pinned: Iterable[str]) -> TagGuess:
    """The family of tags that are releases: the one most pins say, else the one the landing engine would take."""
    prefix: str | None
    used = Counter(prefix for tag in pinned if (prefix := prefix_of(tag)) is not None)
    if used:
        prefix = min(used, key=lambda each: (-used[each], len(each)))
        why = f"the pins say tags that begin with {prefix!r}" if prefix else "the pins say tags that are plain versions"
    else:
        family = release_tags(tags)
        prefix = prefix_of(family[0].short) if family else None
        why = (
            f"most tags that end in a version begin with {prefix!r}" if prefix
            else "most tags are plain versions" if family else "no tags end in a version such as 1.2"
        )  # fmt: skip
    if prefix is None:
        return TagGuess(pattern=None, ignore=(), releases=0, tags=len(tags), newest=None, why=why)
    pattern = f"{glob.escape(prefix)}[0-9]*"
    matching = [tag for tag in tags if fnmatch.fnmatchcase(tag.short, pattern)]
    odd = [tag.short for tag in matching if not _is_version(tag.short[len(prefix) :])]
    good = [tag for tag in matching if tag.short not in odd]
    dated = [tag for tag in good if tag.date is not None]
    newest = max(dated, key=lambda tag: (tag.date, tag.short)).short if dated else None
    if len(odd) > _MOST_IGNORED:
        why += f"; {len(odd)} others match too and are no versions: too many to list, see ignore_tags"
        odd = []
    return TagGuess(
        pattern=pattern, ignore=tuple(sorted(odd)), releases=len(good), tags=len(tags), newest=newest, why=why
    )  # fmt: skip


def tag_format_for(word: str, tags: Iterable[str], packages: Sequence[str]) -> str | None:
    """The form of tag that a plain version means, ``{version}`` in place of the version; the package's own first."""
    there = set(tags)
    own = [f"{each}{joint}" for each in packages for joint in ("-v", "-", "@", "/v", "/", "_", "@v")]
    for prefix in (*own, "v", "release-", "release/", "V", ""):
        if f"{prefix}{word}" in there:
            return f"{prefix}{{version}}"
    return None


def _is_version(text: str) -> bool:
    try:
        parse_version(text)
    except InvalidVersion:
        return False
    return True
