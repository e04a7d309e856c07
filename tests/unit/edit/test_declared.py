"""Edits declared in a manifest: each kind, what it counts, and what it leaves alone."""

from __future__ import annotations

import pytest

from syncbot.edit import keys
from syncbot.edit.declared import applied, apply
from syncbot.model.edit import Method, Outcome, ProblemKind
from syncbot.model.project import Edit, Marker
from syncbot.model.words import Scope

SOURCE = b"""import os
from lib import guard, other


class Ops:
    # why the guard is there
    @property
    def guarded(self):
        return guard(self)

    def plain(self):
        x = guard( 1,  2 )   # odd spacing stays
        return other(x)


def test_guard():
    x = guard(1, 2)
    assert x
"""


def done(kind, target, **more):
    return apply(Edit(path="a.py", kind=kind, target=target, **more), SOURCE)


def test_a_method_goes_with_its_decorators_and_its_comment():
    result = done("function", "Ops.guarded")
    assert result.matched == 1
    assert b"why the guard" not in result.data
    assert b"def plain" in result.data
    assert b"odd spacing stays" in result.data


def test_a_test_and_a_class_go_by_name():
    assert b"test_guard" not in done("test", "test_guard").data
    assert b"Ops" not in done("class", "Ops").data


def test_a_statement_is_matched_by_what_it_says():
    result = done("statement", "x = guard(1, 2)")
    assert result.matched == 2
    assert done("statement", "x = guard(1, 2)", within="Ops.plain").matched == 1
    replaced = done("statement", "x = guard(1, 2)", within="test_guard", replace="x = 3")
    assert b"    x = 3\n    assert x" in replaced.data


def test_what_is_put_in_a_place_keeps_the_comment_above_it():
    source = b"def f(x):\n    a = 1\n\n    # why it is so,\n    # in two lines\n    b = probe(x)\n    return b\n"

    def outcome(**more):
        return apply(Edit(path="a.py", kind="statement", target="b = probe(x)", **more), source).data

    assert outcome(replace="b = static(x)") == source.replace(b"probe", b"static")
    assert outcome(replace="# and now\nb = 1") == source.replace(b"b = probe(x)", b"# and now\n    b = 1")
    assert outcome() == b"def f(x):\n    a = 1\n    return b\n"
    assert outcome(replace="") == outcome()


def test_a_function_put_in_place_of_another_keeps_its_distance():
    new = done("function", "test_guard", replace="def test_guard():\n    assert True").data
    assert new.endswith(b"        return other(x)\n\n\ndef test_guard():\n    assert True\n")


def test_one_name_leaves_an_import():
    assert b"from lib import other\n" in done("import", "lib.guard").data
    assert b"import os" not in done("import", "os").data


def test_lines_of_other_files_are_statements_too():
    edit = Edit(path="Dockerfile", kind="statement", target='ARG GUARD="1"', replace='ARG GUARD="0"')
    assert apply(edit, b'FROM x\r\nARG GUARD="1"\r\nRUN y\r\n').data == b'FROM x\r\nARG GUARD="0"\r\nRUN y\r\n'


@pytest.mark.parametrize("target", ["", "\n\n", "  "])
def test_a_statement_that_names_no_line_is_refused(target):
    with pytest.raises(ValueError, match="names no line"):
        apply(Edit(path="r.txt", kind="statement", target=target, count=1), b"x\n\ny\n")


def test_a_whole_file_goes_or_is_replaced():
    assert apply(Edit(path="a.bin", kind="file", target="a.bin"), b"\0").data is None
    assert apply(Edit(path="a.bin", kind="file", target="a.bin", replace="new\n"), b"\0").data == b"new\n"


@pytest.mark.parametrize(
    ("path", "before", "target", "replace", "after"),
    [
        ("a.toml", "# why\n[tool.x]\na = 1  # one\nb = 2\n", "tool.x.b", None, "# why\n[tool.x]\na = 1  # one\n"),
        ("a.toml", "[x]\na = 'old' # c\n", "x.a", '"new"', '[x]\na = "new" # c\n'),
        ("a.json", '{\n  "a": [\n    2,\n    3\n  ]\n}\n', "a.1", None, '{\n  "a": [\n    2\n  ]\n}\n'),
        ("a.yaml", "a: 1\nb:\n  c: 2\n  d: 3\n\n# about e\ne: 4\n", "b", None, "a: 1\n\n# about e\ne: 4\n"),
        ("a.yaml", "a: 1  # one\nb:\n  - x\n  - y\n", "b.0", None, "a: 1  # one\nb:\n  - y\n"),
        ("a.yml", "a: {b: 1}\nc: 2 # two\n", "c", "3", "a: {b: 1}\nc: 3 # two\n"),
        ("a.toml", "a = 1\n", "b", None, "a = 1\n"),
    ],
)  # fmt: skip
def test_a_key_goes_and_the_rest_stays(path, before, target, replace, after):
    matched, new = keys.edit(path, before.encode(), target, replace)
    assert new == after.encode()
    assert matched == (before != after)


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.json", '{"a": 1,\n"b": 2}'), ("a.yaml", "x: {a: 1}\n"), ("a.toml", "a = ["), ("a.cfg", "a=1")],
)
def test_a_key_that_cannot_be_cut_without_touching_the_rest_is_refused(path, text):
    with pytest.raises(ValueError, match=r"."):
        keys.edit(path, text.encode(), "x.a" if path == "a.yaml" else "a", None)


def test_a_wrong_count_is_a_problem_and_a_place_gone_before_is_not():
    edits = [Edit(path="a.py", kind="function", target="old"), Edit(path="b.py", kind="statement", target="x = 1")]
    known = {"a.py": b"def old():\n    pass\n", "b.py": b"x = 1\n"}
    made = applied(edits, {"a.py": b"", "b.py": b"x = 1\nx = 1\n"}, known)
    assert [(problem.kind, problem.path) for problem in made.problems] == [(ProblemKind.MATCH, "b.py")]
    assert applied(edits, {"a.py": b"", "b.py": b"x = 1\n"}, known).partial
    assert applied(edits, {"a.py": b"", "b.py": b"y = 1\n"}, known).empty


def test_a_run_of_declared_edits_is_verified_like_any_other(history, remove, read):
    history.commit({"a.py": "def f():\n    return 1\n"})
    commit = history.commit({"a.py": "import os\n\n\ndef f():\n    os.environ['GUARD'] = '1'\n    return 1\n"})
    guard = Edit(path="a.py", kind="statement", target="os.environ['GUARD'] = '1'")
    marker = Marker(text="GUARD", path="a.py")
    result = remove(commit, scope=Scope.EDITS, edits=(guard,), markers=(marker,))
    assert (result.outcome, result.method) == (Outcome.MOVED, Method.DECLARED)
    assert read(result, "a.py") == "def f():\n    return 1\n"
    assert remove(commit, scope=Scope.EDITS, edits=(guard,), markers=(Marker(text="return", path="a.py"),)).problems
    # An import that the rest still uses is kept, whoever asked for it to go.
    assert (
        remove(commit, scope=Scope.EDITS, edits=(Edit(path="a.py", kind="import", target="os"),)).outcome
        is Outcome.EMPTY
    )


def test_a_workaround_goes_back_as_it_last_stood(history, remove, rebase, store):
    before = "import os\n\n\ndef f():\n    return os.getpid()\n"
    history.commit({"a.py": before})
    guarded = "import os\n\n\ndef guard():\n    return 1\n\n\ndef f():\n    guard()\n    return os.getpid()\n"
    commit = history.commit({"a.py": guarded})
    grown = history.commit({"a.py": guarded.replace("return 1", "print(1)\n    return 2"), "b.py": "x = 1\n"})
    edits = (
        Edit(path="a.py", kind="function", target="guard"),
        Edit(path="a.py", kind="statement", target="guard()", within="f"),
    )
    scope = {"scope": Scope.EDITS, "edits": edits, "markers": (Marker(text="return 2", path="a.py"),)}
    assert rebase(commit, **scope).outcome is Outcome.EMPTY
    taken = remove(commit, **scope)
    assert taken.outcome is Outcome.CLEAN
    without = store.commit(taken.tree, (grown,), "without")
    back = rebase(commit, onto=without, **scope)
    assert back.outcome is Outcome.CLEAN
    assert back.tree == store.git.text("rev-parse", f"{grown}^{{tree}}")
    assert back.commit == commit
    assert back.notes == (f"put back as it last stood, in {grown[:12]}",)
