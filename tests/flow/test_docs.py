"""The pages keep their word: commands run as written, links lead somewhere, every command is named."""

import re
import shlex
from pathlib import Path

import pytest

from syncbot.cli.main import COMMANDS, run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_readme_works_as_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    lines = [line.removeprefix("$ ") for block in blocks(README, "console") for line in block.splitlines()]
    printed = {}
    for words in (shlex.split(line, comments=True) for line in lines):
        match words:
            case ["cd", folder]:
                monkeypatch.chdir(folder)
            case ["mkdir", folder]:
                Path(folder).mkdir()
            case ["syncbot", *arguments]:
                assert run(arguments) == 0, (words, capsys.readouterr().err)
                printed[" ".join(arguments[:2])] = capsys.readouterr().out
            case ["make", target]:
                assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), target
            case _:
                pytest.fail(f"what should {words} do?")
    assert {"demo", "where", "status", "bump", "init", "check"} <= {words.split()[0] for words in printed}
    quoted = next(block for block in blocks(README, "text") if "v0.3.0rc1" in block)
    for line in quoted.splitlines():
        release, why = re.split(r"(?:contained|reverted)\s+", line)
        assert release.strip() in printed["where #12"]
        assert why in printed["where #12"]


def test_the_readme_names_every_command():
    table = README.split("## Commands")[1].split("##")[0]
    named = {name for row in table.splitlines() if row.startswith("| `") for name in re.findall(r"`([a-z-]+)`", row)}
    assert named == set(COMMANDS)


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
