"""Comments, docstrings and reasons in code, and what they guard."""

import pytest

from syncbot.discover.codec import decode_remark, encode_remark
from syncbot.discover.references import Names, Reader, spoken_names
from syncbot.discover.remarks import remarks
from syncbot.discover.scan import is_code
from syncbot.model.discover import Kind

READER = Reader(Names(spoken_names("lib", ["acme/lib"]), frozenset({"me/app"})))

PYTHON = '''"""A module.

TODO: Remove this vendored copy once the app pins a lib that includes acme/lib#1.
"""
import pytest

url = "# TODO: remove once acme/lib#99 is merged"


class Box:
    def open(self):
        x = 1
        # TODO: remove once acme/lib#2 is fixed,
        # which it is not.
        x = clamp(x)
        return x  # workaround for https://github.com/acme/lib/issues/3

    def shut(self):
        """Shuts.

        To be removed once acme/lib#4 lands.
        """


@pytest.mark.skipif(True, reason="broken: "
                    "https://github.com/acme/lib/issues/5")
def test_it():
    raise ValueError("wait until acme/lib#98 is fixed")
'''


def told(path, text):
    return {each.references[0].value: each for each in remarks(path, text, READER)}


def test_python():
    found = told("app/box.py", PYTHON)
    assert set(found) == {"1", "2", "3", "4", "5"}
    assert found["1"].guard.whole
    two = found["2"]
    assert (two.line, two.last, two.guard.first, two.guard.symbol) == (13, 14, 15, "Box.open")
    assert two.guard.statement == "x = clamp(x)"
    assert found["3"].guard.first == 16
    assert (found["4"].guard.symbol, found["4"].guard.whole) == ("Box.shut", True)
    assert (found["5"].kind, found["5"].guard.symbol) == (Kind.SKIP, "test_it")


def test_python_that_does_not_parse_is_read_by_line():
    found = told("old.py", "print 'x'  # TODO: remove once acme/lib#2 is fixed\n")
    assert found["2"].line == 1


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("k.cu", "int a;\n// TODO: remove once acme/lib#2 is fixed\nint b = 0;\n", 2),
        ("k.cpp", "/* temporary,\n * remove once acme/lib#2 is fixed */\nint b;\n", 2),
        ("k.rs", 'let s = "// x";\n// TODO: drop after acme/lib#2 is released\nfoo();\n', 2),
        ("Dockerfile", "RUN a && \\\n    # TODO: remove once acme/lib#2 is fixed\n    b\n", 2),
        ("ci.yaml", "steps:\n  - run: |\n      # temporarily off until acme/lib#2 is merged\n      make\n", 3),
        ("requirements/test.txt", "x==1  # TODO: remove once acme/lib#2 is fixed\n", 1),
        ("run.sh", "export A=1\n# Remove A once acme/lib#2 is fixed\nexport B\n", 2),
    ],
)
def test_other_languages(path, text, line):
    found = told(path, text)
    assert found["2"].line == line


def test_a_string_in_another_language_is_no_comment():
    assert told("k.cpp", 'const char* s = "TODO: remove once acme/lib#2 is fixed";\n') == {}


def test_an_ignore_comment_on_the_remark_or_the_code():
    assert told("a.py", "# TODO: remove once acme/lib#2 is fixed\n# syncbot: ignore\nx = 1\n") == {}
    assert told("a.py", "# TODO: remove once acme/lib#2 is fixed\nx = 1  # syncbot: ignore\n") == {}


def test_a_pin_with_a_reason():
    found = remarks("requirements.txt", "# newer ones break the build\nthing<2.0\n", READER)
    assert [each.kind for each in found] == [Kind.PIN]
    assert remarks("requirements.txt", "# newer ones break the build\nthing>=2.0\n", READER) == []


def test_the_cache_holds_all_of_a_remark():
    for each in remarks("app/box.py", PYTHON, READER):
        assert decode_remark(encode_remark(each)) == each


def test_what_is_read():
    assert is_code("a/b.py")
    assert is_code("Dockerfile")
    assert is_code("requirements/x.txt")
    assert is_code("CMakeLists.txt")
    assert not is_code("README.md")
    assert not is_code("notes.txt")
    assert not is_code("x/CHANGELOG")
    assert not is_code("a.json")
