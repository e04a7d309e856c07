"""One comment of ours on a pull request, edited as what it says changes: never a second one, and none about nothing."""

from __future__ import annotations

from syncbot.forge.ports import Reader, Writer
from syncbot.model.forge import Comment
from syncbot.plan import same_text


def keep(
    reader: Reader, writer: Writer, repo: str, number: int, *, mark: str, body: str | None, nothing: str
) -> tuple[str, Comment | None]:
    """Make the comment with ``mark`` say ``body``; returns what was done (a word) and the comment, if any.

    Without a ``body`` a comment that is there says ``nothing``, and none is made. Raises what the forge raises.
    """
    line = f"<!-- syncbot:said {mark} -->"
    me = reader.identity().login
    ours = (each for each in reader.comments(repo, number) if line in each.body and each.author.login == me)
    held = next(ours, None)
    if held is None and body is None:
        return "quiet", None
    text = f"{body if body is not None else nothing}\n\n{line}\n"
    if held is None:
        return "said", writer.add_comment(repo, number, text)
    if same_text(text, held.body):
        return "unchanged", held
    writer.edit_comment(repo, number, held.id, text)
    return "edited", held
