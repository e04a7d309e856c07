"""The command line: wiring, logs and exit codes. Clock, environment and token enter here and nowhere else.

Each command has a file of its own, imported when it is called, so that ``syncbot --help`` stays quick.
"""

from syncbot.cli.main import main

__all__ = ["main"]
