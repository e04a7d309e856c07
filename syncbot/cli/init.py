"""``syncbot init``: a starter ``syncbot.toml`` and a starter manifest that pass ``syncbot check``."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from syncbot.model.errors import CouldNotError, UsageError

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Write a starter syncbot.toml and a starter manifest whose comments explain each key.")
def init(
    folder: Annotated[Path, typer.Argument(help="Where to write them.")] = Path(),
    upstream: Annotated[
        str, typer.Option(help="The project whose fixes are waited for: owner/name on github.com, or a git address.")
    ] = "owner/upstream",
    downstream: Annotated[
        str, typer.Option(help="The project that carries workarounds: owner/name on github.com, or a git address.")
    ] = "owner/downstream",
    id_: Annotated[str, typer.Option("--id", help="Id of the starter workaround.")] = "example",
) -> None:
    """Write both files or neither; a file that is there already is never written over."""
    from syncbot.config import is_id

    if not is_id(id_):
        raise UsageError(f"--id {id_!r} is no id: expected letters, digits, '-', '_' and '.', as in a branch name")
    names = (_table_name(upstream), _table_name(downstream))
    files = _starter(upstream, downstream, names, id_)
    taken = [str(folder / path) for path in files if (folder / path).exists() or (folder / path).is_symlink()]
    if taken:
        raise UsageError(
            *(f"{path} is there already; init writes over nothing, so move it away first" for path in taken)
        )
    _check(files)
    _write(folder, files)
    for path in files:
        typer.echo(f"wrote {folder / path}")
    typer.echo(f"next: fill in {folder / 'syncbot.toml'}, then run `syncbot check`", err=True)


def _starter(upstream: str, downstream: str, names: tuple[str, str], id_: str) -> dict[str, str]:
    from importlib.resources import files
    from string import Template

    values = {
        "upstream": names[0],
        "upstream_repo": _repo_line(upstream),
        "downstream": names[1],
        "downstream_repo": _repo_line(downstream),
        "id": id_,
    }
    texts = files("syncbot.config") / "starter"
    return {
        f"patches/{id_}/patch.toml": Template((texts / "patch.toml").read_text("utf-8")).substitute(values),
        "syncbot.toml": Template((texts / "syncbot.toml").read_text("utf-8")).substitute(values),
    }


def _repo_line(address: str) -> str:
    """``repo`` for what is on github.com, ``url`` for the rest; quoted so that no address can end the string."""
    slug = re.fullmatch(r"(?:https://github\.com/)?([\w.-]+/[\w.-]+?)(?:\.git)?/?", address)
    key, value = ("repo", slug[1]) if slug else ("url", address)
    return f"{key} = {json.dumps(value)}"


def _table_name(address: str) -> str:
    last = re.split(r"[/:]", address.rstrip("/"))[-1].removesuffix(".git")
    return re.sub(r"[^A-Za-z0-9_-]+", "-", last).strip("-_") or "project"


def _check(files: dict[str, str]) -> None:
    """Raise `UsageError` if `syncbot check` would not pass: an option may have brought in what no config can hold."""
    from syncbot.config import check_project

    with tempfile.TemporaryDirectory(prefix="syncbot-init-") as name:
        for path, text in files.items():
            (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / path).write_text(text, encoding="utf-8")
        problems = check_project(Path(name))
    if problems:
        raise UsageError(*(str(each) for each in problems))


def _write(folder: Path, files: dict[str, str]) -> None:
    """Write all files or none, ``syncbot.toml`` last."""
    written: list[Path] = []
    try:
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            _write_new(target, text)
            written.append(target)
    except OSError as error:
        for target in written:
            target.unlink()
        raise CouldNotError(f"cannot write to {folder}: {error.strerror}") from error


def _write_new(target: Path, text: str) -> None:
    """Put a whole file in its place at once. A hard link refuses to write over a file that has appeared meanwhile."""
    with tempfile.TemporaryDirectory(prefix=".syncbot-init-", dir=target.parent) as name:
        staged = Path(name) / target.name
        staged.write_text(text, encoding="utf-8")
        try:
            os.link(staged, target)
        except FileExistsError:
            raise
        except OSError:
            staged.rename(target)  # a file system without hard links
