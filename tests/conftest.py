"""What every test shares: a cache folder of its own, no network, and property tests without a clock."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no failure, and the same examples every time keep a red run red.
EXAMPLES = int(os.environ.get("SYNCBOT_EXAMPLES", "30"))
settings.register_profile("syncbot", deadline=None, derandomize=True, max_examples=EXAMPLES)
settings.load_profile("syncbot")

if sys.dont_write_bytecode:
    # Without bytecode every process compiles its libraries anew: a tenth of the whole run. It is kept beside pytest's
    # own, so that a checkout stays as clean as whoever set this wants it.
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    sys.dont_write_bytecode = False
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_collection_finish() -> None:
    """What is loaded now stays to the end: looking through it for garbage again and again was a twelfth of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


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
