"""The pages keep their word: links lead somewhere, every command is named, what is made by a script is up to date."""

import re
import runpy
from pathlib import Path

import pytest

from syncbot.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def test_the_readme_names_every_command():
    table = README.split("## Commands")[1].split("##")[0]
    named = {name for row in table.splitlines() if row.startswith("| `") for name in re.findall(r"`([a-z-]+)`", row)}
    assert named == set(COMMANDS)


def test_the_command_reference_is_up_to_date():
    made = runpy.run_path(str(ROOT / "docs" / "make_commands.py"))["reference"]()
    assert made == (ROOT / "docs" / "commands.md").read_text(encoding="utf-8"), "run: make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not link.startswith(("http://", "https://")):
            target, _, anchor = link.partition("#")
            file = page.parent / target if target else page
            assert file.exists(), link
            if anchor:
                heads = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}, link


def test_the_index_names_every_page():
    named = set(re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8")))
    assert named == {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}


def test_decisions_are_short_and_numbered_once():
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    numbers = [page.name[:4] for page in pages]
    assert len(set(numbers)) == len(numbers)
    for page in pages:
        title, _, text = page.read_text(encoding="utf-8").partition("\n\n")
        assert title.startswith("# ")
        assert len(re.findall(r"[.](?:\s|$)", text)) <= 4, page.name
