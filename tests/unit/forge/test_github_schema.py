"""The fake answers as GitHub does: its JSON fits the models made from GitHub's own description, old version and new."""

from __future__ import annotations

import importlib
import json

import pytest

REPO = "octo/down"
MODELS = {
    "repository": "FullRepository",
    "pull": "PullRequest",
    "pulls": "PullRequestSimple",
    "issue": "Issue",
    "comment": "IssueComment",
    "files": "DiffEntry",
    "commits": "Commit",
    "comparison": "CommitComparison",
    "content": "ContentFile",
    "submodule": "ContentSubmodule",
    "check_run": "CheckRun",
    "status": "CombinedCommitStatus",
    "user": "PublicUser",
    "label": "Label",
    "installation": "Installation",
    "installation_token": "InstallationToken",
}


@pytest.fixture(scope="module", params=["v2022_11_28", "v2026_03_10"])
def models(request):
    return importlib.import_module(f"githubkit_schemas.{request.param}.models")


@pytest.fixture
def answers(bench, writer, pull):
    """One answer of each kind, with people, labels, teams and comments in it."""
    writer.add_labels(REPO, pull.number, ["rocm"])
    writer.request_review(REPO, pull.number, people=["ann"], teams=["rocm"])
    writer.add_comment(REPO, pull.number, "hello")
    issue = writer.open_issue(REPO, title="t", body="b", labels=["x"])
    payloads, repo, item = bench.forge.payloads, bench.repo, bench.item(pull.number)
    repo.statuses[pull.head_oid] = [{"context": "dco", "state": "success"}]
    fork = bench.forge.world.add_repo("ann/down", repo.git, fork_of=REPO)
    oid, blob = repo.branches()["main"], repo.run_git("rev-parse", "main:README")
    return {
        "repository": [payloads.repo(repo, "syncbot"), payloads.repo(fork, "ann")],
        "pull": [payloads.full_pull(repo, item, settled=True), payloads.full_pull(repo, item)],
        "pulls": [payloads.pull(repo, item)],
        "issue": [payloads.issue(repo, repo.items[issue.number]), payloads.issue(repo, item)],
        "comment": [payloads.comment(repo, item, item.comments[0])],
        "files": payloads.files(repo, item),
        "commits": payloads.commits(repo, item),
        "comparison": [payloads.comparison(repo, oid, pull.head_oid, oid)],
        "content": [payloads.content(repo, "README", oid, "blob", blob)],
        "submodule": [payloads.content(repo, "lib", oid, "commit", oid)],
        "check_run": [payloads.check_run(repo, pull.head_oid, {"name": "ci", "conclusion": "success"})],
        "status": [payloads.status(repo, pull.head_oid)],
        "user": [payloads.own_user(item.author)],
        "label": [payloads.label(repo, "rocm")],
        "installation": [payloads.installation(repo)],
        "installation_token": [payloads.installation_token("x")],
    }


def test_every_answer_fits_githubs_description(models, answers):
    assert set(answers) == set(MODELS)
    for kind, name in MODELS.items():
        model = getattr(models, name)
        assert answers[kind], kind
        for answer in answers[kind]:
            model.model_validate_json(json.dumps(answer))


def test_the_check_can_fail(models, answers):
    broken = answers["pulls"][0]
    del broken["head"]
    with pytest.raises(ValueError, match="head"):
        models.PullRequestSimple.model_validate_json(json.dumps(broken))
