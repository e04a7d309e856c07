"""Python edits on LibCST's tree. Heavy to import, so `syncbot.edit.declared` does so only for such edits."""

from __future__ import annotations

import libcst

from syncbot.edit.lines import normal
from syncbot.model.project import Edit


def edit(declared: Edit, data: bytes) -> tuple[int, bytes]:
    """Return how many places matched, and the new content. Raises ValueError where LibCST cannot read it."""
    try:
        module = libcst.parse_module(data)
        visitor = Transformer(declared, module)
        changed = module.visit(visitor)
    except libcst.ParserSyntaxError as error:
        raise ValueError(f"LibCST cannot read it: {error.message}") from error
    return visitor.matched, changed.bytes if visitor.matched else data


_Replaced = libcst.FlattenSentinel[libcst.BaseStatement] | libcst.RemovalSentinel
_Statement = libcst.BaseStatement | _Replaced
_Small = libcst.BaseSmallStatement | libcst.FlattenSentinel[libcst.BaseSmallStatement] | libcst.RemovalSentinel


class Transformer(libcst.CSTTransformer):
    """Counts and changes the places of one edit."""

    def __init__(self, edit: Edit, module: libcst.Module) -> None:
        super().__init__()
        self.edit = edit
        self.module = module
        self.matched = 0
        self.scope: list[str] = []
        self.new = _body(edit.replace) if edit.replace is not None else []
        self.wanted = normal(edit.target.encode())

    def _replaced(self, old: libcst.BaseStatement) -> _Replaced:
        """Count a place; what is put there keeps the comments and blank lines that stood above, a deletion does not."""
        self.matched += 1
        if not self.new:
            return libcst.RemoveFromParent()
        first, *rest = self.new
        above = (*getattr(old, "leading_lines", ()), *getattr(first, "leading_lines", ()))
        return libcst.FlattenSentinel([first.with_changes(leading_lines=above), *rest])

    def visit_FunctionDef(self, node: libcst.FunctionDef) -> None:
        """Enter a function."""
        self.scope.append(node.name.value)

    def visit_ClassDef(self, node: libcst.ClassDef) -> None:
        """Enter a class."""
        self.scope.append(node.name.value)

    def leave_FunctionDef(self, original_node: libcst.FunctionDef, updated_node: libcst.FunctionDef) -> _Statement:
        """Leave a function, or take it out."""
        return self._leave_scope(("function", "test"), original_node, updated_node)

    def leave_ClassDef(self, original_node: libcst.ClassDef, updated_node: libcst.ClassDef) -> _Statement:
        """Leave a class, or take it out."""
        return self._leave_scope(("class", "test"), original_node, updated_node)

    def _leave_scope(
        self, kinds: tuple[str, ...], old: libcst.FunctionDef | libcst.ClassDef, new: libcst.BaseStatement
    ) -> _Statement:
        name = ".".join(self.scope)
        self.scope.pop()
        if self.edit.kind in kinds and name == self.edit.target:
            return self._replaced(old)
        return self._statement(old, new)

    def _inside(self) -> bool:
        within = self.edit.within
        name = ".".join(self.scope)
        return within is None or name == within or name.startswith(within + ".")

    def _statement(self, old: libcst.BaseStatement, new: libcst.BaseStatement) -> _Statement:
        if self.edit.kind == "statement" and self._inside():
            bare = old.with_changes(leading_lines=()) if hasattr(old, "leading_lines") else old
            if isinstance(bare, libcst.SimpleStatementLine):
                bare = bare.with_changes(trailing_whitespace=libcst.TrailingWhitespace())
            if normal(self.module.code_for_node(bare).encode()) == self.wanted:
                return self._replaced(old)
        return new

    def leave_SimpleStatementLine(
        self, original_node: libcst.SimpleStatementLine, updated_node: libcst.SimpleStatementLine
    ) -> _Statement:
        """Leave a line of statements, or take it out."""
        return self._statement(original_node, updated_node)

    def leave_If(self, original_node: libcst.If, updated_node: libcst.If) -> _Statement:
        """Leave an ``if``, or take it out."""
        return self._statement(original_node, updated_node)

    def leave_For(self, original_node: libcst.For, updated_node: libcst.For) -> _Statement:
        """Leave a ``for``, or take it out."""
        return self._statement(original_node, updated_node)

    def leave_With(self, original_node: libcst.With, updated_node: libcst.With) -> _Statement:
        """Leave a ``with``, or take it out."""
        return self._statement(original_node, updated_node)

    def leave_Try(self, original_node: libcst.Try, updated_node: libcst.Try) -> _Statement:
        """Leave a ``try``, or take it out."""
        return self._statement(original_node, updated_node)

    def leave_Import(self, original_node: libcst.Import, updated_node: libcst.Import) -> _Small:  # noqa: ARG002
        """Leave an import, or take names out of it."""
        return self._import("", updated_node)

    def leave_ImportFrom(self, original_node: libcst.ImportFrom, updated_node: libcst.ImportFrom) -> _Small:
        """Leave an import, or take names out of it."""
        dots = "." * len(original_node.relative)
        module = self.module.code_for_node(original_node.module) if original_node.module else ""
        return self._import(f"{dots}{module}.", updated_node)

    def _import(self, prefix: str, new: libcst.Import | libcst.ImportFrom) -> _Small:
        names = new.names
        if self.edit.kind != "import" or isinstance(names, libcst.ImportStar) or not self._inside():
            return new
        kept = [alias for alias in names if prefix + self.module.code_for_node(alias.name) != self.edit.target]
        if len(kept) == len(names):
            return new
        self.matched += len(names) - len(kept)
        if not kept:
            return libcst.RemoveFromParent()
        kept[-1] = kept[-1].with_changes(comma=names[-1].comma)
        return new.with_changes(names=kept)


def _body(source: str) -> list[libcst.BaseStatement]:
    """Return the statements of ``source``; comments above the first belong to it, not to a file's head."""
    module = libcst.parse_module(source)
    found: list[libcst.BaseStatement] = list(module.body)
    if found and module.header:
        above = (*module.header, *getattr(found[0], "leading_lines", ()))
        found[0] = found[0].with_changes(leading_lines=above)
    return found
