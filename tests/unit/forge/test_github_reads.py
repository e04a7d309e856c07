"""What a read costs, what it survives, and what it never claims."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import logging
import sqlite3
import stat
import threading

import pytest
from fake_forge import Fault, Issue

from syncbot.forge.errors import BadTokenError, NotFoundError, RateLimitedError, RefusedError, UnreachableError
from syncbot.forge.github_reader import GitHubReader
from syncbot.model.errors import UsageError
from syncbot.model.forge import Account, CheckState, Permission, PullState, Quota

REPO = "octo/down"


def fill(bench, count):
    world = bench.forge.world
    for _ in range(count):
        number = world.next_number(bench.repo)
        bench.repo.items[number] = Issue(
            number, 5000 + number, f"n{number}", "", world.users["ann"], world.now, world.now
        )


COSTS = {
    "open_pulls": (lambda r, p: r.open_pulls(REPO), 1),
    "pulls_of_branch": (lambda r, p: r.pulls_of_branch(REPO, p.head), 1),
    "pulls_saying": (lambda r, p: r.pulls_saying(REPO, "Why"), 2),
    "pull": (lambda r, p: r.pull(REPO, p.number), 1),
    "pull_files": (lambda r, p: r.pull_files(REPO, p.number), 1),
    "pull_commits": (lambda r, p: r.pull_commits(REPO, p.number), 1),
    "issues": (lambda r, p: r.issues(REPO), 1),
    "issue": (lambda r, p: r.issue(REPO, 2), 1),
    "comments": (lambda r, p: r.comments(REPO, p.number), 1),
    "permission": (lambda r, p: r.permission(REPO, "ann"), 1),
    "checks": (lambda r, p: r.checks(REPO, p.head_oid), 2),
    "compare_url": (lambda r, p: r.compare_url(REPO, "main", p.head), 0),
    "repository": (lambda r, p: r.repository(REPO), 0),
    "quota": (lambda r, p: r.quota(), 0),
}


@pytest.mark.parametrize("name", COSTS)
def test_a_read_costs_what_the_port_says(bench, reader, pull, name):
    ask, cost = COSTS[name]
    fill(bench, 3)
    ask(reader, pull)
    assert len(bench.forge.requests) == cost
    assert bench.forge.writes == []


def test_issues_cost_one_request_a_hundred(bench, reader, pull):
    fill(bench, 205)
    found = reader.issues(REPO)
    assert len(found) == 205
    assert [(seen.query.get("page"), seen.query["per_page"]) for seen in bench.forge.requests] == [
        (None, "100"),
        ("2", "100"),
        ("3", "100"),
    ]


def test_no_page_beyond_what_was_touched_since_is_asked_for(bench, reader, pull):
    world = bench.forge.world
    for number in range(2, 250):
        now = world.tick()
        bench.repo.items[number] = dataclasses.replace(
            bench.item(1), number=number, id=9000 + number, created_at=now, updated_at=now, labels=[], comments=[]
        )
    assert len(reader.open_pulls(REPO)) == 249
    bench.forge.forget()
    recent = reader.open_pulls(REPO, since=now - datetime.timedelta(seconds=4))
    assert [one.number for one in recent] == [249, 248, 247, 246, 245]
    assert len(bench.forge.requests) == 1


def test_a_body_saved_in_the_browser_has_plain_line_ends(bench, reader, writer, pull):
    writer.add_comment(REPO, pull.number, "a")
    bench.item(pull.number).body = bench.item(pull.number).comments[0].body = "one\r\n\r\n- [x] two\r\n"
    assert reader.pull(REPO, pull.number).body == "one\n\n- [x] two\n"
    assert reader.comments(REPO, pull.number)[0].body == "one\n\n- [x] two\n"


def test_a_label_with_a_slash_comes_off(bench, writer, pull):
    writer.add_labels(REPO, pull.number, ["syncbot/hold", "a b?#"])
    writer.remove_label(REPO, pull.number, "syncbot/hold")
    writer.remove_label(REPO, pull.number, "a b?#")
    assert bench.item(pull.number).labels == []


def test_the_first_question_about_a_repository_costs_one_more(bench, reader):
    reader.open_pulls(REPO)
    reader.open_pulls(REPO)
    assert bench.sent() == ["GET /repos/octo/down", "GET /repos/octo/down/pulls", "GET /repos/octo/down/pulls"]


@pytest.mark.parametrize("fault", [Fault.ERROR_BEFORE, Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.HALF_A_PAGE])
def test_a_read_survives_two_faults(bench, reader, pull, fault):
    bench.script.add("GET .*/pulls$", fault, fault)
    assert reader.open_pulls(REPO) == (pull,)
    assert len(bench.forge.requests) == 3


@pytest.mark.parametrize("fault", [Fault.ERROR_BEFORE, Fault.DROP_BEFORE, Fault.HALF_A_PAGE])
def test_a_read_that_stays_broken_is_an_error_and_never_nothing(bench, reader, pull, fault):
    bench.script.add("GET .*/pulls$", *[fault] * 20)
    with pytest.raises(UnreachableError) as caught:
        reader.open_pulls(REPO)
    assert caught.value.exit_code == 3
    assert len(bench.forge.requests) <= 5


@pytest.mark.parametrize("fault", [Fault.HTML, Fault.REDIRECT, Fault.SHAPE, Fault.EMPTY])
def test_an_answer_from_somebody_else_is_no_answer(bench, reader, pull, fault):
    bench.script.add("GET .*/pulls$", fault)
    with pytest.raises(UnreachableError):
        reader.open_pulls(REPO)


def test_the_second_page_is_missed_by_nobody(bench, reader, pull):
    fill(bench, 150)
    reader.repository(REPO)
    bench.script.add("GET .*/issues$", Fault.ERROR_BEFORE)
    bench.script.add("GET .*/issues$", *[Fault.HALF_A_PAGE] * 2)
    assert len(reader.issues(REPO)) == 150


@pytest.mark.parametrize(
    ("fault", "waited"),
    [
        (Fault.TOO_MANY, 60),
        (Fault.TOO_MANY_SHORT, 1),
        (Fault.SECONDARY_LIMIT, 1),
        (Fault.SECONDARY_SILENT, 60),
    ],
)
def test_a_short_limit_is_waited_for(bench, reader, pull, fault, waited):
    bench.script.add("GET .*/pulls$", fault)
    assert reader.open_pulls(REPO) == (pull,)
    assert bench.waits == [waited]


def test_a_quota_that_starts_anew_soon_is_waited_for_by_the_servers_clock(bench, reader, pull):
    bench.script.add("GET .*/pulls$", Fault.PRIMARY_429)
    assert reader.open_pulls(REPO) == (pull,)
    (waited,) = bench.waits
    assert 20 <= waited <= 42


@pytest.mark.parametrize("fault", [Fault.TOO_MANY_LONG, Fault.PRIMARY_LIMIT])
def test_a_long_limit_is_not(bench, reader, pull, fault):
    bench.script.add("GET .*/pulls$", fault)
    with pytest.raises(RateLimitedError) as caught:
        reader.open_pulls(REPO)
    assert bench.waits == []
    assert caught.value.retry_at is not None
    wait = caught.value.retry_at - datetime.datetime.now(datetime.UTC)
    assert datetime.timedelta(minutes=25) < wait < datetime.timedelta(minutes=61)
    assert len(bench.forge.requests) == 1


def test_a_limit_that_does_not_say_how_long_is_not_waited_for_beyond_the_bound(bench, pull):
    bench.longest_wait = 10
    connection = bench.connect()
    bench.script.add("GET .*/pulls$", Fault.TOO_MANY)
    with pytest.raises(RateLimitedError):
        GitHubReader(connection).open_pulls(REPO)
    assert bench.waits == []
    connection.close()


def test_both_kinds_of_403_are_told_apart(bench, reader, pull):
    bench.script.add("GET .*/pulls$", Fault.FORBIDDEN)
    with pytest.raises(RefusedError, match="needs pull_requests=write"):
        reader.open_pulls(REPO)
    bench.script.add("GET .*/pulls$", Fault.SECONDARY_LIMIT)
    assert reader.open_pulls(REPO) == (pull,)


def test_the_library_prints_nothing_by_itself(reader):
    library = logging.getLogger("github")
    assert library.handlers == []
    assert library.getEffectiveLevel() == logging.getLogger().getEffectiveLevel()
    assert not logging.getLogger("github.Requester").isEnabledFor(logging.DEBUG)


def test_an_unchanged_listing_costs_no_quota(bench, reader, pull):
    reader.open_pulls(REPO)
    left = bench.forge.remaining
    reader.open_pulls(REPO)
    assert bench.forge.remaining == left
    assert [seen.status for seen in bench.forge.requests] == [200, 304]


def test_the_cache_outlives_the_run(bench, reader, pull):
    reader.open_pulls(REPO)
    later = bench.connect()
    bench.forge.forget()
    assert GitHubReader(later).open_pulls(REPO) == (pull,)
    assert [seen.status for seen in bench.forge.requests] == [304, 304]
    later.close()


def test_a_stale_304_hides_nothing_where_it_matters(bench, reader, pull):
    reader.open_pulls(REPO)
    bench.item(pull.number).state = "closed"
    bench.script.add("GET .*/pulls", *[Fault.STALE_304] * 9)
    bench.script.add("GET .*/(comments|issues)", *[Fault.STALE_304] * 9)
    assert [one.state for one in reader.open_pulls(REPO)] == [PullState.OPEN]
    assert [one.state for one in reader.pulls_of_branch(REPO, pull.head)] == [PullState.CLOSED]
    assert reader.pull(REPO, pull.number).state is PullState.CLOSED
    reader.checks(REPO, pull.head_oid)
    for _ in range(2):
        reader.comments(REPO, pull.number)
        reader.issues(REPO)
    asked = [headers for headers in bench.forge.headers_seen if "if-none-match" in headers]
    assert len(asked) == 1


def test_another_token_has_another_cache(bench, reader, pull):
    reader.open_pulls(REPO)
    bench.forge.forget()
    other = bench.connect("ann-token")
    GitHubReader(other).open_pulls(REPO)
    assert [seen.status for seen in bench.forge.requests] == [200, 200]
    other.close()


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_broken_cache_is_thrown_away(bench, reader, pull, content):
    (path,) = (bench.folder / "cache").iterdir()
    reader._at.close()
    path.write_bytes(content)
    later = bench.connect()
    assert GitHubReader(later).open_pulls(REPO) == (pull,)
    later.close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_cache_that_breaks_on_the_way_is_given_up(bench, reader, pull):
    reader.open_pulls(REPO)
    (path,) = (bench.folder / "cache").iterdir()
    path.write_bytes(b"\xff" * 8192)
    assert reader.open_pulls(REPO) == (pull,)
    assert reader.open_pulls(REPO) == (pull,)


def test_a_cache_folder_that_cannot_be_made_is_done_without(bench, pull):
    (bench.folder / "occupied").write_text("a file")
    connection = bench.connect(cache_folder=bench.folder / "occupied" / "cache")
    assert GitHubReader(connection).open_pulls(REPO) == (pull,)
    connection.close()


def test_no_cache_folder_no_cache(bench, pull):
    connection = bench.connect(cache_folder=None)
    reader = GitHubReader(connection)
    assert reader.open_pulls(REPO) == reader.open_pulls(REPO) == (pull,)
    assert {seen.status for seen in bench.forge.requests} == {200}
    connection.close()


def test_garbage_in_the_cache_is_asked_again(bench, reader, pull):
    reader.open_pulls(REPO)
    (path,) = (bench.folder / "cache").iterdir()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE responses SET value = '{\"broken\": '")
    database.close()
    assert reader.open_pulls(REPO) == (pull,)


def test_the_cache_is_for_its_owner_only(bench, reader):
    reader.open_pulls(REPO)
    (path,) = (bench.folder / "cache").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_renamed_repository_is_followed_and_reported(bench, reader, writer, pull, caplog):
    bench.forge.world.rename(REPO, "octo/new-name")
    connection = bench.connect()
    reader = GitHubReader(connection)
    bench.forge.forget()
    found = reader.repository(REPO)
    assert (found.slug, found.renamed_from) == ("octo/new-name", REPO)
    assert "octo/down is called octo/new-name now" in caplog.text
    assert [one.number for one in reader.open_pulls(REPO)] == [pull.number]
    assert reader.open_pulls(REPO)[0].repo == "octo/new-name"
    assert bench.sent()[1:] == [
        f"GET /repositories/{bench.repo.id}",
        "GET /repos/octo/new-name/pulls",
        "GET /repos/octo/new-name/pulls",
    ]
    connection.close()


def test_a_redirect_keeps_its_question(bench, reader, pull):
    reader.repository(REPO)
    fill(bench, 40)
    bench.forge.world.rename(REPO, "octo/new-name")
    assert len(reader.issues(REPO)) == 40
    assert bench.forge.requests[-1].query == {"state": "open", "per_page": "100"}


def test_who_the_token_is(bench, reader):
    assert reader.identity() == Account(login="syncbot")
    reader.identity()
    assert bench.sent() == ["GET /user"]


def test_a_workflow_token_may_not_ask_who_it_is(bench):
    bench.forge.world.add_user("github-actions[bot]", token="ghs_actions", kind="Bot")
    connection = bench.connect("ghs_actions")
    reader = GitHubReader(connection)
    assert reader.identity() == Account(login="github-actions[bot]", is_bot=True)
    assert reader.repository(REPO).permission is Permission.UNKNOWN
    connection.close()


def test_an_apps_token_is_its_own_bot(bench):
    bench.forge.world.add_user("acme-sync[bot]", token="ghs_app", kind="Bot")
    connection = bench.connect("ghs_app")
    assert GitHubReader(connection).identity() == Account(login="acme-sync[bot]", is_bot=True)
    assert bench.sent() == ["GET /user", "POST /graphql"]
    assert bench.forge.writes == []
    connection.close()


def test_a_server_that_does_not_tell_a_bots_name(bench):
    bench.forge.world.add_user("github-actions[bot]", token="ghs_actions", kind="Bot")
    bench.script.add("POST /graphql", Fault.FORBIDDEN)
    connection = bench.connect("ghs_actions")
    assert GitHubReader(connection).identity() == Account(login="github-actions[bot]", is_bot=True)
    connection.close()


def test_a_bots_name_that_nobody_could_tell_is_no_guess(bench):
    bench.forge.world.add_user("acme-sync[bot]", token="ghs_app", kind="Bot")
    bench.script.add("POST /graphql", Fault.DROP_BEFORE)
    connection = bench.connect("ghs_app")
    with pytest.raises(UnreachableError):
        GitHubReader(connection).identity()
    connection.close()


def test_a_wrong_token(bench):
    connection = bench.connect("ghp_wrong")
    with pytest.raises(BadTokenError) as caught:
        GitHubReader(connection).identity()
    assert caught.value.exit_code == 2
    connection.close()


def test_what_accounts_may_do(bench, reader):
    world = bench.forge.world
    for login, role in (("t", "triage"), ("m", "maintain")):
        world.add_user(login)
        bench.repo.permissions[login] = role
    answers = {login: reader.permission(REPO, login) for login in ("ann", "t", "m", "nobody-there")}
    assert answers == {
        "ann": Permission.ADMIN,
        "t": Permission.READ,
        "m": Permission.WRITE,
        "nobody-there": Permission.NONE,
    }


def test_a_permission_that_may_not_be_asked_is_unknown(bench, reader):
    bench.repo.permissions["syncbot"] = "read"
    assert reader.permission(REPO, "ann") is Permission.UNKNOWN
    assert reader.repository(REPO).permission is Permission.READ


def test_quota_unknown_counts_as_used_up():
    assert not Quota().allows(1)
    assert not Quota(remaining=9, limit=5000).allows(10)
    assert Quota(remaining=10, limit=5000).allows(10)
    assert Quota(limited=False).allows(10_000)


def test_quota_comes_with_the_last_answer(bench, reader):
    bench.forge.remaining = 100
    reader.repository(REPO)
    assert reader.quota().remaining == 99
    assert len(bench.forge.requests) == 1


def test_the_quota_of_searches_is_another(bench, reader, pull):
    before = reader.quota().limit
    reader.pulls_saying(REPO, "nobody says this")
    assert reader.quota().limit == before


def test_a_server_that_counts_nothing(bench, reader):
    bench.forge.limited = False
    assert reader.quota() == Quota(limited=False)


def test_a_quota_that_cannot_be_asked_is_an_error(bench, reader):
    bench.script.add("GET /rate_limit", *[Fault.ERROR_BEFORE] * 9)
    with pytest.raises(UnreachableError):
        reader.quota()


def test_checks_of_both_kinds(bench, reader, pull):
    bench.repo.check_runs[pull.head_oid] = [
        {"name": "lint", "conclusion": "success"},
        {"name": "gpu", "conclusion": "timed_out"},
        {"name": "docs", "conclusion": "skipped"},
        {"name": "build", "status": "in_progress", "conclusion": None},
    ]
    bench.repo.statuses[pull.head_oid] = [
        {"context": "buildkite", "state": "pending"},
        {"context": "dco", "state": "error"},
    ]
    assert {check.name: check.state for check in reader.checks(REPO, pull.head_oid)} == {
        "build": CheckState.PENDING,
        "buildkite": CheckState.PENDING,
        "dco": CheckState.FAILED,
        "docs": CheckState.SKIPPED,
        "gpu": CheckState.FAILED,
        "lint": CheckState.PASSED,
    }


def test_a_fork_that_is_gone(bench, reader, pull):
    bench.item(pull.number).head_repo = None
    (found,) = reader.open_pulls(REPO)
    assert (found.head_repo, found.head) == (None, pull.head)


def test_comments_since(bench, reader, writer, pull):
    writer.add_comment(REPO, pull.number, "old")
    late = writer.add_comment(REPO, pull.number, "new")
    for zone in (datetime.UTC, datetime.timezone(datetime.timedelta(hours=5))):
        since = late.created_at.astimezone(zone)
        assert [one.body for one in reader.comments(REPO, pull.number, since=since)] == ["new"]


def test_threads_take_turns(bench, reader, pull):
    fill(bench, 12)
    answers: dict[int, str] = {}

    def ask(number):
        answers[number] = reader.issue(REPO, number).title

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2, 12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: f"n{number}" for number in range(2, 12)}


@pytest.mark.parametrize(
    "repo", ["", "down", "octo/down/x", "octo/..", "-x/y", "octo/do wn", "octo/down?x=1", "../user"]
)
def test_a_name_that_is_no_repository_is_not_sent(bench, reader, repo):
    with pytest.raises(UsageError):
        reader.repository(repo)
    assert bench.forge.requests == []


def test_a_private_repository_hides(bench, reader):
    bench.repo.private = True
    bench.repo.permissions.clear()
    with pytest.raises(NotFoundError, match="hidden from this token"):
        reader.open_pulls(REPO)


def test_nobody_listens(bench):
    connection = bench.connect(api="http://127.0.0.1:1")
    with pytest.raises(UnreachableError) as caught:
        GitHubReader(connection).open_pulls(REPO)
    assert caught.value.exit_code == 3
    connection.close()


@pytest.mark.parametrize(
    "api", ["github.com", "ftp://x/", "https://user:pw@host/api/v3", "https://host/?x", "http://host/api/v3"]
)
def test_an_address_that_is_no_api(bench, api):
    with pytest.raises(UsageError) as caught:
        bench.connect(api=api)
    assert "pw" not in str(caught.value)
