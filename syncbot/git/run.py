"""One runner for every git command, over GitPython's ``git.cmd.Git``.

A `Git` is bound to one repository and one `Access`. ``Access.READ`` is for clones that belong to somebody else: no
lock, no lazy fetch, no network, no hook, no user configuration that would change what plumbing prints.
``Access.NETWORK`` is for the mirrors syncbot owns; it keeps the user's configuration, because that is where proxies and
credential helpers live. ``Access.WRITE`` is for stores syncbot made itself.

Every ref that comes from outside passes `safe_ref` first: git has no other way to tell a ref from an option everywhere.
Paths go after ``--``, or by standard input, as literal ones.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from syncbot.model.errors import SyncbotError, UsageError

if TYPE_CHECKING:
    from git.cmd import Git as GitPython

_CHUNK = 1 << 16

_COMMON_CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "protocol.ext.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
)
# A local clone is read on the word of the person who named it; nothing in its own configuration may reach the network
# or run a program, and nothing may change the form of a diff.
_READ_CONFIG = (
    "protocol.allow=never",
    "safe.directory=*",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.algorithm=myers",
    "diff.context=3",
    "diff.interHunkContext=0",
    "diff.indentHeuristic=true",
    "diff.renames=false",
    "diff.ignoreSubmodules=none",
    "diff.suppressBlankEmpty=false",
    "log.showSignature=false",
    "log.mailmap=false",
)
_COMMON_ENV = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ADVICE": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}
_READ_ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "0",
    "GIT_CONFIG_PARAMETERS": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ATTR_NOSYSTEM": "1",
}
# Variables of the calling process that would point git at another repository or change what it prints.
_FOREIGN_ENV = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_TRACE",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
)


class Access(Enum):
    """What a runner may do with its repository."""

    READ = "read"
    NETWORK = "network"
    WRITE = "write"


class GitError(SyncbotError):
    """A git command failed. ``status`` is its exit code (negative: killed by that signal)."""

    def __init__(self, command: Sequence[str], status: int, stderr: str) -> None:
        self.command = tuple(command)
        self.status = status
        self.stderr = stderr.strip()
        verb = next((word for word in command[1:] if re.fullmatch(r"[a-z][a-z-]*", word)), "git")
        super().__init__(f"git {verb} failed with status {status}: {self.stderr or 'no message'}")


_REF = re.compile(r"^[^\x00-\x20\x7f~^:?*\[\\]+(?:[~^][0-9]*)*$")


def safe_ref(ref: str) -> str:
    """Return ``ref`` if git cannot read it as an option, a range or a path; raises `UsageError` naming it otherwise."""
    if not ref or ref.startswith("-") or ".." in ref or not _REF.match(ref):
        raise UsageError(
            f"{ref!r} is not a ref syncbot hands to git: expected a branch, tag or commit id "
            "that does not begin with '-' and has no spaces or '..'"
        )
    return ref


class Git:
    """Runs git commands in one repository; ``env`` adds to the environment of each (a scratch object store).

    ``bring`` tries to bring the objects of these ids here; a mirror has one. None: what is missing stays missing.
    ``sizes`` are those of blobs that were asked for before, by id.
    """

    def __init__(
        self,
        directory: Path,
        access: Access = Access.READ,
        *,
        env: Mapping[str, str] | None = None,
        bring: Callable[[Collection[str]], None] | None = None,
    ) -> None:
        self.directory = directory
        self.access = access
        self.bring = bring
        self.sizes: dict[str, int] = {}
        self._extra_env = dict(env or {})
        self._git: GitPython | None = None

    def with_env(self, **env: str) -> Git:
        """Return a runner for the same repository with more environment (a scratch store, a token's helper)."""
        return Git(self.directory, self.access, env={**self._extra_env, **env}, bring=self.bring)

    def _runner(self) -> GitPython:
        if self._git is None:
            from git.cmd import Git as GitPython

            # GitPython hands every child all of os.environ; a variable can only be taken away here. A process that
            # was started by a hook has GIT_DIR set, and would read another repository than the one asked about.
            for name in _FOREIGN_ENV:
                os.environ.pop(name, None)
            self._git = GitPython(str(self.directory))
        return self._git

    def _command(self, args: Sequence[str]) -> list[str]:
        config = _COMMON_CONFIG + (_READ_CONFIG if self.access is Access.READ else ())
        return ["git", *(word for item in config for word in ("-c", item)), *args]

    def _environment(self) -> dict[str, str]:
        env = dict(_COMMON_ENV)
        if self.access is Access.READ:
            env |= _READ_ENV
        return env | self._extra_env

    def _start(self, args: Sequence[str], stdin: IO[bytes] | int | None, **popen: Any) -> Any:
        return self._runner().execute(
            self._command(args),
            istream=cast("Any", stdin),
            as_process=True,
            with_exceptions=False,
            env=self._environment(),
            **popen,
        )

    def start(self, *args: str, stdin: IO[bytes] | int | None = None, **popen: Any) -> Any:
        """Start and return GitPython's process, its pipes unread; ``popen`` goes to `subprocess.Popen`.

        Only for what `run` and `chunks` cannot do; the process ends when the returned object is dropped.
        """
        return self._start(args, stdin, **popen)

    def run(self, *args: str, stdin: bytes | None = None, ok: tuple[int, ...] = (0,)) -> bytes:
        """Run to the end and return standard output as it came. Raises `GitError` when the status is not in ``ok``."""
        return self.result(*args, stdin=stdin, ok=ok)[1]

    def result(self, *args: str, stdin: bytes | None = None, ok: tuple[int, ...] = (0,)) -> tuple[int, bytes]:
        """Like `run`, with the exit status in front, for commands that answer with it."""
        if stdin is None:
            return self._finish(args, self._start(args, None), ok)
        with tempfile.TemporaryFile() as source:
            source.write(stdin)
            source.seek(0)
            return self._finish(args, self._start(args, source), ok)

    def attempt(self, *args: str) -> tuple[int, bytes, bytes]:
        """Run to the end and return status, standard output and standard error, whatever the status."""
        process = self._start(args, None)
        out, err = process.proc.communicate()
        return process.proc.returncode, out, err

    def _finish(self, args: Sequence[str], process: Any, ok: tuple[int, ...]) -> tuple[int, bytes]:
        out, err = process.proc.communicate()
        if process.proc.returncode not in ok:
            raise GitError(("git", *args), process.proc.returncode, err.decode("utf-8", "replace"))
        return process.proc.returncode, out

    def text(self, *args: str, stdin: bytes | None = None, ok: tuple[int, ...] = (0,)) -> str:
        """Run and return standard output as text without its last newline; bytes that are not UTF-8 are replaced."""
        return self.run(*args, stdin=stdin, ok=ok).decode("utf-8", "replace").removesuffix("\n")

    def lines(self, *args: str, stdin: bytes | None = None) -> list[str]:
        """Run and return the lines of standard output; only a newline ends one (names may hold other separators)."""
        text = self.text(*args, stdin=stdin)
        return text.split("\n") if text else []

    def chunks(self, *args: str, stdin: bytes | None = None) -> Iterator[bytes]:
        """Run and yield standard output as it arrives, in blocks of up to 64 KiB.

        Raises `GitError` after the last block if the command failed; leaving the loop early ends the command.
        """
        with tempfile.TemporaryFile() as source:
            if stdin is not None:
                source.write(stdin)
                source.seek(0)
            process = self._start(args, source if stdin is not None else None)
            popen = process.proc
            finished = False
            try:
                while block := popen.stdout.read1(_CHUNK):
                    yield block
                finished = True
            finally:
                if not finished:
                    popen.kill()
                    popen.wait()
                err = popen.stderr.read()
                popen.stdout.close()
                popen.stderr.close()
                status = popen.wait()
            if status != 0:
                raise GitError(("git", *args), status, err.decode("utf-8", "replace"))

    def records(self, *args: str, stdin: bytes | None = None, separator: bytes = b"\0") -> Iterator[bytes]:
        """Run and yield the pieces of standard output between ``separator``; a last empty piece is dropped."""
        rest = b""
        for block in self.chunks(*args, stdin=stdin):
            pieces = (rest + block).split(separator)
            rest = pieces.pop()
            yield from pieces
        if rest:
            yield rest
