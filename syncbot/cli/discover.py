"""``syncbot discover``: workarounds in the code that nobody recorded, overdue ones first."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncbot.cli import clock
from syncbot.model.errors import UnknownObjectError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from syncbot.cache import Cache
    from syncbot.cli.findings import Ground
    from syncbot.model.discover import Finding, Judged, Place, Scan

app = typer.Typer(rich_markup_mode=None)


_PLACES_DATED = 3


class Form(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"
    COMMENT = "comment"
    ANNOTATIONS = "annotations"


@app.command(help="Find workarounds in the code that nobody recorded, and say which are overdue.")
def discover(
    config: Annotated[str, typer.Option("--config", metavar="PATH", help="syncbot.toml or its folder.")] = ".",
    repo: Annotated[
        list[str] | None, typer.Option("--repo", metavar="NAME=PATH", help="A clone to use; may be repeated.")
    ] = None,
    downstream: Annotated[
        str | None, typer.Option("--downstream", metavar="NAME", help="Which one to scan, where there are several.")
    ] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="REF", help="Scan this commit, not the branch.")] = None,
    upstream: Annotated[
        list[str] | None, typer.Option("--upstream", metavar="NAME", help="Only what waits for this one; repeatable.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="REF", help="Only what came after the branch left REF.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what names nobody, and what is recorded already.")
    ] = False,
    candidates: Annotated[
        bool, typer.Option("--candidates", help="Search the upstream's history for what unlinked ones may wait for.")
    ] = False,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="Leave out the findings in this file.")
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write-baseline", metavar="FILE", help="Write the findings to this file.")
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How to write the answer.")] = Form.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Fetch nothing: an upstream without --repo stays unknown.")
    ] = False,
    use_cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Use the cache of immutable facts.")] = True,
) -> None:
    """Print the findings; exit 0 whatever they are. With --since and nothing new, nothing is printed."""
    from syncbot.cli.findings import open_ground
    from syncbot.cli.repos import open_cache, progress
    from syncbot.discover.baseline import read_baseline, write_baseline

    known = read_baseline(baseline) if baseline is not None else frozenset()
    ground = open_ground(config, repo or [], downstream, at, offline=offline)
    if unknown := set(upstream or []) - set(ground.project.upstreams):
        there = ", ".join(ground.project.upstreams)
        raise UsageError(f"--upstream {', '.join(sorted(unknown))}: expected one of {there}")
    with progress("reading the code"), open_cache(use_cache) as cache:
        scan = ground.scan(cache)
        places = _new(ground, scan, since, cache) if since is not None else scan.places
        found = ground.findings(replace(scan, places=tuple(places)))
        shown, hidden = _shown(found, known, upstream or [], everything=everything, fresh=since is not None)
        judged = _judged(ground, shown, cache, candidates=candidates)
    if write is not None:
        write_baseline(write, shown)
    _print(Form.JSON if as_json else form, scan, judged, hidden, quiet=since is not None)


def _new(ground: Ground, scan: Scan, since: str, cache: Cache) -> Sequence[Place]:
    """The places that are not at the merge base with ``since``."""
    from syncbot.discover.findings import new_places
    from syncbot.git.history import resolve
    from syncbot.git.run import GitError

    git = ground.clone.git()
    try:
        base = git.text("merge-base", resolve(git, since), scan.commit)
    except UnknownObjectError as error:
        raise UsageError(f"--since: {error}") from error
    except GitError as error:
        raise UsageError(f"--since {since}: it shares no history with {scan.commit[:12]}") from error
    return new_places(scan.places, ground.scan(cache, base).places)


def _shown(
    found: Sequence[Finding], known: frozenset[str], upstreams: Sequence[str], *, everything: bool, fresh: bool
) -> tuple[list[Finding], dict[str, int]]:
    from syncbot.model.discover import Certainty

    hidden = {"recorded already": 0, "in the baseline": 0, "too vague (--all shows them)": 0, "for other upstreams": 0}
    shown: list[Finding] = []
    for each in found:
        if upstreams and each.upstream not in upstreams:
            hidden["for other upstreams"] += 1
        elif each.key in known:
            hidden["in the baseline"] += 1
        elif each.certainty is Certainty.LOW and not everything:
            hidden["too vague (--all shows them)"] += 1
        elif each.tracked is not None and not everything and not fresh:
            hidden["recorded already"] += 1
        else:
            shown.append(each)
    return shown, hidden


def _judged(ground: Ground, shown: Sequence[Finding], cache: Cache, *, candidates: bool) -> list[Judged]:
    from syncbot.discover.origin import with_origins
    from syncbot.judge_findings import judge

    git = ground.clone.git()
    asked = [place for each in shown for place in each.places[:_PLACES_DATED]]
    origins = dict(zip(asked, with_origins(git, ground.commit, asked, cache=cache), strict=True))
    dated = [replace(each, places=tuple(origins.get(place, place) for place in each.places)) for each in shown]
    upstreams = ground.upstreams({each.upstream for each in dated if each.upstream is not None})
    today = clock.now().date()
    judged = judge(
        ground.project,
        ground.downstream,
        ground.clone,
        upstreams,
        dated,
        commit=ground.commit,
        today=today,
        cache=cache,
    )
    if not candidates:
        return judged
    from syncbot.discover.candidates import with_candidates

    return with_candidates(judged, upstreams)


def _print(form: Form, scan: Scan, judged: Sequence[Judged], hidden: dict[str, int], *, quiet: bool) -> None:
    from syncbot.render.discover import annotation_lines, comment, findings_blocks, findings_json

    if form is Form.JSON:
        typer.echo(json.dumps(findings_json(scan, judged, hidden), indent=2))
    elif form is Form.COMMENT:
        typer.echo(comment(judged), nl=False)
    elif form is Form.ANNOTATIONS:
        from syncbot.cli.workflow import unguarded

        for line in annotation_lines(judged):
            typer.echo(line, file=unguarded(sys.stdout))
    elif judged or not quiet:
        from syncbot.cli.repos import console

        out = console()
        for part in findings_blocks(scan, judged, hidden):
            out.print(part, soft_wrap=True)
