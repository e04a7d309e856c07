"""What ``remove`` and ``rebase`` share: finding the change, the clone and the branch, and telling the answer."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syncbot.cli.ids import offered_ids
from syncbot.model.edit import Direction, EditResult, Outcome
from syncbot.model.errors import UsageError
from syncbot.model.project import Removal
from syncbot.model.words import Action, CarriedAs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from syncbot.git.objects import Scratch
    from syncbot.model.project import Project, Workaround

What = Annotated[
    str,
    typer.Argument(
        metavar="ID|COMMIT", help="A workaround's id, a commit, or a range OLD..NEW.", autocompletion=offered_ids
    ),
]
RepoOption = Annotated[
    str | None, typer.Option("--repo", metavar="[NAME=]PATH", help="A clone that is there; it is never written to.")
]
Onto = Annotated[str | None, typer.Option("--onto", metavar="REF", help="The branch or commit to work on.")]
PatchOption = Annotated[
    Path | None,
    typer.Option("--patch", metavar="FILE", help="Write the result as a patch that git apply takes; - is stdout."),
]
Diff = Annotated[bool, typer.Option("--diff", help="Print the result as a diff, coloured on a terminal.")]
Explain = Annotated[bool, typer.Option("--explain", help="Print which step answered and what each hunk met.")]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print the answer as Markdown, for a comment.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Rewrite a carried patch-file that no longer applies.")]
Config = Annotated[Path, typer.Option("--config", metavar="PATH", help="syncbot.toml, or the folder it is in.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked on the command line, before anything is read."""

    what: str
    repo: str | None
    onto: str | None
    patch: Path | None
    diff: bool
    explain: bool
    as_json: bool
    as_markdown: bool
    config: Path
    refresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What is to be done: the change, where, and what the manifest says of it."""

    commit: str | None
    repository: Path
    onto: str
    bring: Callable[[Collection[str]], None] | None = None
    removal: Removal = field(default_factory=Removal)
    note: str | None = None
    patches: tuple[Path, ...] = ()
    branches: tuple[str, ...] = ()


def run(asked: Asked, direction: Direction) -> int:
    """Do it and return the exit code: 0 whatever was found, 1 for a conflict."""
    import gc

    # A short process that makes many syntax trees: looking for cycles among them takes a fifth of its time.
    gc.disable()
    try:
        return _run(asked, direction)
    finally:
        gc.enable()


def _run(asked: Asked, direction: Direction) -> int:
    from syncbot.edit.engine import edit
    from syncbot.git.objects import Scratch

    settled = settle(asked)
    notes = [settled.note] if settled.note else []
    with Scratch(settled.repository, bring=settled.bring) as store:
        onto = store.commit_id(settled.onto)
        commit = settled.commit
        if direction is Direction.REBASE:
            carried, told = carry(store, settled, onto, refresh=asked.refresh)
            notes += told
            commit = carried or commit
        if commit is None:
            raise UsageError("no commit brought it in; it is carried as a patch-file: to remove it, drop the patch")
        result = edit(store, direction=direction, commit=commit, onto=onto, removal=settled.removal)
        patch = b""
        if result.outcome.answered and (asked.patch is not None or asked.diff):
            patch = store.patch(result.base, result.tree, changed_paths(store, result))
    if asked.patch is not None and (result.outcome.answered or result.outcome is Outcome.EMPTY):
        _write(asked.patch, patch)
    _tell(asked, replace(result, notes=(*result.notes, *notes)), patch)
    return 1 if result.outcome is Outcome.CONFLICT else 0


def carry(store: Scratch, settled: Settled, onto: str, *, refresh: bool) -> tuple[str | None, list[str]]:
    """Look after the patch-files and branches that carry it; with ``refresh`` rewrite a patch that needs it.

    Returns the commit to put on where it is not the introducing one (a branch's, or a patch's), and what to tell.
    """
    from syncbot.edit.carried import PatchState, carry_patch, on_branch

    commit, told = None, []
    for branch in settled.branches:
        found = on_branch(store, settled.commit, branch) if settled.commit else None
        told.append(f"{branch} carries it as {found[:12]}" if found else f"{branch} does not carry it")
        commit = found or commit
    for path in settled.patches:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror or error}") from error
        kept = carry_patch(store, data, onto)
        if kept.state is PatchState.REFRESHED and refresh:
            _write(path, kept.data)
        told.append(f"{path.name} {_PATCH[kept.state]}{'' if kept.state != 'refreshed' or refresh else _NOT_YET}")
        if settled.commit is None and kept.tree is not None and kept.state is not PatchState.UPSTREAMED:
            commit = store.commit(kept.tree, (onto,), "carried\n")
    return commit, told


_PATCH = {
    "applies": "still applies as it is",
    "upstreamed": "is no longer needed here: the branch has its change",
    "refreshed": "no longer applies; it was made anew",
    "conflict": "no longer applies, and has no verified way onto this base",
}
_NOT_YET = ", and --refresh writes it"


def changed_paths(store: Scratch, result: EditResult) -> list[str]:
    """Return every path that differs between the branch and the result."""
    from syncbot.git.merge import changes

    return [change.path for change in changes(store, result.base, result.tree)]


def settle(asked: Asked) -> Settled:
    """Find out what ``ID|COMMIT`` means. Raises `UsageError` where it is neither."""
    from syncbot.cli.repos import split_repo

    name, path = split_repo(asked.repo) if asked.repo is not None else (None, None)
    project = _project(asked.config) if _may_be_id(asked) else None
    workaround = next((one for one in project.workarounds if one.id == asked.what), None) if project else None
    if project is not None and workaround is not None:
        return _of_workaround(asked, project, workaround, name, path)
    if project is not None:
        import difflib

        near = difflib.get_close_matches(asked.what, [one.id for one in project.workarounds], n=1)
        if near:
            raise UsageError(f"there is no workaround {asked.what!r}; did you mean {near[0]!r}?")
    return Settled(commit=asked.what, repository=Path(path or "."), onto=asked.onto or "HEAD")


def _may_be_id(asked: Asked) -> bool:
    """Whether to read the configuration: what looks like a commit is one, unless a manifest has its name."""
    if not re.fullmatch(r"[0-9a-f]{4,64}(\.\.[0-9a-f]{4,64})?", asked.what):
        return True
    root = asked.config if asked.config.is_dir() else asked.config.parent
    return (root / "patches" / asked.what).is_dir()


def _of_workaround(
    asked: Asked, project: Project, workaround: Workaround, name: str | None, path: str | None
) -> Settled:
    from syncbot.cli.repos import open_remote
    from syncbot.git.clone import branch_ref_in, open_clone

    if name is not None and name != workaround.downstream:
        raise UsageError(f"--repo {name}=...: workaround {workaround.id!r} lives in {workaround.downstream!r}")
    folder = Path(project.root) / "patches" / workaround.id
    patches = tuple(folder / one.patch for one in workaround.carriers if one.patch is not None)
    if workaround.introduced.commit is None and not patches:
        raise UsageError(f"{workaround.id}: its manifest names no introduced.commit, so there is nothing to take out")
    downstream = project.downstreams[workaround.downstream]
    clone = open_clone(path) if path is not None else open_remote(downstream.repo)
    review = workaround.removal.action is Action.REVIEW
    return Settled(
        commit=workaround.introduced.commit,
        repository=clone.path,
        bring=clone.bring,
        onto=asked.onto or branch_ref_in(clone, downstream.branch),
        removal=workaround.removal,
        patches=patches,
        branches=tuple(one.branch for one in workaround.carriers if one.carried is CarriedAs.BRANCH and one.branch),
        note="the manifest leaves this one to a person (action = review)" if review else None,
    )


def _project(config: Path) -> Project | None:
    """Return the project configured here, None where there is no configuration (a plain commit needs none)."""
    file = config / "syncbot.toml" if config.is_dir() else config
    if not file.is_file():
        return None
    from syncbot.config import load_project  # type: ignore[attr-defined,unused-ignore]

    project: Project = load_project(file)
    return project


def _write(target: Path, patch: bytes) -> None:
    if str(target) == "-":
        sys.stdout.buffer.write(patch)
        sys.stdout.buffer.flush()
        return
    try:
        target.write_bytes(patch)
    except OSError as error:
        raise UsageError(f"--patch {target}: {error.strerror or error}") from error


def _tell(asked: Asked, result: EditResult, patch: bytes) -> None:
    from syncbot.edit import told

    if asked.as_json:
        print(json.dumps(told.as_data(result, explain=asked.explain), indent=2))
        return
    stream = sys.stderr if asked.patch is not None and str(asked.patch) == "-" else sys.stdout
    if asked.as_markdown:
        print(told.as_markdown(result), end="", file=stream)
    else:
        for line in told.lines(result, explain=asked.explain):
            print(_printable(line), file=stream)
    if asked.diff:
        _print_diff(patch, stream)


def _printable(line: str) -> str:
    """Return a line with control characters made visible: titles and paths come from strangers."""
    return "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in line)


def _print_diff(patch: bytes, stream: Any) -> None:
    text = patch.decode("utf-8", "replace")
    plain = not stream.isatty() or "NO_COLOR" in os.environ or "CI" in os.environ
    if plain:
        print(text, end="", file=stream)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console(file=stream).print(Syntax(text, "diff", background_color="default", word_wrap=False))
