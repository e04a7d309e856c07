"""Names of Python modules: of files, and as imports say them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.edit import python


def dotted(path: str) -> list[str]:
    """Return the dotted name of a Python file, as parts."""
    parts = path.rpartition(".")[0].split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


def tail_of(path: str) -> str:
    """Return enough of a path to be known by: its last two parts."""
    return "/".join(path.split("/")[-2:])


def resolved(item: python.Imported, path: str) -> list[str]:
    """Return the module an import names, relative ones resolved against the importing file."""
    if item.module is None:
        return item.name.split(".")
    level = len(item.module) - len(item.module.lstrip("."))
    rest = [part for part in item.module.lstrip(".").split(".") if part]
    if not level:
        return rest
    folder = path.split("/")[:-1]
    return [*folder[: len(folder) - (level - 1)], *rest]


def same_module(target: Sequence[str], module: Sequence[str], path: str) -> bool:
    """Whether a dotted name in the file ``path`` means that module, whatever source root stands before it.

    A bare name means a file of a folder only from within that folder.
    """
    if not target or not module:
        return False
    if len(target) == 1 and len(module) > 1:
        return target[0] == module[-1] and path.split("/")[:-1] == list(module[:-1])
    size = min(len(target), len(module))
    return list(target[-size:]) == list(module[-size:]) and (size > 1 or len(target) == len(module))
