"""The fix lands, and is picked onto an older release where it conflicts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from syncbot.demo.acts.pick_and_revert import PICK
from syncbot.demo.lumen import ADA, FIX_MASK, FIX_MASK_ON_0_2
from syncbot.demo.stage import Stage, answer, shown_fix, shown_status, stands, status_command
from syncbot.demo.telling import Step, check
from syncbot.model.landing import FixReport
from syncbot.model.words import EvidenceKind


def backport(stage: Stage) -> Iterator[Step]:
    """Land #14 on main, then ship it in v0.2.1 as a pick whose patch-id differs."""
    lumen, title = stage.lumen, "Read nothing past the mask (#14)"
    fix = lumen.commit("main", title, [FIX_MASK], by=ADA, day=dt.date(2026, 3, 4))
    day = dt.date(2026, 3, 5)
    (landed,) = stage.status(day, "masked-tail")
    yield Step(
        title="The fix lands",
        story="lumen #14 is merged on main. No release has it yet.",
        command=status_command(day, "masked-tail"),
        shown=shown_status([landed]),
        checks=(check("masked-tail", "fixed, present, keep", stands(landed)),),
    )

    lumen.branch("release/0.2", lumen.git.text("rev-parse", "v0.2.0"))
    pick = lumen.commit(
        "release/0.2", title, [FIX_MASK_ON_0_2], by=ADA, day=dt.date(2026, 3, 9),
        body=PICK.format(commit=fix), authored=lumen.written(fix),
    )  # fmt: skip
    lumen.tag("v0.2.1", pick)
    report = stage.where("#14")
    (released,) = stage.status(dt.date(2026, 3, 9), "masked-tail")
    yield Step(
        title="A backport that conflicted",
        story="The pick onto release/0.2 had to be resolved by hand, so its patch-id is another one. Its trailer "
        "claims it, and its own diff bears the claim out. v0.3.0 is the higher version, but was cut before #14.",
        command="syncbot where '#14' --repo lumen.git",
        shown=shown_fix(report),
        checks=(
            check("v0.2.1", "contained (strong)", _said(report, "v0.2.1")),
            check("v0.2.1 is told by", "cherry-pick-trailer", answer(report, "v0.2.1").evidence[0].kind),
            check("its patch-id is the same", False, _told_by(report, "v0.2.1", EvidenceKind.PATCH_ID)),
            check("v0.3.0", "absent (strong)", _said(report, "v0.3.0")),
            check("masked-tail", "released, present, keep", stands(released)),
        ),
    )


def _said(report: FixReport, release: str) -> str:
    found = answer(report, release)
    return f"{found.verdict} ({found.confidence})"


def _told_by(report: FixReport, release: str, kind: EvidenceKind) -> bool:
    return any(evidence.kind is kind for evidence in answer(report, release).evidence)
