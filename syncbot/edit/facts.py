"""What a Python file defines for others and asks of them: what the search for uses needs. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from syncbot.edit.python import FUNCTION, Imported


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes: ``names`` in order, how many of them by position, and whether it takes anything."""

    names: tuple[str, ...]
    positional: int
    required: frozenset[str]
    star: bool
    double_star: bool

    def takes(self, keyword: str) -> bool:
        """Whether ``keyword`` may be passed by name."""
        return self.double_star or keyword in self.names


@dataclass(frozen=True, slots=True)
class Definition:
    """A name a file gives to others. ``owner`` is the class of a method, or the function of a parameter."""

    kind: str
    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call: the last name of what is called and what it is called on (None: a plain name, "" something longer).

    ``owner`` is the class where it is called on ``self``; then its keywords, how many plain arguments, and whether it
    unpacks any.
    """

    name: str
    on: str | None
    owner: str | None
    keywords: tuple[str, ...]
    positional: int
    unpacks: bool
    line: int
    end: int


@dataclass(frozen=True, slots=True)
class Read:
    """An attribute that is read: on which plain name, if any, and of which class where that name is ``self``."""

    name: str
    line: int
    on: str | None
    owner: str | None


@dataclass(slots=True)
class Facts:
    """Everything the search for uses needs of one file. Lines count from 0."""

    definitions: dict[Definition, int] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    bases: dict[str, bool] = field(default_factory=dict)
    attributes: list[Read] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    strings: list[tuple[str, int]] = field(default_factory=list)
    asked: list[tuple[str, int, str]] = field(default_factory=list)
    parametrized: dict[str, frozenset[str]] = field(default_factory=dict)
    imports: list[Imported] = field(default_factory=list)


def read(tree: ast.Module, imported: list[Imported]) -> Facts:
    """Return what the file defines and what it asks for; ``imported`` is what `imports` says of it."""
    found = Facts(imports=imported)
    for item in found.imports:
        if item.top:
            found.definitions.setdefault(Definition("import", "", item.bound), item.start)
    _Reader(found).visit(tree)
    return found


class _Reader(ast.NodeVisitor):
    """Fills a `Facts`; ``where`` is the qualified name of the scope it is in, ``owner`` the class around it."""

    def __init__(self, found: Facts) -> None:
        self.found = found
        self.where = ""
        self.owner = ""
        self.local = False

    def _define(self, kind: str, owner: str, name: str, node: ast.AST) -> None:
        self.found.definitions.setdefault(Definition(kind, owner, name), node.lineno - 1)  # type: ignore[attr-defined]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Define a class and what is in it."""
        if not self.local:
            self._define("class", self.owner, node.name, node)
        name = f"{self.where}.{node.name}".lstrip(".")
        self.found.bases[name] = any(not (isinstance(base, ast.Name) and base.id == "object") for base in node.bases)
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        self._inside(node.body, where=name, owner=name, local=self.local)
        if not self.local and not any(isinstance(part, FUNCTION) and part.name == "__init__" for part in node.body):
            fields = [
                part for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            ]
            if fields and node.decorator_list:
                names = tuple(part.target.id for part in fields)  # type: ignore[union-attr]
                needed = frozenset(part.target.id for part in fields if part.value is None)  # type: ignore[union-attr]
                self.found.signatures[name] = Signature(names, len(names), needed, False, bool(node.bases))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Define a function, its parameters, and what it asks for."""
        name = f"{self.where}.{node.name}".lstrip(".")
        method = bool(self.owner) and self.owner == self.where
        if not self.local:
            fixture = any("fixture" in _last_name(part) for part in node.decorator_list)
            self._define("fixture" if fixture else "method" if method else "function", self.owner, node.name, node)
        static = any(isinstance(part, ast.Name) and part.id == "staticmethod" for part in node.decorator_list)
        signature = _signature(node.args, bound=method and not static)
        if not self.local:
            target = self.owner if method and node.name == "__init__" else name
            self.found.signatures[target] = signature
            for parameter in signature.names:
                self._define("parameter", target, parameter, node)
        for parameter in signature.names:
            self.found.asked.append((parameter, node.lineno - 1, node.name))
        self.found.parametrized[name] = frozenset(_parametrized(node))
        for part in [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]:
            self.visit(part)
        self._inside(node.body, where=name, owner=self.owner, local=True)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Treat it as any function."""
        self.visit_FunctionDef(node)

    def _inside(self, body: list[ast.stmt], *, where: str, owner: str, local: bool) -> None:
        before = self.where, self.owner, self.local
        self.where, self.owner, self.local = where, owner, local
        for part in body:
            self.visit(part)
        self.where, self.owner, self.local = before

    def visit_Name(self, node: ast.Name) -> None:
        """Define what is assigned outside functions."""
        if isinstance(node.ctx, ast.Store) and not self.local:
            self._define("attribute" if self.owner else "variable", self.owner, node.id, node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note what is read, and define what is set on ``self``."""
        on = node.value.id if isinstance(node.value, ast.Name) else None
        if isinstance(node.ctx, ast.Load):
            self.found.attributes.append(
                Read(node.attr, node.lineno - 1, on, self.owner if on in ("self", "cls") else None)
            )
        elif on in ("self", "cls") and self.owner:
            self._define("attribute", self.owner, node.attr, node)
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        """Note a call; an option of argparse is a definition."""
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        if name:
            unpacks = any(isinstance(part, ast.Starred) for part in node.args) or any(
                part.arg is None for part in node.keywords
            )
            keywords = tuple(part.arg for part in node.keywords if part.arg is not None)
            on = None
            if isinstance(called, ast.Attribute):
                on = called.value.id if isinstance(called.value, ast.Name) else ""
            owner = self.owner if on in ("self", "cls") else None
            self.found.calls.append(
                Call(
                    name, on, owner, keywords, len(node.args), unpacks, node.lineno - 1, node.end_lineno or node.lineno
                )
            )
        if name == "add_argument":
            for part in node.args:
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.startswith("--"):
                    self._define("option", "", part.value.lstrip("-").replace("-", "_"), part)
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        """Define the keys that are names."""
        for key in node.keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier():
                self._define("key", "", key.value, key)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Note short strings: they may name things."""
        if isinstance(node.value, str) and 2 < len(node.value) < 200 and "\n" not in node.value:
            self.found.strings.append((node.value, node.lineno - 1))


def _signature(args: ast.arguments, *, bound: bool) -> Signature:
    positional = [*args.posonlyargs, *args.args]
    defaults = len(args.defaults)
    needed = {arg.arg for arg in (positional[:-defaults] if defaults else positional)}
    needed |= {arg.arg for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value is None}
    if bound:
        needed -= {arg.arg for arg in positional[:1]}
        positional = positional[1:]
    names = tuple(arg.arg for arg in [*positional, *args.kwonlyargs])
    return Signature(names, len(positional), frozenset(needed), args.vararg is not None, args.kwarg is not None)


def _last_name(decorator: ast.expr) -> str:
    """Return the last name of a decorator, called or not: ``fixture`` of ``@pytest.fixture(scope="module")``."""
    while isinstance(decorator, ast.Call):
        decorator = decorator.func
    return decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")


def _parametrized(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute) and decorator.args:
            first = decorator.args[0]
            if decorator.func.attr == "parametrize":
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield from (name.strip() for name in first.value.split(","))
                elif isinstance(first, ast.Tuple | ast.List):
                    for part in first.elts:
                        if isinstance(part, ast.Constant) and isinstance(part.value, str):
                            yield part.value
