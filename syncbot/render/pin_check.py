"""The review of the pins a pull request moves, as the text of one comment and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from syncbot.model.bump import PinMoved
from syncbot.render.bump import bump_json
from syncbot.render.template import render

_SHOWN = 15


def comment(moves: Sequence[PinMoved], *, folder: Path | None, backlinks: bool) -> str:
    """Return the comment's text. ``folder`` holds the configuration's own templates."""
    return render(
        "comment/pins.md.j2", {"moves": [_move(each) for each in moves], "shown": _SHOWN}, folder=folder,
        backlinks=backlinks,
    )  # fmt: skip


def moves_json(number: int, moves: Sequence[PinMoved]) -> dict[str, Any]:
    """Return the answer of ``syncbot bump --pull N --json``."""
    return {
        "schema": "syncbot.pin-check/1",
        "pull": number,
        "moves": [
            {
                "pin": each.pin.name, "path": each.path, "old": each.old, "new": each.new, "problem": each.problem,
                "bump": bump_json(each.bump) if each.bump is not None else None,
            }
            for each in moves
        ],
    }  # fmt: skip


def _move(each: PinMoved) -> dict[str, Any]:
    bump = each.bump
    values: dict[str, Any] = {
        "pin": each.pin.name, "gating": each.pin.gating, "upstream": each.pin.upstream, "path": each.path,
        "old": each.old, "new": each.new, "problem": each.problem, "bump": None,
    }  # fmt: skip
    if bump is None:
        return values
    missing = [one for one in bump.dropped if one.missing]
    values["bump"] = {
        "notes": bump.notes,
        "effects": [
            {"name": name, "rows": rows}
            for name, rows in (("frees", bump.freed), ("loses", bump.lost), ("leaves as they are", bump.unchanged))
            if rows
        ],
        "missing": [
            {"commit": one.commit[:10], "pull": one.pull, "title": one.title, "new": one.new.verdict.value}
            for one in missing[:_SHOWN]
        ],
        "count": len(missing),
        "better": bump.better,
    }
    return values
