"""The memory on a branch of the bot's own repository: one file, one commit for each time something changed.

The branch is fetched into a folder that is thrown away, so nothing of it can be broken on this machine. Two runs at
once lose nothing: a push has an exact lease, and one that lost it merges and tries again.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from syncbot.git.blobs import read_blobs
from syncbot.git.objects import Entry, Identity, Scratch
from syncbot.git.remote import remote
from syncbot.git.run import Access, Git, GitError
from syncbot.memory import Loaded, Memory, merge, parse_memory, render_memory
from syncbot.model.errors import CouldNotError, SyncbotError, TryLaterError
from syncbot.model.forge import PushOutcome
from syncbot.proposals.destination import HostDestination

BRANCH = "syncbot-memory"
_FILE = "memory.jsonl"
_TRIES = 3
_ABSENT = "couldn't find remote ref"


class BranchMemory:
    """The memory on the branch `BRANCH` of one repository; see `syncbot.memory.MemoryStore`."""

    def __init__(self, destination: HostDestination, *, label: str, identity: Identity) -> None:
        self._there = destination
        self._label = f"{label}, branch {BRANCH}"
        self._identity = identity

    def load(self) -> Loaded:
        """See `MemoryStore.load`; a branch that is not there, or cannot be fetched, is told."""
        with tempfile.TemporaryDirectory(prefix="syncbot-memory-") as folder:
            try:
                git, tip = self._fetched(Path(folder))
                if tip is None:
                    lost = "there is no memory yet, or it was lost: tags that moved before today will not be noticed"
                    return Loaded(memory=Memory(), problems=(f"{self._label}: {lost}",))
                memory, problems = parse_memory(self._text(git, tip).decode("utf-8", "replace"))
            except SyncbotError as error:
                return Loaded(memory=Memory(), problems=(f"{self._label}: the memory cannot be read: {error}",))
        return Loaded(memory=memory, problems=tuple(f"{self._label}: {problem}" for problem in problems))

    def save(self, memory: Memory) -> Memory:
        """See `MemoryStore.save`. Raises `TryLaterError` when the host does not answer, `CouldNotError` for a no."""
        for _ in range(_TRIES):
            with tempfile.TemporaryDirectory(prefix="syncbot-memory-") as folder:
                git, tip = self._fetched(Path(folder))
                before = self._text(git, tip) if tip is not None else b""
                both = merge(parse_memory(before.decode("utf-8", "replace"))[0], memory)
                after = render_memory(both).encode()
                if after == before or self._pushed(git, tip, after):
                    return both
        raise TryLaterError(f"{self._label}: other runs were writing the memory at the same time")

    def _fetched(self, folder: Path) -> tuple[Git, str | None]:
        Git(folder, Access.WRITE).run("init", "--quiet", "--bare", "--template=", "--initial-branch=memory")
        git = Git(folder, Access.NETWORK)
        token = self._there.token.reveal() if self._there.token is not None else None
        there = remote(self._there.url, token=token, token_variable=self._there.token_variable)
        try:
            there.run(
                git, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
                "--", self._there.url, f"+refs/heads/{BRANCH}:refs/heads/memory",
            )  # fmt: skip
        except GitError as error:
            if _ABSENT in error.stderr:
                return git, None
            raise
        return git, git.text("rev-parse", "--verify", "refs/heads/memory")

    def _text(self, git: Git, tip: str) -> bytes:
        name = f"{tip}:{_FILE}"
        return read_blobs(git, [name])[name] or b""

    def _pushed(self, git: Git, tip: str | None, text: bytes) -> bool:
        """Whether the branch has the new text now; False where somebody else was faster."""
        with Scratch(git.directory) as store:
            tree = store.flat_trees([{_FILE: Entry(mode="100644", oid=store.write(text))}])[0]
            parents = (tip,) if tip is not None else ()
            made = store.commit(tree, parents, "What syncbot remembers\n", self._identity)
            pusher = git.with_env(
                GIT_OBJECT_DIRECTORY=str(store.objects), GIT_ALTERNATE_OBJECT_DIRECTORIES=str(git.directory / "objects")
            )
            result = self._there.push(pusher, branch=BRANCH, oid=made, expected=tip)
        match result.outcome:
            case PushOutcome.UNREACHABLE:
                raise TryLaterError(f"{self._label}: {result.reason}")
            case PushOutcome.REJECTED:
                said = "; ".join(part for part in (result.reason, result.hint) if part)
                raise CouldNotError(f"{self._label}: {said}")
            case PushOutcome.LEASE_LOST:
                return False
            case _:
                return True
