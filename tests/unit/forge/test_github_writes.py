"""A write is sent once, whatever happens to its answer."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from fake_forge import Fault

from syncbot.forge.errors import (
    ActionsMayNotProposeError,
    AlreadyExistsError,
    BadTokenError,
    DraftsUnsupportedError,
    InvalidError,
    NotFoundError,
    RateLimitedError,
    RefusedError,
    UnclearWriteError,
    UnreachableError,
)
from syncbot.forge.github_writer import GitHubWriter
from syncbot.model.forge import IssueState, NewPull, PullRequest

REPO = "octo/down"
Write = Callable[[GitHubWriter, PullRequest], object]

WRITES: dict[str, Write] = {
    "open_pull": lambda w, _: w.open_pull(NewPull(repo=REPO, base="main", head="second", title="t", body="b")),
    "edit_pull": lambda w, p: w.edit_pull(REPO, p.number, body="new"),
    "set_draft": lambda w, p: w.set_draft(REPO, p.number, draft=False),
    "add_labels": lambda w, p: w.add_labels(REPO, p.number, ["rocm"]),
    "remove_label": lambda w, p: w.remove_label(REPO, p.number, "old"),
    "request_review": lambda w, p: w.request_review(REPO, p.number, people=["ann"]),
    "open_issue": lambda w, _: w.open_issue(REPO, title="t", body="b"),
    "edit_issue": lambda w, p: w.edit_issue(REPO, p.number, state=IssueState.CLOSED),
    "add_comment": lambda w, p: w.add_comment(REPO, p.number, "hello"),
    "edit_comment": lambda w, p: w.edit_comment(REPO, p.number, "4711", "hello"),
}
LOST = [Fault.ERROR_BEFORE, Fault.ERROR_AFTER, Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.HALF_A_PAGE]
A_WRITE = "^(POST|PATCH|DELETE|PUT) "


@pytest.fixture
def ready(bench, pull):
    """The pull request carries what each write needs."""
    from fake_forge import Comment

    item = bench.item(pull.number)
    item.labels.append("old")
    world = bench.forge.world
    item.comments.append(Comment(4711, world.users["syncbot"], "first", world.now, world.now))
    return pull


@pytest.mark.parametrize("name", WRITES)
def test_each_write_is_one_request(bench, writer, ready, name):
    WRITES[name](writer, ready)
    assert len(bench.forge.writes) == 1


@pytest.mark.parametrize("fault", LOST, ids=lambda fault: fault.name)
@pytest.mark.parametrize("name", WRITES)
def test_a_lost_answer_is_unclear_and_nothing_is_sent_again(bench, writer, ready, name, fault):
    bench.script.add(A_WRITE, fault)
    with pytest.raises(UnclearWriteError, match="it is not sent again") as caught:
        WRITES[name](writer, ready)
    assert len(bench.forge.writes) == 1
    assert bench.script.entries == []
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("name", ["open_pull", "edit_issue"])
def test_a_slow_answer_is_unclear(bench, connection, writer, ready, name):
    bench.forge.slow_seconds = 0.3
    bench.script.add(A_WRITE, Fault.SLOW_AFTER)
    connection.wire.timeout = 0.05
    with pytest.raises(UnclearWriteError):
        WRITES[name](writer, ready)
    while not bench.forge.writes:  # the server may not have come round to it yet
        time.sleep(0.01)
    assert len(bench.forge.writes) == 1


def test_after_an_unclear_write_looking_tells(bench, reader, writer, ready):
    for fault, expected in ((Fault.DROP_BEFORE, 0), (Fault.DROP_AFTER, 1)):
        bench.script.add("POST .*/pulls$", fault)
        with pytest.raises(UnclearWriteError):
            WRITES["open_pull"](writer, ready)
        assert len(reader.pulls_of_branch(REPO, "second")) == expected


@pytest.mark.parametrize(
    "fault", [Fault.TOO_MANY, Fault.TOO_MANY_SHORT, Fault.TOO_MANY_LONG, Fault.SECONDARY_LIMIT, Fault.PRIMARY_LIMIT]
)
def test_a_limited_write_is_not_sent_again_either(bench, writer, ready, fault):
    bench.script.add(A_WRITE, fault)
    with pytest.raises(RateLimitedError) as caught:
        WRITES["add_comment"](writer, ready)
    assert len(bench.forge.writes) == 1
    assert bench.waits == []
    assert caught.value.exit_code == 3
    assert (caught.value.retry_at is None) == (fault is Fault.TOO_MANY)  # which says nothing
    assert bench.item(ready.number).comments[1:] == []


def test_a_redirected_write_is_refused(bench, writer, ready):
    bench.script.add(A_WRITE, Fault.REDIRECT)
    with pytest.raises(RefusedError, match="renamed or moved meanwhile; nothing was written"):
        WRITES["edit_pull"](writer, ready)
    assert bench.item(ready.number).body == "Why"


def test_renamed_between_looking_and_writing(bench, writer, ready):
    bench.forge.world.rename(REPO, "octo/elsewhere")
    with pytest.raises(RefusedError, match="nothing was written"):
        WRITES["add_comment"](writer, ready)
    assert len(bench.forge.writes) == 1


def test_a_write_that_was_never_sent_is_not_unclear(bench, connection, writer, ready):
    bench.forge.stop()
    connection.wire.session.close()
    with pytest.raises(UnreachableError, match="nothing was written"):
        WRITES["add_comment"](writer, ready)


def test_the_permission_that_is_missing_is_named(bench, writer, ready):
    bench.script.add(A_WRITE, Fault.FORBIDDEN)
    with pytest.raises(RefusedError, match="the token needs pull_requests=write"):
        WRITES["edit_pull"](writer, ready)


def test_the_setting_that_forbids_workflows_to_propose_is_named(bench, ready):
    bench.repo.actions_may_propose = False
    bench.forge.world.tokens["ghs_actions"] = "syncbot"
    connection = bench.connect("ghs_actions")
    with pytest.raises(ActionsMayNotProposeError) as caught:
        WRITES["open_pull"](GitHubWriter(connection), ready)
    assert "'Allow GitHub Actions to create and approve pull requests'" in str(caught.value)
    assert "Settings, Actions, General, Workflow permissions" in str(caught.value)
    connection.close()


def test_already_there(bench, writer, ready):
    bench.script.add("POST .*/pulls$", Fault.DUPLICATE)
    with pytest.raises(AlreadyExistsError, match="A pull request already exists"):
        WRITES["open_pull"](writer, ready)


def test_no_drafts_here(bench, writer, ready):
    bench.repo.drafts = False
    with pytest.raises(DraftsUnsupportedError):
        WRITES["open_pull"](writer, ready)


def test_nothing_to_propose(bench, writer, ready):
    bench.repo.run_git("update-ref", "refs/heads/second", "refs/heads/main")
    with pytest.raises(InvalidError, match="No commits between main and second"):
        WRITES["open_pull"](writer, ready)


def test_the_branch_went_away(bench, writer, ready):
    bench.repo.run_git("update-ref", "-d", "refs/heads/second")
    with pytest.raises(InvalidError, match="the branch it is from is gone"):
        WRITES["open_pull"](writer, ready)


def test_a_draft_conversion_that_is_refused(bench, writer, ready):
    bench.item(ready.number).author = bench.forge.world.users["ann"]
    bench.repo.permissions["syncbot"] = "read"
    with pytest.raises(RefusedError, match="does not have permission"):
        WRITES["set_draft"](writer, ready)


def test_a_closed_proposal_is_not_converted(bench, writer, ready):
    bench.item(ready.number).state = "closed"
    with pytest.raises(InvalidError, match="closed"):
        WRITES["set_draft"](writer, ready)


def test_a_revoked_token(bench, writer, ready):
    bench.forge.world.tokens.clear()
    with pytest.raises(BadTokenError) as caught:
        WRITES["add_comment"](writer, ready)
    assert caught.value.exit_code == 2


def test_issues_turned_off(bench, writer, ready):
    bench.repo.has_issues = False
    with pytest.raises(NotFoundError, match="disabled"):
        WRITES["open_issue"](writer, ready)


def test_a_proposal_from_a_fork(bench, reader, writer, ready, tmp_path):
    import shutil

    git = shutil.copytree(bench.repo.git, tmp_path / "fork.git")
    bench.forge.world.add_repo("syncbot/down", git, fork_of=REPO, permissions={"syncbot": "admin"})
    made = writer.open_pull(
        NewPull(repo=REPO, base="main", head="second", head_repo="syncbot/down", title="t", body="b")
    )
    assert made.head_repo == "syncbot/down"
    assert reader.pulls_of_branch(REPO, "second", head_repo="syncbot/down") == (made,)
    assert reader.pulls_of_branch(REPO, "second") == ()
    assert reader.repository("syncbot/down").fork_of == REPO
    assert reader.compare_url(REPO, "main", "second", head_repo="syncbot/down").endswith(
        "/octo/down/compare/main...syncbot:down:second?expand=1"
    )


def test_a_fork_within_the_same_organisation(bench, writer, ready, tmp_path):
    import shutil

    git = shutil.copytree(bench.repo.git, tmp_path / "fork.git")
    bench.forge.world.add_repo("octo/down-fork", git, fork_of=REPO, permissions={"syncbot": "write"})
    made = writer.open_pull(
        NewPull(repo=REPO, base="main", head="second", head_repo="octo/down-fork", title="t", body="b")
    )
    assert made.head_repo == "octo/down-fork"
