"""``syncbot results``: what to run, two sets compared, a checklist judged and attached."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from syncbot.cli import clock
from syncbot.cli.ids import offered_ids
from syncbot.cli.passes import Repos
from syncbot.model.errors import CouldNotError, UsageError

if TYPE_CHECKING:
    from syncbot.checks.spec import Spec
    from syncbot.model.checks import Attached, Gate, Judged, Run
    from syncbot.model.project import Workaround

app = typer.Typer(
    rich_markup_mode=None, add_completion=False, no_args_is_help=True, help="Benchmark results: compare, judge, attach."
)

_SUFFIXES = (".json", ".jsonl", ".csv")

_Id = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="The workaround, as its folder in patches/ is named.", autocompletion=offered_ids
    ),
]
_Project = Annotated[Path, typer.Option("--project", metavar="PATH", help="The folder of syncbot.toml.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Edit = Annotated[str | None, typer.Option("--edit", metavar="ID", help="The proposal's edit (its patch-id).")]
_Pin = Annotated[str | None, typer.Option("--pin", metavar="REF", help="The upstream that is built with.")]
_Baseline = Annotated[
    list[Path] | None,
    typer.Option("--baseline", metavar="FILE", help="With the workaround: a file, or a folder of them; repeatable."),
]
_Candidate = Annotated[
    list[Path] | None, typer.Option("--candidate", metavar="FILE", help="Without the workaround; repeatable.")
]


@app.command(help="Compare two sets of result files; needs no manifest.")
def compare(
    baseline: _Baseline = None,
    candidate: _Candidate = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", metavar="NAME", help="Compare this figure; repeatable.")
    ] = None,
    higher: Annotated[
        list[str] | None, typer.Option("--higher", metavar="NAME", help="Compare this figure; higher is better.")
    ] = None,
    lower: Annotated[
        list[str] | None, typer.Option("--lower", metavar="NAME", help="Compare this figure; lower is better.")
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", min=0, max=99, help="How much worse may pass: per cent (2), standard errors (3)."),
    ] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", min=0.51, max=0.9999, help="One-sided level of a pass.")
    ] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Draw the intervals.")] = False,
    as_json: _Json = False,
) -> None:
    """Print every metric at every level with its interval and verdict; exit 0 whatever they are."""
    from syncbot.checks import accuracy, arms, compare_runs
    from syncbot.checks.metrics import DEFAULT_TOLERANCE
    from syncbot.model.checks import Arm
    from syncbot.render import results as render

    base, cand = _read(baseline, Arm.BASELINE), _read(candidate, Arm.CANDIDATE)
    if not base or not cand:
        raise UsageError("name at least one file with --baseline and one with --candidate")
    if tolerance is None:
        tolerance = accuracy.TOLERANCE if base[0].tool == "lm_eval" else DEFAULT_TOLERANCE
    problems = arms.problems_of(base, cand)
    if problems:
        raise UsageError(*problems)
    chosen = arms.choose_metrics(
        (*base, *cand), names=metric or (), higher=higher or (), lower=lower or (), tolerance=tolerance
    )
    comparison = compare_runs(base, cand, chosen, confidence=confidence)
    if as_json:
        answer = {
            "schema": "syncbot.results/1",
            "verdict": comparison.verdict.value,
            "metrics": render.as_values(comparison.rows),
            "notes": list(comparison.notes),
        }
        typer.echo(json.dumps(answer, indent=2))
        return
    typer.echo(render.comparison(comparison.rows, comparison.verdict, comparison.notes, draw=plot))


@app.command(help="Print the script that measures both arms, interleaved.")
def commands(id_: _Id, project: _Project = Path(), edit: _Edit = None, pin: _Pin = None) -> None:
    """Print a bash script on standard output."""
    from syncbot.checks.commands import script

    workaround, specs, _ = _workaround(project, id_)
    if not specs:
        raise CouldNotError(f"{workaround.id} declares no checks")
    typer.echo(script(workaround.id, specs, edit=edit, pin=pin), nl=False)


@app.command(help="Judge result files against the checklist, keep them, and put them on the open proposal.")
def attach(
    id_: _Id,
    project: _Project = Path(),
    repo: Repos = None,
    baseline: _Baseline = None,
    candidate: _Candidate = None,
    folder: Annotated[
        list[Path] | None,
        typer.Option("--folder", metavar="DIR", help="Files of both arms, told apart by what they say of themselves."),
    ] = None,
    comment: Annotated[
        Path | None, typer.Option("--comment", metavar="FILE", help="A text that carries a block of results.")
    ] = None,
    edit: _Edit = None,
    pin: _Pin = None,
    by: Annotated[str | None, typer.Option("--by", metavar="@NAME", help="Who measured.")] = None,
    hardware: Annotated[str | None, typer.Option("--hardware", metavar="NAME", help="On what.")] = None,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="A remark.")] = None,
    body: Annotated[
        Path | None, typer.Option("--body", metavar="FILE", help="A proposal's body to write the results into.")
    ] = None,
    local: Annotated[bool, typer.Option("--local", help="Keep them only: the next sync --apply writes them.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Judge and print; write nothing anywhere.")] = False,
    as_json: _Json = False,
) -> None:
    """Refuse sets that do not fit, with every difference (exit 2); else keep them and print the checklist.

    They go into the open proposal where there is a token for its host, or the folder; else a later run writes them.
    """
    from syncbot.checks.judge import refusals
    from syncbot.checks.store import save
    from syncbot.cli.attaching import put_on_proposal
    from syncbot.cli.venues import reaches
    from syncbot.config import load_project

    workaround, specs, kept = _workaround(project, id_)
    given = _from_comment(comment) if comment else _from_files(baseline, candidate, folder, edit=edit, pin=pin)
    given = [_signed(each, by=by, hardware=hardware, note=note) for each in given]
    problems = [line for each in given for line in refusals(specs, each)]
    if problems:
        raise UsageError(*problems)
    known = {(run.digest, arm) for each in kept for arm in ("baseline", "candidate") for run in getattr(each, arm)}
    new = [
        each
        for each in given
        if any((run.digest, arm) not in known for arm in ("baseline", "candidate") for run in getattr(each, arm))
    ]
    latest = given[-1]
    judged, gate, text = _judged(specs, [*kept, *new], body, edit=edit or latest.edit, pin=pin or latest.pin)
    if not dry_run:
        save(_folder(project, workaround), new, {body: text} if body is not None and text is not None else None)
    if not new:
        typer.echo("nothing new: every one of these runs is attached already", err=True)
    _print(workaround, judged, gate, as_json=as_json)
    if not (dry_run or local) and reaches(load_project(project), workaround.downstream):
        line = put_on_proposal(project, workaround.id, workaround.downstream, repo or [])
        typer.echo(line, err=as_json)


@app.command(help="Judge the checklist again from what is attached.")
def show(
    id_: _Id,
    project: _Project = Path(),
    edit: _Edit = None,
    pin: _Pin = None,
    distance: Annotated[
        int | None, typer.Option("--distance", metavar="N", min=0, help="Commits the base has moved since.")
    ] = None,
    body: Annotated[
        Path | None, typer.Option("--body", metavar="FILE", help="A proposal's body to read the ticks from.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Print each check with its verdict, and what the gate waits for; writes nothing."""
    workaround, specs, kept = _workaround(project, id_)
    latest = kept[-1] if kept else None
    judged, gate, _ = _judged(
        specs,
        kept,
        body,
        edit=edit or (latest.edit if latest else ""),
        pin=pin or (latest.pin if latest else ""),
        distance=distance,
    )
    _print(workaround, judged, gate, as_json=as_json)


@app.command(help="Write down a command's exit code, or whether a server's log has forbidden lines.")
def outcome(
    check: Annotated[str, typer.Argument(metavar="CHECK", help="The check's name.")],
    arm: Annotated[str, typer.Option("--arm", help="baseline or candidate.")],
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="Where to write it.")],
    edit: _Edit = None,
    pin: _Pin = None,
    hardware: Annotated[str | None, typer.Option("--hardware", metavar="NAME", help="On what it ran.")] = None,
    exit_code: Annotated[
        int | None, typer.Option("--exit-code", min=0, max=255, help="The command's exit code.")
    ] = None,
    log: Annotated[Path | None, typer.Option("--log", metavar="FILE", help="The server's log.")] = None,
    forbid: Annotated[
        list[str] | None, typer.Option("--forbid", metavar="TEXT", help="A text that must not occur; repeatable.")
    ] = None,
) -> None:
    """Write one ``syncbot.outcome/1`` object."""
    from syncbot.checks.readers.outcome import SCHEMA
    from syncbot.checks.readers.table import arm_of
    from syncbot.checks.store import replace_texts

    if arm_of(arm) is None:
        raise UsageError(f"--arm is {arm!r}: expected baseline or candidate")
    if (exit_code is None) == (log is None):
        raise UsageError("give either --exit-code or --log with --forbid")
    values: dict[str, Any] = {"schema": SCHEMA, "check": check, "arm": arm}
    values |= {key: value for key, value in (("edit", edit), ("pin", pin), ("hardware", hardware)) if value}
    values["date"] = clock.now().strftime("%Y%m%d-%H%M%S.%f")
    if exit_code is not None:
        values["exit_code"] = exit_code
    if log is not None:
        values["log_hits"] = _hits(log, forbid or [])
    replace_texts({output: json.dumps(values, indent=1) + "\n"})


def _hits(log: Path, forbidden: Sequence[str]) -> list[str]:
    """Return which of the texts the log has; raises `CouldNotError` if it cannot be read."""
    found: set[str] = set()
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                found.update(text for text in forbidden if text in line)
    except OSError as error:
        raise CouldNotError(f"{log}: {error.strerror or error}") from error
    return [text for text in forbidden if text in found]


def _read(paths: Sequence[Path] | None, arm: Any) -> tuple[Run, ...]:
    from syncbot.checks.readers import read_files

    return read_files(_files(paths), arm)


def _files(paths: Sequence[Path] | None) -> list[Path]:
    """Return the files; of a folder those that could be results, those in folders below it too."""
    found: list[Path] = []
    for path in paths or ():
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.suffix in _SUFFIXES and each.is_file())
            if not inside:
                raise UsageError(f"{path}: no {', '.join(_SUFFIXES)} file in this folder")
            found += inside
        else:
            found.append(path)
    return found


def _workaround(project: Path, id_: str) -> tuple[Workaround, tuple[Spec, ...], tuple[Attached, ...]]:
    """Return the workaround, what its checks ask, and what is attached to it."""
    import difflib

    from syncbot.checks.spec import read_specs
    from syncbot.checks.store import load
    from syncbot.config import load_project

    everything = {each.id: each for each in load_project(project).workarounds}
    if id_ not in everything:
        close = difflib.get_close_matches(id_, everything, n=1)
        raise UsageError(
            f"{id_!r} is no workaround of this project"
            + (f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(everything) or 'none'}")
        )
    workaround = everything[id_]
    return workaround, read_specs(workaround.checks), load(_folder(project, workaround))


def _folder(project: Path, workaround: Workaround) -> Path:
    from syncbot.checks.store import FOLDER

    root = project if project.is_dir() else project.parent
    return root / "patches" / workaround.id / FOLDER


def _from_files(
    baseline: Sequence[Path] | None,
    candidate: Sequence[Path] | None,
    folders: Sequence[Path] | None,
    *,
    edit: str | None,
    pin: str | None,
) -> list[Attached]:
    from syncbot.checks.readers.table import arm_of
    from syncbot.model.checks import Arm, Attached

    found = {Arm.BASELINE: list(_read(baseline, Arm.BASELINE)), Arm.CANDIDATE: list(_read(candidate, Arm.CANDIDATE))}
    problems = []
    for run in _read(folders, None):
        arm = arm_of(run.tags.get("arm", ""))
        if arm is None:
            problems.append(f"{run.source}: does not say its arm; name it with --baseline or --candidate")
        else:
            found[arm].append(run)
    runs = [*found[Arm.BASELINE], *found[Arm.CANDIDATE]]
    if not runs and not problems:
        problems.append("name result files with --baseline and --candidate, or --folder, or --comment")
    said: dict[str, str] = {}
    for key, given in (("edit", edit), ("pin", pin)):
        named = sorted({run.tags[key] for run in runs if key in run.tags})
        if given is None and len(named) != 1 and runs:
            problems.append(
                f"--{key} is needed: the files name " + (f"several ({', '.join(named)})" if named else "none")
            )
        said[key] = given or (named[0] if named else "")
    if problems:
        raise UsageError(*problems)
    return [
        Attached(
            edit=said["edit"],
            pin=said["pin"],
            baseline=tuple(found[Arm.BASELINE]),
            candidate=tuple(found[Arm.CANDIDATE]),
            at=clock.now(),
        )
    ]


def _from_comment(comment: Path) -> list[Attached]:
    from syncbot.render.results import read_block

    found = list(read_block(str(comment), _text(comment)))
    if not found:
        raise UsageError(f"{comment}: carries no block of results")
    return found


def _signed(attached: Attached, *, by: str | None, hardware: str | None, note: str | None) -> Attached:
    from dataclasses import replace

    return replace(attached, by=by or attached.by, hardware=hardware or attached.hardware, note=note or attached.note)


def _judged(
    specs: Sequence[Spec],
    kept: Sequence[Attached],
    body: Path | None,
    *,
    edit: str,
    pin: str,
    distance: int | None = None,
) -> tuple[tuple[Judged, ...], Gate, str | None]:
    """Return the verdicts, the gate, and the body with the results in it where there is one."""
    from syncbot.model.checks import Wanted
    from syncbot.render.results import apply

    text = _text(body) if body is not None else ""
    judged, gate, new = apply(text, specs, kept, Wanted(edit=edit, pin=pin, distance=distance))
    return judged, gate, new if body is not None else None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not text: byte {error.start} is no UTF-8") from error


def _print(workaround: Workaround, judged: Sequence[Judged], gate: Gate, *, as_json: bool) -> None:
    from syncbot.render.results import as_values, report

    if not as_json:
        typer.echo(report(judged, gate))
        return
    answer = {
        "schema": "syncbot.checks/1",
        "id": workaround.id,
        "ready": gate.ready,
        "waiting": list(gate.waiting),
        "stale": gate.stale,
        "checks": [
            {
                "name": each.name,
                "kind": each.kind.value,
                "required": each.required,
                "verdict": each.verdict.value,
                "by_person": each.by_person,
                "reasons": list(each.reasons),
                "metrics": as_values(each.rows),
            }
            for each in judged
        ],
    }
    typer.echo(json.dumps(answer, indent=2))
