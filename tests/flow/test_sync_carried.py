"""A carried patch: nothing for offsets, one proposal when it stops applying, and dropped when it is not needed."""

import subprocess

import pytest
from small_repo import ENV, commit, git
from standin import GUARD, KERNEL

CARRIED = '\n[[carried]]\ncarried = "patch-file"\n'
TOP = "".join(f"import module_{number}\n" for number in range(6)) + "\n\n"


def patch_of(stand, old, new):
    """The change between two texts of kernel.py as git writes it, on blobs the downstream has."""
    one = commit(stand.down, "scratch", {"kernel.py": old}, "one", onto="main")
    two = commit(stand.down, "scratch2", {"kernel.py": new}, "two", onto="scratch")
    command = ["git", "diff", "--full-index", one, two]
    return subprocess.run(command, cwd=stand.down, env=ENV, capture_output=True, text=True, check=True).stdout


def carried(make_stand):
    """A stand-in whose downstream has no guard; the patch beside the manifest has it, in a repository of the bot's."""
    stand = make_stand("folder", manifest=CARRIED)
    commit(stand.down, "main", {"kernel.py": TOP + KERNEL, "test_kernel.py": "\n"}, "A branch without the guard")
    (stand.project / "patches/guard/change.patch").write_text(patch_of(stand, TOP + KERNEL, TOP + GUARD))
    bot = stand.project
    git(bot, "init", "-q", "--initial-branch=main")
    (bot / ".gitignore").write_text(".syncbot/\n")
    git(bot, "add", "-A")
    git(bot, "commit", "-q", "-m", "The bot's own repository")
    return stand


def proposals(stand):
    return sorted(stand.place.glob("local/project/proposals/*"))


def test_offsets_are_no_reason_and_a_conflict_with_the_context_is(make_stand):
    stand = carried(make_stand)
    assert "guard: keep" in stand.sync()
    commit(stand.down, "main", {"kernel.py": "# a line\n# another\n" + TOP + KERNEL}, "Move it down")
    assert "guard: keep" in stand.sync()
    assert proposals(stand) == []

    other = TOP + KERNEL.replace("def logits(q, k):\n", "def logits(q, k):\n    check(q)\n")
    commit(stand.down, "main", {"kernel.py": other}, "A check before it")
    text = stand.sync()
    assert "guard: refresh" in text
    (only,) = proposals(stand)
    body = (only / "body.md").read_text()
    assert "applies strictly" in body
    bare = stand.place / "local/project/repository.git"
    tip = git(bare, "rev-parse", "syncbot/refresh/guard")
    show = ["git", "show", f"{tip}:patches/guard/change.patch"]
    new = subprocess.run(show, cwd=bare, env=ENV, capture_output=True, check=True).stdout
    (stand.root / "new.patch").write_bytes(new)
    index = {**ENV, "GIT_INDEX_FILE": str(stand.root / "index")}
    subprocess.run(["git", "read-tree", "main"], cwd=stand.down, env=index, check=True)
    subprocess.run(["git", "apply", "--cached", str(stand.root / "new.patch")], cwd=stand.down, env=index, check=True)

    # The branch moves on, and the proposed patch still applies: nothing to do.
    stand.move_main(2)
    commit(stand.down, "main", {"kernel.py": "# a line\n" + other}, "Move it down")
    stand.quiet()
    assert git(bare, "rev-parse", "syncbot/refresh/guard") == tip


def test_the_patch_is_dropped_when_the_pin_has_the_fix(make_stand):
    stand = carried(make_stand)
    stand.pin("v0.1.20")
    assert "guard: remove" in stand.sync()
    bare = stand.place / "local/project/repository.git"
    changed = git(bare, "show", "--format=", "--name-status", "--no-renames", "syncbot/removal/guard").splitlines()
    assert changed == [
        "A\tpatches/archive/guard/change.patch", "A\tpatches/archive/guard/patch.toml",
        "D\tpatches/guard/change.patch", "D\tpatches/guard/patch.toml",
    ]  # fmt: skip


def merge_removal(stand):
    """The removal is merged into the bot's own repository."""
    bare = stand.place / "local/project/repository.git"
    git(stand.project, "fetch", "-q", str(bare), "syncbot/removal/guard")
    git(stand.project, "merge", "-q", "FETCH_HEAD")
    toml = next(stand.place.glob("local/project/proposals/0001-*/proposal.toml"))
    toml.write_text(toml.read_text().replace('state = "open"', 'state = "merged"'))
    return bare


@pytest.mark.parametrize("moved", [False, True])
def test_a_dropped_patch_comes_back_from_the_archive_when_the_pin_falls_back(make_stand, moved):
    stand = carried(make_stand)
    stand.pin("v0.1.20")
    stand.sync(twice=False)
    bare = merge_removal(stand)
    assert not (stand.project / "patches/guard").exists()
    text = stand.sync()
    assert "guard" not in text, "what is in the archive and not needed is nobody's news"
    text_then = (stand.project / "patches/archive/guard/change.patch").read_text()
    if moved:
        other = TOP + KERNEL.replace("def logits(q, k):\n", "def logits(q, k):\n    check(q)\n")
        commit(stand.down, "main", {"kernel.py": other}, "A check before it")
    stand.pin("v0.1.19")
    assert "guard: restore" in stand.sync()
    tip = git(bare, "rev-parse", "syncbot/restore/guard")
    changed = git(bare, "show", "--format=", "--name-status", "--no-renames", tip).splitlines()
    assert changed == [
        "D\tpatches/archive/guard/change.patch", "D\tpatches/archive/guard/patch.toml",
        "A\tpatches/guard/change.patch", "A\tpatches/guard/patch.toml",
    ]  # fmt: skip
    back = git(bare, "show", f"{tip}:patches/guard/change.patch")
    assert (back.strip() == text_then.strip()) != moved
    assert ("check(q)" in back) == moved
    # The pin moves on before anybody merged it: it says that it is not right any more.
    stand.pin("v0.1.20")
    text = stand.sync()
    assert "not right today" in text
    assert "gh pr create" not in text
