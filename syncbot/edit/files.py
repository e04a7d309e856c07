"""The files of a change beside what is there today: contents, where each line went, and one flat tree a side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.edit import change
from syncbot.edit.align import Alignment
from syncbot.edit.change import Recorded, Side
from syncbot.edit.changed import Content
from syncbot.git.merge import Hunk, hunks
from syncbot.git.objects import GITLINK, Entry, Scratch, is_binary


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file of the change against today's branch. ``path`` is where it is today, None where it is gone.

    ``contents`` are the side that goes, the side that comes, and today's; ``name`` is its name in the flat trees.
    ``taken`` means that another file has, by now, the name that this one would get back.
    """

    name: str
    side: Side
    path: str | None
    h: Entry | None
    contents: tuple[Content, Content, Content]
    change: Sequence[Hunk]
    alignment: Alignment
    taken: bool = False

    @property
    def shown(self) -> str:
        """The path a person is told: today's, else the change's own."""
        return self.path or self.side.a_path

    @property
    def is_text(self) -> bool:
        """Whether its lines can be worked on."""
        entries = [entry for entry in (self.side.a, self.side.b, self.h) if entry is not None]
        return all(entry.is_regular for entry in entries) and not any(is_binary(c.data or b"") for c in self.contents)

    @property
    def is_gone(self) -> bool:
        """Whether the side that goes had it, and today's branch has it nowhere."""
        return self.path is None and self.side.a is not None

    @property
    def out_path(self) -> str:
        """Where the result puts it: a rename of the change itself is undone, a later one is kept."""
        return self.side.b_path if self.path in (None, self.side.a_path) else self.path or self.side.b_path

    @property
    def out_mode(self) -> str:
        """The mode of the result: today's, unless the change itself changed it and nobody did since."""
        a, b, h = self.side.a, self.side.b, self.h
        if a and b and h and a.mode != b.mode and h.mode == a.mode:
            return b.mode
        known = h or b or a
        assert known is not None
        return known.mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """All files of a change, and flat trees of the side that goes, the side that comes, and today."""

    files: tuple[File, ...] = ()
    goes: str = ""
    comes: str = ""
    today: str = ""
    unread: tuple[str, ...] = ()


def read(store: Scratch, sides: Sequence[Side], what: Recorded, base: str) -> Read:
    """Read every file of the change. ``unread`` names those whose content the clone lacks; then there are no files."""
    here = store.entries(base, [side.a_path for side in sides] + [side.b_path for side in sides])
    spots: list[tuple[str, Side, str | None, Entry | None]] = []
    for number, side in enumerate(sides):
        path = _today(store, side, here, what, base)
        spots.append((f"{number:04}", side, path, here.get(path) if path else None))
    known = [entry for _, side, _, h in spots for entry in (side.a, side.b, h) if entry is not None]
    blobs = store.read(entry.oid for entry in known if entry.mode != GITLINK)
    unread = sorted(
        {
            path
            for _, side, spot, h in spots
            for path, entry in ((side.a_path, side.a), (side.b_path, side.b), (spot or "", h))
            if entry is not None and entry.mode != GITLINK and entry.oid not in blobs
        }
    )
    if unread:
        return Read(unread=tuple(unread))
    goes, comes, today = store.flat_trees(
        [
            {name: side.a for name, side, _, _ in spots if side.a is not None},
            {name: side.b for name, side, _, _ in spots if side.b is not None},
            {name: h for name, _, _, h in spots if h is not None},
        ]
    )
    changed, since = hunks(store, goes, comes), hunks(store, goes, today)
    files = []
    for name, side, path, entry in spots:
        a, b, h = (
            Content(spot, None if one is None else blobs.get(one.oid, b""))
            for spot, one in ((side.a_path, side.a), (side.b_path, side.b), (path or side.a_path, entry))
        )
        # What git shows of a submodule or a symbolic link looks like lines, and is none.
        lines = all(one is None or one.is_regular for one in (side.a, side.b, entry))
        files.append(
            File(
                name=name, side=side, path=path, h=entry, contents=(a, b, h),
                change=changed.get(name, []) if lines else [],
                alignment=Alignment.of(a.lines, h.lines, since.get(name, []) if lines else []),
                taken=path == side.a_path != side.b_path and side.b_path in here,
            )
        )  # fmt: skip
    return Read(files=tuple(files), goes=goes, comes=comes, today=today)


def _today(store: Scratch, side: Side, here: dict[str, Entry], what: Recorded, base: str) -> str | None:
    """Return where the file is on the branch; entries found on the way are added to ``here``."""
    if side.a_path in here:
        return side.a_path
    if side.a is None:
        return side.b_path if side.b_path in here else None
    path = change.today(store, side.a_path, since=what.after, until=base)
    if path is not None:
        here |= store.entries(base, [path])
    return path
