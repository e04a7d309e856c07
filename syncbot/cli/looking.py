"""What ``syncbot init`` does where it is told of two real projects: open them, guess, and make the files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from syncbot.model.errors import CouldNotError, UsageError

if TYPE_CHECKING:
    from syncbot.cache import Cache
    from syncbot.cli.findings import Ground
    from syncbot.git.clone import Clone
    from syncbot.model.discover import Finding
    from syncbot.render.guess import Guessed, Side
    from syncbot.render.manifest import Draft

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two projects to look at: names of their tables, and the key and address of each (``repo`` or ``url``)."""

    upstream: str
    upstream_repo: tuple[str, str]
    downstream: str
    downstream_repo: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What there is to write, by path, and what to tell."""

    told: Guessed
    files: dict[str, str]


def look(pair: Pair, repos: Sequence[str], *, manifests: int, code: bool, use_cache: bool) -> Found:
    """Guess the configuration of a pair; ``code``: look for workarounds too, ``manifests``: write so many of them.

    Raises `UsageError` for addresses and ``--repo`` that make no sense, and what opening a repository raises.
    """
    from syncbot.cli.repos import open_cache, open_project, progress
    from syncbot.guess.guess import guess
    from syncbot.render.guess import Guessed, config_text

    if pair.upstream == pair.downstream:
        raise UsageError(f"both projects would be called {pair.upstream!r}; they cannot be one repository")
    with _project(_bare(pair)) as root:
        project, clones = open_project(str(root), repos)
        up, down = clones.upstreams[pair.upstream], clones.downstreams[pair.downstream]
        slug = project.upstreams[pair.upstream].repo.slug or up.slug
        with progress("reading build files"):
            guesses = guess(up, down, slug=slug, label=pair.upstream, taken=(pair.upstream, pair.downstream))
    told = Guessed(
        upstream=_side(pair.upstream, pair.upstream_repo, up),
        downstream=_side(pair.downstream, pair.downstream_repo, down), guesses=guesses,
    )  # fmt: skip
    text = config_text(told)
    if not code and not manifests:
        return Found(told=told, files={"syncbot.toml": text})
    with _project(text) as root, progress("reading the code"), open_cache(use_cache) as cache:
        return _with_workarounds(told, text, root, repos, manifests, cache)


def _with_workarounds(
    told: Guessed, text: str, root: Path, repos: Sequence[str], manifests: int, cache: Cache
) -> Found:
    from dataclasses import replace

    from syncbot.cli.findings import open_ground
    from syncbot.cli.track import manifest_texts

    ground = open_ground(str(root), repos, told.downstream.name, None, offline=False)
    found = _surest(ground, told.upstream.name, cache)
    drafts = [draft for each in found if (draft := _draft(ground, each, cache)) is not None][:manifests]
    texts = manifest_texts(ground, drafts)
    files = {f"patches/{name}/patch.toml": manifest for name, manifest in texts.items()}
    recorded = {draft.key for draft in drafts}
    rest = tuple(each for each in found if each.key not in recorded)[:_SHOWN]
    return Found(told=replace(told, findings=rest), files={**files, "syncbot.toml": text})


def _surest(ground: Ground, upstream: str, cache: Cache) -> list[Finding]:
    """The findings that wait for this upstream, those that name a change of it before those that only name it."""
    from syncbot.model.discover import Certainty

    order = list(Certainty)
    found = [each for each in ground.findings(ground.scan(cache)) if each.upstream == upstream]
    sure = [each for each in found if each.certainty is not Certainty.LOW]
    return sorted(sure, key=lambda each: (order.index(each.certainty), not each.fixes))


def _draft(ground: Ground, finding: Finding, cache: Cache) -> Draft | None:
    from syncbot.cli.track import draft_from
    from syncbot.model.discover import Certainty

    if finding.certainty is not Certainty.HIGH:
        return None
    try:
        return draft_from(ground, finding, cache)
    except CouldNotError:
        return None


@contextmanager
def _project(text: str) -> Iterator[Path]:
    """A folder with this configuration. Raises `UsageError` if ``syncbot check`` would not pass on it."""
    from syncbot.config import check_project

    with tempfile.TemporaryDirectory(prefix="syncbot-init-") as name:
        root = Path(name)
        (root / "syncbot.toml").write_text(text, encoding="utf-8")
        if problems := check_project(root):
            raise UsageError(*(str(each) for each in problems))
        yield root


def _bare(pair: Pair) -> str:
    import tomlkit

    doc = tomlkit.document()
    for kind, name, repo in (
        ("upstreams", pair.upstream, pair.upstream_repo),
        ("downstreams", pair.downstream, pair.downstream_repo),
    ):
        doc.add(kind, {name: {repo[0]: repo[1]}})
    return tomlkit.dumps(doc)


def _side(name: str, repo: tuple[str, str], clone: Clone) -> Side:
    from syncbot.render.guess import Side

    return Side(name=name, repo=repo, branch=clone.branch)
