"""Another repository, by git: which addresses are safe, how a token reaches git, and what an answer means.

The token is a header in git's environment, bound to the one URL. It is sent by https alone (and to loopback), and no
redirect is followed, so it goes to no other host.
"""

from __future__ import annotations

import base64
import re
import urllib.parse
from collections.abc import Mapping
from pathlib import Path

from syncbot.git.run import Access, Git, safe_ref
from syncbot.model.errors import CouldNotError, TryLaterError, UsageError
from syncbot.model.forge import Secret

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^:].*")
# Tracing would write the environment's configuration, or headers, to a place of the caller's choice.
_NO_TRACE = {
    "GIT_TRACE": "0",
    "GIT_TRACE_CURL": "0",
    "GIT_TRACE_PACKET": "0",
    "GIT_TRACE_SETUP": "0",
    "GIT_TRACE_REDACT": "1",
    "GIT_TRACE2": "0",
    "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0",
    "GIT_TRACE2_ENV_VARS": "",
    "GIT_TRACE2_CONFIG_PARAMS": "",
}
_HTTP = re.compile(r"The requested URL returned error: (\d{3})")
_DENIED = re.compile(
    r"Permission to .* denied|Authentication failed|could not read Username|Repository not found|"
    r"Permission denied|does not appear to be a git repository|not found$",
    re.MULTILINE,
)
_HINTS = (
    (re.compile(r"without `?workflows?`? (?:scope|permission)"), "the token may not change workflow files"),
    (re.compile(r"protected branch|GH006|repository rule|GH013"), "a rule of the repository protects this branch"),
    (re.compile(r"GH007|private email"), "the account hides its address; set another identity"),
    (re.compile(r"error: 30[1278]|redirect"), "the repository has moved; mend its address in the configuration"),
    (re.compile(r"error: 403|denied"), "the token may not push here (it needs `contents: write`)"),
    (re.compile(r"error: 401|Authentication failed|could not read Username"), "the token is not accepted"),
    (re.compile(r"error: 404|not found"), "there is no such repository, or the token may not see it"),
)
_LONGEST_REASON = 300


def heads(git: Git, *, remote: str | Path, prefix: str, token: Secret | None = None) -> Mapping[str, str]:
    """Return the branches of ``remote`` whose name begins with ``prefix``, each with the commit it is at.

    One request, whatever their number; an empty mapping always means that there are none. Raises `UsageError` for an
    address that must not be used, `CouldNotError` where the remote refuses, `TryLaterError` where it does not answer.
    """
    safe_ref(prefix.rstrip("/"))
    url, runner = reach(git, remote, token)
    status, out, err = runner.attempt("ls-remote", "--end-of-options", url, f"refs/heads/{prefix}*")
    if status != 0:
        said = err.decode("utf-8", "replace")
        what = f"{address(remote)}: {reason(said, token)}"
        if not refuses(said):
            raise TryLaterError(what)
        raise CouldNotError("; ".join(text for text in (what, hint(said)) if text))
    pairs = (line.partition("\t") for line in out.decode("utf-8", "replace").splitlines())
    names = {name.removeprefix("refs/heads/"): oid for oid, _, name in pairs if name.startswith("refs/heads/")}
    return {name: oid for name, oid in names.items() if name.startswith(prefix)}


def reach(git: Git, remote: str | Path, token: Secret | None) -> tuple[str, Git]:
    """Return what git is told as the remote, and a runner that may go there with ``token``.

    Raises `UsageError` for an address that must not be used, with this token or at all. ``git`` needs `Access.NETWORK`.
    """
    if git.access is not Access.NETWORK:
        raise ValueError("reaching a remote needs a runner with Access.NETWORK")
    url = address(remote, with_token=token is not None)
    return url, git.with_env(**_environment(url, token))


def address(remote: str | Path, *, with_token: bool = False) -> str:
    """Return the folder or URL of ``remote`` as git takes it, or raise `UsageError`."""
    if isinstance(remote, Path):
        return str(remote.absolute())
    parts = urllib.parse.urlsplit(remote)
    if (parts.username and parts.scheme != "ssh") or parts.password:
        raise UsageError(f"the address of {parts.hostname} holds credentials; take them out and name a token instead")
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return remote
    if with_token:
        raise UsageError(f"a token is sent by https only, not to {remote!r}")
    if parts.scheme in ("ssh", "file") or _SCP.fullmatch(remote):
        return remote
    raise UsageError(f"{remote!r} is not the address of a repository: expected https://, ssh:// or user@host:path")


def _environment(url: str, token: Secret | None) -> dict[str, str]:
    settings = [
        ("push.gpgSign", "false"),
        ("http.followRedirects", "false"),
        ("http.lowSpeedLimit", "1000"),
        ("http.lowSpeedTime", "60"),
    ]
    if token is not None:
        # An empty value first: a checkout in a workflow leaves a header of its own, and two are refused. An empty
        # helper: none may be asked for another password, and none may store this one.
        settings += [
            ("credential.helper", ""),
            (f"http.{url}.extraHeader", ""),
            (f"http.{url}.extraHeader", f"Authorization: Basic {_basic(token)}"),
        ]
    env = {"GIT_CONFIG_COUNT": str(len(settings)), "GIT_CONFIG_PARAMETERS": "", **_NO_TRACE}
    for index, (key, value) in enumerate(settings):
        env |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return env


def _basic(token: Secret) -> str:
    return base64.b64encode(f"x-access-token:{token.reveal()}".encode()).decode()


def refuses(said: str) -> bool:
    """Whether standard error tells a clear no, and not that nobody answered."""
    if answer := _HTTP.search(said):
        return answer[1][0] in "34" and answer[1] not in ("408", "429")
    return bool(_DENIED.search(said))


def hint(said: str) -> str | None:
    """Return what a person can do about a refusal, where that is known."""
    return next((text for pattern, text in _HINTS if pattern.search(said)), None)


def reason(said: str, token: Secret | None, first: str = "") -> str:
    """Return what the remote said as one printable line without secrets: ``first``, then its own lines, else git's."""
    lines = said.splitlines()
    told = [text.removeprefix("remote:").strip() for text in lines if text.startswith("remote:")]
    other = [text.strip() for text in lines if text.startswith(("fatal:", "error:"))]
    text = "; ".join(part for part in (first, *told, *([] if first else other)) if part) or "no word from the remote"
    if token is not None:
        text = Secret(_basic(token)).scrub(token.scrub(text))
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST_REASON]
