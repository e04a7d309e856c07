"""Pushing one branch, with an exact lease: the only writing that goes by git and not by a forge's API.

A push names the commit it expects the branch to be at, or that it expects no branch; the remote compares and sets in
one step, so two runs at once cannot undo each other and a person's commit is never overwritten. The token reaches git
in its environment and nowhere else, for this one URL; redirects are not followed, so it goes to no other host.

Pushing the same commit again is harmless. After `PushOutcome.UNREACHABLE` nobody knows whether it took effect: look.
"""

from __future__ import annotations

import base64
import re
import urllib.parse
from pathlib import Path

from syncbot.git.run import Access, Git, safe_ref
from syncbot.model.errors import UnknownObjectError, UsageError
from syncbot.model.forge import PushOutcome, PushResult, Secret

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^:].*")
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
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
_RACE = re.compile(r"stale info|cannot lock ref|failed to (?:update|lock)|reference already exists|incorrect old value")
_LOST = re.compile(r"remote failed to report status|remote end hung up|timed out|timeout", re.IGNORECASE)
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


def push(
    git: Git, *, remote: str | Path, branch: str, oid: str, expected: str | None, token: Secret | None = None
) -> PushResult:
    """Set ``branch`` of ``remote`` to the commit ``oid`` if it is at ``expected`` now; None: if it is not there.

    ``git`` runs where ``oid`` is, with `Access.NETWORK`. ``remote`` is a URL without credentials or the folder of a
    bare repository; a fork is just another remote. Raises `UsageError` for a remote or a name that must not be used and
    `UnknownObjectError` if ``oid`` is not there; everything a remote can do is an answer, not an error.
    """
    if git.access is not Access.NETWORK:
        raise ValueError("a push needs a runner with Access.NETWORK")
    if not _OID.fullmatch(oid) or (expected is not None and not _OID.fullmatch(expected)):
        raise UsageError(f"a push names whole commit ids, not {oid!r} and {expected!r}")
    ref = f"refs/heads/{safe_ref(branch)}"
    url = str(remote) if isinstance(remote, Path) else _checked(remote, with_token=token is not None)
    if git.attempt("cat-file", "-e", f"{oid}^{{commit}}")[0] != 0:
        raise UnknownObjectError(f"the commit {oid} to push is not here")
    runner = git.with_env(**_environment(url, token))
    status, out, err = runner.attempt(
        "push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no",
        f"--force-with-lease={ref}:{expected or ''}", "--end-of-options", url, f"{oid}:{ref}",
    )  # fmt: skip
    said = err.decode("utf-8", "replace")
    line = next((one for one in out.decode("utf-8", "replace").splitlines() if one.count("\t") == 2), "")
    outcome = _outcome(status, line, said)
    found = None
    if outcome is PushOutcome.LEASE_LOST:
        # Perhaps to ourselves: curl sends a request again when a connection that was used before dies on it.
        known, found = _look(runner, url, ref)
        outcome = PushOutcome.PUSHED if found == oid else outcome if known else PushOutcome.UNREACHABLE
    if outcome in (PushOutcome.PUSHED, PushOutcome.UNCHANGED):
        return PushResult(outcome=outcome, branch=branch, oid=oid)
    reason = _reason(line, said, token)
    hint = None
    if outcome is PushOutcome.REJECTED:
        hint = next((text for pattern, text in _HINTS if pattern.search(f"{reason}\n{said}")), None)
    return PushResult(outcome=outcome, branch=branch, oid=oid, reason=reason, hint=hint, found=found)


def _look(git: Git, url: str, ref: str) -> tuple[bool, str | None]:
    """Return whether the remote answered, and where the branch is."""
    status, out, _ = git.attempt("ls-remote", "--end-of-options", url, ref)
    for line in out.decode("utf-8", "replace").splitlines():
        oid, _, name = line.partition("\t")
        if name == ref:
            return True, oid
    return status == 0, None


def _checked(remote: str, *, with_token: bool) -> str:
    parts = urllib.parse.urlsplit(remote)
    if parts.username or parts.password:
        raise UsageError(f"the address of {parts.hostname} holds credentials; take them out and name a token instead")
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return remote
    if with_token:
        raise UsageError(f"a token is sent by https only, not to {remote!r}")
    if parts.scheme in ("ssh", "file") or _SCP.fullmatch(remote):
        return remote
    raise UsageError(f"{remote!r} is not an address to push to: expected https://, ssh:// or user@host:path")


def _environment(url: str, token: Secret | None) -> dict[str, str]:
    settings = [
        ("push.gpgSign", "false"),
        ("http.followRedirects", "false"),
        ("http.lowSpeedLimit", "1000"),
        ("http.lowSpeedTime", "60"),
    ]
    if token is not None:
        header = base64.b64encode(f"x-access-token:{token.reveal()}".encode()).decode()
        # An empty value first: a checkout in a workflow leaves a header of its own, and two are refused. An empty
        # helper: none may be asked for another password, and none may store this one.
        settings += [
            ("credential.helper", ""),
            (f"http.{url}.extraHeader", ""),
            (f"http.{url}.extraHeader", f"Authorization: Basic {header}"),
        ]
    env = {"GIT_CONFIG_COUNT": str(len(settings)), "GIT_CONFIG_PARAMETERS": "", **_NO_TRACE}
    for index, (key, value) in enumerate(settings):
        env |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return env


def _outcome(status: int, line: str, said: str) -> PushOutcome:
    flag, _, words = line.partition("\t")
    if flag == "!":
        if _LOST.search(words):
            return PushOutcome.UNREACHABLE
        return PushOutcome.LEASE_LOST if _RACE.search(words) else PushOutcome.REJECTED
    if status == 0:
        return PushOutcome.UNCHANGED if flag == "=" or not line else PushOutcome.PUSHED
    if (answer := _HTTP.search(said)) and answer[1][0] in "34" and answer[1] not in ("408", "429"):
        return PushOutcome.REJECTED
    return PushOutcome.REJECTED if _DENIED.search(said) else PushOutcome.UNREACHABLE


def _reason(line: str, said: str, token: Secret | None) -> str:
    """Return what the remote said in one line: the ref's own answer first, then the ``remote:`` lines."""
    own = line.rpartition("\t")[2]
    told = [text.removeprefix("remote:").strip() for text in said.splitlines() if text.startswith("remote:")]
    other = [text.strip() for text in said.splitlines() if text.startswith(("fatal:", "error:"))]
    text = "; ".join(part for part in (own, *told, *([] if own else other)) if part) or "no word from the remote"
    if token is not None:
        header = base64.b64encode(f"x-access-token:{token.reveal()}".encode()).decode()
        text = Secret(header).scrub(token.scrub(text))
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]
