"""Whether anything in the resulting tree still needs what went.

Another definition of the same name elsewhere ends a suspicion, and so does a use of it before the change, except where
an import says which module is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncbot.edit import python
from syncbot.edit.changed import Changed
from syncbot.edit.facts import Definition
from syncbot.edit.modules import dotted, resolved, same_module, tail_of
from syncbot.edit.search import SCRIPTS, SHORT, Search, stricter
from syncbot.model.edit import Problem, ProblemKind

_MANY = 60
_TOP_KINDS = ("function", "class", "variable", "import", "fixture")


def needed(search: Search) -> Iterator[Problem]:
    """Yield every use of something that went."""
    loose = list(_needed(search))
    known = search.known_before({name for name, _ in loose if name})
    yield from (problem for name, problem in loose if name not in known)
    yield from _modules_needed(search)
    yield from _calls_refused(search)


def _needed(search: Search) -> Iterator[tuple[str, Problem]]:
    """Yield each problem with the name it hangs on, "" where it is sure that the change's own one is meant."""
    for file, definition in search.gone:
        sure: list[Problem] = []
        loose: list[Problem] = []
        match definition.kind:
            case "parameter":
                sure += _parameter(search, file, definition)
            case "fixture":
                sure += [*_fixture(search, file, definition), *_imported(search, file, definition)]
            case kind if kind in _TOP_KINDS and not definition.owner:
                sure += _imported(search, file, definition)
                loose += _read(search, file, definition) if kind != "import" else ()
            case _:
                sure += _own_class(search, file, definition)
                loose += _read(search, file, definition)
        yield from (("", problem) for problem in sure)
        yield from ((definition.name, problem) for problem in loose)


def _imported(search: Search, file: Changed, definition: Definition) -> Iterator[Problem]:
    for module in search.homes(file.path):
        yield from _imported_from(search, file, definition, module)


def _imported_from(search: Search, file: Changed, definition: Definition, module: list[str]) -> Iterator[Problem]:
    tail = module[-1] if module else ""
    shape = re.compile(rf"\bimport\b|\.{re.escape(definition.name)}\b|^\s*{re.escape(definition.name)}\b[^(=:]*$|[\"']")
    hits = search.hits.get(definition.name, {})
    for path in search.files(definition.name):
        content = search.content(path)
        source = content.data or b""
        near = b"import *" in source or any(shape.search(hit.text) for hit in hits[path])
        if not tail or tail.encode() not in source or not near:
            continue
        aliases = set()
        for item in content.facts.imports:
            target = resolved(item, path)
            if same_module(target, module, path) and item.module is not None:
                if item.name == definition.name:
                    yield _used(path, item.start, f"{path} still imports {definition.name} from {file.path}")
                if item.name == "*" and (line := python.read_at(content.tree, definition.name)) is not None:
                    yield _used(path, line, f"{path} still uses {definition.name}, by * from {file.path}")
            if same_module([*target, item.name] if item.module is not None else item.name.split("."), module, path):
                aliases.add(item.bound)
        for read in content.facts.attributes:
            if read.name == definition.name and read.on in aliases:
                yield _used(path, read.line, f"{path} still uses {definition.name} of {file.path}")
        spelled = ".".join(module[-2:]) + "." + definition.name
        for text, line in content.facts.strings:
            if text.endswith(spelled):
                yield _used(path, line, f"{path} still names {text!r}")


def _read(search: Search, file: Changed, definition: Definition) -> Iterator[Problem]:
    """Attributes and strings of that name anywhere, where nothing else defines the name."""
    name = definition.name
    if name in file.b.names or search.defined(name):
        return
    for path in search.files(name)[:_MANY]:
        facts = search.content(path).facts
        for read in facts.attributes:
            if read.name == name:
                yield _used(path, read.line, f"{path} still uses {name}, which only {file.path} defined")
        for text, line in facts.strings:
            if text == name and (definition.kind != "key" or "_" in name):
                yield _used(path, line, f"{path} still names {name!r}, which only {file.path} defined")
    if definition.kind == "option":
        option = name.replace("_", "-")
        for path, found in search.hits.get(option, {}).items():
            for hit in found if path.endswith(SCRIPTS) or python.is_python(path) else ():
                if f"--{option}" in hit.text:
                    yield _used(path, hit.line - 1, f"{path} still passes --{option}")


def _own_class(search: Search, file: Changed, definition: Definition) -> Iterator[Problem]:
    facts = file.r.facts
    owned = {known.name for known in facts.definitions if known.owner == definition.owner}
    if definition.name in owned or (facts.bases.get(definition.owner) and search.defined(definition.name)):
        return
    for read in facts.attributes:
        if read.name == definition.name and read.owner == definition.owner:
            yield _used(file.path, read.line, f"{definition.owner} still uses its {definition.name}")


def _parameter(search: Search, file: Changed, definition: Definition) -> Iterator[Problem]:
    name = definition.owner.rpartition(".")[2]
    both = [path for path in search.files(definition.name) if len(name) < SHORT or path in search.hits.get(name, {})]
    takers = [
        signature
        for path in both
        for owner, signature in search.content(path).facts.signatures.items()
        if owner.rpartition(".")[2] == name and signature.takes(definition.name)
    ]
    if takers or file.r.facts.signatures[definition.owner].takes(definition.name):
        return
    for path in both[:_MANY]:
        for call in search.content(path).facts.calls:
            if call.name == name and definition.name in call.keywords:
                yield _used(path, call.line, f"{path} still passes {definition.name} to {name}")


def _fixture(search: Search, file: Changed, definition: Definition) -> Iterator[Problem]:
    folder = file.path.rpartition("/")[0] if file.path.endswith("conftest.py") else file.path
    if search.defined(definition.name):
        return
    for path in search.files(definition.name):
        if path.startswith(folder):
            for name, line, function in search.content(path).facts.asked:
                if name == definition.name and definition.name not in search.content(path).facts.parametrized.get(
                    function, ()
                ):
                    yield _used(path, line, f"{function} still asks for the fixture {name}")


def _modules_needed(search: Search) -> Iterator[Problem]:
    for file in search.changed:
        if file.left is not None:
            literal = tail_of(file.left)
            for path, found in search.hits.get(literal, {}).items():
                if not path.endswith((".md", ".rst")):
                    yield _used(path, found[0].line - 1, f"{path} still names {file.left}")
            module = dotted(file.left) if python.is_python(file.left) else []
            if file.left.endswith("/__init__.py") and search.has_folder(file.left.rpartition("/")[0]):
                module = []  # what is left in the folder can still be imported
            for path in search.importing(module) if module else ():
                for item in search.content(path).imports.values():
                    target = resolved(item, path)
                    if same_module(target, module, path) or same_module([*target, item.name], module, path):
                        yield _used(path, item.start, f"{path} still imports {file.left}")
        before, after = file.h.facts.parametrized, file.r.facts.parametrized
        asked = {(function, name): line for name, line, function in file.r.facts.asked}
        for function, names in before.items():
            for name in names - after.get(function, names):
                if (function.rpartition(".")[2], name) in asked:
                    line = asked[function.rpartition(".")[2], name]
                    yield _used(file.path, line, f"{function} still asks for {name}, which is no longer parametrized")


def _calls_refused(search: Search) -> Iterator[Problem]:
    """Calls that give too much by position, or too little, to a function whose signature went back."""
    for file in search.changed:
        for owner, needed in stricter(file):
            name = owner.rpartition(".")[2]
            signature = file.r.facts.signatures[owner]
            holders = [
                path for path in search.files(name)
                if any(own.rpartition(".")[2] == name for own in search.content(path).facts.signatures)
            ]  # fmt: skip
            if holders != [file.r.path]:
                continue
            for path in search.files(name)[:_MANY]:
                for call in search.content(path).facts.calls:
                    # On another object it may be anybody's method of that name.
                    ours = call.on is None or (call.owner is not None and f"{call.owner}.{name}" == owner)
                    if call.name != name or call.unpacks or not ours:
                        continue
                    given = {*signature.names[: call.positional], *call.keywords}
                    if call.positional > signature.positional and not signature.star:
                        yield _used(path, call.line, f"{path} passes more to {name} than it takes again")
                    elif needed - given:
                        missing = ", ".join(sorted(needed - given))
                        yield _used(path, call.line, f"{path} does not pass {missing}, which {name} needs again")


def _used(path: str, line: int, detail: str) -> Problem:
    return Problem(kind=ProblemKind.USED_ELSEWHERE, path=path, line=line + 1, detail=detail)
