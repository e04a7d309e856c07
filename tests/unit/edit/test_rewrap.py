"""Statements that only a formatter touched since, and gaps whose two sides were rewritten where they stood."""

from __future__ import annotations

import pytest

from syncbot.model.edit import Method, Outcome, ProblemKind

# What the change made of a statement, what it had been, how a formatter wrote it since, and what must come of it.
CASES = {
    "a word in the middle": (
        "n = min(\n    new,\n    limit - used)\n",
        "n = min(\n    new,\n    limit - 1 - used)\n",
        "n = min(new, limit - used)\n",
        "n = min(new, limit - 1 - used)\n",
    ),
    "an argument that goes": (
        "n = f(a, b, guard=True,\n      c=c)\n",
        "n = f(a, b,\n      c=c)\n",
        "n = f(\n    a,\n    b,\n    guard=True,\n    c=c,\n)\n",
        "n = f(\n    a,\n    b,\n    c=c,\n)\n",
    ),
    "the last argument goes, and its line with it": (
        "n = f(a,\n      b, guard=True)\n",
        "n = f(a,\n      b)\n",
        "n = f(\n    a,\n    b,\n    guard=True,\n)\n",
        "n = f(\n    a,\n    b,\n)\n",
    ),
    "an argument comes back on a line of its own": (
        "n = f(a,\n      c)\n",
        "n = f(a, kept,\n      c)\n",
        "n = f(\n    a,\n    c,\n)\n",
        "n = f(\n    a,\n    kept,\n    c,\n)\n",
    ),
    "the last argument comes back before a trailing comma": (
        "n = f(a,\n      c)\n",
        "n = f(a,\n      c, kept=1)\n",
        "n = f(\n    a,\n    c,\n)\n",
        "n = f(\n    a,\n    c,\n    kept=1,\n)\n",
    ),
    "brackets a formatter put around": (
        "n = (first\n     + guard) or a_rather_long_name\n",
        "n = first or a_rather_long_name\n",
        "n = (\n    first + guard\n) or a_rather_long_name\n",
        "n = first or a_rather_long_name\n",
    ),
    "a condition": (
        "if (a and guard\n        and b):\n    f()\n",
        "if (a\n        and b):\n    f()\n",
        "if (\n    a\n    and guard\n    and b\n):\n    f()\n",
        "if (\n    a\n    and b\n):\n    f()\n",
    ),
    "the parameters of a function": (
        "def f(a, guard,\n      b):\n    return a, b\n",
        "def f(a,\n      b):\n    return a, b\n",
        "def f(\n    a,\n    guard,\n    b,\n):\n    return a, b\n",
        "def f(\n    a,\n    b,\n):\n    return a, b\n",
    ),
    "brackets around what was not in any": (
        "n = first + guard\n",
        "n = first\n",
        "n = (\n    first + guard\n)\n",
        None,
    ),
    "more than wrapping": (
        "n = min(\n    new,\n    limit - used)\n",
        "n = min(\n    new,\n    limit - 1 - used)\n",
        "n = min(new, limit - spent)\n",
        None,
    ),
    "a comment that was lost on the way": (
        "n = min(\n    new,  # never more\n    limit - used)\n",
        "n = min(\n    new,  # never more\n    limit - 1 - used)\n",
        "n = min(new, limit - used)\n",
        None,
    ),
}
HEAD = "from lib import *\n\nstart = 1\n"
TAIL = "\nend = 1\n"


@pytest.mark.parametrize("name", CASES)
def test_the_words_of_the_change_go_and_come_where_others_wrapped_them(history, remove, read, name):
    after, before, today, wanted = CASES[name]
    history.commit({"a.py": HEAD + before + TAIL})
    change = history.commit({"a.py": HEAD + after + TAIL})
    history.commit({"a.py": HEAD + today + TAIL}, "Format")
    result = remove(change)
    if wanted is None:
        assert result.outcome is Outcome.CONFLICT
        assert "rewritten since" in result.conflicts[0].reason
    else:
        assert (result.outcome, result.method) == (Outcome.MOVED, Method.GUIDED)
        assert read(result, "a.py") == HEAD + wanted + TAIL


def test_two_hunks_of_one_statement_are_one_edit(history, remove, read):
    history.commit({"a.py": HEAD + "n = f(a,\n      b,\n      c,\n      d)\n" + TAIL})
    change = history.commit({"a.py": HEAD + "n = f(a, 1,\n      b,\n      c, two,\n      d)\n" + TAIL})
    history.commit({"a.py": HEAD + "n = f(a, 1, b, c, two, d)\n" + TAIL}, "Format")
    result = remove(change)
    assert result.outcome is Outcome.MOVED
    assert read(result, "a.py") == HEAD + "n = f(a, b, c, d)\n" + TAIL


def test_a_comment_others_corrected_is_not_left_alone(history, remove):
    added = "# A gard for the queue\nqueue = guarded(\n    queue, 1)\nassert (queue ==\n        start)\n"
    history.commit({"a.py": HEAD + TAIL})
    change = history.commit({"a.py": HEAD + added + TAIL})
    history.commit({"a.py": HEAD + added.replace("gard", "guard").replace("\n    queue", "queue") + TAIL})
    result = remove(change)
    assert result.outcome is Outcome.CONFLICT


def test_putting_it_on_again_gives_the_formatted_tree_back(history, remove, rebase, store):
    after, before, today, _ = CASES["a word in the middle"]
    history.commit({"a.py": HEAD + before + TAIL})
    change = history.commit({"a.py": HEAD + after + TAIL})
    history.commit({"a.py": HEAD + today + TAIL}, "Format")
    without = store.commit(remove(change).tree, (history.git("rev-parse", "HEAD"),), "Without")
    assert rebase(change, without).tree == history.tree()


def test_a_name_newer_code_uses_holds_here_too(history, remove):
    history.commit({"a.py": "def f(limit,\n      more):\n    return more\n"})
    change = history.commit({"a.py": "def f(length,\n      more):\n    return more\n"})
    history.commit({"a.py": "def f(length, more):\n    print(length)\n    return more\n"})
    result = remove(change)
    assert result.outcome is Outcome.CONFLICT
    assert {problem.kind for problem in result.problems} == {ProblemKind.UNDEFINED_NAME}


BOUND = "lib.stream = other.stream\nlib.event = other.event\nlib.graph = other.graph\n"
SHORT = BOUND.replace("lib.event = other.event\n", "")


def test_a_line_comes_back_between_neighbours_rewritten_where_they_stood(history, remove, read):
    top, end = "import lib\nimport other\n\nlib.zero = 0\n", "lib.last = 1\n"
    history.commit({"a.py": top + BOUND + end})
    change = history.commit({"a.py": top + SHORT + end})
    later = "lib.stream = wrapped(other.stream, kind=1)\nlib.graph = wrapped(other.graph, kind=2)\n"
    history.commit({"a.py": top.replace("zero = 0", "zero = 0\nwrapped = print") + later + end})
    assert remove(change).outcome is Outcome.CONFLICT, "a line came besides: nobody can say which is which"
    top = top.replace("import other", "from other import wrapped\nimport other")
    history.commit({"a.py": top + later + end})
    result = remove(change)
    assert result.outcome is Outcome.MOVED
    first, second = later.splitlines(keepends=True)
    assert read(result, "a.py") == top + first + "lib.event = other.event\n" + second + end
    history.commit({"a.py": top + "lib.tail = other.tail\nlib.front = other.front\n" + end}, "Others")
    assert remove(change).outcome is Outcome.CONFLICT
