"""The lines of keys, against a library that writes TOML."""

import tomllib

import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from syncbot.config.positions import lines_of

TEXT = '''title = "one" # = [not.a.table]
a.b = 1
"quoted.key" = \'\'\'
[not.a.table]
x = 1\'\'\'
array = [
  # a remark, with ] and ,
  "first, [x]",
  { inner = "second", more = [[1, 2], [3]] },
]
multi = """
a \\""" b
"""

[ table . "sub" ]
key = 12:30:00.5

[[many]]
name = "x"
[[many]]
name = "y"
[many.deep]
z = 1
'''


def test_every_form_of_key():
    lines = lines_of(TEXT)
    assert tomllib.loads(TEXT)
    expected = {
        ("title",): 1,
        ("a", "b"): 2,
        ("quoted.key",): 3,
        ("array",): 6,
        ("array", 0): 8,
        ("array", 1, "inner"): 9,
        ("array", 1, "more", 0, 1): 9,
        ("array", 1, "more", 1, 0): 9,
        ("multi",): 11,
        ("table", "sub"): 15,
        ("table", "sub", "key"): 16,
        ("many", 0, "name"): 19,
        ("many", 1): 20,
        ("many", 1, "name"): 21,
        ("many", 1, "deep", "z"): 23,
    }
    assert {key: lines.get(key) for key in expected} == expected


def paths(value, key=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield (*key, name)
        yield from paths(inner, (*key, name))


scalars = st.one_of(st.integers(-9, 9), st.booleans(), st.text(max_size=12), st.floats(allow_nan=False))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)


@given(st.dictionaries(st.text(max_size=6), values, max_size=4))
def test_every_key_of_any_file_has_a_line_that_names_it(data):
    text = tomlkit.dumps(data)
    lines, found = text.split("\n"), lines_of(text)
    read = tomllib.loads(text)
    for key in paths(read):
        assert key in found
        if isinstance(key[-1], str) and key[-1].isidentifier() and key[-1].isascii():
            assert key[-1] in lines[found[key] - 1]
