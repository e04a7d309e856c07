"""Odd and hostile commits, each of which a merge or a look at single lines gets wrong in silence."""

from __future__ import annotations

import pytest

from syncbot.model.edit import Method, Outcome, ProblemKind

PLAIN = "def old():\n    return 1\n"
GUARD = PLAIN + "\n\ndef guard():\n    return 2\n"


def kinds(result):
    return {problem.kind for problem in result.problems}


@pytest.mark.parametrize(
    "users",
    [
        {"u.py": "from pkg.ops import *\n\nguard()\n"},
        {"pkg/__init__.py": "from .ops import *\n", "u.py": "from pkg import guard\n"},
        {"pkg/__init__.py": "from pkg.ops import *\n", "u.py": "from pkg import *\n\nprint(guard)\n"},
    ],
)
def test_a_name_used_through_a_star_is_used(history, remove, users):
    history.commit({"pkg/__init__.py": "", "pkg/ops.py": PLAIN})
    change = history.commit({"pkg/ops.py": GUARD})
    assert remove(change).outcome is Outcome.CLEAN
    history.commit(users)
    result = remove(change)
    assert result.outcome is Outcome.CONFLICT
    assert kinds(result) == {ProblemKind.USED_ELSEWHERE}
    assert result.problems[0].path == "u.py"


def test_a_name_of_ones_own_beside_a_star_is_not_ours(history, remove):
    history.commit({"pkg/__init__.py": "", "pkg/ops.py": PLAIN})
    change = history.commit({"pkg/ops.py": GUARD})
    history.commit({"u.py": "from pkg.ops import *\n\nguard = old\nprint(guard)\n"})
    assert remove(change).outcome is Outcome.CLEAN


@pytest.mark.parametrize("path", ["ops.py", "user.py"])
def test_a_parameter_passed_to_a_function_with_a_short_name(history, remove, path):
    history.commit({"ops.py": "def f(x):\n    return x\n"})
    change = history.commit({"ops.py": "def f(x, tag=0):\n    return x\n"})
    call = "f(1, tag=2)\n"
    after = "def f(x, tag=0):\n    return x\n\n\n" + call if path == "ops.py" else "from ops import f\n\n" + call
    history.commit({path: after})
    assert kinds(remove(change)) == {ProblemKind.USED_ELSEWHERE}


def test_a_short_name_is_imported_too(history, remove):
    history.commit({"ops.py": PLAIN})
    change = history.commit({"ops.py": PLAIN + "\n\ndef go():\n    return 2\n"})
    history.commit({"user.py": "from ops import go\n"})
    assert kinds(remove(change)) == {ProblemKind.USED_ELSEWHERE}


BLOCKS = {
    "c.toml": ("[k]\nz = 1\n", "[m]\na = 1\n", "b = 2\n", "[q]\n"),
    "c.ini": ("[k]\nz = 1\n", "[m]\na = 1\n", "b = 2\n", "[q]\nc = 1\n"),
    "c.yaml": ("k:\n  z: 1\n", "m:\n  a: 1\n", "  b: 2\n", "q: 1\n"),
    "c.cc": ("int f() {\n", "  if (x) {\n    g();\n", "    h();\n", "  }\n  return 1;\n}\n"),
    "c.cu": ("int e();\n", "#ifdef X\nint g();\n", "int h();\n", "#endif\nint f();\n"),
    "c.sh": ("echo 1\n", "if true; then\n  echo 2\n", "  echo 3\n", "fi\necho 4\n"),
}
ENDS = {"c.cc": "  }\n", "c.cu": "#endif\n", "c.sh": "fi\n"}


@pytest.mark.parametrize("path", BLOCKS)
def test_newer_lines_do_not_fall_into_another_block(history, remove, path):
    above, header, newer, below = BLOCKS[path]
    end = ENDS.get(path, "")
    history.commit({path: above + below.removeprefix(end)})
    change = history.commit({path: above + header + end + below.removeprefix(end)})
    history.commit({path: above + header + newer + end + below.removeprefix(end)})
    result = remove(change)
    assert result.outcome is Outcome.CONFLICT
    assert "header" in result.problems[0].detail


def test_a_wrapper_around_what_was_there_goes(history, remove, read):
    """Newer lines inside fall back to where the wrapped ones were."""
    history.commit({"c.cu": "int e();\nint first;\nint last;\nint f();\n"})
    change = history.commit({"c.cu": "int e();\n#ifdef X\nint first;\nint last;\n#endif\nint f();\n"})
    history.commit({"c.cu": "int e(int);\n#ifdef X\nint first;\nint middle;\nint last;\n#endif\nint f(int);\n"})
    result = remove(change)
    assert result.outcome is Outcome.MOVED
    assert read(result, "c.cu") == "int e(int);\nint first;\nint middle;\nint last;\nint f(int);\n"


def test_lines_of_a_flat_list_have_no_header(history, remove, read):
    history.commit({"r.txt": "a\nz\n"})
    change = history.commit({"r.txt": "a\nbravo==1\ncharlie==1\nz\n"})
    history.commit({"r.txt": "a\nbravo==1\nbrown==2\ncharlie==1\nz\n"})
    result = remove(change)
    assert result.outcome is Outcome.MOVED
    assert read(result, "r.txt") == "a\nbrown==2\nz\n"


def test_an_alias_needs_its_anchor(history, remove):
    history.commit({"c.yaml": "use:\n  b: 1\n"})
    change = history.commit({"c.yaml": "base: &base\n  a: 1\nuse:\n  b: 1\n"})
    history.commit({"c.yaml": "base: &base\n  a: 1\nuse:\n  b: 1\n  <<: *base\n"})
    assert kinds(remove(change)) == {ProblemKind.SYNTAX}


def test_a_last_line_without_an_end_does_not_run_into_the_next(history, remove, read):
    history.commit({"a.txt": "one\ntwo"})
    change = history.commit({"a.txt": "one\ntwo\nthree"})
    history.commit({"a.txt": "one\ntwo\nthree\nfour"})
    result = remove(change)
    assert result.outcome is Outcome.MOVED
    assert read(result, "a.txt") == "one\ntwo\nfour"


SAME = "x = 1\n" * 30


def test_a_pure_rename_is_undone_beside_a_guided_file(history, remove, store):
    history.commit({"d/a.py": SAME, "o.py": "one = 1\ntwo = 2\n"})
    history.git("mv", "d", "e")
    change = history.commit({"o.py": "one = 1\nguard = 3\ntwo = 2\n"})
    history.commit({"o.py": "one = 4\nguard = 3\ntwo = 5\n"})
    result = remove(change)
    assert (result.outcome, result.method) == (Outcome.MOVED, Method.GUIDED)
    assert set(store.listing(result.tree)) == {"d/a.py", "o.py"}


def test_a_name_that_goes_with_a_rename_may_be_imported_by_now(history, remove):
    history.commit({"d/a.py": SAME})
    history.git("mv", "d", "e")
    change = history.record()
    history.commit({"e/user.py": "import e.a\n"})
    result = remove(change)
    assert result.outcome is Outcome.CONFLICT
    assert kinds(result) == {ProblemKind.USED_ELSEWHERE}


def test_a_file_is_not_put_back_over_another(history, remove):
    history.commit({"d/a.py": SAME})
    history.git("mv", "d", "e")
    change = history.record()
    history.commit({"d/a.py": "somebody_elses = 1\n"})
    result = remove(change)
    assert result.outcome is Outcome.CONFLICT
    assert "d/a.py" in result.conflicts[0].reason


def test_a_bare_carriage_return_shifts_no_line(history, remove, read):
    """Python ends a line there and git does not, so a syntax tree would point at other lines."""
    odd = b"# one\rtwo = 2\n\n\ndef f(x):\n    return x\n"
    history.commit({"a.py": odd})
    change = history.commit({"a.py": odd.replace(b"    return", b"    x = guard(x)\n    return")})
    history.commit({"a.py": odd.replace(b"    return x", b"    x = guard(x)\n    return x + 1")})
    result = remove(change)
    assert result.outcome is Outcome.MOVED
    assert read(result, "a.py").encode() == odd.replace(b"return x", b"return x + 1")


@pytest.mark.parametrize("path", ["pkg/__init__.py", "pkg/names.py"])
def test_what_a_package_says_it_gives_is_used(history, remove, read, path):
    """For a package pyflakes says nothing of a name in ``__all__`` that is bound nowhere."""
    named = "from pkg.ops import one\n\n__all__ = [\n    'one',\n]\n"
    both = named.replace("import one", "import one, two")
    history.commit({"pkg/ops.py": "def one():\n    pass\n\n\ndef two():\n    pass\n", path: named, "a.txt": "one\n"})
    change = history.commit({path: both, "a.txt": "one\ntwo\n"})
    history.commit({path: both.replace("    'one',\n", "    'one',\n    'two',\n")})
    result = remove(change)
    assert result.outcome is Outcome.MOVED
    assert read(result, path).startswith("from pkg.ops import one, two\n")
    assert read(result, "a.txt") == "one\n"
