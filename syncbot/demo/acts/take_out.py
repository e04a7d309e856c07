"""Both fixes are built with; the guard is taken out where a plain revert would break a test module."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo import harbor
from syncbot.demo.builder import Builder
from syncbot.demo.stage import Stage, shown_edit, shown_status, stands, status_command
from syncbot.demo.telling import Step, check
from syncbot.model.edit import Direction


def take_out(stage: Stage) -> Iterator[Step]:
    """Move harbor's pin to v0.3.1, and take the guard out of a main that has gone on."""
    server, up, day = stage.harbor, dt.date(2026, 3, 20), dt.date(2026, 3, 23)
    server.commit("main", "Build with lumen 0.3.1 (#107)", harbor.pin("v0.3.0", "v0.3.1"), by=harbor.CLEO, day=up)
    long_rows, masked_tail = both = stage.status(up)
    yield Step(
        title="Both are ready",
        story="v0.3.1 has both fixes and harbor builds with it. The shift before softmax is marked for review: its "
        "manifest leaves the edit to a person.",
        command=status_command(up),
        shown=shown_status(both),
        checks=(
            check("masked-tail", "ready, present, remove", stands(masked_tail)),
            check("long-rows", "ready, present, review", stands(long_rows)),
        ),
    )

    server.commit("main", "Test batches (#106)", harbor.ADD_LATER_TEST, by=harbor.CLEO, day=up)
    reverted = _plain_revert(server, str(masked_tail.facts.workaround.introduced.commit))
    before = server.git.text("count-objects")
    result, texts = stage.edited("masked-tail", Direction.REMOVE)
    after = server.git.text("count-objects")
    server.commit("main", "Drop the NaN guard (#108)", harbor.DROP_GUARD, by=harbor.CLEO, day=day)
    (gone,) = stage.status(day, "masked-tail")
    yield Step(
        title="Taken out, verified",
        story="A newer test uses the import that the guard brought. A plain revert merges without a conflict and "
        "breaks the module; syncbot keeps the import and says so. Nothing is checked out, harbor gains no object.",
        command="syncbot remove masked-tail --repo harbor=harbor.git --onto main~2",
        shown=shown_edit(result),
        checks=(
            check("a plain revert leaves SimpleNamespace imported", False, harbor.IMPORT.strip() in reverted),
            check("and still used", True, "SimpleNamespace(" in reverted),
            check("outcome", "moved", result.outcome),
            check("repairs", "kept-import", ", ".join(repair.kind for repair in result.repairs)),
            check(
                "files as a careful person commits them",
                True,
                texts == {path: server.text(path) for path in (harbor.SCORES, harbor.TEST)},
            ),
            check("harbor's objects", before, after),
            check("masked-tail, once that is merged", "ready, absent, done", stands(gone)),
        ),
    )


def _plain_revert(server: Builder, commit: str) -> str:
    """The test module after ``git revert``, worked out without a work tree."""
    undone = server.git.text(
        "-c", "user.name=demo", "-c", "user.email=demo@example.com",
        "commit-tree", f"{commit}^^{{tree}}", "-p", commit, "-m", "undone",
    )  # fmt: skip
    return server.text(harbor.TEST, at=server.git.text("merge-tree", "--write-tree", "main", undone))
