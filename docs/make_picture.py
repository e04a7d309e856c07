"""Draw docs/picture-light.svg and docs/picture-dark.svg: what two commands print about the demo (``make docs``)."""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from unittest import mock

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from syncbot.cli.main import run

HERE = Path(__file__).parent
WIDTH = 100
SHOWN = (
    "syncbot where '#14' --repo lumen.git",
    "syncbot status masked-tail --as-of 2026-03-12 --repo lumen=lumen.git --repo harbor=harbor.git",
)
# Background, text, then black, red, green, yellow, blue, magenta, cyan, white and their bright forms.
COLOURS = {
    "light": "f6f8fa 1f2328 1f2328 cf222e 1a7f37 7d4e00 0969da 8250df 1b7c83 6e7781 57606a a40e26 1a7f37 633c01 0550ae "
    "6639ba 0a5d63 8c959f",
    "dark": "161b22 e6edf3 484f58 ff7b72 3fb950 d29922 58a6ff bc8cff 39c5cf b1bac4 6e7681 ffa198 56d364 e3b341 79c0ff "
    "d2a8ff 56d4dd ffffff",
}
# Rich's own frame without the fonts it would fetch from elsewhere.
FRAME = """<svg viewBox="-16 -12 {terminal_width} {terminal_height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>What syncbot prints about a fix and about the workaround that waits for it</title>
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, Menlo, Consolas, monospace; }}
{styles}
</style>
<defs>{lines}</defs>
<rect x="-16" y="-12" width="100%" height="100%" rx="8" fill="BACKGROUND"/>
<g class="{unique_id}-matrix">{backgrounds}{matrix}</g>
</svg>
"""


def draw(folder: Path) -> dict[str, str]:
    """Return the pictures by name; ``folder`` is what ``syncbot demo --keep`` left."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor",
        highlight=False, markup=False, emoji=False,
    )  # fmt: skip
    with chdir(folder), mock.patch("syncbot.cli.repos.console", return_value=console):
        for command in SHOWN:
            console.print(Text.assemble(("$ ", "dim"), (command, "bold")), soft_wrap=True)
            if run(shlex.split(command)[1:]) != 0:
                sys.exit(f"{command}: failed")
            console.print()
    return {name: _picture(console, colours) for name, colours in COLOURS.items()}


def words(picture: str) -> list[str]:
    """What can be read in a picture, line by line."""
    return re.findall(r"<text[^>]*>([^<]*\S[^<]*)</text>", picture)


def _picture(console: Console, colours: str) -> str:
    background, text, *ansi = [tuple(bytes.fromhex(each)) for each in colours.split()]
    theme = TerminalTheme(background, text, ansi[:8], ansi[8:])
    frame = FRAME.replace("BACKGROUND", f"#{colours[:6]}")
    drawn = console.export_svg(theme=theme, code_format=frame, unique_id="syncbot", clear=False)
    return re.sub(r"[ \t]+$", "", drawn, flags=re.MULTILINE)


def main() -> None:
    """Play the demo and draw what it leaves."""
    with tempfile.TemporaryDirectory() as name:
        os.environ["SYNCBOT_CACHE"] = f"{name}/cache"
        demo = Path(name) / "demo"
        with mock.patch("sys.stdout", io.StringIO()):
            code = run(["demo", "--keep", str(demo)])
        if code != 0:
            sys.exit("the demo failed")
        for kind, picture in draw(demo).items():
            (HERE / f"picture-{kind}.svg").write_text(picture, encoding="utf-8")
            print(f"picture-{kind}.svg")


if __name__ == "__main__":
    main()
