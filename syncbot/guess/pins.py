"""From sightings to pins: each resolved in the upstream, named, and judged on whether a workaround waits for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from syncbot.git.run import Git
from syncbot.guess.names import Names
from syncbot.guess.tags import tag_format_for
from syncbot.landing.pins import UpstreamRefs, resolve_pins
from syncbot.model.guess import Doubt, PinGuess, Sighting
from syncbot.model.pins import PinText
from syncbot.model.project import Forge, Pin, Repo
from syncbot.model.words import PinForm

_ASIDE = re.compile(r"(?:^|/)(?:examples?|docs?|tests?|testdata|benchmarks?|samples?|demos?|tutorials?|fuzz)(?:/|$)")
_UNTOLD = Repo(url="", forge=Forge(name="untold", kind="git"))


def guess_pins(
    upstream: Git, refs: UpstreamRefs, found: Sequence[Sighting], names: Names, *, taken: Iterable[str] = ()
) -> tuple[list[PinGuess], list[Doubt]]:
    """The pins that mean a commit of the upstream, those that gate first; and the sightings that mean none.

    ``taken`` are names that no pin may have.
    """
    pins: list[PinGuess] = []
    doubts: list[Doubt] = []
    for sighting in found:
        form = _tag_format(sighting, refs, names)
        read = _resolved(upstream, refs, sighting, form)
        if read is None:
            doubts.append(_nothing(sighting))
            continue
        kind, commit, tag = read
        gating, reasons = _gating(sighting, kind)
        pins.append(
            PinGuess(
                name="", sighting=sighting, form=kind, commit=commit, tag=tag,
                tag_format=form if kind is PinForm.VERSION else None, gating=gating,
                reasons=(_means(sighting, kind, commit, tag), *reasons),
            )
        )  # fmt: skip
    return _named(sorted(pins, key=lambda pin: not pin.gating), set(taken)), doubts


def _named(pins: Sequence[PinGuess], used: set[str]) -> list[PinGuess]:
    """Each with a name of its own; those that gate choose first."""
    named: list[PinGuess] = []
    for pin in pins:
        named.append(replace(pin, name=_name(pin.sighting, used)))
        used.add(named[-1].name)
    return named


def _tag_format(sighting: Sighting, refs: UpstreamRefs, names: Names) -> str | None:
    if sighting.pattern is None or sighting.ref in refs.tags or sighting.ref in refs.branches:
        return None
    own = [sighting.package] if sighting.package else []
    return tag_format_for(sighting.ref, refs.tags, [*own, *names.packages[:1]])


def _resolved(
    upstream: Git, refs: UpstreamRefs, sighting: Sighting, tag_format: str | None
) -> tuple[PinForm, str, str | None] | None:
    submodule = sighting.pattern is None
    pin = Pin(
        name="guess", upstream="up", downstream="down", repo=_UNTOLD, paths=() if submodule else (sighting.path,),
        pattern=sighting.pattern, submodule=sighting.path if submodule else None, tag_format=tag_format,
    )  # fmt: skip
    text = PinText(text=sighting.ref, path=sighting.path, submodule=submodule)
    reading = resolve_pins(upstream, refs, pin, [text])[sighting.ref]
    if reading.target is None or reading.target.commit is None or reading.form is None:
        return None
    commit = reading.target.commit
    if reading.form is PinForm.VERSION:
        wanted = tag_format.format(version=sighting.ref) if tag_format else None
        return (
            reading.form,
            commit,
            wanted or next((each.short for each in refs.tags.values() if each.commit == commit), None),
        )
    tag = sighting.ref if reading.form is PinForm.TAG else None
    return reading.form, commit, tag


def _means(sighting: Sighting, kind: PinForm, commit: str, tag: str | None) -> str:
    match kind:
        case PinForm.TAG:
            return f"{sighting.ref} is a tag of the upstream"
        case PinForm.BRANCH:
            return f"{sighting.ref} is a branch of the upstream, at {commit[:12]} now"
        case PinForm.VERSION:
            return f"{sighting.ref} is the version of the tag {tag}"
        case PinForm.SHA | PinForm.SUBMODULE:
            return f"{commit[:12]} is a commit of the upstream"


def _gating(sighting: Sighting, kind: PinForm) -> tuple[bool, list[str]]:
    """Waiting once too often is seen and mended; a workaround taken out too early is a bug. So in doubt it gates."""
    reasons: list[str] = []
    if kind is PinForm.BRANCH:
        reasons.append("does not gate: it follows a branch, and builds whatever that is")
    if not sighting.exact:
        reasons.append("does not gate: it allows a range, and this is the least of it")
    if aside := _ASIDE.search(sighting.path):
        reasons.append(f"does not gate: {aside[0].strip('/')}/ is not what is shipped")
    return not reasons, reasons or ["gates: it names one version"]


def _nothing(sighting: Sighting) -> Doubt:
    said = sighting.ref[:60]
    if re.fullmatch(r"[0-9a-f]{40,64}", sighting.ref):
        why = f"{sighting.how} says {said[:12]}, a commit that this clone of the upstream does not have"
    else:
        why = f"{sighting.how} says {said!r}, which is no tag, branch, commit or version of the upstream"
    return Doubt(path=sighting.path, line=sighting.line, text=sighting.ref, why=why)


def _name(sighting: Sighting, taken: set[str]) -> str:
    """A table's name: the file, with its folder and the package or variable as far as needed to tell it from others."""
    path = PurePosixPath(sighting.path)
    stem = path.name.removeprefix("Dockerfile.") or path.name
    stem = re.sub(r"(?<=.)\.(?:txt|in|ya?ml|sh|toml|cfg|py|json|mod|cmake)$", "", stem)
    folders, label = list(path.parts[:-1]), [sighting.label] if sighting.label else []
    tries = [[stem], [stem, *label], [*folders[-1:], stem], [*folders[-1:], stem, *label], [*folders, stem, *label]]
    for each in map("-".join, tries):
        if (name := _clean(each)) not in taken:
            return name
    base = _clean("-".join(tries[-1]))
    return next(f"{base}-{number}" for number in range(2, 10_000) if f"{base}-{number}" not in taken)


def _clean(text: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_") or "pin"
