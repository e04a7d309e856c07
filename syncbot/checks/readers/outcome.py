"""``syncbot.outcome/1``: what the printed commands write for a command's exit code and for a server's log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncbot.checks.readers.source import Fields, digest
from syncbot.model.checks import Run

SCHEMA = "syncbot.outcome/1"


def knows(values: Mapping[str, Any]) -> bool:
    """Return whether this is an outcome."""
    return values.get("schema") == SCHEMA


def read(name: str, values: Mapping[str, Any]) -> Run:
    """Return the run: ``exit_code`` of a command, or ``log_hits``, the forbidden lines found; raises `ResultError`."""
    fields = Fields(name, values)
    fields.text("check", needed=True)
    code = fields.count("exit_code")
    hits = values.get("log_hits")
    if hits is not None and not (isinstance(hits, list) and all(isinstance(each, str) for each in hits)):
        fields.wrong(f"log_hits: expected a list of texts, found {hits!r:.60}")
    if code is None and hits is None:
        fields.wrong("has neither exit_code nor log_hits")
    fields.close()
    date = values.get("date")
    return Run(
        source=name,
        tool="syncbot outcome",
        metrics={},
        digest=digest(dict(values)),
        tags=fields.tags(),
        date=date if isinstance(date, str) else None,
        exit_code=code,
        log_hits=tuple(hits) if hits is not None else None,
    )
