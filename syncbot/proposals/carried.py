"""A workaround carried as a commit on a branch of its own: does it still go onto the project's head, and how.

What the branch carries is what its files differ by from where it left the project's history, in the files that the
introducing commit touched.
"""

from __future__ import annotations

from syncbot.edit.engine import edit
from syncbot.git.merge import changes
from syncbot.git.objects import Scratch
from syncbot.git.run import GitError
from syncbot.model.edit import Direction, EditResult
from syncbot.model.errors import CouldNotError
from syncbot.model.project import Workaround
from syncbot.proposals.patching import Applies, meets


def is_stale(store: Scratch, workaround: Workaround, tip: str, head: str) -> bool:
    """Whether what the branch at ``tip`` carries does not apply strictly to ``head``, nor is in it already.

    Raises `CouldNotError` where the two share no history or a file is missing here.
    """
    start = left_at(store, tip, head)
    paths = _own(store, workaround, start, tip)
    return bool(paths) and meets(store, head, store.patch(start, tip, paths)) is Applies.NOT


def left_at(store: Scratch, tip: str, head: str) -> str:
    """Return the commit where the branch left the history of ``head``."""
    try:
        return store.git.text("merge-base", tip, head)
    except GitError as error:
        raise CouldNotError("the branch shares no history with the project's own") from error


def _own(store: Scratch, workaround: Workaround, start: str, tip: str) -> list[str]:
    """The files that differ and that the workaround touches; all that differ where its commit is not known here."""
    differ = [change.path for change in changes(store, start, tip)]
    introduced = workaround.introduced.commit
    if introduced is None or store.git.attempt("cat-file", "-e", f"{introduced}^{{commit}}")[0] != 0:
        return differ
    touched = {change.path for parent in store.parents(introduced)[:1] for change in changes(store, parent, introduced)}
    return [path for path in differ if path in touched] if touched else differ


def carried_onto(store: Scratch, workaround: Workaround, tip: str, head: str) -> tuple[EditResult, str, bool]:
    """Return the change put onto ``head``, the whole tree of the branch there, and whether it carries nothing else.

    Raises `CouldNotError` where the branch has other changes to files that ``head`` changed as well.
    """
    start = left_at(store, tip, head)
    own = _own(store, workaround, start, tip)
    before, after = store.entries(start, own), store.entries(tip, own)
    change = store.commit(store.replace(start, {path: after.get(path) for path in own}), (start,), "carried")
    result = edit(store, direction=Direction.REBASE, commit=change, onto=head)
    others = [each for each in changes(store, start, tip) if each.path not in own]
    here = store.entries(head, [each.path for each in others])
    if clash := [each.path for each in others if here.get(each.path) not in (each.old, each.new)]:
        raise CouldNotError(f"the branch has other changes where today's base has some too: {', '.join(clash[:5])}")
    tree = result.tree
    if others and result.outcome.answered:
        tree = store.replace(tree, {each.path: each.new for each in others})
    commits = int(store.git.text("rev-list", "--count", f"{start}..{tip}", "--"))
    return result, tree, not others and commits == 1 and bool(before or after)
