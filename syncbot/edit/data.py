"""Whether a TOML, YAML or JSON file still parses. Pure."""

from __future__ import annotations


def is_data(path: str) -> bool:
    """Whether the file is one of the formats that are parsed."""
    return path.endswith((".toml", ".yaml", ".yml", ".json"))


def error(path: str, source: bytes) -> str | None:
    """Return what is wrong with the file, None if nothing is."""
    try:
        text = source.decode("utf-8")
        if path.endswith(".json"):
            import json

            json.loads(text)
        elif path.endswith(".toml"):
            import tomllib

            tomllib.loads(text)
        elif path.endswith((".yaml", ".yml")):
            from ruamel.yaml import YAML
            from ruamel.yaml.error import YAMLError

            try:
                for _ in YAML(typ="safe", pure=True).compose_all(text):
                    pass
            except YAMLError as problem:
                return f"no longer YAML: {str(problem).splitlines()[0]}"
    except (ValueError, RecursionError) as problem:
        return f"no longer parses: {str(problem).splitlines()[0] if str(problem) else type(problem).__name__}"
    return None


def new_error(path: str, before: bytes | None, after: bytes) -> str | None:
    """Return what is wrong with ``after``, unless ``before`` was wrong too."""
    if not is_data(path) or (before is not None and error(path, before) is not None):
        return None
    return error(path, after)
