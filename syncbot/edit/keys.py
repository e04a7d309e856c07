"""Deleting or replacing one key of a TOML, YAML or JSON file without touching the rest. Pure."""

from __future__ import annotations

from collections.abc import MutableMapping, MutableSequence
from typing import Any


def edit(path: str, data: bytes, target: str, replace: str | None) -> tuple[int, bytes]:
    """Return how often ``target`` (a dotted key; a number is a place in a list) is there, 0 or 1, and the new content.

    ``replace`` is a value in the file's own format; None deletes. Raises ValueError for a file that does not parse or
    whose layout would change.
    """
    text = data.decode("utf-8")
    parts = target.split(".")
    if path.endswith(".toml"):
        matched, new = _toml(text, parts, replace)
    elif path.endswith(".json"):
        matched, new = _json(text, parts, replace)
    elif path.endswith((".yaml", ".yml")):
        matched, new = _yaml(text, parts, replace)
    else:
        raise ValueError("a key edit needs a TOML, YAML or JSON file")
    return matched, new.encode("utf-8")


def _parent(root: Any, parts: list[str]) -> tuple[Any, Any] | None:
    """Return the container of the last part and its key or index, None where there is no such place."""
    for part in parts[:-1]:
        step = _step(root, part)
        if step is None:
            return None
        root = root[step]
    last = _step(root, parts[-1])
    return None if last is None else (root, last)


def _step(root: Any, part: str) -> Any:
    if isinstance(root, MutableMapping):
        return part if part in root else None
    if isinstance(root, MutableSequence) and part.isdigit() and int(part) < len(root):
        return int(part)
    return None


def _toml(text: str, parts: list[str], replace: str | None) -> tuple[int, str]:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        found = _parent(document, parts)
        if found is None:
            return 0, text
        container, key = found
        if replace is None:
            del container[key]
        else:
            container[key] = tomlkit.value(replace)
        return 1, tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ValueError(f"no TOML: {error}") from error


def _json(text: str, parts: list[str], replace: str | None) -> tuple[int, str]:
    import json

    root = json.loads(text)
    found = _parent(root, parts)
    if found is None:
        return 0, text
    for indent in (2, 4, "\t", None):
        for ascii_only in (True, False):
            if json.dumps(root, indent=indent, ensure_ascii=ascii_only) == text.rstrip("\n"):
                container, key = found
                if replace is None:
                    del container[key]
                else:
                    container[key] = json.loads(replace)
                tail = text[len(text.rstrip("\n")) :]
                return 1, json.dumps(root, indent=indent, ensure_ascii=ascii_only) + tail
    raise ValueError("this JSON is laid out by hand; a key edit would rewrite all of it")


def _yaml(text: str, parts: list[str], replace: str | None) -> tuple[int, str]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

    try:
        node = YAML(typ="rt", pure=True).compose(text)
    except YAMLError as error:
        raise ValueError(f"no YAML: {str(error).splitlines()[0]}") from error
    start = value = flow = None
    for part in parts:
        flow = getattr(node, "flow_style", False)
        if isinstance(node, MappingNode):
            pair = next(((k, v) for k, v in node.value if getattr(k, "value", None) == part), None)
        elif isinstance(node, SequenceNode) and part.isdigit() and int(part) < len(node.value):
            pair = (node.value[int(part)], node.value[int(part)])
        else:
            pair = None
        if pair is None:
            return 0, text
        start, value = pair[0].start_mark, pair[1]
        node = value
    assert start is not None
    assert value is not None
    if replace is not None:
        if not isinstance(value, ScalarNode) or value.style in ("|", ">"):
            raise ValueError("only a plain or quoted value can be replaced in YAML")
        return 1, text[: value.start_mark.index] + replace + text[value.end_mark.index :]
    if flow:
        raise ValueError("a key inside {...} or [...] cannot be cut out of YAML; replace the value around it")
    lines = text.splitlines(keepends=True)
    end = value.end_mark.line + (1 if value.end_mark.column else 0)
    while end - 1 > start.line and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return 1, "".join(lines[: start.line] + lines[max(end, start.line + 1) :])
