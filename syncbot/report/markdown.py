"""The report as Markdown, for a job summary or a file: the overview first, each workaround folded below it."""

from __future__ import annotations

import re
from pathlib import Path

from syncbot.model.report import Report
from syncbot.report.templates import environment

# GitHub drops a job summary over 1 MiB whole.
MOST_BYTES = 1_000_000


def document(report: Report, *, templates: Path | None = None) -> str:
    """The whole document. Past a forge's limit the details are left out, and a line says so."""
    template = environment(templates).get_template("report/report.md.j2")
    for details in (True, False):
        text = template.render(report=report, figures=report.figures, details=details)
        text = re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"
        if len(text.encode()) <= MOST_BYTES:
            break
    return text
