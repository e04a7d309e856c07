"""Code hosts: ports for reading and writing, GitHub through PyGithub, and a folder for working without an account."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syncbot.forge.folder_reader import FolderReader
    from syncbot.forge.folder_writer import FolderWriter
    from syncbot.forge.github_reader import GitHubReader
    from syncbot.forge.github_writer import GitHubWriter
    from syncbot.forge.limits import LimitedWriter
    from syncbot.forge.ports import Reader, Writer

    # Read by mypy alone: each adapter is what its port says.
    _READERS: tuple[type[Reader], ...] = (GitHubReader, FolderReader)
    _WRITERS: tuple[type[Writer], ...] = (GitHubWriter, FolderWriter, LimitedWriter)
