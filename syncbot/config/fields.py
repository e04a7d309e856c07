"""The kinds of text a config may hold, as pydantic types. Each refuses with what was expected and what to do.

A refusal is a `PydanticCustomError` of type ``syncbot`` whose context has ``expected`` and, where there is one,
``todo``; ``secret`` in it keeps the value itself out of the message. `syncbot.config.explain` turns it into a problem.
"""

from __future__ import annotations

import datetime
import fnmatch
import re
import string
from typing import Annotated, Any
from urllib.parse import urlsplit

from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

__all__ = [
    "Branch",
    "Commit",
    "Day",
    "Email",
    "EnvName",
    "Glob",
    "HttpUrl",
    "Identifier",
    "Label",
    "Line",
    "Login",
    "PinPattern",
    "QuietHours",
    "RepoUrl",
    "Scalar",
    "Slug",
    "Symbol",
    "Table",
    "TagFormat",
    "Text",
    "TitleForm",
    "TreePath",
    "Version_",
    "refuse",
]


class Table(BaseModel):
    """Base of every table: unknown keys are errors, and nothing is turned into another type."""

    # A field of an enum says `Field(strict=False)`: in a file a word is text.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


def refuse(
    expected: str, todo: str | None = None, *, secret: bool = False, key: str | None = None
) -> PydanticCustomError:
    """Return the error that says what was expected; ``key`` names the key below the table it is raised in."""
    context: dict[str, Any] = {"expected": expected, "todo": todo, "secret": secret, "key": key}
    return PydanticCustomError("syncbot", "{expected}", context)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
_SLUG = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_.][A-Za-z0-9_.-]*)+$"
_LOGIN = r"^@?[A-Za-z0-9][A-Za-z0-9-]*(\[bot\])?$"
_ENV = r"^[A-Za-z_][A-Za-z0-9_]*$"
_TOKEN = re.compile(
    r"^(gh[pousr]_|github_pat_|glpat-|xox[a-z]-|sk-)|^[0-9a-f]{32,}$|^[A-Za-z0-9+/_=.-]{48,}$|^(Bearer|Basic) "
)
_SCP_URL = re.compile(r"^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:[^:\s][^\s]*$")


def _text(value: str) -> str:
    if not value.strip():
        raise refuse("a text that is not empty")
    if _CONTROL.search(value):
        raise refuse("a text without control characters or direction overrides")
    return value


def _line(value: str) -> str:
    if "\n" in value:
        raise refuse("one line of text")
    return _text(value)


def _identifier(value: str) -> str:
    if not re.match(_IDENTIFIER, value) or ".." in value or value.endswith((".", ".lock")) or len(value) > 100:
        raise refuse("a name of letters, digits, '-', '_' and '.', which can stand in a branch name")
    return value


def _slug(value: str) -> str:
    if not re.match(_SLUG, value) or ".." in value.split("/"):
        raise refuse("a repository as owner/name", "give any other address with `url`")
    return value.removesuffix(".git")


def _login(value: str) -> str:
    if not re.match(_LOGIN, value):
        raise refuse("the login of an account, such as @octocat")
    return value.removeprefix("@")


def _branch(value: str) -> str:
    if not ref_is_safe(value):
        raise refuse("the name of a branch that git accepts, not beginning with '-'")
    return value


def ref_is_safe(name: str) -> bool:
    """Return whether git takes ``name`` for a branch or a tag, and for nothing else (git-check-ref-format)."""
    parts = name.split("/")
    return not (
        not name
        or name.startswith("-")
        or name == "@"
        or ".." in name
        or "@{" in name
        or name.endswith(".")
        or re.search(r"[\x00-\x20\x7f~^:?*\[\\]", name)
        or any(not part or part.startswith(".") or part.endswith(".lock") for part in parts)
    )


def _glob(value: str) -> str:
    if not value or value.startswith("-") or re.search(r"[\x00-\x20\x7f~^:\\]", value) or ".." in value:
        raise refuse("a tag or a shell pattern of tags, such as v1.*, not beginning with '-'")
    fnmatch.translate(value)
    return value


def _tree_path(value: str) -> str:
    parts = value.split("/")
    if (
        value.startswith(("-", "/", ":"))
        or "\\" in value
        or _CONTROL.search(value)
        or any(part in ("", ".", "..") for part in parts)
    ):
        todo = "write it from the top of the repository, with '/' between folders"
        raise refuse("a relative path without '..', not beginning with '-', '/' or ':'", todo)
    return value


def _symbol(value: str) -> str:
    path, _, name = value.rpartition("::")
    if not all(part.isidentifier() for part in name.split(".")):
        raise refuse("path/to/file.py::Qualified.name", "the name is that of a function, a class or a test")
    if path:
        _tree_path(path)
    return value


def _commit(value: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", value):
        raise refuse("a full commit id, 40 lower-case hex digits", "`git rev-parse COMMIT` prints it")
    return value


def _http_url(value: str) -> str:
    if not _is_http(value):
        raise refuse("an address such as https://example.org/path, without credentials", secret="@" in value)
    return value


def _is_http(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return bool(
            parts.scheme in ("https", "http")
            and parts.hostname
            and not re.search(r"[\s\x00-\x1f\x7f<>\"]", value)
            and parts.username is None
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        return False


_URL_EXPECTED = "https://host/path, ssh://host/path, user@host:path, git://host/path, file:///path or an absolute path"


def _repo_url(value: str) -> str:
    if value.startswith("-") or re.search(r"[\s\x00-\x1f\x7f]", value):
        raise refuse(_URL_EXPECTED, "an address does not begin with '-' and has no spaces")
    if re.match(r"^[A-Za-z][A-Za-z0-9+.-]*::", value):
        raise refuse(_URL_EXPECTED, "remote helpers such as ext:: run programs and are refused")
    if "://" not in value:
        if value.startswith("/") or _SCP_URL.match(value):
            return value
        raise refuse(_URL_EXPECTED, "for owner/name on a forge use `repo`")
    return _checked_url(value)


def _checked_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        raise refuse(_URL_EXPECTED) from None
    if parts.password is not None or (parts.username is not None and parts.scheme in ("https", "http")):
        todo = "take the name and the token out of it; name the variable that holds the token in [forges.NAME]"
        raise refuse("an address without credentials", todo, secret=True)
    hosted = parts.scheme in ("https", "http", "ssh", "git") and parts.hostname and port_is_fine
    local = parts.scheme == "file" and parts.path.startswith("/")
    if not (hosted or local) or parts.netloc.startswith("-") or "@-" in parts.netloc or len(parts.path) < 2:
        raise refuse(_URL_EXPECTED)
    return value


def _env_name(value: str) -> str:
    todo = "put the token into a variable such as GITHUB_TOKEN and write that name here"
    if _TOKEN.search(value):
        raise refuse(
            "the name of an environment variable, never a token itself", todo + "; revoke this token", secret=True
        )
    if not re.match(_ENV, value):
        raise refuse("the name of an environment variable", todo, secret=True)
    return value


def _pin_pattern(value: str) -> str:
    try:
        pattern = re.compile(value, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise refuse(f"a regular expression that compiles ({error})", "check it with Python's re.compile") from None
    if "ref" not in pattern.groupindex:
        raise refuse("a regular expression with a named group `ref`", "put (?P<ref>...) round the tag, SHA or version")
    if pattern.search("") is not None:
        raise refuse("a regular expression that does not match the empty text")
    return value


def _tag_format(value: str) -> str:
    if _placeholders(value) != ["version"] or not ref_is_safe(value.replace("{version}", "1")):
        raise refuse("a tag with {version} in it once, such as v{version}")
    return value


def _title_form(value: str) -> str:
    if not set(_placeholders(_line(value))) <= {"title", "id"}:
        raise refuse("a title with no placeholder but {title} and {id}", "double a brace that is to stay one")
    return value


def _placeholders(value: str) -> list[str]:
    """Return the names in braces; a broken or decorated placeholder gives a name that nothing has."""
    try:
        parsed = list(string.Formatter().parse(value))
    except ValueError:
        return [value]
    return [f"{name}{spec}{conversion or ''}" for _, name, spec, conversion in parsed if name is not None]


def _version(value: str) -> str:
    try:
        Version(value)
    except InvalidVersion:
        raise refuse("a version by PEP 440, such as 0.1.20") from None
    return value


def _quiet_hours(value: str) -> str:
    if not re.fullmatch(r"(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d", value):
        raise refuse("two times of day in UTC, such as 22:00-06:00")
    return value


def _email(value: str) -> str:
    if not re.fullmatch(r"[^\s<>@\x00-\x1f]+@[^\s<>@\x00-\x1f]+", value):
        raise refuse("an e-mail address")
    return value


def _day(value: object) -> object:
    if isinstance(value, datetime.datetime) or not isinstance(value, datetime.date):
        raise refuse("a date such as 2026-09-08, without quotes and without a time")
    return value


def _scalar(value: object) -> object:
    if not isinstance(value, str | int | float):
        raise refuse("a text, a number, true or false")
    return value


Text = Annotated[str, AfterValidator(_text)]
Line = Annotated[str, AfterValidator(_line)]
Label = Annotated[str, StringConstraints(max_length=50), AfterValidator(_line)]
Identifier = Annotated[str, AfterValidator(_identifier), Field(json_schema_extra={"pattern": _IDENTIFIER})]
Slug = Annotated[str, AfterValidator(_slug), Field(json_schema_extra={"pattern": _SLUG})]
Login = Annotated[str, AfterValidator(_login), Field(json_schema_extra={"pattern": _LOGIN})]
Branch = Annotated[str, AfterValidator(_branch)]
Glob = Annotated[str, AfterValidator(_glob)]
TreePath = Annotated[str, AfterValidator(_tree_path)]
Symbol = Annotated[str, AfterValidator(_symbol)]
Commit = Annotated[str, AfterValidator(_commit), Field(json_schema_extra={"pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"})]
HttpUrl = Annotated[str, AfterValidator(_http_url), Field(json_schema_extra={"format": "uri"})]
RepoUrl = Annotated[str, AfterValidator(_repo_url)]
EnvName = Annotated[str, AfterValidator(_env_name), Field(json_schema_extra={"pattern": _ENV})]
PinPattern = Annotated[str, AfterValidator(_pin_pattern), Field(json_schema_extra={"format": "regex"})]
TitleForm = Annotated[str, AfterValidator(_title_form)]
TagFormat = Annotated[str, AfterValidator(_tag_format)]
Version_ = Annotated[str, AfterValidator(_version)]
QuietHours = Annotated[str, AfterValidator(_quiet_hours)]
Email = Annotated[str, AfterValidator(_email), Field(json_schema_extra={"format": "email"})]
Day = Annotated[datetime.date, BeforeValidator(_day)]
Scalar = Annotated[
    Any, AfterValidator(_scalar), Field(json_schema_extra={"type": ["string", "integer", "number", "boolean"]})
]
