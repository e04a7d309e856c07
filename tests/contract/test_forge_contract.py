"""What every forge promises, whichever it is. Each test makes its own branch, so that a forge may be shared."""

from __future__ import annotations

import uuid

import pytest
from forge_stages import Stage

from syncbot.forge.errors import AlreadyExistsError, InvalidError, NotFoundError, TooLongError
from syncbot.model.forge import BODY_LIMIT, IssueState, NewPull, PullRequest, PullState

HOSTILE = 'a "title" with <b>, @ann, octo/down#1, `$(id)`, \\, {{ 7*7 }} and 日本語'


def unique(words: str = "syncbot/remove/nan-logits") -> str:
    return f"{words}-{uuid.uuid4().hex[:8]}"


def propose(stage: Stage, branch: str | None = None, **fields: object) -> PullRequest:
    branch = branch or unique()
    stage.branch(branch)
    given = {"base": "main", "title": "Remove it", "body": "Why", "draft": True} | fields
    return stage.writer.open_pull(NewPull(repo=stage.repo, head=branch, **given))  # type: ignore[arg-type]


def test_a_repository_says_what_the_token_may_do(stage: Stage) -> None:
    found = stage.reader.repository(stage.repo)
    assert (found.slug, found.default_branch, found.permission.may_write) == (stage.repo, "main", True)
    assert found.renamed_from is None


def test_a_repository_that_is_not_there_is_not_found(stage: Stage) -> None:
    with pytest.raises(NotFoundError):
        stage.reader.repository("octo/nowhere")
    with pytest.raises(NotFoundError):
        stage.reader.open_pulls("octo/nowhere")


def test_what_was_opened_is_listed_as_it_was_opened(stage: Stage) -> None:
    branch = unique()
    made = propose(stage, branch, title=HOSTILE, body=f"{HOSTILE}\n\n<!-- syncbot:key -->\n")
    assert (made.state, made.draft, made.base, made.head) == (PullState.OPEN, True, "main", branch)
    listed = next(pull for pull in stage.reader.open_pulls(stage.repo) if pull.number == made.number)
    assert listed == made
    assert listed.title == HOSTILE
    assert listed.body == f"{HOSTILE}\n\n<!-- syncbot:key -->\n"
    assert listed.author == stage.reader.identity()


def test_the_last_touched_comes_first(stage: Stage) -> None:
    stage.needs("order")
    first, second, third = propose(stage), propose(stage), propose(stage)
    stage.writer.edit_pull(stage.repo, first.number, title="touched")
    found = stage.reader.open_pulls(stage.repo)
    numbers = [pull.number for pull in found if pull.number in (first.number, second.number, third.number)]
    assert numbers == [first.number, third.number, second.number]
    late = stage.reader.open_pulls(stage.repo, since=third.updated_at)
    assert [pull.number for pull in late] == [first.number, third.number]


def test_a_second_one_from_the_same_branch_exists_already(stage: Stage) -> None:
    stage.needs("duplicates")
    made = propose(stage)
    with pytest.raises(AlreadyExistsError):
        stage.writer.open_pull(NewPull(repo=stage.repo, base="main", head=made.head, title="Again", body=""))
    assert [pull.number for pull in stage.reader.pulls_of_branch(stage.repo, made.head)] == [made.number]


def test_a_branch_that_is_not_there_cannot_be_proposed(stage: Stage) -> None:
    stage.needs("missing-branches")
    with pytest.raises(InvalidError):
        stage.writer.open_pull(NewPull(repo=stage.repo, base="main", head=unique("no-such"), title="t", body="b"))


def test_what_a_person_closed_is_found_by_its_branch(stage: Stage) -> None:
    made = propose(stage)
    stage.person_closes(made.number)
    assert made.number not in [pull.number for pull in stage.reader.open_pulls(stage.repo)]
    (found,) = stage.reader.pulls_of_branch(stage.repo, made.head)
    assert (found.number, found.state) == (made.number, PullState.CLOSED)
    assert found.closed_at is not None


def test_what_a_person_merged_is_merged_and_not_closed(stage: Stage) -> None:
    made = propose(stage, draft=False)
    stage.person_merges(made.number)
    (found,) = stage.reader.pulls_of_branch(stage.repo, made.head)
    assert (found.state, found.merged_at is not None) == (PullState.MERGED, True)


def test_no_branch_no_pulls(stage: Stage) -> None:
    propose(stage)
    assert stage.reader.pulls_of_branch(stage.repo, unique("other")) == ()


def test_only_the_given_fields_change(stage: Stage) -> None:
    made = propose(stage, body="the body of a person")
    stage.writer.edit_pull(stage.repo, made.number, title="Another title")
    found = stage.reader.pull(stage.repo, made.number)
    assert (found.title, found.body, found.base) == ("Another title", "the body of a person", "main")


def test_a_head_follows_its_branch(stage: Stage) -> None:
    stage.needs("git")
    made = propose(stage)
    oid = stage.branch(made.head, "def logits(x):\n    return  x\n")
    assert stage.reader.pull(stage.repo, made.number).head_oid == oid != made.head_oid


def test_a_proposal_does_not_outlive_its_branch(stage: Stage) -> None:
    stage.needs("git")
    made = propose(stage)
    stage.delete_branch(made.head)
    found = stage.reader.pull(stage.repo, made.number)
    assert (found.state, found.head_oid) == (PullState.CLOSED, made.head_oid)


def test_it_says_whether_it_merges(stage: Stage) -> None:
    stage.needs("git")
    made = propose(stage)
    assert stage.reader.pull(stage.repo, made.number).mergeable is True
    stage.branch("main", "def logits(y):\n    return z\n")
    assert stage.reader.pull(stage.repo, made.number).mergeable is False


def test_files_and_commits(stage: Stage) -> None:
    stage.needs("git")
    made = propose(stage)
    (changed,) = stage.reader.pull_files(stage.repo, made.number)
    assert (changed.path, changed.status, changed.added, changed.removed) == ("kernel.py", "modified", 0, 1)
    (one,) = stage.reader.pull_commits(stage.repo, made.number)
    assert (one.oid, one.message) == (made.head_oid, "Remove the workaround")


def test_draft_and_ready(stage: Stage) -> None:
    stage.needs("drafts")
    made = propose(stage, draft=True)
    assert stage.writer.set_draft(stage.repo, made.number, draft=True) is False
    assert stage.writer.set_draft(stage.repo, made.number, draft=False) is True
    assert stage.reader.pull(stage.repo, made.number).draft is False
    assert stage.writer.set_draft(stage.repo, made.number, draft=True) is True
    assert stage.reader.pull(stage.repo, made.number).draft is True


def test_labels_come_and_go(stage: Stage) -> None:
    made = propose(stage)
    stage.writer.add_labels(stage.repo, made.number, ["rocm", "needs review"])
    stage.writer.add_labels(stage.repo, made.number, ["rocm"])
    assert sorted(stage.reader.pull(stage.repo, made.number).labels) == ["needs review", "rocm"]
    stage.writer.remove_label(stage.repo, made.number, "needs review")
    assert stage.reader.pull(stage.repo, made.number).labels == ("rocm",)


def test_taking_off_a_label_that_is_not_there_is_no_error(stage: Stage) -> None:
    made = propose(stage)
    stage.writer.add_labels(stage.repo, made.number, ["rocm"])
    stage.writer.remove_label(stage.repo, made.number, "nobody-put-it-there")
    assert stage.reader.pull(stage.repo, made.number).labels == ("rocm",)


def test_reviewers(stage: Stage) -> None:
    made = propose(stage)
    stage.writer.request_review(stage.repo, made.number, people=["ann"])
    stage.writer.request_review(stage.repo, made.number, people=["ann"])
    assert stage.reader.pull(stage.repo, made.number).reviewers == ("ann",)


def test_teams_that_review(stage: Stage) -> None:
    stage.needs("teams")
    made = propose(stage)
    stage.writer.request_review(stage.repo, made.number, people=["ann"], teams=["rocm"])
    found = stage.reader.pull(stage.repo, made.number)
    assert (found.reviewers, found.team_reviewers) == (("ann",), ("rocm",))


def test_comments_in_order_with_their_authors(stage: Stage) -> None:
    made = propose(stage)
    first = stage.writer.add_comment(stage.repo, made.number, "one")
    stage.person_comments(made.number, "/syncbot hold")
    stage.writer.edit_comment(stage.repo, made.number, first.id, f"{HOSTILE}\n+++\nx = 1\n+++\n")
    found = stage.reader.comments(stage.repo, made.number)
    assert [(one.body, one.author.login) for one in found] == [
        (f"{HOSTILE}\n+++\nx = 1\n+++\n", stage.reader.identity().login),
        ("/syncbot hold", stage.person),
    ]


def test_issues_are_not_pulls(stage: Stage) -> None:
    pull = propose(stage)
    label = unique("dashboard")
    issue = stage.writer.open_issue(stage.repo, title=HOSTILE, body="- [ ] one", labels=[label])
    assert issue.number > pull.number
    assert stage.reader.issues(stage.repo, labels=[label]) == (issue,)
    assert pull.number not in [one.number for one in stage.reader.issues(stage.repo)]
    assert stage.reader.issue(stage.repo, issue.number).title == HOSTILE
    with pytest.raises(NotFoundError):
        stage.reader.issue(stage.repo, pull.number)
    with pytest.raises(NotFoundError):
        stage.reader.pull(stage.repo, issue.number)


def test_an_issue_is_edited_and_closed(stage: Stage) -> None:
    label = unique("tracking")
    issue = stage.writer.open_issue(stage.repo, title="Track it", body="prepared", labels=[label])
    stage.writer.edit_issue(stage.repo, issue.number, body="merged")
    stage.writer.edit_issue(stage.repo, issue.number, state=IssueState.CLOSED)
    assert stage.reader.issues(stage.repo, labels=[label]) == ()
    (found,) = stage.reader.issues(stage.repo, state=None, labels=[label])
    assert (found.title, found.body, found.state) == ("Track it", "merged", IssueState.CLOSED)
    assert found.closed_at is not None


def test_a_number_nobody_has_is_not_found(stage: Stage) -> None:
    for look in (stage.reader.pull, stage.reader.issue, stage.reader.comments):
        with pytest.raises(NotFoundError):
            look(stage.repo, 99_999)


def test_pulls_are_found_by_what_they_say_in_any_state(stage: Stage) -> None:
    stage.needs("search")
    marker = f"<!-- syncbot:remove/{uuid.uuid4().hex} -->"
    made = propose(stage, body=f"Why\n{marker}")
    propose(stage, body="syncbot remove something else")
    stage.person_closes(made.number)
    assert [pull.number for pull in stage.reader.pulls_saying(stage.repo, marker)] == [made.number]


def test_too_long_is_said_before_anything_is_sent(stage: Stage) -> None:
    made = propose(stage)
    with pytest.raises(TooLongError, match="65,537 characters, the limit is 65,536"):
        stage.writer.edit_pull(stage.repo, made.number, body="x" * (BODY_LIMIT + 1))
    stage.writer.edit_pull(stage.repo, made.number, body="y" * BODY_LIMIT)
    assert stage.reader.pull(stage.repo, made.number).body == "y" * BODY_LIMIT


def test_what_a_person_may_do(stage: Stage) -> None:
    stage.needs("permissions")
    assert stage.reader.permission(stage.repo, stage.person).may_write


def test_a_head_without_checks_has_none(stage: Stage) -> None:
    stage.needs("checks")
    made = propose(stage)
    assert stage.reader.checks(stage.repo, made.head_oid) == ()


def test_a_page_to_propose_from(stage: Stage) -> None:
    stage.branch(branch := unique())
    assert "://" in stage.reader.compare_url(stage.repo, "main", branch)


def test_quota_allows_a_run(stage: Stage) -> None:
    stage.needs("quota")
    stage.reader.repository(stage.repo)
    assert stage.reader.quota().allows(10)


def test_a_reader_cannot_write(stage: Stage) -> None:
    writing = {name for name in dir(type(stage.writer)) if not name.startswith("_")}
    assert writing
    assert not writing & set(dir(stage.reader))


def test_a_file_before_and_after_a_pull_request(stage: Stage) -> None:
    stage.needs("git")
    made = propose(stage)
    before, after = stage.reader.pull_file(stage.repo, made.number, "kernel.py")
    assert b"nan_to_num" in (before or b"")
    assert after == b"def logits(x):\n    return x\n"
    assert stage.reader.pull_file(stage.repo, made.number, "not/there ?#.py") == (None, None)
