"""What must not matter does not: unrelated work, wherever it lands."""

from __future__ import annotations

from fixtures.asking import said, targets_of
from fixtures.repos import Repo, code, run_git
from fixtures.stage import build
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from syncbot.git.clone import open_clone
from syncbot.landing.everything import everything

SUBJECTS = st.sampled_from(["Work", "Work (#55)", 'Revert "Something else"', "See #500", "Update README", "[x] #5x"])


def verdicts(lib: Repo, tips: list[str]) -> dict[str, list[str]]:
    main = run_git(lib.path, "rev-parse", "main").decode().strip()
    targets = targets_of(lib.path) + targets_of(lib.path, tips)
    reports = everything(open_clone(lib.path).git(), main, targets)
    return {report.query: [said(answer) for answer in report.answers] for report in reports}


@given(st.lists(st.tuples(st.sampled_from(["main", "stable", "late"]), SUBJECTS), min_size=1, max_size=5))
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_unrelated_commits_change_no_verdict(tmp_path_factory, noise):
    lib = build(tmp_path_factory.mktemp("stage")).lib
    tips = ["main", "stable", "late"]
    before = verdicts(lib, tips)
    for at, (branch, subject) in enumerate(noise):
        lib.on(branch)
        lib.commit(subject, {f"noise{at}.py": code(f"noise{at}")})
    after = verdicts(lib, tips)
    assert {query: after[query] for query in before} == before
