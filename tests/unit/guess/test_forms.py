"""Each form of a pin is read, and the pattern made of it finds the next ref at the same place."""

import re

import pytest

from syncbot.guess.names import names_of
from syncbot.guess.sightings import sightings, submodules

SHA = "0123456789abcdef0123456789abcdef01234567"
NAMES = names_of(
    "acme/turbo",
    "turbo",
    {"pyproject.toml": '[project]\nname = "turbo-kernels"\n', "go.mod": "module github.com/acme/turbo\n"},
)


def case(path, text, ref, *, exact=True, next_ref=None):
    return pytest.param(path, text, ref, exact, next_ref or ref.replace("1", "7"), id=f"{path}: {text[:40]!r}")


CASES = [
    # variables
    case("docker/Dockerfile", 'ARG TURBO_BRANCH="v1.2.0"\nFROM x\nARG TURBO_BRANCH\n', "v1.2.0", next_ref="main"),
    case("Dockerfile.rocm", "ARG TURBO_VERSION=1.2.0\nRUN pip install turbo-kernels==${TURBO_VERSION}\n", "1.2.0"),
    case("Dockerfile", "ENV TURBO_COMMIT 0123456\nENV OTHER=1\n", "0123456"),
    case("Dockerfile", "ENV A=1 \\\n    TURBO_KERNELS_GIT_REF=v1.2.0 \\\n    B=2\n", "v1.2.0"),
    case("build.sh", "export TURBO_SHA='0123456'\n", "0123456"),
    case("build.sh", 'TURBO_REF="${TURBO_REF:-v1.2.0}"\n', "v1.2.0"),
    case("Makefile", "TURBO_VERSION ?= 1.2.0\n", "1.2.0"),
    case("cmake/deps.cmake", 'set(TURBO_TAG "v1.2.0")\n', "v1.2.0"),
    case("CMakeLists.txt", "set(TURBO_VERSION 1.2.0 CACHE STRING x)\n", "1.2.0"),
    case(".github/workflows/test.yml", "env:\n  TURBO_VERSION: 1.2.0\n", "1.2.0"),
    case("docker/versions.json", '"TURBO_VERSION": {\n  "default": "1.2.0"\n}\n', "1.2.0"),
    case("setup.py", 'TURBO_VERSION = "1.2.0"\n', "1.2.0"),
    case("deps.bzl", f'TURBO_COMMIT = "{SHA}"\n', SHA, next_ref="v7.0"),
    # requirements
    case("requirements.txt", "numpy==1.2.0\nturbo-kernels==1.2.0  # gpu\nother==1.2.0\n", "1.2.0"),
    case("requirements/cuda.txt", "turbo_kernels[all]==1.2.0; sys_platform == 'linux'\n", "1.2.0"),
    case("requirements.txt", "turbo-kernels>=1.2.0,<2\n", "1.2.0", exact=False),
    case("requirements.txt", "turbo-kernels~=1.2\n", "1.2", exact=False),
    case("Dockerfile", "RUN pip install 'a==1' \\\n  turbo-kernels==1.2.0 b==2\n", "1.2.0"),
    case("pyproject.toml", '[project]\ndependencies = [\n  "turbo-kernels==1.2.0",\n  "x",\n]\n', "1.2.0"),
    case("pyproject.toml", '[dependency-groups]\ngpu = ["turbo-kernels>=1.2.0"]\n', "1.2.0", exact=False),
    case("pyproject.toml", '[tool.poetry.dependencies]\nturbo-kernels = "^1.2.0"\n', "1.2.0", exact=False),
    case("setup.cfg", "install_requires =\n    turbo-kernels==1.2.0\n", "1.2.0"),
    case("setup.py", 'setup(install_requires=["turbo-kernels==1.2.0"])\n', "1.2.0"),
    case("environment.yml", "dependencies:\n  - python=3.11\n  - turbo-kernels=1.2.0\n", "1.2.0"),
    # addresses
    case("requirements.txt", "git+https://github.com/acme/turbo.git@v1.2.0\n", "v1.2.0", next_ref=SHA),
    case("requirements.txt", "turbo @ git+https://github.com/acme/turbo@0123456#egg=turbo\n", "0123456"),
    case("pyproject.toml", f'turbo = {{ git = "https://github.com/acme/turbo", rev = "{SHA}" }}\n', SHA),
    case("pyproject.toml", 'turbo = { git = "ssh://git@github.com/acme/turbo.git", tag = "v1.2.0" }\n', "v1.2.0"),
    case(".github/workflows/ci.yml", "steps:\n  - uses: acme/turbo@v1.2.0\n", "v1.2.0"),
    case(".github/workflows/ci.yml", "  - uses: acme/turbo/setup@v1.2.0 # pinned\n", "v1.2.0"),
    case(
        ".github/workflows/ci.yml",
        "- uses: actions/checkout@v7\n  with:\n    repository: acme/turbo\n    path: t\n    ref: v1.2.0\n",
        "v1.2.0",
    ),
    case("Dockerfile", "ADD https://github.com/acme/turbo/archive/refs/tags/v1.2.0.tar.gz /x\n", "v1.2.0"),
    case("install.sh", "curl -L https://github.com/acme/turbo/releases/download/v1.2.0/turbo-x86.tgz\n", "v1.2.0"),
    case("Dockerfile", "RUN git clone https://github.com/acme/turbo && cd turbo && git checkout 0123456\n", "0123456"),
    case("build.sh", "git clone https://github.com/acme/turbo\ncd turbo\ngit checkout --detach v1.2.0\n", "v1.2.0"),
    case("build.sh", "git clone --depth 1 --branch v1.2.0 https://github.com/acme/turbo.git\n", "v1.2.0"),
    case("Dockerfile", "RUN git clone -b v1.2.0 \\\n    https://github.com/acme/turbo /turbo\n", "v1.2.0"),
    case(
        "CMakeLists.txt",
        "FetchContent_Declare(\n  turbo\n  GIT_REPOSITORY https://github.com/acme/turbo.git\n  GIT_TAG v1.2.0\n)\n",
        "v1.2.0",
    ),
    case("WORKSPACE", f'git_repository(\n  remote = "https://github.com/acme/turbo",\n  commit = "{SHA}",\n)\n', SHA),
    case("MODULE.bazel", 'bazel_dep(name = "turbo", version = "1.2.0")\n', "1.2.0"),
    # locks and other languages
    case("uv.lock", '[[package]]\nname = "turbo-kernels"\nversion = "1.2.0"\nsource = 1\n', "1.2.0"),
    case("Cargo.lock", 'name = "turbo"\nversion = "1.2.0"\n\nname = "x"\nversion = "1.2.0"\n', "1.2.0"),
    case("Cargo.lock", f'source = "git+https://github.com/acme/turbo?branch=main#{SHA}"\n', SHA),
    case("Cargo.toml", '[dependencies]\nturbo = "1.2.0"\n', "1.2.0", exact=False),
    case("Cargo.toml", 'turbo = { features = ["a"], version = "=1.2.0" }\n', "1.2.0"),
    case("package.json", '  "dependencies": {\n    "turbo": "^1.2.0",\n    "x": "1"\n', "1.2.0", exact=False),
    case("package.json", '    "turbo": "1.2.0"\n', "1.2.0"),
    case("package.json", '    "turbo": "github:acme/turbo#v1.2.0"\n', "v1.2.0"),
    case("package-lock.json", '    "node_modules/turbo": {\n      "version": "1.2.0",\n', "1.2.0"),
    case("yarn.lock", 'turbo@^1.0.0:\n  version "1.2.0"\n', "1.2.0"),
    case("go.mod", "require (\n\tgithub.com/acme/turbo v1.2.0\n\tgithub.com/acme/turbot v1.2.0\n)\n", "v1.2.0"),
    case("go.mod", "require github.com/acme/turbo v0.0.0-20260102030405-0123456789ab\n", "0123456789ab"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "ref", "exact", "next_ref"), CASES)
def test_a_pin_is_found_and_its_pattern_follows_it(path, text, ref, exact, next_ref):
    (only,) = sightings(path, text, NAMES)
    assert (only.ref, only.exact) == (ref, exact)
    assert text.splitlines()[only.line - 1].count(ref) >= 1
    (match,) = re.finditer(only.pattern, text, re.MULTILINE)
    assert match["ref"] == ref
    moved = text[: match.start("ref")] + next_ref + text[match.end("ref") :]
    assert [each["ref"] for each in re.finditer(only.pattern, moved, re.MULTILINE)] == [next_ref]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Dockerfile", "ARG TURBO_BRANCH\n"),
        ("Dockerfile", "# ARG TURBO_BRANCH=v1\n"),
        ("Dockerfile", "ENV TURBO_VERSION=${OTHER}\n"),
        ("Dockerfile", "ENV USE_TURBO=1\n"),
        ("Dockerfile", "ENV TURBO_ARCH=gfx942\n"),
        ("requirements.txt", "turbo-kernels-extra==1.2.0\nmy-turbo==1.2\n"),
        ("requirements.txt", "turbo-kernels\n"),
        ("requirements.txt", "turbo-kernels<2\n"),
        ("ci.yml", "- uses: acme/turbo-action@v1\n- uses: other/turbo@v1\n"),
        ("ci.yml", "- TURBO=1 bash test.sh\n"),
        ("go.mod", "\tgithub.com/acme/turbo/v2extra v1.2.0\n"),
        ("build.sh", "git clone https://github.com/acme/turbo\ngit clone https://github.com/x/y\ngit checkout v3\n"),
        ("Cargo.lock", 'name = "turbot"\nversion = "1.2.0"\n'),
    ],
)
def test_what_only_looks_like_a_pin(path, text):
    assert list(sightings(path, text, NAMES)) == []


def test_two_versions_of_one_file_are_two_pins_or_none():
    text = "FROM a AS x\nRUN pip install turbo==1.2\nFROM b AS y\nRUN pip install turbo==1.3\n"
    # No expression tells these two apart by what stands before them, so neither is guessed.
    assert list(sightings("Dockerfile", text, NAMES)) == []


def test_a_submodule():
    other = '[submodule "x"]\n\tpath = x\n\turl = https://github.com/acme/x\n'
    text = other + '[submodule "t"]\n\tpath = 3rd/t\n\turl = git@github.com:acme/turbo.git\n'
    (only,) = submodules(text, {"3rd/t": SHA, "x": SHA}, NAMES)
    assert (only.path, only.ref, only.pattern) == ("3rd/t", SHA, None)


@pytest.mark.parametrize(
    ("path", "text", "packages"),
    [
        ("setup.py", 'setup(name="amd-turbo", version=1)', ["turbo", "amd-turbo"]),
        ("setup.cfg", "[metadata]\nname = turbo-x\n", ["turbo", "turbo-x"]),
        ("python/pyproject.toml", '[tool.poetry]\nname = "turbo-y"\n', ["turbo", "turbo-y"]),
        ("crates/a/Cargo.toml", '[package]\nname = "turbo-a"\n', ["turbo", "turbo-a"]),
        ("packages/b/package.json", '{"name": "@acme/turbo"}', ["turbo", "@acme/turbo"]),
        ("package.json", '{"name": ["evil"]}', ["turbo"]),
        ("pyproject.toml", "[project\n", ["turbo"]),
        ("pyproject.toml", 'project = "x"\n', ["turbo"]),
        ("package.json", "[" * 100_000, ["turbo"]),
    ],
)
def test_names_come_from_what_the_upstream_publishes(path, text, packages):
    assert list(names_of("acme/turbo", "turbo", {path: text}).packages) == packages
