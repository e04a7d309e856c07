"""Progress is shown to a person on a terminal only."""

from __future__ import annotations

import io
import sys

import pytest

from syncbot.cli.progress import shown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment"), [(io.StringIO(), {}), (Terminal(), {"CI": "true"}), (Terminal(), {"NO_COLOR": "1"})]
)
def test_nobody_watches(stream, environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with shown("Fetching", environment) as progress:
        assert progress is None
    assert stream.getvalue() == ""


def test_a_terminal_shows_the_words_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with shown("Fetching", {}) as progress:
        assert progress is not None
        progress("remote: [red]50%[/red]")
    assert "Fetching: remote: [red]50%[/red]" in stream.getvalue()
