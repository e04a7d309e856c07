"""The title of a proposal and the message of its one commit. Pure: the same inputs give the same bytes."""

from __future__ import annotations

import re
import textwrap

from syncbot.model.forge import TITLE_LIMIT
from syncbot.model.project import Proposals, Workaround
from syncbot.model.proposal import Key, ProposalKind
from syncbot.render.text import plain

_WIDTH = 72
_VERB = {
    ProposalKind.REMOVAL: "Remove workaround: {title}",
    ProposalKind.RESTORE: "Put workaround back: {title}",
    ProposalKind.REFRESH: "Refresh patch: {title}",
}


def title_of(key: Key, workaround: Workaround, proposals: Proposals) -> str:
    """Return the title of a proposal: the manifest's own for a removal, else made from the workaround's."""
    own = workaround.removal.title if key.kind is ProposalKind.REMOVAL else None
    title = own or _VERB[key.kind].format(title=workaround.title)
    form = proposals.title or "{title}"
    # No format(): a title may hold braces.
    whole = form.replace("{id}", workaround.id).replace("{title}", title)
    return plain(whole, TITLE_LIMIT)


def message_of(key: Key, workaround: Workaround, proposals: Proposals, *, edit: str, sign_off: bool) -> str:
    """Return the commit message: title, why, and trailers that name the workaround, the edit, its origin and the fixes.

    Commits are named by id alone: a number with a ``#`` would link back from the pull request it names.
    """
    paragraphs = [title_of(key, workaround, proposals)]
    paragraphs += [_wrapped(part) for part in re.split(r"\n\s*\n", workaround.why.strip()) if part.strip()]
    paragraphs.append(_WHAT[key.kind])
    trailers = [f"Syncbot-Workaround: {workaround.id}", f"Syncbot-Edit: {edit}"]
    if workaround.introduced.commit:
        trailers.append(f"Syncbot-Introduced: {workaround.introduced.commit}")
    for fix in workaround.fixes:
        if fix.cures.value not in ("refuted", "abandoned"):
            named = " ".join(
                str(part) for part in (fix.commit, f"(pull request {fix.pull})" if fix.pull else "") if part
            )
            trailers.append(f"Syncbot-Fix: {fix.upstream} {named}")
    if sign_off:
        trailers.append(f"Signed-off-by: {plain(proposals.identity_name)} <{plain(proposals.identity_email)}>")
    return "\n\n".join([*paragraphs, "\n".join(trailers)]) + "\n"


_WHAT = {
    ProposalKind.REMOVAL: "Every pin that gates it builds an upstream with the fix, so it is taken out again.",
    ProposalKind.RESTORE: "A pin builds an upstream without the fix again, so it is put back.",
    ProposalKind.REFRESH: "The patch no longer applied strictly; it is written anew for today's base.",
}


def _wrapped(text: str) -> str:
    line = " ".join(plain(text).split()).replace("#", "")
    return textwrap.fill(re.sub(r"@(?=\w)", "", line), _WIDTH, break_long_words=False, break_on_hyphens=False)


def is_ours(message: str, workaround: str) -> bool:
    """Whether a commit message carries the trailer of this workaround."""
    return f"\nSyncbot-Workaround: {workaround}\n" in f"{message}\n"
