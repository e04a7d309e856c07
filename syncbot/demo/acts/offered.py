"""The pin reaches the fix, leaves it, and reaches it again; the proposal follows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo import harbor
from syncbot.demo.lumen import BO, FIX_MASK, SOFTMAX_BLOCKS, version
from syncbot.demo.stage import NEXT, REASON, ROW, Stage
from syncbot.demo.telling import Shown, Step, check, excerpt, step


def offered(stage: Stage) -> Iterator[Step]:
    """Move harbor's pin to v0.2.1, to v0.3.0 and to v0.3.1."""
    server, by = stage.harbor, harbor.CLEO
    stage.day = dt.date(2026, 3, 10)
    server.commit("main", "Build with lumen 0.2.1 (#104)", harbor.pin("v0.2.0", "v0.2.1"), by=by, day=stage.day)
    shown, stands = stage.status(ROW, NEXT, REASON)
    wrote, left = stage.sync(r"\S"), stage.left()
    (proposal,) = stage.proposals()
    read = Shown(command=f"less {proposal.folder.relative_to(stage.folder)}/body.md", lines=_read(proposal.body))
    yield step(
        "offered",
        shown=(shown, wrote, read),
        checks=(
            check("stage, fit, decision", "ready, present, remove", stands),
            check("proposed", "draft", proposal.stands),
            check("its patch takes the guard out", True, f"-{harbor.GUARD}" in proposal.patch.decode()),
            check("a second run writes", 0, left),
        ),
    )

    stage.day = dt.date(2026, 3, 12)
    server.commit("main", "Build with lumen 0.3.0 (#105)", harbor.pin("v0.2.1", "v0.3.0"), by=by, day=stage.day)
    shown, stands = stage.status(ROW, NEXT, REASON)
    wrote = stage.sync()
    yield step(
        "withdrawn",
        shown=(shown, wrote),
        checks=(
            check("stage, fit, decision", "regressed, present, keep", stands),
            check("still there", "draft", proposal.stands),
            check("labels", "workaround, syncbot-not-now", ", ".join(proposal.table["labels"])),
            check("comments", 1, len(proposal.comments)),
        ),
    )
    yield _again(stage)


def _again(stage: Stage) -> Step:
    lumen, server, by = stage.lumen, stage.harbor, harbor.CLEO
    stage.day = dt.date(2026, 3, 18)
    wrong = lumen.commit("release/0.3", "Call it 0.3.1", [version("0.3.1")], by=BO, day=stage.day)
    lumen.tag("v0.3.1", wrong)
    stage.run("syncbot sync --apply $R")
    stage.day = dt.date(2026, 3, 19)
    squash = lumen.commit(
        "release/0.3", "Backports for 0.3.1 (#19)", [FIX_MASK, SOFTMAX_BLOCKS], by=BO, day=stage.day,
        body="* Read nothing past the mask (#14)\n* Compute softmax in blocks (#12)",
    )  # fmt: skip
    lumen.tag("v0.3.1", squash)
    stage.day = dt.date(2026, 3, 20)
    server.commit("main", "Test batches (#106)", harbor.ADD_LATER_TEST, by=by, day=stage.day)
    server.commit("main", "Build with lumen 0.3.1 (#107)", harbor.pin("v0.3.0", "v0.3.1"), by=by, day=stage.day)
    shown, stands = stage.status(ROW, NEXT)
    reverted = _plain_revert(stage)
    before = server.git.text("count-objects")
    edited = stage.show(f"syncbot remove {harbor.ID} $R")
    wrote, left = stage.sync(), stage.left()
    after = server.git.text("count-objects")
    (proposal,) = stage.proposals()
    careful = server.edited("main", harbor.DROP_GUARD)
    return step(
        "rebuilt",
        shown=(shown, edited, wrote),
        checks=(
            check("stage, fit, decision", "ready, present, remove", stands),
            check("a tag that moved is told", True, "v0.3.1" in wrote.lines[0] and "moved" in wrote.lines[0]),
            check("a plain revert keeps the import", False, harbor.IMPORT.strip() in reverted),
            check("though it is still used", True, "SimpleNamespace(" in reverted),
            check("files as a careful person commits them", True, server.patched("main", proposal.patch) == careful),
            check("labels", "workaround", ", ".join(proposal.table["labels"])),
            check("harbor's objects", before, after),
            check("a second run writes", 0, left),
        ),
    )


def _read(body: str) -> tuple[str, ...]:
    """The lines of a proposal's text that say the most."""
    return tuple(line[:116] for line in excerpt(body, r"^\*\*Why it can", r"^\| `image`", r"^- \[", "Still a draft"))


def _plain_revert(stage: Stage) -> str:
    """The test module after ``git revert``, worked out without a work tree."""
    server = stage.harbor
    guard = server.git.text("log", "-1", "--format=%H", "--grep=(#101)", "main")
    store = ("-c", "user.name=demo", "-c", "user.email=demo@example.com")
    undone = server.git.text(*store, "commit-tree", f"{guard}^^{{tree}}", "-p", guard, "-m", "undone")
    return server.text(harbor.TEST, at=server.git.text("merge-tree", "--write-tree", "main", undone))
