"""A repository on another machine: how git reaches it, with which token, and what its refusals mean.

The token enters git by environment alone. A credential helper, itself configured by environment and bound to scheme,
host and port, hands it over when that host asks; so it follows no redirect to another host, and no other helper of the
user gets to store it. It is in no argument, URL or file.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from syncbot.git.run import Access, Git, GitError, safe_ref
from syncbot.git.url import SCHEMES, Address, parse_address, redact
from syncbot.git.watch import SILENT, Progress, watch
from syncbot.model.errors import CouldNotError, SyncbotError, TryLaterError, UsageError

_PASSWORD = "SYNCBOT_GIT_PASSWORD"  # noqa: S105 - the name of a variable
# Any user name does where a token is the password; this one is GitHub's for its apps' tokens.
_HELPER = f"""!f() {{ test "$1" = get && printf 'username=x-access-token\\npassword=%s\\n' "${_PASSWORD}"; }}; f"""
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}

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

_REFUSED = re.compile(
    r"authentication failed|could not read (username|password)|http basic: access denied|permission denied \(|"
    r"returned error: 40[13]|terminal prompts disabled|invalid credentials|host key verification failed",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"repository .*not found|returned error: (404|410)|does not appear to be a git repository|"
    r"no such (repository|project)|repository .*does not exist|repository not exported|"
    r"not valid: is this a git repository",
    re.IGNORECASE,
)
_UNREACHABLE = re.compile(
    r"could not resolve|failed to connect|couldn't connect|connection (refused|reset|timed out|closed)|timed out|"
    r"network is unreachable|no route to host|returned error: (408|429|5\d\d)|rpc failed|early eof|hung up|"
    r"unexpected disconnect|transfer closed|empty reply|unable to access 'https?:|"
    rf"could not read from remote repository|server is too busy|rate limit|{SILENT}",
    re.IGNORECASE,
)
_PROGRESS = re.compile(r"\d+%|, done\.|^remote: (Enumerating|Total) |^Cloning into ")
_LINES_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """An address with the token for its host; `remote` makes it. ``patience``: seconds git may go without a word."""

    address: Address
    token: str | None = field(default=None, repr=False)
    token_variable: str | None = None
    patience: float = 120.0

    def run(
        self,
        git: Git,
        *args: str,
        progress: Progress | None = None,
        stdin: bytes = b"",
        inherit: tuple[int, ...] = (),
    ) -> bytes:
        """Run a git command that talks to this remote, see `watch`.

        Raises `TryLaterError` when the host cannot be reached, `UsageError` when it refuses or has no such repository,
        and `GitError` for what is wrong on this side.
        """
        bound = self.bound(git)
        try:
            # A person's older default would keep single objects from being asked for.
            command = ("-c", "protocol.version=2", *args)
            return watch(bound, *command, patience=self.patience, progress=progress, stdin=stdin, inherit=inherit)
        except GitError as error:
            meaning = self.explain(error.stderr)
            if meaning is None:
                raise
            raise meaning from None

    def bound(self, git: Git) -> Git:
        """Return ``git`` able to talk to this remote, and to no other, with its token; it needs `Access.NETWORK`."""
        if git.access is not Access.NETWORK:
            raise ValueError("reaching a remote needs a runner with Access.NETWORK")
        return git.with_env(**self._environment())

    def branches(self, git: Git, prefix: str) -> dict[str, str]:
        """Return the branches whose name begins with ``prefix``, each with the commit it is at, by one request.

        An empty answer always means that there are none; raises what `run` raises.
        """
        safe_ref(prefix.rstrip("/"))
        command = ("ls-remote", "--quiet", "--refs", "--end-of-options", self.address.url, f"refs/heads/{prefix}*")
        pairs = (line.partition("\t") for line in self.run(git, *command).decode("utf-8", "replace").splitlines())
        names = {name.removeprefix("refs/heads/"): oid for oid, _, name in pairs if name.startswith("refs/heads/")}
        return {name: oid for name, oid in names.items() if name.startswith(prefix)}

    def explain(self, stderr: str) -> SyncbotError | None:
        """Return what git's message says about this remote, None if it is not about it."""
        where, reason = redact(self.address.url), _reason(stderr)
        host = self.address.host or where
        if _REFUSED.search(stderr):
            how = f"the token in {self.token_variable}" if self.token and self.token_variable else "what was sent"
            if not self.token:
                how = "no token was given"
                advice = f"set {self.token_variable}" if self.token_variable else "name a token_variable for its forge"
                return UsageError(
                    f"{host} wants credentials for {where}; {how}: {advice}. "
                    f"Some hosts also say this of a repository that does not exist ({reason})"
                )
            return UsageError(f"{host} refuses {how} for {where}: check that it is valid and may read it ({reason})")
        if _MISSING.search(stderr):
            sees = "" if self.token else ", or it is private and no token was given"
            return UsageError(f"{host} has no repository at {where}: check the address{sees} ({reason})")
        if _UNREACHABLE.search(stderr):
            return TryLaterError(f"cannot reach {host} for {where}: {reason}")
        return None

    def _environment(self) -> dict[str, str]:
        allowed = ("file",) if self.address.is_local else SCHEMES
        env = {"GIT_ALLOW_PROTOCOL": ":".join(allowed)}
        if self.token is None:
            return env
        # After what the caller's environment configures already; an empty helper forgets all before it.
        first = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
        key = f"credential.{self.address.origin}.helper"
        settings = ((key, ""), (key, _HELPER))
        for number, (name, value) in enumerate(settings, first):
            env |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        return env | _NO_TRACE | {"GIT_CONFIG_COUNT": str(first + len(settings)), _PASSWORD: self.token}


def remote(
    url: str,
    *,
    token: str | None = None,
    token_variable: str | None = None,
    allow_local: bool = False,
    patience: float = 120.0,
) -> Remote:
    """Return the remote ``url``; ``token_variable`` is the name a person is told when the token is missing or refused.

    ``allow_local`` takes a folder too, for a path a person gave; never for one from a config. Raises `UsageError` for
    an address or a token that must not be used.
    """
    address = parse_address(url, allow_local=allow_local)
    name = token_variable or "the token"
    if token is not None and (not token.isascii() or not token.isprintable() or not token.strip() or " " in token):
        raise UsageError(f"{name} does not hold a token: expected printable characters without blanks or line ends")
    if address.scheme not in ("https", "http"):
        token = None
    if token is not None and address.scheme == "http" and address.host not in _LOOPBACK:
        raise UsageError(f"{redact(url)}: a token is not sent over plain http; use https, or take the token away")
    return Remote(address=address, token=token, token_variable=token_variable, patience=patience)


def could_not(remote: Remote, error: GitError) -> CouldNotError:
    """Return the error for a git failure that neither the network nor a new clone explains."""
    return CouldNotError(f"git could not mirror {redact(remote.address.url)}: {_reason(error.stderr)}")


def _reason(stderr: str) -> str:
    lines = [redact(line).strip() for line in re.split(r"[\r\n]+", stderr)]
    lines = [line for line in lines if line and not _PROGRESS.search(line)]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "ssh:"))] or lines
    return "; ".join([line.removeprefix("fatal: ") for line in telling][-_LINES_SHOWN:]) or "no message"
