"""Pushing one branch, with an exact lease: the only writing that goes by git and not by a forge's API.

A push names the commit it expects the branch to be at, or that it expects no branch; the remote compares and sets in
one step, so two runs at once cannot undo each other and a person's commit is never overwritten.

Pushing the same commit again is harmless. After `PushOutcome.UNREACHABLE` nobody knows whether it took effect: look.
"""

from __future__ import annotations

import re
from pathlib import Path

from syncbot.git.reach import heads, hint, reach, reason, refuses
from syncbot.git.run import Git, safe_ref
from syncbot.model.errors import SyncbotError, UnknownObjectError, UsageError
from syncbot.model.forge import PushOutcome, PushResult, Secret

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_RACE = re.compile(r"stale info|cannot lock ref|failed to (?:update|lock)|reference already exists|incorrect old value")
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
    url, runner = reach(git, remote, token)
    if git.attempt("cat-file", "-e", f"{oid}^{{commit}}")[0] != 0:
        raise UnknownObjectError(f"the commit {oid} to push is not here")
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
        try:
            found = heads(git, remote=remote, prefix=branch, token=token).get(branch)
        except SyncbotError:
            outcome = PushOutcome.UNREACHABLE
        if found == oid:
            outcome = PushOutcome.PUSHED
    if outcome in (PushOutcome.PUSHED, PushOutcome.UNCHANGED):
        return PushResult(outcome=outcome, branch=branch, oid=oid)
    words = reason(said, token, first=line.rpartition("\t")[2])
    advice = hint(f"{words}\n{said}") if outcome is PushOutcome.REJECTED else None
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
    return PushOutcome.REJECTED if refuses(said) else PushOutcome.UNREACHABLE
