"""The stand-in upstream: a kernel library whose history has everything that makes "is the fix in it?" hard."""

from __future__ import annotations

from syncbot.demo.builder import Edit, Person

ADA = Person(name="Ada Vale")
BO = Person(name="Bo Lindqvist")

ROWS, SOFTMAX, RECORDING = "lumen/rowsum.py", "lumen/softmax.py", "recordings/session.txt"

ROW_SUM = Edit(
    ROWS,
    "",
    '''"""Sums of rows."""


def row_sum(rows, mask):
    total = []
    for row in rows:
        total.append(sum(row))
    return total
''',
)

BIG_FILE = Edit(RECORDING, "", "".join(f"frame {number}\n" for number in range(200)))

CHECK_ROWS = Edit(
    ROWS,
    "    total = []\n",
    """    if not rows:
        raise ValueError("no rows to sum")
    if len(mask) == 0:
        raise ValueError("the mask is empty")
    total = []
""",
)

SOFTMAX_NEW = Edit(
    SOFTMAX,
    "",
    '''"""Softmax of one row."""

import math


def softmax(row):
    powers = [math.exp(value) for value in row]
    whole = sum(powers)
    return [power / whole for power in powers]
''',
)

# A new name in the lines around the fix to come: this is what a pick onto the older release conflicts with.
RENAME = (
    Edit(ROWS, "    total = []\n", "    sums = []\n"),
    Edit(
        ROWS, "        total.append(sum(row))\n    return total\n", "        sums.append(sum(row))\n    return sums\n"
    ),
)

MASK_FIX = """        width = min(len(row), len(mask))
        kept = zip(row[:width], mask[:width], strict=True)
        row = [value for value, keep in kept if keep]
"""
FIX_MASK = Edit(ROWS, "        sums.append(sum(row))\n", MASK_FIX + "        sums.append(sum(row))\n")
FIX_MASK_ON_0_2 = Edit(ROWS, "        total.append(sum(row))\n", MASK_FIX + "        total.append(sum(row))\n")

BLOCKS = """    highest = max(row)
    blocks = [row[start : start + 64] for start in range(0, len(row), 64)]
    powers = [math.exp(value - highest) for block in blocks for value in block]
"""
ONE_GO = "    powers = [math.exp(value) for value in row]\n"
SOFTMAX_BLOCKS = Edit(SOFTMAX, ONE_GO, BLOCKS)
SOFTMAX_ONE_GO = Edit(SOFTMAX, BLOCKS, ONE_GO)


def version(number: str) -> Edit:
    """The commit that only says which release comes next."""
    return Edit("VERSION", "", f"{number}\n")
