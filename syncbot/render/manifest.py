"""The manifest of a workaround that was found: written new, or an old one added to.

A manifest that is there already keeps every value, comment and blank line; only what it lacks is added (a marker, a
fix, the removal). What is taken out, and whether a machine may offer that, is guessed with care: a removal is offered
only for one simple statement whose remark says "remove", or a file that is a copy; everything else is for a person.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from syncbot.model.discover import Kind, Origin, Place, Reference, RefKind
from syncbot.model.project import FixClaim
from syncbot.render.text import plain

_REMOVES = re.compile(r"\b(?:remove|drop|delete|get rid of)\b", re.IGNORECASE)
_VENDORED = re.compile(r"\bvendored\b|\bcopy of\b", re.IGNORECASE)
_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_SHORTEST = 8
_FULL = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a manifest is made of. ``markers`` are pairs of path and line; without ``fixes`` it is unlinked.

    ``key`` goes behind the id where another workaround of the same change has that id already.
    """

    id: str
    key: str
    title: str
    why: str
    downstream: str
    introduced: Origin
    places: tuple[Place, ...]
    fixes: tuple[FixClaim, ...]
    references: tuple[Reference, ...]
    markers: tuple[tuple[str, str], ...]
    removed: Origin | None = None
    notes: tuple[str, ...] = ()


def manifest_text(draft: Draft, schema: str | None = None) -> str:
    """A new manifest. ``schema`` is the path of the JSON Schema, for editors."""
    lines = [f"#:schema {schema}"] if schema else []
    lines += [
        "# Written by `syncbot track` from the code and its history. Read it before you trust it, the scope above all.",
        f"title = {_quoted(draft.title)}",
        f"why = {_quoted(draft.why)}",
        f"downstream = {_quoted(draft.downstream)}",
        "",
        "[introduced]",
        *_change(draft.introduced),
    ]
    if not _recordable(draft.fixes):
        lines += ["", "# No fix is recorded: the code names no change. Until one is, this is never called ready."]
    lines += [f"# {plain(note, 110)}" for note in draft.notes]
    for fix in _recordable(draft.fixes):
        lines += ["", "[[fixes]]", *_fix(fix, draft.references)]
    lines += ["", *_removal(draft)]
    for path, text in _markers(draft.markers):
        lines += ["", "[[removal.markers]]", f"text = {_quoted(text)}", f"path = {_quoted(path)}"]
    if draft.removed is not None:
        lines += ["", "[removed]", *_change(draft.removed)]
    lines += _check(draft.places)
    return "\n".join(lines) + "\n"


def add_to(text: str, draft: Draft) -> str:
    """An existing manifest with what it lacks added; the same text where it lacks nothing."""
    import tomlkit

    document: Any = tomlkit.parse(text)
    removal = document.get("removal")
    known = {(each.get("path"), each.get("text")) for each in (removal or {}).get("markers", [])}
    new = [pair for pair in _markers(draft.markers) if pair not in known and not _told(pair, known)]
    changes: list[str] = []
    held = {(fix.get("upstream"), fix.get("pull")) for fix in document.get("fixes", [])}
    commits = [str(fix.get("commit", "")) for fix in document.get("fixes", [])]
    for fix in _recordable(draft.fixes):
        if (fix.upstream, fix.pull) not in held and not any(
            fix.commit and each.startswith(fix.commit) for each in commits
        ):
            changes += ["", "[[fixes]]", *_fix(fix, draft.references)]
    if (removal is not None and "markers" not in removal) or removal is None:
        for path, marker in new:
            changes += ["", "[[removal.markers]]", f"text = {_quoted(marker)}", f"path = {_quoted(path)}"]
        new = []
    if draft.removed is not None and "removed" not in document:
        changes += ["", "[removed]", *_change(draft.removed)]
    for path, marker in new:
        table = tomlkit.table()
        table.add("text", marker)
        table.add("path", path)
        removal["markers"].append(table)
    before = tomlkit.dumps(document) if new else text
    if not changes:
        return before
    return _joined(before, changes)


def _joined(text: str, lines: Sequence[str]) -> str:
    """Put new tables at the end; an array of tables that has ended takes them in its own place."""
    import tomllib

    import tomlkit

    longer = text.rstrip("\n") + "\n" + "\n".join(lines) + "\n"
    try:
        tomllib.loads(longer)
    except tomllib.TOMLDecodeError:
        document: Any = tomlkit.parse(text)
        extra: Any = tomlkit.parse("\n".join(lines) + "\n")
        for key, value in extra.items():
            if key == "fixes" and key in document:
                for table in value:
                    document[key].append(table)
            elif key == "removal" and key in document:
                document[key]["markers"] = value["markers"]
            else:
                document[key] = value
        return str(tomlkit.dumps(document))
    return longer


def _told(pair: tuple[str, str], known: Iterable[tuple[Any, Any]]) -> bool:
    """Whether a marker of the same file is part of this line, or the other way round."""
    path, text = pair
    return any(path == there and isinstance(said, str) and (said in text or text in said) for there, said in known)


def _recordable(fixes: Iterable[FixClaim]) -> list[FixClaim]:
    """The fixes a manifest can hold: it takes no abbreviated commit id."""
    return [fix for fix in fixes if fix.pull is not None or (fix.commit is not None and len(fix.commit) >= _FULL)]


def _change(origin: Origin) -> list[str]:
    number = [f"pull = {origin.pull}"] if origin.pull else []
    return [*number, f"commit = {_quoted(origin.commit)}", f"date = {origin.date.date().isoformat()}"]


def _fix(fix: FixClaim, references: Sequence[Reference]) -> list[str]:
    lines = [f"upstream = {_quoted(fix.upstream)}"]
    if fix.pull is not None:
        lines.append(f"pull = {fix.pull}")
    if fix.commit is not None:
        lines.append(f"commit = {_quoted(fix.commit)}")
    sure = any(each.value == str(fix.pull) and each.kind is RefKind.PULL for each in references) or fix.commit
    note = "Named in the code." if sure else "Named in the code by its number, which may be an issue's."
    return [*lines, f"note = {_quoted(note)}"]


# -- what is taken out -------------------------------------------------------------------------------------------------


def _removal(draft: Draft) -> list[str]:
    code = [place for place in draft.places if place.remark.kind is not Kind.SKIP]
    if len(code) == len(draft.places) and (simple := [_simple(place) for place in code]) and all(simple):
        lines = ["[removal]", 'scope = "edits"']
        for place in code:
            guard = place.remark.guard
            lines += ["", "[[removal.edits]]", f"path = {_quoted(place.path)}", 'kind = "statement"']
            lines += [f"target = {_quoted((guard.statement or '').strip())}"]
            if guard.symbol:
                lines.append(f"within = {_quoted(guard.symbol)}")
        return _merged_edits(lines)
    if code and all(_is_copy(place) for place in code):
        paths = ", ".join(_quoted(path) for path in dict.fromkeys(place.path for place in code))
        return ["[removal]", 'scope = "paths"', f"paths = [{paths}]", 'action = "review"']
    return [
        "# What of the commit goes, the code does not tell: say it with paths, symbols or edits.",
        "[removal]",
        'scope = "edits"',
        'action = "review"',
    ]


def _simple(place: Place) -> bool:
    remark, guard = place.remark, place.remark.guard
    return (
        place.path.endswith(".py")
        and remark.kind is Kind.WAIT
        and _REMOVES.search(remark.text) is not None
        and not guard.whole
        and guard.statement is not None
        and guard.first == guard.last
        and not guard.statement.rstrip().endswith((":", "pass", "return", "continue"))
        and not guard.statement.lstrip().startswith(("return", "@", "if ", "else"))
    )


def _is_copy(place: Place) -> bool:
    guard = place.remark.guard
    return guard.whole and guard.symbol is None and _VENDORED.search(place.remark.text) is not None


def _merged_edits(lines: list[str]) -> list[str]:
    """The same statement in the same function twice is one edit with a count."""
    text = "\n".join(lines)
    head, *edits = text.split("\n\n[[removal.edits]]\n")
    counts: dict[str, int] = {}
    for edit in edits:
        counts[edit] = counts.get(edit, 0) + 1
    for edit, count in counts.items():
        head += f"\n\n[[removal.edits]]\n{edit}" + (f"\ncount = {count}" if count > 1 else "")
    return head.split("\n")


def _check(places: Sequence[Place]) -> list[str]:
    """The check that fits: a skipped test must pass, and for code somebody has to say that it works without."""
    tests = {
        place.path: place.remark.guard.symbol
        for place in places
        if _TEST.search(place.path) and place.remark.guard.symbol
    }
    lines: list[str] = []
    for number, (path, symbol) in enumerate(tests.items(), 1):
        name = (symbol or "").rpartition(".")[2]
        command = f"pytest {path}" + (f" -k {name}" if name.startswith("test") and name.isidentifier() else "")
        suffix = f"-{number}" if len(tests) > 1 else ""
        lines += ["", "[[checks]]", f'name = "tests{suffix}"', 'kind = "command"', f"command = {_quoted(command)}"]
    if any(not _TEST.search(place.path) for place in places) or not places:
        text = "What it worked around does not come back with it taken out."
        lines += ["", "[[checks]]", 'name = "without"', 'kind = "manual"', f"text = {_quoted(text)}"]
    return lines


def _markers(markers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The markers a manifest can hold: long enough, and without what a person could not see."""
    return [
        (path, text)
        for path, text in dict.fromkeys(markers)
        if len(text) >= _SHORTEST and plain(text).replace(" ", "") == text.replace(" ", "").replace("\t", "")
    ]


def _quoted(text: str) -> str:
    return json.dumps(plain(text), ensure_ascii=False)
