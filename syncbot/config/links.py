"""What no single table can tell: names that lead nowhere, things that stand twice, files that are not there.

Works on the data as written, so that a mistake elsewhere in a file hides nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from syncbot.config.problems import Key, Problem, did_you_mean, one_of, shown
from syncbot.config.reading import Document, array_of, table_of, tables_of

_Found = Iterator[Problem]


def config_problems(config: Document, ids: set[str], root: Path) -> _Found:
    """Yield what is wrong between the tables of ``syncbot.toml``; ``ids`` are those of the manifests there are."""
    forges = {"github", *table_of(config.data, "forges")}
    for section in ("upstreams", "downstreams", "pins"):
        for name, table in tables_of(config.data, section):
            yield from _reference(config, (section, name, "forge"), table.get("forge"), forges, "[forges]")
            yield from _repo_problems(config, (section, name), table)
    for name, table in tables_of(config.data, "pins"):
        for key, section in (("upstream", "upstreams"), ("downstream", "downstreams")):
            known = set(table_of(config.data, section))
            yield from _reference(config, ("pins", name, key), table.get(key), known, f"[{section}]")
    yield from _proposals_problems(config, ("proposals",), table_of(config.data, "proposals"), ids, root)
    for name, table in tables_of(config.data, "downstreams"):
        yield from _proposals_problems(
            config, ("downstreams", name, "proposals"), table_of(table, "proposals"), ids, root
        )


def manifest_problems(manifest: Document, config: Document | None, folder: Path) -> _Found:
    """Yield what a manifest names that ``syncbot.toml`` or its folder lacks, and what stands in it twice."""
    data = manifest.data
    if config is not None:
        yield from _manifest_references(manifest, config)
    yield from _doubles(manifest, "fixes", ("upstream", "pull"))
    yield from _doubles(manifest, "fixes", ("upstream", "commit"))
    yield from _doubles(manifest, "checks", ("name",))
    yield from _doubles(manifest, "carried", ("name",))
    removal = table_of(data, "removal")
    yield from _doubles(manifest, "markers", ("path", "text"), ("removal",), removal)
    yield from _doubles(manifest, "edits", ("path", "kind", "target", "within"), ("removal",), removal)
    for index, carrier in enumerate(array_of(data, "carried")):
        patch = carrier.get("patch", "change.patch")
        if carrier.get("carried") == "patch-file" and isinstance(patch, str) and not _is_file(folder, patch):
            todo = "put the patch there"
            yield manifest.problem(("carried", index, "patch"), shown(patch), "a file beside the manifest", todo)


def _manifest_references(manifest: Document, config: Document) -> _Found:
    data = manifest.data
    upstreams, pins = set(table_of(config.data, "upstreams")), table_of(config.data, "pins")
    downstreams = set(table_of(config.data, "downstreams"))
    yield from _reference(manifest, ("downstream",), data.get("downstream"), downstreams, "[downstreams]")
    for index, fix in enumerate(array_of(data, "fixes")):
        yield from _reference(manifest, ("fixes", index, "upstream"), fix.get("upstream"), upstreams, "[upstreams]")
    forges = {"github", *table_of(config.data, "forges")}
    named: list[tuple[Key, object]] = [(("gate", "pins"), table_of(data, "gate").get("pins"))]
    for index, carrier in enumerate(array_of(data, "carried")):
        yield from _reference(manifest, ("carried", index, "forge"), carrier.get("forge"), forges, "[forges]")
        named.append((("carried", index, "pins"), carrier.get("pins")))
    for key, names in named:
        for index, name in enumerate(names if isinstance(names, list) else ()):
            yield from _reference(manifest, (*key, index), name, set(pins), "[pins]")
            if isinstance(name, str):
                yield from _pin_fits(manifest, config, (*key, index), name)


def _pin_fits(manifest: Document, config: Document, key: Key, name: str) -> _Found:
    """A gate of another project would never open. Names that lead nowhere are told where they stand, not here again."""
    pin = table_of(table_of(config.data, "pins"), name)
    downstream, other = manifest.data.get("downstream"), pin.get("downstream")
    if downstream != other and _are_all_in(config, "downstreams", [downstream, other]):
        found = f"{shown(name)}, a pin of {shown(other)}"
        yield manifest.problem(key, found, f"a pin of this workaround's downstream, {shown(downstream)}")
    waited = [fix.get("upstream") for fix in array_of(manifest.data, "fixes")]
    upstream = pin.get("upstream")
    if waited and upstream not in waited and _are_all_in(config, "upstreams", [*waited, upstream]):
        found = f"{shown(name)}, a pin of {shown(upstream)}"
        expected = f"a pin of an upstream that a fix is in, {one_of(sorted({str(each) for each in waited}))}"
        yield manifest.problem(key, found, expected)


def _are_all_in(config: Document, section: str, names: list[object]) -> bool:
    return all(isinstance(name, str) and name in table_of(config.data, section) for name in names)


def _proposals_problems(config: Document, key: Key, table: Mapping[str, Any], ids: set[str], root: Path) -> _Found:
    home = table_of(table, "home")
    forges = {"github", *table_of(config.data, "forges")}
    yield from _reference(config, (*key, "home", "forge"), home.get("forge"), forges, "[forges]")
    bundled: Counter[str] = Counter()
    for name, members in table_of(table, "bundles").items():
        for index, member in enumerate(members if isinstance(members, list) else ()):
            place = (*key, "bundles", name, index)
            yield from _reference(config, place, member, ids, "the folders of patches/")
            bundled[str(member)] += 1
            if bundled[str(member)] == 2:
                yield config.problem(place, f"{shown(member)} a second time", "each workaround in one bundle at most")
    folder = table.get("templates")
    if isinstance(folder, str) and ".." not in folder and "\0" not in folder and not (root / folder).is_dir():
        yield config.problem(
            (*key, "templates"), shown(folder), "a folder that is there", "make it, or take the key out"
        )


def _repo_problems(config: Document, key: Key, table: Mapping[str, Any]) -> _Found:
    """A slug must mean something on its forge."""
    slug, name = table.get("repo"), table.get("forge", "github")
    if not isinstance(slug, str) or not isinstance(name, str):
        return
    forge = table_of(table_of(config.data, "forges"), name)
    kind = forge.get("kind", "github" if name == "github" else None)
    if kind == "github" and slug.count("/") > 1:
        yield config.problem((*key, "repo"), shown(slug), "owner/name, as GitHub has it")
    if kind == "folder" and "url" not in table:
        expected = f"`url` beside `repo`, because forge {shown(name)} is a folder"
        yield config.problem((*key, "url"), "nothing", expected, "add it")
    if kind == "git" and "url" not in table and "web" not in forge:
        expected = f"`url` here, or `web` in [forges.{name}] to find the repository below"
        yield config.problem((*key, "url"), "nothing", expected, "add one of them")


def _reference(document: Document, key: Key, name: object, known: set[str], where: str) -> _Found:
    if isinstance(name, str) and name not in known:
        expected = f"{one_of(sorted(known))} ({where})" if known else f"a name of {where}, which has none"
        yield document.problem(key, shown(name), expected, did_you_mean(name, known))


def _doubles(
    document: Document, name: str, keys: tuple[str, ...], at: Key = (), data: Mapping[str, Any] | None = None
) -> _Found:
    seen: dict[tuple[str, ...], int] = {}
    for index, table in enumerate(array_of(document.data if data is None else data, name)):
        values = tuple(json.dumps(table[key], default=str) if key in table else "" for key in keys)
        if keys[-1] != "within" and not values[-1]:
            continue
        if values in seen:
            found = f"the same {' and '.join(f'`{key}`' for key in keys)} as {name}[{seen[values]}]"
            todo = "give it a name of its own" if keys == ("name",) else "take one out"
            yield document.problem((*at, name, index), found, f"each of `{name}` once", todo)
        seen.setdefault(values, index)


def _is_file(folder: Path, path: str) -> bool:
    """Whether the file is there; a path that leads out of the folder is refused elsewhere."""
    try:
        return path.startswith("/") or ".." in path or (folder / path).is_file()
    except (OSError, ValueError):
        return False
