"""Clones that are already there (``--repo [NAME=]PATH``): what kind each is, and where its default branch lies.

Read-only always: every question goes through ``Access.READ``, which neither locks, fetches nor runs a hook. A clone
may be bare or have a work tree, be a linked work tree or a submodule (a ``.git`` file), be shallow, partial, lack
objects, and have no configuration file at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from syncbot.git.history import resolve
from syncbot.git.refs import read_refs
from syncbot.git.run import Access, Git, GitError
from syncbot.git.url import parse_address, redact
from syncbot.git.view import plain_view
from syncbot.model.errors import UsageError

_FALLBACKS = ("main", "master")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone:
    """A repository on this machine that can be read.

    ``git_dir`` is where git runs (of this work tree, if it is a linked one), ``common_dir`` where refs and objects are.
    ``branch`` is the short name of the default branch and ``branch_ref`` the full ref that holds it here; both None
    in a repository without one. ``shallow``: ancestry may be cut, so "is no ancestor" proves nothing. ``partial``:
    made with a filter, so objects may be missing (they may be missing elsewhere too). ``slug`` and ``host`` are
    guessed from the URL of the remote ``origin``. ``notes`` are remarks for a person, e.g. how the branch was chosen.
    ``object_format`` is ``sha1`` or ``sha256``.
    ``bring`` is what its runners get as `Git.bring`: a mirror's can, a person's clone never fetches.
    """

    path: Path
    git_dir: Path
    common_dir: Path
    bare: bool
    branch: str | None
    branch_ref: str | None
    shallow: bool
    partial: bool
    host: str | None = None
    slug: str | None = None
    notes: tuple[str, ...] = ()
    object_format: str = "sha1"
    bring: Callable[[Collection[str]], None] | None = field(default=None, repr=False, compare=False)

    @property
    def label(self) -> str:
        """``owner/name`` where origin tells it, else the folder's name."""
        return self.slug or self.path.name

    def git(self) -> Git:
        """Return a read-only runner that sees its objects and refs, and none of its configuration."""
        view = plain_view(self.git_dir, self.common_dir, self.object_format)
        return Git(view.directory, view.access, bring=self.bring)

    def branch_candidates(self, branch: str) -> tuple[str, ...]:
        """Return the full refs under which the remote's branch ``branch`` may lie here, best first.

        In an ordinary clone that is origin's branch as last fetched; a local branch of that name may be old or
        someone's own work.
        """
        tracking, local = f"refs/remotes/origin/{branch}", f"refs/heads/{branch}"
        return (local, tracking) if self.bare else (tracking, local)


def open_clone(path: str | Path) -> Clone:
    """Return the clone at ``path``: the top of a work tree, a bare repository, a ``.git`` folder or file.

    ``~`` is the home folder, a relative path starts at the current one. Raises `UsageError` that says what is there
    instead and what to do.
    """
    place = Path(path).expanduser().absolute()
    if place.is_file() and place.name == ".git":
        place = place.parent
    if not place.is_dir():
        what = "is a file" if place.exists() else "does not exist"
        raise UsageError(f"--repo {path}: {place} {what}; expected the folder of a git clone, bare or not")
    resolved = place.resolve()
    git = Git(resolved, Access.READ)
    # Without the ceiling git would climb and read the repository around an empty folder.
    ceiling = git.with_env(GIT_CEILING_DIRECTORIES=str(resolved.parent))
    try:
        git_dir, common_dir, shallow, bare, object_format = ceiling.lines(
            "rev-parse",
            "--path-format=absolute",
            "--git-dir",
            "--git-common-dir",
            "--is-shallow-repository",
            "--is-bare-repository",
            "--show-object-format",
        )
    except (GitError, ValueError) as error:
        raise UsageError(f"--repo {path}: {_why_not(git, resolved, error)}") from None
    inside = Git(Path(git_dir), Access.READ)
    head = _head(inside, Path(git_dir), Path(common_dir))
    branch_ref, notes = _default_branch(head, _branch_refs(inside, head), is_bare=bare == "true")
    settings = _remote_settings(inside, Path(common_dir))
    host, slug = _origin(settings)
    if shallow == "true":
        notes += ("the clone is shallow: history before its cut is not there (git fetch --unshallow brings it)",)
    return Clone(
        path=place,
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        bare=bare == "true",
        branch=_short(branch_ref),
        branch_ref=branch_ref,
        shallow=shallow == "true",
        partial=_is_partial(settings, Path(common_dir)),
        host=host,
        slug=slug,
        notes=notes,
        object_format=object_format,
    )


def branch_ref_in(clone: Clone, branch: str | None) -> str:
    """The full ref of ``branch`` in a clone, or of its default branch; any other ref is returned as it is.

    Raises `UsageError` when no branch is asked for and the clone tells none.
    """
    if branch is None:
        if clone.branch_ref is None:
            raise UsageError(
                f"{clone.label} does not say which branch is the default one; name it "
                "(with --branch, or as branch in syncbot.toml)"
            )
        return clone.branch_ref
    known = {ref.name for ref in read_refs(clone.git(), *clone.branch_candidates(branch))}
    return next((ref for ref in clone.branch_candidates(branch) if ref in known), branch)


def branch_tip(clone: Clone, branch: str | None) -> str:
    """The commit at the head of ``branch`` (or of the default branch), of any other ref the commit it names.

    Raises `UsageError` as `branch_ref_in` does, `UnknownObjectError` when there is no such commit here.
    """
    if branch is not None:
        known = {ref.name: ref for ref in read_refs(clone.git(), *clone.branch_candidates(branch))}
        found = next((known[name] for name in clone.branch_candidates(branch) if name in known), None)
        # A ref without a date may name a commit that is not here.
        if found is not None and found.date is not None:
            return found.commit
    return resolve(clone.git(), branch_ref_in(clone, branch))


def _why_not(git: Git, place: Path, error: Exception) -> str:
    try:
        top = git.text("rev-parse", "--show-toplevel")
    except GitError:
        top = ""
    if top and Path(top) != place:
        return f"{place} is a folder inside the clone {top}; name that one (--repo {top})"
    if (place / ".git").exists() or (place / "HEAD").is_file():
        reason = redact(error.stderr) if isinstance(error, GitError) else str(error)
        return f"git cannot read the repository in {place}: {reason.removeprefix('fatal: ')}"
    return f"{place} is not a git clone; make one with: git clone --filter=blob:none URL {place}"


def _head(git: Git, git_dir: Path, common_dir: Path) -> str | None:
    """Return the ref that HEAD names, from its file unless git keeps that elsewhere; None where it is detached."""
    text = (git_dir / "HEAD").read_text("utf-8", "replace")
    if text.startswith("ref:") and not (common_dir / "reftable").exists():
        return text.removeprefix("ref:").strip()
    status, output = git.result("symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    return output.decode("utf-8", "replace").strip() if status == 0 else None


def _branch_refs(git: Git, head: str | None) -> dict[str, str]:
    """Return the refs a default branch can be told from, with what each points to ("" for those that are ids)."""
    names = [f"{root}/{name}" for root in ("refs/heads", "refs/remotes/origin") for name in _FALLBACKS]
    asked = dict.fromkeys(["refs/remotes/origin/HEAD", *names, *([head] if head else [])])
    output = git.lines("for-each-ref", "--format=%(refname) %(symref)", "--", *asked)
    return dict(line.split(" ", 1) for line in output)


def _default_branch(head: str | None, refs: dict[str, str], *, is_bare: bool) -> tuple[str | None, tuple[str, ...]]:
    notes: tuple[str, ...] = () if head else ("HEAD is detached: it names a commit, not a branch",)
    if not is_bare and (target := refs.get("refs/remotes/origin/HEAD")):
        return target, notes
    if is_bare and head in refs:
        return head, notes
    roots = ("refs/heads", "refs/remotes/origin") if is_bare else ("refs/remotes/origin", "refs/heads")
    for name in (f"{root}/{branch}" for root in roots for branch in _FALLBACKS):
        if name in refs:
            return name, (*notes, f"the clone does not tell its default branch; {name} is taken for it")
    if head in refs:
        return head, (*notes, f"the clone does not tell its default branch; the checked-out {head} is taken for it")
    return None, (*notes, "no default branch was found in the clone")


def _short(ref: str | None) -> str | None:
    return ref.removeprefix("refs/remotes/origin/").removeprefix("refs/heads/") if ref else None


def _remote_settings(git: Git, common_dir: Path) -> dict[str, str]:
    """Return ``remote.*`` and ``extensions.*`` of the clone's own configuration, by lower-case key; {} without one."""
    own = common_dir / "config"
    # Other files of it are named in this one, by an extension or an include.
    if not own.is_file() or not re.search(rb"remote|extension|include", own.read_bytes(), re.IGNORECASE):
        return {}
    output = git.run("config", "-z", "--get-regexp", r"^(remote|extensions)\.", ok=(0, 1))
    entries = (item.split("\n", 1) for item in output.decode("utf-8", "replace").split("\0") if item)
    # A key without "=" is a boolean that is true.
    return {key.lower(): value[0] if value else "true" for key, *value in entries}


def _is_partial(settings: dict[str, str], common_dir: Path) -> bool:
    promised = any(key == "extensions.partialclone" or key.endswith(".promisor") for key in settings)
    return promised or any((common_dir / "objects" / "pack").glob("*.promisor"))


def _origin(settings: dict[str, str]) -> tuple[str | None, str | None]:
    url = settings.get("remote.origin.url")
    if url is None:
        return None, None
    try:
        address = parse_address(_without_user(url), allow_local=True)
    except UsageError:
        return None, None
    return address.host or None, address.slug


def _without_user(url: str) -> str:
    # An ssh user is no secret, and part of the short form.
    return redact(url) if url.startswith(("http://", "https://")) else url
