"""The ``syncbot`` command: finds the subcommand's file, sets up the log, turns errors into exit codes.

A command is a file ``syncbot/cli/<name>.py`` with a typer app called ``app``, and a line in `COMMANDS`. The file is
imported when the command is called, and its own imports of heavy libraries stand inside its functions.
"""

from __future__ import annotations

import errno
import gc
import importlib
import io
import logging
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from syncbot.model.errors import SyncbotError, UsageError
from syncbot.render.text import plain

COMMANDS: dict[str, str] = {
    "where": "Say in which releases a fix really is, with the evidence.",
    "status": "Say where each workaround stands and what to do next.",
    "report": "Write the report: terminal, Markdown, HTML, JSON or a badge.",
    "bump": "Say what a move of a pin frees, loses and drops.",
    "plan": "Say what sync --apply would write, and why; writes nothing.",
    "apply": "Carry out a plan that was read, as far as it still holds.",
    "sync": "Look at everything and say what is due; with --apply propose it.",
    "alarm": "Keep one issue that says a workflow fails.",
    "hear": "Say whether an event asks for something, by somebody who may.",
    "demo": "Play the story of two stand-in projects, and check every answer.",
    "discover": "Find workarounds in the code that nobody recorded.",
    "track": "Write the manifest of a workaround: a finding, a pull request or a commit.",
    "init": "Look at two projects and write a syncbot.toml for them.",
    "check": "Read syncbot.toml and the manifests, and print every problem.",
    "doctor": "Say whether everything is there that syncbot needs, and what to do.",
    "results": "Compare benchmark results, judge the checklist, attach them.",
    "schema": "Print the JSON Schema of syncbot.toml and patch.toml.",
    "rebase": "Put a workaround (or any commit) onto a branch, verified.",
    "remove": "Take a workaround (or any commit) out of a branch, verified.",
}

_BUG = 70
_OF_THE_WHOLE = ("install_completion", "show_completion")


class LazyGroup(TyperGroup):
    """Lists commands from `COMMANDS` without importing them; imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a stand-in that carries the name and its one line of help."""
        if cmd_name not in COMMANDS:
            return None
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name], rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import and return the real command."""
        name, stand_in, rest = super().resolve_command(ctx, args)
        if stand_in is None or name not in COMMANDS:
            return name, stand_in, rest
        module = importlib.import_module(f"syncbot.cli.{name.replace('-', '_')}")
        real = typer.main.get_command(module.app)
        real.name = name
        # Completion is installed for syncbot as a whole; no command of its own offers that.
        real.params = [each for each in real.params if each.name not in _OF_THE_WHOLE]
        return name, real, rest


app = typer.Typer(
    cls=LazyGroup,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Remembers temporary workarounds for upstream bugs: which releases have the fix, when the workaround can go.",
)


def _print_version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"syncbot {version('syncbot')}")
        raise typer.Exit


@app.callback()
def root(
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Log more; twice for git commands.")] = 0,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Answers go to standard output, the log to standard error."""
    level = {0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG)
    logging.basicConfig(level=level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")


def main() -> None:
    """Run the command line and leave with the exit codes of the documentation: 0, 1, 2, 3 or 70."""
    if sys.stdout is None:  # closed by who started it, so nobody reads
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A title in Chinese is no reason to stop where the terminal knows ASCII only.
            stream.reconfigure(errors="replace")
    if os.environ.get("GITHUB_ACTIONS"):
        from syncbot.cli.workflow import guarded

        sys.stdout, sys.stderr = guarded(sys.stdout, os.environ), guarded(sys.stderr, os.environ)
    code = run(sys.argv[1:])
    # The process is over: looking for garbage among what it read on the way out can take longer than its answer.
    gc.freeze()
    sys.exit(code)


def complain(*problems: str) -> None:
    """Print problems on standard error, in a workflow as an output too.

    Names and texts from strangers in them cannot steer the terminal.
    """
    told = "\n".join(plain(line) for problem in problems for line in f"error: {problem}".split("\n"))
    print(told, file=sys.stderr)
    if os.environ.get("GITHUB_OUTPUT"):
        from syncbot.cli.workflow import put_output

        put_output("problem", told, os.environ)


def run(arguments: list[str]) -> int:
    """Run with ``arguments`` and return the exit code; every message a person needs is on standard error."""
    try:
        outcome = app(args=arguments, prog_name="syncbot", standalone_mode=False)
        sys.stdout.flush()
    except SyncbotError as error:
        lines = error.problems if isinstance(error, UsageError) else (str(error),)
        complain(*lines)
        return error.exit_code
    except typer._click.exceptions.ClickException as error:  # noqa: SLF001 - typer ships click privately
        error.show()
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _stop_printing()
        return 0
    except SystemExit:
        # The reader has gone (``| head``): typer wraps standard output then, and would leave with 1.
        if not isinstance(sys.stdout, typer._click.utils.PacifyFlushWrapper):  # noqa: SLF001 - as above
            raise
        _stop_printing()
        return 0
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return _report_bug(error)
        _stop_printing()
        complain(f"cannot write: {error.strerror}")
        return 1
    except Exception as error:  # noqa: BLE001 - the last line of defence, it writes the report
        return _report_bug(error)
    return outcome if isinstance(outcome, int) else 0


def _stop_printing() -> None:
    """Turn standard output away: what is left in it would make the exit itself complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _report_bug(error: Exception) -> int:
    """Write the traceback to a file of its own (never argv or the environment, where secrets may be) and say where."""
    import tempfile

    with tempfile.NamedTemporaryFile("w", prefix="syncbot-bug-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write("".join(traceback.format_exception(error)))
    complain(f"this is a bug in syncbot ({type(error).__name__}); its report is in {file.name}")
    return _BUG
