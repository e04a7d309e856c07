"""The pages as a site: ``make site``. They are the Markdown that a forge shows; the index is the navigation too."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

project = "Syncbot"
html_title = project
html_theme = "furo"
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
extensions = ["myst_parser"]
myst_heading_anchors = 3  # a forge gives headings an anchor by themselves
root_doc = "docs/index"
include_patterns = ["README.md", "C*.md", "SECURITY.md", "docs/**.md", "examples/**.md", "tests/README.md"]
suppress_warnings = ["myst.header"]  # a report's own headings need not begin at the first level


def _navigation(_app: object, name: str, source: list[str]) -> None:
    """Give each section of the index a hidden tree of the pages it links to, and folders of pages one of their own."""
    if name in ("docs/decisions/README", "docs/gallery/README"):
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n[0-9a-z]*\n```\n"
    if name != root_doc:
        return
    parts = re.split(r"(?=^## )", source[0], flags=re.MULTILINE)
    for place, part in enumerate(parts[1:], 1):
        caption = part.splitlines()[0].removeprefix("## ")
        pages = re.findall(r"\]\((?!https?:)([\w./-]+\.md)\)", part)
        parts[place] = part + f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n\n"
    source[0] = "".join(parts)


def _finish(app: Any, error: Exception | None) -> None:
    """Lead from the site's top to the index, and bring the pictures that the README names in HTML."""
    if error is None:
        for picture in Path(app.confdir).glob("*.svg"):
            shutil.copy(picture, Path(app.outdir, "docs"))
        target = "docs/index.html"
        text = f'<!doctype html><meta http-equiv="refresh" content="0; url={target}"><a href="{target}">{project}</a>\n'
        Path(app.outdir, "index.html").write_text(text, encoding="utf-8")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _navigation)
    app.connect("build-finished", _finish)
