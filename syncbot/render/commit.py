"""The title of a proposal and the message of its one commit. Pure: the same inputs give the same bytes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from syncbot.model.forge import TITLE_LIMIT
from syncbot.model.project import Proposals, Workaround
from syncbot.model.proposal import Key, ProposalKind
from syncbot.render.text import plain

_WIDTH = 72
_VERB = {
    ProposalKind.REMOVAL: "Remove workaround: {title}",
    ProposalKind.RESTORE: "Put workaround back: {title}",
    ProposalKind.REFRESH: "Refresh patch: {title}",
    ProposalKind.BUNDLE: "Remove workarounds that are no longer needed: {title}",
}


def title_of(key: Key, workaround: Workaround, proposals: Proposals) -> str:
    """Return the title of a proposal: the manifest's own for a removal, else made from the workaround's."""
    own = workaround.removal.title if key.kind is ProposalKind.REMOVAL else None
    about = key.workaround if key.kind is ProposalKind.BUNDLE else workaround.title
    title = own or _VERB[key.kind].format(title=about)
    form = proposals.title or "{title}"
    # No format(): a title may hold braces.
    whole = form.replace("{id}", key.workaround).replace("{title}", title)
    return plain(whole, TITLE_LIMIT)


def message_of(key: Key, workaround: Workaround, proposals: Proposals, *, edit: str, sign_off: bool) -> str:
    """Return the commit message: title, why, and trailers that name the workaround, the edit, its origin and the fixes.

    Commits are named by id alone: a number with a ``#`` would link back from the pull request it names.
    """
    paragraphs = [title_of(key, workaround, proposals)]
    paragraphs += [_wrapped(part) for part in re.split(r"\n\s*\n", workaround.why.strip()) if part.strip()]
    trailers = [f"Syncbot-Workaround: {workaround.id}", f"Syncbot-Edit: {edit}", *_origins(workaround)]
    return _message([*paragraphs, _WHAT[key.kind]], trailers, proposals, sign_off=sign_off)


def message_of_bundle(
    key: Key, workarounds: Sequence[Workaround], proposals: Proposals, *, edit: str, sign_off: bool
) -> str:
    """Return the message of a bundle's one commit: what each workaround was, and the trailers of all."""
    told = [textwrap.fill(f"- {each.id}: {_line(each.title)}", _WIDTH, subsequent_indent="  ") for each in workarounds]
    paragraphs = [title_of(key, workarounds[0], proposals), "\n".join(told), _WHAT[key.kind]]
    trailers = [f"{_BUNDLE}: {key.workaround}"]
    trailers += [f"Syncbot-Workaround: {each.id}" for each in workarounds]
    trailers.append(f"Syncbot-Edit: {edit}")
    trailers += [line for each in workarounds for line in _origins(each)]
    return _message(paragraphs, list(dict.fromkeys(trailers)), proposals, sign_off=sign_off)


def _message(paragraphs: Sequence[str], trailers: Sequence[str], proposals: Proposals, *, sign_off: bool) -> str:
    signed = f"Signed-off-by: {plain(proposals.identity_name)} <{plain(proposals.identity_email)}>"
    return "\n\n".join([*paragraphs, "\n".join([*trailers, *([signed] if sign_off else [])])]) + "\n"


def _origins(workaround: Workaround) -> list[str]:
    trailers = []
    if workaround.introduced.commit:
        trailers.append(f"Syncbot-Introduced: {workaround.introduced.commit}")
    for fix in workaround.fixes:
        if fix.cures.value not in ("refuted", "abandoned"):
            named = " ".join(
                str(part) for part in (fix.commit, f"(pull request {fix.pull})" if fix.pull else "") if part
            )
            trailers.append(f"Syncbot-Fix: {fix.upstream} {named}")
    return trailers


_BUNDLE = "Syncbot-Bundle"
_WHAT = {
    ProposalKind.REMOVAL: "Every pin that gates it builds an upstream with the fix, so it is taken out again.",
    ProposalKind.RESTORE: "A pin builds an upstream without the fix again, so it is put back.",
    ProposalKind.REFRESH: "The patch no longer applied strictly; it is written anew for today's base.",
    ProposalKind.BUNDLE: "Every pin that gates them builds an upstream with the fixes, so they are taken out again.",
}


def _wrapped(text: str) -> str:
    return textwrap.fill(_line(text), _WIDTH, break_long_words=False, break_on_hyphens=False)


def _line(text: str) -> str:
    return re.sub(r"@(?=\w)", "", " ".join(plain(text).split()).replace("#", ""))


def is_ours(message: str, key: Key) -> bool:
    """Whether a commit message carries the trailer of this workaround, or of this bundle."""
    name = _BUNDLE if key.kind is ProposalKind.BUNDLE else "Syncbot-Workaround"
    return f"\n{name}: {key.workaround}\n" in f"{message}\n"
