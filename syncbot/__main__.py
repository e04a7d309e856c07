"""``python -m syncbot``: the same as the ``syncbot`` command."""

from syncbot.cli import main

if __name__ == "__main__":
    main()
