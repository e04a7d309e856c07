"""A project to break: the corpus' own right one, copied for each test."""

import shutil
from pathlib import Path

import pytest

CORPUS = Path(__file__).parents[2] / "corpus" / "config"


@pytest.fixture
def project(tmp_path):
    return Path(shutil.copytree(CORPUS / "_base", tmp_path / "project"))
