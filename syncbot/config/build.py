"""Turns the checked tables into the values of `syncbot.model.project`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from syncbot.config.config_file import ConfigFile, DownstreamTable, ForgeTable, PinTable, ProposalsTable, RepoKeys
from syncbot.config.manifest_file import CarrierTable, ChangeTable, ManifestFile
from syncbot.model.project import (
    App,
    Carrier,
    Check,
    Downstream,
    Edit,
    FixClaim,
    Forge,
    Introduced,
    Marker,
    Note,
    Pin,
    Project,
    Proposals,
    Removal,
    Removed,
    Repo,
    Reports,
    Upstream,
    Workaround,
)
from syncbot.model.words import CarriedAs

GITHUB = Forge(
    name="github",
    kind="github",
    web="https://github.com",
    api="https://api.github.com",
    token_variable="GITHUB_TOKEN",  # noqa: S106 - the name of a variable
)
PLAIN_GIT = Forge(name="git", kind="git")
_SCP = re.compile(r"^(?:[^@/]+@)?(?P<host>[^:/]+):(?P<path>.+)$")


def project(root: Path, config: ConfigFile, manifests: Mapping[str, ManifestFile]) -> Project:
    """Return the project of a configuration and its manifests (by id), all of them already found right."""
    forges = {"github": GITHUB} | {name: _forge(name, table) for name, table in config.forges.items()}
    upstreams = {
        name: Upstream(
            name=name,
            repo=_repo(table, forges),
            branch=table.branch,
            tag_pattern=table.tag_pattern,
            ignore_tags=tuple(table.ignore_tags),
        )
        for name, table in config.upstreams.items()
    }
    downstreams = {name: _downstream(name, table, config, forges) for name, table in config.downstreams.items()}
    pins = {name: _pin(name, table, downstreams, forges) for name, table in config.pins.items()}
    return Project(
        root=str(root),
        upstreams=upstreams,
        downstreams=downstreams,
        pins=pins,
        workarounds=tuple(_workaround(id_, each, pins, forges) for id_, each in sorted(manifests.items())),
        forges=forges,
        proposals=_proposals(config.proposals, forges),
        archive_after_days=config.reports.archive_after_days,
        reports=Reports(title=config.reports.title, overdue_after_days=config.reports.overdue_after_days),
    )


def workarounds(manifests: Mapping[str, ManifestFile], project: Project) -> tuple[Workaround, ...]:
    """Return the workarounds of manifests (by id) that lie outside of the project, but name what it configures."""
    return tuple(_workaround(id_, each, project.pins, project.forges) for id_, each in sorted(manifests.items()))


def _forge(name: str, table: ForgeTable) -> Forge:
    if table.kind != "github":
        web = table.web.rstrip("/") if table.web else None
        return Forge(name=name, kind=table.kind, web=web, token_variable=table.token, path=table.path)
    web = (table.web or "https://github.com").rstrip("/")
    own_api = "https://api.github.com" if web == "https://github.com" else f"{web}/api/v3"
    api = (table.api or own_api).rstrip("/")
    token = table.token or GITHUB.token_variable
    app = App(**table.app.model_dump()) if table.app is not None else None
    return Forge(name=name, kind="github", web=web, api=api, token_variable=token, app=app)


def _repo(keys: RepoKeys, forges: Mapping[str, Forge]) -> Repo:
    if keys.repo is None:
        assert keys.url is not None
        host, slug = _host_and_path(keys.url)
        found = next((forge for forge in forges.values() if forge.web and urlsplit(forge.web).hostname == host), None)
        forge = forges[keys.forge] if keys.forge else found or PLAIN_GIT
        return Repo(url=keys.url, forge=forge, slug=slug if forge is found and "/" in slug else None)
    forge = forges[keys.forge or "github"]
    return Repo(url=keys.url or f"{forge.web}/{keys.repo}.git", forge=forge, slug=keys.repo)


def _host_and_path(url: str) -> tuple[str | None, str]:
    if "://" in url:
        parts = urlsplit(url)
        host, path = parts.hostname, parts.path
    else:
        match = _SCP.match(url)
        host, path = (match["host"].lower(), match["path"]) if match else (None, url)
    return host, path.strip("/").removesuffix(".git")


def _downstream(name: str, table: DownstreamTable, config: ConfigFile, forges: Mapping[str, Forge]) -> Downstream:
    own = None
    if table.proposals is not None:
        own = _proposals(_merged(config.proposals, table.proposals), forges)
    return Downstream(name=name, repo=_repo(table, forges), branch=table.branch, proposals=own)


def _merged(base: Any, over: Any) -> Any:
    """Return ``base`` with the keys that were written in ``over``; tables inside are merged the same way."""
    update = {
        name: _merged(getattr(base, name), getattr(over, name))
        if name in ("identity", "limits")
        else getattr(over, name)
        for name in over.model_fields_set
    }
    return base.model_copy(update=update)


def _proposals(table: ProposalsTable, forges: Mapping[str, Forge]) -> Proposals:
    limits = table.limits
    return Proposals(
        mode=table.mode,
        fork=table.fork,
        labels=tuple(table.labels),
        reviewers=tuple(table.reviewers),
        team_reviewers=tuple(table.team_reviewers),
        title=table.title,
        identity_name=table.identity.name,
        identity_email=table.identity.email,
        max_open=limits.max_open,
        max_writes=limits.max_writes,
        min_release_age_days=limits.min_release_age_days,
        max_distance=limits.max_distance,
        quiet_hours=limits.quiet_hours,
        stop_file=table.stop_file,
        stop_label=table.stop_label,
        templates=table.templates,
        dashboard=table.dashboard,
        home=_repo(table.home, forges) if table.home else None,
        results_max_distance=limits.results_max_distance,
        bundles={name: tuple(ids) for name, ids in table.bundles.items()},
        backlinks=table.backlinks,
        push_refresh=table.push_refresh,
        issue_comment=table.issue_comment,
    )


def _pin(name: str, table: PinTable, downstreams: Mapping[str, Downstream], forges: Mapping[str, Forge]) -> Pin:
    downstream = downstreams[table.downstream]
    elsewhere = table.repo is not None or table.url is not None
    return Pin(
        name=name,
        upstream=table.upstream,
        downstream=table.downstream,
        repo=_repo(table, forges) if elsewhere else downstream.repo,
        branch=table.branch or (None if elsewhere else downstream.branch),
        paths=(table.path, *table.former_paths) if table.path else (),
        pattern=table.pattern,
        submodule=table.submodule,
        gating=table.gating,
        tag_format=table.tag_format,
    )


def _workaround(id_: str, table: ManifestFile, pins: Mapping[str, Pin], forges: Mapping[str, Forge]) -> Workaround:
    removal = table.removal
    removed = table.removed
    return Workaround(
        id=id_,
        title=table.title,
        why=table.why.strip(),
        downstream=table.downstream,
        owner=table.owner,
        issue=table.issue,
        introduced=_introduced(table.introduced),
        carriers=tuple(_carrier(each, forges) for each in table.carried) or (Carrier(),),
        fixes=tuple(FixClaim(**each.model_dump()) for each in table.fixes),
        needs=table.needs,
        gate=_gate(table, pins),
        floor=table.gate.floor,
        removal=Removal(
            scope=removal.scope,
            action=removal.action,
            paths=tuple(removal.paths),
            symbols=tuple(removal.symbols),
            edits=tuple(Edit(**each.model_dump()) for each in removal.edits),
            markers=tuple(Marker(**each.model_dump()) for each in removal.markers),
            title=removal.title,
            labels=tuple(removal.labels),
            restore=removal.restore,
        ),
        removed=Removed(pull=removed.pull, commit=removed.commit, date=removed.date) if removed else None,
        checks=tuple(_check(each.model_dump(exclude_unset=True)) for each in table.checks),
        notes=tuple(Note(**each.model_dump()) for each in table.notes),
    )


def _introduced(table: ChangeTable | None) -> Introduced:
    return Introduced(pull=table.pull, commit=table.commit, date=table.date) if table else Introduced()


def _gate(table: ManifestFile, pins: Mapping[str, Pin]) -> tuple[str, ...]:
    """The pins that are named, or every gating pin of the downstream and of the upstreams that are waited for."""
    if table.gate.pins:
        return tuple(table.gate.pins)
    waited = {fix.upstream for fix in table.fixes}
    return tuple(
        pin.name
        for pin in pins.values()
        if pin.gating and pin.downstream == table.downstream and (not waited or pin.upstream in waited)
    )


def _carrier(table: CarrierTable, forges: Mapping[str, Forge]) -> Carrier:
    named = table.repo is not None or table.url is not None
    patch = table.patch or ("change.patch" if table.carried is CarriedAs.PATCH_FILE else None)
    return Carrier(
        carried=table.carried,
        name=table.name,
        branch=table.branch,
        patch=PurePosixPath(patch) if patch else None,
        repo=_repo(table, forges) if named else None,
        pins=tuple(table.pins),
    )


def _check(values: dict[str, Any]) -> Check:
    """Only what was written is handed on: defaults are the business of the checks."""
    name, kind, required = values.pop("name"), values.pop("kind"), values.pop("required", True)
    return Check(name=name, kind=kind, required=required, options=values)
