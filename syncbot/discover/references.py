"""What a text names of other repositories: links, short references, and versions of the projects it waits for.

Pure. A bare ``#N`` belongs to the repository the text is in, unless the word before it is an upstream's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from syncbot.model.discover import Reference, RefKind

_LINK = re.compile(
    r"(?:https?://|(?<![\w./-]))(?P<host>[\w-]+(?:\.[\w-]+)+)(?::\d+)?/(?P<repo>[\w.-]+/[\w./-]*?[\w.-]+)/(?:-/)?"
    r"(?P<what>pulls?|issues?|commits?|merge_requests)/(?P<value>[0-9a-f]{7,40}\b|\d+)"
)
_SHORT = re.compile(
    r"(?<![\w/.-])(?P<repo>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:\s+(?:PR|pull request|issue))?\s?#(?P<number>\d+)\b"
)
_PATH = re.compile(r"(?<![\w/.-])(?P<repo>(?:[\w.-]+/)?[\w.-]+)/(?P<what>pull|issues)/(?P<number>\d+)\b")
_WHAT = {
    "pull": RefKind.PULL,
    "pulls": RefKind.PULL,
    "merge_requests": RefKind.PULL,
    "issue": RefKind.ISSUE,
    "issues": RefKind.ISSUE,
    "commit": RefKind.COMMIT,
    "commits": RefKind.COMMIT,
}
_VERSION = r"v?(?P<version>\d+(?:\.\d+)+(?:\.?(?:post|rc|dev|a|b)\d+)?)\b"


@dataclass(frozen=True, slots=True)
class Names:
    """How a repository's code speaks of others.

    ``upstreams`` maps the lower-case words (table names, repositories, ``owner/name``) to the configured name;
    ``own`` are the lower-case ``owner/name`` of the downstream itself.
    """

    upstreams: Mapping[str, str]
    own: frozenset[str]

    @property
    def words(self) -> tuple[str, ...]:
        """The words without a slash, longest first."""
        return tuple(sorted((word for word in self.upstreams if "/" not in word), key=len, reverse=True))


def spoken_names(name: str, slugs: Iterable[str]) -> dict[str, str]:
    """The words for one upstream: its table's name, its repositories, and those without a leading ``py``."""
    words = {name.lower()}
    for slug in slugs:
        words |= {slug.lower(), slug.lower().rpartition("/")[2]}
    words |= {word.removeprefix("py") for word in words if word.startswith("py") and len(word) > 5}
    return dict.fromkeys(words, name)


class Reader:
    """Reads references with one set of names; the expressions are made once."""

    def __init__(self, names: Names) -> None:
        self.names = names
        words = "|".join(map(re.escape, names.words)) or r"(?!)"
        self._named = re.compile(rf"(?<![\w./-])(?P<name>{words})(?![\w-])", re.IGNORECASE)
        self._numbered = re.compile(
            rf"(?<![\w./-])(?P<name>{words})(?:['’]s)?\s*(?:(?P<what>PR|pull(?: request)?|issue|bug|fix|commit)s?)?"
            r"\s*#(?P<number>\d+)\b",
            re.IGNORECASE,
        )
        self._versioned = re.compile(
            rf"(?<![\w./-])(?P<name>{words})(?:[\s`'\"]|version|release|to|is|at|than|newer|with|>|=|<|~|!)*\s*{_VERSION}",
            re.IGNORECASE,
        )

    def references(self, text: str) -> tuple[Reference, ...]:
        """What ``text`` names, in order, each once; what belongs to the downstream itself is left out."""
        bare = _LINK.sub(lambda match: " " * len(match[0]), text)
        found = [*self._links(text), *self._short(bare), *self._spoken(bare)]
        return self._once(reference for _, reference in sorted(found, key=lambda pair: pair[0]))

    def _links(self, text: str) -> Iterator[tuple[int, Reference]]:
        for match in _LINK.finditer(text):
            kind = _WHAT[match["what"]]
            if kind is RefKind.COMMIT or match["value"].isdigit():
                yield match.start(), Reference(repo=match["repo"], kind=kind, value=match["value"])

    def _short(self, text: str) -> Iterator[tuple[int, Reference]]:
        for match in _PATH.finditer(text):
            yield match.start(), Reference(repo=match["repo"], kind=_WHAT[match["what"]], value=match["number"])
        for match in _SHORT.finditer(text):
            yield match.start(), Reference(repo=match["repo"], kind=RefKind.NUMBER, value=match["number"])

    def _spoken(self, text: str) -> Iterator[tuple[int, Reference]]:
        for match in self._numbered.finditer(text):
            yield match.start(), Reference(repo=match["name"], kind=_said(match["what"]), value=match["number"])
        for match in self._versioned.finditer(text):
            yield match.start(), Reference(repo=match["name"], kind=RefKind.VERSION, value=match["version"])

    def _once(self, found: Iterable[Reference]) -> tuple[Reference, ...]:
        kept: dict[tuple[str, str], Reference] = {}
        for reference in found:
            if reference.repo.lower() in self.names.own:
                continue
            repo = self.names.upstreams.get(reference.repo.lower(), reference.repo)
            if (
                "/" not in reference.repo
                and repo == reference.repo
                and reference.repo.lower() not in self.names.upstreams
            ):
                continue  # a path such as vendor/pull/3, no repository
            named = Reference(repo=repo, kind=reference.kind, value=reference.value)
            held = kept.get((repo.lower(), named.value))
            if held is None or held.kind is RefKind.NUMBER:
                kept[repo.lower(), named.value] = named
        return tuple(kept.values())

    def named(self, text: str) -> tuple[str, ...]:
        """The configured upstreams that ``text`` names in words or by reference, in order."""
        return tuple(dict.fromkeys(self.names.upstreams[match["name"].lower()] for match in self._named.finditer(text)))


def _said(what: str | None) -> RefKind:
    match (what or "").lower():
        case "pr" | "pull" | "pull request" | "fix":
            return RefKind.PULL
        case "issue" | "bug":
            return RefKind.ISSUE
        case _:
            return RefKind.NUMBER
