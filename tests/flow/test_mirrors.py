"""A project read from mirrors: the same answers as from full clones, and nothing is fetched twice."""

import os
import subprocess
from pathlib import Path

import pytest

from syncbot.cli.main import run

CONFIG = """
[forges.here]
kind = "folder"
path = "proposals"
[upstreams.lib]
repo = "team/lib"
forge = "{forge}"
url = "file://{folder}/lib"
tag_pattern = "v*"
[downstreams.app]
repo = "team/app"
forge = "{forge}"
url = "file://{folder}/app"
[pins.image]
upstream = "lib"
downstream = "app"
path = "Dockerfile"
pattern = '^ARG LIB="(?P<ref>[^"]+)"'
"""
MANIFEST = """
title = "A guard"
why = "The library returns what it must not."
downstream = "app"
[introduced]
commit = "{introduced}"
[[fixes]]
upstream = "lib"
pull = 7
[gate]
pins = ["image"]
"""
ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=folder, env=ENV, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, subject: str, **files: str) -> str:
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def hosted(tmp_path, monkeypatch):
    """``lib`` with a fix picked to a release under another text, ``app`` with a workaround and a pin."""
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    lib, app = tmp_path / "lib", tmp_path / "app"
    for folder in (lib, app):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        git(folder, "config", "uploadpack.allowFilter", "true")
    commit(lib, "Start", source="def give():\n    return None\n")
    git(lib, "branch", "release")
    fix = "def give():\n    value = compute()\n    if value is None:\n        raise LookupError\n    return value\n"
    commit(lib, "Give something (#7)", source=fix)
    git(lib, "checkout", "-q", "release")
    commit(lib, "Backport", source=fix)
    git(lib, "tag", "v1")
    git(lib, "checkout", "-q", "main")
    commit(app, "Start", Dockerfile='ARG LIB="v0"\n', code="give()\n")
    introduced = commit(app, "Guard", code="give() or something\n", **{"guard.py": "def guarded():\n    return 1\n"})
    commit(app, "Take v1", Dockerfile='ARG LIB="v1"\n')

    def write(forge: str = "here") -> Path:
        project = tmp_path / "project"
        (project / "patches" / "guard").mkdir(parents=True, exist_ok=True)
        (project / "syncbot.toml").write_text(CONFIG.format(folder=tmp_path, forge=forge))
        (project / "patches" / "guard" / "patch.toml").write_text(MANIFEST.format(introduced=introduced))
        return project

    return write


def test_mirrors_answer_as_full_clones_do(hosted, tmp_path, capsys):
    project = str(hosted())
    clones = [f"--repo={name}={tmp_path / name}" for name in ("lib", "app")]
    for options, says in ((["--json"], '"verdict": "contained"'), (["--pin-history", "--json"], '"new": "v1"')):
        assert run(["status", "--config", project, *options, "--no-cache", *clones]) == 0
        from_clones = capsys.readouterr().out
        assert says in from_clones, "the answer rests on the contents of files"
        assert run(["status", "--config", project, *options, "--no-cache"]) == 0
        assert capsys.readouterr().out == from_clones


def test_a_workaround_is_taken_out_of_a_mirror_as_out_of_a_full_clone(hosted, tmp_path, capsys):
    project = hosted()
    app = tmp_path / "app"
    # To find a use, files that the change does not touch must be read; to tell who rewrote a line, those of the past.
    commit(app, "Use", **{"user.py": "from guard import guarded\n\nguarded()\n"})
    commit(app, "Rewrite", code="give() or another\n")
    for onto, says in (("main~2", '"outcome": "clean"'), ("main~1", "still imports guard.py"), ("main", "Rewrite")):
        code = 0 if onto == "main~2" else 1
        command = ["remove", "guard", "--config", str(project), "--onto", onto, "--json"]
        assert run([*command, f"--repo=app={app}"]) == code
        from_clone = capsys.readouterr().out
        assert says in from_clone
        assert run(command) == code
        assert capsys.readouterr().out == from_clone
    assert run(["remove", "guard", "--config", str(project)]) == 1, "the branch is the mirror's own"


def test_a_folder_is_read_only_for_a_folder_forge(hosted, capsys):
    project = hosted()
    config = project / "syncbot.toml"
    config.write_text(config.read_text().replace('kind = "folder"\npath = "proposals"', 'kind = "git"'))
    assert run(["status", "--config", str(project)]) == 2
    assert "'file' is refused" in capsys.readouterr().err
