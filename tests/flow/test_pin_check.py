"""``syncbot bump --pull N --comment``: the pins a pull request moves, in one comment that stays true."""

from __future__ import annotations

import json
import shutil
import urllib.request

import pytest
from fake_forge import Fault
from small_repo import commit, git
from standin import DOWN, PIN

PIN_FILE = "docker/Dockerfile"
BRANCH = "somebody/patch-1"


@pytest.fixture
def stand(make_stand):
    return make_stand("pull-request")


def propose(stand, ref, *, text=None, title="Build with newer kernels", fork=False):
    """Somebody opens (or pushes to) a pull request that moves the pin."""
    git_dir = stand.down
    if fork:
        git_dir = stand.root / "eve.git"
        if not git_dir.exists():
            shutil.copytree(stand.down, git_dir)
            stand.forge.world.add_user("eve", token="eve-token")
            stand.forge.world.add_repo("eve/down", git_dir, permissions={"eve": "admin"}, fork_of=DOWN)
    files = {PIN_FILE: text if text is not None else PIN.format(ref=ref)}
    commit(git_dir, BRANCH, files, "Move the pin", onto=None if git_dir_has(git_dir) else "main")
    world = stand.forge.world
    world.settle(world.repos[DOWN])
    if not world.repos[DOWN].pulls:
        token, head = ("eve-token", f"eve:{BRANCH}") if fork else ("bot-token", BRANCH)
        data = {"title": title, "head": head, "base": "main", "body": "x"}
        request = urllib.request.Request(
            f"{stand.forge.api}/repos/{DOWN}/pulls", json.dumps(data).encode(), {"Authorization": f"token {token}"}
        )
        urllib.request.urlopen(request, timeout=10).close()
    stand.forge.forget()
    return world.repos[DOWN].pulls[0]


def git_dir_has(git_dir):
    return bool(git(git_dir, "for-each-ref", f"refs/heads/{BRANCH}"))


def check(stand, *more, code=0):
    left, text = stand.run("bump", "--pull", "1", *more)
    assert left == code, text
    return text


def test_one_comment_that_is_edited_as_the_pull_request_changes(stand):
    pull = propose(stand, "v0.1.20")
    text = check(stand, "--comment")
    assert "frees" in text
    (said,) = pull.comments
    assert said.body.startswith("### `image` of `kernels`: `v0.1.19` → `v0.1.20`")
    assert "| frees | `guard`: `NaN guard after the paged logits` |" in said.body
    writes = len(stand.forge.writes)
    assert "comment: unchanged" in check(stand, "--comment")
    assert len(stand.forge.writes) == writes
    propose(stand, "v0.1.21.post1")
    assert "comment: edited" in check(stand, "--comment")
    (said,) = pull.comments
    assert "`v0.1.19` → `v0.1.21.post1`" in said.body
    propose(stand, "v0.1.19")
    assert "comment: edited" in check(stand, "--comment")
    assert "does not move a pinned version any more" in pull.comments[0].body
    propose(stand, "v0.1.20")
    check(stand, "--comment")
    assert [each.id for each in pull.comments] == [said.id]
    assert "`v0.1.19` → `v0.1.20`" in said.body


def test_without_comment_nothing_is_written_and_json_says_the_same(stand):
    propose(stand, "v0.1.20")
    answer = json.loads(check(stand, "--json"))
    assert answer["schema"] == "syncbot.pin-check/1"
    (move,) = answer["moves"]
    assert (move["pin"], move["old"], move["new"]) == ("image", "v0.1.19", "v0.1.20")
    assert [each["id"] for each in move["bump"]["freed"]] == ["guard"]
    assert stand.forge.writes == []


def test_what_the_base_did_since_is_not_its_doing(stand):
    pull = propose(stand, "x", text=PIN.format(ref="v0.1.19") + "RUN more\n")
    stand.pin("v0.1.20")
    assert check(stand, "--comment").strip() == "comment: quiet"
    assert pull.comments == []


def test_a_pull_request_that_touches_no_pin_costs_two_requests_more(stand):
    commit(stand.down, BRANCH, {"other.py": "x = 1\n"}, "Other", onto="main")
    propose(stand, "x", text=PIN.format(ref="v0.1.19"))
    assert check(stand) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PIN.format(ref="v9.9.9"), "names no commit"),
        ("FROM base\n", "matches nothing"),
        (PIN.format(ref="v0.1.20") + PIN.format(ref="v0.1.21.post1"), "different texts"),
        (PIN.format(ref="--upload-pack=touch x"), "`--upload-pack=touch x`"),
        (PIN.format(ref="$(touch x)`touch x`\n::add-mask::x\n@ann octo/down#1 <img>"), "cannot be reviewed"),
    ],
)
def test_a_strangers_pin_is_data(stand, text, says):
    pull = propose(stand, "x", text=text, fork=True, title="$(touch x) ${{ github.token }}\n::error::x")
    check(stand, "--comment")
    (said,) = pull.comments
    assert says in said.body
    outside = "".join(said.body.split("`")[::2])
    assert not any(word in outside for word in ("@ann", "octo/down#1", "<img"))
    assert not list(stand.root.rglob("x"))


def test_what_cannot_be_read_is_an_error_and_no_comment(stand):
    pull = propose(stand, "v0.1.20")
    stand.forge.faults.add(r"GET /repos/octo/down/(contents|compare)", *[Fault.ERROR_BEFORE] * 8)
    check(stand, "--comment", code=3)
    assert pull.comments == []


def test_a_wrong_question_is_told(stand, capsys):
    assert "has a pin" in check(stand, "--in", "octo/nowhere", code=2)
    assert "leave them out" in check(stand, "v1", "v2", code=2)
    assert stand.run("bump", "v0.1.19")[0] == 2
