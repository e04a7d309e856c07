from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from histories import History

from syncbot.edit.engine import edit
from syncbot.git.objects import Scratch
from syncbot.model.edit import Direction, EditResult
from syncbot.model.project import Removal


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "repo")


@pytest.fixture
def store(history: History) -> Iterator[Scratch]:
    with Scratch(history.path) as scratch:
        yield scratch


@pytest.fixture
def remove(store: Scratch) -> Callable[..., EditResult]:
    def run(commit: str, onto: str = "HEAD", **removal: object) -> EditResult:
        return edit(store, direction=Direction.REMOVE, commit=commit, onto=onto, removal=Removal(**removal))

    return run


@pytest.fixture
def rebase(store: Scratch) -> Callable[..., EditResult]:
    def run(commit: str, onto: str = "HEAD", **removal: object) -> EditResult:
        return edit(store, direction=Direction.REBASE, commit=commit, onto=onto, removal=Removal(**removal))

    return run


@pytest.fixture
def read(store: Scratch) -> Callable[[EditResult, str], str]:
    """The text of a file in the result."""

    def run(result: EditResult, path: str) -> str:
        return store.git.run("cat-file", "blob", f"{result.tree}:{path}").decode()

    return run
