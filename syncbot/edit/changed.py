"""One file of an edit, as four contents: with the change, without it, today's, and the result."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from syncbot.edit import facts, python
from syncbot.edit.facts import Facts
from syncbot.edit.lines import split


@dataclass(frozen=True)
class Content:
    """The bytes of one file at one commit, None where it is not there; what follows from them is worked out once."""

    path: str
    data: bytes | None

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines, with their ends; none of an absent file."""
        return split(self.data or b"")

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax tree, None for what is no Python or does not parse. An absent file parses as an empty one."""
        return python.parse(self.data or b"") if python.is_python(self.path) else None

    @cached_property
    def facts(self) -> Facts:
        """What it defines and asks for; nothing where there is no tree."""
        return Facts() if self.tree is None else facts.read(self.tree, self.imported)

    @cached_property
    def statements(self) -> list[tuple[int, int]]:
        """The lines of each simple statement and of each header of a block; none where there is no tree."""
        return [] if self.tree is None else python.whole_statements(self.data or b"")

    @cached_property
    def faults(self) -> python.Faults:
        """What pyflakes says."""
        return python.Faults() if self.tree is None or self.data is None else python.faults(self.tree, self.path)

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name it defines, whatever the kind."""
        return frozenset(definition.name for definition in self.facts.definitions)

    @cached_property
    def imported(self) -> list[python.Imported]:
        """Every imported name, in order."""
        return [] if self.tree is None else python.imports(self.tree)

    @cached_property
    def imports(self) -> dict[tuple[str | None, str, str | None], python.Imported]:
        """What it imports, by what and under which name."""
        return {item.key: item for item in self.imported}

    @cached_property
    def import_lines(self) -> frozenset[int]:
        """The lines (from 0) that belong to import statements."""
        return frozenset(i for item in self.imported for i in range(item.start, item.end))


def new_faults(before: Content, after: Content) -> list[python.Fault]:
    """Return the undefined names of ``after`` that ``before`` had not, counted by name."""
    if not after.faults.undefined:
        return []
    known = Counter(fault.name for fault in before.faults.undefined)
    fresh = []
    for fault in after.faults.undefined:
        if known[fault.name] > 0:
            known[fault.name] -= 1
        else:
            fresh.append(fault)
    return fresh


@dataclass(frozen=True, kw_only=True)
class Changed:
    """One file: ``a`` is the side that goes, ``b`` the side that comes, ``h`` today's, ``r`` the result."""

    path: str
    a: Content
    b: Content
    h: Content
    r: Content
    added: frozenset[int] = frozenset()
    removed: frozenset[int] = frozenset()

    @property
    def left(self) -> str | None:
        """Today's path, where the result has no such file any more: deleted, or renamed back."""
        moved = self.r.data is None or self.r.path != self.h.path
        return self.h.path if moved and self.h.data is not None else None
