"""What was guessed of a pair of projects: as a configuration that says why, as JSON, and in words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from syncbot.model.discover import Finding
from syncbot.model.guess import Guesses, PinGuess
from syncbot.render.text import plain

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Item, Table

SCHEMA = "syncbot.init/1"
_TEXT = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two projects: its table's name, the keys that name its repository, and its default branch."""

    name: str
    repo: tuple[str, str]
    branch: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guessed:
    """A pair of projects with what was guessed, and the workarounds found in the code, the surest first."""

    upstream: Side
    downstream: Side
    guesses: Guesses
    findings: tuple[Finding, ...] = ()


def config_text(told: Guessed) -> str:
    """``syncbot.toml``: every table with a comment that says why."""
    import tomlkit

    guesses, up, down = told.guesses, told.upstream, told.downstream
    doc = tomlkit.document()
    _remark(doc, "Guessed by `syncbot init`: read it before you rely on it. docs/config.md explains every key.")
    upstream = _side(up)
    if guesses.tags.pattern is not None:
        _remark(upstream, f"{guesses.tags.releases} of {guesses.tags.tags} tags, the newest {guesses.tags.newest}.")
        upstream.add("tag_pattern", guesses.tags.pattern)
        if guesses.tags.ignore:
            upstream.add("ignore_tags", list(guesses.tags.ignore))
    doc.add(tomlkit.nl())
    doc.add("upstreams", _parent({up.name: upstream}))
    doc.add("downstreams", _parent({down.name: _side(down)}))
    if guesses.pins:
        doc.add("pins", _parent({pin.name: _pin(pin, up.name, down.name) for pin in guesses.pins}))
    proposals = tomlkit.table()
    _remark(proposals, "The bot prepares, a person submits. pull-request: the bot opens drafts.")
    proposals.add("mode", "hand-off")
    doc.add("proposals", proposals)
    if guesses.doubts:
        doc.add(tomlkit.nl())
        _remark(doc, "Places that name the upstream and gave no pin:")
        for doubt in guesses.doubts:
            _remark(doc, f"  {doubt.path}, line {doubt.line}: {doubt.why}")
    return tomlkit.dumps(doc)


def _side(side: Side) -> Table:
    import tomlkit

    table = tomlkit.table()
    table.add(*side.repo)
    if side.branch is not None:
        table.add("branch", side.branch)
    return table


def _pin(pin: PinGuess, upstream: str, downstream: str) -> Table:
    import tomlkit

    table, sighting = tomlkit.table(), pin.sighting
    where = f"{sighting.path}, line {sighting.line}" if sighting.pattern is not None else sighting.path
    _remark(table, f"{where}, {sighting.how}. {'; '.join(pin.reasons)}.")
    table.add("upstream", upstream)
    table.add("downstream", downstream)
    if sighting.pattern is None:
        table.add("submodule", sighting.path)
    else:
        table.add("path", sighting.path)
        if pin.former_paths:
            table.add("former_paths", list(pin.former_paths))
        table.add("pattern", _literal(sighting.pattern))
    if pin.tag_format is not None:
        table.add("tag_format", pin.tag_format)
    if not pin.gating:
        table.add("gating", False)
    return table


def _parent(tables: dict[str, Table]) -> Table:
    import tomlkit

    parent = tomlkit.table(is_super_table=True)
    for name, table in tables.items():
        parent.add(name, table)
    return parent


def _literal(text: str) -> Item:
    import tomlkit

    return tomlkit.string(text, literal="'" not in text)


def _remark(place: TOMLDocument | Table, text: str) -> None:
    import tomlkit

    for line in textwrap.wrap(plain(text, 400), 116, break_long_words=False, break_on_hyphens=False):
        place.add(tomlkit.comment(line))


def guess_json(told: Guessed, written: Sequence[str]) -> dict[str, Any]:
    """``syncbot.init/1``; ``written`` are the files."""
    guesses = told.guesses
    return {
        "schema": SCHEMA,
        "written": list(written),
        "upstream": _side_json(told.upstream) | {"packages": list(guesses.packages)},
        "downstream": _side_json(told.downstream) | {"files_read": guesses.files},
        "tags": {
            "pattern": guesses.tags.pattern, "ignore": list(guesses.tags.ignore), "releases": guesses.tags.releases,
            "of": guesses.tags.tags, "newest": guesses.tags.newest, "why": guesses.tags.why,
        },
        "pins": [
            {
                "name": pin.name, "path": pin.sighting.path, "line": pin.sighting.line, "ref": pin.sighting.ref,
                "form": pin.form.value, "commit": pin.commit, "tag": pin.tag, "how": pin.sighting.how,
                "pattern": pin.sighting.pattern, "former_paths": list(pin.former_paths),
                "tag_format": pin.tag_format, "gating": pin.gating, "reasons": list(pin.reasons),
            }
            for pin in guesses.pins
        ],
        "unsure": [
            {"path": each.path, "line": each.line, "text": each.text, "why": each.why} for each in guesses.doubts
        ],
        "workarounds": [
            {
                "key": each.key, "certainty": each.certainty.value, "path": each.places[0].path,
                "line": each.places[0].remark.line, "references": [one.label for one in each.references],
            }
            for each in told.findings
        ],
        "notes": list(guesses.notes),
    }  # fmt: skip


def _side_json(side: Side) -> dict[str, Any]:
    return {"name": side.name, side.repo[0]: side.repo[1], "branch": side.branch}


def guess_lines(told: Guessed) -> Iterator[str]:
    """What was guessed and why, what is unsure, and which workarounds were found, for a terminal."""
    guesses, tags = told.guesses, told.guesses.tags
    yield f"upstream {told.upstream.name}: {told.upstream.repo[1]}, branch {told.upstream.branch or 'unknown'}"
    if tags.pattern is None:
        yield f"  releases: none were told apart ({tags.why})"
    else:
        yield f"  releases: tags {tags.pattern}, {tags.releases} of {tags.tags}, the newest {tags.newest} ({tags.why})"
    if tags.ignore:
        yield f"  of these no versions, so ignored: {', '.join(tags.ignore)}"
    more = f" and {len(guesses.packages) - 6} more" if len(guesses.packages) > 6 else ""
    yield f"  looked for as: {', '.join(guesses.packages[:6])}{more}"
    branch = told.downstream.branch or "unknown"
    yield f"downstream {told.downstream.name}: {told.downstream.repo[1]}, branch {branch}"
    yield f"  {guesses.files} build files read"
    for pin in guesses.pins:
        place = f"{pin.sighting.path}:{pin.sighting.line}" if pin.sighting.pattern else pin.sighting.path
        yield f"  pin {pin.name}: {place} ({pin.sighting.how}) says {pin.sighting.ref[:40]}"
        yield f"    {'; '.join(pin.reasons)}"
    if not guesses.pins:
        yield "  no pin was found: add [pins.NAME] by hand (docs/config.md), nothing is ever ready without one"
    yield from (f"  note: {note}" for note in guesses.notes)
    if guesses.doubts:
        yield "unsure:"
    for doubt in guesses.doubts:
        yield f"  {doubt.path}:{doubt.line}: {doubt.why}"
    if told.findings:
        yield "workarounds in the code, the surest first:"
    for found in told.findings:
        first = found.places[0]
        said = ", ".join(one.label for one in found.references) or "names no change"
        yield f"  {found.key}  {first.path}:{first.remark.line}  {said}: {plain(first.remark.text, 80)}"
