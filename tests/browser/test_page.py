"""The page in a real browser: quiet, accessible, usable by keyboard, readable at 200 %, valid.

Needs Chromium (`CHROMIUM` names it, else /usr/bin/chromium), node, and `npm install --prefix tests/browser`; skipped
with the reason where one is missing.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from report_world import MADE, given, hostile

from syncbot.report import html
from syncbot.report.rows import build

HERE = Path(__file__).parent
VALIDATE = HERE / "node_modules/html-validate/bin/html-validate.mjs"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


@pytest.fixture(scope="module")
def tools():
    """Skip, with the reason, where the browser or what drives it is missing."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no browser at {CHROMIUM}")
    if shutil.which("node") is None:
        pytest.skip("there is no node")
    if not (HERE / "node_modules").is_dir():
        pytest.skip("run: npm install --prefix tests/browser")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, extra in (("calm", ()), ("attacked", (hostile(),))):
        (folder / f"{name}.html").write_text(html.page(build(given(*extra))), encoding="utf-8")
    return folder


@pytest.mark.parametrize("page", ["calm", "attacked"])
def test_in_a_browser(tools, pages, page):
    shots = os.environ.get("SYNCBOT_SHOTS")
    done = subprocess.run(
        ["node", HERE / "check.mjs", pages / f"{page}.html", *([shots] if shots and page == "calm" else [])],
        env={**os.environ, "CHROMIUM": CHROMIUM, "MADE_AT": MADE.isoformat()},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) >= {"console", "requests", "axe", "keyboard", "layout", "age", "withoutScript", "print"}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("page", ["calm", "attacked"])
def test_the_html_is_valid(tools, pages, page):
    done = subprocess.run(
        ["node", VALIDATE, "--config", HERE / ".htmlvalidate.json", pages / f"{page}.html"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
