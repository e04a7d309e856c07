"""``syncbot init``: a ``syncbot.toml`` for a pair of projects, guessed from their repositories; or one to fill in."""

from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncbot.model.errors import CouldNotError, UsageError

if TYPE_CHECKING:
    from syncbot.cli.looking import Found

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Look at two projects and write a syncbot.toml that says how one pins the other, and why.")
def init(
    folder: Annotated[Path, typer.Argument(help="Where to write them.")] = Path(),
    upstream: Annotated[
        str | None,
        typer.Option(help="The project whose fixes are waited for: owner/name on github.com, or a git address."),
    ] = None,
    downstream: Annotated[
        str | None,
        typer.Option(help="The project that carries workarounds: owner/name on github.com, or a git address."),
    ] = None,
    repo: Annotated[
        list[str] | None, typer.Option("--repo", metavar="NAME=PATH", help="A clone to use; may be repeated.")
    ] = None,
    manifests: Annotated[
        int, typer.Option("--manifests", metavar="N", min=0, help="Record the N surest workarounds found in the code.")
    ] = 0,
    code: Annotated[
        bool, typer.Option("--discover/--no-discover", help="Look for workarounds in the code too.")
    ] = True,
    starter: Annotated[
        bool, typer.Option("--starter", help="Look at nothing: write both files to fill in, every key explained.")
    ] = False,
    id_: Annotated[
        str | None, typer.Option("--id", help="With --starter: the id of its workaround (default: example).")
    ] = None,
    use_cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Use the cache of immutable facts.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write all files or none; a file that is there already is never written over."""
    if starter or (upstream is None and downstream is None):
        if repo or manifests or as_json:
            raise UsageError("--repo, --manifests and --json go with --upstream and --downstream, not with a starter")
        _write_starter(folder, upstream or "owner/upstream", downstream or "owner/downstream", id_ or "example")
        return
    if upstream is None or downstream is None:
        raise UsageError("name both projects: --upstream and --downstream")
    if id_ is not None:
        raise UsageError("--id goes with --starter; a workaround found in the code is named after its change")
    _refuse(folder, ["syncbot.toml"])
    from syncbot.cli.looking import Pair, look

    pair = Pair(
        upstream=_table_name(upstream), upstream_repo=_repo_key(upstream), downstream=_table_name(downstream),
        downstream_repo=_repo_key(downstream),
    )  # fmt: skip
    found = look(pair, repo or [], manifests=manifests, code=code, use_cache=use_cache)
    _put(folder, found.files)
    _tell(folder, found, repo or [], as_json=as_json)


def _tell(folder: Path, found: Found, repos: list[str], *, as_json: bool) -> None:
    from syncbot.render.guess import guess_json, guess_lines
    from syncbot.render.text import plain

    written = [str(folder / path) for path in found.files]
    if as_json:
        typer.echo(json.dumps(guess_json(found.told, written), indent=2))
        return
    for line in guess_lines(found.told):
        typer.echo(plain(line))
    for path in written:
        typer.echo(f"wrote {path}")
    where = "" if folder == Path() else f" --config {shlex.quote(str(folder))}"
    clones = "".join(f" --repo {shlex.quote(each)}" for each in repos)
    typer.echo(f"next: read {folder / 'syncbot.toml'}; then", err=True)
    for what in (*[f"track {each.key}" for each in found.told.findings[:1]], "status"):
        typer.echo(f"  syncbot {what}{where}{clones}", err=True)


def _write_starter(folder: Path, upstream: str, downstream: str, id_: str) -> None:
    from syncbot.config import is_id

    if not is_id(id_):
        raise UsageError(f"--id {id_!r} is no id: expected letters, digits, '-', '_' and '.', as in a branch name")
    names = (_table_name(upstream), _table_name(downstream))
    files = _starter(upstream, downstream, names, id_)
    _put(folder, files)
    for path in files:
        typer.echo(f"wrote {folder / path}")
    typer.echo(f"next: fill in {folder / 'syncbot.toml'}, then run `syncbot check`", err=True)


def _put(folder: Path, files: dict[str, str]) -> None:
    _refuse(folder, files)
    _check(files)
    _write(folder, files)


def _refuse(folder: Path, files: Iterable[str]) -> None:
    taken = [str(folder / path) for path in files if (folder / path).exists() or (folder / path).is_symlink()]
    if taken:
        raise UsageError(
            *(f"{path} is there already; init writes over nothing, so move it away first" for path in taken)
        )


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
    """The line of a repository; quoted so that no address can end the string."""
    key, value = _repo_key(address)
    return f"{key} = {json.dumps(value)}"


def _repo_key(address: str) -> tuple[str, str]:
    """``repo`` for what is on github.com, ``url`` for the rest."""
    slug = re.fullmatch(r"(?:https://github\.com/)?([\w.-]+/[\w.-]+?)(?:\.git)?/?", address)
    return ("repo", slug[1]) if slug else ("url", address)


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
