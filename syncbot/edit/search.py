"""What the search for uses reads: one pass over the resulting tree, and the files that pass names.

One ``git grep`` finds every line that holds one of the names in question; only files it names are read and parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from syncbot.edit import python
from syncbot.edit.changed import Changed, Content
from syncbot.edit.facts import Definition
from syncbot.edit.modules import dotted, resolved, same_module, tail_of
from syncbot.git.merge import Found, grep
from syncbot.git.objects import Scratch

SHORT = 3
_MOST_MOVED = 80
SCRIPTS = (".sh", ".yaml", ".yml", ".toml", ".json", ".cfg", ".ini", ".txt", ".cmake")


@dataclass(slots=True)
class _Wanted:
    """What is searched for, gathered before the one pass over the tree."""

    words: set[str] = field(default_factory=set)
    literals: set[str] = field(default_factory=set)


class Search:
    """The search for one result. ``parent`` is a tree that still had what comes back; ``moved`` are lines to find."""

    def __init__(
        self, store: Scratch, *, result: str, parent: str, changed: Sequence[Changed], moved: Iterable[str] = ()
    ) -> None:
        self.store = store
        self.result = result
        self.parent = parent
        self.changed = [file for file in changed if file.h.data != file.r.data or file.left is not None]
        # The longest lines tell best; a command line has an end.
        self.moved = sorted(dict.fromkeys(moved), key=len, reverse=True)[:_MOST_MOVED]
        self._contents: dict[str, Content] = {file.r.path: file.r for file in changed if file.r.data is not None}

    @cached_property
    def listing(self) -> dict[str, str]:
        """Every path of the result, with its object."""
        return {path: entry.oid for path, entry in self.store.listing(self.result).items()}

    @cached_property
    def gone(self) -> list[tuple[Changed, Definition]]:
        """Definitions that go, and were not there before the change either."""
        found = []
        for file in self.changed:
            kept = {(one.owner, one.name) for one in file.r.facts.definitions}
            functions = set(file.r.facts.signatures)
            for definition in file.h.facts.definitions:
                least = SHORT if definition.owner else 2
                if (
                    (definition.owner, definition.name) in kept
                    or len(definition.name) < least
                    or definition.name.startswith("__")
                ):
                    continue
                if definition in file.b.facts.definitions:
                    continue
                if definition.kind == "parameter" and definition.owner not in functions:
                    continue
                if definition.kind == "key" and definition.name in file.r.names:
                    continue
                found.append((file, definition))
        return found

    @cached_property
    def hits(self) -> dict[str, dict[str, list[Found]]]:
        """For each word searched for, the lines that hold it, by path; read in one pass."""
        wanted = self._wanted()
        found: dict[str, dict[str, list[Found]]] = {}
        if not wanted.words and not wanted.literals:
            return found
        texts = sorted(wanted.words | wanted.literals)
        any_word = re.compile(
            r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(wanted.words, key=len, reverse=True))) + r")(?!\w)"
        )
        for hit in grep(self.store, self.result, texts, suffixes=self._suffixes()):
            if wanted.words:
                for word in set(any_word.findall(hit.text)):
                    found.setdefault(word, {}).setdefault(hit.path, []).append(hit)
            for literal in wanted.literals:
                if literal in hit.text:
                    found.setdefault(literal, {}).setdefault(hit.path, []).append(hit)
        return found

    def _suffixes(self) -> set[str]:
        """Return the kinds of files that can hold a use: Python, those that changed, and scripts that name files."""
        found = {*python.SUFFIXES, *(PurePosixPath(file.path).suffix for file in self.changed)} - {""}
        if any(file.left is not None for file in self.changed) or any(one.kind == "option" for _, one in self.gone):
            found |= set(SCRIPTS)
        return found

    def _wanted(self) -> _Wanted:
        wanted, names = _Wanted(literals=set(self.moved)), set[str]()
        for _, definition in self.gone:
            wanted.words.add(definition.name)
            names.add(definition.name)
            if definition.kind == "parameter":
                wanted.words.add(definition.owner.rpartition(".")[2])
            if definition.kind == "option":
                wanted.words.add(definition.name.replace("_", "-"))
        for file in self.changed:
            if file.left is not None:
                wanted.literals.add(tail_of(file.left))
                if python.is_python(file.left):
                    names.add(dotted(file.left)[-1])
            for name in self.coming_attributes(file):
                wanted.words.add(name)
            for name, _ in stricter(file):
                wanted.words.add(name.rpartition(".")[2])
        wanted.words = {word for word in wanted.words if len(word) >= SHORT} | names
        return wanted

    def content(self, path: str) -> Content:
        """Return a file of the result."""
        if path not in self._contents:
            data = self.store.read([self.listing[path]]).get(self.listing[path]) if path in self.listing else None
            self._contents[path] = Content(path, data)
        return self._contents[path]

    def load(self, paths: Iterable[str]) -> None:
        """Read several files of the result by one process."""
        missing = [path for path in paths if path not in self._contents and path in self.listing]
        blobs = self.store.read(self.listing[path] for path in missing)
        for path in missing:
            self._contents[path] = Content(path, blobs.get(self.listing[path]))

    def files(self, word: str) -> list[str]:
        """Return the Python files that hold a word, and read them."""
        found = [path for path in self.hits.get(word, {}) if python.is_python(path)]
        self.load(found)
        return found

    def importing(self, module: Sequence[str]) -> list[str]:
        """Return the Python files that may import a module, by a line that looks like it and its package's name."""
        last = re.escape(module[-1])
        shape = re.compile(rf"\b(?:import|from)\b.*\b{last}\b|^\s*{last}\s*(?:as\s+\w+)?\s*,?\s*$")
        hits = self.hits.get(module[-1], {})
        found = [p for p, some in hits.items() if python.is_python(p) and any(shape.search(hit.text) for hit in some)]
        self.load(found)
        package = module[-2].encode() if len(module) > 1 else b""
        return [p for p in found if package in (data := self.content(p).data or b"") or b"from ." in data]

    def defined(self, name: str) -> bool:
        """Whether the result defines ``name`` anywhere, by the looks of the line."""
        # A keyword of a call that stands on a line of its own looks like an assignment, but for the spaces around "=".
        word = re.escape(name)
        looks = re.compile(
            rf"\b(?:def|class)\s+{word}\b|\b(?:self|cls)\.{word}\s*(?::[^=]+)?=(?!=)|^\s*{word}\s*(?::[^=]+)?\s=\s"
            rf"|^\s*{word}\s*:\s*\S|[\"']{word}[\"']\s*:|\bas\s+{word}\b"
            rf"|[\"']--{re.escape(name.replace('_', '-'))}[\"']"
        )
        return any(
            looks.search(hit.text)
            for path, found in self.hits.get(name, {}).items()
            if python.is_python(path)
            for hit in found
        )

    def known_before(self, names: set[str]) -> set[str]:
        """Return those names that the tree without the change already used: what uses them now need not mean ours."""
        whole = {name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in names}
        found: set[str] = set()
        for hit in grep(self.store, self.parent, names, suffixes=python.SUFFIXES):
            found |= {name for name in names - found if name in hit.text and whole[name].search(hit.text)}
        return found

    def coming_attributes(self, file: Changed) -> dict[str, int]:
        """Attributes read on lines that come, unless the file reads or defines them on lines that stay."""
        if not file.added:
            return {}
        stay = {read.name for read in file.r.facts.attributes if read.line not in file.added} | set(file.h.names)
        return {
            read.name: read.line
            for read in file.r.facts.attributes
            if read.line in file.added and read.name not in stay and not read.name.startswith("__")
        }

    def homes(self, path: str) -> list[list[str]]:
        """Return the dotted names of a module and of the packages around it that give all its names on by ``*``."""
        found = [dotted(path)]
        folder = path.rpartition("/")[0]
        while folder and (package := f"{folder}/__init__.py") in self.listing:
            if package != path and any(
                item.name == "*" and any(same_module(resolved(item, package), home, package) for home in found)
                for item in self.content(package).imported
            ):
                found.append(dotted(package))
            folder = folder.rpartition("/")[0]
        return found

    def has_folder(self, folder: str) -> bool:
        """Whether the result has a file in ``folder`` or below."""
        return any(path.startswith(folder + "/") for path in self.listing)

    def module_path(self, module: Sequence[str]) -> str | None:
        """Return the file of a module by its dotted name, None where the result has none."""
        if not module:
            return None
        stem = "/".join(module)
        for form in (f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi"):
            if form in self.listing:
                return form
        return None


def stricter(file: Changed) -> Iterator[tuple[str, frozenset[str]]]:
    """Functions that need more, or take less by position, than today; with the names they need again."""
    for owner, after in file.r.facts.signatures.items():
        before = file.h.facts.signatures.get(owner)
        if before is not None and before != after:
            needed = after.required - before.required
            if needed or after.positional < before.positional:
                yield owner, frozenset(needed)
