"""What the keys of one table must be together: "exactly one of", "only with", "not before".

Works on the data as written and keeps quiet about values of a wrong type, which the tables themselves refuse; so a
mistake in one key hides none in another.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from syncbot.config.problems import Key, Problem, shown
from syncbot.config.reading import Document, array_of, table_of, tables_of
from syncbot.model.checks import PRESETS, REQUIRED, CheckKind

_Found = Iterator[Problem]
_Table = Mapping[str, Any]


def config_rules(config: Document) -> _Found:
    """Yield what is wrong within the tables of ``syncbot.toml``."""
    for name, table in tables_of(config.data, "forges"):
        yield from _forge(config, ("forges", name), table)
    for section in ("upstreams", "downstreams"):
        for name, table in tables_of(config.data, section):
            yield from _named_repo(config, (section, name), table)
    for name, table in tables_of(config.data, "pins"):
        yield from _pin(config, ("pins", name), table)
    owners: list[tuple[Key, _Table]] = [((), config.data)]
    owners += [(("downstreams", name), table) for name, table in tables_of(config.data, "downstreams")]
    for key, owner in owners:
        proposals = table_of(owner, "proposals")
        if isinstance(proposals.get("home"), dict):
            yield from _named_repo(config, (*key, "proposals", "home"), proposals["home"])


def manifest_rules(manifest: Document) -> _Found:
    """Yield what is wrong within the tables of ``patch.toml``."""
    data = manifest.data
    for name in ("introduced", "removed"):
        if isinstance(data.get(name), dict):
            yield from _named_change(manifest, (name,), data[name])
    for index, fix in enumerate(array_of(data, "fixes")):
        yield from _named_change(manifest, ("fixes", index), fix)
    for index, carrier in enumerate(array_of(data, "carried")):
        yield from _carrier(manifest, ("carried", index), carrier)
    yield from _carriers(manifest)
    removal = table_of(data, "removal")
    yield from _scope(manifest, removal)
    for index, check in enumerate(array_of(data, "checks")):
        yield from _check(manifest, ("checks", index), check)
    for index, edit in enumerate(array_of(removal, "edits")):
        yield from _edit(manifest, ("removal", "edits", index), edit)
    added, gone = _day(table_of(data, "introduced")), _day(table_of(data, "removed"))
    if added and gone and gone < added:
        yield manifest.problem(("removed", "date"), str(gone), f"a day not before it was introduced ({added})")


def _forge(config: Document, key: Key, table: _Table) -> _Found:
    kind = table.get("kind")
    for name in ("web", "api"):
        if _is_open_http(table.get(name)):
            todo = "a token sent over http can be read on the way"
            yield config.problem((*key, name), shown(table[name]), "an address that begins with https://", todo)
    if kind == "folder" and "path" not in table:
        yield config.problem((*key, "path"), "nothing", "`path`, the folder that takes the proposals", "add it")
    if kind in ("github", "git") and "path" in table:
        yield config.problem((*key, "path"), shown(table["path"]), '`path` only with kind = "folder"', "take it out")
    for name in ("api", "app"):
        if kind in ("folder", "git") and name in table:
            expected = f'`{name}` only with kind = "github"'
            yield config.problem((*key, name), shown(table[name]), expected, "take it out")
    if kind == "github" and key[-1] != "github" and "web" not in table:
        expected = "`web`, the address of the server, such as https://github.example.com"
        yield config.problem((*key, "web"), "nothing", expected, "add it")


def _is_open_http(value: object) -> bool:
    """Whether it is http to another machine; a server on this one is as good as https."""
    if not isinstance(value, str) or not value.lower().startswith("http://"):
        return False
    try:
        return urlsplit(value).hostname not in ("localhost", "127.0.0.1", "::1")
    except ValueError:
        return False


def _named_repo(config: Document, key: Key, table: _Table) -> _Found:
    if "repo" not in table and "url" not in table:
        todo = 'write repo = "owner/name", or url = "https://..." for any other git address'
        yield config.problem(key, _keys(table), "`repo` or `url`", todo)


def _maybe_repo(document: Document, key: Key, table: _Table) -> _Found:
    """A forge alone names no repository, and would be passed over in silence."""
    if "forge" in table and "repo" not in table and "url" not in table:
        expected = "`repo` or `url` beside `forge`"
        yield document.problem((*key, "forge"), shown(table["forge"]), expected, "add one, or take `forge` out")


def _pin(config: Document, key: Key, table: _Table) -> _Found:
    yield from _maybe_repo(config, key, table)
    by_text, by_link = "pattern" in table, "submodule" in table
    if by_text == by_link:
        todo = "`pattern` with `path` finds a text in a file, `submodule` names a gitlink"
        found = "both" if by_text else "neither"
        yield config.problem(key, found, "exactly one of `pattern` and `submodule`", todo)
    if by_text and "path" not in table:
        yield config.problem((*key, "path"), "nothing", "`path`, the file that `pattern` is looked for in", "add it")
    if by_link and not by_text:
        for name in ("path", "former_paths", "tag_format"):
            if name in table:
                expected = f"no `{name}` beside `submodule`, which names a commit by itself"
                yield config.problem((*key, name), shown(table[name]), expected, "take it out")


def _named_change(manifest: Document, key: Key, table: _Table) -> _Found:
    if "pull" not in table and "commit" not in table:
        yield manifest.problem(key, _keys(table), "`pull` or `commit`", "add the number or the full commit id")


def _carrier(manifest: Document, key: Key, table: _Table) -> _Found:
    yield from _maybe_repo(manifest, key, table)
    carried = table.get("carried", "in-tree")
    if carried in ("in-tree", "branch") and "patch" in table:
        expected = '`patch` only with carried = "patch-file"'
        yield manifest.problem((*key, "patch"), shown(table["patch"]), expected, "take it out")
    if carried == "branch" and "branch" not in table:
        yield manifest.problem((*key, "branch"), "nothing", "`branch`, the branch that has the commit", "add it")


def _carriers(manifest: Document) -> _Found:
    carriers = array_of(manifest.data, "carried")
    in_tree = not carriers or any(each.get("carried", "in-tree") == "in-tree" for each in carriers)
    if in_tree and "introduced" not in manifest.data:
        expected = "a table [introduced], as the workaround is in the downstream's tree"
        yield manifest.problem(("introduced",), "nothing", expected, "add its `pull` and `commit`")
    for index, carrier in enumerate(carriers):
        if len(carriers) > 1 and "name" not in carrier:
            expected = "`name` for each of several carriers"
            yield manifest.problem(("carried", index, "name"), "nothing", expected, 'add one, such as "release"')


def _scope(manifest: Document, removal: _Table) -> _Found:
    scope = removal.get("scope", "commit")
    for name in ("paths", "symbols", "edits"):
        if removal.get(name) and scope != name and isinstance(scope, str):
            expected = f'scope = "{name}" beside `{name}`'
            todo = f"set it, or take `{name}` out"
            yield manifest.problem(("removal", name), f"scope = {shown(scope)}", expected, todo)
    if scope in ("paths", "symbols", "edits") and not removal.get(scope) and removal.get("action") != "review":
        expected = f"`{scope}` that say what goes"
        todo = 'add them; only action = "review" may do without'
        yield manifest.problem(("removal", "scope"), f"scope = {shown(scope)} and no `{scope}`", expected, todo)


def _edit(manifest: Document, key: Key, table: _Table) -> _Found:
    kind = table.get("kind")
    if kind == "file":
        for name in ("target", "within", "count"):
            if name in table:
                expected = 'only `path` and `replace` beside kind = "file"'
                yield manifest.problem((*key, name), shown(table[name]), expected, "take it out")
    elif isinstance(kind, str) and "target" not in table:
        yield manifest.problem((*key, "target"), "nothing", f"`target`, the {kind} that is meant", "add it")
    if kind in ("function", "class", "test", "key") and "within" in table:
        expected = '`within` only with kind = "statement" or "import"'
        todo = "write the qualified name in `target`"
        yield manifest.problem((*key, "within"), shown(table["within"]), expected, todo)


def _check(manifest: Document, key: Key, table: _Table) -> _Found:
    """Without these a check asks nothing; a preset brings them."""
    kind = table.get("kind")
    if kind not in tuple(CheckKind) or "preset" in table or not PRESETS.get(CheckKind(kind)):
        return
    for name in REQUIRED[CheckKind(kind)]:
        if name not in table:
            todo = f"add it, or a preset: {', '.join(PRESETS[CheckKind(kind)])}"
            yield manifest.problem((*key, name), "nothing", f"`{name}` of a {kind} check", todo)


def _keys(table: _Table) -> str:
    return "only " + ", ".join(f"`{name}`" for name in table) if table else "an empty table"


def _day(change: _Table) -> datetime.date | None:
    value = change.get("date")
    return value if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime) else None
