"""The workaround the project began with, read from a real clone of vLLM: in the tree, and carried as a patch-file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from syncbot.edit import python
from syncbot.edit.carried import PatchState, applied, carry_patch
from syncbot.edit.engine import edit
from syncbot.git.objects import Scratch
from syncbot.model.edit import Direction, Outcome, RepairKind

GUARD = "6c7e679f048dc6123caecc3985150766e455ff22"
MAIN = "b01728b0880ca419bb41199523535457f4ab0010"
TRAP = "ef43e3101"
TEST = "tests/kernels/attention/test_rocm_triton_attn_dsv4.py"
SOURCE = "vllm/v1/attention/ops/rocm_aiter_mla_sparse.py"

pytestmark = pytest.mark.real


@pytest.fixture
def store() -> Iterator[Scratch]:
    clones = os.environ.get("SYNCBOT_CLONES")
    if not clones:
        pytest.skip("SYNCBOT_CLONES names no folder of real clones")
    with Scratch(Path(clones) / "shen-shanshan+vllm" / "repo") as scratch:
        yield scratch


def show(store, tree, path):
    return store.git.run("cat-file", "blob", f"{tree}:{path}")


def undefined(data, path):
    return {fault.name for fault in python.faults(python.parse(data), path).undefined}


def test_on_main_the_line_and_the_test_go_and_the_import_stays(store):
    result = edit(store, direction=Direction.REMOVE, commit=GUARD, onto=MAIN)
    assert result.outcome is Outcome.MOVED
    assert {file.path: (file.added, file.removed) for file in result.files} == {TEST: (0, 62), SOURCE: (0, 1)}
    assert [(repair.kind, repair.path) for repair in result.repairs] == [(RepairKind.KEPT_IMPORT, TEST)]
    after, before = show(store, result.tree, TEST), show(store, MAIN, TEST)
    assert b"from types import SimpleNamespace\n" in after
    assert b"def test_paged_mqa_logits_do_not_contain_nan" not in after
    assert undefined(after, TEST) == undefined(before, TEST)
    assert b"nan_to_num_" not in show(store, result.tree, SOURCE)


def test_before_newer_tests_used_it_the_import_goes_too(store):
    middle = store.git.lines("rev-list", f"{GUARD}..{TRAP}^", "--", TEST)
    for commit in (GUARD, *middle[:1], f"{TRAP}^"):
        result = edit(store, direction=Direction.REMOVE, commit=GUARD, onto=commit)
        assert result.outcome is Outcome.CLEAN
        assert b"SimpleNamespace" not in show(store, result.tree, TEST)


def test_putting_it_on_again_gives_the_tree_back(store):
    result = edit(store, direction=Direction.REMOVE, commit=GUARD, onto=MAIN)
    without = store.commit(result.tree, (MAIN,), "without")
    again = edit(store, direction=Direction.REBASE, commit=GUARD, onto=without)
    assert again.tree == store.git.text("rev-parse", MAIN + "^{tree}")


def test_carried_as_a_patch_it_is_refreshed_once_and_only_where_it_must(store):
    """Over every commit that touches its files: strict where it applies, else one refresh, the real tree each time."""
    patch = store.patch(f"{GUARD}^", GUARD, [TEST, SOURCE])
    commits = store.git.lines("rev-list", "--first-parent", "--reverse", f"{GUARD}..{MAIN}", "--", TEST, SOURCE)
    assert len(commits) > 2
    refreshed, base = [], f"{GUARD}^"
    for commit in commits:
        without = edit(store, direction=Direction.REMOVE, commit=GUARD, onto=commit)
        assert without.outcome.answered
        bare = store.commit(without.tree, (commit,), "without")
        was_strict = applied(store, patch, bare) is not None
        kept = carry_patch(store, patch, bare, since=base)
        assert kept.state is (PatchState.APPLIES if was_strict else PatchState.REFRESHED)
        if not was_strict:
            refreshed.append(commit)
        assert (kept.data == patch) is was_strict
        patch, base = kept.data, bare
        assert applied(store, patch, bare) == store.git.text("rev-parse", commit + "^{tree}")
    assert 0 < len(refreshed) < len(commits)
