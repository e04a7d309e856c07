"""The report for programs: JSON with a published schema, and a badge in the form shields.io reads."""

from __future__ import annotations

import json
from typing import Any

from syncbot.model.errors import UsageError
from syncbot.model.report import SCHEMA, Report
from syncbot.render.text import plain
from syncbot.report.links import web


def report_json(report: Report) -> str:
    """The report as one JSON object, ``syncbot.report/1``; ASCII only, so nothing in it can trick a terminal."""
    from pydantic import TypeAdapter

    values = TypeAdapter(Report).dump_python(report, mode="json")
    return json.dumps(values, indent=1) + "\n"


def parse_report(text: str) -> Report:
    """The inverse of `report_json`; raises `UsageError` for what is no such report.

    A file is a stranger's word: its texts and links are made harmless again, as if they had come from a repository.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        values = json.loads(text)
        if not isinstance(values, dict) or values.get("schema") != SCHEMA:
            raise UsageError(f"it is no {SCHEMA}")
        return TypeAdapter(Report).validate_python(_harmless(values))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"it is no {SCHEMA}: {where}: {first['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"it is no JSON: {error}") from None


_LINKS = ("url", "first_url", "issue", "evidence")


def _harmless(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {plain(name): _harmless(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_harmless(each) for each in value]
    if isinstance(value, str):
        return web(value) if key in _LINKS else plain(value)
    return value


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `report_json`'s answer. Everything in it is always there, null or empty."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(Report).json_schema(mode="serialization")
    schema["title"] = "A syncbot report"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def badge(report: Report) -> str:
    """What an endpoint badge of shields.io reads: how many are carried, and the most urgent thing about them."""
    counts = report.figures
    restore, due = counts.decisions.get("restore", 0), _due(report)
    message, color = f"{counts.carried} carried", "blue" if counts.carried else "brightgreen"
    if counts.overdue:
        message, color = f"{message}, {counts.overdue} overdue", "orange"
    elif due:
        message, color = f"{message}, {due} can go", "yellow"
    if restore:
        message, color = f"{message}, {restore} to restore", "red"
    return json.dumps({"schemaVersion": 1, "label": "workarounds", "message": message, "color": color}) + "\n"


def _due(report: Report) -> int:
    return sum(report.figures.decisions.get(word, 0) for word in ("remove", "review"))
