"""Sync without clones of one's own: from mirrors that have no file contents until they are asked for."""

import re

from small_repo import git

from syncbot.cli.main import run


def test_the_same_proposal_from_mirrors(make_stand):
    stand = make_stand("folder")
    for each in (stand.up, stand.down):
        git(each, "config", "uploadpack.allowFilter", "true")
        git(each, "config", "uploadpack.allowAnySHA1InWant", "true")
    stand.pin("v0.1.20")
    config = stand.project / "syncbot.toml"
    text = '[forges.here]\nkind = "folder"\npath = "proposals"\n' + config.read_text()
    for slug, path in (("up/kernels", stand.up), ("octo/down", stand.down)):
        text = re.sub(
            rf'^repo = "{slug}"$', f'repo = "{slug}"\nforge = "here"\nurl = "file://{path}"', text, flags=re.MULTILINE
        )
    config.write_text(text)
    assert run(["sync", "--apply", "--config", str(stand.project)]) == 0
    patch = next((stand.project / "proposals/octo/down").glob("proposals/*/change.patch")).read_text()
    assert '-    out.nan_to_num_(float("-inf"))' in patch
    assert "-from types import SimpleNamespace" not in patch
    stand.capsys.readouterr()
    assert run(["sync", "--apply", "--config", str(stand.project)]) == 0
    assert "nothing to write" in stand.capsys.readouterr().out
