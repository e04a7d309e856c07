"""``syncbot status``: where each workaround stands, and what to do next."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Annotated

import typer

from syncbot.cli import clock
from syncbot.cli.ids import Ids
from syncbot.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from syncbot.model.pins import Move
    from syncbot.model.project import Project
    from syncbot.model.status import Facts, Standing
    from syncbot.observe import Clones, Moment

app = typer.Typer(rich_markup_mode=None)

_WRONG = 2


@app.command(help="Say where each workaround stands: stage, fit, decision, pins, reasons, and the next step.")
def status(
    ids: Ids = None,
    config: Annotated[str, typer.Option("--config", metavar="PATH", help="syncbot.toml or its folder.")] = ".",
    repo: Annotated[
        list[str] | None, typer.Option("--repo", metavar="NAME=PATH", help="A clone to use; may be repeated.")
    ] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="REF", help="The downstream as it was at REF.")] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="Both sides as they were at the end of DATE (UTC).")
    ] = None,
    pin_history: Annotated[bool, typer.Option("--pin-history", help="Show every move of every pin instead.")] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option("--fail-on", metavar="WORD", help="Exit 1 when a stage, fit or decision is this; repeatable."),
    ] = None,
    use_cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Use the cache of immutable facts.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the answer; exit 0 whatever it is, 1 if --fail-on is met, 2 if a pin does not say what it should."""
    from syncbot.cli.repos import open_cache, open_project, progress
    from syncbot.observe import observe
    from syncbot.policy import conclude

    moment = moment_of(at, as_of)
    failing = _fail_words(fail_on or [])
    project, clones = open_project(config, repo or [])
    known_ids(project, ids or [])
    with progress("reading histories"), open_cache(use_cache) as cache:
        facts = observe(project, clones, moment, only=ids or [], cache=cache)
    if pin_history:
        _print_moves(project, clones, facts, as_json=as_json)
    else:
        standings = [conclude(each) for each in facts]
        notes = _tag_notes(project, clones) if moment.until is None else []
        _print(standings, notes, as_of=moment.today if as_of else None, as_json=as_json)
        if _wrong_pins(facts, past=moment.at is not None or moment.until is not None):
            raise typer.Exit(_WRONG)
        if failing & _words(project, standings):
            raise typer.Exit(1)


def moment_of(at: str | None, as_of: str | None) -> Moment:
    """The moment that ``--at`` or ``--as-of`` names, else now. Raises `UsageError` for both, or for what is no day."""
    from syncbot.observe import Moment

    if at is not None and as_of is not None:
        raise UsageError("--at and --as-of exclude each other: the first is a commit, the second a day")
    if as_of is None:
        return Moment(today=clock.now().date(), at=at)
    try:
        day = dt.date.fromisoformat(as_of)
    except ValueError as error:
        raise UsageError(f"--as-of {as_of}: expected a day as YYYY-MM-DD") from error
    end = dt.datetime.combine(day, dt.time(23, 59, 59), dt.UTC)
    return Moment(today=day, until=end)


def _fail_words(words: Sequence[str]) -> set[str]:
    from syncbot.model.words import Choice, Fit, Stage

    known = {"overdue", *(each.value for each in (*Stage, *Fit, *Choice))}
    asked = {word for each in words for word in each.split(",")}
    if unknown := asked - known:
        raise UsageError(f"--fail-on {', '.join(sorted(unknown))}: expected one of {', '.join(sorted(known))}")
    return asked


def _words(project: Project, standings: Sequence[Standing]) -> set[str]:
    from syncbot.policy import is_overdue

    found: set[str] = set()
    for standing in standings:
        found.add(standing.stage.value)
        for decision in standing.decisions:
            found |= {decision.choice.value, decision.sight.fit.value}
        if is_overdue(standing, project.reports.overdue_after_days):
            found.add("overdue")
    return found


def known_ids(project: Project, ids: Sequence[str]) -> None:
    """Raise `UsageError` naming each of ``ids`` that is no workaround of the project."""
    known = [each.id for each in project.workarounds]
    problems = [
        f"no workaround is called {each!r}; there are {', '.join(known) or 'none'}" for each in ids if each not in known
    ]
    if problems:
        raise UsageError(*problems)


def _wrong_pins(facts: Sequence[Facts], *, past: bool) -> bool:
    from syncbot.cli.main import complain

    readings = [pin.reading for each in facts for pin in each.pins]
    # In the past a place may not have been there yet; that is no mistake in the configuration.
    problems = dict.fromkeys(each.problem for each in readings if each.problem and not (past and each.gone))
    if problems:
        complain(*problems)
    return bool(problems)


def _tag_notes(project: Project, clones: Clones) -> list[str]:
    """What the memory says of tags, where there is one; a look at the past says nothing of today's tags."""
    from syncbot.cli.tags import changed_tags, kept_at, release_tags_of
    from syncbot.memory import FileMemory

    kept = kept_at(project)
    if not kept.exists():
        return []
    return changed_tags(release_tags_of(project, clones), FileMemory(kept).load().memory)


def _print(standings: Sequence[Standing], notes: Sequence[str], *, as_of: dt.date | None, as_json: bool) -> None:
    from syncbot.render.status import status_json, status_table

    if as_json:
        typer.echo(json.dumps(status_json(standings) | {"notes": list(notes)}, indent=2))
        return
    from syncbot.cli.repos import console
    from syncbot.render.text import plain

    out = console()
    for part in status_table(standings, as_of=as_of):
        out.print(part)
    for note in notes:
        out.print(f"note: {plain(note)}")


def _print_moves(project: Project, clones: Clones, facts: Sequence[Facts], *, as_json: bool) -> None:
    from syncbot.render.status import moves_json, moves_table

    moves = moves_of(project, clones, facts)
    if as_json:
        typer.echo(json.dumps({"schema": "syncbot.pins/1", "moves": moves_json(moves)}, indent=2))
        return
    from syncbot.cli.repos import console

    console().print(moves_table(moves))


def moves_of(project: Project, clones: Clones, facts: Sequence[Facts]) -> list[Move]:
    """Every move of every pin that the facts know, pin by pin, oldest first."""
    from syncbot.git.history import read_history
    from syncbot.landing.pins import moves

    pins = {pin.reading.name: pin for each in facts for pin in each.pins}
    found: list[Move] = []
    for name, pin in pins.items():
        targets = [seen.reading.target for seen in pin.past if seen.reading.target is not None]
        tips = list(dict.fromkeys(target.commit for target in targets if target.commit is not None))
        git = clones.upstreams[project.pins[name].upstream].git()
        found += moves(pin.past, read_history(git, tips)) if tips else []
    return found
