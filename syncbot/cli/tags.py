"""Tags of the upstreams that moved or went since they were last seen: git alone cannot tell, the memory can.

``sync --apply`` remembers the tags in ``.syncbot/memory.jsonl`` beside the configuration; ``status`` and ``sync``
compare and say what changed. Looking never writes.
"""

from __future__ import annotations

import datetime as dt
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


def changed_tags(project: Project, clones: Clones, memory: Memory) -> list[str]:
    """A sentence for each release tag that names another commit than the memory last saw, or none."""
    from syncbot.memory import compare_tags

    said: list[str] = []
    for label, now in _tags(project, clones).items():
        changes = compare_tags((seen for seen in memory.tags if seen.repo == label), now)
        said += [_sentence(label, each) for each in (*changes.moved, *changes.withdrawn)]
    return said


def remembered_tags(project: Project, clones: Clones, memory: Memory, day: dt.date) -> Memory:
    """The memory with today's release tags; the same memory where nothing changed."""
    for label, now in _tags(project, clones).items():
        memory = memory.with_tags(label, now, day)
    return memory


def _tags(project: Project, clones: Clones) -> dict[str, dict[str, str]]:
    from syncbot.git.refs import read_refs
    from syncbot.landing.targets import release_tags

    found: dict[str, dict[str, str]] = {}
    for name, upstream in project.upstreams.items():
        refs = read_refs(clones.upstreams[name].git(), "refs/tags/")
        kept = release_tags(refs, upstream.tag_pattern, upstream.ignore_tags)
        found[upstream.repo.label] = {ref.short: ref.commit for ref in kept}
    return found


def _sentence(label: str, change: TagMoved) -> str:
    before = f"it named {change.before[:12]} since {change.since:%Y-%m-%d}"
    if change.now is None:
        return f"tag {change.tag} of {label} was withdrawn: {before}"
    return f"tag {change.tag} of {label} moved: {before}, and names {change.now[:12]} now"
