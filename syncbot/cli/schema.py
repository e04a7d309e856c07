"""``syncbot schema``: the JSON Schema of the two files a person writes."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None)


class File(StrEnum):
    """Which file's schema to print."""

    CONFIG = "config"
    MANIFEST = "manifest"


@app.command(help="Print the JSON Schema (draft 2020-12) of syncbot.toml and patch.toml.")
def schema(
    file: Annotated[
        File | None, typer.Option("--file", help="config (syncbot.toml) or manifest (patch.toml); both when left out.")
    ] = None,
) -> None:
    """Print one schema, or an object with both by name."""
    from syncbot.config.schema import FILES, json_schema

    answer = json_schema(file.value) if file else {name: json_schema(name) for name in FILES}
    typer.echo(json.dumps(answer, indent=2))
