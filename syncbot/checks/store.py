"""Attached results in a folder, ``patches/<id>/results/``: one file a set, written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from syncbot.checks.codec import decode, encode
from syncbot.checks.readers import ResultError
from syncbot.checks.readers.source import MOST_BYTES, digest
from syncbot.model.checks import Attached

FOLDER = "results"


def load(folder: Path) -> tuple[Attached, ...]:
    """Return every set, oldest first; raises `ResultError` with the problems of every file that cannot be read."""
    found: list[Attached] = []
    problems: list[str] = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            if path.stat().st_size > MOST_BYTES:
                problems.append(f"{path}: more than {MOST_BYTES} bytes")
                continue
            found.append(decode(path.name, json.loads(path.read_text(encoding="utf-8"))))
        except OSError as error:
            problems.append(f"{path}: {error.strerror or error}")
        except (ValueError, RecursionError) as error:
            problems.append(f"{path}: not JSON: {error}")
        except ResultError as error:
            problems.extend(error.problems)
    if problems:
        raise ResultError(*problems)
    return tuple(sorted(found, key=lambda each: each.at))


def file_name(attached: Attached) -> str:
    """Return the name of a set's file: its moment, then what identifies its runs."""
    runs = {run.digest: arm for arm in ("baseline", "candidate") for run in getattr(attached, arm)}
    return f"{attached.at:%Y%m%dT%H%M%SZ}-{digest(runs)}.json"


def save(folder: Path, attached: Attached) -> Path:
    """Write one set and return its path. Raises OSError; then nothing was written."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(attached)
    replace_text(path, json.dumps(encode(attached), indent=1) + "\n")
    return path


def replace_text(path: Path, text: str) -> None:
    """Write a file so that nobody ever sees half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # mkstemp makes files that only their owner reads; a result file is for everybody.
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
