"""What every test shares: a cache folder of its own, no network, and property tests without a clock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure, and the same examples every time keep a red run red.
settings.register_profile("syncbot", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("syncbot")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing a test does may reach the cache of the person who runs it."""
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture(scope="session")
def clones() -> Path:
    """The folder with the real clones; the test is skipped where there is none."""
    folder = Path(os.environ.get("SYNCBOT_CLONES", "/nonexistent"))
    if not (folder / "ROCm+aiter" / "repo").is_dir():
        pytest.skip("SYNCBOT_CLONES names no folder that holds ROCm+aiter/repo")
    return folder
