"""``syncbot report``: the state of all workarounds as a page, a summary, a file for programs, or a badge."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from syncbot.cli import clock, passes
from syncbot.cli.ids import Ids
from syncbot.model.errors import CouldNotError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from syncbot.landing.ask import Facts as Cached
    from syncbot.model.checks import Judged
    from syncbot.model.pins import Move
    from syncbot.model.project import Introduced, Project, Removed, Workaround
    from syncbot.model.report import Report, TrendPoint
    from syncbot.model.status import Facts
    from syncbot.observe import Clones, Moment
    from syncbot.report.rows import Given
    from syncbot.shards import Shard

_Change = TypeVar("_Change", "Introduced", "Removed")

app = typer.Typer(rich_markup_mode=None)


class Format(StrEnum):
    """What a report is written as."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"
    BADGE = "badge"


_HOURS = {"h": 1.0, "d": 24.0, "m": 1 / 60}


@app.command(help="Write the report: terminal, Markdown, HTML, JSON or a badge.")
def report(
    ids: Ids = None,
    config: Annotated[str, typer.Option("--config", metavar="PATH", help="syncbot.toml or its folder.")] = ".",
    repo: Annotated[
        list[str] | None, typer.Option("--repo", metavar="NAME=PATH", help="A clone to use; may be repeated.")
    ] = None,
    format_: Annotated[
        Format | None,
        typer.Option("--format", help="Left out: terminal, and in Actions Markdown into the job summary as well."),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", metavar="FILE", help="Write there instead of to standard output; may be repeated."),
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="Both sides as they were at the end of DATE (UTC).")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Begin the trend there, told from git history alone.")
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            "--memory", metavar="FILE", help="The memory that holds the trend so far; left out: what sync keeps."
        ),
    ] = None,
    every: Annotated[
        str,
        typer.Option("--every", metavar="TIME", help="How often a report is made (90m, 6h, 1d): past two, it is old."),
    ] = "24h",
    made_at: Annotated[
        str | None, typer.Option("--made-at", metavar="TIME", help="The time of making; left out: now.")
    ] = None,
    proposals: Annotated[
        bool, typer.Option("--proposals", help="Ask code hosts for proposals too: two requests a workaround.")
    ] = False,
    shard: passes.Part = None,
    merge: Annotated[
        list[Path] | None,
        typer.Option(
            "--merge", metavar="PATH", help="Make one of the JSON reports of shards: a file, or all in a folder."
        ),
    ] = None,
    use_cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Use the cache of immutable facts.")] = True,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of --format json and leave.")] = False,
) -> None:
    """Write it and exit 0, whatever it says; 1 if a part is missing from --merge; 2 for options that make no sense."""
    from syncbot.cli.status import moment_of

    if schema:
        _print_schema()
        return
    asked = _Asked(
        ids=ids or [],
        config=config,
        repos=repo or [],
        moment=moment_of(None, as_of),
        made_at=_time(made_at),
        hours=_hours(every),
        since=_day("--since", since),
        memory=memory,
        use_cache=use_cache,
        proposals=proposals,
        shard=passes.shard_of(shard, ids),
    )
    files = {file: format_ or _format_of(file) for file in output or []}
    chosen = format_ or Format.TERMINAL
    found, templates, missing = (*_build(asked), ()) if not merge else _merge(asked, merge)
    for file, form in files.items():
        _write(file, text(found, form, templates))
    if not files and chosen is Format.TERMINAL:
        _print(found)
    elif not files:
        typer.echo(text(found, chosen, templates), nl=False)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and format_ is None and not files:
        _write(Path(summary), text(found, Format.MARKDOWN, templates) + "\n", append=True)
    if missing:
        raise CouldNotError("\n".join(missing))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The options of a run, read."""

    ids: Sequence[str]
    config: str
    repos: Sequence[str]
    moment: Moment
    made_at: dt.datetime
    hours: float
    since: dt.date | None
    memory: Path | None
    use_cache: bool
    proposals: bool
    shard: Shard | None


def text(report: Report, format_: Format, templates: Path | None) -> str:
    """The report in one of the formats; ``templates`` is a project's own folder of them."""
    from syncbot.report import data, html, markdown, terminal

    match format_:
        case Format.HTML:
            return html.page(report, templates=templates)
        case Format.MARKDOWN:
            return markdown.document(report, templates=templates)
        case Format.JSON:
            return data.report_json(report)
        case Format.BADGE:
            return data.badge(report)
        case Format.TERMINAL:
            return terminal.text(report)


def _build(asked: _Asked) -> tuple[Report, Path | None]:
    """The report, and the project's own folder of templates if it has one."""
    from syncbot.cli.offered import offered
    from syncbot.cli.repos import open_cache, open_project, progress
    from syncbot.cli.status import known_ids
    from syncbot.report.rows import build

    project, clones = open_project(asked.config, asked.repos, asked.shard)
    known_ids(project, asked.ids)
    with progress("reading histories"), open_cache(asked.use_cache) as cache:
        given = gathered(project, clones, asked.moment, made_at=asked.made_at, only=asked.ids, cache=cache)
        shown = [standing.facts.workaround for standing in given.standings]
        proposals, unread = offered(project, clones, shown, ask_hosts=asked.proposals)
    remembered, problems = _remembered(asked.memory, project if _is_whole(asked) else None)
    own = project.proposals.templates
    return build(
        replace(
            given,
            every_hours=asked.hours,
            since=asked.since,
            remembered=remembered,
            proposals=proposals,
            problems=[*given.problems, *problems, *unread],
            shard=str(asked.shard) if asked.shard else None,
        )
    ), Path(project.root) / own if own else None


def _merge(asked: _Asked, paths: Sequence[Path]) -> tuple[Report, Path | None, tuple[str, ...]]:
    """One report of those that jobs wrote, the project's own templates, and what is missing."""
    from syncbot.cli.merging import merge_files
    from syncbot.config import load_project

    if asked.ids or asked.repos or asked.shard or asked.moment.until or asked.since:
        raise UsageError(
            "--merge reads reports and no repository: it takes no ids, --repo, --shard, --as-of or --since"
        )
    remembered, problems = _remembered(asked.memory, None)
    found, missing = merge_files(paths, remembered=remembered)
    found = replace(found, problems=(*found.problems, *problems))
    if not Path(asked.config, "syncbot.toml").is_file() and not Path(asked.config).is_file():
        return found, None, missing
    project = load_project(Path(asked.config))
    own = project.proposals.templates
    return found, Path(project.root) / own if own else None, missing


def gathered(
    project: Project,
    clones: Clones,
    moment: Moment,
    *,
    made_at: dt.datetime,
    only: Sequence[str] = (),
    cache: Cached | None = None,
) -> Given:
    """What a report of these repositories rests on: standings, moves of pins, and the checklists with their results."""
    from syncbot.cli.status import moves_of
    from syncbot.observe import observe
    from syncbot.policy import conclude
    from syncbot.report.rows import Given

    facts = [_dated(clones, each) for each in observe(project, clones, moment, only=only, cache=cache)]
    moves: dict[str, list[Move]] = {}
    for move in moves_of(project, clones, facts):
        moves.setdefault(move.seen.reading.name, []).append(move)
    judged, unread = _judged(project, [each.workaround for each in facts])
    wrong = dict.fromkeys(pin.reading.problem for each in facts for pin in each.pins if pin.reading.problem)
    return Given(
        project=project,
        standings=[conclude(each) for each in facts],
        made_at=made_at,
        moves=moves,
        judged=judged,
        problems=[*wrong, *unread],
    )


def _dated(clones: Clones, facts: Facts) -> Facts:
    """The same facts, with the days of the introduction and the removal that the manifest leaves to git."""
    from syncbot.git.history import commit_dates
    from syncbot.git.run import GitError

    workaround = facts.workaround
    undated = [each for each in (workaround.introduced, workaround.removed) if each and each.commit and not each.date]
    if not undated:
        return facts
    try:
        git = clones.downstreams[workaround.downstream].git()
        known = commit_dates(git, [each.commit for each in undated if each.commit])
    except GitError:
        return facts

    def dated(change: _Change) -> _Change:
        found = known.get(change.commit or "")
        return replace(change, date=found[1].date()) if not change.date and found and found[1] else change

    removed = dated(workaround.removed) if workaround.removed else None
    return replace(facts, workaround=replace(workaround, introduced=dated(workaround.introduced), removed=removed))


def _judged(project: Project, workarounds: Sequence[Workaround]) -> tuple[Mapping[str, Sequence[Judged]], list[str]]:
    """The checklist of each workaround, judged from what is attached to it; what cannot be read is told, no more."""
    from syncbot.checks.judge import judge
    from syncbot.checks.spec import read_specs
    from syncbot.checks.store import FOLDER, load
    from syncbot.model.checks import Wanted

    judged: dict[str, Sequence[Judged]] = {}
    problems: list[str] = []
    for each in workarounds:
        try:
            kept = load(Path(project.root) / "patches" / each.id / FOLDER)
            latest = kept[-1] if kept else None
            wanted = Wanted(edit=latest.edit if latest else "", pin=latest.pin if latest else "")
            judged[each.id] = judge(read_specs(each.checks), kept, wanted)
        except UsageError as error:
            problems += [f"{each.id}: {problem}" for problem in error.problems]
    return judged, problems


def _is_whole(asked: _Asked) -> bool:
    """Whether it is about everything as it is today, as a trend is."""
    return not asked.ids and asked.moment.until is None and asked.moment.at is None


def _remembered(memory: Path | None, project: Project | None) -> tuple[Sequence[TrendPoint], Sequence[str]]:
    """The trend of the file that is named, else of the one that ``sync`` keeps beside the configuration, if any."""
    from syncbot.cli.tags import kept_at

    if memory is None and project is not None and kept_at(project).exists():
        memory = kept_at(project)
    if memory is None:
        return (), ()
    from syncbot.memory import FileMemory
    from syncbot.report.figures import remembered

    loaded = FileMemory(memory).load()
    return remembered(loaded.memory.trend), loaded.problems


def _print(report: Report) -> None:
    from syncbot.cli.repos import console
    from syncbot.report.terminal import blocks

    out = console()
    for part in blocks(report):
        out.print(part)


def _print_schema() -> None:
    import json

    from syncbot.report.data import json_schema

    typer.echo(json.dumps(json_schema(), indent=2))


def _format_of(output: Path) -> Format:
    """The format a file's name asks for."""
    if output.name == "badge.json":
        return Format.BADGE
    by_suffix = {".html": Format.HTML, ".md": Format.MARKDOWN, ".json": Format.JSON, ".txt": Format.TERMINAL}
    if output.suffix not in by_suffix:
        raise UsageError(f"--output {output}: name a --format, or a file in {', '.join(by_suffix)}")
    return by_suffix[output.suffix]


def _write(path: Path, content: str, *, append: bool = False) -> None:
    """Write a file whole or not at all; a summary is appended to, as its host asks."""
    from syncbot.checks.store import replace_texts

    try:
        if append:
            with path.open("a", encoding="utf-8") as file:
                file.write(content)
        else:
            replace_texts({path: content})
    except OSError as error:
        raise CouldNotError(f"cannot write {path}: {error.strerror or error}") from error


def _day(option: str, value: str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat(value) if value is not None else None
    except ValueError as error:
        raise UsageError(f"{option} {value}: expected a day as YYYY-MM-DD") from error


def _time(value: str | None) -> dt.datetime:
    if value is None:
        return clock.now()
    try:
        at = dt.datetime.fromisoformat(value)
    except ValueError as error:
        raise UsageError(f"--made-at {value}: expected a time as 2026-08-22T06:00:00Z") from error
    return at if at.tzinfo is not None else at.replace(tzinfo=dt.UTC)


def _hours(value: str) -> float:
    number, unit = value[:-1], value[-1:]
    if unit not in _HOURS or not number.isdigit() or int(number) == 0:
        raise UsageError(f"--every {value}: expected a number and m, h or d, as in 6h")
    return int(number) * _HOURS[unit]
