"""From results that were just kept to the proposal they are about, through the same plan and apply as ``sync``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from syncbot.model.plan import Action
    from syncbot.sync import Report

_LEFT = "left to the next sync --apply"


class ResultsOnly:
    """Says of each action of a plan, in its order, why it must not be taken: only what results change may be.

    A proposal that is due for more (another commit, labels) is left whole to ``sync``, since its text speaks of all.
    """

    def __init__(self, workaround: str) -> None:
        self._workaround = workaround
        self._left: set[str] = set()

    def __call__(self, action: Action) -> str | None:
        """Return why not, None if it may be taken."""
        from syncbot.model.plan import ActionKind
        from syncbot.model.proposal import ProposalKind
        from syncbot.render.branch import parse_key

        key = parse_key(action.topic)
        if key is None or key.workaround != self._workaround or key.kind is not ProposalKind.REMOVAL:
            return "not about these results"
        if action.kind not in (ActionKind.EDIT_PROPOSAL, ActionKind.EDIT_ISSUE, ActionKind.MAKE_READY):
            self._left.add(action.topic)
        return _LEFT if action.topic in self._left else None


def put_on_proposal(config: Path, workaround: str, downstream: str, repos: Sequence[str]) -> str:
    """Write kept results into the open proposal, if there is one; return a line that says what became of it.

    Raises what a pass over that workaround raises; the results are kept by then, and a later run writes the same.
    """
    from syncbot.cli import passes
    from syncbot.model.errors import SyncbotError

    try:
        reports = passes.one_pass(
            passes.Pass(config=str(config), repos=repos, ids=[workaround], apply=True, only=ResultsOnly(workaround))
        )
        passes.end(reports)
    except SyncbotError:
        typer.echo("the results are kept; they could not be written into the proposal", err=True)
        raise
    return _told(reports[downstream])


def _told(report: Report) -> str:
    from syncbot.model.plan import Result

    url = next((f" {line.url}" for line in report.plan.lines if line.url), "")
    if done := [each for each in report.outcomes if each.result is Result.DONE]:
        kinds = ", ".join(dict.fromkeys(each.action.kind.value for each in done))
        return f"proposal: {kinds}{url}"
    held = next((each for each in report.outcomes if each.result is not Result.SKIPPED or each.why == _LEFT), None)
    if held is not None:
        return f"proposal: not written, {held.why}{url}"
    if any(line.state in ("open", "pushed") for line in report.plan.lines):
        return f"proposal: says it already{url}"
    return "proposal: none is open; one that is opened will have them"
