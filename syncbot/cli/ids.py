"""Ids of workarounds on the command line, and what a shell may offer for them.

Pressing TAB reads the names of folders below ``patches/`` and nothing else: no file is parsed, no error is told.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def offered_ids(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the ids that begin so and are not typed yet, of the named ``syncbot.toml`` or of this folder."""
    named = ctx.params.get("config") or ctx.params.get("project") or "."
    path = Path(str(named))
    root = path.parent if path.is_file() else path
    typed = _words(ctx.params)
    try:
        ids = sorted(each.parent.name for each in root.glob("patches/*/patch.toml"))
    except OSError:
        return []
    return [each for each in ids if each.startswith(incomplete) and each not in typed]


def _words(params: dict[str, Any]) -> set[str]:
    return {word for value in params.values() if isinstance(value, list | tuple) for word in value}


Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ID]...", help="Only these workarounds.", autocompletion=offered_ids),
]
