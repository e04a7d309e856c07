"""The files of the folder forge: names that cannot leave their folder, whole writes, and TOML a person may edit.

A proposal or an issue is a folder with ``proposal.toml`` or ``issue.toml`` (what it is), ``body.md`` (its text, nothing
else in it) and ``comments/``. A comment is a Markdown file with TOML between two ``+++`` lines; one without them is a
comment by the person whose folder this is.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syncbot.model.errors import CouldNotError

_FENCE = "+++\n"
_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]*")
_NUMBERED = re.compile(r"(\d{4,})(?:-.*)?")
_LONGEST_NAME = 60


def repository_folder(root: Path, repo: str) -> Path:
    """Return the folder of a repository: ``owner/name`` as it is, anything else made into one harmless name."""
    parts = repo.lower().split("/")
    if len(parts) == 2 and all(_PLAIN.fullmatch(part) and not part.endswith((".", ".lock")) for part in parts):
        return root.joinpath(*parts)
    return root / "other" / short_name(repo, unique=True)


def short_name(text: str, *, unique: bool = False) -> str:
    """Return ``text`` as a file name of letters, digits and dashes; ``unique`` adds a digest of the whole text."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    return f"{words}-{digest}".lstrip("-") if unique else words or digest


def write_whole(path: Path, text: str | bytes) -> None:
    """Write a file so that a reader, or a crash, sees the old text or the new one and never half of either."""
    data = text.encode() if isinstance(text, str) else text
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True)
class Entry:
    """A proposal or an issue on disk."""

    folder: Path
    number: int
    table: Mapping[str, Any]

    @property
    def body(self) -> str:
        """The text of ``body.md``; a person may have deleted the file."""
        path = self.folder / "body.md"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def entries(folder: Path, kind: str) -> Iterator[Entry]:
    """Yield what is in ``folder/proposals`` or ``folder/issues``, newest first.

    Raises `CouldNotError` naming every file that cannot be read: leaving one out would make a second one of it.
    """
    found, problems = [], []
    where = folder / f"{kind}s"
    for path in where.iterdir() if where.is_dir() else ():
        if match := _NUMBERED.fullmatch(path.name):
            file = path / f"{kind}.toml"
            try:
                found.append(Entry(path, int(match[1]), tomllib.loads(file.read_text(encoding="utf-8"))))
            except (OSError, ValueError) as error:
                problems.append(f"{file}: {error}")
    if problems:
        raise CouldNotError("; ".join(sorted(problems)))
    yield from sorted(found, key=lambda entry: -entry.number)


def next_number(folder: Path) -> int:
    """Return the number after the highest one in use; proposals and issues share them. Under the lock."""
    names = (path.name for kind in ("proposals", "issues") for path in (folder / kind).glob("[0-9]*"))
    return max((int(match[1]) for name in names if (match := _NUMBERED.fullmatch(name))), default=0) + 1


def create(folder: Path, kind: str, number: int, title: str, files: Mapping[str, str | bytes]) -> Path:
    """Make the folder of a proposal or issue, whole or not at all, and return it. Under the lock."""
    where = folder / f"{kind}s"
    where.mkdir(parents=True, exist_ok=True)
    for dead in where.glob(".making-*"):  # of a run that was killed: the lock says that nobody is making one
        shutil.rmtree(dead, ignore_errors=True)
    making = Path(tempfile.mkdtemp(dir=where, prefix=".making-"))
    making.chmod(0o755)
    (making / "comments").mkdir()
    for name, text in files.items():
        write_whole(making / name, text)
    return making.rename(folder_of(folder, kind, number, title))


def folder_of(folder: Path, kind: str, number: int, title: str) -> Path:
    """Return the folder that `create` makes."""
    return folder / f"{kind}s" / f"{number:04}-{short_name(title)}"


def toml_text(note: str, table: Mapping[str, Any]) -> str:
    """Return a TOML document with a remark for people on top; None values are left out."""
    import tomlkit

    document = tomlkit.document()
    for line in note.splitlines():
        document.add(tomlkit.comment(line))
    for key, value in table.items():
        if value is not None:
            document[key] = value
    return tomlkit.dumps(document)


def change_toml(path: Path, **changes: Any) -> None:
    """Change some keys of a TOML file and keep the rest as a person left it, comments included; None drops a key."""
    import tomlkit

    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    for key, value in changes.items():
        if value is None:
            document.pop(key, None)
        else:
            document[key] = value
    write_whole(path, tomlkit.dumps(document))


def comment_text(table: Mapping[str, Any], body: str) -> str:
    """Return a comment as it is written to its file."""
    return f"{_FENCE}{toml_text('', table)}{_FENCE}\n{body}"


def parse_comment(text: str) -> tuple[Mapping[str, Any], str]:
    """Split a comment into its table and its text, the inverse of `comment_text`; without a table it is all text."""
    if text.startswith(_FENCE):
        head, fence, body = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
        if fence:
            try:
                return tomllib.loads(head), body.removeprefix("\n")
            except ValueError:
                pass
    return {}, text


def touched(path: Path) -> datetime.datetime:
    """Return when a file was last written."""
    return datetime.datetime.fromtimestamp(int(path.stat().st_mtime), datetime.UTC)
