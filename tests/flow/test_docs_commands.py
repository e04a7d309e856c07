"""Every command line of the pages is run as it stands there, and every one in running text exists.

A page's lines are run in their order, in a folder of their own, in this process. Most pages speak of vLLM and AITER:
they get `model_world`, stand-ins under those names on a fake GitHub. The others begin with `syncbot demo` and need
nothing. What a page says that a command prints, it has to print.
"""

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest
from pages import ROOT, lines, other_texts, pages, spans
from small_repo import commit, git
from standin import make_standin
from typer.main import get_command

from syncbot.cli.main import LazyGroup, app, run

RESULTS = ROOT / "tests" / "corpus" / "results" / "real" / "vllm-0.33.0"

# Lines that are not run, each with the reason, and where it is run instead.
NOT_RUN = {
    r"--every": "ends by a signal only: tests/unit/sync/test_every.py",
    r"--install-completion|--show-completion": "asks for the shell it was called by: tests/flow/test_completion.py",
    r"--repo vllm=PATH": "needs clones of the real projects: tests/flow/test_examples.py",
}
# Lines that are about leaving with another code than 0.
LEAVES = {r"--fail-on": 1}
# What `init` would ask github.com is answered by the stand-ins.
LOCAL = ["--repo", "aiter=../aiter", "--repo", "vllm=../vllm"]
# What a page takes for granted that another machine has made.
BEFORE = {"docs/scale.md": ("report", "--shard", "1/1", "--output", "shards/report.json")}
# Pages that bring their own projects along, by `syncbot demo`.
BY_THEMSELVES = ("README.md", "docs/start.md", "docs/deciding.md")

CONFIG = """
[forges.github]
kind = "github"
web = "{web}"
api = "{api}"
token = "GITHUB_TOKEN"

[upstreams.aiter]
repo = "ROCm/aiter"
branch = "main"
tag_pattern = "v0.1.*"

[downstreams.vllm]
repo = "vllm-project/vllm"
branch = "main"

[pins.rocm_base]
upstream = "aiter"
downstream = "vllm"
path = "docker/Dockerfile"
pattern = '^ARG LIB="(?P<ref>[^"]+)"'

[proposals]
mode = "pull-request"

[proposals.home]
repo = "octo/bot"
"""
CHECKS = """
[[checks]]
name = "waves"
kind = "benchmark"
concurrency = [8]
runs = 3
workload = { prompts = 48 }
metrics = [{ name = "output_throughput", tolerance = 50 }]
"""
REMARK = "# TODO: remove once ROCm/aiter#4774 is released.\nx = clamp(x)\n"


@pytest.fixture
def model_world(standin_template, tmp_path, capsys, monkeypatch):
    """The model case under its own names, the current folder being that of the bot; what a page's words stand for."""
    template, ids = standin_template
    maker = make_standin("pull-request", template, ids, tmp_path, capsys, monkeypatch, manifest=CHECKS)
    stand = next(maker)
    world = stand.forge.world
    world.add_repo("ROCm/aiter", stand.up, permissions={"ann": "admin"})
    world.add_repo("vllm-project/vllm", stand.down, permissions={"syncbot": "write", "ann": "admin"})
    monkeypatch.setenv("GITHUB_TOKEN", "bot-token")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    monkeypatch.setenv("SHARD", "1/1")
    monkeypatch.setenv("HOME", str(tmp_path))
    (stand.project / "syncbot.toml").write_text(CONFIG.format(web=stand.forge.web, api=stand.forge.api))
    manifest = (stand.project / "patches" / "guard" / "patch.toml").read_text()
    for old, new in (('"kernels"', '"aiter"'), ('"down"', '"vllm"'), ('"image"', '"rocm_base"')):
        manifest = manifest.replace(old, new)
    shutil.rmtree(stand.project / "patches" / "guard")
    (stand.project / "patches" / "vllm-49714").mkdir()
    (stand.project / "patches" / "vllm-49714" / "patch.toml").write_text(manifest)
    stand.pin("v0.1.21.post1")
    git(stand.down, "branch", "releases/v0.24", "main~2")
    git(stand.down, "tag", "v0.9", "main")
    git(stand.down, "update-ref", "refs/remotes/origin/main", "main")
    commit(stand.down, "main", {"moe.py": REMARK}, "Clamp until the kernel does (#46065)")
    (tmp_path / "src").mkdir()
    for name, path in (("vllm", stand.down), ("aiter", stand.up)):
        for where in (tmp_path, tmp_path / "src"):
            (where / name).symlink_to(path)
    for folder, arms in (("with", ["baseline"]), ("without", ["candidate"]), ("results", ["baseline", "candidate"])):
        (stand.project / folder).mkdir()
        for arm in arms:
            for path in RESULTS.glob(f"{arm}_c8_r*.json"):
                shutil.copy(path, stand.project / folder)
    monkeypatch.chdir(stand.project)
    yield {"6c7e679f0": ids[0], "52229eff": "#46065", "ID": "vllm-49714", "@name": "@ann"}
    next(maker, None)


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """What `syncbot demo --keep` leaves; it is played once, and copied for each page that begins with it."""
    folder = tmp_path_factory.mktemp("demo") / "kept"
    with contextlib.redirect_stdout(io.StringIO()):
        assert run(["demo", "--keep", str(folder)]) == 0
    return folder


@pytest.fixture
def no_world(tmp_path, monkeypatch):
    """An empty folder, and no cache."""
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CI", "1")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return {}


WITH_LINES = [page for page in pages() if any(line.program == "syncbot" for line in lines(page))]


@pytest.mark.parametrize("page", WITH_LINES, ids=lambda page: page.name)
def test_a_page_works_as_written(page, request, capsys, monkeypatch):
    name = page.relative_to(ROOT).as_posix()
    words = request.getfixturevalue("no_world" if name in BY_THEMSELVES else "model_world")
    if name in BEFORE:
        assert run(BEFORE[name]) == 0
    for line in lines(page):
        where = f"{line.page}:{line.number}: {line.text}"
        arguments = meant(line, words)
        match line.program:
            case "cd" | "mkdir" if line.words == ("examples/vllm-flashinfer",):
                pass
            case "cd":
                monkeypatch.chdir(arguments[0])
            case "mkdir":
                Path(arguments[-1]).mkdir(parents=True)
            case "make":
                assert re.search(rf"^{arguments[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), where
            case "syncbot" if line.words[:2] == ("demo", "--keep"):
                shutil.copytree(request.getfixturevalue("played"), arguments[2])
            case _ if any(re.search(each, line.text) for each in NOT_RUN):
                understood(arguments)
            case _:
                expected = next((code for each, code in LEAVES.items() if re.search(each, line.text)), 0)
                code = run(arguments)
                out, err = capsys.readouterr()
                assert code == expected, f"{where}\n{out}{err}"
                printed = {" ".join(each.split()) for each in out.splitlines()}
                assert [each for each in line.prints if " ".join(each.split()) not in {*printed, "…"}] == [], (
                    where + out
                )
                if line.into is not None:
                    Path(line.into).write_text(out)


def test_the_picture_is_up_to_date(played, no_world):
    script = runpy.run_path(str(ROOT / "docs" / "make_picture.py"))
    for kind, picture in script["draw"](played).items():
        kept = (ROOT / "docs" / f"picture-{kind}.svg").read_text(encoding="utf-8")
        assert script["words"](kept) == script["words"](picture), "run: make docs"


def meant(line, words):
    """The words of a line as a reader's shell would hand them over; each FOLDER is one that is not there yet."""
    words = {"FOLDER": f"folder-{line.number}", **words}
    found = [os.path.expandvars(re.sub(r"^~(?=/)", os.environ["HOME"], words.get(word, word))) for word in line.words]
    return found + LOCAL if found[0] == "init" and "ROCm/aiter" in found and "--repo" not in found else found


def understood(words):
    """The command exists and so do its options; a word that stands for something is as good as any."""
    group = get_command(app)
    assert isinstance(group, LazyGroup)
    with group.make_context("syncbot", list(words), resilient_parsing=True) as context:
        rest = [*context._protected_args, *context.args]
        if rest:
            name, command, rest = group.resolve_command(context, rest)
            assert command is not None, name
            while hasattr(command, "commands") and rest and rest[0] != "COMMAND":
                name, command, rest = command.resolve_command(context, rest)
            command.make_context(name, rest, resilient_parsing=True, parent=context)


SPANS = [(path, number, text) for path in [*pages(), *other_texts()] for number, text in spans(path)]


@pytest.mark.parametrize(("path", "number", "text"), SPANS, ids=[f"{path.name}:{number}" for path, number, _ in SPANS])
def test_what_is_named_in_passing_exists(path, number, text):
    understood(shlex.split(text)[1:])


def test_no_exclusion_outlives_its_line():
    text = "\n".join(line.text for page in pages() for line in lines(page))
    for each in (*NOT_RUN, *LEAVES):
        assert re.search(each, text), each
    assert set(BY_THEMSELVES) <= {page.relative_to(ROOT).as_posix() for page in WITH_LINES}
