"""Guess how one downstream pins one upstream. Reads both at their default branches; writes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from syncbot.git.clone import Clone, branch_ref_in
from syncbot.git.history import resolve
from syncbot.git.refs import read_refs
from syncbot.git.run import Git
from syncbot.guess.files import Tree, former_paths, read_texts, read_tree
from syncbot.guess.names import Names, manifests_of, names_of
from syncbot.guess.pins import guess_pins
from syncbot.guess.sightings import sightings, submodules
from syncbot.guess.tags import guess_tags
from syncbot.landing.pins import upstream_refs
from syncbot.model.guess import Doubt, Guesses, PinGuess, Sighting

_MOST_PINS = 20
_MOST_DOUBTS = 20
_NO_GATE = (
    "no place gates, so a workaround stays unsure: set gating = true where the least version allowed is one that your "
    "users may still have"
)


def guess(upstream: Clone, downstream: Clone, *, slug: str | None, label: str, taken: Iterable[str] = ()) -> Guesses:
    """What can be told of the pair. ``slug`` is the upstream's ``owner/name``, ``label`` what it is called otherwise.
    ``taken`` are names that no pin may have.

    Raises `UsageError` where one of the clones names no default branch.
    """
    up, down = upstream.git(), downstream.git()
    names = _names(upstream, slug, label)
    head = resolve(down, branch_ref_in(downstream, None))
    tree = read_tree(down, head)
    refs = upstream_refs(up)
    found = list(_found(tree, names))
    pins, doubts = guess_pins(up, refs, found, names, taken=taken)
    seen = {(each.path, each.line) for each in found}
    mentioned = [*doubts, *_mentions(tree, names, seen)]
    said = [pin.tag for pin in pins if pin.tag is not None and pin.gating] or [pin.tag for pin in pins if pin.tag]
    return Guesses(
        packages=names.packages,
        tags=guess_tags(read_refs(up, "refs/tags/"), said),
        pins=tuple(_with_past(down, head, pin) for pin in pins[:_MOST_PINS]),
        doubts=tuple(mentioned[:_MOST_DOUBTS]),
        files=len(tree.contents),
        notes=tuple(_notes(tree, pins, mentioned)),
    )


def _notes(tree: Tree, pins: Sequence[PinGuess], mentioned: Sequence[Doubt]) -> Iterator[str]:
    """What was left out, so that nothing is taken for everything."""
    if tree.unread:
        yield f"{len(tree.unread)} build files were not read: larger than 4 MiB, no text, or not in this clone"
    if left := pins[_MOST_PINS:]:
        yield f"{len(left)} more places pin it: {', '.join(sorted({each.sighting.path for each in left})[:10])}"
    if more := mentioned[_MOST_DOUBTS:]:
        yield f"{len(more)} more places name it and were not understood"
    if pins and not any(pin.gating for pin in pins):
        yield _NO_GATE


def _with_past(git: Git, head: str, pin: PinGuess) -> PinGuess:
    if not pin.gating or pin.sighting.pattern is None:
        return pin
    return replace(pin, former_paths=former_paths(git, head, pin.sighting.path))


def _names(upstream: Clone, slug: str | None, label: str) -> Names:
    git = upstream.git()
    commit = resolve(git, branch_ref_in(upstream, None))
    listed = git.records("ls-tree", "-z", "-r", "--name-only", "--full-tree", commit)
    paths = manifests_of(each.decode("utf-8", "surrogateescape") for each in listed)
    return names_of(slug, label, read_texts(git, commit, paths))


def _found(tree: Tree, names: Names) -> Iterator[Sighting]:
    """Every sighting, without the versions that a file says a second time."""
    for path, text in sorted(tree.contents.items()):
        if path == ".gitmodules":
            yield from submodules(text, tree.links, names)
            continue
        said: set[tuple[str, str | None]] = set()
        for each in sorted(sightings(path, text, names), key=lambda one: one.line):
            if (each.ref, each.pattern) not in said:
                said.add((each.ref, each.pattern))
                yield each


def _mentions(tree: Tree, names: Names, seen: Iterable[tuple[str, int]]) -> Iterator[Doubt]:
    """Lines that name its address outside comments, or a variable made for its version, and gave no pin."""
    known = set(seen)
    address = re.compile(
        rf"(?:github\.com|gitlab\.com|bitbucket\.org)[/:]{names.url}(?!/(?:issues|pull|blob|tree|wiki)\b)"
    )
    for path, text in sorted(tree.contents.items()):
        if path == ".gitmodules" or not address.search(text):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            near = {(path, number + step) for step in range(-1, 6)}
            if address.search(line) and not near & known and not line.lstrip().startswith(("#", "//", "*")):
                yield Doubt(
                    path=path,
                    line=number,
                    text=line.strip()[:160],
                    why="names its address, and no version beside it was understood",
                )
