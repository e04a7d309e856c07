"""The edit engine: one change, one branch, one direction, and the tree that comes of it, or why there is none.

`edit` works in a `Scratch`, so nothing is written to the clone. The steps are tried in order, declared edits first,
then a three-way merge, then hunk by hunk; the first whose result keeps every rule of `syncbot.edit.verify` answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from syncbot.edit import change, conflicts, declared, drafts, files
from syncbot.edit.change import Recorded
from syncbot.edit.drafts import Draft
from syncbot.edit.files import File
from syncbot.edit.find import Finder
from syncbot.edit.judge import Court, Verdict, file_edits
from syncbot.edit.places import Fate
from syncbot.git.objects import Entry, Scratch
from syncbot.model.edit import Direction, EditResult, Method, Outcome, Problem, ProblemKind, Step
from syncbot.model.project import Removal
from syncbot.model.words import Scope

_MOST_FILES = 1000


def edit(store: Scratch, *, direction: Direction, commit: str, onto: str, removal: Removal | None = None) -> EditResult:
    """Take ``commit`` out of the commit ``onto``, or put it on, as far as ``removal`` says it is the workaround.

    ``commit`` is a commit, a merge (against its first parent) or a range ``OLD..NEW``; ``onto`` any commit. The tree of
    the answer is in ``store``. Raises `UnknownObjectError` for a commit the clone lacks; everything else is an outcome.
    """
    what = change.recorded(store, commit)
    return Engine(store, direction, what, store.commit_id(onto), removal or Removal()).run()


class Engine:
    """One run: what was read once, and the steps over it."""

    def __init__(self, store: Scratch, direction: Direction, what: Recorded, base: str, removal: Removal) -> None:
        self.store = store
        self.direction = direction
        self.what = what
        self.base = base
        self.removal = removal
        self.finder = Finder(store, base, what.after)
        self.notes: tuple[str, ...] = ()

    def run(self) -> EditResult:
        """Try the steps in order and return the first that holds, or the conflict."""
        removing = self.direction is Direction.REMOVE
        if self.removal.scope is Scope.EDITS:
            if removing:
                return self._declared()
            self._as_it_last_stood()
        without = self._without()
        goes, comes = (self.what.after, without) if removing else (without, self.what.after)
        paths = self.removal.paths if self.removal.scope is Scope.PATHS else ()
        sides = change.sides(self.store, goes, comes, paths)
        if not sides:
            return self._result(Outcome.EMPTY, Method.THREE_WAY)
        if len(sides) > _MOST_FILES:
            return self._refused(f"the change touches {len(sides)} files; more than {_MOST_FILES} is no workaround")
        read = files.read(self.store, sides, self.what, self.base)
        if read.unread:
            return self._refused(*(f"{path}: its content is not in this clone" for path in read.unread))
        return self._ladder(read, self._court(goes, comes))

    def _as_it_last_stood(self) -> None:
        """Put back what was taken out last, not what came in first: others may have worked on it in between."""
        last = declared.last_whole(self.store, self.removal, since=self.what.after, until=self.base)
        if last is not None:
            self.what = replace(self.what, after=last)
            self.finder = Finder(self.store, self.base, last)
            self.notes = (f"put back as it last stood, in {last[:12]}",)

    def _court(self, goes: str, comes: str) -> Court:
        return Court(
            store=self.store, base=self.base, goes=goes, comes=comes,
            markers=self.removal.markers, present=self.direction is Direction.REBASE,
        )  # fmt: skip

    def _without(self) -> str:
        """Return the tree that the change starts from, as the scope narrows it."""
        if self.removal.scope is Scope.EDITS:
            return declared.undone(self.store, self.what.after, self.removal.edits)
        if self.removal.scope is not Scope.SYMBOLS:
            return self.what.before
        changes: dict[str, Entry | None] = {}
        for side in change.sides(self.store, self.what.after, self.what.before):
            blobs = self.store.read(entry.oid for entry in (side.a, side.b) if entry is not None)
            a, b = (blobs.get(entry.oid, b"") if entry else b"" for entry in (side.a, side.b))
            new = change.narrowed(a, b, side.a_path, self.removal.symbols)
            if new != a and side.a is not None:
                kept = new.strip() or side.b
                changes[side.a_path] = Entry(mode=side.a.mode, oid=self.store.write(new)) if kept else None
        return self.store.replace(self.what.after, changes)

    def _ladder(self, read: files.Read, court: Court) -> EditResult:
        """Three-way, then guided; a draft that breaks a rule is not an answer."""
        verdict: Verdict | None = None
        places = drafts.places(read.files, self.finder)
        gone = any(file.is_gone for file in read.files) or any(
            place.fate in (Fate.GONE, Fate.PART, Fate.MOVED) for some in places.values() for place in some
        )
        merged = drafts.three_way(self.store, read)
        # A merge also succeeds where both sides took a line away; what became of it is for the hunks to say.
        if not merged.conflicts and not gone:
            verdict = court.judge(read.files, merged)
            if not verdict.problems:
                return self._answer(verdict)
        draft = drafts.hunk_by_hunk(self.store, read, places, merged, self.finder)
        if not draft.conflicts:
            # Also where nothing is left to do: it may be gone from here only because it moved.
            verdict = court.judge(read.files, draft)
            if not verdict.problems:
                return self._answer(verdict)
        return self._conflict(read.files, draft, verdict)

    def _declared(self) -> EditResult:
        """Do the edits the manifest declares on today's files."""
        edits = self.removal.edits
        if not edits:
            return self._refused("the manifest declares no edit: what is to be taken out is for a person to say")
        today = declared.contents(self.store, self.base, edits)
        made = declared.applied(edits, today, declared.contents(self.store, self.what.after, edits))
        if made.problems:
            clashes = tuple(conflicts.of_problem(problem) for problem in made.problems)
            return self._result(Outcome.CONFLICT, Method.DECLARED, problems=made.problems, conflicts=clashes)
        if made.empty:
            return self._result(Outcome.EMPTY, Method.DECLARED)
        new = {path: data for path, data in made.files.items() if data != today.get(path)}
        draft = Draft(
            method=Method.DECLARED,
            files=new,
            entries={path: drafts.entry(self.store, self.finder.mode(path), data) for path, data in new.items()},
            partial=made.partial,
            steps=tuple(
                Step(method=Method.DECLARED, path=one.path, line=0, met=f"{one.kind} {one.target.strip()[:60]!r}")
                for one in edits
            ),
        )
        verdict = self._court(self.what.after, self.what.before).judge((), draft)
        return self._conflict((), draft, verdict) if verdict.problems else self._answer(verdict)

    # Answers.

    def _answer(self, verdict: Verdict) -> EditResult:
        """Return the result of a draft that kept every rule."""
        draft = verdict.draft
        if verdict.tree == self._base_tree:
            return self._result(Outcome.EMPTY, draft.method, steps=draft.steps)
        outcome = Outcome.CLEAN
        if draft.partial:
            outcome = Outcome.PARTIAL
        elif draft.method is Method.GUIDED or verdict.repairs:
            outcome = Outcome.MOVED
        return self._result(
            outcome,
            draft.method,
            tree=verdict.tree,
            files=file_edits(verdict),
            repairs=verdict.repairs,
            steps=draft.steps,
        )

    def _conflict(self, known: Sequence[File], draft: Draft, verdict: Verdict | None) -> EditResult:
        """Return why there is no answer, with who touched the lines in question."""
        problems = verdict.problems if verdict is not None else ()
        clashes = draft.conflicts or tuple(conflicts.of_problem(problem) for problem in problems)
        told = conflicts.with_culprits(self.store, clashes, known, since=self._since(), until=self.base)
        return self._result(
            Outcome.CONFLICT, draft.method, problems=problems, conflicts=told, steps=draft.steps,
            repairs=verdict.repairs if verdict else (),
        )  # fmt: skip

    def _since(self) -> str | None:
        """Return the commit from which on somebody may have touched the lines."""
        status, output = self.store.git.result("merge-base", self.what.after, self.base, ok=(0, 1))
        return output.decode("ascii").split("\n")[0] if status == 0 else None

    def _refused(self, *details: str) -> EditResult:
        """Return a conflict that no step could even begin with."""
        problems = tuple(Problem(kind=ProblemKind.UNREADABLE, path="", line=0, detail=detail) for detail in details)
        return self._result(Outcome.CONFLICT, Method.THREE_WAY, problems=problems)

    @cached_property
    def _base_tree(self) -> str:
        return self.store.git.text("rev-parse", self.base + "^{tree}")

    def _result(self, outcome: Outcome, method: Method, *, tree: str | None = None, **rest: Any) -> EditResult:
        return EditResult(
            direction=self.direction, outcome=outcome, method=method, commit=self.what.commit, base=self.base,
            tree=tree or self._base_tree, notes=self.notes,
            commands=conflicts.commands(self.direction, self.what, self.base), **rest,
        )  # fmt: skip
