"""Measured, ready, merged; then the pin falls back."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator

from syncbot.demo import figures, harbor
from syncbot.demo.stage import NEXT, ROW, Proposal, Stage
from syncbot.demo.telling import Shown, Step, check, step

_PIN = "v0.3.1"


def gone(stage: Stage) -> Iterator[Step]:
    """Attach results, let people do their part, and move the pin back."""
    stage.day = dt.date(2026, 3, 21)
    (proposal,) = stage.proposals()
    yield _measured(stage, proposal)

    stage.day = dt.date(2026, 3, 22)
    proposal.tick("logs")
    wrote = stage.sync()
    yield step("ready", shown=(wrote,), checks=(check("proposed", "open", proposal.stands),))

    stage.day = dt.date(2026, 3, 23)
    stage.merge(proposal, "Drop the NaN guard (#108)")
    shown, stands = stage.status(ROW, NEXT)
    wrote = stage.sync()
    yield step(
        "gone",
        shown=(shown, wrote),
        checks=(
            check("stage, fit, decision", "ready, absent, done", stands),
            check("proposals", "merged", ", ".join(each.stands for each in stage.proposals())),
        ),
    )

    stage.day = dt.date(2026, 3, 27)
    back = harbor.pin(_PIN, "v0.2.0")
    stage.harbor.commit("main", "Back to lumen 0.2.0: 0.3 is slow (#110)", back, by=harbor.CLEO, day=stage.day)
    shown, stands = stage.status(ROW, NEXT)
    wrote, left = stage.sync(), stage.left()
    restore = stage.proposals()[-1]
    patched = stage.harbor.patched("main", restore.patch)
    before = {path: stage.harbor.text(path, at="main~2") for path in (harbor.SCORES, harbor.TEST)}
    yield step(
        "restored",
        shown=(shown, wrote),
        checks=(
            check("stage, fit, decision", "regressed, absent, restore", stands),
            check("proposed", "syncbot/restore/masked-tail", restore.table["head"]),
            check("files as they were before the removal", True, before.items() <= patched.items()),
            check("a second run writes", 0, left),
        ),
    )
    yield _found(stage)
    yield _report(stage)


def _found(stage: Stage) -> Step:
    found = json.loads(stage.run("syncbot discover $R --json").out)["findings"]
    listed = stage.show("syncbot discover $R", r"^\w+ +[0-9a-f]{8}", "waits for", "came with")
    key, name = found[0]["key"], "long-rows"
    wrote = stage.show(f"syncbot track {key} --id {name} $R")
    stage.commit("Record one more", by=harbor.CLEO)
    shown, stands = stage.status(ROW, of=name)
    return step(
        "found",
        shown=(listed, wrote, shown),
        checks=(
            check("found", "harbor/sample.py", ", ".join(each["path"] for each in found)),
            check(name, "waiting, present, keep", stands),
        ),
    )


def _measured(stage: Stage, proposal: Proposal) -> Step:
    bound = f"--edit {proposal.edit} --pin {_PIN}"
    script = stage.show(f"syncbot results commands {harbor.ID} {bound}", "^for run", "bench serve", "harbor serve")
    made = figures.measure(stage.folder / "measured", edit=proposal.edit, pin=_PIN, day=stage.day)
    stage.run(
        "syncbot results outcome no-nan --arm candidate --exit-code 0 --hardware stand-in "
        f"--output measured/no-nan.json {bound}"
    )
    attach = f"syncbot results attach {harbor.ID} $R --folder measured --by @cleo --note 'invented figures'"
    attached = stage.show(attach, "^pass", "^missing", "throughput +max_concurrency", "^draft", "^  logs", "^proposal")
    again = stage.run(attach).out.splitlines()[-1]
    stage.commit("Attach results", by=harbor.CLEO)
    return step(
        "measured",
        shown=(script, Shown(command=attach, lines=attached.lines)),
        checks=(
            check("result files", 30, made),
            check("rows that passed", 9, proposal.body.count("| pass |")),
            check("ticked by the bot", "throughput, no-nan", ", ".join(proposal.ticked)),
            check("still", "draft", proposal.stands),
            check("attached again", "proposal: says it already", again[:25]),
        ),
    )


def _report(stage: Stage) -> Step:
    # A page that says when it is next due would call itself stale the day after.
    page = stage.show(f"syncbot report $R --as-of {stage.day} --every 36500d --output report.html")
    text = (stage.folder / "report.html").read_text(encoding="utf-8")
    return step(
        "report",
        shown=(page,),
        checks=(
            check("the page has both workarounds", True, harbor.ID in text and "long-rows" in text),
            check("both proposals", True, "removal" in text and "restore" in text),
            check("and the ladder", 3, text.count("change without the workaround")),
        ),
    )
