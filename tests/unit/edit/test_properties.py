"""What must hold on any history: generated files, generated edits, real merges."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from histories import History
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from syncbot.edit.engine import edit
from syncbot.git.objects import Scratch
from syncbot.model.edit import Direction, Outcome

EXAMPLES = int(os.environ.get("SYNCBOT_EXAMPLES", "30"))

LINES = st.lists(
    st.sampled_from([f"value_{n} = {n}" for n in range(9)] + ["", "(", ")", "    indented_line = 1"]), max_size=14
)
SLOW = settings(max_examples=max(1, EXAMPLES // 6), deadline=None, suppress_health_check=list(HealthCheck))


def text(lines, *, end=True):
    return "\n".join(lines) + ("\n" if end and lines else "")


@SLOW
@given(before=LINES, after=LINES, end=st.booleans())
def test_removal_right_after_a_commit_gives_its_parent(before, after, end):
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "r")
        parent = history.commit({"a.txt": text(before, end=end).encode(), "keep": "1\n"})
        commit = history.commit({"a.txt": text(after).encode()})
        with Scratch(history.path) as store:
            result = edit(store, direction=Direction.REMOVE, commit=commit, onto=commit)
        assert result.tree == history.tree(parent)
        assert result.outcome in (Outcome.CLEAN, Outcome.EMPTY)


@SLOW
@given(before=LINES, after=LINES, other=LINES)
def test_removal_commutes_with_unrelated_edits(before, after, other):
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "r")
        history.commit({"a.txt": text(before).encode(), "b.txt": "x\n"})
        commit = history.commit({"a.txt": text(after).encode()})
        head = history.commit({"b.txt": text(other).encode() + b"y\n"})
        history.commit({"a.txt": text(before).encode()})
        with Scratch(history.path) as store:
            result = edit(store, direction=Direction.REMOVE, commit=commit, onto=head)
        assert result.tree == history.tree()


@SLOW
@given(before=LINES, after=LINES, later=LINES)
def test_no_conflict_marker_and_no_foreign_line_is_ever_written(before, after, later):
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "r")
        history.commit({"a.txt": text(before).encode(), "keep": "1\n"})
        commit = history.commit({"a.txt": text(after).encode()})
        head = history.commit({"a.txt": text(later).encode()})
        with Scratch(history.path) as store:
            result = edit(store, direction=Direction.REMOVE, commit=commit, onto=head)
            new = store.git.run("cat-file", "blob", f"{result.tree}:a.txt").decode()
        assert "<<<<<<<" not in new
        assert ">>>>>>>" not in new
        if not result.outcome.answered:
            assert result.tree == history.tree(head)
        for line in set(later) - set(after):
            assert new.split("\n").count(line) >= later.count(line) or not line.strip()
