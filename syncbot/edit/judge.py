"""A draft against the rules: first mended, then judged as a whole tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from syncbot.edit import data, python, repairs, verify
from syncbot.edit import lines as said
from syncbot.edit.align import Alignment
from syncbot.edit.changed import Changed, Content
from syncbot.edit.dangling import dangling
from syncbot.edit.drafts import Draft
from syncbot.edit.files import File
from syncbot.edit.needed import needed
from syncbot.edit.search import Search
from syncbot.git.merge import Hunk, hunks
from syncbot.git.objects import Scratch, blob, is_binary
from syncbot.git.run import GitError
from syncbot.model.edit import FileEdit, Method, Problem, ProblemKind, Repair
from syncbot.model.project import Marker

Pair = tuple[Changed, File | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judged draft: the resulting tree, what was mended, and the rules it breaks (none: it is an answer)."""

    draft: Draft
    tree: str
    files: tuple[Changed, ...]
    repairs: tuple[Repair, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    """What every draft of one run is held against: the branch, both sides of the change, and the manifest's markers."""

    store: Scratch
    base: str
    goes: str
    comes: str
    markers: Sequence[Marker]
    present: bool

    def judge(self, files: Sequence[File], draft: Draft) -> Verdict:
        """Mend the draft, then hold it against every rule."""
        pairs = self._pairs(files, draft)
        differences = self._differences(pairs)
        mended: list[Pair] = []
        notes: list[Repair] = []
        fixed = dict(draft.entries)
        for (file, source), difference in zip(pairs, differences, strict=True):
            new, repaired = repairs.mend(file, difference)
            notes += repaired
            if new is not None and new.data is not None:
                known = fixed.get(new.path)
                mode = known.mode if known is not None else source.out_mode if source is not None else "100644"
                fixed[new.path] = blob(self.store.write(new.data), mode)
            mended.append((file if new is None else replace(file, r=new), source))
        if notes:
            differences = self._differences(mended)
        tree = self.store.replace(self.base, fixed)
        judged = [_judged(pair, difference) for pair, difference in zip(mended, differences, strict=True)]
        changed = tuple(one.file for one in judged)
        problems = [problem for file in changed for problem in verify.broken(file)]
        if not problems:
            problems = self._rules(judged, draft, tree)
        return Verdict(
            draft=draft, tree=tree, files=changed, repairs=tuple(notes), problems=tuple(dict.fromkeys(problems))
        )

    def _pairs(self, files: Sequence[File], draft: Draft) -> list[Pair]:
        """Pair each file of the change, and each other file of the draft, with its four contents."""
        result: list[Pair] = []
        seen = set()
        for file in files:
            a, b, h = file.contents
            where = file.out_path if file.out_path in draft.files else file.shown
            after = draft.files.get(where, h.data)
            seen |= {where, file.shown}
            result.append((Changed(path=file.shown, a=a, b=b, h=h, r=Content(where, after)), file))
        others = [path for path in draft.files if path not in seen]
        sides = [self.store.entries(tree, others) for tree in (self.goes, self.comes, self.base)]
        blobs = self.store.read(entry.oid for side in sides for entry in side.values())
        for path in others:
            a, b, h = (Content(path, blobs.get(side[path].oid) if path in side else None) for side in sides)
            result.append((Changed(path=path, a=a, b=b, h=h, r=Content(path, draft.files[path])), None))
        return result

    def _differences(self, pairs: Sequence[Pair]) -> list[Sequence[Hunk]]:
        """Return the hunks between today's and the result's content of each file."""
        names = {f"{number:04}": file for number, (file, _) in enumerate(pairs) if file.h.data != file.r.data}
        if not names:
            return [[] for _ in pairs]
        old, new = (
            {name: blob(self.store.write(content.data)) for name, content in side if content.data is not None}
            for side in (
                [(name, file.h) for name, file in names.items()],
                [(name, file.r) for name, file in names.items()],
            )
        )
        found = hunks(self.store, *self.store.flat_trees([old, new]))
        return [found.get(f"{number:04}", []) for number in range(len(pairs))]

    def _rules(self, judged: Sequence[verify.Judged], draft: Draft, tree: str) -> list[Problem]:
        files = [one.file for one in judged]
        text = [one for one in judged if one.is_text]
        owned = verify.Owned.of(text)
        found_again = set(draft.found_again)
        problems = list(verify.doubled(text))
        if draft.method is not Method.DECLARED:
            # A person who declares an edit answers for what it takes.
            problems += verify.ownership(text, owned, draft.rewrapped, merged=draft.method is Method.THREE_WAY)
            problems += verify.left_behind(text, owned, found_again)
        lost = verify.lost_lines(text, owned, found_again)
        problems += verify.moved_within(lost)
        problems += verify.markers(files, self.markers, present=self.present)
        search = Search(self.store, result=tree, parent=self.comes, changed=files, moved=lost)
        try:
            return [*problems, *needed(search), *dangling(search), *self._moved_elsewhere(search, lost)]
        except GitError as error:
            unread = f"the search for uses could not read every file: {error}"
            return [*problems, Problem(kind=ProblemKind.UNREADABLE, path="", line=0, detail=unread)]

    def _moved_elsewhere(self, search: Search, lost: dict[str, verify.Judged]) -> list[Problem]:
        """Lost lines that stand in another file of the result, where they did not stand before."""
        hits: dict[str, dict[str, list[int]]] = {}
        for what, one in lost.items():
            found = search.hits.get(what, {})
            if sum(map(len, found.values())) > verify.COMMON:
                continue
            for path, lines in found.items():
                same = [hit.line for hit in lines if hit.text.strip() == what]
                if same and path not in (one.file.r.path, one.file.a.path):
                    hits.setdefault(path, {})[what] = same
        before = self.store.entries(self.goes, hits)
        blobs = self.store.read(entry.oid for entry in before.values())
        problems = []
        for path, whats in hits.items():
            old = [line.strip() for line in said.split(blobs.get(before[path].oid, b""))] if path in before else []
            problems += [
                Problem(kind=ProblemKind.MOVED_AWAY, path=path, line=where[0], detail=f"{what[:80]!r} was moved here")
                for what, where in whats.items()
                if len(where) > old.count(what.encode("utf-8", "surrogateescape"))
            ]
        return problems


def _judged(pair: Pair, difference: Sequence[Hunk]) -> verify.Judged:
    file, source = pair
    added = frozenset(i for hunk in difference for i in range(hunk.b0, hunk.b1))
    removed = frozenset(i for hunk in difference for i in range(hunk.a0, hunk.a1))
    nothing = Alignment.of([], file.h.lines, [Hunk(0, 0, 0, len(file.h.lines))])
    return verify.Judged(
        file=replace(file, added=added, removed=removed),
        alignment=source.alignment if source else nothing,
        change=source.change if source else (),
        result=difference,
        is_text=source.is_text if source else not is_binary(file.h.data or b""),
    )


def file_edits(verdict: Verdict) -> tuple[FileEdit, ...]:
    """Return the files that differ, as the answer tells them; a mode or a submodule alone counts no lines."""
    edits = {}
    for file in verdict.files:
        if file.h.data == file.r.data and file.h.path == file.r.path:
            continue
        binary = is_binary(file.h.data or b"") or is_binary(file.r.data or b"")
        judged = "python" if python.is_python(file.r.path) else "data" if data.is_data(file.r.path) else "lines"
        edits[file.r.path] = FileEdit(
            path=file.r.path, added=None if binary else len(file.added),
            removed=None if binary else len(file.removed), judged="lines" if binary else judged,
        )  # fmt: skip
    for path, entry in verdict.draft.entries.items():
        known = 0 if entry is None or entry.is_regular else None
        edits.setdefault(path, FileEdit(path=path, added=known, removed=known))
    return tuple(edits.values())
