"""The pins that a pull request moves, read from its files and never run, with the review of each move.

A pin is compared where the pull request left its base and at its head: what the base branch did since is not its doing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from syncbot.forge.ports import Reader
from syncbot.landing.pins import PinProblemError, text_in
from syncbot.model.bump import Bump, PinMoved
from syncbot.model.errors import SyncbotError, TryLaterError, UsageError
from syncbot.model.pins import PinText
from syncbot.model.project import Pin


def pins_moved(
    reader: Reader, repo: str, number: int, pins: Sequence[Pin], review: Callable[[Pin, str, str], Bump]
) -> list[PinMoved]:
    """Return the moves of those ``pins`` that pull request ``number`` of ``repo`` edits.

    ``review`` is asked once for each upstream and move. Raises what the forge raises: what could not be read is no
    "no move".
    """
    changed = {name for each in reader.pull_files(repo, number) for name in (each.path, each.former_path)}
    done: dict[tuple[str, str, str], Bump | SyncbotError] = {}
    found: list[PinMoved] = []
    for pin in pins:
        places = [path for path in ([pin.submodule] if pin.submodule else pin.paths) if path in changed]
        if not places:
            continue
        moved = _moved(reader, repo, number, pin, places)
        if moved is None:
            continue
        if moved.old is None or moved.new is None or moved.problem is not None:
            found.append(moved)
            continue
        key = pin.upstream, moved.old, moved.new
        if key not in done:
            try:
                done[key] = review(pin, moved.old, moved.new)
            except TryLaterError:
                raise
            except UsageError as error:
                done[key] = error
        answer = done[key]
        found.append(
            PinMoved(
                pin=pin, path=moved.path, old=moved.old, new=moved.new,
                bump=answer if isinstance(answer, Bump) else None,
                problem=None if isinstance(answer, Bump) else str(answer),
            )
        )  # fmt: skip
    return found


def _moved(reader: Reader, repo: str, number: int, pin: Pin, places: Sequence[str]) -> PinMoved | None:
    """What the pin said and says, None if that is the same; a file may go as another one comes."""
    ends: list[tuple[PinText | None, str | None]] = []
    files = {path: reader.pull_file(repo, number, path) for path in places}
    for end in (0, 1):
        path, content = next(
            ((path, both[end]) for path, both in files.items() if both[end] is not None), (places[0], None)
        )
        ends.append(_said(pin, path, content))
    (before, was_wrong), (after, wrong) = ends
    if (before is None and after is None) and not (wrong and not was_wrong):
        return None
    if before is not None and after is not None and before.text == after.text:
        return None
    return PinMoved(
        pin=pin, path=after.path if after else places[0], old=before.text if before else None,
        new=after.text if after else None, problem=wrong,
    )  # fmt: skip


def _said(pin: Pin, path: str, content: bytes | None) -> tuple[PinText | None, str | None]:
    if content is None:
        return None, None
    if pin.submodule is not None:
        return PinText(text=content.decode("ascii", "replace"), path=path, submodule=True), None
    try:
        return text_in(pin, path, content), None
    except PinProblemError as error:
        return None, str(error)
