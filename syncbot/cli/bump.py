"""``syncbot bump``: what a move of a pin frees, loses and drops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncbot.model.errors import UsageError

if TYPE_CHECKING:
    from syncbot.model.project import Project

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Say what moving a pin from OLD to NEW frees and loses, and which upstream changes go missing.")
def bump(
    old: Annotated[
        str | None, typer.Argument(metavar="OLD", help="What is pinned: tag, branch, commit, or the pin's own text.")
    ] = None,
    new: Annotated[str | None, typer.Argument(metavar="NEW", help="What is proposed, in the same words.")] = None,
    pull: Annotated[
        int | None, typer.Option("--pull", metavar="N", help="Read both from the files of this pull request.")
    ] = None,
    where: Annotated[
        str | None, typer.Option("--in", metavar="OWNER/NAME", help="Where it is (default: here, or the downstream).")
    ] = None,
    comment: Annotated[
        bool, typer.Option("--comment", help="Say it there, in one comment that is edited as it changes.")
    ] = False,
    upstream: Annotated[
        str | None, typer.Option("--upstream", metavar="NAME", help="Which upstream, where there are several.")
    ] = None,
    config: Annotated[str, typer.Option("--config", metavar="PATH", help="syncbot.toml or its folder.")] = ".",
    repo: Annotated[
        list[str] | None, typer.Option("--repo", metavar="NAME=PATH", help="A clone to use; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the answer; exit 0 whatever it is. With --pull as the text of a comment, empty if no pin is moved."""
    if pull is not None:
        from syncbot.cli.pin_check import Question, check_pull

        if old is not None:
            raise UsageError("--pull reads OLD and NEW from the pull request: leave them out")
        check_pull(
            Question(number=pull, where=where, config=config, repos=repo or [], comment=comment), as_json=as_json
        )
        return
    if comment or where is not None:
        raise UsageError("--comment and --in go with --pull N")
    if old is None or new is None:
        raise UsageError(f"Missing argument {'NEW' if old else 'OLD'!r}: name both, or a pull request by --pull N")
    from syncbot.bump import bump as review
    from syncbot.cli.repos import console, open_upstream, progress
    from syncbot.config import load_project
    from syncbot.render.bump import bump_blocks, bump_json

    project = load_project(Path(config))
    chosen = project.upstreams[_chosen(project, upstream)]
    clone, branch_ref = open_upstream(project, chosen, repo or [])
    with progress(f"reading {chosen.name}"):
        pins = [pin for pin in project.pins.values() if pin.upstream == chosen.name]
        answer = review(chosen, clone, branch_ref, old, new, project.workarounds, pins)
    if as_json:
        typer.echo(json.dumps(bump_json(answer), indent=2))
        return
    out = console()
    for part in bump_blocks(answer):
        out.print(part)


def _chosen(project: Project, upstream: str | None) -> str:
    names = list(project.upstreams)
    if upstream is None and len(names) == 1:
        return names[0]
    if upstream not in names:
        raise UsageError(f"--upstream: expected one of {', '.join(names) or 'none configured'}")
    return upstream
