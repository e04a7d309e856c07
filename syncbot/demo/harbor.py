"""The stand-in downstream: a server that carries two workarounds for lumen, and the files syncbot needs for it."""

from __future__ import annotations

from syncbot.demo.builder import Edit, Person

CLEO = Person(name="Cleo Marsh")

DOCKERFILE, SCORES, SAMPLE, TEST = "docker/Dockerfile", "harbor/scores.py", "harbor/sample.py", "tests/test_scores.py"

FIRST = (
    Edit(DOCKERFILE, "", 'FROM debian:stable\nARG LUMEN_TAG="v0.1.1"\nRUN build-lumen "$LUMEN_TAG"\n'),
    Edit(
        SCORES,
        "",
        '''"""Scores of masked rows."""

from lumen.rowsum import row_sum


def scores(rows, mask):
    sums = row_sum(rows, mask)
    return sums
''',
    ),
    Edit(
        SAMPLE,
        "",
        '''"""Sampling from one row."""

from lumen.softmax import softmax


def chances(row):
    return softmax(row)
''',
    ),
    Edit(
        TEST,
        "",
        """from harbor.scores import scores


def test_one_score_a_row():
    assert len(scores([[1.0], [2.0]], [True])) == 2


def test_scores_keep_their_order():
    assert scores([[1.0], [2.0]], [True]) == [1.0, 2.0]
""",
    ),
)

GUARD = "    sums = [0.0 if value != value else value for value in sums]\n"
IMPORT = "from types import SimpleNamespace\n\n"
LAST_TEST = "    assert scores([[1.0], [2.0]], [True]) == [1.0, 2.0]\n"
GUARD_TEST = """

def test_scores_hold_no_nan():
    batch = SimpleNamespace(rows=[[1.0, float("nan")]], mask=[True, False])
    assert scores(batch.rows, batch.mask) == [1.0]
"""
ADD_GUARD = (
    Edit(SCORES, "    return sums\n", GUARD + "    return sums\n"),
    Edit(TEST, "from harbor.scores import scores\n", IMPORT + "from harbor.scores import scores\n"),
    Edit(TEST, LAST_TEST, LAST_TEST + GUARD_TEST),
)

# Written later, and in need of the import that the guard brought.
LATER_TEST = """def test_scores_of_a_batch():
    batch = SimpleNamespace(rows=[[3.0], [4.0]], mask=[True])
    assert scores(batch.rows, batch.mask) == [3.0, 4.0]


"""
ADD_LATER_TEST = (Edit(TEST, "def test_scores_keep_their_order", LATER_TEST + "def test_scores_keep_their_order"),)

# What a careful person commits: the guard and its test go, the import stays.
DROP_GUARD = (Edit(SCORES, GUARD, ""), Edit(TEST, GUARD_TEST, ""))

SHIFT = "    row = [value - max(row) for value in row]\n"
ADD_SHIFT = (Edit(SAMPLE, "    return softmax(row)\n", SHIFT + "    return softmax(row)\n"),)


def pin(old: str, new: str) -> tuple[Edit, ...]:
    """Move the pinned release."""
    return (Edit(DOCKERFILE, f'ARG LUMEN_TAG="{old}"', f'ARG LUMEN_TAG="{new}"'),)


CONFIG = """\
# Made by `syncbot demo`: two invented projects. Their clones are beside this file, so every command takes
#   --repo lumen=lumen.git --repo harbor=harbor.git

[upstreams.lumen]
url = "https://git.example.com/lumen/lumen.git"
branch = "main"
tag_pattern = "v0.*"

[downstreams.harbor]
url = "https://git.example.com/harbor/harbor.git"
branch = "main"

[pins.image]
upstream = "lumen"
downstream = "harbor"
path = "docker/Dockerfile"
pattern = '^ARG LUMEN_TAG="(?P<ref>[^"]+)"'
"""

MASKED_TAIL = """\
title = "NaN guard behind lumen's masked row sum"
why = "lumen reads past the mask, and what it finds there may be NaN."
downstream = "harbor"

[introduced]
pull = 101
commit = "{commit}"
date = 2026-02-13

[[fixes]]
upstream = "lumen"
pull = 14
cures = "verified"

[[removal.markers]]
text = "0.0 if value != value else value"
path = "harbor/scores.py"

[[removal.markers]]
text = "def test_scores_hold_no_nan("
path = "tests/test_scores.py"
"""

LONG_ROWS = """\
title = "Shift before lumen's softmax"
why = "lumen's softmax overflows on large values."
downstream = "harbor"

[introduced]
pull = 102
commit = "{commit}"
date = 2026-02-13

[[fixes]]
upstream = "lumen"
pull = 12

[removal]
action = "review"

[[removal.markers]]
text = "value - max(row) for value in row"
path = "harbor/sample.py"
"""
