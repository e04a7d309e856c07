"""``syncbot where``: in which releases a fix really is. Needs no configuration."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from syncbot.model.errors import UnknownObjectError, UsageError

if TYPE_CHECKING:
    from syncbot.git.clone import Clone
    from syncbot.landing.survey import Query
    from syncbot.model.landing import FixReport, Target

log = logging.getLogger(__name__)

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
    from syncbot.cli.repos import open_cache, progress, split_repo
    from syncbot.git.clone import branch_tip, open_clone
    from syncbot.landing.ask import ask
    from syncbot.landing.everything import everything as list_everything

    if bool(fixes) == everything:
        raise UsageError("name at least one fix (a commit id, #N, owner/name#N), or ask for --all; not both")
    queries = _queries(fixes or [])
    name, path = split_repo(repo)
    clone = open_clone(path)
    names = _names(clone, name, queries)
    git = clone.git()
    try:
        tip = branch_tip(clone, branch)
    except UnknownObjectError as error:
        raise UsageError(f"--branch: {error}; name the branch that fixes land on") from error
    asked = _targets(clone, targets or [], tags)
    own = frozenset(each.lower() for each in names)
    label = next(iter(names), clone.label)
    with progress(f"reading {label}"):
        if everything:
            reports_on_all = list_everything(git, tip, asked, names=own, shallow=clone.shallow)
            _print_everything(label, reports_on_all, as_json=as_json)
            return
        with open_cache(use_cache) as cache:
            reports = ask(git, tip, asked, queries, names=own, shallow=clone.shallow, cache=cache)
    if as_json:
        from syncbot.landing.codec import SCHEMA, encode

        answer = {"schema": SCHEMA, "repo": label, "fixes": [encode(report) for report in reports]}
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


def _names(clone: Clone, said: str | None, queries: Sequence[Query]) -> list[str]:
    """The names (``owner/name``) under which a message may write this repository's own numbers, best first."""
    own = [each for each in (said, clone.slug) if each is not None and "/" in each]
    known = {each.lower() for each in own}
    asked = {each.name.lower(): each.name for each in queries if each.name and each.name.lower() not in known}
    if len(asked) > 1:
        raise UsageError(f"the fixes are of several repositories ({', '.join(asked.values())}); ask for one at a time")
    if asked and own:
        log.warning("asked about %s, and the clone is of %s: it is taken for a fork", *asked.values(), own[0])
    return [*asked.values(), *own]


def _targets(clone: Clone, refs: Sequence[str], tags: str | None) -> list[Target]:
    from syncbot.git.refs import read_refs
    from syncbot.landing.targets import in_version_order, named_target, release_tags, release_target

    git = clone.git()
    if refs:
        return [named_target(git, ref) for ref in dict.fromkeys(refs)]
    releases = release_tags(read_refs(git, "refs/tags/"), tags)
    if not releases:
        what = f"no tag matches {tags!r}" if tags else "no tag looks like a release"
        raise UsageError(f"{what} in {clone.label}; name targets with --targets REF or a pattern with --tags GLOB")
    return in_version_order(map(release_target, releases))


def _print_everything(label: str, reports: Iterable[FixReport], *, as_json: bool) -> None:
    from syncbot.landing.codec import LineWriter
    from syncbot.render.text import plain

    writer = LineWriter(label)
    for report in reports:
        if as_json:
            sys.stdout.write(writer.line(report) + "\n")
        else:
            first = report.first_release.by_date or "in no release"
            sys.stdout.write(f"{report.query}\t{plain(first)}\t{plain(report.title or '')}\n")


def _print_reports(reports: Sequence[FixReport], *, commands: bool) -> None:
    from syncbot.cli.repos import console
    from syncbot.render.landing import fix_block

    out = console()
    for place, report in enumerate(reports):
        if place:
            out.print()
        for part in fix_block(report, commands=commands):
            out.print(part)
