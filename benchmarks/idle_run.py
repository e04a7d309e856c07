"""What a run costs when nothing has changed: ``idle_run.py [WORKAROUNDS]``, on the fake GitHub, with a filled cache.

Prints requests, writes, seconds of the process and seconds on the clock of the third run (the first proposes, the
second fills the caches of answers).
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "tests" / "fixtures")]


def main() -> None:
    """Make the stand-in, run three times, print what the third cost."""
    import pytest
    from fault_schedules import Captured
    from standin import MANIFEST, make_standin, make_template

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    keep = sys.stdout, sys.stderr
    limits = 'dashboard = "Board"\n[proposals.limits]\nmax_open = 5\nmax_writes = 60'
    with tempfile.TemporaryDirectory(prefix="syncbot-idle-") as folder, pytest.MonkeyPatch.context() as patch:
        template, root = Path(folder, "template"), Path(folder, "run")
        ids = make_template(template)
        root.mkdir()
        maker = make_standin("pull-request", template, ids, root, Captured(), patch, extra=limits)
        stand = next(maker)
        for number in range(count - 1):
            where = stand.project / f"patches/guard-{number:03}"
            where.mkdir()
            (where / "patch.toml").write_text(MANIFEST.format(introduced=ids[0], fix=ids[1]))
        stand.pin("v0.1.20")
        for _ in range(2):
            stand.run("sync", "--apply")
        stand.forge.forget()
        own, clock = time.process_time(), time.monotonic()
        code, _ = stand.run("sync", "--apply")
        own, clock = time.process_time() - own, time.monotonic() - clock
        asked, wrote = len(stand.forge.requests), len(stand.forge.writes) + len(stand.forge.pushes)
        next(maker, None)
    sys.stdout, sys.stderr = keep
    print(f"{count} workarounds, exit {code}: {asked} requests, {wrote} writes, {own:.2f} s own, {clock:.2f} s clock")


if __name__ == "__main__":
    main()
