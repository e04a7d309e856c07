"""The one way texts for people are made: sandboxed Jinja2, undefined names are errors, foreign text is inert.

Templates lie in ``templates/``; a folder of the configuration goes first, file by file. Filters: ``inert`` makes
foreign text a code span, ``prose`` lets it stand as a paragraph without pinging, linking or being markup.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncbot.model.errors import UsageError
from syncbot.render.results import inert

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_ZERO = "\u200b"
_MENTION = re.compile(r"@(?=[A-Za-z0-9_-])")
_NUMBER = re.compile(r"#(?=\d)|\b(GH)-(?=\d)", re.IGNORECASE)
_LINK = re.compile(r"https?://[^\s<>()\[\]`]+")
_LEAD = re.compile(r"^(?=[#>+*=~`|-]|\d+[.)])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def prose(text: object, *, backlinks: bool = False) -> str:
    """Return foreign text as paragraphs of one line each: nobody is pinged, nothing is linked back, no markup runs.

    Addresses become code spans, since a link to an issue makes a link back from it; ``backlinks`` lets them be.
    """
    paragraphs = re.split(r"\n\s*\n", _CONTROL.sub(" ", str(text)).strip())
    return "\n\n".join(_paragraph(" ".join(each.split()), backlinks) for each in paragraphs)


def _paragraph(line: str, backlinks: bool) -> str:
    pieces, at = [], 0
    for match in _LINK.finditer(line):
        pieces += [_plain(line[at : match.start()], backlinks), match[0] if backlinks else f"`{match[0]}`"]
        at = match.end()
    return _LEAD.sub(lambda _: "\\", "".join([*pieces, _plain(line[at:], backlinks)]))


def _plain(text: str, backlinks: bool) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("[", "\\[").replace("`", "'")
    text = _MENTION.sub("@" + _ZERO, text)
    return text if backlinks else _NUMBER.sub(lambda match: match[0] + _ZERO, text)


def render(name: str, values: Mapping[str, Any], *, folder: Path | None = None, backlinks: bool = False) -> str:
    """Return the template ``name`` filled with ``values``, ending in one newline.

    Raises `UsageError` naming the template and the line for one that cannot be used.
    """
    from jinja2 import TemplateError

    environment = _environment(folder, backlinks)
    try:
        text = environment.get_template(name).render(values)
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        raise UsageError(f"template {name}{f', line {line}' if line else ''}: {error}") from error
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


def folders(own: Path | None) -> list[Path]:
    """Where templates are looked for: ``own`` first, then in the package, then at the top of a checkout."""
    here = Path(__file__).parents[1]
    return [each for each in (own, here / "templates", here.parent / "templates") if each is not None]


@functools.lru_cache(maxsize=8)
def _environment(folder: Path | None, backlinks: bool) -> ImmutableSandboxedEnvironment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders(folder)), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        autoescape=False,
    )  # fmt: skip
    environment.filters |= {"inert": inert, "prose": lambda text: prose(text, backlinks=backlinks)}
    return environment
