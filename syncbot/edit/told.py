"""An edit's answer as data (``syncbot.edit/1``) and as Markdown. Pure.

Titles, paths and lines come from other people: in Markdown they stand only inside code spans and fences that they
cannot close.
"""

from __future__ import annotations

import re
from typing import Any

from syncbot.model.edit import Conflict, Culprit, EditResult, Outcome

SCHEMA = "syncbot.edit/1"

_FENCE = re.compile(r"`{3,}")


def as_data(result: EditResult, *, explain: bool = False) -> dict[str, Any]:
    """Return the answer as plain dictionaries and lists, ready for JSON; ``explain`` adds the steps that were tried."""
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "direction": str(result.direction),
        "outcome": str(result.outcome),
        "method": str(result.method),
        "commit": result.commit,
        "base": result.base,
        "tree": result.tree,
        "files": [
            {"path": one.path, "added": one.added, "removed": one.removed, "judged": one.judged} for one in result.files
        ],
        "repairs": [
            {"kind": str(one.kind), "path": one.path, "line": one.line, "detail": one.detail} for one in result.repairs
        ],
        "problems": [
            {"kind": str(one.kind), "path": one.path, "line": one.line, "detail": one.detail} for one in result.problems
        ],
        "conflicts": [
            {
                "path": one.path, "line": one.line, "reason": one.reason,
                "base": one.base, "ours": one.ours, "theirs": one.theirs,
                "culprits": [{"commit": c.commit, "title": c.title, "number": c.number} for c in one.culprits],
            }
            for one in result.conflicts
        ],
        "commands": list(result.commands),
        "notes": list(result.notes),
    }  # fmt: skip
    if explain:
        data["steps"] = [
            {"method": str(step.method), "path": step.path, "line": step.line, "met": step.met} for step in result.steps
        ]
    return data


def summary(result: EditResult) -> str:
    """Return the outcome in one line."""
    verb = "taken out of" if result.direction == "remove" else "put onto"
    what, base = result.commit[:12], result.base[:12]
    match result.outcome:
        case Outcome.CONFLICT:
            places = len(result.conflicts) or len(result.problems)
            return (
                f"conflict: {what} cannot be {verb} {base} safely, {places} place{'s' if places != 1 else ''} to settle"
            )
        case Outcome.EMPTY:
            return f"empty: nothing of {what} is left to be {verb} {base}"
        case Outcome.CLEAN:
            return f"clean: {what} {verb} {base} as recorded ({result.method})"
        case Outcome.MOVED:
            return f"moved: {what} {verb} {base}, verified, though not as a plain reverse ({result.method})"
        case Outcome.PARTIAL:
            return f"partial: the rest of {what} {verb} {base}; some of its places had gone before ({result.method})"


def lines(result: EditResult, *, explain: bool = False) -> list[str]:
    """Return the answer for a terminal, one line an item."""
    told = [summary(result)]
    for file in result.files:
        size = "binary" if file.added is None else f"+{file.added} -{file.removed}"
        told.append(f"  {file.path}  {size}{'' if file.judged == 'python' else f'  ({_JUDGED[file.judged]})'}")
    told += [f"  {repair.kind}: {repair.path}:{repair.line}: {repair.detail}" for repair in result.repairs]
    told += [f"  {problem.kind}: {_where(problem.path, problem.line)}{problem.detail}" for problem in result.problems]
    known = {(problem.path, problem.detail) for problem in result.problems}
    for clash in result.conflicts:
        if (clash.path, clash.reason) not in known:
            told.append(f"  {_where(clash.path, clash.line)}{clash.reason}")
        told += [f"    touched by {_culprit(culprit)}" for culprit in clash.culprits]
    if result.outcome is Outcome.CONFLICT:
        told += ["  by hand:", *(f"    {command}" for command in result.commands)]
    if explain:
        told += ["  steps:", *(f"    {step.method}: {_where(step.path, step.line)}{step.met}" for step in result.steps)]
    return told + [f"  note: {note}" for note in result.notes]


_JUDGED = {"lines": "line rules only", "data": "still parses"}


def _where(path: str, line: int) -> str:
    return "" if not path else f"{path}: " if not line else f"{path}:{line}: "


def _culprit(culprit: Culprit) -> str:
    return f"{culprit.commit[:12]} {culprit.title}"


def as_markdown(result: EditResult) -> str:
    """Return the answer as Markdown: what was done or solved, then each conflict with its sides and its history."""
    told = [f"**{result.outcome}**: {_code(result.commit[:12])} on {_code(result.base[:12])}, {result.method}.", ""]
    if result.files:
        told += ["| file | added | removed | verified |", "| --- | ---: | ---: | --- |"]
        told += [f"| {_code(f.path)} | {_number(f.added)} | {_number(f.removed)} | {f.judged} |" for f in result.files]
        told.append("")
    if result.repairs:
        told += [f"- {one.kind}: {_code(one.path)}, line {one.line}: {_code(one.detail)}" for one in result.repairs] + [
            ""
        ]
    for number, clash in enumerate(result.conflicts, 1):
        told += _conflict(number, clash)
    solved = [
        step for step in result.steps if step.met.startswith(("there", "moved", "reformatted", "rewrapped", "part"))
    ]
    if result.outcome is Outcome.CONFLICT:
        if solved:
            told += ["Solved before it got stuck:", ""]
            told += [f"- {_code(step.path)}, line {step.line}: {step.met}" for step in solved] + [""]
        told += ["To repeat it and carry on by hand:", "", *_fenced("\n".join(result.commands), "sh")]
    return "\n".join(told).rstrip("\n") + "\n"


def _conflict(number: int, clash: Conflict) -> list[str]:
    place = f"{_code(clash.path)}, line {clash.line}" if clash.line else _code(clash.path)
    told = [f"**Conflict {number}**: {place}: {_code(clash.reason)}", ""]
    for title, text in (
        ("what the change knew", clash.base),
        ("what is there now", clash.ours),
        ("what it wants", clash.theirs),
    ):
        if text:
            told += [f"{title[0].upper()}{title[1:]}:", "", *_fenced(text.rstrip("\n"), "")]
    if clash.culprits:
        told += ["Touched since by:", ""]
        told += [f"- {_code(culprit.commit[:12])} {_code(culprit.title)}" for culprit in clash.culprits] + [""]
    return told


def _number(count: int | None) -> str:
    return "binary" if count is None else str(count)


def _code(text: str) -> str:
    """Return text as a code span that nothing inside can end."""
    flat = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall(r"`+", flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def _fenced(text: str, language: str) -> list[str]:
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return [fence + language, text, fence, ""]
