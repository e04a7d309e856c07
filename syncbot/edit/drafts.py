"""What the steps make of today's files, before it is judged: a three-way merge, and hunk by hunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.edit import conflicts, guided, repairs
from syncbot.edit import lines as said
from syncbot.edit.align import Alignment
from syncbot.edit.files import File, Read
from syncbot.edit.find import Finder
from syncbot.edit.places import Cut, Fate, Place, Sides, apply
from syncbot.git.merge import Hunk, merge
from syncbot.git.objects import Entry, Scratch
from syncbot.model.edit import Conflict, Method, Step

Places = dict[str, list[Place]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """New contents (``files``) and entries by path, None for what goes; ``conflicts`` means there is no draft.

    ``found_again`` holds lines of the change, by its own path and number, that were followed to another place;
    ``rewrapped`` today's lines whose statements are the change's but for their wrapping.
    """

    method: Method
    files: dict[str, bytes | None]
    entries: dict[str, Entry | None]
    found_again: frozenset[tuple[str, int]] = frozenset()
    rewrapped: frozenset[tuple[str, int]] = frozenset()
    partial: bool = False
    steps: tuple[Step, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def three_way(store: Scratch, read: Read) -> Draft:
    """Merge: the base is the side that goes, ours is today's, theirs the side that comes."""
    merged = merge(store, base=read.goes, ours=read.today, theirs=read.comes)
    entries = store.listing(merged.tree)
    blobs = store.read(entry.oid for entry in entries.values() if entry.is_regular)
    put: dict[str, Entry | None] = {}
    data: dict[str, bytes | None] = {}
    clashes = []
    for file in read.files:
        entry = entries.get(file.name)
        if file.taken:
            clashes.append(_taken(file))
        elif file.name in merged.conflicts:
            clashes.append(conflicts.whole_file(file.shown, "a three-way merge conflicts here"))
        elif entry != file.h or file.out_path != file.path:
            if file.path is not None and file.out_path != file.path:
                put[file.path], data[file.path] = None, None
            put[file.out_path] = entry
            data[file.out_path] = None if entry is None else blobs.get(entry.oid, b"")
    steps = tuple(Step(method=Method.THREE_WAY, path=one.path, line=0, met=one.reason) for one in clashes)
    steps = steps or (Step(method=Method.THREE_WAY, path="", line=0, met="merges"),)
    return Draft(method=Method.THREE_WAY, files=data, entries=put, steps=steps, conflicts=tuple(clashes))


def _taken(file: File) -> Conflict:
    return conflicts.whole_file(file.shown, f"its name before the change, {file.side.b_path}, is another file's by now")


def places(files: Sequence[File], finder: Finder) -> Places:
    """Return what became of every hunk of every text file, by the file's name."""
    return {file.name: _places(file, finder) for file in files if file.is_text}


def _places(file: File, finder: Finder) -> list[Place]:
    a, b, h = file.contents
    whole = Hunk(0, len(a.lines), 0, 0)
    if file.side.b is None and h.data == a.data and a.data is not None:
        return [Place(whole, Fate.THERE)]
    gone = Alignment.of(a.lines, [], [whole])
    sides = Sides(
        path=file.shown, was=a, wanted=b, today=h, alignment=gone if file.is_gone else file.alignment,
        elsewhere=finder.function,
    )  # fmt: skip
    if file.is_gone:
        return [guided.relocated(sides, hunk) or Place(hunk, Fate.GONE) for hunk in file.change]
    return guided.places(sides, file.change)


def hunk_by_hunk(store: Scratch, read: Read, found: Places, merged: Draft, finder: Finder) -> Draft:
    """Make the cuts of every place; files without lines are taken from the merge."""
    clashes: list[Conflict] = []
    steps = list(merged.steps)
    data: dict[str, bytes | None] = {}
    entries: dict[str, Entry | None] = {}
    stuck = {conflict.path for conflict in merged.conflicts}
    texts = []
    for file in read.files:
        if file.taken:
            clashes.append(_taken(file))
        elif file.is_text and (file.change or file.side.a == file.side.b or file.side.b is None):
            texts.append(file)
        elif file.shown in stuck:
            clashes.append(conflicts.whole_file(file.shown, "no file of lines, and changed on both sides"))
        else:
            for path in {file.path, file.out_path} & set(merged.entries):
                assert path is not None
                data[path], entries[path] = merged.files[path], merged.entries[path]
    for file in texts:
        steps += [conflicts.step(file, place) for place in found[file.name]]
        clashes += [conflicts.at(file, place) for place in found[file.name] if place.fate is Fate.STUCK]
    if not clashes:
        made = _cut(texts, found, finder)
        if isinstance(made, Conflict):
            clashes.append(made)
        else:
            modes = {path: file.out_mode for file in texts for path in (file.path, file.out_path) if path is not None}
            for path, new in made.items():
                data[path] = new
                entries[path] = entry(store, modes.get(path) or finder.mode(path), new)
    every = [(file, place) for file in texts for place in found[file.name]]
    return Draft(
        method=Method.GUIDED, files=data, entries=entries, steps=tuple(steps), conflicts=tuple(clashes),
        partial=any(place.fate in (Fate.GONE, Fate.PART, Fate.DONE) for _, place in every),
        found_again=frozenset(
            (file.contents[0].path, i)
            for file, place in every
            if place.fate in (Fate.MOVED, Fate.REFORMATTED, Fate.REWRAPPED)
            for i in range(place.hunk.a0, place.hunk.a1)
        ),
        rewrapped=frozenset(
            (file.shown, j)
            for file, place in every
            if place.fate is Fate.REWRAPPED
            for j in range(place.start, place.end)
        ),
    )  # fmt: skip


def entry(store: Scratch, mode: str, data: bytes | None) -> Entry | None:
    """Store new content and return its entry."""
    return None if data is None else Entry(mode=mode, oid=store.write(data))


def _cut(files: Sequence[File], found: Places, finder: Finder) -> dict[str, bytes | None] | Conflict:
    """Return the new contents, or the conflict where cuts overlap or an import has no sure place."""
    cuts: dict[str, list[Cut]] = {}
    for file in files:
        for place in found[file.name]:
            for cut in place.cuts:
                cuts.setdefault(cut.path, []).append(cut)
    known = {file.path: file.contents[2].lines for file in files if file.path is not None}
    result: dict[str, bytes | None] = {}
    for path, some in cuts.items():
        new = apply(known[path] if path in known else said.split(finder.read(path) or b""), some)
        if new is None:
            return conflicts.whole_file(path, "two parts of the change want the same lines")
        result[path] = b"".join(new)
    for file in files:
        if file.path is None:
            if file.side.a is None:
                result[file.out_path] = file.contents[1].data
            continue
        settled = _imports_settled(file, result.get(file.path, file.contents[2].data), found[file.name])
        if isinstance(settled, Conflict):
            return settled
        whole = file.side.b is None and (file.contents[2].data == file.contents[0].data or not settled.strip())
        if whole or settled != file.contents[2].data or file.out_path != file.path:
            result[file.path] = None if whole else settled
        if file.path in result and file.out_path != file.path:
            result[file.out_path], result[file.path] = result[file.path], None
    return result


def _imports_settled(file: File, data: bytes | None, found: Sequence[Place]) -> bytes | Conflict:
    mine = [place.hunk for place in found if place.fate is Fate.IMPORTS]
    if not mine:
        return data or b""
    settled = repairs.by_name(said.split(data or b""), *file.contents, mine)
    if settled is None:
        return conflicts.whole_file(file.shown, "the import has no sure place")
    return b"".join(settled)
