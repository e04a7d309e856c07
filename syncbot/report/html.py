"""The page: one file that needs nothing else, with a policy that lets only its own style and script run."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from syncbot.model.report import Report
from syncbot.report.templates import environment

# Of this many releases in a row a reader looks at the newest; the whole story of a fix is one `syncbot where` away.
MOST_ANSWERS = 6


def page(report: Report, *, templates: Path | None = None) -> str:
    """The report as one HTML document. ``templates``: a folder whose ``report/*`` files replace ours."""
    from markupsafe import Markup

    made = environment(templates)
    style = _tidy(made.get_template("report/style.css").render())
    script = _tidy(made.get_template("report/script.js").render())
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    # Both are ours (or the project's own), never a stranger's: escaped, they would be neither style nor script.
    text = made.get_template("report/page.html.j2").render(
        report=report,
        figures=report.figures,
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        policy=policy,
        most_answers=MOST_ANSWERS,
    )
    return _tidy(text) + "\n"


def _tidy(text: str) -> str:
    """Without the indents and line breaks of the templates, for fewer bytes; between words a break stays a blank."""
    return re.sub(r">\s*\n\s*<", "><", re.sub(r"\n\s+", "\n", text)).strip()


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
