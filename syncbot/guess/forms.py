"""The forms in which files say what they are built with.

A form is an expression with the groups ``lead`` (what stands before the ref and tells it from others), ``ref``, and
perhaps ``gap`` (text inside the lead or the tail that may change), ``tail`` (what must follow) and ``op``.
"""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.guess.names import Names

REF = r"[0-9A-Za-z][\w.+/-]*"
WORDS = r"(?:BRANCH|VERSION|COMMIT(?:_(?:ID|SHA|HASH))?|REF|TAG|SHA|REV|REVISION|HASH|CHECKOUT|VER|PIN)"
REQUIREMENT = "a requirement"
_VERSION = r"v?\d[\w.!+-]*"
_YAML = r"\.ya?ml$"
# Where Python's requirements stand, alone or in commands that install them.
_INSTALLS = r"(?:\.txt|\.in|\.py|\.cfg|\.toml|\.ya?ml|\.sh|\.nix|\.bat|\.ps1|file[^/]*)$"


@dataclass(frozen=True, slots=True)
class Form:
    """``how`` is told to people; ``files``: where it is looked for; ``exact`` None: its operator decides."""

    how: str
    expression: str
    files: str = ""
    exact: bool | None = True
    gap: str = ""


def forms(names: Names) -> list[Form]:
    """Every form, for an upstream of these names. Of two that read one place the first counts."""
    return [*_locks(names), *_dependencies(names), *_clones(names), *_addresses(names), *_variables(names)]


def _locks(names: Names) -> list[Form]:
    how, package = "a version in a lock file", names.package
    return [
        Form(how, rf'^(?P<lead>name = "{package}"\nversion = ")(?P<ref>[^"\n]+)', r"\.lock$"),
        Form(
            how,
            rf'^(?P<lead>[ ]*"(?:node_modules/)?{package}": \{{\s*"version": ")(?P<ref>[^"\n]+)',
            r"(?:lock|shrinkwrap)\.json$",
        ),
        Form(how, rf'^(?P<lead>"?{package}@[^\n]*:\n  version:? "?)(?P<ref>[^"\s]+)', r"yarn\.lock$"),
        Form(how, rf"^(?P<lead>  ['\"]?/?{package}@)(?P<ref>\d[^:('\"\s]*)", r"pnpm-lock\.yaml$"),
    ]


def _dependencies(names: Names) -> list[Form]:
    url, package = names.url, names.package
    module = rf"(?:require)?[ \t]*{names.module}(?:/v\d+)? "
    inside = r"[^}\n]{0,300}?"
    table = rf"(?P<gap>{inside})"
    key = rf"^(?P<lead>\s*[\"']?{package}[\"']?\s*"
    return [
        Form(
            "a commit of a Go module",
            rf"^(?P<lead>{module}v[\d.]+-(?P<gap>[\w.]*?\d{{14}})-)(?P<ref>[0-9a-f]{{12}})\b",
            r"go\.mod$",
            gap=r"[\w.]*",
        ),
        Form("a version of a Go module", rf"^(?P<lead>{module})(?P<ref>v\d[^\s-]*)(?=\s)", r"go\.mod$"),
        Form(
            "a commit or tag of a dependency",
            key + rf"=\s*\{{(?P<gap>{inside}{url}{inside})\b(?:tag|rev|branch|ref)\s*=\s*\")(?P<ref>[^\"\n]+)",
            r"\.toml$",
            gap=inside,
        ),
        Form(
            "a version of a dependency",
            key + rf"[=:]\s*(?:\{{{table}\bversion\s*=\s*)?[\"'](?P<op>[\^~><= ]*))(?P<ref>{_VERSION})(?=[\"',])",
            r"(?:\.toml|package\.json|Pipfile)$",
            exact=None,
            gap=inside,
        ),
        Form(
            REQUIREMENT,
            rf"(?P<lead>(?<![\w./@-]){package}(?:\[[^\]\n]*\])?\s*(?P<op>===|==|~=|>=|>)\s*)"
            rf"(?P<ref>{_VERSION}(?:\.\*)?)",
            _INSTALLS,
            exact=None,
        ),
        Form(
            "a conda package",
            rf"^(?P<lead>\s*-\s*{package}\s*=\s*)(?P<ref>\d[\w.]*)",
            r"(?:environment|conda|meta)[^/]*\.ya?ml$",
        ),
        Form("a module of Bazel", rf"(?P<lead>bazel_dep\(name = \"{package}\", version = \")(?P<ref>[^\"\n]+)"),
    ]


def _clones(names: Names) -> list[Form]:
    url = names.url
    line = r"(?:(?!git clone)(?:\\\n|[^\n])){0,300}?"  # bounded, as all gaps: a file may be one endless line
    rest = r"(?:(?!git clone)[\s\S]){0,300}?"
    keys = r"(?:[ \t]+[^\n]*\n){0,4}?"
    call = r"[^()]{0,300}?"
    return [
        Form(
            "the branch of a clone",
            rf"(?P<lead>git clone\b{line}(?:--branch|-b)[ =][\"']?)(?P<ref>{REF})(?P<tail>[\"']?(?P<gap>{line}){url})",
            gap=line,
        ),
        Form(
            "a checkout after a clone",
            rf"(?P<lead>{url}(?P<gap>{rest})git (?:-C \S+ )?(?:checkout|reset --hard|switch --detach)(?: -[\w-]+)* "
            rf"[\"']?)(?P<ref>{REF})",
            gap=rest,
        ),
        Form(
            "a repository that CMake fetches",
            rf"(?P<lead>GIT_REPOSITORY\s+[\"']?[^\s\"']*{url}[\"']?\s+GIT_TAG\s+[\"']?)(?P<ref>{REF})",
        ),
        Form(
            "a repository that a workflow checks out",
            rf"(?P<lead>\brepository:\s*[\"']?{url}[\"']?[^\n]*\n(?P<gap>{keys})\s*ref:\s*[\"']?)(?P<ref>{REF})",
            _YAML,
            gap=keys,
        ),
        Form(
            "a repository that a build fetches",
            rf"(?P<lead>\b(?:remote|url|git)\s*=\s*\"[^\"\n]*{url}\"(?P<gap>{call})"
            rf"\b(?:commit|tag|rev|revision|branch)\s*=\s*\")(?P<ref>[^\"\n]+)",
            gap=call,
        ),
    ]


def _addresses(names: Names) -> list[Form]:
    url, how = names.url, "an address with a ref"
    return [
        Form("an action that a workflow uses", rf"(?P<lead>\buses:\s*[\"']?{url}(?:/[\w./-]+)?@)(?P<ref>{REF})", _YAML),
        Form(how, rf"(?P<lead>{url}@)(?P<ref>{REF})"),
        Form(how, rf"(?P<lead>{url}(?:\?[^#\"'\s]*)?#)(?P<ref>[0-9A-Za-z][\w./-]*)", r"\.(?:json|lock|ya?ml|toml)$"),
        Form(
            "an archive",
            rf"(?P<lead>{url}/(?:archive/(?:refs/(?:tags|heads)/)?|releases/download/|tarball/|zipball/))"
            r"(?P<ref>[\w.+-]+?)(?=\.tar\.|\.zip|\.tgz|[/\"'\s]|$)",
        ),
    ]


def _variables(names: Names) -> list[Form]:
    named = rf"[\w-]{{0,60}}?{names.stem}(?:_\w{{1,60}})?_{WORDS}"
    command = r"(?:(?:RUN|ARG|ENV|export|readonly|local|set|SET)[ \t(]+)?"
    return [
        Form(
            "a variable",
            rf"^(?P<lead>[ \t]*(?:-[ \t]+)?{command}[\"']?{named}[\"']?[ \t]*(?:[:?]?=|:|(?<=\w)[ \t])[ \t]*[\"']?)"
            rf"(?P<ref>{REF})(?=[\"'\s),\\]|$)",
        ),
        Form("the default of a variable", rf"(?P<lead>\{{{named}:-)(?P<ref>{REF})"),
        Form("the default of a variable", rf'(?P<lead>"{named}": \{{\s*"default": ")(?P<ref>[^"\n]+)', r"\.json$"),
    ]
