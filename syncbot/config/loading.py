"""Reads a project from its folder: ``syncbot.toml`` and ``patches/<id>/patch.toml``, every problem in one go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from syncbot.config import build
from syncbot.config.config_file import ConfigFile
from syncbot.config.explain import explain
from syncbot.config.fields import ref_is_safe
from syncbot.config.links import config_problems, manifest_problems
from syncbot.config.manifest_file import ManifestFile
from syncbot.config.problems import Problem, in_order, shown
from syncbot.config.reading import Document, read_toml
from syncbot.config.rules import config_rules, manifest_rules
from syncbot.model.errors import UsageError
from syncbot.model.project import Project, Workaround
from syncbot.model.words import CarriedAs

CONFIG_NAME = "syncbot.toml"
MANIFEST_NAME = "patch.toml"
PATCHES = "patches"
ARCHIVE = "archive"

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(slots=True)
class _Loading:
    root: Path
    problems: list[Problem] = field(default_factory=list)
    config: ConfigFile | None = None
    manifests: dict[str, ManifestFile] = field(default_factory=dict)


def load_project(path: Path) -> Project:
    """Return the project at ``path``, its folder or its ``syncbot.toml``.

    Raises `UsageError` with one line for each problem of each file.
    """
    project, problems = read_project(path)
    if project is None:
        raise UsageError(*(str(each) for each in problems))
    return project


def load_archived(project: Project) -> tuple[tuple[Workaround, ...], tuple[str, ...]]:
    """Return the workarounds in ``patches/archive/`` that were one carried patch, and a line for each unreadable one.

    They are not the project's any more; but a pin may fall back and need the patch again. One that names what is no
    longer configured is passed over, as is one whose id is in use.
    """
    known = {each.id for each in project.workarounds}
    found: dict[str, ManifestFile] = {}
    unreadable: list[str] = []
    folder = Path(project.root) / PATCHES / ARCHIVE
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        label = f"{PATCHES}/{ARCHIVE}/{place.name}/{MANIFEST_NAME}"
        if place.name in known or not is_id(place.name) or not (place / MANIFEST_NAME).is_file():
            continue
        read = read_toml(place / MANIFEST_NAME, label, missing="")
        if isinstance(read, Problem):
            unreadable.append(str(read))
            continue
        try:
            manifest = ManifestFile.model_validate(read.data)
        except ValidationError:
            unreadable.append(f"{label}: it is not a manifest of today's form, so its patch is not watched")
            continue
        carried = [each.carried for each in manifest.carried if each.repo is None and each.url is None]
        named = {*manifest.gate.pins, *(pin for each in manifest.carried for pin in each.pins)}
        upstreams = {each.upstream for each in manifest.fixes}
        there = manifest.downstream in project.downstreams and named <= set(project.pins)
        if carried == [CarriedAs.PATCH_FILE] and there and upstreams <= set(project.upstreams):
            found[place.name] = manifest
    return build.workarounds(found, project), tuple(unreadable)


def check_project(path: Path) -> list[Problem]:
    """Return every problem of the project at ``path``, by file and line; empty when `load_project` would succeed."""
    return read_project(path)[1]


def read_project(path: Path) -> tuple[Project | None, list[Problem]]:
    """Return the project and no problems, or no project and every problem."""
    loading = _load(path)
    if loading.problems or loading.config is None:
        return None, in_order(loading.problems)
    return build.project(loading.root, loading.config, loading.manifests), []


def _load(path: Path) -> _Loading:
    file = path / CONFIG_NAME if path.is_dir() else path
    loading = _Loading(root=file.parent.absolute())
    config = _keep(read_toml(file, file.name, missing="run `syncbot init` to make one"), loading)
    folders = {each.name: each for each in _folders(loading)}
    no_manifest = f"name the manifest {MANIFEST_NAME}, or take the folder away"
    documents = {
        name: _keep(
            read_toml(folder / MANIFEST_NAME, f"{PATCHES}/{name}/{MANIFEST_NAME}", missing=no_manifest), loading
        )
        for name, folder in folders.items()
    }
    if config is not None:
        loading.config = _checked(ConfigFile, config, loading)
        loading.problems += config_rules(config)
        loading.problems += config_problems(config, set(folders), loading.root)
    for name, document in documents.items():
        if document is None:
            continue
        manifest = _checked(ManifestFile, document, loading)
        if manifest is not None:
            loading.manifests[name] = manifest
        loading.problems += manifest_rules(document)
        loading.problems += manifest_problems(document, config, folders[name])
    return loading


def _keep(read: Document | Problem, loading: _Loading) -> Document | None:
    if isinstance(read, Problem):
        loading.problems.append(read)
        return None
    return read


def _checked(model: type[_Model], document: Document, loading: _Loading) -> _Model | None:
    try:
        return model.model_validate(document.data)
    except ValidationError as error:
        loading.problems += explain(error, model, document)
        return None


def _folders(loading: _Loading) -> Iterator[Path]:
    """Yield the folders of workarounds; anything else in ``patches/`` may be a slip and becomes a problem."""
    patches = loading.root / PATCHES
    seen: dict[str, str] = {}
    try:
        entries = sorted(patches.iterdir()) if patches.is_dir() else []
    except OSError as error:
        found = f"a folder that cannot be read ({error.strerror})"
        loading.problems.append(Problem(file=PATCHES, found=found, expected="the folder of the manifests"))
        return
    for entry in entries:
        label = f"{PATCHES}/{entry.name}"
        if entry.name.startswith(".") or entry.name == ARCHIVE:
            continue
        if not entry.is_dir():
            if entry.suffix == ".toml":
                expected = f"a folder that holds {MANIFEST_NAME}"
                todo = f"move it to {PATCHES}/{entry.stem}/{MANIFEST_NAME}"
                loading.problems.append(Problem(file=label, found="a file", expected=expected, todo=todo))
            continue
        if not is_id(entry.name):
            expected = "a folder name of letters, digits, '-', '_' and '.': it is the workaround's id"
            loading.problems.append(Problem(file=label, found=shown(entry.name), expected=expected, todo="rename it"))
        elif entry.name.casefold() in seen:
            found = f"{shown(entry.name)}, which differs from {shown(seen[entry.name.casefold()])} only by case"
            expected = "ids that stay apart on any file system"
            loading.problems.append(Problem(file=label, found=found, expected=expected, todo="rename one"))
        else:
            seen[entry.name.casefold()] = entry.name
            yield entry


def is_id(name: str) -> bool:
    """Return whether ``name`` can be the id of a workaround: a folder's name that can stand in a branch name."""
    return name.isascii() and all(char.isalnum() or char in "-_." for char in name) and ref_is_safe(name)
