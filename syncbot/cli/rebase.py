"""``syncbot rebase``: put a workaround (or any commit) onto a branch, verified, without touching the clone."""

from __future__ import annotations

from pathlib import Path

import typer

from syncbot.cli import edit_options as options
from syncbot.model.edit import Direction

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def rebase(
    what: options.What,
    repo: options.RepoOption = None,
    onto: options.Onto = None,
    patch: options.PatchOption = None,
    diff: options.Diff = False,
    explain: options.Explain = False,
    as_json: options.Json = False,
    as_markdown: options.Markdown = False,
    refresh: options.Refresh = False,
    config: options.Config = Path(),
) -> int:
    """Put a workaround (or any commit) onto a branch, verified, without touching the clone.

    Exit status 1 means a conflict: the answer says which lines, who touched them since, and how to carry on by hand.
    """
    return options.run(options.Asked(**locals()), Direction.REBASE)
