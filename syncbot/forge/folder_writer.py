"""Writing the folder forge, one writer at a time, each file whole or not at all."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from syncbot.forge import folder_files as files
from syncbot.forge.errors import AlreadyExistsError, InvalidError, NotFoundError
from syncbot.forge.folder import BOT, Branches, comment_value, issue_value
from syncbot.forge.folder_reader import FolderReader
from syncbot.forge.texts import measure
from syncbot.model.errors import CouldNotError, TryLaterError
from syncbot.model.forge import (
    Comment,
    Issue,
    IssueState,
    NewPull,
    PullRequest,
    PullState,
)

_PATIENCE = 60  # seconds for another run to finish its write
_PROPOSAL_NOTE = """Change this file when you have acted: state is "open", "closed" (not wanted) or "merged";
draft = false means it is ready. Syncbot keeps what you write here."""
_ISSUE_NOTE = 'state is "open" or "closed".'
_ABOUT = """# What this folder is

Syncbot works here while it has no account on a code host. Each folder below `proposals/` is a pull request waiting for
a person: `commands.md` says how to submit it. Tell syncbot what became of one by changing `state` in its
`proposal.toml` to "merged" or "closed". To comment, put a text file into its `comments/`.
"""


class FolderWriter:
    """Writes the folder; see `syncbot.forge.ports.Writer`. One writer at a time, by a lock beside the files.

    ``beside`` returns files (name and content) that are made from a proposal's text and lie beside it.
    """

    def __init__(
        self,
        root: Path,
        branches: Branches,
        clock: Callable[[], datetime.datetime],
        *,
        commands: Callable[[str, Mapping[str, Any], Path, Path], str] | None = None,
        beside: Callable[[str], Mapping[str, str]] = lambda _: {},
    ) -> None:
        self._reader = FolderReader(root, branches)
        self._branches = branches
        self._clock = clock
        self._root = root
        self._commands = commands or default_commands
        self._beside = beside

    @contextmanager
    def _lock(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        try:
            self._root.mkdir(parents=True, exist_ok=True)
            with FileLock(self._root / ".lock", timeout=_PATIENCE):
                if not (about := self._root / "README.md").exists():
                    files.write_whole(about, _ABOUT)
                yield
        except Timeout:
            raise TryLaterError(f"{self._root}: another run has been writing there for {_PATIENCE} s") from None
        except OSError as error:
            raise CouldNotError(f"{self._root}: {error}") from error

    def _now(self) -> datetime.datetime:
        return self._clock().astimezone(datetime.UTC).replace(microsecond=0)

    def open_pull(self, new: NewPull) -> PullRequest:
        """Make the folder of a proposal."""
        what = f"propose {new.head} to {new.repo}"
        measure(what, title=new.title, body=new.body)
        self._reader.repository(new.repo)
        head_repo = new.head_repo or new.repo
        oid = self._branches.head(head_repo, new.head)
        if oid is None:
            raise InvalidError(f"{what}: there is no such branch in {self._branches.location(head_repo)}")
        with self._lock():
            if any(
                pull.base == new.base and pull.state is PullState.OPEN
                for pull in self._reader.pulls_of_branch(new.repo, new.head, head_repo=head_repo)
            ):
                raise AlreadyExistsError(f"{what}: a proposal from that branch is open")
            folder = files.repository_folder(self._root, new.repo)
            number, now = files.next_number(folder), self._now()
            table = {
                "state": "open",
                "draft": new.draft,
                "title": new.title,
                "base": new.base,
                "head": new.head,
                "head_repo": head_repo,
                "head_oid": oid,
                "author": BOT.login,
                "labels": [],
                "reviewers": [],
                "team_reviewers": [],
                "created_at": now,
                "updated_at": now,
            }
            texts = {"proposal.toml": files.toml_text(_PROPOSAL_NOTE, table), "body.md": new.body}
            texts |= self._beside(new.body)
            derived = self._derived(new.repo, table, files.folder_of(folder, "proposal", number, new.head))
            made = files.create(folder, "proposal", number, new.head, texts | derived)
        return self._reader.pull_of(new.repo, files.Entry(made, number, table))

    def _derived(self, repo: str, table: Mapping[str, Any], folder: Path) -> dict[str, str | bytes]:
        patch = self._branches.patch(table["head_repo"], table["base"], table["head_oid"])
        place = self._branches.location(table["head_repo"])
        return {"change.patch": patch, "commands.md": self._commands(repo, table, place, folder)}

    def after_push(self, repo: str, branch: str, *, head_repo: str | None = None) -> None:
        """Bring patch and commands of the open proposal from ``branch`` up to date."""
        with self._lock():
            for pull in self._reader.pulls_of_branch(repo, branch, head_repo=head_repo):
                entry = self._reader.entry(repo, "proposal", pull.number)
                if pull.state is PullState.OPEN and pull.head_oid != entry.table["head_oid"]:
                    table = {**entry.table, "head_oid": pull.head_oid}
                    for name, text in self._derived(repo, table, entry.folder).items():
                        files.write_whole(entry.folder / name, text)
                    self._change(entry, "proposal", head_oid=pull.head_oid)

    def _change(self, entry: files.Entry, kind: str, **changes: Any) -> None:
        files.change_toml(entry.folder / f"{kind}.toml", **changes, updated_at=self._now())

    def _edit(self, repo: str, kind: str, number: int, body: str | None, **changes: Any) -> None:
        with self._lock():
            entry = self._reader.entry(repo, kind, number)
            if body is not None:
                files.write_whole(entry.folder / "body.md", body)
                for name, text in self._beside(body).items() if kind == "proposal" else ():
                    files.write_whole(entry.folder / name, text)
            self._change(entry, kind, **{key: value for key, value in changes.items() if value is not None})

    def edit_pull(
        self, repo: str, number: int, *, title: str | None = None, body: str | None = None, base: str | None = None
    ) -> None:
        """Change only the fields that are given."""
        measure(f"{repo} {number}", title=title, body=body)
        self._edit(repo, "proposal", number, body, title=title, base=base)
        if title is not None:
            with self._lock():
                entry = self._reader.entry(repo, "proposal", number)
                place = self._branches.location(entry.table["head_repo"])
                text = self._commands(repo, entry.table, place, entry.folder)
                files.write_whole(entry.folder / "commands.md", text)

    def set_draft(self, repo: str, number: int, *, draft: bool) -> bool:
        """Make it a draft or ready for review, unless it is already."""
        if self._reader.pull_of(repo, self._reader.entry(repo, "proposal", number)).draft is draft:
            return False
        self._edit(repo, "proposal", number, None, draft=draft)
        return True

    def _listed(self, repo: str, number: int, change: Callable[[dict[str, list[str]]], None]) -> None:
        with self._lock():
            entry = self._reader.commented(repo, number)
            kind = "proposal" if (entry.folder / "proposal.toml").exists() else "issue"
            lists = {key: list(entry.table.get(key, ())) for key in ("labels", "reviewers", "team_reviewers")}
            before = {key: list(names) for key, names in lists.items()}
            change(lists)
            if changed := {key: names for key, names in lists.items() if names != before[key]}:
                self._change(entry, kind, **changed)

    def add_labels(self, repo: str, number: int, labels: Sequence[str]) -> None:
        """Add labels."""
        self._listed(repo, number, lambda lists: _merge(lists["labels"], labels))

    def remove_label(self, repo: str, number: int, label: str) -> None:
        """Take one label off."""
        self._listed(repo, number, lambda lists: lists["labels"].remove(label) if label in lists["labels"] else None)

    def request_review(self, repo: str, number: int, *, people: Sequence[str] = (), teams: Sequence[str] = ()) -> None:
        """Note who should review; nobody is told."""

        def change(lists: dict[str, list[str]]) -> None:
            _merge(lists["reviewers"], people)
            _merge(lists["team_reviewers"], teams)

        self._listed(repo, number, change)

    def open_issue(self, repo: str, *, title: str, body: str, labels: Sequence[str] = ()) -> Issue:
        """Make the folder of an issue."""
        measure(f"an issue of {repo}", title=title, body=body)
        self._reader.repository(repo)
        now = self._now()
        table = {
            "state": "open",
            "title": title,
            "author": BOT.login,
            "labels": list(labels),
            "created_at": now,
            "updated_at": now,
        }
        with self._lock():
            folder = files.repository_folder(self._root, repo)
            number = files.next_number(folder)
            texts = {"issue.toml": files.toml_text(_ISSUE_NOTE, table), "body.md": body}
            made = files.create(folder, "issue", number, title, texts)
        return issue_value(repo, files.Entry(made, number, table))

    def edit_issue(
        self,
        repo: str,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: IssueState | None = None,
    ) -> None:
        """Change only the fields that are given."""
        measure(f"{repo} {number}", title=title, body=body)
        self._edit(repo, "issue", number, body, title=title, state=state.value if state else None)

    def add_comment(self, repo: str, number: int, body: str) -> Comment:
        """Add a file to ``comments/``."""
        measure(f"a comment on {repo} {number}", body=body)
        now = self._now()
        with self._lock():
            where = self._reader.commented(repo, number).folder / "comments"
            used = [int(path.stem) for path in where.glob("*.md") if path.stem.isdigit()]
            path = where / f"{max(used, default=0) + 1:04}.md"
            table = {"author": BOT.login, "created_at": now, "updated_at": now}
            files.write_whole(path, files.comment_text(table, body))
        return comment_value(path)

    def edit_comment(self, repo: str, number: int, comment: str, body: str) -> None:
        """Replace the text of a comment by its file name."""
        measure(f"a comment on {repo} {number}", body=body)
        with self._lock():
            where = self._reader.commented(repo, number).folder / "comments"
            path = next((path for path in where.iterdir() if path.name == comment), None)
            if path is None:
                raise NotFoundError(f"{where}: there is no comment {comment!r}")
            table, _ = files.parse_comment(path.read_text(encoding="utf-8", errors="replace"))
            files.write_whole(path, files.comment_text({**table, "updated_at": self._now()}, body))


def default_commands(repo: str, table: Mapping[str, Any], place: Path, folder: Path) -> str:
    """Return what a person types to submit the proposal in ``folder``; every name is quoted for the shell."""
    head, base = shlex.quote(table["head"]), shlex.quote(table["base"])
    title, slug = shlex.quote(table["title"]), shlex.quote(repo)
    fetched = shlex.quote(f"refs/heads/{table['head']}")
    return f"""To submit it, in a clone of `{repo}`. Signing off is yours to do:

```sh
PROPOSAL={shlex.quote(str(folder.absolute()))}
git fetch {shlex.quote(str(place.absolute()))} {fetched}
git switch -c {head} FETCH_HEAD
git commit --amend --no-edit --signoff
git push --set-upstream origin HEAD
gh pr create --draft --repo {slug} --base {base} --title {title} --body-file "$PROPOSAL/body.md"
```

Or from the patch alone: `git am --signoff "$PROPOSAL/change.patch"`.

When it is merged or not wanted, change `state` in `proposal.toml`.
"""


def _merge(names: list[str], more: Sequence[str]) -> None:
    names.extend(name for name in dict.fromkeys(more) if name not in names)
