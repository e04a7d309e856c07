"""``syncbot track``: the manifest of a workaround, from a finding, a pull request's number or a commit."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncbot.model.errors import CouldNotError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from syncbot.cache import Cache
    from syncbot.cli.findings import Ground
    from syncbot.model.discover import Finding, Life, Reference
    from syncbot.model.project import FixClaim
    from syncbot.render.manifest import Draft

app = typer.Typer(rich_markup_mode=None)

_KEY = re.compile(r"^[0-9a-f]{8}$")
_PULL = re.compile(r"^#?(\d{1,7})$")
_SENTENCE = re.compile(r"^(?:(?:TODO|FIXME|NOTE|HACK|XXX)\b(?:\s*\([^)]*\))?\s*[:,-]*\s*)+", re.IGNORECASE)
_LONGEST_TITLE = 90


@app.command(help="Write the manifest of a workaround: a finding's key, a pull request (#N) or a commit.")
def track(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FINDING|#N|COMMIT]...", help="Keys that discover prints, #N of the downstream, commits."
        ),
    ] = None,
    config: Annotated[str, typer.Option("--config", metavar="PATH", help="syncbot.toml or its folder.")] = ".",
    repo: Annotated[
        list[str] | None, typer.Option("--repo", metavar="NAME=PATH", help="A clone to use; may be repeated.")
    ] = None,
    downstream: Annotated[
        str | None, typer.Option("--downstream", metavar="NAME", help="Which one it is in, where there are several.")
    ] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="REF", help="The downstream as it was at REF.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every finding that is sure and not yet recorded.")] = False,
    id_: Annotated[str | None, typer.Option("--id", help="The id of the manifest, where only one is written.")] = None,
    show: Annotated[bool, typer.Option("--print", help="Print what would be written, write nothing.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Fetch nothing.")] = False,
    use_cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Use the cache of immutable facts.")] = True,
) -> None:
    """Write each manifest, or add to one that is there; exit 0 also when there was nothing to add."""
    from syncbot.cli.findings import open_ground
    from syncbot.cli.repos import open_cache, progress

    if bool(what) == everything:
        raise UsageError("name what to track (a finding's key, #N or a commit), or ask for --all; not both")
    if id_ is not None and (everything or len(what or []) != 1):
        raise UsageError("--id names one manifest, and more than one would be written")
    ground = open_ground(config, repo or [], downstream, at, offline=offline)
    with progress("reading the code"), open_cache(use_cache) as cache:
        drafts = _all(ground, cache) if everything else [_draft(ground, cache, word) for word in what or []]
    if id_ is not None:
        from dataclasses import replace

        drafts = [replace(drafts[0], id=id_)]
    texts = manifest_texts(ground, drafts)
    if show:
        for text in texts.values():
            typer.echo(text, nl=False)
        return
    _check(ground.root, texts)
    for name, text in texts.items():
        typer.echo(_write(ground.root, name, text))


# -- from what was named to a draft ------------------------------------------------------------------------------------


def _all(ground: Ground, cache: Cache) -> list[Draft]:
    from syncbot.model.discover import Certainty

    found = [
        each
        for each in ground.findings(ground.scan(cache))
        if each.certainty is Certainty.HIGH and each.upstream is not None and each.tracked is None
    ]
    return [draft_from(ground, each, cache) for each in found]


def _draft(ground: Ground, cache: Cache, word: str) -> Draft:
    from syncbot.git.history import resolve
    from syncbot.model.errors import UnknownObjectError

    if _KEY.match(word):
        found = [each for each in ground.findings(ground.scan(cache)) if each.key == word]
        if found:
            return draft_from(ground, found[0], cache)
    if word.startswith("#") or (_PULL.match(word) and len(word) < 7):
        match = _PULL.match(word)
        if match is None:
            raise UsageError(f"{word!r} is no pull request: expected #N")
        return _from_commit(ground, _landing(ground, int(match[1])))
    try:
        return _from_commit(ground, resolve(ground.clone.git(), word))
    except UnknownObjectError as error:
        raise UsageError(
            f"{word!r} is no finding of {ground.downstream} at {ground.commit[:12]} and no commit of it; "
            "`syncbot discover` prints the keys"
        ) from error


def _landing(ground: Ground, number: int) -> str:
    """The commit of the downstream that landed a pull request, by the number its title ends with."""
    git = ground.clone.git()
    lines = git.lines("log", "--format=%H %s", "-F", f"--grep=(#{number})", ground.commit)
    found = [line for line in lines if line.endswith(f"(#{number})")]
    if not found:
        raise UsageError(f"no commit up to {ground.commit[:12]} has a title that ends with (#{number})")
    return found[-1].partition(" ")[0]


def draft_from(ground: Ground, finding: Finding, cache: Cache) -> Draft:
    """The draft of a finding's manifest. Raises `CouldNotError` where the clone lacks what tells its commit."""
    from syncbot.discover.origin import with_origins
    from syncbot.render.manifest import Draft

    places = with_origins(ground.clone.git(), ground.commit, finding.places, cache=cache)
    origins = [place.introduced for place in places if place.introduced is not None]
    if not origins:
        raise CouldNotError(f"{finding.key}: this clone lacks what would tell which commit brought it")
    first = min(origins, key=lambda each: each.date)
    lead = places[0].remark
    return Draft(
        id=finding.tracked or _id(ground, first.pull, first.commit, finding.key),
        key=finding.key,
        title=_title(lead.text),
        why=lead.text,
        downstream=ground.downstream,
        introduced=first,
        places=tuple(places),
        fixes=finding.fixes,
        references=finding.references,
        markers=tuple((place.path, place.remark.marker) for place in places),
        notes=_notes(finding.references, finding.fixes),
    )


def _from_commit(ground: Ground, commit: str) -> Draft:
    from syncbot.discover.life import life_of
    from syncbot.discover.references import Reader
    from syncbot.render.manifest import Draft

    life = life_of(ground.clone.git(), commit, ground.commit, Reader(ground.names))
    text = life.places[0].remark.text if life.places else life.introduced.title
    fixes = _fixes(ground, life.references)
    return Draft(
        id=_id(ground, life.introduced.pull, life.introduced.commit, None),
        key=life.introduced.commit[:8],
        title=_title(text),
        why=text,
        downstream=ground.downstream,
        introduced=life.introduced,
        places=life.places,
        fixes=fixes,
        references=life.references,
        markers=life.markers,
        removed=life.removed,
        notes=(*_notes(life.references, fixes), *_life_notes(life)),
    )


def _fixes(ground: Ground, references: Sequence[Reference]) -> tuple[FixClaim, ...]:
    from syncbot.discover.findings import fixes_of

    return fixes_of(references, ground.project)


def _notes(references: Sequence[Reference], fixes: Sequence[FixClaim]) -> tuple[str, ...]:
    """What is named and can be no fix of a manifest: an issue, a version, a project that is not configured."""
    taken = {str(fix.pull) for fix in fixes} | {fix.commit for fix in fixes}
    other = [each.label for each in references if each.value not in taken]
    return (f"Also named: {', '.join(other)}",) if other else ()


def _life_notes(life: Life) -> tuple[str, ...]:
    notes: list[str] = []
    for turn in life.turns:
        number = f"#{turn.origin.pull}" if turn.origin.pull else turn.origin.commit[:12]
        notes.append(f"{turn.origin.date:%Y-%m-%d} {number}: {turn.kept:.0%} of its lines left")
    return tuple(notes[-8:])


def _title(text: str) -> str:
    first = _SENTENCE.sub("", text.split("\n", maxsplit=1)[0]).strip() or text
    cut = re.split(r"(?<=[a-z)])\.\s", first, maxsplit=1)[0]
    return cut if len(cut) <= _LONGEST_TITLE else cut[: _LONGEST_TITLE - 1].rsplit(" ", 1)[0] + "…"


def _id(ground: Ground, pull: int | None, commit: str, key: str | None) -> str:
    """``<downstream>-<number>``; a second finding of one pull request gets its key behind it."""
    name = f"{ground.downstream}-{pull or commit[:10]}"
    if key is None:
        return name
    taken = {each.id for each in ground.project.workarounds}
    return f"{name}-{key}" if name in taken else name


# -- writing -----------------------------------------------------------------------------------------------------------


def manifest_texts(ground: Ground, drafts: Sequence[Draft]) -> dict[str, str]:
    """What each manifest will be, by id. The second draft of one id gets its key behind it."""
    from syncbot.config import is_id
    from syncbot.render.manifest import add_to, manifest_text

    texts: dict[str, str] = {}
    for draft in drafts:
        name = draft.id
        if not is_id(name):
            raise UsageError(f"{name!r} is no id: expected letters, digits, '-', '_' and '.'; give one with --id")
        if name in texts:
            name = f"{name}-{draft.key}"
        there = ground.root / "patches" / name / "patch.toml"
        try:
            old = there.read_text(encoding="utf-8") if there.is_file() else None
        except (OSError, ValueError) as error:
            raise CouldNotError(f"{there} cannot be read: {error}") from error
        texts[name] = add_to(old, draft) if old is not None else manifest_text(draft)
    return texts


def _check(root: Path, texts: dict[str, str]) -> None:
    """Raise `CouldNotError` if `syncbot check` would not pass on the result; nothing has been written then."""
    from syncbot.config import check_project

    with tempfile.TemporaryDirectory(prefix="syncbot-track-") as name:
        copy = Path(name)
        shutil.copyfile(root / "syncbot.toml", copy / "syncbot.toml")
        if (root / "patches").is_dir():
            shutil.copytree(root / "patches", copy / "patches")
        for id_, text in texts.items():
            (copy / "patches" / id_).mkdir(parents=True, exist_ok=True)
            (copy / "patches" / id_ / "patch.toml").write_text(text, encoding="utf-8")
        problems = check_project(copy)
    if problems:
        raise CouldNotError("nothing was written, the result would not be right: " + "; ".join(map(str, problems)))


def _write(root: Path, name: str, text: str) -> str:
    target = root / "patches" / name / "patch.toml"
    try:
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            return f"{target}: nothing to add"
        there = target.is_file()
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = target.with_name(".patch.toml.new")
        staged.write_text(text, encoding="utf-8")
        staged.replace(target)
    except OSError as error:
        raise CouldNotError(f"cannot write {target}: {error.strerror}") from error
    return f"{'added to' if there else 'wrote'} {target}"
