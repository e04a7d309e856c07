"""Write docs/commands.md from the command line itself: ``make docs``. A test fails while it is not up to date."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from typer.main import get_command

from syncbot.cli.main import COMMANDS, app

PAGE = Path(__file__).parent / "commands.md"
HEAD = """# Commands

Made by `make docs` from the command line itself. Some forms of `--json` have [schemas](schema/README.md).
`syncbot --install-completion` lets the shell you are in complete commands, options and ids.
"""
EXIT_CODES = """
## Exit codes

| code | means |
| --- | --- |
| 0 | it did its work, whatever it found |
| 1 | it could not (a conflict, an action that failed), or something asked for by `--fail-on` is so |
| 2 | the configuration, a pin or the command line is wrong |
| 3 | a git host cannot be reached or refuses; try later |
| 70 | a bug; its report is in the file that is named |
"""


def reference() -> str:
    """Return the whole page."""
    group: Any = get_command(app)
    parts = [HEAD, "\n".join(["", *_table(group)]), EXIT_CODES]
    with group.make_context("syncbot", [], resilient_parsing=True) as context:
        for name in COMMANDS:
            _, command, _ = group.resolve_command(context, [name])
            parts += _command(f"syncbot {name}", command, 2)
    return "\n".join(part.rstrip() + "\n" for part in parts if part)


def _command(name: str, command: Any, level: int) -> Iterator[str]:
    arguments = [_metavar(each) for each in command.params if each.param_type_name == "argument"]
    inner = getattr(command, "commands", {})
    form = " ".join([name, *(["COMMAND"] if inner else []), *arguments])
    yield f"{'#' * level} {name}\n\n`{form}`\n\n{_cell(command.help)}\n"
    yield "\n".join(_table(command))
    for word, each in inner.items():
        yield from _command(f"{name} {word}", each, level + 1)


def _table(command: Any) -> Iterator[str]:
    rows = [_row(each) for each in command.params if each.help]
    if rows:
        yield from ("| | meaning | default |", "| --- | --- | --- |", *rows)


def _row(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"| `{_cell(_metavar(param))}` | {_cell(param.help)} | |"
    names = " ".join([", ".join(f"`{each}`" for each in (*param.opts, *param.secondary_opts))])
    value = "" if param.is_flag or getattr(param, "count", False) else f" `{_cell(_metavar(param))}`"
    return f"| {names}{value} | {_cell(param.help)} | {_default(param)} |"


def _metavar(param: Any) -> str:
    if param.metavar:
        return str(param.metavar)
    # Where choices are told depends on typer's version.
    kind = getattr(getattr(param, "type_descriptor", None), "annotation", None)
    known = isinstance(kind, type) and issubclass(kind, Enum)
    choices = [each.value for each in kind] if known else getattr(getattr(param, "type", None), "choices", ())
    return "|".join(map(str, choices)) or str(param.name).strip("_").upper()


def _default(param: Any) -> str:
    value = param.default
    if value is None or value == () or callable(value) or (isinstance(value, bool) and not param.secondary_opts):
        return ""
    if isinstance(value, bool):
        value = (param.opts if value else param.secondary_opts)[0]
    text = str(getattr(value, "value", value))
    return f"`{_cell(text)}`" if text and text != "0" else ""


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
    print(PAGE.name)
