"""Whether what comes back needs what is no longer there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncbot.edit import python
from syncbot.edit.changed import Changed
from syncbot.edit.facts import Call, Signature
from syncbot.edit.modules import resolved
from syncbot.edit.search import SHORT, Search
from syncbot.git.merge import grep
from syncbot.model.edit import Problem, ProblemKind


def dangling(search: Search) -> Iterator[Problem]:
    """Yield every reference that comes back to something defined nowhere any more."""
    lost: dict[str, tuple[str, int]] = {}
    for file in search.changed:
        yield from _own_class_lost(file)
        yield from _imports_lost(search, file)
        for name, line in search.coming_attributes(file).items():
            others = [
                hit for path, found in search.hits.get(name, {}).items() for hit in found
                if path != file.r.path or hit.line - 1 not in file.added
            ]  # fmt: skip
            if not others and len(name) >= SHORT and not any(name in other.r.names for other in search.changed):
                lost[name] = (file.r.path, line)
        yield from _keywords_lost(search, file)
    if lost:
        shape = r"\b(?:def|class)\s+{0}\b|\bself\.{0}\s*[:=]|^\s*{0}\s*[:=]"
        defined = {
            name
            for hit in grep(search.store, search.parent, lost, suffixes=python.SUFFIXES)
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


def _coming_calls(file: Changed) -> list[Call]:
    if not file.added:
        return []
    return [
        call
        for call in file.r.facts.calls
        if call.keywords and any(line in file.added for line in range(call.line, call.end))
    ]


def _own_class_lost(file: Changed) -> Iterator[Problem]:
    known = file.r.facts.definitions
    for read in file.r.facts.attributes:
        if read.line in file.added and read.owner is not None:
            was = any(d.owner == read.owner and d.name == read.name for d in file.b.facts.definitions)
            if was and not any(d.owner == read.owner and d.name == read.name for d in known):
                yield Problem(
                    kind=ProblemKind.DANGLING, path=file.r.path, line=read.line + 1,
                    detail=f"{read.owner} has no {read.name} any more",
                )  # fmt: skip


def _imports_lost(search: Search, file: Changed) -> Iterator[Problem]:
    for item in file.r.facts.imports:
        if item.start not in file.added or item.key in file.h.imports:
            continue
        target = resolved(item, file.r.path) if item.module is not None else item.name.split(".")
        path = search.module_path(target)
        inside = bool(target) and any(known.split("/")[0] == target[0] for known in search.listing)
        if path is None and not inside:
            continue
        lost = path is None
        if path is not None and item.module is not None and item.name != "*":
            content = search.content(path)
            open_ended = any(other.name == "*" for other in content.facts.imports) or "__getattr__" in content.names
            lost = (
                item.name not in content.names
                and not open_ended
                and content.tree is not None
                and search.module_path([*target, item.name]) is None
            )
        elif path is None and item.module is not None:
            lost = search.module_path([*target, item.name]) is None and not any(
                known.startswith("/".join(target) + "/") for known in search.listing
            )
        if lost:
            yield Problem(
                kind=ProblemKind.DANGLING, path=file.r.path, line=item.start + 1, detail=f"{item}: no longer there"
            )


def _keywords_lost(search: Search, file: Changed) -> Iterator[Problem]:
    """Calls that come back with a keyword that what they call, surely known, takes no longer."""
    for call in _coming_calls(file):
        signature = _called(search, file, call)
        lost = [word for word in call.keywords if signature is not None and not signature.takes(word)]
        if lost:
            yield Problem(
                kind=ProblemKind.DANGLING, path=file.r.path, line=call.line + 1,
                detail=f"{call.name} is called with {', '.join(lost)} again, which it no longer takes",
            )  # fmt: skip


def _called(search: Search, file: Changed, call: Call) -> Signature | None:
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
            path = search.module_path(resolved(item, file.r.path))
            return search.content(path).facts.signatures.get(item.name) if path is not None else None
    return None
