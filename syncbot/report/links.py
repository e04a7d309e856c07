"""Where a person can read about a change: addresses on the web, or None where no forge is known to have a page."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from syncbot.model.project import Repo


def web(url: str | None) -> str | None:
    """``url`` if a page may link to it (http or https, no user or password in it), else None."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return None
    return quote(url, safe=":/?#[]@!$&'()*+,;=%~") if fine else None


def change(repo: Repo, *, pull: int | None = None, commit: str | None = None) -> str | None:
    """The page of a pull request, or else of a commit."""
    if pull is not None:
        return _page(repo, f"pull/{pull}")
    return _page(repo, f"commit/{commit}") if commit is not None else None


def release(repo: Repo, tag: str) -> str | None:
    """The page of a tag."""
    return _page(repo, f"releases/tag/{quote(tag, safe='')}")


def _page(repo: Repo, rest: str) -> str | None:
    if repo.forge.kind != "github" or repo.forge.web is None or repo.slug is None:
        return None
    return web(f"{repo.forge.web}/{repo.slug}/{rest}")
