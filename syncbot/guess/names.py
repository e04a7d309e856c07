"""What an upstream is called where it is used: its address, its packages, and its part of a variable's name."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_MOST_PACKAGES = 200
_DEPTH = 3
MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py", "Cargo.toml", "package.json", "go.mod")
_SETUP_CFG = re.compile(r"^name\s*=\s*([\w.-]+)\s*$", re.MULTILINE)
_SETUP_PY = re.compile(r"""(?:\bname|\bPACKAGE_NAME)\s*=\s*["']([\w.-]+)["']""")
_GO = re.compile(r"^module\s+(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """``addresses`` are paths on a host without ``.git`` (``owner/name``); ``packages`` names as published, the first
    is the repository's own; ``modules`` are Go modules.
    """

    addresses: tuple[str, ...]
    packages: tuple[str, ...]
    modules: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """An expression for an address; links and ssh forms differ only before it."""
        return rf"(?i:{_any(self.addresses)})(?:\.git)?(?![\w-]|\.\w)"

    @property
    def package(self) -> str:
        """An expression for a package's name; ``-``, ``_`` and ``.`` are one to Python's index."""
        return "(?i:" + "|".join(re.sub(r"(\\?[-_.])+", "[-_.]+", each) for each in _sorted(self.packages)) + ")"

    @property
    def stem(self) -> str:
        """An expression for the part of a variable's name that speaks of it."""
        words = {re.sub(r"[^A-Za-z0-9]+", "_", each.rpartition("/")[2]).strip("_") for each in self.packages}
        return f"(?i:{_any(words)})"

    @property
    def module(self) -> str:
        """An expression for a Go module; nothing matches where there is none."""
        return _any(self.modules) if self.modules else r"(?!)"


def manifests_of(paths: Iterable[str]) -> list[str]:
    """Those of ``paths`` that may name a package of their repository, the top first."""
    found = [each for each in paths if each.rpartition("/")[2] in MANIFESTS and each.count("/") < _DEPTH]
    return sorted(found, key=lambda path: (path.count("/"), path))[:_MOST_PACKAGES]


def names_of(slug: str | None, label: str, contents: Mapping[str, str]) -> Names:
    """The names of the repository ``slug`` (else ``label``), whose manifests have these contents, by path."""
    own = (slug or label).rpartition("/")[2]
    packages = [own]
    modules = [f"github.com/{slug}"] if slug and slug.count("/") == 1 else []
    for path, text in contents.items():
        kind = path.rpartition("/")[2]
        found = [match[1] for match in _GO.finditer(text)] if kind == "go.mod" else []
        modules += found
        packages += _packages(kind, text)
    every = list(dict.fromkeys(each for each in packages if len(each) > 1))
    return Names(
        addresses=(slug,) if slug else (own,),
        packages=tuple(every[:_MOST_PACKAGES]),
        modules=tuple(dict.fromkeys(modules)) if any(path.endswith("go.mod") for path in contents) else (),
    )


def _packages(kind: str, text: str) -> list[str]:
    try:
        if kind == "package.json":
            name = json.loads(text).get("name")
        elif kind in ("pyproject.toml", "Cargo.toml"):
            table = tomllib.loads(text)
            name = table.get("project", table.get("package", {})).get("name")
            name = name or table.get("tool", {}).get("poetry", {}).get("name")
        else:
            found = {"setup.cfg": _SETUP_CFG, "setup.py": _SETUP_PY}.get(kind, _GO)
            return [match[1] for match in found.finditer(text)] if found is not _GO else []
    except (ValueError, AttributeError, RecursionError):
        return []
    return [name] if isinstance(name, str) and re.fullmatch(r"@?[\w./-]{2,100}", name) else []


def _sorted(words: Iterable[str]) -> list[str]:
    return [re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))]


def _any(words: Iterable[str]) -> str:
    return "(?:" + "|".join(_sorted(words)) + ")"
