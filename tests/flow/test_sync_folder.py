"""What a person reads where proposals are folders: where each one lies, and the commands that submit it."""

import subprocess

from small_repo import ENV, git


def test_a_proposal_is_named_by_its_folder_with_the_commands_that_submit_it(make_stand):
    stand = make_stand("folder")
    stand.pin("v0.1.20")
    text = stand.sync()
    folder = next(stand.place.glob("octo/down/proposals/*"))
    assert f"Proposal 1, in {folder}, is open and right" in text
    assert "pull request 1" not in text
    script = "\n".join(line.strip() for line in text.splitlines() if line.startswith("    "))
    work, fork = stand.root / "work", stand.root / "mine.git"
    git(stand.root, "clone", "-q", str(stand.down), str(work))
    git(stand.root, "clone", "-q", "--bare", str(stand.down), str(fork))
    git(work, "remote", "set-url", "origin", str(fork))
    done = subprocess.run(
        ["sh", "-eu", "-c", script.replace("gh pr create", "echo gh")],
        cwd=work, env=ENV, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "Signed-off-by: Ann" in git(fork, "log", "-1", "--format=%B", "syncbot/removal/guard")
    assert f"--body-file {folder}/body.md" in done.stdout
    stand.close(1)
    text = stand.sync()
    assert f"Declined: proposal 1, in {folder}, was closed" in text
    assert "gh pr create" not in text
