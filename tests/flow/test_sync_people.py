"""What people did is respected: commits, closings, edits, ticks, comments, labels, other people's pull requests."""

import re

import pytest
from small_repo import commit
from standin import DOWN, HOME, KERNEL, TEST_LATER, without_the_test

BOARD = 'dashboard = "Workarounds of the stand-in"'


@pytest.fixture
def ready(make_stand):
    """A stand-in on the fake GitHub with one proposal open."""
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    return stand


def board(stand):
    (only,) = [each for each in stand.issues() if "syncbot:begin dashboard" in each["body"]]
    return only


def tick(stand, verb, *, number=None):
    issue = stand.forge.world.repos[HOME].items[board(stand)["number"]]
    issue.body, found = re.subn(rf"\[ \](.*syncbot:box {verb} )", r"[x]\1", issue.body)
    assert found == 1
    issue.updated_at = stand.forge.world.tick()


def test_a_persons_commits_are_never_pushed_over(ready):
    mine = ready.push_by_person()
    commit(ready.down, "main", {"test_kernel.py": TEST_LATER.replace("SimpleNamespace(y=2).y", "2")}, "Simplify a test")
    text = ready.sync()
    assert "Hands off" in text
    assert ready.tip() == mine
    (only,) = ready.proposals()
    assert sum("leaves it alone" in each for each in only["comments"]) == 1


def test_an_amended_commit_is_a_persons(ready):
    from small_repo import git

    tree = git(ready.down, "rev-parse", f"{ready.tip()}^{{tree}}")
    message = git(ready.down, "log", "-1", "--format=%B", ready.tip())
    mine = git(ready.down, "commit-tree", tree, "-p", f"{ready.tip()}^", "-m", message)
    git(ready.down, "update-ref", "refs/heads/syncbot/removal/guard", mine)
    ready.forge.world.settle(ready.forge.world.repos[DOWN])
    assert "Hands off" in ready.sync()
    assert ready.tip() == mine


def test_what_people_write_around_the_bots_parts_stays(ready):
    ready.edit_body(1, "## Test Plan", "I have a remark.\n\n## Test Plan")
    ready.edit_body(1, "## Purpose", "## Purpose, vandalised")
    ready.sync()
    body = ready.proposals()[0]["body"]
    assert "I have a remark." in body
    assert "vandalised" not in body


def test_a_title_a_person_gave_stays(ready):
    ready.forge.world.repos[DOWN].items[1].title = "A better title"
    commit(ready.down, "main", {"test_kernel.py": TEST_LATER.replace("SimpleNamespace(y=2).y", "2")}, "Simplify a test")
    ready.sync()
    assert ready.proposals()[0]["title"] == "A better title"


def test_made_ready_by_a_person_stays_ready(ready):
    ready.forge.world.repos[DOWN].items[1].draft = False
    ready.move_main()
    ready.quiet()
    assert not ready.proposals()[0]["draft"]


def test_a_label_a_person_took_off_stays_off(ready):
    ready.forge.world.repos[DOWN].items[1].labels.clear()
    ready.quiet()


def test_closed_and_asked_for_again_by_a_comment_on_the_dashboard(ready):
    ready.close(1)
    assert "Declined" in ready.sync()
    ready.comment(board(ready)["number"], "/syncbot reopen guard", login="stranger", repo=HOME)
    assert "Declined" in ready.sync()
    ready.comment(board(ready)["number"], "/syncbot reopen guard", repo=HOME)
    ready.sync()
    assert [each["state"] for each in ready.proposals()] == ["closed", "open"]
    ready.close(2)
    assert "Declined" in ready.sync()


def test_closed_and_asked_for_again_by_a_tick(ready):
    ready.close(1)
    ready.sync(twice=False)
    tick(ready, "reopen")
    ready.sync()
    assert [each["state"] for each in ready.proposals()] == ["closed", "open"]
    assert "[x]" not in board(ready)["body"]


def test_reopened_by_a_person_is_ours_again(ready):
    ready.close(1)
    ready.sync(twice=False)
    ready.reopen(1)
    assert "is open and right" in ready.sync()
    assert len(ready.proposals()) == 1


def test_a_branch_that_was_deleted_is_a_no(ready):
    from small_repo import git

    git(ready.down, "update-ref", "-d", "refs/heads/syncbot/removal/guard")
    ready.forge.world.settle(ready.forge.world.repos[DOWN])
    assert "Declined" in ready.sync()
    assert ready.tip() == ""


def test_hold_and_resume_by_comment(ready):
    commit(ready.down, "main", {"test_kernel.py": TEST_LATER.replace("SimpleNamespace(y=2).y", "2")}, "Simplify a test")
    before = ready.tip()
    ready.comment(1, "/syncbot hold 2099-01-01", login="stranger")
    ready.comment(1, "/syncbot hold 2099-01-01")
    assert "Left alone until 2099-01-01: @ann" in ready.sync()
    assert ready.tip() == before
    ready.comment(1, "/syncbot resume")
    ready.sync()
    assert ready.tip() != before


def test_hold_by_tick_stays_ticked(ready):
    tick(ready, "hold")
    assert "Left alone" in ready.sync()
    assert "- [x] leave it alone" in board(ready)["body"]


def test_rebase_by_comment_once(ready):
    ready.move_main()
    ready.quiet()
    before = ready.tip()
    ready.comment(1, "/syncbot rebase")
    ready.sync()
    assert ready.tip() != before
    after = ready.tip()
    ready.move_main()
    ready.quiet()
    assert ready.tip() == after


def test_the_stop_label_stops_everything(make_stand):
    stand = make_stand("pull-request", extra=BOARD)
    stand.sync()
    stand.forge.world.repos[HOME].items[1].labels.append("syncbot-stop")
    stand.pin("v0.1.20")
    before = stand.writes()
    code, text = stand.run("sync", "--apply")
    assert code == 0
    assert "held back" in text
    assert stand.writes() == before


def test_a_stop_file_and_a_cap_hold_back(make_stand):
    stand = make_stand("folder", extra='stop_file = "STOP"')
    stand.pin("v0.1.20")
    (stand.project / "STOP").touch()
    code, text = stand.run("sync", "--apply")
    assert (code, stand.proposals()) == (0, [])
    assert "the stop file STOP is there" in text
    (stand.project / "STOP").unlink()
    stand.sync()
    assert len(stand.proposals()) == 1


@pytest.mark.parametrize("same", [True, False])
def test_somebody_elses_that_does_it_already(make_stand, same):
    stand = make_stand("pull-request")
    stand.pin("v0.1.20")
    world = stand.forge.world
    files = {
        "kernel.py": KERNEL,
        "test_kernel.py": without_the_test(TEST_LATER).replace("import math\n", "import math\n", 1),
    }
    if same:
        files["test_kernel.py"] = files["test_kernel.py"].replace("\n\n\ndef test_later", "\n\n\ndef test_later")
    else:
        files = {"notes.txt": "about it"}
    commit(stand.down, "anns", files, "By hand", onto="main")
    from fake_forge.state import Pull

    now, repo = world.tick(), world.repos[DOWN]
    repo.items[1] = Pull(
        1, 4711, "Remove the NaN guard", "Takes #49714 out again", world.users["ann"], now, now, base="main",
        head="anns", head_repo=DOWN, head_sha=repo.branches()["anns"],
    )  # fmt: skip
    text = stand.sync()
    assert ("pull request 1 does it already" in text) == same
    assert len(stand.proposals()) == (1 if same else 2)


def test_opened_from_our_branch_by_a_person_is_the_persons(make_stand):
    stand = make_stand("pull-request")
    stand.pin("v0.1.20")
    stand.sync()
    pull = stand.forge.world.repos[DOWN].items[1]
    pull.author, pull.body = stand.forge.world.users["ann"], "My words."
    assert "does it already" in stand.sync()
    assert stand.proposals()[0]["body"] == "My words."


def test_the_dashboard_says_why_and_is_edited_only_when_it_changes(ready):
    body = board(ready)["body"]
    assert "Waiting for people" in body
    assert "is open and right" in body
    ready.move_main(3)
    ready.quiet()
    ready.forge.world.repos[HOME].items[board(ready)["number"]].body += "\nA remark of mine.\n"
    ready.close(1)
    ready.sync(twice=False)
    assert "A remark of mine." in board(ready)["body"]
    assert "Declined or merged" in board(ready)["body"]


def test_a_dashboard_that_lost_its_memory_costs_no_second_proposal(ready):
    ready.close(1)
    ready.sync(twice=False)
    issue = ready.forge.world.repos[HOME].items[board(ready)["number"]]
    issue.body = re.sub(r"<!-- syncbot:memory .*-->", "", issue.body)
    assert "Declined" in ready.sync()
    assert len(ready.proposals()) == 1


def test_a_plan_is_applied_as_read_and_refused_when_it_no_longer_holds(make_stand):
    stand = make_stand("pull-request")
    stand.pin("v0.1.20")
    code, text = stand.run("plan", "--json")
    assert code == 0
    (stand.root / "plan.json").write_text(text)
    code, text = stand.run("apply", "--plan", str(stand.root / "plan.json"))
    assert code == 0, text
    assert len(stand.proposals()) == 1
    code, text = stand.run("apply", "--plan", str(stand.root / "plan.json"))
    assert code == 1
    assert "refused: open-proposal removal/guard" in text
    assert len(stand.proposals()) == 1


def test_a_plan_brings_the_dashboard_along_and_what_is_stale_may_be_let_go(make_stand):
    """What a workflow does: what the world outdated since the plan waits for the next one, and is no failure."""
    stand = make_stand("pull-request", extra=BOARD)
    stand.pin("v0.1.20")
    code, text = stand.run("plan", "--json")
    assert "dashboard" not in text
    (stand.root / "plan.json").write_text(text)
    code, text = stand.run("apply", "--plan", str(stand.root / "plan.json"), "--stale-ok")
    assert code == 0, text
    assert len(stand.issues()) == 1
    assert not (stand.project / ".syncbot/memory.jsonl").exists()
    assert stand.run("apply", "--plan", str(stand.root / "plan.json"), "--stale-ok", "--remember")[0] == 0
    assert (stand.project / ".syncbot/memory.jsonl").exists()
    stand.quiet()
    before = stand.writes()
    code, text = stand.run("apply", "--plan", str(stand.root / "plan.json"), "--stale-ok")
    assert (code, stand.writes()) == (0, before)
    assert "refused: open-proposal removal/guard" in text
    (stand.root / "empty.json").write_text('{"schema": "syncbot.plan/1", "actions": []}')
    stand.pin("v0.1.19")
    assert stand.run("apply", "--plan", str(stand.root / "empty.json"))[0] == 0
    assert stand.writes() == before, "an empty plan writes nothing, the dashboard neither"


def test_hostile_texts_are_inert_and_the_token_is_nowhere(make_stand):
    manifest = '\n[[notes]]\ndate = 2026-01-01\ntext = "@org/team <b>x</b> {{ 1 }}"\n'
    stand = make_stand("pull-request", extra=BOARD, manifest=manifest)
    token = "bot-token"
    commit(stand.down, "main", {"-rf": "x\n", "--output=x": "y\n"}, "@everyone <script>\x1b[31m")
    stand.pin("v0.1.20")
    code, text = stand.run("-vv", "sync", "--apply")
    assert code == 0, text
    code, more = stand.run("-vv", "plan", "--json")
    everything = text + more + "".join(stand.said)
    for path in stand.root.rglob("*"):
        if path.is_file() and "down.git/objects" not in str(path):
            everything += path.read_bytes().decode("utf-8", "replace")
    assert token not in everything.replace("FAKE_TOKEN", "")
    body = stand.proposals()[0]["body"]
    assert "@ann" not in body
    assert "/issues/1 " not in body.replace("`https://github.com/up/kernels/issues/1`", "")
    assert "\x1b" not in "".join(stand.said)


def test_a_hand_off_that_was_submitted_and_closed_is_declined(make_stand):
    stand = make_stand("hand-off")
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    number = stand.submit(text="My own words, without the last line.")
    tip = stand.tip()
    commit(stand.down, "main", {"test_kernel.py": TEST_LATER.replace("SimpleNamespace(y=2).y", "2")}, "Simplify a test")
    assert "was submitted; from here on the bot only reports" in stand.sync()
    assert stand.tip() == tip
    assert [each.path for each in stand.forge.writes if DOWN in each.path and "/issues/" in each.path] == []
    stand.close(number)
    assert "Declined" in stand.sync()
    (issue,) = stand.issues()
    assert issue["state"] == "closed"
    assert "**closed**" in issue["body"]
