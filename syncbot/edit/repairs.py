"""What is mended so that a result holds: imports kept, dropped or brought back, each of them reported. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.edit import imports, python
from syncbot.edit.changed import Changed, Content, new_faults
from syncbot.git.merge import Hunk
from syncbot.model.edit import Repair, RepairKind


def mend(file: Changed, difference: Sequence[Hunk]) -> tuple[Content | None, list[Repair]]:
    """Return the repaired content (None where nothing was to do) and what was done.

    A name the result lost but still uses gets its import back; an import that only the change used goes with it.
    """
    if file.r.tree is None or file.r.data is None or file.r.data == file.h.data:
        return None, []
    lines, repairs = list(file.r.lines), list[Repair]()
    mended = set()
    for fault in new_faults(file.h, file.r):
        kept = _named(file.h, fault.name)
        if kept is not None and kept.key not in file.r.imports:
            restored = _uncut(file, difference, kept) if not repairs else None
            restored = restored or imports.with_added(lines, kept, file.h.lines)
            kind, why = RepairKind.KEPT_IMPORT, f"{kept} stays: newer code uses it (line {fault.line})"
        else:
            kept = _named(file.b, fault.name)
            restored = (
                None if kept is None or kept.key in file.r.imports else imports.with_added(lines, kept, file.b.lines)
            )
            kind, why = RepairKind.RESTORED_IMPORT, f"{kept} comes back: what is restored uses it"
        if restored is None or kept is None or kept.key in mended:
            continue
        mended.add(kept.key)
        lines = restored
        repairs.append(Repair(kind=kind, path=file.r.path, line=_where(lines, kept), detail=why))
    now = Content(file.r.path, b"".join(lines)) if repairs else file.r
    for fault in now.faults.unused:
        item = next((i for i in now.imports.values() if i.start + 1 == fault.line and _says(i, fault.name)), None)
        if item is None or item.key not in file.a.imports or item.key in file.b.imports:
            continue
        if any(fault.name == before.name for before in file.h.faults.unused):
            continue
        dropped = imports.without(lines, item)
        if dropped is not None and len(dropped) <= len(lines):
            lines = dropped
            why = f"{item} goes: only the change used it"
            repairs.append(Repair(kind=RepairKind.DROPPED_IMPORT, path=file.r.path, line=fault.line, detail=why))
            now = Content(file.r.path, b"".join(lines))
    return (now, repairs) if repairs else (None, [])


def _named(content: Content, name: str) -> python.Imported | None:
    return next((item for item in content.imports.values() if item.bound == name), None)


def _says(item: python.Imported, told: str) -> bool:
    """Whether pyflakes' words for an unused import mean this one."""
    whole = item.name if item.module is None else f"{item.module.rstrip('.')}.{item.name}"
    return told in (
        whole,
        f"{whole} as {item.alias}",
        f"{item.module or ''}{item.name}",
        f"{item.module or ''}{item.name} as {item.alias}",
    )


def _where(lines: Sequence[bytes], item: python.Imported) -> int:
    tree = python.parse(b"".join(lines))
    found = [other for other in python.imports(tree) if other.key == item.key] if tree else []
    return found[0].start + 1 if found else 0


def _uncut(file: Changed, difference: Sequence[Hunk], item: python.Imported) -> list[bytes] | None:
    """Return the result with the hunk that took the import taken back, where that hunk held nothing else."""
    for hunk in difference:
        if hunk.a0 <= item.start and item.end <= hunk.a1 and hunk.b0 == hunk.b1:
            inside = range(item.start, item.end)
            if all(i in inside or not file.h.lines[i].strip() for i in range(hunk.a0, hunk.a1)):
                return [*file.r.lines[: hunk.b0], *file.h.lines[hunk.a0 : hunk.a1], *file.r.lines[hunk.b0 :]]
            # Other lines go with it: the statement alone is put where it stood.
            if all(not file.h.lines[i].strip() for i in range(hunk.a0, item.start)):
                return [*file.r.lines[: hunk.b0], *file.h.lines[hunk.a0 : item.end], *file.r.lines[hunk.b0 :]]
    return None


def by_name(lines: Sequence[bytes], a: Content, b: Content, h: Content, hunks: Sequence[Hunk]) -> list[bytes] | None:
    """Return the file with the names the hunks imported taken out of today's statements; None where that is not sure.

    What comes back is left to `mend`: only what is used is imported again.
    """
    goes = [
        item
        for item in a.imports.values()
        if item.key not in b.imports and item.key in h.imports
        and any(hunk.a0 < item.end and item.start < hunk.a1 for hunk in hunks)
    ]  # fmt: skip
    return imports.settle(lines, goes=goes, comes=(), like=b.lines)
