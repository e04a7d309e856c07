"""Tags of the upstreams that moved or went since they were last seen: git alone cannot tell, the memory can.

``sync --apply`` remembers the tags, also in ``.syncbot/memory.jsonl`` beside the configuration; ``status`` and ``sync``
compare and say what changed. Looking never writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syncbot.memory import Memory, TagMoved
    from syncbot.model.project import Project
    from syncbot.observe import Clones

_KEPT = ".syncbot/memory.jsonl"


def kept_at(project: Project) -> Path:
    """Where a project's memory lies."""
    return Path(project.root, _KEPT)


def release_tags_of(project: Project, clones: Clones) -> dict[str, dict[str, str]]:
    """The release tags of each upstream, by the upstream's label, with the commit that each names."""
    from syncbot.git.refs import read_refs
    from syncbot.landing.targets import release_tags

    found: dict[str, dict[str, str]] = {}
    for name, upstream in project.upstreams.items():
        refs = read_refs(clones.upstreams[name].git(), "refs/tags/")
        kept = release_tags(refs, upstream.tag_pattern, upstream.ignore_tags)
        found[upstream.repo.label] = {ref.short: ref.commit for ref in kept}
    return found


def changed_tags(tags: Mapping[str, Mapping[str, str]], memory: Memory) -> list[str]:
    """A sentence for each release tag that names another commit than the memory last saw, or none."""
    from syncbot.memory import compare_tags

    said: list[str] = []
    for label, now in tags.items():
        changes = compare_tags((seen for seen in memory.tags if seen.repo == label), now)
        said += [_sentence(label, each) for each in (*changes.moved, *changes.withdrawn)]
    return said


def _sentence(label: str, change: TagMoved) -> str:
    before = f"it named {change.before[:12]} since {change.since:%Y-%m-%d}"
    if change.now is None:
        return f"tag {change.tag} of {label} was withdrawn: {before}"
    return f"tag {change.tag} of {label} moved: {before}, and names {change.now[:12]} now"
