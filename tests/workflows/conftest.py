"""The stand-in project of the flows, behind a fake GitHub, with a machine that runs its workflows."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from fake_forge import FakeForge
from fake_forge.state import Issue, Pull
from small_repo import commit, git
from standin import CONFIG, DOWN, HOME, MANIFEST, PIN, UP, make_template

from tests.workflows.acts import Machine, find_act

BOT = "github-actions[bot]"
TOKEN = "ghs_workflow"
READ_TOKEN = "ghs_reading"


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("workflows")


@dataclass
class Bot:
    """The bot's own repository on a fake GitHub, beside an upstream and a downstream."""

    forge: FakeForge
    machine: Machine
    root: Path

    def pin(self, ref: str) -> None:
        commit(self.root / "down.git", "main", {"docker/Dockerfile": PIN.format(ref=ref)}, f"Build with kernels {ref}")

    @property
    def proposals(self) -> list[Pull]:
        return self.forge.world.repos[DOWN].pulls

    @property
    def issues(self) -> list[Issue]:
        return list(self.forge.world.repos[HOME].items.values())

    @property
    def writes(self) -> tuple[int, int]:
        """What changes with every write, git's included."""
        return len(self.forge.writes), len(self.forge.pushes)

    def configure(self, files: dict[str, str]) -> None:
        commit(self.root / "bot.git", "main", files, "Configure")


@pytest.fixture(scope="session")
def act():
    return find_act()


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    where = tmp_path_factory.mktemp("workflows")
    return where, make_template(where)


@pytest.fixture
def bot(act, template, tmp_path):
    folder, (introduced, fix) = template
    for name in ("up.git", "down.git", "bot.git"):
        shutil.copytree(folder / name, tmp_path / name)
        git(tmp_path / name, "config", "uploadpack.allowFilter", "true")
        git(tmp_path / name, "config", "uploadpack.allowAnySHA1InWant", "true")
    with FakeForge(tmp_path) as forge:
        world = forge.world
        world.add_user(BOT, token=TOKEN, kind="Bot")
        world.tokens[READ_TOKEN] = BOT
        world.add_user("ann", token="ann-token")
        world.add_user("eve", token="eve-token")
        may = {BOT: "write", "ann": "write"}
        world.add_repo(UP, tmp_path / "up.git")
        world.add_repo(DOWN, tmp_path / "down.git", permissions=may)
        world.add_repo(HOME, tmp_path / "bot.git", permissions=may)
        machine = Machine(
            tmp_path / "machine", act, HOME,
            {
                "GITHUB_API_URL": forge.api, "GITHUB_SERVER_URL": forge.web, "SYNCBOT_BETWEEN_WRITES": "0",
                "PYTHONPATH": str(Path(__file__).parents[2]), "NO_COLOR": "1",
            },
        )  # fmt: skip
        (machine.root / "repos" / "octo").mkdir()
        for slug in (DOWN, HOME):
            (machine.root / "repos" / slug).symlink_to(world.repos[slug].git)
        made = Bot(forge, machine, tmp_path)
        forge_table = f'[forges.github]\nkind = "github"\nweb = "{forge.web}"\napi = "{forge.api}"\n'
        extra = f'dashboard = "Workarounds"\n[proposals.home]\nrepo = "{HOME}"\n'
        config = CONFIG.format(forge=forge_table, uses="", mode="pull-request", extra=extra)
        made.configure(
            {"syncbot.toml": config, "patches/guard/patch.toml": MANIFEST.format(introduced=introduced, fix=fix)}
        )
        forge.forget()
        yield made
