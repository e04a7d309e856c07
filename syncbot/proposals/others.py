"""Somebody else's open pull request that already does what would be proposed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from syncbot.forge.ports import Reader
from syncbot.model.forge import ChangedFile, PullRequest
from syncbot.model.project import Upstream, Workaround
from syncbot.model.proposal import Prepared
from syncbot.proposals.prepare import Keeps
from syncbot.proposals.taken import gone_from

_FILES = "pull-files/2"
_MOST_CANDIDATES = 10
_SAME = 0.95


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
        return tuple(ChangedFile(path=p, status=s, added=a, removed=r, patch=d) for p, s, a, r, d in kept)
    found = reader.pull_files(repo, pull.number)
    if cache is not None:
        rows = [[each.path, each.status, each.added, each.removed, each.patch] for each in found]
        cache.put_json(_FILES, {name: rows})
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
    """Whether a change takes the lines out that the edit takes out, nearly all of them in every file.

    Where the forge leaves a file's patch out (it is too large) the number of lines has to do.
    """
    theirs = {each.path: each for each in files} | {each.former_path: each for each in files if each.former_path}
    ours = {path: Counter(lines) for path, lines in prepared.gone}
    return bool(ours) and all(path in theirs and _goes(lines, theirs[path]) for path, lines in ours.items())


def _goes(lines: Counter[str], theirs: ChangedFile) -> bool:
    if theirs.patch is None:
        return theirs.removed >= lines.total()
    return (lines & gone_from(theirs.patch.encode())).total() >= _SAME * lines.total()
