"""Finding a function again by its qualified name in another file of the branch."""

from __future__ import annotations

from syncbot.edit import python
from syncbot.edit.lines import split
from syncbot.edit.places import Other
from syncbot.git.merge import grep
from syncbot.git.objects import Scratch

_MOST_FILES = 12


class Finder:
    """Reads files of ``base`` outside the change. ``known`` is the commit the change was made on."""

    def __init__(self, store: Scratch, base: str, known: str) -> None:
        self.store = store
        self.base = base
        self.known = known
        self._answers: dict[tuple[str, str], Other | None] = {}

    def function(self, span: python.Span) -> Other | None:
        """Return the one file that has the function or class now and had not when the change was made."""
        key = (span.kind, span.qualname)
        if key not in self._answers:
            self._answers[key] = self._search(span)
        return self._answers[key]

    def _search(self, span: python.Span) -> Other | None:
        # The outermost name is what a file must hold; a method alone would match half the tree.
        outer, _, _ = span.qualname.partition(".")
        word = f"class {outer}" if "." in span.qualname or span.kind == "class" else f"def {outer}"
        paths = sorted({hit.path for hit in grep(self.store, self.base, [word], suffixes=python.SUFFIXES)})
        if len(paths) > _MOST_FILES:
            return None
        now, then = self.store.entries(self.base, paths), self.store.entries(self.known, paths)
        blobs = self.store.read(entry.oid for entry in [*now.values(), *then.values()])
        found = []
        for path, entry in now.items():
            spans = _spans(blobs.get(entry.oid, b""))
            before = _spans(blobs.get(then[path].oid, b"")) if path in then else []
            if _holds(spans, span) and not _holds(before, span):
                found.append(Other(path, split(blobs[entry.oid]), spans))
        return found[0] if len(found) == 1 else None

    def read(self, path: str) -> bytes | None:
        """Return the content of a file of the branch, None where there is none."""
        entries = self.store.entries(self.base, [path])
        return self.store.read([entries[path].oid]).get(entries[path].oid) if path in entries else None

    def mode(self, path: str) -> str:
        """Return the mode of a file of the branch."""
        entries = self.store.entries(self.base, [path])
        return entries[path].mode if path in entries else "100644"


def _spans(source: bytes) -> list[python.Span]:
    tree = python.parse(source)
    return [] if tree is None else python.spans(tree)


def _holds(spans: list[python.Span], wanted: python.Span) -> bool:
    return sum(span.qualname == wanted.qualname for span in spans) == 1
