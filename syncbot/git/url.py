"""Addresses of git repositories: what they name, which are refused, and how they are shown. Pure: nothing is opened.

An address comes from a config or from a stranger's clone, so it is data: no transport that runs a program
(``ext::``), no option (``-…``), no credentials (they would end up in files, logs and process lists).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from syncbot.model.errors import UsageError

SCHEMES = ("https", "http", "ssh", "git")

_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?:(?P<user>[^/?#]*)@)?(?P<host>\[[^\]/]*\]|[^/:?#]*)(?::(?P<port>[0-9]+))?(?P<path>/[^\s]*)?"
)
_SCP = re.compile(r"(?:(?P<user>[A-Za-z0-9._-]+)@)?(?P<host>[A-Za-z0-9._-]+):(?P<path>[^\s:][^\s]*)")
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a repository is. ``slug`` is its path on the host without ``.git``, None for a folder on this machine.

    ``origin`` is ``scheme://host[:port]``, the part a credential belongs to; None where there is no network.
    """

    url: str
    scheme: str
    host: str
    slug: str | None
    origin: str | None

    @property
    def is_local(self) -> bool:
        """Whether it is a folder on this machine."""
        return self.scheme == "file"


def redact(text: str) -> str:
    """Return ``text`` with the user part of every URL in it taken out, and control characters made blanks."""
    return _CONTROL.sub(" ", _CREDENTIALS.sub("", text))


def parse_address(url: str, *, allow_local: bool = False) -> Address:
    """Return what ``url`` names: a URL, git's short ssh form, or, only with ``allow_local``, a folder.

    Raises `UsageError` that says what is wrong with it, without repeating a secret.
    """
    problem = _problem(url)
    if problem:
        raise UsageError(f"{redact(url)!r} is not an address syncbot fetches from: {problem}")
    if match := _URL.fullmatch(url):
        scheme = match["scheme"].lower()
        if scheme == "file" and allow_local:
            return Address(url=url, scheme="file", host="", slug=None, origin=None)
        if scheme not in SCHEMES:
            raise UsageError(f"{redact(url)!r}: the scheme {scheme!r} is refused, expected one of {', '.join(SCHEMES)}")
        if match["user"] and (scheme != "ssh" or ":" in match["user"]):
            raise UsageError(
                f"{redact(url)!r} was given with a user name or password in it: take it out and name the variable "
                "that holds the token instead (token_variable)"
            )
        host, slug = match["host"].lower(), _slug(match["path"] or "")
        if not host or host.startswith("-") or not slug:
            raise UsageError(f"{redact(url)!r} names no repository: expected {scheme}://host/owner/name")
        port = f":{match['port']}" if match["port"] else ""
        return Address(url=url, scheme=scheme, host=host, slug=slug, origin=f"{scheme}://{host}{port}")
    if allow_local and (url.startswith(("/", "./", "../", "~")) or Path(url).exists()):
        return Address(url=str(Path(url).expanduser().resolve()), scheme="file", host="", slug=None, origin=None)
    if match := _SCP.fullmatch(url):
        host, slug = match["host"].lower(), _slug(match["path"])
        if slug and not host.startswith("-"):
            return Address(url=url, scheme="ssh", host=host, slug=slug, origin=f"ssh://{host}")
    raise UsageError(
        f"{redact(url)!r} is not an address syncbot fetches from: expected https://host/owner/name, ssh://… or "
        "git@host:owner/name (a clone that is already on this machine is named with --repo)"
    )


def _problem(url: str) -> str | None:
    if not url.strip():
        return "it is empty"
    if url.startswith("-"):
        return "it begins with '-', which git would take for an option"
    if _CONTROL.search(url) or " " in url:
        return "it has blanks or control characters"
    if "::" in url and not re.match(r"[a-z]+://\[", url):
        return "'::' names a program to run, which is refused"
    return None


def _slug(path: str) -> str | None:
    slug = path.strip("/").removesuffix(".git")
    if not slug or any(part in ("", ".", "..") or part.startswith("-") for part in slug.split("/")):
        return None
    return slug
