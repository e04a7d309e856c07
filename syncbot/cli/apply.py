"""``syncbot apply --plan FILE``: do what a plan says that a person has read, as far as it still holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syncbot.cli import passes
from syncbot.model.errors import UsageError
from syncbot.render.text import plain

if TYPE_CHECKING:
    from syncbot.model.plan import Action

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Carry out the actions of a plan that syncbot plan --json printed, each only if it still holds.")
def apply(
    plan: Annotated[Path, typer.Option("--plan", metavar="FILE", help="What syncbot plan --json printed.")],
    config: passes.Config = ".",
    repo: passes.Repos = None,
    use_cache: passes.UseCache = True,
    shard: passes.Part = None,
    as_json: passes.AsJson = False,
    stale_ok: Annotated[
        bool, typer.Option("--stale-ok", help="Refused actions are no failure: a later plan has what they became.")
    ] = False,
    remember: Annotated[
        bool, typer.Option("--remember", help="Keep the memory too, as sync --apply does; no plan speaks of it.")
    ] = False,
) -> None:
    """Look and plan again, take the actions that are the same, and refuse the others with what is different.

    The dashboard is written as well where the plan had anything: it says what became of that. Exit 1 if an action was
    refused (but for --stale-ok) or failed, 3 if something is left for later.
    """
    asked = _read(plan)
    reports = passes.one_pass(
        passes.Pass(
            config=config,
            repos=repo or [],
            use_cache=use_cache,
            shard=passes.shard_of(shard),
            apply=True,
            only=_only(asked),
            remember=remember,
        )
    )
    met = {each.action.digest for report in reports.values() for each in report.outcomes}
    if as_json:
        typer.echo(json.dumps(passes.as_data(reports), indent=2))
    else:
        passes.tell(reports, applied=True)
    passes.tell_workflow(reports, applied=True)
    gone = [each for digest, each in asked.items() if digest not in met]
    for each in gone:
        said = f"  refused: {each['kind']} {each['key']}: what it expected is not so any more"
        typer.echo(plain(said), err=True)
    passes.end(reports)
    if gone and not stale_ok:
        raise typer.Exit(1)


def _only(asked: dict[str, dict[str, Any]]) -> Any:
    from syncbot.render.dashboard import BOARD

    def refuse(action: Action) -> str | None:
        told_after = bool(asked) and action.topic.startswith(BOARD)
        return None if action.digest in asked or told_after else "the plan does not have it"

    return refuse


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values["schema"] != "syncbot.plan/1":
            raise ValueError(f"its schema is {values['schema']!r}")
        return {str(each["digest"]): dict(each) for each in values["actions"]}
    except OSError as error:
        raise UsageError(f"--plan {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"--plan {path}: not what syncbot plan --json prints: {error}") from error
