"""``syncbot report --merge``: from files and folders to one report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from syncbot.model.errors import UsageError

if TYPE_CHECKING:
    from syncbot.model.report import Report, TrendPoint


def merge_files(paths: Sequence[Path], *, remembered: Sequence[TrendPoint] = ()) -> tuple[Report, tuple[str, ...]]:
    """The report of the whole, and a sentence for each part that is missing. A folder means every ``*.json`` below it.

    Raises `UsageError` naming each file that is no report, and for parts that do not belong together.
    """
    from syncbot.report.data import parse_report
    from syncbot.report.merge import merged

    reports: dict[str, Report] = {}
    problems: list[str] = []
    for path in paths:
        files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        if not files:
            problems.append(f"--merge {path}: there is no *.json in it")
        for file in files:
            try:
                reports[str(file)] = parse_report(file.read_text(encoding="utf-8"))
            except OSError as error:
                problems.append(f"--merge {file}: {error.strerror or error}")
            except UsageError as error:
                problems += [f"--merge {file}: {problem}" for problem in error.problems]
            except UnicodeDecodeError:
                problems.append(f"--merge {file}: it is no UTF-8")
    if problems:
        raise UsageError(*problems)
    return merged(reports, remembered=remembered)
