"""The stage: two repositories, the folder of the bot, the commands that are run there, and what people do.

Nothing here knows an answer: `Run` is the program itself, and what it came to is read from what it printed and from the
files it left.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syncbot.demo import harbor
from syncbot.demo.builder import Builder, Person
from syncbot.demo.telling import Shown, excerpt
from syncbot.forge.folder_files import change_toml
from syncbot.git.run import Access, Git, GitError
from syncbot.model.errors import CouldNotError

REPOS = "--repo lumen=lumen.git --repo harbor=harbor.git"
ROW, NEXT, REASON = r"^(masked-tail|long-rows) +\w", r"^  [A-Z]", r"^  ·"
"""Lines of a status: the row, what is next, and why."""
_IGNORE = "/*\n!/.gitignore\n!/patches\n!/syncbot.toml\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command came to."""

    code: int
    out: str
    err: str


Run = Callable[[Sequence[str], dt.datetime], Ran]
"""Runs ``syncbot`` with these arguments at that time, in the folder of the stage."""


class Stage:
    """Everything in ``folder``: ``lumen.git``, ``harbor.git``, and the bot's own files, which are a repository too."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder = folder
        self.lumen = Builder(folder / "lumen.git")
        self.harbor = Builder(folder / "harbor.git")
        self.day = dt.date(2026, 1, 5)
        self._run = run
        self._git = Git(folder, Access.WRITE)
        self._git.run("init", "--quiet", "--template=", "--object-format=sha1", "--initial-branch=main")
        (folder / ".gitignore").write_text(_IGNORE, encoding="utf-8")
        (folder / "syncbot.toml").write_text(harbor.CONFIG, encoding="utf-8")

    # -- commands ----------------------------------------------------------------------------------------------------

    def run(self, command: str) -> Ran:
        """Run ``syncbot ...`` at noon of the day; ``$R`` in it names both clones. Raises where it does not leave 0."""
        noon = dt.datetime.combine(self.day, dt.time(12), dt.UTC)
        done = self._run(shlex.split(command.replace("$R", REPOS))[1:], noon)
        if done.code != 0:
            raise CouldNotError(f"{command} left with {done.code}: {done.err.strip() or done.out.strip()}")
        return Ran(code=0, out=self._short(done.out), err=self._short(done.err))

    def _short(self, text: str) -> str:
        return text.replace(f"{self.folder.as_uri()}/", "").replace(f"{self.folder}/", "")

    def show(self, command: str, *patterns: str) -> Shown:
        """Run a command, and show the lines of its answer in which one of ``patterns`` occurs."""
        done = self.run(command)
        return Shown(command=command, lines=excerpt(done.err + done.out, *patterns))

    def status(self, *patterns: str, of: str = harbor.ID) -> tuple[Shown, str]:
        """The status on this day, and what it says of one workaround in three words: stage, fit, decision."""
        command = f"syncbot status $R --as-of {self.day}"
        said = self.run(command).out
        found = re.search(rf"^{of} +(\w+) +(\w+) +(\w+)", said, re.MULTILINE)
        return Shown(command=command, lines=excerpt(said, *patterns)), ", ".join(found.groups()) if found else "no row"

    def sync(self, *patterns: str) -> Shown:
        """Let the bot write what is due; without ``patterns`` the commands it prints for people are left out."""
        return self.show("syncbot sync --apply $R", *(patterns or (r"^ {0,2}\S",)))

    def left(self) -> int:
        """How many writes another run would make."""
        return len(json.loads(self.run("syncbot plan --json $R").out)["actions"])

    # -- what people do ----------------------------------------------------------------------------------------------

    def record(self, manifest: str, patch: bytes | None = None) -> None:
        """Write the manifest, with its carried patch or without one, and commit it."""
        where = self.folder / "patches" / harbor.ID
        where.mkdir(parents=True, exist_ok=True)
        (where / "patch.toml").write_text(manifest, encoding="utf-8")
        (where / "change.patch").unlink(missing_ok=True)
        if patch is not None:
            (where / "change.patch").write_bytes(patch)
        self.commit("Record what is known", by=harbor.CLEO)

    def commit(self, title: str, *, by: Person) -> None:
        """Commit the bot's files."""
        self._git.run("add", "--all")
        name, mail = by.ident.rstrip(">").split(" <")
        self._git.run("-c", f"user.name={name}", "-c", f"user.email={mail}", "commit", "--quiet", "-m", title)

    def merge_own(self, proposal: Proposal) -> None:
        """Take a proposal to the bot's repository: its patch is applied and committed."""
        self._git.run("apply", "--index", str(proposal.folder / "change.patch"))
        self.commit(proposal.title, by=harbor.CLEO)
        proposal.end("merged", self.day)

    def merge(self, proposal: Proposal, title: str) -> str:
        """Take a proposal to harbor, as its maintainers do."""
        made = self.harbor.merge("main", proposal.patch, title, by=harbor.CLEO, day=self.day)
        proposal.end("merged", self.day)
        return made

    def last_change(self, *patterns: str) -> Shown:
        """The last commit of the bot's files, as a person looks at it."""
        return Shown(command="git show", lines=excerpt(self._git.text("show"), *patterns))

    # -- what is there -----------------------------------------------------------------------------------------------

    def proposals(self, repo: str = harbor.REPO) -> list[Proposal]:
        """The proposals to a repository, oldest first."""
        return [Proposal(folder=each) for each in sorted((self.folder / "forge" / repo / "proposals").glob("0*"))]

    def applies(self, patch: bytes) -> bool:
        """Whether a patch applies to harbor's main without fuzz."""
        try:
            self.harbor.patched("main", patch)
        except GitError:
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposal as it lies in its folder."""

    folder: Path

    @property
    def table(self) -> dict[str, Any]:
        """What ``proposal.toml`` says."""
        return tomllib.loads((self.folder / "proposal.toml").read_text(encoding="utf-8"))

    @property
    def title(self) -> str:
        """Its title."""
        return str(self.table["title"])

    @property
    def body(self) -> str:
        """Its text."""
        return (self.folder / "body.md").read_text(encoding="utf-8")

    @property
    def stands(self) -> str:
        """Its state in words: open, ready; draft; merged; closed."""
        table = self.table
        return "draft" if table["draft"] and table["state"] == "open" else str(table["state"])

    @property
    def patch(self) -> bytes:
        """What it changes."""
        return (self.folder / "change.patch").read_bytes()

    @property
    def edit(self) -> str:
        """The id of its edit, to which results are bound."""
        found = re.search(r"--edit ([0-9a-f]+)", self.body)
        return found[1] if found else ""

    @property
    def ticked(self) -> list[str]:
        """The checks whose boxes are ticked."""
        return re.findall(r"\[x\] .*<!-- syncbot:check ([\w-]+) -->", self.body)

    @property
    def comments(self) -> list[str]:
        """The texts of its comments."""
        return [each.read_text(encoding="utf-8") for each in sorted((self.folder / "comments").iterdir())]

    def end(self, state: str, day: dt.date) -> None:
        """Say what became of it, as a person does who has acted; a folder takes the file's own time for the day."""
        file = self.folder / "proposal.toml"
        change_toml(file, state=state)
        noon = dt.datetime.combine(day, dt.time(12), dt.UTC).timestamp()
        os.utime(file, (noon, noon))

    def tick(self, name: str) -> None:
        """Tick a box of the checklist."""
        text = re.sub(rf"\[ \]( .*<!-- syncbot:check {name} -->)", r"[x]\1", self.body)
        (self.folder / "body.md").write_text(text, encoding="utf-8")
