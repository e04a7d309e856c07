"""The stage: both repositories, the project's files, the memory, and the questions an act may ask.

The questions go through the same functions as the commands; nothing here knows an answer.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from syncbot.config import load_project
from syncbot.demo import harbor
from syncbot.demo.builder import Builder
from syncbot.edit import told
from syncbot.edit.engine import edit
from syncbot.git.clone import Clone, open_clone
from syncbot.git.history import read_history, resolve
from syncbot.git.objects import Scratch
from syncbot.git.refs import read_refs
from syncbot.landing.ask import ask
from syncbot.landing.pins import moves
from syncbot.landing.survey import parse_query
from syncbot.landing.targets import in_version_order, release_tags, release_target
from syncbot.memory import Memory, TagChanges, compare_tags
from syncbot.model.edit import Direction, EditResult
from syncbot.model.landing import Answer, FixReport
from syncbot.model.pins import Move
from syncbot.model.status import Standing
from syncbot.observe import Clones, Moment, observe
from syncbot.policy import conclude
from syncbot.render.landing import fix_block
from syncbot.render.status import moves_table, status_table
from syncbot.render.text import plain

if TYPE_CHECKING:
    from rich.console import RenderableType


class Stage:
    """Everything in ``folder``: ``lumen.git``, ``harbor.git``, ``syncbot.toml`` and ``patches/``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lumen = Builder(folder / "lumen.git")
        self.harbor = Builder(folder / "harbor.git")
        self._memory = Memory()
        (folder / "syncbot.toml").write_text(harbor.CONFIG, encoding="utf-8")

    def record(self, workaround: str, manifest: str) -> None:
        """Write a manifest."""
        file = self.folder / "patches" / workaround / "patch.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(manifest, encoding="utf-8")

    def where(self, query: str) -> FixReport:
        """What ``syncbot where QUERY`` answers for all of lumen's releases."""
        clone = open_clone(self.lumen.path)
        git = clone.git()
        releases = in_version_order(map(release_target, release_tags(read_refs(git, "refs/tags/"), "v0.*")))
        return ask(git, resolve(git, str(clone.branch_ref)), releases, [parse_query(query)])[0]

    def status(self, day: dt.date, *only: str) -> list[Standing]:
        """What ``syncbot status`` answers on ``day``, of every workaround or of those named."""
        facts = observe(load_project(self.folder), self._clones(), Moment(today=day), only=only)
        return [conclude(each) for each in facts]

    def edited(self, workaround: str, direction: Direction) -> tuple[EditResult, dict[str, str]]:
        """What ``syncbot remove`` or ``rebase`` makes of harbor's main, and the changed files as they are then."""
        found = next(each for each in load_project(self.folder).workarounds if each.id == workaround)
        with Scratch(self.harbor.path) as store:
            result = edit(
                store,
                direction=direction,
                commit=str(found.introduced.commit),
                onto="refs/heads/main",
                removal=found.removal,
            )
            texts = {file.path: store.git.run("show", f"{result.tree}:{file.path}").decode() for file in result.files}
        return result, texts

    def pin_moves(self, day: dt.date) -> list[Move]:
        """What ``syncbot status --pin-history`` answers."""
        facts = observe(load_project(self.folder), self._clones(), Moment(today=day))
        past = facts[0].pins[0].past
        tips = [seen.reading.target.commit for seen in past if seen.reading.target and seen.reading.target.commit]
        return moves(past, read_history(open_clone(self.lumen.path).git(), list(dict.fromkeys(tips))))

    def look_at_tags(self, day: dt.date) -> TagChanges:
        """What changed about lumen's tags since they were last looked at; remembers them as they are now."""
        now = {ref.short: ref.commit for ref in read_refs(open_clone(self.lumen.path).git(), "refs/tags/")}
        changes = compare_tags(self._memory.tags, now)
        self._memory = self._memory.with_tags("lumen", now, day)
        return changes

    def _clones(self) -> Clones:
        def clone(builder: Builder) -> Clone:
            return open_clone(builder.path)

        return Clones(upstreams={"lumen": clone(self.lumen)}, downstreams={"harbor": clone(self.harbor)}, pins={})


def answer(report: FixReport, release: str) -> Answer:
    """The answer for one release."""
    return next(each for each in report.answers if each.target.ref == release)


def verdicts(report: FixReport) -> str:
    """Every release with its verdict, for a check."""
    return ", ".join(f"{each.target.ref} {each.verdict}" for each in report.answers)


def stands(standing: Standing) -> str:
    """Stage, fit and decision of a workaround, for a check."""
    first = standing.decisions[0]
    return f"{standing.stage}, {first.sight.fit}, {first.choice}"


def status_command(day: dt.date, *words: str) -> str:
    """The command that gives a status of the story again, in a folder that was kept."""
    chosen = "".join(f" {word}" for word in words)
    return f"syncbot status{chosen} --as-of {day} --repo lumen=lumen.git --repo harbor=harbor.git"


def shown_fix(report: FixReport) -> tuple[RenderableType, ...]:
    """A fix report as ``where`` prints it."""
    return tuple(fix_block(report))


def shown_status(standings: Sequence[Standing]) -> tuple[RenderableType, ...]:
    """Standings as ``status`` prints them."""
    return tuple(status_table(standings))


def shown_edit(result: EditResult) -> tuple[RenderableType, ...]:
    """The answer of the edit engine as ``remove`` and ``rebase`` print it."""
    from rich.text import Text

    return tuple(Text(plain(line)) for line in told.lines(result))


def shown_moves(found: Sequence[Move]) -> tuple[RenderableType, ...]:
    """Moves as ``status --pin-history`` prints them."""
    return (moves_table(found),)
