"""Attached results in a folder, ``patches/<id>/results/``: one file a set, all written or none."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from syncbot.checks.codec import decode, encode
from syncbot.checks.readers import ResultError
from syncbot.checks.readers.source import MOST_BYTES, digest
from syncbot.model.checks import Attached
from syncbot.model.errors import CouldNotError

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


def save(folder: Path, sets: Sequence[Attached], beside: Mapping[Path, str] | None = None) -> None:
    """Write a file for each set, and the texts ``beside`` them; all or, if one cannot be written, none.

    Raises `CouldNotError` naming the file.
    """
    texts = {folder / file_name(each): json.dumps(encode(each), indent=1) + "\n" for each in sets}
    replace_texts({**texts, **(beside or {})})


def replace_texts(texts: Mapping[Path, str]) -> None:
    """Write files so that nobody ever sees half of one, none before all of them are on the disk."""
    staged: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            staged.append((Path(name), path))
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            # mkstemp makes files that only their owner reads; a result file is for everybody.
            Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        for made, path in staged:
            made.replace(path)
    except OSError as error:
        raise CouldNotError(f"{path}: {error.strerror or error}; nothing was written") from error
    finally:
        for made, _ in staged:
            made.unlink(missing_ok=True)
