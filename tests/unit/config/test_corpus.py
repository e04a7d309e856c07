"""Every wrong configuration of the corpus is told in exactly the words beside it; see tests/corpus/config/README.md."""

import re
import shutil

import pytest

from syncbot.config import check_project, load_project
from syncbot.model.errors import UsageError

from .conftest import CORPUS

CASES = sorted(path.name for path in CORPUS.iterdir() if path.is_dir() and path.name != "_base")


def test_what_the_cases_are_laid_over_is_right(project):
    assert check_project(project) == []


def test_corpus_is_there():
    assert len(CASES) >= 80


@pytest.mark.parametrize("case", CASES)
def test_wrong_configuration_is_told_as_written(case, project):
    shutil.copytree(CORPUS / case, project, dirs_exist_ok=True)
    expected = (CORPUS / case / "expected.txt").read_text(encoding="utf-8").splitlines()

    with pytest.raises(UsageError) as caught:
        load_project(project)

    assert list(caught.value.problems) == expected
    for line in expected:
        assert re.match(r"(syncbot\.toml|patches/[^:]+)(:\d+)?: .*found .+; expected .+", line)
