"""The stand-in downstream: a server that carries a workaround for lumen, and the files syncbot needs for it."""

from __future__ import annotations

from syncbot.demo.builder import Edit, Person

CLEO = Person(name="Cleo Marsh")
ID, REPO, HOME = "masked-tail", "harbor/harbor", "harbor/workarounds"

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

# Main moves under the patch that is carried: the lines around its place are other ones now.
BROADEN = (
    Edit(
        SCORES,
        "def scores(rows, mask):\n",
        "def scores(rows, mask):\n    mask = list(mask)\n",
    ),
)
# What the patch that is carried adds.
GUARD_ONLY = (Edit(SCORES, "    return sums\n", GUARD + "    return sums\n"),)

# Another workaround, which nobody records until the story's end; only its comment says so.
SHIFT = """    # Workaround for lumen#16: softmax overflows on large values. Remove once that is released.
    row = [value - max(row) for value in row]
"""
ADD_SHIFT = (Edit(SAMPLE, "    return softmax(row)\n", SHIFT + "    return softmax(row)\n"),)


def pin(old: str, new: str) -> tuple[Edit, ...]:
    """Move the pinned release."""
    return (Edit(DOCKERFILE, f'ARG LUMEN_TAG="{old}"', f'ARG LUMEN_TAG="{new}"'),)


CONFIG = """\
# Made by `syncbot demo`: two invented projects. Their clones are beside this file, so commands take
#   --repo lumen=lumen.git --repo harbor=harbor.git

[forges.here]
kind = "folder"
path = "forge"

[upstreams.lumen]
url = "https://git.example.com/lumen/lumen.git"
branch = "main"
tag_pattern = "v0.*"

[downstreams.harbor]
repo = "harbor/harbor"
forge = "here"
url = "https://git.example.com/harbor/harbor.git"
branch = "main"

[pins.image]
upstream = "lumen"
downstream = "harbor"
path = "docker/Dockerfile"
pattern = '^ARG LUMEN_TAG="(?P<ref>[^"]+)"'

[proposals]
mode = "pull-request"
labels = ["workaround"]

[proposals.home]
repo = "harbor/workarounds"
forge = "here"
url = "https://git.example.com/harbor/workarounds.git"
"""

_HEAD = """\
title = "NaN guard behind lumen's masked row sum"
why = "lumen reads past the mask, and what it finds there may be NaN."
downstream = "harbor"
"""
_CARRIED = """
[[carried]]
carried = "patch-file"
"""
_CLAIMED = """
[[fixes]]
upstream = "lumen"
pull = 12
"""
_REFUTED = """cures = "refuted"
by = "Cleo Marsh"
note = "NaN as before with v0.3.0rc1 and the guard out."
"""
_REAL = """
[[fixes]]
upstream = "lumen"
pull = 14
cures = "verified"
by = "Cleo Marsh"
"""
_MARKER = """
[[removal.markers]]
text = "0.0 if value != value else value"
path = "harbor/scores.py"
"""
_TEST_MARKER = """
[[removal.markers]]
text = "def test_scores_hold_no_nan("
path = "tests/test_scores.py"
"""
_CHECKS = """
[[checks]]
name = "throughput"
kind = "benchmark"
server = "harbor serve {model} --port {port}"
command = '''vllm bench serve --model {model} --port {port} --dataset-name random --max-concurrency {concurrency}
  --random-input-len {input_len} --random-output-len {output_len} --num-prompts {prompts} --save-result
  --result-filename {out} --metadata {tags}'''
concurrency = [1, 8, 64]
workload = { model = "harbor-small", input_len = 128, output_len = 32 }

[[checks]]
name = "no-nan"
kind = "command"
command = "python -m pytest tests/test_scores.py"

[[checks]]
name = "logs"
kind = "manual"
text = "The server's logs were read"
"""


def _introduced(commit: str) -> str:
    return f'\n[introduced]\npull = 101\ncommit = "{commit}"\ndate = 2026-02-17\n'


def carried() -> str:
    """The manifest while the guard is a patch that the build applies."""
    return _HEAD + _CARRIED + _CLAIMED + _MARKER


def merged(commit: str) -> str:
    """The manifest once harbor has the guard on its main."""
    return _HEAD + _introduced(commit) + _CLAIMED + _MARKER + _TEST_MARKER


def refuted(commit: str) -> str:
    """The manifest once the claimed fix was tried."""
    return _HEAD + _introduced(commit) + _CLAIMED + _REFUTED + _MARKER + _TEST_MARKER


def known(commit: str) -> str:
    """The manifest with the real fix, and what has to be measured before the guard goes."""
    return _HEAD + _introduced(commit) + _CLAIMED + _REFUTED + _REAL + _MARKER + _TEST_MARKER + _CHECKS
