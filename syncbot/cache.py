"""The cache of immutable facts: small values that follow from an object id and can be worked out again at any time.

One SQLite file, shared by every process of this user, keyed by namespace and key. A namespace carries the version of
its format in its name (``"patch-id/1"``): a new format is a new namespace, old rows age out. The file may be deleted,
cut short, scribbled over or on a read-only disk; the only effect is time. So nothing here raises: what cannot be read
is not there, what cannot be written is not kept, and the log says why, once.

SQLite notices a broken page but not a changed byte, and two processes may each replace a broken file under the other;
hence every row carries a checksum over its namespace, key and value, and a row that fails it condemns the file.
"""

from __future__ import annotations

import json
import logging
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")

log = logging.getLogger(__name__)

MAX_BYTES = 256 << 20
_BATCH = 500
_BUSY_SECONDS = 5.0
_LAYOUT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
  namespace TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (namespace, key)
)
"""


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder for the cache and the mirrors: ``SYNCBOT_CACHE`` if set, else this user's cache folder."""
    if chosen := environment.get("SYNCBOT_CACHE"):
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_cache_path

    return user_cache_path("syncbot", appauthor=False)


class Cache:
    """Facts in the file ``path``, opened at the first use; ``path`` None keeps nothing.

    ``max_bytes`` bounds the file: past it the older half of the rows goes.
    """

    def __init__(self, path: Path | None, *, max_bytes: int = MAX_BYTES) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._off = path is None
        self._read_only = False
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get_many(self, namespace: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the values of those ``keys`` that are known."""
        wanted = list(keys)

        def read(connection: sqlite3.Connection) -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for start in range(0, len(wanted), _BATCH):
                batch = wanted[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, value, checksum FROM facts WHERE namespace = ? AND key IN ({marks})"  # noqa: S608
                for key, value, checksum in connection.execute(query, (namespace, *batch)):
                    if not isinstance(value, bytes) or checksum != _checksum(namespace, key, value):
                        raise _DamageError(f"a row of {namespace} was changed")
                    found[key] = value
            return found

        return (self._attempt(read) if wanted else None) or {}

    def put_many(self, namespace: str, values: Mapping[str, bytes]) -> None:
        """Keep ``values`` in one transaction. Of two writers of one key the last wins; both wrote the same fact."""
        if not values or self._read_only:
            return
        rows = [(namespace, key, value, _checksum(namespace, key, value)) for key, value in values.items()]

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)", rows)
            self._bound(connection)

        if self._connection is not None and self._inode != _inode(self.path):
            # Somebody replaced the file; writing to the old one could leave its journal beside the new one.
            self.close()
        self._attempt(write)

    def get_json(self, namespace: str, keys: Iterable[str]) -> dict[str, Any]:
        """Like `get_many`, for values kept with `put_json`."""
        return {key: json.loads(value) for key, value in self.get_many(namespace, keys).items()}

    def put_json(self, namespace: str, values: Mapping[str, Any]) -> None:
        """Like `put_many`, for anything JSON can hold."""
        self.put_many(
            namespace, {key: json.dumps(value, separators=(",", ":")).encode() for key, value in values.items()}
        )

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._inode = None

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Return what ``work`` answers, or None where the file does not let it; a damaged file is thrown away."""
        if self._off:
            return None
        import sqlite3

        try:
            with self._lock:
                return work(self._open())
        except sqlite3.ProgrammingError:
            raise  # our bug, not the file's
        except (sqlite3.DatabaseError, _DamageError) as error:
            self._recover(error)
        except OSError as error:
            self._switch_off(error)
        return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        import sqlite3

        assert self.path is not None
        if not self.path.exists():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._connection = connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        # A killed process leaves a journal, and that is enough here; a crash of the machine may cost the file.
        connection.execute("PRAGMA synchronous = OFF")
        layout = connection.execute("PRAGMA user_version").fetchone()[0]
        if layout not in (0, _LAYOUT):
            raise _DamageError(f"its layout is {layout}, not {_LAYOUT}")
        if layout == 0:
            connection.execute("PRAGMA auto_vacuum = FULL")
            connection.execute(_SCHEMA)
            connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        self._inode = _inode(self.path)
        return connection

    def _bound(self, connection: sqlite3.Connection) -> None:
        pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        if pages * size > self._max_bytes:
            middle = "SELECT rowid FROM facts ORDER BY rowid LIMIT 1 OFFSET (SELECT count(*) / 2 FROM facts)"
            connection.execute(f"DELETE FROM facts WHERE rowid < ({middle})")  # noqa: S608
            log.info("the cache %s passed %d MiB; its older half was dropped", self.path, self._max_bytes >> 20)

    def _recover(self, error: Exception) -> None:
        """Decide by SQLite's own code: wait for the next call, do without, or throw the file away."""
        import sqlite3

        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            log.debug("the cache %s is busy; going on without it this time", self.path)
        elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL) and self._inode is not None:
            self._read_only = True
            log.info("cannot write the cache %s (%s); going on with what it has", self.path, error)
        elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            self._switch_off(error)
        else:
            self._discard(error)

    def _switch_off(self, error: Exception) -> None:
        self.close()
        self._off = True
        log.info("cannot use the cache %s (%s); going on without", self.path, error)

    def _discard(self, error: Exception) -> None:
        log.info("the cache %s was damaged (%s) and is thrown away; only time is lost", self.path, error)
        self.close()
        assert self.path is not None
        try:
            self.path.unlink(missing_ok=True)
            self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
        except OSError as reason:
            self._switch_off(reason)


class _DamageError(Exception):
    """The file opens, and what it holds is not what was put there."""


def _checksum(namespace: str, key: str, value: bytes) -> int:
    return zlib.crc32(value, zlib.crc32(f"{namespace}\0{key}\0".encode()))


def _inode(path: Path | None) -> tuple[int, int] | None:
    try:
        status = path.stat() if path is not None else None
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status else None
