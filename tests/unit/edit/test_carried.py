"""Patch-files and branches carried onto a moving base."""

from __future__ import annotations

import pytest

from syncbot.edit.carried import PatchState, applied, carry_commit, carry_patch
from syncbot.model.edit import Outcome
from syncbot.model.errors import UsageError

OPS = "import torch\n\n\ndef first(x):\n    return x\n\n\ndef logits(x):\n    out = x @ x\n    return out\n"
GUARDED = OPS.replace("    return out\n", "    out.clean_()\n    return out\n")


@pytest.fixture
def carried(history):
    """A patch made on its own base, and the base."""
    base = history.commit({"ops.py": OPS})
    made = history.commit({"ops.py": GUARDED})
    patch = b"Why: upstream bug\n\n" + history.raw("diff", "--full-index", base, made)
    history.git("reset", "--quiet", "--hard", base)
    return patch


def test_offsets_alone_are_no_reason_to_refresh(history, store, carried):
    history.commit({"ops.py": OPS.replace("import torch\n", "import os\nimport torch\n")})
    kept = carry_patch(store, carried, "HEAD")
    assert (kept.state, kept.data) == (PatchState.APPLIES, carried)


def test_a_patch_that_no_longer_applies_is_made_anew_on_the_new_base(history, store, carried):
    head = history.commit({"ops.py": OPS.replace("x @ x", "torch.mm(x, x)")})
    fresh = carry_patch(store, carried, "HEAD")
    assert fresh.state is PatchState.REFRESHED
    assert fresh.data.startswith(b"Why: upstream bug\n\ndiff --git ")
    assert applied(store, fresh.data, head) == fresh.tree
    assert "clean_" in store.git.text("cat-file", "blob", f"{fresh.tree}:ops.py")
    again = carry_patch(store, fresh.data, "HEAD")
    assert (again.state, again.data) == (PatchState.APPLIES, fresh.data)


def test_what_the_branch_has_already_is_upstreamed(history, store, carried):
    history.commit({"ops.py": GUARDED})
    assert carry_patch(store, carried, "HEAD").state is PatchState.UPSTREAMED


def test_a_place_that_was_rewritten_is_a_conflict(history, store, carried):
    history.commit({"ops.py": OPS.replace("    out = x @ x\n    return out\n", "    yield from compute(x)\n")})
    stuck = carry_patch(store, carried, "HEAD")
    assert (stuck.state, stuck.data, stuck.tree) == (PatchState.CONFLICT, carried, None)
    assert stuck.result.conflicts


def test_no_patch_and_a_patch_for_another_project_are_told_apart(history, store, carried):
    with pytest.raises(UsageError, match="no git patch"):
        carry_patch(store, b"hello\n", "HEAD")
    with pytest.raises(UsageError, match="applies to none"):
        carry_patch(store, carried.replace(b"x @ x", b"y @ y"), "HEAD")


def test_a_branch_commit_keeps_its_author_date_and_message(history, store):
    base = history.commit({"ops.py": OPS})
    made = history.commit({"ops.py": GUARDED}, "Guard the logits\n\nWhy: upstream bug")
    history.git("reset", "--quiet", "--hard", base)
    head = history.commit({"ops.py": OPS.replace("def first", "def one")})
    result, commit = carry_commit(store, made, head)
    assert result.outcome is Outcome.CLEAN
    shown = "%an %ae %ad%n%B"
    assert (
        store.git.text("log", "-1", f"--format={shown}", commit)
        == history.git("log", "-1", f"--format={shown}", made) + "\n"
    )
    assert store.parents(commit) == (head,)
