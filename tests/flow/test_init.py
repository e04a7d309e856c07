"""``syncbot init`` for a pair of projects: what it finds, says and writes, with no network."""

import json
import tomllib

import pytest
from fake_forge import FakeForge
from fixtures.repos import Repo, run_git

from syncbot.cli.main import run

NAMES = ["--upstream", "acme/turbo", "--downstream", "https://git.example.com/octo/app.git"]
WORKAROUND = """def f(x):
    # TODO: remove this once https://github.com/acme/turbo/pull/7 is released
    x = x + 0
    return x
"""


GPU = 'ARG TURBO_BRANCH="v1.1.0"\nFROM base\nARG TURBO_BRANCH\n'


@pytest.fixture
def pair(tmp_path):
    """An upstream with three releases and a fix that is in the last, and a downstream that pins it in five places."""
    up, down = Repo(tmp_path / "up.git"), Repo(tmp_path / "down.git")
    up.commit("Begin", {"pyproject.toml": '[project]\nname = "turbo-kernels"\n', "k.py": "x = 1\n"})
    for tag in ("v1.0.0", "v1.1.0", "v1.1.0-broken"):
        up.tag(tag)
    up.commit("Mend it (#7)", {"k.py": "x = 2\n"})
    up.tag("v1.2.0")
    down.commit("Build with turbo", {"Dockerfile.gpu": GPU})
    down.commit("Tidy up", {"Dockerfile.gpu": None, "docker/Dockerfile.gpu": GPU})
    down.commit(
        "Build everything with turbo",
        {
            "docker/Dockerfile.next": 'ARG TURBO_BRANCH="main"\n',
            "requirements.txt": "numpy\nturbo-kernels==1.2.0\n",
            "examples/requirements.txt": "turbo-kernels==1.0.0\n",
            "setup.py": 'setup(install_requires=["turbo-kernels>=1.0.0"])\n',
            "legacy/build.sh": "TURBO_COMMIT=0123456789abcdef0123456789abcdef01234567\n",
            "tools/get.sh": "git clone https://github.com/acme/turbo.git\n",
            "app.py": WORKAROUND,
        },
    )
    return ["--repo", f"turbo={up.path}", "--repo", f"app={down.path}"]


def test_every_pin_is_found_judged_and_explained(pair, tmp_path, capsys):
    folder = tmp_path / "new"
    assert run(["init", str(folder), *NAMES, *pair, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {each["path"]: (each["ref"], each["form"], each["gating"]) for each in said["pins"]} == {
        "docker/Dockerfile.gpu": ("v1.1.0", "tag", True),
        "requirements.txt": ("1.2.0", "version", True),
        "docker/Dockerfile.next": ("main", "branch", False),
        "examples/requirements.txt": ("1.0.0", "version", False),
        "setup.py": ("1.0.0", "version", False),
    }
    assert [each["former_paths"] for each in said["pins"]][:2] == [["Dockerfile.gpu"], []]
    assert said["tags"]["pattern"] == "v[0-9]*"
    assert (said["tags"]["releases"], said["tags"]["ignore"]) == (3, ["v1.1.0-broken"])
    assert {each["path"]: each["why"] for each in said["unsure"]} == {
        "legacy/build.sh": "a variable says 0123456789ab, a commit that this clone of the upstream does not have",
        "tools/get.sh": "names its address, and no version beside it was understood",
    }
    assert [(each["path"], each["references"]) for each in said["workarounds"]] == [("app.py", ["turbo#7"])]
    assert said["written"] == [str(folder / "syncbot.toml")]


def test_what_is_written_works_at_once(pair, tmp_path, capsys):
    folder = tmp_path / "new"
    assert run(["init", str(folder), *NAMES, *pair, "--manifests", "3"]) == 0
    out, err = capsys.readouterr()
    assert "gates: it names one version" in out
    assert "does not gate: it follows a branch" in out
    assert "does not gate: examples/ is not what is shipped" in out
    command = next(line for line in err.splitlines() if "syncbot status" in line)
    config = tomllib.loads((folder / "syncbot.toml").read_text())
    assert config["upstreams"]["turbo"] == {
        "repo": "acme/turbo", "branch": "main", "tag_pattern": "v[0-9]*", "ignore_tags": ["v1.1.0-broken"],
    }  # fmt: skip
    assert config["downstreams"]["app"] == {"url": "https://git.example.com/octo/app.git", "branch": "main"}
    assert run(["check", str(folder)]) == 0
    capsys.readouterr()
    assert run([*command.split()[1:], "--json"]) == 0
    (only,) = json.loads(capsys.readouterr().out)["workarounds"]
    assert {pin["ref"]: pin["verdict"] for pin in only["pins"]} == {
        "v1.1.0": "absent", "1.2.0": "contained", "main": "contained", "1.0.0": "absent",
    }  # fmt: skip
    assert (only["stage"], only["decision"]) == ("released", "keep")
    assert [(fix["pull"], fix["cures"]) for fix in only["fixes"]] == [(7, "unverified")]


def test_addresses_alone_are_enough(pair, tmp_path, capsys, monkeypatch):
    """From mirrors, which have no file contents until they are asked for."""
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    with FakeForge(tmp_path) as forge:
        for slug, name in (("acme/turbo", "up.git"), ("octo/app", "down.git")):
            forge.world.add_repo(slug, tmp_path / name)
            run_git(tmp_path / name, "config", "uploadpack.allowFilter", "true")
            run_git(tmp_path / name, "config", "uploadpack.allowAnySHA1InWant", "true")
        where = tmp_path / "new"
        named = ["--upstream", f"{forge.web}/acme/turbo.git", "--downstream", f"{forge.web}/octo/app.git"]
        assert run(["init", str(where), *named]) == 0
        said = capsys.readouterr().out
        assert "pin requirements: requirements.txt:2 (a requirement) says 1.2.0" in said
        assert "1.2.0 is the version of the tag v1.2.0; gates" in said
        assert "build files were not read" not in said
        assert run(["doctor", "--config", str(where)]) == 0
        assert "ok          pin requirements: says 1.2.0, which is " in capsys.readouterr().out
        assert not forge.requests


def test_nothing_is_written_over(pair, tmp_path, capsys):
    (tmp_path / "syncbot.toml").write_text("mine")
    assert run(["init", str(tmp_path), *NAMES, *pair]) == 2
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "syncbot.toml").read_text() == "mine"
    assert not (tmp_path / "patches").exists()


def test_no_pin_is_said_loudly(pair, tmp_path, capsys):
    other = Repo(tmp_path / "other.git", "trunk")
    other.commit("Begin", {"README": "nothing here\n"})
    repos = [*pair[:2], "--repo", f"app={other.path}"]
    assert run(["init", str(tmp_path / "new"), *NAMES, *repos, "--no-discover"]) == 0
    assert "no pin was found" in capsys.readouterr().out
    assert run(["check", str(tmp_path / "new")]) == 0
    config = ["--config", str(tmp_path / "new"), *repos]
    assert run(["status", *config]) == 0
    assert 'branch = "trunk"' in (tmp_path / "new" / "syncbot.toml").read_text()


def test_hostile_files_stay_data(tmp_path, capsys, pair):
    evil = 'a\nb\'"""\x1b[31m\u202e'
    down = Repo(tmp_path / "evil.git")
    down.commit("Evil", {"Dockerfile": f"ARG TURBO_VERSION='1.2.0' {evil}\n", "ci.yml": f"uses: acme/turbo@{evil}\n"})
    assert run(["init", str(tmp_path / "new"), *NAMES, *pair[:2], "--repo", f"app={down.path}"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert run(["check", str(tmp_path / "new")]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--upstream", "acme/turbo"], "name both projects"),
        ([*NAMES, "--id", "x"], "--id goes with --starter"),
        (["--upstream", "a/same", "--downstream", "b/same"], "both projects would be called 'same'"),
        (["--starter", "--manifests", "2"], "not with a starter"),
        ([*NAMES, "--repo", "nobody=/tmp"], "expected NAME=PATH with one of app, turbo"),
        (["--upstream", "ext::sh -c true", "--downstream", "a/b"], "expected"),
    ],
)
def test_what_makes_no_sense(tmp_path, capsys, words, said):
    assert run(["init", str(tmp_path / "new"), *words]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
