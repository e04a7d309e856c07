"""A view of a repository without its configuration: its objects, refs and HEAD, and nothing else.

A clone's own configuration belongs to whoever made the clone. It can name programs to run, and it can promise objects
that are fetched when they are missed: in a partial clone one missing object ends a whole ``git cat-file --batch`` with
"could not fetch … from promisor remote", after a search through every pack, whatever the environment says. Seen
through a view a missing object is just ``missing``, at once.

The view is a folder of symbolic links in the temporary folder, one for each repository and process, removed at the
end of the process; the repository gains nothing.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path

from syncbot.git.run import Access, Git

# Links that lead nowhere yet are wanted too: git may write packed-refs at any time.
_LINKS = ("objects", "refs", "packed-refs", "shallow", "logs")


def plain_view(git_dir: Path, common_dir: Path, object_format: str | None = None) -> Git:
    """Return a read-only runner on a view of the repository, whose ``object_format`` is asked for if not given.

    ``common_dir`` holds objects and refs, ``git_dir`` the HEAD (they differ in a linked work tree).
    """
    if (common_dir / "reftable").exists():
        return Git(git_dir, Access.READ)  # these refs cannot be read without the configuration that announces them
    view = _folder(git_dir, common_dir, object_format or _object_format(git_dir))
    # A copy: git takes no link for a HEAD. Replaced whole, since another thread may be reading.
    head, copy = (git_dir / "HEAD").read_bytes(), view / "HEAD"
    if not copy.exists() or copy.read_bytes() != head:
        (view / "HEAD.new").write_bytes(head)
        (view / "HEAD.new").replace(copy)
    return Git(view, Access.READ)


@functools.cache
def _object_format(git_dir: Path) -> str:
    return Git(git_dir, Access.READ).text("rev-parse", "--show-object-format")


@functools.cache
def _folder(git_dir: Path, common_dir: Path, object_format: str) -> Path:  # noqa: ARG001 - HEAD is of one git_dir
    view = Path(tempfile.mkdtemp(prefix="syncbot-view-"))
    atexit.register(_remove, view, os.getpid())
    for name in _LINKS:
        (view / name).symlink_to(common_dir / name)
    if object_format != "sha1":
        settings = f"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = {object_format}\n"
        (view / "config").write_text(settings)
    return view


def _remove(view: Path, owner: int) -> None:
    # A child that was forked runs this too, while its parent still reads.
    if os.getpid() == owner:
        shutil.rmtree(view, ignore_errors=True)
