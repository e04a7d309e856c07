"""Whole runs of the engine over small real histories: one situation a test."""

from __future__ import annotations

from syncbot.model.edit import Method, Outcome, ProblemKind, RepairKind

LOGITS = "import torch\n\n\ndef logits(x):\n    out = torch.matmul(x, x)\n    return out\n"
GUARD = '    out.nan_to_num_(float("-inf"))\n'
GUARDED = LOGITS.replace("    return", GUARD + "    return")


def kinds(result):
    return {problem.kind for problem in result.problems}


def test_right_after_the_commit_removal_gives_back_its_parent(history, remove):
    before = history.commit({"ops.py": LOGITS})
    guard = history.commit({"ops.py": GUARDED}, "Guard (#7)")
    result = remove(guard)
    assert (result.outcome, result.method) == (Outcome.CLEAN, Method.THREE_WAY)
    assert result.tree == history.tree(before)
    assert [(file.path, file.added, file.removed, file.judged) for file in result.files] == [("ops.py", 0, 1, "python")]


def test_the_clone_gains_no_object_and_no_ref(history, remove, rebase):
    history.commit({"ops.py": LOGITS})
    guard = history.commit({"ops.py": GUARDED})
    before = history.state()
    assert remove(guard).outcome is Outcome.CLEAN
    assert rebase(guard, f"{guard}^").outcome is Outcome.CLEAN
    assert history.state() == before


def test_an_import_that_newer_code_uses_is_kept(history, remove, read):
    """A plain revert merges cleanly here and leaves a module that cannot be imported."""
    history.commit({"test_ops.py": "import torch\n\n\ndef test_old():\n    assert torch\n"})
    guard = history.commit(
        {
            "test_ops.py": """
            from types import SimpleNamespace

            import torch


            def test_old():
                assert torch


            def test_guard():
                assert SimpleNamespace(a=1).a
            """
        }
    )
    head = (history.path / "test_ops.py").read_text()
    history.commit({"test_ops.py": head + "\n\ndef test_new():\n    assert SimpleNamespace(b=2).b\n"})
    history.commit(
        {"test_ops.py": (history.path / "test_ops.py").read_text().replace("assert torch", "assert torch.a")}
    )
    result = remove(guard)
    assert result.outcome is Outcome.MOVED
    text = read(result, "test_ops.py")
    assert text.startswith("from types import SimpleNamespace\n\nimport torch\n")
    assert "test_guard" not in text
    assert "test_new" in text
    assert [repair.kind for repair in result.repairs] == [RepairKind.KEPT_IMPORT]
    assert result.repairs[0].line == 1


def test_a_name_leaves_an_import_that_others_joined(history, remove, read):
    history.commit({"a.py": "import os\n\n\ndef f():\n    return os.sep\n"})
    added = history.commit({"a.py": "import os\nfrom lib import guard\n\n\ndef f():\n    guard()\n    return os.sep\n"})
    history.commit(
        {
            "a.py": "import os\nfrom lib import guard, other\n\n\ndef f():\n    guard()\n    return os.sep\n"
            "\n\ndef g():\n    return other()\n"
        }
    )
    result = remove(added)
    assert result.outcome is Outcome.MOVED
    assert read(result, "a.py").startswith("import os\nfrom lib import other\n\n\ndef f():\n    return os.sep\n")


def test_an_import_somebody_dropped_comes_back_with_what_uses_it(history, remove, read):
    history.commit({"a.py": "import os\nimport sys\n\n\ndef f():\n    return os.getcwd(), sys.path\n"})
    change = history.commit({"a.py": "import os\nimport sys\n\n\ndef f():\n    return 1, sys.path\n"})
    history.commit({"a.py": "import sys\n\n\ndef f():\n    return 1, sys.path\n"})
    result = remove(change)
    assert result.outcome is Outcome.MOVED
    assert read(result, "a.py") == "import os\nimport sys\n\n\ndef f():\n    return os.getcwd(), sys.path\n"
    assert [repair.kind for repair in result.repairs] == [RepairKind.RESTORED_IMPORT]


def test_neighbours_that_changed_are_no_conflict(history, remove, read):
    history.commit({"ops.py": LOGITS})
    guard = history.commit({"ops.py": GUARDED})
    history.commit(
        {"ops.py": GUARDED.replace("torch.matmul(x, x)", "torch.mm(x, x)").replace("return out", "return out * 2")}
    )
    result = remove(guard)
    assert (result.outcome, result.method) == (Outcome.MOVED, Method.GUIDED)
    assert "nan_to_num_" not in read(result, "ops.py")
    assert "out = torch.mm(x, x)\n    return out * 2\n" in read(result, "ops.py")


def test_lines_somebody_rewrote_are_a_conflict_that_names_them(history, remove):
    history.commit({"ops.py": LOGITS})
    guard = history.commit({"ops.py": GUARDED}, "Guard (#7)")
    later = history.commit({"ops.py": GUARDED.replace('float("-inf")', "-1e30, posinf=0")}, "Tune the guard (#9)")
    result = remove(guard)
    assert result.outcome is Outcome.CONFLICT
    assert result.tree == history.tree()
    (clash,) = result.conflicts
    assert clash.path == "ops.py"
    assert 'float("-inf")' in clash.base
    assert "-1e30" in clash.ours
    assert [(one.commit, one.title, one.number) for one in clash.culprits] == [(later, "Tune the guard (#9)", 9)]
    assert f"git revert --no-commit {guard}" in result.commands


def test_formatting_is_no_rewriting(history, remove, read):
    history.commit({"ops.py": "def f(x):\n    return x\n"})
    guard = history.commit(
        {"ops.py": "def f(x):\n    x = clean(x, 'first', 'second')\n    return x\n\n\nclean = print\n"}
    )
    history.commit(
        {
            "ops.py": 'def f(x):\n    x = clean(\n        x,\n        "first",\n        "second",\n    )\n'
            "    return x\n\n\nclean = print\n"
        }
    )
    result = remove(guard)
    assert result.outcome is Outcome.MOVED
    assert read(result, "ops.py") == "def f(x):\n    return x\n"


def test_a_function_other_files_import_since_is_a_conflict(history, remove):
    history.commit({"pkg/ops.py": "def old():\n    return 1\n", "pkg/__init__.py": ""})
    added = history.commit({"pkg/ops.py": "def old():\n    return 1\n\n\ndef guard(x):\n    return x\n"})
    history.commit({"pkg/user.py": "from pkg.ops import guard\n\nguard(1)\n"})
    result = remove(added)
    assert result.outcome is Outcome.CONFLICT
    assert kinds(result) == {ProblemKind.USED_ELSEWHERE}
    assert (result.problems[0].path, result.problems[0].line) == ("pkg/user.py", 1)


def test_a_method_with_another_definition_elsewhere_is_not_missed(history, remove):
    history.commit({"a.py": "class A:\n    x = 1\n", "b.py": "class B:\n    def guard(self):\n        return 2\n"})
    added = history.commit({"a.py": "class A:\n    x = 1\n\n    def guard(self):\n        return 1\n"})
    history.commit({"c.py": "def f(b):\n    return b.guard()\n"})
    assert remove(added).outcome is Outcome.CLEAN


def test_a_parameter_callers_pass_since_is_a_conflict(history, remove):
    history.commit({"a.py": "def scale(x):\n    return x\n"})
    added = history.commit({"a.py": "def scale(x, strict=False):\n    return x\n"})
    history.commit({"b.py": "from a import scale\n\nscale(1, strict=True)\n"})
    result = remove(added)
    assert result.outcome is Outcome.CONFLICT
    assert "still passes strict to scale" in result.problems[0].detail


def test_arguments_by_position_count_too(history, remove):
    history.commit({"a.py": "def scale(x):\n    return x\n"})
    added = history.commit({"a.py": "def scale(x, strict=False):\n    return x\n"})
    history.commit({"b.py": "from a import scale\n\nscale(1, True)\n"})
    assert remove(added).outcome is Outcome.CONFLICT


def test_a_fixture_tests_ask_for_since_is_a_conflict(history, remove):
    history.commit({"tests/conftest.py": "import pytest\n"})
    added = history.commit({"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef gpu():\n    return 1\n"})
    history.commit({"tests/test_a.py": "def test_a(gpu):\n    assert gpu\n"})
    result = remove(added)
    assert result.outcome is Outcome.CONFLICT
    assert "still asks for the fixture gpu" in result.problems[0].detail


def test_what_comes_back_must_still_be_defined(history, remove):
    history.commit(
        {
            "a.py": "class A:\n    def f(self):\n        return self.old_way()\n\n"
            "    def old_way(self):\n        return 1\n"
        }
    )
    change = history.commit(
        {"a.py": "class A:\n    def f(self):\n        return 2\n\n    def old_way(self):\n        return 1\n"}
    )
    history.commit({"a.py": "class A:\n    def f(self):\n        return 2\n"})
    result = remove(change)
    assert result.outcome is Outcome.CONFLICT
    assert kinds(result) == {ProblemKind.DANGLING}


def test_a_renamed_file_is_followed(history, remove, read):
    filler = "".join(f"def f{i}():\n    return {i}\n\n\n" for i in range(12))
    history.commit({"old.py": filler})
    added = history.commit({"old.py": filler + "def guard():\n    return 1\n"})
    history.git("mv", "old.py", "new.py")
    (history.path / "new.py").write_text((filler + "def guard():\n    return 1\n").replace("return 3", "return 33"))
    history.record("Rename")
    result = remove(added)
    assert result.outcome is Outcome.CLEAN
    assert "guard" not in read(result, "new.py")
    assert "return 33" in read(result, "new.py")
    assert [file.path for file in result.files] == ["new.py"]


def test_a_function_moved_to_another_file_is_followed(history, remove, read):
    guard = "def guard_logits(value):\n    cleaned = value.clean_everything()\n    return cleaned\n"
    history.commit({"a.py": "x = 1\n", "b.py": "y = 2\n"})
    added = history.commit({"a.py": "x = 1\n\n\n" + guard})
    history.commit({"a.py": "x = 1\n", "b.py": "y = 2\n\n\n" + guard + "\n\ndef last():\n    return y\n"})
    result = remove(added)
    assert (result.outcome, result.method) == (Outcome.MOVED, Method.GUIDED)
    assert read(result, "b.py") == "y = 2\n\n\ndef last():\n    return y\n"


def test_lines_moved_out_of_reach_are_a_conflict(history, remove):
    history.commit({"a.py": "def f(v):\n    return v\n", "b.py": "def g(v):\n    return v\n"})
    line = "    value_is_cleaned = v.clean_everything_at_once()\n"
    added = history.commit({"a.py": f"def f(v):\n{line}    return v\n"})
    history.commit({"a.py": "def f(v):\n    return v\n", "b.py": f"def g(v):\n{line}    return v\n"})
    result = remove(added)
    assert result.outcome is Outcome.CONFLICT
    assert kinds(result) == {ProblemKind.MOVED_AWAY}


def test_what_somebody_took_out_already_makes_it_partial(history, remove, read):
    history.commit({"a.py": "def f():\n    return 1\n", "b.py": "def g():\n    return 2\n"})
    added = history.commit(
        {"a.py": "def f():\n    check_first()\n    return 1\n", "b.py": "def g():\n    check_second()\n    return 2\n"}
    )
    history.commit({"b.py": "def g():\n    return 2\n"})
    result = remove(added)
    assert result.outcome is Outcome.PARTIAL
    assert read(result, "a.py") == "def f():\n    return 1\n"


def test_nothing_left_is_empty(history, remove):
    history.commit({"ops.py": LOGITS})
    guard = history.commit({"ops.py": GUARDED})
    history.commit({"ops.py": LOGITS})
    result = remove(guard)
    assert result.outcome is Outcome.EMPTY
    assert result.tree == history.tree()


def test_newer_lines_inside_the_change_are_never_taken_along(history, remove):
    history.commit({"a.py": "def f():\n    return 1\n"})
    block = "def g(x):\n    first_step(x)\n    second_step(x)\n    return x\n"
    added = history.commit({"a.py": "def f():\n    return 1\n\n\n" + block})
    history.commit(
        {"a.py": "def f():\n    return 1\n\n\n" + block.replace("    second", "    newer_step(x)\n    second")}
    )
    assert remove(added).outcome is Outcome.CONFLICT


def functions(*names):
    return "\n\n".join(f"def {name}():\n    return '{name}'\n" for name in names)


def test_blank_lines_stay_as_the_file_has_them(history, remove, read):
    history.commit({"a.py": functions("a", "z")})
    added = history.commit({"a.py": functions("a", "m", "z")})
    history.commit({"a.py": functions("a", "b", "m", "n", "z")})
    assert read(remove(added), "a.py") == functions("a", "b", "n", "z")


def test_putting_it_on_again_gives_the_tree_back(history, remove, rebase, store):
    history.commit({"ops.py": LOGITS})
    guard = history.commit({"ops.py": GUARDED})
    history.commit({"ops.py": GUARDED.replace("import torch\n", "import torch\n\nSCALE = 2\n"), "b.py": "b = 1\n"})
    head = history.tree()
    result = remove(guard)
    base = store.commit(result.tree, (result.base,), "without")
    again = rebase(guard, base)
    assert (again.outcome, again.tree) == (Outcome.CLEAN, head)


def test_a_range_is_taken_out_as_one(history, remove):
    start = history.commit({"ops.py": LOGITS})
    history.commit({"ops.py": GUARDED})
    end = history.commit({"ops.py": GUARDED.replace("-inf", "-1"), "b.py": "b = 1\n"})
    history.commit({"c.py": "c = 1\n"})
    result = remove(f"{start}..{end}")
    assert result.outcome is Outcome.CLEAN
    assert result.commit == end
    assert {file.path for file in result.files} == {"ops.py", "b.py"}


def test_a_merge_counts_against_its_first_parent(history, remove):
    history.commit({"ops.py": LOGITS})
    history.git("switch", "--quiet", "--create", "topic")
    history.commit({"ops.py": GUARDED})
    history.git("switch", "--quiet", "main")
    before = history.commit({"b.py": "b = 1\n"})
    history.git("merge", "--quiet", "--no-ff", "--message", "Merge topic", "topic")
    result = remove("HEAD")
    assert (result.outcome, result.tree) == (Outcome.CLEAN, history.tree(before))
    assert any(command.endswith("-m 1") for command in result.commands)


def test_the_first_commit_of_all_can_be_taken_out(history, remove):
    first = history.commit({"ops.py": LOGITS})
    history.commit({"b.py": "b = 1\n"})
    result = remove(first)
    assert result.outcome is Outcome.CLEAN
    assert [file.path for file in result.files] == ["ops.py"]


def test_an_import_that_comes_back_joins_its_own_group(history, remove, read):
    head, body = "import torch\n\nimport lib.envs as envs\nfrom lib import other\n", "\n\ndef f():\n    return {}\n"
    history.commit({"a.py": head + body.format("torch.x, envs.y, other")})
    change = history.commit({"a.py": "import torch\n\nfrom lib import other\n" + body.format("torch.x, other")})
    history.commit(
        {"a.py": "import torch\n\nfrom lib import more, other\n" + body.format("torch.x, other") + "\n\nmore()\n"}
    )
    result = remove(change)
    assert read(result, "a.py").startswith(head.replace("other", "more, other"))


def test_what_is_there_already_does_not_come_twice(history, rebase):
    # With a newer function before it, and neighbours that begin alike, a merge sees two places and fills both.
    def function(name: str, mode: str = "") -> str:
        calls = "".join(f"    print({name!r}, {i})\n" for i in range(3))
        return f"{mode}def {name}():\n{calls}    return {name!r}\n\n\n"

    first, newer, guard, last = (
        function("first"), function("newer"), function("guard", "@staticmethod\n"), function("last", "@staticmethod\n")
    )  # fmt: skip
    history.commit({"t.py": first + last})
    commit = history.commit({"t.py": first + guard + last})
    history.commit({"t.py": first + newer + guard + last})
    assert rebase(commit).outcome is Outcome.EMPTY
    # Taken out of reach of its neighbours, it is at least not put in again.
    history.commit({"t.py": guard + newer + last.replace("last", "end")})
    assert not rebase(commit).files


def test_a_blank_line_comes_back_between_the_lines_it_parted(history, remove, read):
    history.commit({"a.py": "a = 1\n\nb = 2\nc = 3\nd = 4\ne = 5\n"})
    commit = history.commit({"a.py": "a = 1\nb = 2\nc = 3\nd = 40\ne = 5\n"})
    history.commit({"a.py": "a = 1\nb = 2\nc = 33\nd = 40\ne = 5\n"})
    assert read(remove(commit), "a.py") == "a = 1\n\nb = 2\nc = 33\nd = 4\ne = 5\n"


def test_a_function_does_not_come_back_for_callers_that_do_not(history, remove, read):
    gather = "def gather(x):\n    return x.all()\n\n\n"
    top, tail = "import os\n\n\n", "    def stop(self, x):\n        return os.close(x)\n"
    first, last = (
        "".join(f"        y = x.{name}(y)\n" for name in names) for names in (("one", "two"), ("six", "ten"))
    )
    run = "    def run(self, x, y):\n" + first + "{}" + last + "        return y\n\n"
    before = top + gather + "class A:\n" + run.format("        y = gather(y)\n") + tail
    after = top + "class A:\n" + run.format("") + tail
    history.commit({"a.py": before, "b.py": "one = 1\n"})
    change = history.commit({"a.py": after, "b.py": "one = 1\ntwo = 2\n"})
    history.commit({"a.py": top + "class A:\n" + tail})
    result = remove(change)
    assert result.outcome is Outcome.PARTIAL
    assert [file.path for file in result.files] == ["b.py"]
    history.commit({"a.py": top + "class A:\n" + tail + "\n\ndef late(x):\n    return gather(x)\n"})
    assert "def gather" in read(remove(change), "a.py"), "somebody calls it, so it comes"
