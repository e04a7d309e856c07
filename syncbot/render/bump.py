"""The review of a pin's move, as JSON values and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from syncbot.model.bump import Bump, Dropped, Effect
from syncbot.model.words import Verdict
from syncbot.render.landing import verdict_text
from syncbot.render.text import plain

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SCHEMA = "syncbot.bump/1"
_SHOWN = 50


def bump_json(bump: Bump) -> dict[str, Any]:
    """The answer of ``syncbot bump --json``."""
    return {
        "schema": SCHEMA,
        "upstream": bump.upstream,
        "old": {"ref": bump.old.ref, "commit": bump.old.commit},
        "new": {"ref": bump.new.ref, "commit": bump.new.commit},
        "freed": [_effect(each) for each in bump.freed],
        "lost": [_effect(each) for each in bump.lost],
        "unchanged": [_effect(each) for each in bump.unchanged],
        "dropped_changes": [_dropped(each) for each in bump.dropped],
        "better": [
            {"ref": each.ref, "dropped": each.dropped, "freed": list(each.freed), "lost": list(each.lost)}
            for each in bump.better
        ],
        "notes": list(bump.notes),
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "id": effect.workaround,
        "title": effect.title,
        "fixes": list(effect.fixes),
        "old": effect.old.verdict.value,
        "new": effect.new.verdict.value,
        "why": effect.new.why,
    }


def _dropped(dropped: Dropped) -> dict[str, Any]:
    return {
        "commit": dropped.commit,
        "change": dropped.change,
        "pull": dropped.pull,
        "title": dropped.title,
        "new": dropped.new.verdict.value,
        "missing": dropped.missing,
        "undone_by": dropped.undone_by,
        "undoes": dropped.undoes,
    }


def bump_blocks(bump: Bump) -> Iterator[RenderableType]:
    """What a reviewer of the move reads."""
    from rich.text import Text

    yield Text(f"{bump.upstream}: {plain(bump.old.ref, 60)} → {plain(bump.new.ref, 60)}", style="bold")
    for note in bump.notes:
        yield Text(plain(note), style="dim")
    for name, effects in (("frees", bump.freed), ("loses", bump.lost), ("leaves as they are", bump.unchanged)):
        yield Text(f"\n{name}:" if effects else f"\n{name}: none")
        yield from _lines(effects)
    missing = [each for each in bump.dropped if each.missing]
    taken_back = [each for each in bump.dropped if each.undone_by or each.undoes]
    there = len(bump.dropped) - len(missing) - len(taken_back)
    also = f"; {there} more {'commit is' if there == 1 else 'commits are'} there in another form" if there else ""
    yield Text(f"\nupstream changes that go missing: {len(missing)}{also}")
    for each in missing[:_SHOWN]:
        yield _title(each) + verdict_text(each.new.verdict)
    if len(missing) > _SHOWN:
        yield Text(f"  and {len(missing) - _SHOWN} older ones; --json lists them all")
    if taken_back:
        yield Text(f"\nreverted within {plain(bump.old.ref, 60)} already, so nothing goes missing with them:")
    for each in taken_back:
        if each.undoes:
            yield _title(each) + Text(f"undoes {each.undoes[:10]}", style="dim")
        else:
            yield _title(each) + verdict_text(Verdict.REVERTED) + Text(" → ") + verdict_text(each.new.verdict)
    if bump.better:
        yield Text("\nreleases that would do better:")
        for better in bump.better:
            freed = ", ".join(better.freed) or "nothing"
            yield Text(f"  {plain(better.ref, 60)}: drops {better.dropped}, frees {freed}")


def _title(dropped: Dropped) -> Text:
    from rich.text import Text

    number = f"#{dropped.pull} " if dropped.pull is not None else ""
    title = dropped.title.removesuffix(f"(#{dropped.pull})").rstrip()
    return Text(f"  {dropped.commit[:10]} {number}{plain(title, 80)}  ")


def _lines(effects: Iterable[Effect]) -> Iterator[RenderableType]:
    from rich.text import Text

    for effect in effects:
        line = Text(f"  {effect.workaround} ({', '.join(effect.fixes) or 'no fix recorded'})  ")
        yield line + verdict_text(effect.old.verdict) + Text(" → ") + verdict_text(effect.new.verdict)
