"""The templates of reports, run sandboxed; a folder of a project's own comes before ours, file by file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncbot.report.texts import days, in_html, markdown, markdown_link

if TYPE_CHECKING:
    from jinja2 import Environment


_VALUES = ("syncbot.model.report", "syncbot.report.timeline", "syncbot.report.charts")


@lru_cache(maxsize=4)
def environment(own: Path | None) -> Environment:
    """An environment that escapes HTML, knows the filters of reports, and takes an undefined name for an error."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    class Sandbox(SandboxedEnvironment):
        """A sandbox that need not look twice at our own values: they have nothing but plain fields."""

        def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
            if type(obj).__module__ in _VALUES:
                return not attr.startswith("_")
            return super().is_safe_attribute(obj, attr, value)

    from syncbot.render.landing import SIGNS
    from syncbot.render.template import folders
    from syncbot.report import charts, events, timeline

    made = Sandbox(
        loader=FileSystemLoader(folders(own)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=lambda name: name is None or ".html" in name or ".svg" in name,
    )
    made.filters |= {"days": days, "md": markdown, "md_link": markdown_link, "in_html": in_html}
    made.globals |= {
        "timeline": timeline.timeline,
        "story": events.story,
        "chart": charts.chart,
        "ladders": charts.ladders,
        "first_column": charts.first_column,
        "signs": {verdict.value: sign for verdict, (sign, _) in SIGNS.items()},
        "moved": {move.value: sign for move, sign in timeline.TURNS.items()},
        "ladder_size": (charts.LADDER_WIDTH, charts.LADDER_LEFT, charts.LADDER_RIGHT),
    }
    return made
