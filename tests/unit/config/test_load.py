"""A project read from its folder."""

from pathlib import Path

import pytest

from syncbot.config import check_project, load_project
from syncbot.model.errors import UsageError

CONFIG = """
[upstreams.lib]
repo = "up/lib"
tag_pattern = "v*"

[downstreams.app]
url = "git@github.com:down/app.git"
branch = "main"

[pins.image]
upstream = "lib"
downstream = "app"
path = "Dockerfile"
pattern = 'LIB="(?P<ref>[^"]+)"'
"""
MANIFEST = """
title = "Guard the logits"
why = "NaN"
downstream = "app"

[introduced]
pull = 1

[[fixes]]
upstream = "lib"
pull = 7
"""


def write(root: Path, config: str = CONFIG, **manifests: str) -> Path:
    (root / "syncbot.toml").write_text(config, encoding="utf-8")
    for name, text in manifests.items():
        (root / "patches" / name).mkdir(parents=True)
        (root / "patches" / name / "patch.toml").write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize("named", ["", "syncbot.toml"])
def test_reads_a_project_by_its_folder_or_its_file(tmp_path, named):
    write(tmp_path, guard=MANIFEST)
    project = load_project(tmp_path / named)
    assert project.upstreams["lib"].repo.url == "https://github.com/up/lib.git"
    assert project.downstreams["app"].repo.slug == "down/app"
    assert project.downstreams["app"].repo.forge.name == "github"
    (workaround,) = project.workarounds
    assert (workaround.id, workaround.gate, workaround.fixes[0].query) == ("guard", ("image",), "#7")
    assert Path(project.root) == tmp_path


def test_every_problem_of_every_file_comes_in_one_go(tmp_path):
    write(
        tmp_path,
        CONFIG.replace("tag_pattern", "tag_patern"),
        one=MANIFEST.replace('"lib"', '"lbi"'),
        two=MANIFEST + "extra",
    )
    with pytest.raises(UsageError) as caught:
        load_project(tmp_path)
    text = str(caught.value)
    assert "syncbot.toml:4: upstreams.lib.tag_patern: found an unknown key" in text
    assert 'did you mean "tag_pattern"?' in text
    assert 'patches/one/patch.toml:10: fixes[0].upstream: found "lbi"' in text
    assert "patches/two/patch.toml:12: found text that is not TOML" in text
    assert [str(each) for each in check_project(tmp_path)] == list(caught.value.problems)
