"""Pushing one branch, with an exact lease: the only writing that goes by git and not by a forge's API.

A push names the commit it expects the branch to be at, or that it expects no branch; the remote compares and sets in
one step, so two runs at once cannot undo each other and a person's commit is never overwritten.

Pushing the same commit again is harmless. After `PushOutcome.UNREACHABLE` nobody knows whether it took effect: look.
"""

from __future__ import annotations

import base64
import re
from pathlib import Path

from syncbot.git.remote import Remote
from syncbot.git.remote import remote as remote_at
from syncbot.git.run import Git, safe_ref
from syncbot.git.url import redact
from syncbot.model.errors import SyncbotError, UnknownObjectError, UsageError
from syncbot.model.forge import PushOutcome, PushResult, Secret

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_RACE = re.compile(r"stale info|cannot lock ref|failed to (?:update|lock)|reference already exists|incorrect old value")
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
_LOST = re.compile(r"remote failed to report status|remote end hung up|timed out|timeout", re.IGNORECASE)


def push(
    git: Git, *, remote: str | Path, branch: str, oid: str, expected: str | None, token: Secret | None = None
) -> PushResult:
    """Set ``branch`` of ``remote`` to the commit ``oid`` if it is at ``expected`` now; None: if it is not there.

    ``git`` runs where ``oid`` is, with `Access.NETWORK`. ``remote`` is a URL without credentials or the folder of a
    bare repository; a fork is just another remote. Raises `UsageError` for a remote or a name that must not be used and
    `UnknownObjectError` if ``oid`` is not there; everything a remote can do is an answer, not an error.
    """
    if not _OID.fullmatch(oid) or (expected is not None and not _OID.fullmatch(expected)):
        raise UsageError(f"a push names whole commit ids, not {oid!r} and {expected!r}")
    ref = f"refs/heads/{safe_ref(branch)}"
    there = _there(remote, token)
    if git.attempt("cat-file", "-e", f"{oid}^{{commit}}")[0] != 0:
        raise UnknownObjectError(f"the commit {oid} to push is not here")
    status, out, err = there.bound(git).attempt(
        *_settings(there.address.url),
        "push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no",
        f"--force-with-lease={ref}:{expected or ''}", "--end-of-options", there.address.url, f"{oid}:{ref}",
    )  # fmt: skip
    said = err.decode("utf-8", "replace")
    line = next((one for one in out.decode("utf-8", "replace").splitlines() if one.count("\t") == 2), "")
    outcome = _outcome(status, line, said)
    found = None
    if outcome is PushOutcome.LEASE_LOST:
        # Perhaps to ourselves: curl sends a request again when a connection that was used before dies on it.
        try:
            found = there.branches(git, branch).get(branch)
        except SyncbotError:
            outcome = PushOutcome.UNREACHABLE
        if found == oid:
            outcome = PushOutcome.PUSHED
    if outcome in (PushOutcome.PUSHED, PushOutcome.UNCHANGED):
        return PushResult(outcome=outcome, branch=branch, oid=oid)
    words = _reason(said, token, first=line.rpartition("\t")[2])
    advice = _hint(f"{words}\n{said}") if outcome is PushOutcome.REJECTED else None
    return PushResult(outcome=outcome, branch=branch, oid=oid, reason=words, hint=advice, found=found)


def _outcome(status: int, line: str, said: str) -> PushOutcome:
    """Judge by the line that git prints for the ref, ``FLAG<tab>FROM:TO<tab>SUMMARY``, else by standard error."""
    flag, _, words = line.partition("\t")
    if flag == "!":
        if _LOST.search(words):
            return PushOutcome.UNREACHABLE
        return PushOutcome.LEASE_LOST if _RACE.search(words) else PushOutcome.REJECTED
    if status == 0:
        return PushOutcome.UNCHANGED if flag == "=" or not line else PushOutcome.PUSHED
    return PushOutcome.REJECTED if _refuses(said) else PushOutcome.UNREACHABLE


def _settings(url: str) -> tuple[str, ...]:
    """No redirect: what moved is to be told. A host that says nothing for a minute is not waited for. And no header
    that a checkout in a workflow left behind, which would be sent in place of the token.
    """
    settings = ("http.followRedirects=false", "http.lowSpeedLimit=1000", "http.lowSpeedTime=60")
    return tuple(word for each in (*settings, f"http.{url}.extraHeader=") for word in ("-c", each))


def _there(place: str | Path, token: Secret | None) -> Remote:
    """Return the remote of a push; a token that would not be sent is a mistake here, not left at home in silence."""
    if isinstance(place, Path):
        return remote_at(str(place.absolute()), allow_local=True)
    there = remote_at(place, token=token.reveal() if token is not None else None)
    if token is not None and there.token is None:
        raise UsageError(f"a token is sent by https only, not to {redact(place)}")
    return there


def _refuses(said: str) -> bool:
    """Whether standard error tells a clear no, and not that nobody answered."""
    if answer := _HTTP.search(said):
        return answer[1][0] in "34" and answer[1] not in ("408", "429")
    return bool(_DENIED.search(said))


def _hint(said: str) -> str | None:
    """Return what a person can do about a refusal, where that is known."""
    return next((text for pattern, text in _HINTS if pattern.search(said)), None)


def _reason(said: str, token: Secret | None, first: str = "") -> str:
    """Return what the remote said as one printable line without secrets: ``first``, then its own lines, else git's."""
    lines = said.splitlines()
    told = [text.removeprefix("remote:").strip() for text in lines if text.startswith("remote:")]
    other = [text.strip() for text in lines if text.startswith(("fatal:", "error:"))]
    text = "; ".join(part for part in (first, *told, *([] if first else other)) if part) or "no word from the remote"
    if token is not None:
        text = Secret(base64.b64encode(f"x-access-token:{token.reveal()}".encode()).decode()).scrub(token.scrub(text))
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST_REASON]
