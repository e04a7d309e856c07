"""Every message that docs/troubleshooting.md explains is one that the program says."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
MESSAGES = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)


def texts():
    """Every string of the program; what is filled in stands as `…`."""
    for path in (ROOT / "syncbot").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield re.sub(r"\{\w+\}", "…", node.value)
            elif isinstance(node, ast.JoinedStr):
                yield "".join(each.value if isinstance(each, ast.Constant) else "…" for each in node.values)


SAID = "\n".join(texts())


@pytest.mark.parametrize("message", MESSAGES)
def test_the_program_says_it(message):
    assert message in SAID


def test_there_are_messages():
    assert len(MESSAGES) > 50
