"""Draft until the required checks pass, and what was measured stays valid while the base moves."""

import json

import pytest
from fake_forge import Fault, Script
from standin import DOWN, HOME

from syncbot.cli.main import run

CHECK = '\n[[checks]]\nname = "soak"\nkind = "command"\ncommand = "make soak"\n'
SEEN = '\n[[checks]]\nname = "seen"\nkind = "manual"\ntext = "Looked at the traces"\n'


def edit_of(stand):
    body = stand.proposals()[0]["body"]
    return json.loads(body.rpartition("<!-- syncbot:record ")[2].partition(" -->")[0])["edit"]


def attach(stand, *, pin="v0.1.20", edit=None):
    """A person attaches what the check came to, as docs/checks.md says."""
    file = stand.root / "soak.json"
    file.unlink(missing_ok=True)
    tags = ["--edit", edit or edit_of(stand), "--pin", pin]
    ran = ["--arm", "candidate", "--hardware", "cpu", "--exit-code", "0", "--output", str(file)]
    assert run(["results", "outcome", "soak", *ran, *tags]) == 0
    where = ["--local", "--project", str(stand.project)]
    assert run(["results", "attach", "guard", *where, "--candidate", str(file), *tags]) == 0
    stand.capsys.readouterr()


def test_results_attached_on_day_two_and_a_base_that_moves_for_a_month(make_stand):
    stand = make_stand("pull-request", manifest=CHECK)
    stand.pin("v0.1.20")
    stand.sync()
    (only,) = stand.proposals()
    assert only["draft"]
    assert "Still a draft" in only["body"]
    tip = stand.tip()
    stand.move_main(3)
    attach(stand)
    stand.sync()
    (only,) = stand.proposals()
    assert not only["draft"], only["body"]
    assert "Every required check has passed" in only["body"]
    assert "- [x] command" in only["body"]
    for _ in range(4):
        stand.move_main(9)
        stand.quiet()
    assert stand.tip() == tip
    assert not stand.proposals()[0]["draft"]


def test_results_of_another_edit_or_pin_open_no_gate(make_stand):
    stand = make_stand("pull-request", manifest=CHECK)
    stand.pin("v0.1.20")
    stand.sync()
    attach(stand, edit="0" * 40)
    stand.sync()
    attach(stand, pin="v0.1.19")
    stand.sync()
    assert stand.proposals()[0]["draft"]


def test_a_persons_tick_counts_and_stays(make_stand):
    stand = make_stand("pull-request", manifest=SEEN)
    stand.pin("v0.1.20")
    stand.sync()
    assert stand.proposals()[0]["draft"]
    stand.edit_body(1, "- [ ] manual", "- [x] manual")
    stand.sync()
    (only,) = stand.proposals()
    assert not only["draft"]
    assert "- [x] manual" in only["body"]
    # A person who wants it a draft again has the last word.
    stand.forge.world.repos[DOWN].items[1].draft = True
    stand.quiet()


@pytest.mark.parametrize("kind", ["folder", "pull-request"])
def test_attached_straight_to_the_open_proposal(make_stand, kind):
    stand = make_stand(kind, manifest=CHECK)
    stand.pin("v0.1.20")
    stand.sync()
    stand.move_main()
    file = stand.root / "soak.json"
    outcome_file(stand)
    given = ["--candidate", str(file), "--by", "@ann"]
    before = stand.writes()
    code, text = attached(stand, *given, "--dry-run")
    assert (code, stand.writes()) == (0, before)
    assert not (stand.project / "patches/guard/results").exists()
    code, text = attached(stand, *given)
    assert code == 0, text
    assert "ready: every required check has passed" in text
    assert "proposal: make-ready, edit-proposal" in text
    (only,) = stand.proposals()
    assert not only["draft"]
    assert "Every required check has passed" in only["body"]
    assert "by `@ann`" in only["body"]
    after = stand.writes()
    code, text = attached(stand, *given)
    assert (code, stand.writes()) == (0, after)
    assert "proposal: says it already" in text
    stand.quiet()


def test_attaching_opens_and_rebuilds_nothing(make_stand):
    stand = make_stand("pull-request", manifest=CHECK)
    stand.pin("v0.1.20")
    file = stand.root / "soak.json"
    ran = ["--arm", "candidate", "--exit-code", "0", "--edit", "0" * 40, "--pin", "v0.1.20", "--output", str(file)]
    assert run(["results", "outcome", "soak", *ran]) == 0
    code, text = attached(stand, "--candidate", str(file))
    assert code == 0
    assert "proposal: not written, left to the next sync --apply" in text
    assert (stand.proposals(), stand.writes()) == ([], (0, 0))


def test_attached_while_the_forge_gives_no_answer_is_kept(make_stand):
    stand = make_stand("pull-request", manifest=CHECK)
    stand.pin("v0.1.20")
    stand.sync()
    outcome_file(stand)
    stand.forge.faults.add("GET /repos/octo/down", Fault.TOO_MANY_LONG)
    before = stand.writes()
    code, text = attached(stand, "--candidate", str(stand.root / "soak.json"))
    assert (code, stand.writes()) == (3, before)
    assert "the results are kept" in text
    stand.forge.faults = Script()
    stand.sync()
    assert not stand.proposals()[0]["draft"]


def attached(stand, *given):
    """``results attach`` with the clones of the stand-in."""
    repos = ["--repo", f"kernels={stand.up}", "--repo", f"down={stand.down}"]
    code = run(["results", "attach", "guard", "--project", str(stand.project), *repos, *given])
    out, err = stand.capsys.readouterr()
    return code, out + err


def outcome_file(stand):
    """What a run of the check left, as it would be attached to a comment."""
    file = stand.root / "soak.json"
    ran = ["--arm", "candidate", "--hardware", "cpu", "--exit-code", "0", "--output", str(file)]
    assert run(["results", "outcome", "soak", *ran, "--edit", edit_of(stand), "--pin", "v0.1.20"]) == 0
    return file.read_bytes()


UPLOAD = "/user-attachments/files/7/soak.json"


def test_a_file_attached_to_a_comment_counts_from_people_who_may_write(make_stand):
    stand = make_stand("pull-request", manifest=CHECK)
    stand.pin("v0.1.20")
    stand.sync()
    stand.forge.uploads[UPLOAD] = outcome_file(stand)
    text = f"/syncbot results\n\n[soak.json]({stand.forge.web}{UPLOAD})\n"
    stand.comment(1, text, login="stranger")
    stand.sync()
    assert stand.proposals()[0]["draft"]
    assert [each.path for each in stand.forge.requests if "/files/" in each.path] == [], (
        "a stranger's link is not asked"
    )
    stand.comment(1, text.replace("/syncbot results", "See"))
    stand.sync()
    assert stand.proposals()[0]["draft"]
    stand.comment(1, text)
    stand.sync()
    (only,) = stand.proposals()
    assert not only["draft"]
    assert "by `@ann`" in only["body"]
    asked = [each.path for each in stand.forge.requests if "/files/" in each.path]
    assert asked == [UPLOAD], "fetched once, and kept"
    del stand.forge.uploads[UPLOAD]
    stand.quiet()


def test_a_file_that_cannot_be_fetched_now_changes_nothing(make_stand):
    stand = make_stand("pull-request", manifest=CHECK)
    stand.pin("v0.1.20")
    stand.sync()
    stand.forge.uploads[UPLOAD] = outcome_file(stand)
    stand.comment(1, f"/syncbot results\n[soak.json]({stand.forge.web}{UPLOAD})")
    stand.forge.faults.add(UPLOAD, *[Fault.ERROR_BEFORE] * 2)
    before = stand.writes()
    code, text = stand.run("sync", "--apply")
    assert (code, stand.writes()) == (3, before)
    assert "Not looked at: the forge answered 503" in text
    stand.forge.faults = Script()
    stand.sync()
    assert not stand.proposals()[0]["draft"]


def test_a_file_that_is_no_result_or_lies_elsewhere_is_told(make_stand):
    stand = make_stand("pull-request", manifest=CHECK)
    stand.pin("v0.1.20")
    stand.sync()
    stand.forge.uploads |= {UPLOAD: b"<html>", UPLOAD.replace("7", "8"): b'{"schema": "syncbot.attached/1"}'}
    links = (UPLOAD, UPLOAD.replace("7", "8"), UPLOAD.replace("7", "9"))
    for link in (
        *(stand.forge.web + each for each in links),
        "https://evil.example/user-attachments/files/1/soak.json",
    ):
        stand.comment(1, f"/syncbot results\n{link}")
    text = stand.sync()
    assert stand.proposals()[0]["draft"]
    assert "Not taken: soak.json in " in text
    for why in ("not JSON", "groups: expected a list", "only signed-in people may see it", "not an attachment of 127."):
        assert why in text


def test_a_comment_with_results_counts_from_people_who_may_write(make_stand):
    stand = make_stand("pull-request", manifest=CHECK)
    stand.pin("v0.1.20")
    stand.sync()
    attach(stand)
    from pathlib import Path

    from syncbot.checks.store import FOLDER, load
    from syncbot.render.results import block

    folder = Path(stand.project, "patches/guard", FOLDER)
    text = "\n\n".join(block(each) for each in load(folder))
    for path in folder.iterdir():
        path.unlink()
    stand.comment(1, f"Measured:\n\n{text}", login="stranger")
    stand.sync()
    assert stand.proposals()[0]["draft"]
    stand.comment(1, f"Measured:\n\n{text}")
    stand.sync()
    assert not stand.proposals()[0]["draft"]
    assert stand.forge.world.repos[HOME].items == {}
