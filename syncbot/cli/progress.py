"""Progress of long work, on a terminal and nowhere else."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping


@contextlib.contextmanager
def shown(label: str, environment: Mapping[str, str]) -> Iterator[Callable[[str], None] | None]:
    """Yield what takes a line of progress and shows it after ``label``, in place; it is gone afterwards.

    None where standard error is no terminal, or ``CI`` or ``NO_COLOR`` is set: then nobody watches, or wants it plain.
    """
    if not sys.stderr.isatty() or any(map(environment.get, ("CI", "NO_COLOR"))):
        yield None
        return
    from rich.console import Console
    from rich.text import Text

    def told(line: str) -> Text:
        # Text and not markup: a server's words are data.
        return Text(f"{label}: {line}" if line else label, overflow="ellipsis", no_wrap=True)

    with Console(stderr=True).status(told("")) as status:
        yield lambda line: status.update(told(line))
