"""Only the part of a commit that is the workaround."""

from __future__ import annotations

from syncbot.model.edit import Outcome, ProblemKind
from syncbot.model.project import Marker
from syncbot.model.words import Scope

BEFORE = "def a():\n    return 1\n\n\ndef z():\n    return 26\n"
AFTER = (
    "def a():\n    guard_a()\n    return 1\n\n\ndef m():\n    return 13\n\n\ndef z():\n    guard_z()\n    return 26\n"
)


def test_paths_leave_the_other_files(history, remove):
    history.commit({"src/a.py": "a = 1\n", "docs/b.md": "b\n"})
    commit = history.commit({"src/a.py": "a = 2\n", "docs/b.md": "b\nmore\n"})
    for paths in (("src",), ("src/",), ("src/*.py",), ("src/a.py",)):
        result = remove(commit, scope=Scope.PATHS, paths=paths)
        assert [file.path for file in result.files] == ["src/a.py"]


def test_symbols_leave_the_rest_of_the_file(history, remove, read):
    history.commit({"a.py": BEFORE})
    commit = history.commit({"a.py": AFTER})
    result = remove(commit, scope=Scope.SYMBOLS, symbols=("a.py::z",))
    assert result.outcome is Outcome.CLEAN
    assert read(result, "a.py") == AFTER.replace("    guard_z()\n", "")
    result = remove(commit, scope=Scope.SYMBOLS, symbols=("m",))
    assert read(result, "a.py") == AFTER.replace("def m():\n    return 13\n\n\n", "")


def test_a_marker_that_stays_is_a_conflict(history, remove):
    history.commit({"a.py": BEFORE})
    commit = history.commit({"a.py": AFTER})
    assert remove(commit, markers=(Marker(text="guard_a", path="a.py"),)).outcome is Outcome.CLEAN
    result = remove(commit, scope=Scope.SYMBOLS, symbols=("z",), markers=(Marker(text="guard_a", path="a.py"),))
    assert [problem.kind for problem in result.problems] == [ProblemKind.MARKER]


def test_what_no_edit_says_is_left_to_a_person(history, remove):
    history.commit({"a.py": BEFORE})
    commit = history.commit({"a.py": AFTER})
    result = remove(commit, scope=Scope.EDITS)
    assert result.outcome is Outcome.CONFLICT
    assert "for a person to say" in result.problems[0].detail
