"""The folder forge as a person uses it: what they find, what they may edit, what a broken file does."""

from __future__ import annotations

import datetime
import shutil
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_repo import ENV, commit, git

from syncbot.forge import folder_files
from syncbot.forge.errors import AlreadyExistsError, NotFoundError
from syncbot.forge.folder import place_of_repository
from syncbot.forge.folder_files import comment_text, parse_comment, repository_folder
from syncbot.forge.folder_reader import FolderReader
from syncbot.forge.folder_writer import FolderWriter
from syncbot.git.bare import BareRepositories
from syncbot.model.errors import CouldNotError, TryLaterError
from syncbot.model.forge import NewPull, PullState

REPO = "octo/down"
NOW = datetime.datetime(2026, 8, 18, 9, tzinfo=datetime.UTC)


@dataclass
class Desk:
    """The folder with one bare repository in it."""

    root: Path
    git: Path
    branches: BareRepositories
    reader: FolderReader
    writer: FolderWriter

    def propose(self, head="syncbot/remove/x", **fields):
        given = {"repo": REPO, "base": "main", "title": "Remove it", "body": "## Purpose\n"} | fields
        return self.writer.open_pull(NewPull(head=head, **given))

    def folder(self, number=1) -> Path:
        return next((self.root / REPO).glob(f"*/{number:04}-*"))


@pytest.fixture
def desk(tmp_path: Path, template: Path) -> Desk:
    root = tmp_path / "forge"
    place = place_of_repository(root, REPO)
    shutil.copytree(template, place)
    branches = BareRepositories(lambda repo: place_of_repository(root, repo))
    return Desk(root, place, branches, FolderReader(root, branches), FolderWriter(root, branches, lambda: NOW))


def test_a_proposal_is_ready_for_a_person(desk):
    desk.propose()
    assert sorted(path.name for path in desk.folder().iterdir()) == [
        "body.md",
        "change.patch",
        "commands.md",
        "comments",
        "proposal.toml",
    ]
    assert desk.folder().name == "0001-syncbot-remove-x"
    assert (desk.folder() / "body.md").read_text() == "## Purpose\n"
    assert (desk.root / "README.md").read_text().startswith("# What this folder is")


def test_the_patch_applies_as_it_is(desk, tmp_path):
    desk.propose()
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", "--branch=main", str(desk.git), str(work))
    git(work, "am", "-q", str(desk.folder() / "change.patch"))
    assert git(work, "rev-parse", "HEAD^{tree}") == git(desk.git, "rev-parse", "syncbot/remove/x^{tree}")


def test_the_commands_do_what_they_say(desk, tmp_path):
    desk.propose()
    work, fork = tmp_path / "work", tmp_path / "fork.git"
    git(tmp_path, "clone", "-q", "--branch=main", str(desk.git), str(work))
    git(tmp_path, "clone", "-q", "--bare", str(desk.git), str(fork))
    git(work, "remote", "set-url", "origin", str(fork))
    git(fork, "update-ref", "-d", "refs/heads/syncbot/remove/x")
    text = (desk.folder() / "commands.md").read_text()
    script = text.partition("```sh\n")[2].partition("```")[0].replace("gh pr create", "echo gh")
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=work,
        env=ENV | {"PROPOSAL": str(desk.folder())},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Signed-off-by: Ann <ann@example.org>" in git(fork, "log", "-1", "--format=%B", "syncbot/remove/x")
    assert f"--body-file {desk.folder()}/body.md" in done.stdout


def test_names_are_quoted_for_the_shell(desk, tmp_path):
    branch = "syncbot/$(touch${IFS}oops);x'y"
    commit(desk.git, branch, {"kernel.py": "x"}, "m", onto="main")
    desk.propose(branch, title="`touch oops` $(touch oops) '; touch oops; '")
    text = (desk.folder() / "commands.md").read_text()
    script = text.partition("```sh\n")[2].partition("```")[0]
    traced = "git() { :; }; gh() { printf '%s\\n' \"$@\"; }\n" + script
    done = subprocess.run(
        ["sh", "-eu", "-c", traced],
        cwd=tmp_path,
        env=ENV | {"PROPOSAL": "/p"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "`touch oops` $(touch oops) '; touch oops; '" in done.stdout.splitlines()
    assert not (tmp_path / "oops").exists()


@pytest.mark.parametrize(("state", "expected"), [("closed", PullState.CLOSED), ("merged", PullState.MERGED)])
def test_a_person_says_what_became_of_it(desk, state, expected):
    desk.propose()
    file = desk.folder() / "proposal.toml"
    file.write_text(file.read_text().replace('state = "open"', f'state = "{state}" # by me'))
    assert desk.reader.open_pulls(REPO) == ()
    assert desk.reader.pull(REPO, 1).state is expected
    again = desk.propose()
    assert again.number == 2
    assert [one.number for one in desk.reader.pulls_of_branch(REPO, "syncbot/remove/x")] == [2, 1]


def test_what_a_person_wrote_into_the_file_stays(desk):
    desk.propose()
    file = desk.folder() / "proposal.toml"
    file.write_text(file.read_text() + '\n# asked Fang, waits for CI\nmine = "kept"\n')
    desk.writer.edit_pull(REPO, 1, title='A "new" title\nwith \\ and \x1b')
    text = file.read_text()
    assert "# asked Fang, waits for CI" in text
    assert 'mine = "kept"' in text
    assert "\x1b" not in text
    assert desk.reader.pull(REPO, 1).title == 'A "new" title\nwith \\ and \x1b'


def test_a_file_a_person_adds_is_a_comment(desk):
    desk.propose()
    (desk.folder() / "comments" / "hold.txt").write_text("/syncbot hold 2026-09-01\n")
    desk.writer.add_comment(REPO, 1, "noted")
    found = {one.id: (one.author.login, one.author.is_bot, one.body) for one in desk.reader.comments(REPO, 1)}
    assert found == {"hold.txt": ("you", False, "/syncbot hold 2026-09-01\n"), "0001.md": ("syncbot", True, "noted")}


def stamps(desk: Desk) -> dict[Path, int]:
    """When each file was written. Git refreshes the times of objects it would have written, which is no writing."""
    paths = [path for path in desk.root.rglob("*") if path.name != ".lock"]
    return {path: path.stat().st_mtime_ns if "objects" not in path.parts else 0 for path in paths}


def test_nothing_is_written_when_nothing_changes(desk):
    desk.propose()
    desk.writer.add_labels(REPO, 1, ["rocm"])
    before = stamps(desk)
    desk.writer.add_labels(REPO, 1, ["rocm"])
    desk.writer.remove_label(REPO, 1, "not-there")
    assert desk.writer.set_draft(REPO, 1, draft=True) is False
    desk.writer.after_push(REPO, "syncbot/remove/x")
    assert stamps(desk) == before


def test_looking_writes_nothing(desk):
    desk.propose()
    before = stamps(desk)
    desk.reader.pull(REPO, 1)
    desk.reader.open_pulls(REPO)
    desk.reader.pull_files(REPO, 1)
    desk.reader.pull_commits(REPO, 1)
    desk.reader.comments(REPO, 1)
    desk.reader.issues(REPO, state=None)
    assert stamps(desk) == before


def test_a_push_brings_the_patch_up_to_date(desk):
    made = desk.propose()
    oid = commit(desk.git, "syncbot/remove/x", {"kernel.py": "rebuilt\n"}, "Remove it", onto="main")
    desk.writer.after_push(REPO, "syncbot/remove/x")
    assert "+rebuilt" in (desk.folder() / "change.patch").read_text()
    assert oid != made.head_oid
    assert f'head_oid = "{oid}"' in (desk.folder() / "proposal.toml").read_text()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("proposal.toml", 'state = "perhaps"', "'perhaps' is not a valid"),
        ("proposal.toml", "state = open", "Invalid value"),
        ("proposal.toml", 'state = "open"', "the key 'head' is missing"),
        ("proposal.toml", None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_and_never_nothing(desk, name, text, told):
    desk.propose()
    file = desk.folder() / name
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    with pytest.raises(CouldNotError, match=r"proposal\.toml") as caught:
        desk.reader.open_pulls(REPO)
    assert told in str(caught.value)


def test_every_broken_file_is_named_at_once(desk):
    desk.propose()
    desk.propose("second")
    for number in (1, 2):
        (desk.folder(number) / "proposal.toml").write_text("x = ")
    with pytest.raises(CouldNotError) as caught:
        desk.reader.open_pulls(REPO)
    assert str(caught.value).count("proposal.toml") == 2


def test_a_crash_while_making_one_leaves_none(desk, monkeypatch):
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", crash)
        with pytest.raises(KeyboardInterrupt):
            desk.propose()
    assert desk.reader.open_pulls(REPO) == ()
    assert desk.propose().number == 1


def test_a_crash_while_writing_a_file_leaves_the_old_text(tmp_path, monkeypatch):
    path = tmp_path / "x"
    folder_files.write_whole(path, "old")

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        folder_files.write_whole(path, "new")
    assert [one.name for one in tmp_path.iterdir()] == ["x"]
    assert path.read_text() == "old"


def test_two_at_once_make_one(desk):
    outcomes = []

    def propose() -> None:
        try:
            outcomes.append(FolderWriter(desk.root, desk.branches, lambda: NOW).open_pull(
                NewPull(repo=REPO, base="main", head="syncbot/remove/x", title="t", body="b")
            ).number)  # fmt: skip
        except AlreadyExistsError:
            outcomes.append(None)

    threads = [threading.Thread(target=propose) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["1", "None", "None", "None"]


def test_another_run_holds_the_lock(desk, monkeypatch):
    from filelock import FileLock

    from syncbot.forge import folder_writer

    monkeypatch.setattr(folder_writer, "_PATIENCE", 0)
    with FileLock(desk.root / ".lock"), pytest.raises(TryLaterError, match="another run"):
        desk.propose()


def test_a_folder_that_cannot_be_written(desk):
    (desk.root / REPO / "proposals").write_text("a file where a folder should be")
    with pytest.raises(CouldNotError, match="proposals"):
        desk.propose()


def test_issues_and_proposals_share_numbers(desk):
    desk.propose()
    assert desk.writer.open_issue(REPO, title="Dashboard", body="").number == 2
    assert desk.propose("second").number == 3


@pytest.mark.parametrize(
    "repo",
    [
        "../../etc/passwd",
        "/etc",
        "octo/..",
        "a/b/c",
        "https://example.org/x.git",
        "-x/y",
        "octo/x.lock",
        "o/\x00",
        "",
        "é/x",
    ],
)
def test_no_name_leaves_the_folder(tmp_path, repo):
    place = repository_folder(tmp_path, repo)
    assert place.parent == tmp_path / "other"
    assert place.name.replace("-", "").isalnum()


def test_names_that_look_alike_have_folders_of_their_own(tmp_path):
    names = ["https://a.org/x", "https://a.org/x/", "https/a.org/x", "a.org/x y"]
    assert len({repository_folder(tmp_path, name) for name in names}) == len(names)
    assert repository_folder(tmp_path, "Octo/Down") == repository_folder(tmp_path, "octo/down")


@pytest.mark.parametrize("body", ["", "text", "+++\nx = 1\n+++\n", "\n\n+++", "+++", "a\r\nb\r\n", "日本\x1b[31m"])
def test_a_comment_is_read_as_it_was_written(body):
    assert parse_comment(comment_text({"author": "a"}, body)) == ({"author": "a"}, body)


@pytest.mark.parametrize("text", ["+++\nnot toml\n+++\nbody", "+++\nno end", "plain"])
def test_a_comment_without_a_table_is_all_text(text):
    assert parse_comment(text) == ({}, text)


def test_a_comment_id_is_a_name_in_its_folder(desk):
    desk.propose()
    with pytest.raises(NotFoundError):
        desk.writer.edit_comment(REPO, 1, "../proposal.toml", "gone")
    assert desk.reader.pull(REPO, 1).title == "Remove it"


def test_a_branch_is_not_the_folder_of_others(desk):
    assert desk.branches.head(REPO, "syncbot/remove") is None
    assert desk.branches.head(REPO, "syncbot") is None
    assert desk.branches.head(REPO, "syncbot/remove/x") is not None


def test_a_merged_branch_still_tells_what_it_changed(desk):
    made = desk.propose()
    git(desk.git, "update-ref", "refs/heads/main", made.head_oid)
    assert [one.path for one in desk.reader.pull_files(REPO, 1)] == ["kernel.py"]
    assert [one.oid for one in desk.reader.pull_commits(REPO, 1)] == [made.head_oid]


def test_a_repository_of_its_own_borrows_its_objects(tmp_path, template):
    branches = BareRepositories(lambda repo: tmp_path / repo / "repository.git")
    for _ in range(2):
        place = branches.create("o/r", default_branch="main", borrow_from=template / "objects")
    assert branches.default_branch("o/r") == "main"
    assert branches.head("o/r", "main") is None
    oid = git(template, "rev-parse", "second")
    git(place, "update-ref", "refs/heads/x", oid)
    assert branches.head("o/r", "x") == oid
    assert [one.path for one in branches.files("o/r", "main", oid)] == ["kernel.py"]
    assert branches.merges("o/r", "main", oid) is None
    assert (place / "objects/info/alternates").read_text() == f"{template / 'objects'}\n"
    assert branches.default_branch("o/other") is None
