"""Every key a file may hold is explained: in the pages, and in the comments of the starter files."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from syncbot.config import config_file, manifest_file
from syncbot.model import words

ROOT = Path(__file__).parents[3]
STARTER = ROOT / "syncbot" / "config" / "starter"


def keys(module):
    models = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, BaseModel)]
    return sorted({name for model in models for name in model.model_fields})


@pytest.mark.parametrize(
    ("module", "pages"),
    [
        (config_file, [ROOT / "docs" / "config.md", STARTER / "syncbot.toml"]),
        (manifest_file, [ROOT / "docs" / "manifest.md", STARTER / "patch.toml"]),
    ],
    ids=["config", "manifest"],
)
def test_every_key_is_explained(module, pages):
    for page in pages:
        text = page.read_text(encoding="utf-8")
        missing = [key for key in keys(module) if not re.search(rf"\b{key}\b", text)]
        assert missing == [], page.name


def test_every_word_of_the_closed_vocabularies_is_in_the_glossary():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    for enum in (words.Verdict, words.Confidence, words.Cures, words.Stage, words.CarriedAs):
        assert [word.value for word in enum if f"`{word.value}`" not in text] == [], enum.__name__
    for enum in (words.Choice, words.Fit):
        assert [word.value for word in enum if word.value not in text and word.value != "unknown"] == [], enum.__name__
