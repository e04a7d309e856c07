"""Somebody else's open pull request that already does what would be proposed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from syncbot.forge.ports import Reader
from syncbot.model.forge import ChangedFile, PullRequest
from syncbot.model.project import Upstream, Workaround
from syncbot.model.proposal import Prepared
from syncbot.proposals.prepare import Keeps

_FILES = "pull-files/1"
_MOST_CANDIDATES = 10


def find(
    prepared: Prepared, workaround: Workaround, pulls: Sequence[PullRequest], *, reader: Reader, repo: str,
    upstreams: Mapping[str, Upstream], cache: Keeps | None,
) -> PullRequest | None:  # fmt: skip
    """Return the first of ``pulls`` that names the same change and takes the same places out."""
    named = names_of(workaround, upstreams)
    candidates = [pull for pull in pulls if named.search(f"{pull.title}\n{pull.body}")]
    for pull in candidates[:_MOST_CANDIDATES]:
        if does_the_same(prepared, _files(pull, reader, repo, cache)):
            return pull
    return None


def _files(pull: PullRequest, reader: Reader, repo: str, cache: Keeps | None) -> tuple[ChangedFile, ...]:
    """What a pull request changes, asked once for each of its heads."""
    name = f"{repo}#{pull.number}@{pull.head_oid}"
    if cache is not None and (kept := cache.get_json(_FILES, [name]).get(name)) is not None:
        return tuple(ChangedFile(path=p, status=s, added=a, removed=r) for p, s, a, r in kept)
    found = reader.pull_files(repo, pull.number)
    if cache is not None:
        cache.put_json(_FILES, {name: [[each.path, each.status, each.added, each.removed] for each in found]})
    return found


def names_of(workaround: Workaround, upstreams: Mapping[str, Upstream]) -> re.Pattern[str]:
    """Return what a text says that is about this workaround: its pull request, its commit, its fixes, its id."""
    words = [rf"\b{re.escape(workaround.id)}\b"]
    if workaround.introduced.pull is not None:
        words.append(rf"(?<![\w/])#{workaround.introduced.pull}\b|/pull/{workaround.introduced.pull}\b")
    if workaround.introduced.commit is not None:
        words.append(rf"\b{workaround.introduced.commit[:9]}")
    for fix in workaround.fixes:
        slug = upstreams[fix.upstream].repo.slug if fix.upstream in upstreams else None
        if fix.pull is not None and slug is not None:
            name = re.escape(slug.partition("/")[2])
            words.append(rf"{re.escape(slug)}/pull/{fix.pull}\b|\b{name}#{fix.pull}\b|\b{name} #{fix.pull}\b")
    return re.compile("|".join(words), re.IGNORECASE)


def does_the_same(prepared: Prepared, files: Sequence[ChangedFile]) -> bool:
    """Whether a change takes at least as many lines out of every file that the edit takes lines out of."""
    theirs = {each.path: each.removed for each in files}
    places = [each for each in prepared.files if each.removed]
    return bool(places) and all(theirs.get(each.path, 0) >= (each.removed or 0) for each in places)
