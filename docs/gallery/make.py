"""Make the gallery: ``make docs``.

The demo's page always. That of the real manifests where SYNCBOT_CLONES names a folder with clones of AITER and vLLM
(``ROCm+aiter/repo``, ``shen-shanshan+vllm/repo``), else it stays as it is; titles of other projects' changes are left
out of it. Pictures where the browser tests can run. Nothing of this machine is written: the days are fixed.
"""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from syncbot.cli.demo import runner
from syncbot.cli.offered import offered
from syncbot.cli.report import gathered
from syncbot.cli.repos import open_project
from syncbot.cli.status import moment_of
from syncbot.demo import play
from syncbot.model.report import Report
from syncbot.report import data, html, markdown, terminal
from syncbot.report.rows import build

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BROWSER = ROOT / "tests" / "browser"
# A page in a gallery is old by nature; nothing has stopped.
NEVER_OLD = 24.0 * 36525


def report(config: Path, repos: list[str], day: str) -> Report:
    """The report on a fixed day, made that day at six."""
    moment = moment_of(None, day)
    project, clones = open_project(str(config), repos)
    made_at = dt.datetime.combine(moment.today, dt.time(6), dt.UTC)
    proposals, _ = offered(project, clones, project.workarounds, ask_hosts=False)
    return build(
        replace(gathered(project, clones, moment, made_at=made_at), every_hours=NEVER_OLD, proposals=proposals)
    )


def untitled(made: Report) -> Report:
    """The same without the titles that others gave their changes."""
    rows = [replace(row, fixes=tuple(replace(fix, title=None) for fix in row.fixes)) for row in made.rows]
    matrices = [replace(each, rows=tuple(replace(row, title=None) for row in each.rows)) for each in made.matrices]
    pins = [replace(pin, moves=tuple(replace(move, title="") for move in pin.moves)) for pin in made.pins]
    moved = [
        replace(
            row,
            pins=tuple(replace(pin, moves=tuple(replace(move, title="") for move in pin.moves)) for pin in row.pins),
        )
        for row in rows
    ]
    return replace(made, rows=tuple(moved), matrices=tuple(matrices), pins=tuple(pins))


def write(name: str, made: Report) -> None:
    """The report in every format."""
    texts = {
        "html": html.page(made),
        "md": markdown.document(made),
        "txt": terminal.text(made),
        "json": data.report_json(made),
        "badge.json": data.badge(made),
    }
    for ending, text in texts.items():
        (HERE / f"{name}.{ending}").write_text(text, encoding="utf-8")
    print(f"{name}: {', '.join(texts)}")


def photograph(name: str, picture: str, *how: str) -> None:
    """A picture of a page, or a line that says why there is none."""
    if not (BROWSER / "node_modules").is_dir():
        print(f"{picture}: left as it is; run: npm install --prefix tests/browser")
        return
    command = ["node", str(BROWSER / "shot.mjs"), str(HERE / f"{name}.html"), str(HERE / picture), *how]
    subprocess.run(command, check=True)
    print(picture)


def main() -> None:
    """Write everything that can be written here, and say what was."""
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        demo.mkdir()
        for _ in play.play(demo, runner(demo)):
            pass
        repos = [f"{name}={demo / name}.git" for name in ("lumen", "harbor")]
        write("demo", report(demo, repos, "2026-03-27"))
    clones = os.environ.get("SYNCBOT_CLONES")
    if clones:
        paths = {"aiter": Path(clones, "ROCm+aiter", "repo"), "vllm": Path(clones, "shen-shanshan+vllm", "repo")}
        write("vllm", untitled(report(ROOT, [f"{name}={path}" for name, path in paths.items()], "2026-08-22")))
    else:
        print("vllm: left as it is; SYNCBOT_CLONES names no folder of clones", file=sys.stderr)
    photograph("vllm", "desktop.png", "1280", "1160", "light", "2026-08-22T09:00:00Z")
    photograph("vllm", "row.png", "1280", "1500", "dark", "2026-08-22T09:00:00Z", "vllm-49714")
    photograph("vllm", "phone.png", "390", "1160", "dark", "2026-08-22T09:00:00Z")


if __name__ == "__main__":
    main()
