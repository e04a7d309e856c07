"""The baseline: findings somebody has looked at and wants to hear no more of. A file of keys, written and read here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from syncbot.model.discover import Finding
from syncbot.model.errors import CouldNotError, UsageError

_SCHEMA = "syncbot.baseline/1"


def read_baseline(path: Path) -> frozenset[str]:
    """The keys in the file. Raises `UsageError` when it is none that `write_baseline` wrote."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"--baseline {path}: no such file; make one with --write-baseline {path}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"--baseline {path}: it cannot be read as JSON ({error})") from error
    if not isinstance(data, dict) or data.get("schema") != _SCHEMA or not isinstance(data.get("findings"), dict):
        raise UsageError(f"--baseline {path}: expected a file that --write-baseline wrote ({_SCHEMA})")
    return frozenset(data["findings"])


def write_baseline(path: Path, findings: Iterable[Finding]) -> None:
    """Write the keys with a place each, so that a person can read the file and take lines out."""
    lines = {each.key: f"{each.places[0].path}:{each.places[0].remark.line}" for each in findings}
    text = json.dumps({"schema": _SCHEMA, "findings": dict(sorted(lines.items()))}, indent=2) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CouldNotError(f"cannot write {path}: {error.strerror}") from error
