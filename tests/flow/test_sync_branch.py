"""A workaround on a branch of its own: carried onto the new base when it must be, proposed or pushed, and taken out."""

import pytest
from small_repo import commit, git
from standin import DOWN, GUARD, KERNEL, MANIFEST

BRANCH = '\n[[carried]]\ncarried = "branch"\nbranch = "rocm"\n'
HEAD = "def head(q):\n    return q\n\n\n"
PRIVATE = "octo/private"


def carried(make_stand, kind, *, extra="", manifest=BRANCH, where=None):
    """A stand-in whose main has no guard; the branch ``rocm`` (of ``where``) is main and the guard."""
    stand = make_stand(kind, extra=extra)
    base = commit(
        stand.down, "main", {"kernel.py": HEAD + KERNEL, "test_kernel.py": "\n"}, "A branch without the guard"
    )
    made = commit(stand.down, "rocm", {"kernel.py": HEAD + GUARD}, "Guard against NaN", onto="main")
    if where is not None:
        git(stand.root, "clone", "-q", "--bare", str(stand.down), str(where))
        git(stand.down, "update-ref", "-d", "refs/heads/rocm")
        if stand.forge is not None:
            stand.forge.world.add_repo(PRIVATE, where, permissions={"syncbot": "write", "ann": "admin"})
    text = MANIFEST.format(introduced=made, fix=stand.fix).replace("pull = 49714\n", "")
    (stand.project / "patches/guard/patch.toml").write_text(text + manifest)
    assert "guard: keep" in stand.sync()
    assert stand.proposals() == []
    return stand, base, made


def conflict(stand):
    """Main changes right beside what the branch carries, so that it does not apply strictly any more."""
    other = HEAD + KERNEL.replace("def logits(q, k):\n", "def logits(q, k):\n    check(q)\n")
    return commit(stand.down, "main", {"kernel.py": other}, "A check")


def guarded(repo, tip):
    text = git(repo, "show", f"{tip}:kernel.py")
    return "nan_to_num_" in text and "check(q)" in text


@pytest.mark.parametrize("kind", ["folder", "pull-request"])
def test_one_merge_is_proposed_when_it_does_not_apply_and_none_for_offsets(make_stand, kind):
    stand, _, made = carried(make_stand, kind)
    commit(stand.down, "main", {"kernel.py": "# a line\n" + HEAD + KERNEL}, "Move it down")
    assert "guard: keep" in stand.sync()
    head = conflict(stand)
    text = stand.sync()
    assert "guard: refresh" in text
    (only,) = stand.proposals()
    assert only["base"] == "rocm" if "base" in only else True
    assert "`rocm`" in only["body"]
    tip = stand.tip("syncbot/refresh/guard")
    assert git(stand.branches, "log", "-1", "--format=%P", tip).split() == [made, head]
    assert guarded(stand.branches, tip)
    stand.move_main(3)
    stand.quiet()
    assert stand.tip("syncbot/refresh/guard") == tip
    # Merged, the branch is on the new base, and nothing is due.
    git(stand.down, "fetch", "-q", str(stand.branches), tip)
    git(stand.down, "update-ref", "refs/heads/rocm", tip)
    if kind == "pull-request":
        stand.forge.world.merge(stand.forge.world.repos[DOWN], 1)
        git(stand.down, "update-ref", "refs/heads/rocm", tip)
    else:
        stand._toml(1).write_text(stand._toml(1).read_text().replace('state = "open"', 'state = "merged"'))
    assert "guard: keep" in stand.sync()


def test_another_merge_when_the_branch_moved(make_stand):
    stand, _, _ = carried(make_stand, "pull-request")
    conflict(stand)
    stand.sync(twice=False)
    first = stand.tip("syncbot/refresh/guard")
    moved = commit(stand.down, "rocm", {"notes.txt": "by a person\n"}, "A note on the branch")
    stand.sync()
    tip = stand.tip("syncbot/refresh/guard")
    assert tip != first
    assert git(stand.branches, "log", "-1", "--format=%P", tip).split()[0] == moved
    assert git(stand.branches, "show", f"{tip}:notes.txt") == "by a person"
    assert len(stand.proposals()) == 1


def test_pushed_with_a_lease_where_the_config_allows_it(make_stand):
    stand, _, _ = carried(make_stand, "pull-request", extra="push_refresh = true")
    head = conflict(stand)
    _, text = stand.run("sync")
    assert "would push-branch in octo/down: rocm" in text
    text = stand.sync()
    assert stand.proposals() == []
    tip = git(stand.down, "rev-parse", "rocm")
    assert git(stand.down, "log", "-1", "--format=%P", tip) == head
    assert guarded(stand.down, tip)


def test_a_branch_that_carries_more_is_proposed_and_never_pushed(make_stand):
    stand, _, _ = carried(make_stand, "pull-request", extra="push_refresh = true")
    mine = commit(stand.down, "rocm", {"other.txt": "another commit\n"}, "Mine")
    conflict(stand)
    stand.sync()
    assert git(stand.down, "rev-parse", "rocm") == mine
    assert len(stand.proposals()) == 1


def test_a_persons_push_in_between_stays(make_stand, monkeypatch):
    from syncbot.proposals.destination import HostDestination

    stand, _, _ = carried(make_stand, "pull-request", extra="push_refresh = true")
    conflict(stand)
    before = HostDestination.push

    def late(self, git_, **given):
        commit(stand.down, "rocm", {"late.txt": "by a person\n"}, "Just in time")
        return before(self, git_, **given)

    monkeypatch.setattr(HostDestination, "push", late)
    _, text = stand.run("sync", "--apply")
    assert "was moved by somebody else meanwhile" in text
    assert "late.txt" in git(stand.down, "ls-tree", "--name-only", "rocm")


@pytest.mark.parametrize("kind", ["folder", "pull-request"])
def test_taken_out_of_the_branch_and_put_back(make_stand, kind):
    stand, _, made = carried(make_stand, kind)
    stand.pin("v0.1.20")
    assert "guard: remove" in stand.sync()
    tip = stand.tip("syncbot/removal/guard")
    assert git(stand.branches, "log", "-1", "--format=%P", tip) == made
    assert "nan_to_num_" not in git(stand.branches, "show", f"{tip}:kernel.py")
    git(stand.down, "fetch", "-q", str(stand.branches), tip)
    git(stand.down, "update-ref", "refs/heads/rocm", tip)
    if kind == "pull-request":
        item = stand.forge.world.repos[DOWN].items[1]
        item.state, item.merged_at = "closed", stand.forge.world.tick()
    else:
        stand._toml(1).write_text(stand._toml(1).read_text().replace('state = "open"', 'state = "merged"'))
    assert "guard: done" in stand.sync()
    stand.pin("v0.1.19")
    assert "guard: restore" in stand.sync()
    back = stand.tip("syncbot/restore/guard")
    assert git(stand.branches, "log", "-1", "--format=%P", back) == tip
    assert "nan_to_num_" in git(stand.branches, "show", f"{back}:kernel.py")


@pytest.mark.parametrize("kind", ["folder", "pull-request"])
def test_a_branch_of_another_repository(make_stand, kind, tmp_path):
    private = tmp_path / "private.git"
    uses = '\nrepo = "octo/private"\n' + ('forge = "fake"\n' if kind == "pull-request" else "")
    stand = None

    def make(kind, **given):
        nonlocal stand
        stand = make_stand(kind, **given)
        plain = stand.run
        stand.run = lambda *args: plain(*args, "--repo", f"{PRIVATE}={private}")
        return stand

    stand, _, made = carried(make, kind, manifest=BRANCH.rstrip("\n") + uses, where=private)
    head = conflict(stand)
    assert "guard: refresh" in stand.sync()
    assert stand.proposals() == []
    where = private if stand.forge is not None else stand.place / PRIVATE / "repository.git"
    tip = git(where, "rev-parse", "syncbot/refresh/guard")
    assert git(where, "log", "-1", "--format=%P", tip).split() == [made, head]
    assert guarded(where, tip)
    if stand.forge is not None:
        (only,) = stand.forge.world.repos[PRIVATE].pulls
        assert only.base == "rocm"
    # The new base may be merged there like any other, and nothing is due after that.
    git(private, "fetch", "-q", str(where), tip) if where != private else None
    git(private, "update-ref", "refs/heads/rocm", tip)
    stand.pin("v0.1.20")
    assert "guard: remove" in stand.sync(twice=False)
