"""The edit engine: one change, one branch, one direction, and the tree that comes of it, or why there is none.

`edit` works in a `Scratch`, so nothing is written to the clone. The steps are tried in order, declared edits first, then
a three-way merge, then hunk by hunk; the first whose result keeps every rule of `syncbot.edit.verify` answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from syncbot.edit import change, conflicts, declared, guided, python, repairs, verify
from syncbot.edit import lines as said
from syncbot.edit.align import Alignment
from syncbot.edit.change import Recorded, Side
from syncbot.edit.changed import Changed, Content
from syncbot.edit.elsewhere import Search
from syncbot.edit.find import Finder
from syncbot.git.merge import Hunk, hunks, merge
from syncbot.git.objects import Entry, Scratch, is_binary
from syncbot.model.edit import Conflict, Direction, EditResult, FileEdit, Method, Outcome, Problem, ProblemKind, Repair, Step
from syncbot.model.project import Removal
from syncbot.model.words import Scope

_MOST_FILES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file of the change against today's branch. ``path`` is where it is today, None where it is gone."""

    side: Side
    path: str | None
    h: Entry | None
    contents: tuple[Content, Content, Content]
    change: Sequence[Hunk]
    alignment: Alignment

    @property
    def name(self) -> str:
        """The path a person is told: today's, else the change's own."""
        return self.path or self.side.a_path

    @property
    def is_text(self) -> bool:
        """Whether its lines can be worked on."""
        entries = [entry for entry in (self.side.a, self.side.b, self.h) if entry is not None]
        return all(entry.is_regular for entry in entries) and not any(is_binary(c.data or b"") for c in self.contents)

    @property
    def out_path(self) -> str:
        """Where the result puts it: a rename of the change itself is undone, a later one is kept."""
        return self.side.b_path if self.path in (None, self.side.a_path) else self.path or self.side.b_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a step made of today's files: ``files`` by path (None: taken out), before it is judged."""

    method: Method
    files: dict[str, bytes | None]
    entries: dict[str, Entry | None]
    found_again: frozenset[tuple[str, int]] = frozenset()
    moved: bool = False
    partial: bool = False
    empty: bool = False
    steps: tuple[Step, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judged draft."""

    draft: Draft
    tree: str
    files: tuple[Changed, ...]
    repairs: tuple[Repair, ...]
    problems: tuple[Problem, ...]


def edit(
    store: Scratch, *, direction: Direction, commit: str, onto: str, removal: Removal | None = None
) -> EditResult:
    """Take ``commit`` out of the commit ``onto``, or put it on, as far as ``removal`` says it is the workaround.

    ``commit`` is a commit, a merge (against its first parent) or a range ``OLD..NEW``; ``onto`` any commit. The tree of
    the answer is in ``store``. Raises `UnknownObjectError` for a commit the clone lacks; everything else is an outcome.
    """
    removal = removal or Removal()
    what = change.recorded(store, commit)
    base = store.commit_id(onto)
    return Engine(store, direction, what, base, removal).run()


class Engine:
    """One run: what was read once, and the steps over it."""

    def __init__(self, store: Scratch, direction: Direction, what: Recorded, base: str, removal: Removal) -> None:
        self.store = store
        self.direction = direction
        self.what = what
        self.base = base
        self.removal = removal
        self.finder = Finder(store, base, what.after)
        self.steps: list[Step] = []

    def run(self) -> EditResult:
        """Try the steps in order and return the first that holds, or the conflict."""
        if self.removal.scope is Scope.EDITS and self.direction is Direction.REMOVE:
            return declared.run(self)
        with_change, without = self.what.after, self.what.before
        if self.removal.scope is Scope.SYMBOLS:
            without = self._symbols_only()
        elif self.removal.scope is Scope.EDITS:
            without = declared.undone(self.store, self.what.after, self.removal.edits)
        goes, comes = (with_change, without) if self.direction is Direction.REMOVE else (without, with_change)
        self.goes, self.comes = goes, comes
        paths = self.removal.paths if self.removal.scope is Scope.PATHS else ()
        found = change.sides(self.store, goes, comes, paths)
        if not found:
            return self.result(Outcome.EMPTY, Method.THREE_WAY)
        if len(found) > _MOST_FILES:
            return self.refused(f"the change touches {len(found)} files; more than {_MOST_FILES} is no workaround")
        files, unread = self.read(found)
        if unread:
            return self.refused(*(f"{path}: its content is not in this clone" for path in unread))
        return self.ladder(files)

    def _symbols_only(self) -> str:
        """Return the tree of the change with only the named symbols undone."""
        changes = {}
        for side in change.sides(self.store, self.what.after, self.what.before):
            blobs = self.store.read(entry.oid for entry in (side.a, side.b) if entry is not None)
            a = blobs.get(side.a.oid, b"") if side.a else b""
            b = blobs.get(side.b.oid, b"") if side.b else b""
            new = change.narrowed(a, b, side.a_path, self.removal.symbols)
            if new != a and side.a is not None:
                mode = side.a.mode
                changes[side.a_path] = Entry(mode=mode, oid=self.store.write(new)) if new.strip() or side.b else None
        return self.store.replace(self.what.after, changes)

    def read(self, found: Sequence[Side]) -> tuple[list[File], list[str]]:
        """Return each file of the change with its three contents and alignments, and the paths that cannot be read."""
        here = self.store.entries(self.base, [side.a_path for side in found] + [side.b_path for side in found])
        where: list[tuple[str | None, Entry | None]] = []
        for side in found:
            path: str | None = side.a_path if side.a_path in here else None
            if path is None and side.a is not None:
                path = change.today(self.store, side.a_path, since=self.what.after, until=self.base)
                if path is not None:
                    here |= self.store.entries(self.base, [path])
            if path is None and side.a is None and side.b_path in here:
                path = side.b_path
            where.append((path, here.get(path) if path else None))
        oids = [e.oid for side in found for e in (side.a, side.b) if e is not None and e.mode != "160000"]
        blobs = self.store.read([*oids, *(entry.oid for _, entry in where if entry is not None and entry.mode != "160000")])
        named = {f"{number:04}": (side, spot) for number, (side, spot) in enumerate(zip(found, where, strict=True))}
        trees = self.store.flat_trees(
            [
                {name: side.a for name, (side, _) in named.items() if side.a is not None},
                {name: side.b for name, (side, _) in named.items() if side.b is not None},
                {name: entry for name, (_, (_, entry)) in named.items() if entry is not None},
            ]
        )
        self.flat = trees
        files, unread = [], []
        for side, (path, entry) in named.values():
            unread += [
                spot
                for spot, one in ((side.a_path, side.a), (side.b_path, side.b), (path, entry))
                if one is not None and one.mode != "160000" and one.oid not in blobs and spot is not None
            ]
        if unread:
            return [], sorted(set(unread))
        changed, today = hunks(self.store, trees[0], trees[1]), hunks(self.store, trees[0], trees[2])
        for name, (side, (path, entry)) in named.items():
            a, b, h = (
                Content(spot, None if one is None else blobs.get(one.oid, b""))
                for spot, one in ((side.a_path, side.a), (side.b_path, side.b), (path or side.a_path, entry))
            )
            alignment = Alignment.of(a.lines, h.lines, today.get(name, []))
            files.append(
                File(side=side, path=path, h=entry, contents=(a, b, h), change=changed.get(name, []), alignment=alignment)
            )
        return files, []

    def ladder(self, files: Sequence[File]) -> EditResult:
        """Three-way, then guided; a draft that breaks a rule is not an answer."""
        verdicts: list[Verdict] = []
        places = {file.name: self._places(file) for file in files if file.is_text}
        lost = any(place.fate in (guided.Fate.GONE, guided.Fate.PART, guided.Fate.MOVED) for some in places.values() for place in some)
        lost = lost or any(file.path is None and file.side.a is not None for file in files)
        draft = self._three_way(files)
        if not draft.conflicts and not lost:
            verdict = self.judge(files, draft)
            if not verdict.problems:
                return self.answer(verdict)
            verdicts.append(verdict)
        guided_draft = self._guided(files, places, draft)
        if not guided_draft.conflicts:
            if guided_draft.empty:
                return self.result(Outcome.EMPTY, Method.GUIDED, steps=guided_draft.steps)
            verdict = self.judge(files, guided_draft)
            if not verdict.problems:
                return self.answer(verdict)
            verdicts.append(verdict)
        last = verdicts[-1] if verdicts else None
        return self.conflict(files, guided_draft, last)

    def _places(self, file: File) -> list[guided.Place]:
        a, b, h = file.contents
        if file.path is None and file.side.a is not None:
            return self._file_gone(file)
        sides = guided.Sides(
            path=file.name, a=a.lines, b=b.lines, h=h.lines, alignment=file.alignment,
            tree_a=a.tree, tree_b=b.tree, tree_h=h.tree, elsewhere=self.finder.function,
        )  # fmt: skip
        if (file.side.a is None or file.side.b is None) and a.data is not None:
            if h.data == a.data:
                return [guided.Place(Hunk(0, len(a.lines), 0, 0), guided.Fate.THERE)]
        return guided.places(sides, file.change)

    def _file_gone(self, file: File) -> list[guided.Place]:
        a, b, _ = file.contents
        sides = guided.Sides(
            path=file.name, a=a.lines, b=b.lines, h=[], alignment=Alignment.of(a.lines, [], [Hunk(0, len(a.lines), 0, 0)]),
            tree_a=a.tree, tree_b=b.tree, tree_h=None, elsewhere=self.finder.function,
        )  # fmt: skip
        found = []
        for hunk in file.change:
            moved = guided.relocated(sides, hunk)
            found.append(moved or guided.Place(hunk, guided.Fate.GONE))
        return found

    def _three_way(self, files: Sequence[File]) -> Draft:
        merged = merge(self.store, base=self.flat[0], ours=self.flat[2], theirs=self.flat[1])
        named = {f"{number:04}": file for number, file in enumerate(files)}
        entries = self.store.listing(merged.tree)
        blobs = self.store.read(entry.oid for entry in entries.values() if entry.is_regular)
        put: dict[str, Entry | None] = {}
        data: dict[str, bytes | None] = {}
        clashes = []
        for name, file in named.items():
            entry = entries.get(name)
            if name in merged.conflicts:
                clashes.append(conflicts.whole_file(file.name, "a three-way merge conflicts here"))
                continue
            if entry == file.h and file.out_path == file.path:
                continue
            if file.path is not None and file.out_path != file.path:
                put[file.path], data[file.path] = None, None
            put[file.out_path] = entry
            data[file.out_path] = None if entry is None else blobs.get(entry.oid, b"")
        steps = tuple(Step(method=Method.THREE_WAY, path=one.path, line=0, met=one.reason) for one in clashes)
        steps = steps or (Step(method=Method.THREE_WAY, path="", line=0, met="merges"),)
        return Draft(method=Method.THREE_WAY, files=data, entries=put, steps=steps, conflicts=tuple(clashes))

    def _guided(self, files: Sequence[File], places: dict[str, list[guided.Place]], merged: Draft) -> Draft:
        cuts: dict[str, list[guided.Cut]] = {}
        clashes: list[Conflict] = []
        steps = list(merged.steps)
        found_again: set[tuple[str, int]] = set()
        fates: set[guided.Fate] = set()
        data: dict[str, bytes | None] = {}
        entries: dict[str, Entry | None] = {}
        stuck = {conflict.path for conflict in merged.conflicts}
        for file in files:
            if not file.is_text or (not file.change and file.side.a != file.side.b):
                if file.name in stuck:
                    clashes.append(conflicts.whole_file(file.name, "no file of lines, and changed on both sides"))
                for path in (file.path, file.out_path):
                    if path is not None and path in merged.entries:
                        data[path], entries[path] = merged.files[path], merged.entries[path]
                        fates.add(guided.Fate.THERE)
                continue
            for place in places[file.name]:
                fates.add(place.fate)
                steps.append(conflicts.step(file, place))
                if place.fate is guided.Fate.STUCK:
                    clashes.append(conflicts.at(file, place))
                if place.fate in (guided.Fate.MOVED, guided.Fate.REFORMATTED):
                    found_again |= {(file.contents[0].path, i) for i in range(place.hunk.a0, place.hunk.a1)}
                for cut in place.cuts:
                    cuts.setdefault(cut.path, []).append(cut)
        if not clashes:
            made = self._cut(files, places, cuts)
            if isinstance(made, Conflict):
                clashes.append(made)
            else:
                for path, new in made.items():
                    data[path] = new
                    entries[path] = self._entry(files, path, new)
        gone = {guided.Fate.GONE, guided.Fate.PART, guided.Fate.DONE}
        return Draft(
            method=Method.GUIDED, files=data, entries=entries, found_again=frozenset(found_again), moved=True,
            partial=bool(fates & gone), empty=not clashes and not data, steps=tuple(steps), conflicts=tuple(clashes),
        )  # fmt: skip

    def _cut(
        self, files: Sequence[File], places: dict[str, list[guided.Place]], cuts: dict[str, list[guided.Cut]]
    ) -> dict[str, bytes | None] | Conflict:
        """Return the new contents, or the conflict where cuts overlap or an import has no sure place."""
        known = {file.path: file for file in files if file.path is not None}
        result: dict[str, bytes | None] = {}
        for path, some in cuts.items():
            lines = known[path].contents[2].lines if path in known else said.split(self.finder.read(path) or b"")
            new = guided.apply(lines, some)
            if new is None:
                return conflicts.whole_file(path, "two parts of the change want the same lines")
            result[path] = b"".join(new)
        for file in files:
            if not file.is_text or file.path is None:
                continue
            a, b, h = file.contents
            mine = [place.hunk for place in places[file.name] if place.fate is guided.Fate.IMPORTS]
            if mine:
                lines = said.split(result.get(file.path, h.data) or b"")
                settled = repairs.by_name(lines, a, b, h, mine)
                if settled is None:
                    return conflicts.whole_file(file.path, "the import has no sure place")
                if b"".join(settled) != h.data:
                    result[file.path] = b"".join(settled)
            if file.path in result:
                if file.side.b is None and not (result[file.path] or b"").strip():
                    result[file.path] = None
                if file.out_path != file.path:
                    result[file.out_path], result[file.path] = result[file.path], None
            elif places[file.name] and file.side.b is None and h.data == a.data:
                result[file.path] = None
        for file in files:
            if file.side.a is None and file.path is None and file.is_text:
                result[file.out_path] = file.contents[1].data
        return result

    def _entry(self, files: Iterable[File], path: str, new: bytes | None) -> Entry | None:
        if new is None:
            return None
        for file in files:
            if path in (file.path, file.out_path):
                mode = (file.h or file.side.b or file.side.a or Entry(mode="100644", oid="")).mode
                if file.side.a and file.side.b and file.h and file.side.a.mode != file.side.b.mode and file.h.mode == file.side.a.mode:
                    mode = file.side.b.mode
                return Entry(mode=mode, oid=self.store.write(new))
        return Entry(mode=self.finder.mode(path), oid=self.store.write(new))

    # Judging.

    def changed(self, files: Sequence[File], draft: Draft) -> list[tuple[Changed, File | None]]:
        """Pair each file of the draft with its four contents."""
        result: list[tuple[Changed, File | None]] = []
        seen = set()
        empty = Content("", None)
        for file in files:
            a, b, h = file.contents
            where = file.out_path if file.out_path in draft.files else file.name
            after = draft.files[where] if where in draft.files else h.data
            seen |= {where, file.name}
            result.append((Changed(path=file.name, a=a, b=b, h=h, r=Content(where, after)), file))
        for path, data in draft.files.items():
            if path not in seen:
                before = Content(path, self.finder.read(path))
                result.append((Changed(path=path, a=replace(empty, path=path), b=replace(empty, path=path), h=before, r=Content(path, data)), None))
        return result

    def _differences(self, pairs: Sequence[tuple[Changed, File | None]]) -> list[Sequence[Hunk]]:
        """Return the hunks between today's and the result's content of each file."""
        names = {f"{number:04}": file for number, (file, _) in enumerate(pairs) if file.h.data != file.r.data}
        old, new = self.store.flat_trees(
            [
                {name: Entry(mode="100644", oid=self.store.write(file.h.data)) for name, file in names.items() if file.h.data is not None},
                {name: Entry(mode="100644", oid=self.store.write(file.r.data)) for name, file in names.items() if file.r.data is not None},
            ]
        )
        found = hunks(self.store, old, new) if names else {}
        return [found.get(f"{number:04}", []) for number in range(len(pairs))]

    def judge(self, files: Sequence[File], draft: Draft) -> Verdict:
        """Repair the draft, then hold it against every rule."""
        pairs = self.changed(files, draft)
        differences = self._differences(pairs)
        mended, notes = [], []
        for (file, source), difference in zip(pairs, differences, strict=True):
            lines, repair = repairs.mend(file, difference)
            notes += repair
            if lines is not None:
                data = b"".join(lines)
                draft.files[file.r.path] = data
                draft.entries[file.r.path] = self._entry(files, file.r.path, data)
                file = replace(file, r=Content(file.r.path, data))
            mended.append((file, source))
        if notes:
            differences = self._differences(mended)
        tree = self.store.replace(self.base, draft.entries)
        judged = []
        for (file, source), difference in zip(mended, differences, strict=True):
            added = frozenset(i for hunk in difference for i in range(hunk.b0, hunk.b1))
            removed = frozenset(i for hunk in difference for i in range(hunk.a0, hunk.a1))
            whole = replace(file, added=added, removed=removed)
            alignment = source.alignment if source else Alignment.of([], file.h.lines, [Hunk(0, 0, 0, len(file.h.lines))])
            judged.append(verify.Judged(file=whole, alignment=alignment, change=source.change if source else (), result=difference))
        changed = tuple(one.file for one in judged)
        problems = [problem for file in changed for problem in verify.broken(file)]
        if not problems:
            problems = self._rules(judged, draft, tree)
        return Verdict(draft=draft, tree=tree, files=changed, repairs=tuple(notes), problems=tuple(dict.fromkeys(problems)))

    def _rules(self, judged: Sequence[verify.Judged], draft: Draft, tree: str) -> list[Problem]:
        text = [one for one in judged if not any(is_binary(c.data or b"") for c in (one.file.h, one.file.r))]
        owned = verify.Owned.of(text)
        found_again = set(draft.found_again)
        problems = [*verify.ownership(text, owned), *verify.left_behind(text, owned, found_again)]
        lost = verify.lost_lines(text, owned, found_again)
        problems += verify.moved_within(lost)
        removing = self.direction is Direction.REMOVE
        problems += verify.markers([one.file for one in judged], self.removal.markers, present=not removing)
        search = Search(self.store, result=tree, parent=self.comes, changed=[one.file for one in judged], moved=lost)
        problems += search.problems()
        problems += self._moved_elsewhere(search, lost)
        return problems

    def _moved_elsewhere(self, search: Search, lost: dict[str, verify.Judged]) -> list[Problem]:
        """Lost lines that stand in another file of the result, where they did not stand before."""
        hits: dict[str, dict[str, int]] = {}
        for what, one in lost.items():
            for path, found in search.hits.get(what, {}).items():
                same = [hit for hit in found if hit.text.strip() == what]
                if same and path not in (one.file.r.path, one.file.a.path):
                    hits.setdefault(path, {})[what] = len(same)
        if not hits:
            return []
        before = self.store.entries(self.goes, hits)
        blobs = self.store.read(entry.oid for entry in before.values())
        problems = []
        for path, found in hits.items():
            old = [line.strip() for line in said.split(blobs.get(before[path].oid, b"")) ] if path in before else []
            for what, count in found.items():
                if count > old.count(what.encode("utf-8", "surrogateescape")):
                    line = search.hits[what][path][0].line
                    problems.append(
                        Problem(kind=ProblemKind.MOVED_AWAY, path=path, line=line, detail=f"{what[:80]!r} was moved here")
                    )
        return problems

    # Answers.

    def answer(self, verdict: Verdict) -> EditResult:
        """Return the result of a draft that kept every rule."""
        draft = verdict.draft
        if all(file.h.data == file.r.data and file.h.path == file.r.path for file in verdict.files) and verdict.tree == self.store.git.text(
            "rev-parse", self.base + "^{tree}"
        ):
            return self.result(Outcome.EMPTY, draft.method, steps=draft.steps)
        outcome = Outcome.CLEAN
        if draft.partial:
            outcome = Outcome.PARTIAL
        elif draft.moved or verdict.repairs:
            outcome = Outcome.MOVED
        return self.result(
            outcome, draft.method, tree=verdict.tree, files=_file_edits(verdict.files), repairs=verdict.repairs, steps=draft.steps
        )

    def conflict(self, files: Sequence[File], draft: Draft, verdict: Verdict | None) -> EditResult:
        """Return why there is no answer, with who touched the lines in question."""
        problems = verdict.problems if verdict is not None else ()
        clashes = draft.conflicts
        if verdict is not None and not clashes:
            clashes = tuple(conflicts.of_problem(problem) for problem in problems)
        told = conflicts.with_culprits(self.store, clashes, files, since=self._since(), until=self.base)
        return self.result(
            Outcome.CONFLICT, draft.method, problems=problems, conflicts=told, steps=draft.steps,
            repairs=verdict.repairs if verdict else (),
        )  # fmt: skip

    def _since(self) -> str | None:
        if self.store.is_ancestor(self.what.after, self.base):
            return self.what.after
        status, output = self.store.git.result("merge-base", self.what.after, self.base, ok=(0, 1))
        return output.decode().strip() if status == 0 else None

    def refused(self, *details: str) -> EditResult:
        """Return a conflict that no step could even begin with."""
        problems = tuple(Problem(kind=ProblemKind.UNREADABLE, path="", line=0, detail=detail) for detail in details)
        return self.result(Outcome.CONFLICT, Method.THREE_WAY, problems=problems)

    def result(self, outcome: Outcome, method: Method, *, tree: str | None = None, **rest: object) -> EditResult:
        """Return an `EditResult` with the fields every answer shares."""
        return EditResult(
            direction=self.direction, outcome=outcome, method=method, commit=self.what.commit, base=self.base,
            tree=tree or self.store.git.text("rev-parse", self.base + "^{tree}"),
            commands=conflicts.commands(self.direction, self.what, self.base), **rest,  # type: ignore[arg-type]
        )  # fmt: skip


def _file_edits(files: Iterable[Changed]) -> tuple[FileEdit, ...]:
    edits = []
    for file in files:
        if file.h.data == file.r.data and file.h.path == file.r.path:
            continue
        binary = is_binary(file.h.data or b"") or is_binary(file.r.data or b"")
        judged = "python" if python.is_python(file.r.path) else "data" if verify.data.is_data(file.r.path) else "lines"
        edits.append(
            FileEdit(
                path=file.r.path, added=None if binary else len(file.added),
                removed=None if binary else len(file.removed), judged="lines" if binary else judged,
            )
        )  # fmt: skip
    return tuple(edits)
