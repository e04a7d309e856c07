"""``syncbot where``: in which releases a fix really is. Needs no configuration."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from syncbot.model.errors import UnknownObjectError, UsageError

if TYPE_CHECKING:
    from syncbot.cli.repos import Source
    from syncbot.landing.survey import Query
    from syncbot.model.landing import FixReport, Target

app = typer.Typer(rich_markup_mode=None)


@app.command(help="Say in which releases a fix really is, with the evidence.")
def where(
    fixes: Annotated[
        list[str] | None,
        typer.Argument(metavar="FIX...", help="A commit id, #N, owner/name#N or a pull request's URL."),
    ] = None,
    repo: Annotated[str, typer.Option("--repo", metavar="[NAME=]PATH", help="A clone of the upstream.")] = ".",
    targets: Annotated[
        list[str] | None, typer.Option("--targets", metavar="REF", help="Ask about this ref; may be repeated.")
    ] = None,
    tags: Annotated[
        str | None, typer.Option("--tags", metavar="GLOB", help="Which tags are releases (default: found out).")
    ] = None,
    branch: Annotated[
        str | None, typer.Option("--branch", metavar="NAME", help="The default branch (default: the clone's own).")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every numbered change of the default branch, one a line.")
    ] = False,
    commands: Annotated[
        bool, typer.Option("--commands", help="Show the git command that repeats each piece of evidence.")
    ] = False,
    use_cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Use the cache of immutable facts.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the answers; exit 0 whatever they are."""
    from syncbot.cli.repos import open_cache, open_local, progress, split_repo
    from syncbot.git.history import resolve
    from syncbot.landing.ask import ask

    if bool(fixes) == everything:
        raise UsageError("name at least one fix (a commit id, #N, owner/name#N), or ask for --all; not both")
    queries = _queries(fixes or [])
    name, path = split_repo(repo)
    source = open_local(path, name, *(query.name for query in queries))
    ref = _branch_ref(source, branch)
    try:
        tip = resolve(source.git, ref)
    except UnknownObjectError as error:
        raise UsageError(f"--branch: {error}; name the branch that fixes land on") from error
    asked = _targets(source, targets or [], tags)
    with progress(f"reading {source.label}"):
        if everything:
            _print_everything(source, tip, asked, as_json=as_json)
            return
        with open_cache(use_cache) as cache:
            reports = ask(source.git, tip, asked, queries, names=source.names, shallow=source.shallow, cache=cache)
    if as_json:
        from syncbot.landing.codec import SCHEMA, encode

        answer = {"schema": SCHEMA, "repo": source.label, "fixes": [encode(report) for report in reports]}
        typer.echo(json.dumps(answer, indent=2))
        return
    _print_reports(reports, commands=commands)


def _queries(words: Sequence[str]) -> list[Query]:
    from syncbot.landing.survey import parse_query

    parsed: list[Query] = []
    problems: list[str] = []
    for word in words:
        try:
            parsed.append(parse_query(word))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    return parsed


def _branch_ref(source: Source, branch: str | None) -> str:
    if branch is not None:
        return branch
    if source.branch_ref is None:
        raise UsageError(
            f"the clone {source.label} does not say which branch is the default one; name it with --branch"
        )
    return source.branch_ref


def _targets(source: Source, refs: Sequence[str], tags: str | None) -> list[Target]:
    from syncbot.git.refs import read_refs
    from syncbot.landing.targets import in_version_order, named_target, release_tags, release_target

    if refs:
        return [named_target(source.git, ref) for ref in refs]
    releases = release_tags(read_refs(source.git, "refs/tags/"), tags)
    if not releases:
        what = f"no tag matches {tags!r}" if tags else "no tag looks like a release"
        raise UsageError(f"{what} in {source.label}; name targets with --targets REF or a pattern with --tags GLOB")
    return in_version_order(map(release_target, releases))


def _print_everything(source: Source, tip: str, asked: Sequence[Target], *, as_json: bool) -> None:
    from syncbot.landing.codec import LineWriter
    from syncbot.landing.everything import everything

    writer = LineWriter(source.label)
    for report in everything(source.git, tip, asked, names=source.names, shallow=source.shallow):
        if as_json:
            sys.stdout.write(writer.line(report) + "\n")
        else:
            first = report.first_release.by_date or "in no release"
            sys.stdout.write(f"{report.query}\t{first}\t{report.title}\n")


def _print_reports(reports: Sequence[FixReport], *, commands: bool) -> None:
    from syncbot.cli.repos import console
    from syncbot.render.landing import fix_block

    out = console()
    for place, report in enumerate(reports):
        if place:
            out.print()
        for part in fix_block(report, commands=commands):
            out.print(part)
