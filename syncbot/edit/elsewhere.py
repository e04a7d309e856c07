"""Whether anything in the resulting tree still needs what went, or what came needs what is no longer there.

One ``git grep`` over the whole result finds every line that holds one of the names in question; only files it names are
read and parsed. Another definition of the same name elsewhere ends a suspicion, except where an import says which
module is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from syncbot.edit import python
from syncbot.edit.changed import Changed, Content
from syncbot.edit.python import Definition
from syncbot.git.merge import Found, grep
from syncbot.git.objects import Scratch
from syncbot.model.edit import Problem, ProblemKind

_SHORT = 3
_MANY = 60
_MOST_MOVED = 80
_SCRIPTS = (".sh", ".yaml", ".yml", ".toml", ".json", ".cfg", ".ini", ".txt", ".cmake")
_TOP_KINDS = ("function", "class", "variable", "import", "fixture")


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
        self.changed = [file for file in changed if file.h.data != file.r.data]
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
            kept = file.r.facts.definitions
            functions = set(file.r.facts.signatures)
            for definition in file.h.facts.definitions:
                if definition in kept or len(definition.name) < _SHORT or definition.name.startswith("__"):
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
        if any(file.r.data is None for file in self.changed) or any(one.kind == "option" for _, one in self.gone):
            found |= set(_SCRIPTS)
        return found

    def _wanted(self) -> _Wanted:
        wanted = _Wanted(literals=set(self.moved))
        for _, definition in self.gone:
            wanted.words.add(definition.name)
            if definition.kind == "parameter":
                wanted.words.add(definition.owner.rpartition(".")[2])
            if definition.kind == "option":
                wanted.words.add(definition.name.replace("_", "-"))
        for file in self.changed:
            if file.r.data is None:
                wanted.literals.add(_tail(file.path))
                if python.is_python(file.path):
                    wanted.words.add(_module(file.path)[-1])
            for name in self._coming_attributes(file):
                wanted.words.add(name)
            for name, _ in _stricter(file):
                wanted.words.add(name.rpartition(".")[2])
        wanted.words = {word for word in wanted.words if len(word) >= _SHORT}
        return wanted

    def content(self, path: str) -> Content:
        """Return a file of the result."""
        if path not in self._contents:
            data = self.store.read([self.listing[path]]).get(self.listing[path]) if path in self.listing else None
            self._contents[path] = Content(path, data)
        return self._contents[path]

    def _load(self, paths: Iterable[str]) -> None:
        missing = [path for path in paths if path not in self._contents and path in self.listing]
        blobs = self.store.read(self.listing[path] for path in missing)
        for path in missing:
            self._contents[path] = Content(path, blobs.get(self.listing[path]))

    def _files(self, word: str) -> list[str]:
        found = [path for path in self.hits.get(word, {}) if python.is_python(path)]
        self._load(found)
        return found

    def _importing(self, module: Sequence[str]) -> list[str]:
        """Return the Python files that may import a module, by a line that looks like it and its package's name."""
        last = re.escape(module[-1])
        shape = re.compile(rf"\b(?:import|from)\b.*\b{last}\b|^\s*{last}\s*(?:as\s+\w+)?\s*,?\s*$")
        hits = self.hits.get(module[-1], {})
        found = [p for p, some in hits.items() if python.is_python(p) and any(shape.search(hit.text) for hit in some)]
        self._load(found)
        package = module[-2].encode() if len(module) > 1 else b""
        return [p for p in found if package in (data := self.content(p).data or b"") or b"from ." in data]

    def _defined(self, name: str) -> bool:
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

    def problems(self) -> list[Problem]:
        """Return everything that would be left broken, each once."""
        loose = list(self._needed())
        known = self._known_before({name for name, _ in loose if name})
        found = [problem for name, problem in loose if name not in known]
        found += [*self._modules_needed(), *self._calls_refused(), *self._dangling()]
        return list(dict.fromkeys(found))

    def _known_before(self, names: set[str]) -> set[str]:
        """Return those names that the tree without the change already used: what uses them now need not mean ours."""
        whole = {name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in names}
        found: set[str] = set()
        for hit in grep(self.store, self.parent, names, suffixes=python.SUFFIXES):
            found |= {name for name in names - found if name in hit.text and whole[name].search(hit.text)}
        return found

    # What went and is still asked for.

    def _needed(self) -> Iterator[tuple[str, Problem]]:
        """Yield each problem with the name it hangs on, "" where it is sure that the change's own one is meant."""
        for file, definition in self.gone:
            sure: list[Problem] = []
            loose: list[Problem] = []
            match definition.kind:
                case "parameter":
                    sure += self._parameter(file, definition)
                case "fixture":
                    sure += [*self._fixture(file, definition), *self._imported(file, definition)]
                case kind if kind in _TOP_KINDS and not definition.owner:
                    sure += self._imported(file, definition)
                    loose += self._read(file, definition) if kind != "import" else ()
                case _:
                    sure += self._own_class(file, definition)
                    loose += self._read(file, definition)
            yield from (("", problem) for problem in sure)
            yield from ((definition.name, problem) for problem in loose)

    def _imported(self, file: Changed, definition: Definition) -> Iterator[Problem]:
        module = _module(file.path)
        tail = module[-1] if module else ""
        shape = re.compile(
            rf"\bimport\b|\.{re.escape(definition.name)}\b|^\s*{re.escape(definition.name)}\b[^(=:]*$|[\"']"
        )
        hits = self.hits.get(definition.name, {})
        for path in self._files(definition.name):
            content = self.content(path)
            if (
                not tail
                or tail.encode() not in (content.data or b"")
                or not any(shape.search(h.text) for h in hits[path])
            ):
                continue
            aliases = set()
            for item in content.facts.imports:
                target = _resolved(item, path)
                if _same(target, module) and item.name == definition.name and item.module is not None:
                    yield _used(path, item.start, f"{path} still imports {definition.name} from {file.path}")
                if _same([*target, item.name] if item.module is not None else item.name.split("."), module):
                    aliases.add(item.bound)
            for read in content.facts.attributes:
                if read.name == definition.name and read.on in aliases:
                    yield _used(path, read.line, f"{path} still uses {definition.name} of {file.path}")
            dotted = ".".join(module[-2:]) + "." + definition.name
            for text, line in content.facts.strings:
                if text.endswith(dotted):
                    yield _used(path, line, f"{path} still names {text!r}")

    def _read(self, file: Changed, definition: Definition) -> Iterator[Problem]:
        """Attributes and strings of that name anywhere, where nothing else defines the name."""
        name = definition.name
        if name in file.b.names or self._defined(name):
            return
        for path in self._files(name)[:_MANY]:
            facts = self.content(path).facts
            for read in facts.attributes:
                if read.name == name:
                    yield _used(path, read.line, f"{path} still uses {name}, which only {file.path} defined")
            for text, line in facts.strings:
                if text == name and (definition.kind != "key" or "_" in name):
                    yield _used(path, line, f"{path} still names {name!r}, which only {file.path} defined")
        if definition.kind == "option":
            option = name.replace("_", "-")
            for path, found in self.hits.get(option, {}).items():
                for hit in found if path.endswith(_SCRIPTS) or python.is_python(path) else ():
                    if f"--{option}" in hit.text:
                        yield _used(path, hit.line - 1, f"{path} still passes --{option}")

    def _own_class(self, file: Changed, definition: Definition) -> Iterator[Problem]:
        facts = file.r.facts
        owned = {known.name for known in facts.definitions if known.owner == definition.owner}
        if definition.name in owned or (facts.bases.get(definition.owner) and self._defined(definition.name)):
            return
        for read in facts.attributes:
            if read.name == definition.name and read.owner == definition.owner:
                yield _used(file.path, read.line, f"{definition.owner} still uses its {definition.name}")

    def _parameter(self, file: Changed, definition: Definition) -> Iterator[Problem]:
        name = definition.owner.rpartition(".")[2]
        both = [path for path in self._files(name) if path in self.hits.get(definition.name, {})]
        takers = [
            signature
            for path in both
            for owner, signature in self.content(path).facts.signatures.items()
            if owner.rpartition(".")[2] == name and signature.takes(definition.name)
        ]
        if takers or file.r.facts.signatures[definition.owner].takes(definition.name):
            return
        for path in both[:_MANY]:
            for call in self.content(path).facts.calls:
                if call.name == name and definition.name in call.keywords:
                    yield _used(path, call.line, f"{path} still passes {definition.name} to {name}")

    def _fixture(self, file: Changed, definition: Definition) -> Iterator[Problem]:
        folder = file.path.rpartition("/")[0] if file.path.endswith("conftest.py") else file.path
        if self._defined(definition.name):
            return
        for path in self._files(definition.name):
            if path.startswith(folder):
                for name, line, function in self.content(path).facts.asked:
                    if name == definition.name and definition.name not in self.content(path).facts.parametrized.get(
                        function, ()
                    ):
                        yield _used(path, line, f"{function} still asks for the fixture {name}")

    def _modules_needed(self) -> Iterator[Problem]:
        for file in self.changed:
            if file.r.data is None and file.h.data is not None:
                literal = _tail(file.path)
                for path, found in self.hits.get(literal, {}).items():
                    if not path.endswith((".md", ".rst")):
                        yield _used(path, found[0].line - 1, f"{path} still names {file.path}")
                module = _module(file.path) if python.is_python(file.path) else []
                for path in self._importing(module) if module else ():
                    for item in self.content(path).imports.values():
                        target = _resolved(item, path)
                        if _same(target, module) or _same([*target, item.name], module):
                            yield _used(path, item.start, f"{path} still imports {file.path}")
            before, after = file.h.facts.parametrized, file.r.facts.parametrized
            asked = {(function, name): line for name, line, function in file.r.facts.asked}
            for function, names in before.items():
                for name in names - after.get(function, names):
                    if (function.rpartition(".")[2], name) in asked:
                        line = asked[function.rpartition(".")[2], name]
                        yield _used(
                            file.path, line, f"{function} still asks for {name}, which is no longer parametrized"
                        )

    def _calls_refused(self) -> Iterator[Problem]:
        """Calls that give too much by position, or too little, to a function whose signature went back."""
        for file in self.changed:
            for owner, needed in _stricter(file):
                name = owner.rpartition(".")[2]
                signature = file.r.facts.signatures[owner]
                holders = [
                    path for path in self._files(name)
                    if any(own.rpartition(".")[2] == name for own in self.content(path).facts.signatures)
                ]  # fmt: skip
                if holders != [file.r.path]:
                    continue
                for path in self._files(name)[:_MANY]:
                    for call in self.content(path).facts.calls:
                        if call.name != name or call.unpacks:
                            continue
                        given = {*signature.names[: call.positional], *call.keywords}
                        if call.positional > signature.positional and not signature.star:
                            yield _used(path, call.line, f"{path} passes more to {name} than it takes again")
                        elif needed - given:
                            missing = ", ".join(sorted(needed - given))
                            yield _used(path, call.line, f"{path} does not pass {missing}, which {name} needs again")

    # What came back and is no longer there.

    def _coming_attributes(self, file: Changed) -> dict[str, int]:
        """Attributes read on lines that come, unless the file reads or defines them on lines that stay."""
        if not file.added:
            return {}
        stay = {read.name for read in file.r.facts.attributes if read.line not in file.added} | set(file.h.names)
        return {
            read.name: read.line
            for read in file.r.facts.attributes
            if read.line in file.added and read.name not in stay and not read.name.startswith("__")
        }

    def _coming_calls(self, file: Changed) -> list[python.Call]:
        if not file.added:
            return []
        return [
            call
            for call in file.r.facts.calls
            if call.keywords and any(line in file.added for line in range(call.line, call.end))
        ]

    def _dangling(self) -> Iterator[Problem]:
        lost: dict[str, tuple[str, int]] = {}
        for file in self.changed:
            yield from self._own_class_lost(file)
            yield from self._imports_lost(file)
            for name, line in self._coming_attributes(file).items():
                others = [
                    hit for path, found in self.hits.get(name, {}).items() for hit in found
                    if path != file.r.path or hit.line - 1 not in file.added
                ]  # fmt: skip
                if not others and len(name) >= _SHORT and not any(name in other.r.names for other in self.changed):
                    lost[name] = (file.r.path, line)
            yield from self._keywords_lost(file)
        if lost:
            shape = r"\b(?:def|class)\s+{0}\b|\bself\.{0}\s*[:=]|^\s*{0}\s*[:=]"
            defined = {
                name
                for hit in grep(self.store, self.parent, lost, suffixes=python.SUFFIXES)
                for name in lost
                if name in hit.text and re.search(shape.format(re.escape(name)), hit.text)
            }
            for name in sorted(defined):
                path, line = lost[name]
                yield Problem(
                    kind=ProblemKind.DANGLING,
                    path=path,
                    line=line + 1,
                    detail=f"{name} comes back, and is defined nowhere any more",
                )

    def _own_class_lost(self, file: Changed) -> Iterator[Problem]:
        known = file.r.facts.definitions
        for read in file.r.facts.attributes:
            if read.line in file.added and read.owner is not None:
                was = any(d.owner == read.owner and d.name == read.name for d in file.b.facts.definitions)
                if was and not any(d.owner == read.owner and d.name == read.name for d in known):
                    yield Problem(
                        kind=ProblemKind.DANGLING, path=file.r.path, line=read.line + 1,
                        detail=f"{read.owner} has no {read.name} any more",
                    )  # fmt: skip

    def _imports_lost(self, file: Changed) -> Iterator[Problem]:
        for item in file.r.facts.imports:
            if item.start not in file.added or item.key in file.h.imports:
                continue
            target = _resolved(item, file.r.path) if item.module is not None else item.name.split(".")
            path = self._module_path(target)
            inside = bool(target) and any(known.split("/")[0] == target[0] for known in self.listing)
            if path is None and not inside:
                continue
            lost = path is None
            if path is not None and item.module is not None and item.name != "*":
                content = self.content(path)
                open_ended = any(other.name == "*" for other in content.facts.imports) or "__getattr__" in content.names
                lost = (
                    item.name not in content.names
                    and not open_ended
                    and content.tree is not None
                    and self._module_path([*target, item.name]) is None
                )
            elif path is None and item.module is not None:
                lost = self._module_path([*target, item.name]) is None and not any(
                    known.startswith("/".join(target) + "/") for known in self.listing
                )
            if lost:
                yield Problem(
                    kind=ProblemKind.DANGLING, path=file.r.path, line=item.start + 1, detail=f"{item}: no longer there"
                )

    def _module_path(self, module: Sequence[str]) -> str | None:
        if not module:
            return None
        stem = "/".join(module)
        for form in (f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi"):
            if form in self.listing:
                return form
        return None

    def _keywords_lost(self, file: Changed) -> Iterator[Problem]:
        """Calls that come back with a keyword that what they call, surely known, takes no longer."""
        for call in self._coming_calls(file):
            signature = self._called(file, call)
            lost = [word for word in call.keywords if signature is not None and not signature.takes(word)]
            if lost:
                yield Problem(
                    kind=ProblemKind.DANGLING, path=file.r.path, line=call.line + 1,
                    detail=f"{call.name} is called with {', '.join(lost)} again, which it no longer takes",
                )  # fmt: skip

    def _called(self, file: Changed, call: python.Call) -> python.Signature | None:
        """Return the signature of what is called, where the file itself or its imports say which one is meant."""
        here = file.r.facts
        if call.owner is not None:
            return here.signatures.get(f"{call.owner}.{call.name}")
        if call.on is not None:
            return None
        if call.name in here.signatures:
            return here.signatures[call.name]
        for item in here.imports:
            if item.bound == call.name and item.module is not None:
                path = self._module_path(_resolved(item, file.r.path))
                return self.content(path).facts.signatures.get(item.name) if path is not None else None
        return None


def _stricter(file: Changed) -> Iterator[tuple[str, frozenset[str]]]:
    """Functions that need more, or take less by position, than today; with the names they need again."""
    for owner, after in file.r.facts.signatures.items():
        before = file.h.facts.signatures.get(owner)
        if before is not None and before != after:
            needed = after.required - before.required
            if needed or after.positional < before.positional:
                yield owner, frozenset(needed)


def _used(path: str, line: int, detail: str) -> Problem:
    return Problem(kind=ProblemKind.USED_ELSEWHERE, path=path, line=line + 1, detail=detail)


def _module(path: str) -> list[str]:
    """Return the dotted name of a Python file, as parts."""
    parts = path.rpartition(".")[0].split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


def _tail(path: str) -> str:
    """Return enough of a path to be known by: its last two parts."""
    return "/".join(path.split("/")[-2:])


def _resolved(item: python.Imported, path: str) -> list[str]:
    """Return the module an import names, relative ones resolved against the importing file."""
    if item.module is None:
        return item.name.split(".")
    level = len(item.module) - len(item.module.lstrip("."))
    rest = [part for part in item.module.lstrip(".").split(".") if part]
    if not level:
        return rest
    folder = path.split("/")[:-1]
    return [*folder[: len(folder) - (level - 1)], *rest]


def _same(target: Sequence[str], module: Sequence[str]) -> bool:
    """Whether a dotted name means that file, whatever source root stands before it."""
    if not target or not module:
        return False
    size = min(len(target), len(module))
    return list(target[-size:]) == list(module[-size:]) and (
        size > 1 or len(target) == len(module) or size == len(target)
    )
