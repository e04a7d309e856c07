"""The one comment on the issue that a workaround is for: made once, edited when what it says changes, never twice.

Which text was last seen there is kept in the cache, so that an idle run asks nothing; without a cache it costs one
request a workaround. A comment that people deleted is not made again as long as the cache remembers it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from syncbot.model.forge import BODY_LIMIT
from syncbot.model.plan import Action, ActionKind, Line
from syncbot.model.status import Decision, Standing
from syncbot.model.words import Stage
from syncbot.plan import same_text
from syncbot.proposals.prepare import Keeps
from syncbot.proposals.venue import Venue
from syncbot.render.shorten import shorten
from syncbot.render.template import render

_CACHE = "tracking/1"
_PATH = re.compile(r"/(?P<slug>[^/\s]+/[^/\s]+)/(?:issues|pull)/(?P<number>\d+)/?(?:[?#].*)?")
_TOLD = {
    Stage.UNLINKED: "no upstream change is recorded that would cure it.",
    Stage.WAITING: "the upstream change has not landed yet.",
    Stage.FIXED: "it is fixed upstream, and in no release yet.",
    Stage.RELEASED: "it is fixed in a release that not every pin has reached.",
    Stage.READY: "every pin that decides builds an upstream with the fix.",
    Stage.REGRESSED: "it was fixed, and is not any more.",
    Stage.UNSURE: "whether it is fixed cannot be told without a person.",
}


def place_of(venue: Venue, issue: str | None) -> tuple[str, int] | None:
    """Return the repository and the number of an issue on the venue's own host, None for any other address."""
    root = venue.web.removesuffix(f"/{venue.repo}") if venue.web is not None else None
    if issue is None or root is None or venue.files or not issue.startswith(f"{root}/"):
        return None
    match = _PATH.fullmatch(issue.removeprefix(root))
    return (match["slug"], int(match["number"])) if match else None


def text_of(venue: Venue, standing: Standing, lines: Sequence[tuple[Decision, Line | None]]) -> str:
    """Return what the comment says: no day and no commit of the downstream, so that a moved base changes nothing."""
    workaround = standing.facts.workaround
    body = render(
        "issue/tracking.md.j2",
        {
            "workaround": workaround, "repo": venue.repo, "told": _TOLD[standing.stage],
            "backlinks": venue.proposals.backlinks,
            "pins": [
                {
                    "name": pin.reading.name, "ref": pin.reading.text.text if pin.reading.text else "?",
                    "verdict": pin.has.verdict.value,
                }
                for pin in standing.pins
                if pin.reading.gating
            ],
            "lines": [
                {
                    "decision": decision.choice.value, "next": decision.next,
                    "carrier": line.carrier if line is not None else decision.carrier.name,
                    "url": line.url if line is not None else None, "state": line.state if line is not None else "",
                }
                for decision, line in lines
            ],
        },
        folder=venue.templates,
        backlinks=venue.proposals.backlinks,
    )  # fmt: skip
    return shorten(body, BODY_LIMIT - 1000, "(Left out, since the whole would be too long for this forge.)")


def plan_tracking(
    venue: Venue, standing: Standing, lines: Sequence[tuple[Decision, Line | None]], cache: Keeps | None
) -> tuple[Action, ...]:
    """Return the write that the comment needs, if any. Raises what the forge raises when it has to be looked for."""
    workaround = standing.facts.workaround
    where = place_of(venue, workaround.issue)
    if not venue.proposals.issue_comment or where is None:
        return ()
    repo, number = where
    name = f"{repo}#{number}/{venue.repo}/{workaround.id}"
    mark = f"tracking-{_words(venue.repo)}-{_words(workaround.id)}"
    body = text_of(venue, standing, lines)
    digest = hashlib.sha256(body.encode()).hexdigest()
    known = cache.get_json(_CACHE, [name]).get(name) if cache is not None else None
    if known == digest:
        return ()
    me, line = venue.reader.identity().login, f"<!-- syncbot:said {mark} -->"
    told = venue.reader.comments(repo, number)
    mine = next((each for each in told if line in each.body and each.author.login == me), None)
    topic = f"tracking:{workaround.id}"
    if mine is None:
        if known is not None:
            return ()
        data = {"mark": mark, "body": body}
        return (Action(kind=ActionKind.COMMENT, topic=topic, repo=repo, number=number, data=data),)
    if same_text(mine.body, f"{body}\n\n{line}"):
        if cache is not None:
            cache.put_json(_CACHE, {name: digest})
        return ()
    return (
        Action(
            kind=ActionKind.EDIT_COMMENT, topic=topic, repo=repo, number=number, expects={"body": mine.body},
            data={"comment": mine.id, "body": f"{body}\n\n{line}"},
        ),
    )  # fmt: skip


def _words(text: str) -> str:
    return re.sub(r"[^\w-]", "-", text)
