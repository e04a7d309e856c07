"""What was proposed for each workaround, read from the forge for a report: state, place and day."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from syncbot.model.errors import SyncbotError
from syncbot.model.forge import PullRequest, PullState
from syncbot.model.proposal import Key, ProposalKind
from syncbot.model.report import ProposalRow

if TYPE_CHECKING:
    from syncbot.model.project import Project, Workaround
    from syncbot.observe import Clones
    from syncbot.proposals.venue import Venue

_KINDS = (ProposalKind.REMOVAL, ProposalKind.RESTORE)


def offered(
    project: Project, clones: Clones, workarounds: Iterable[Workaround], *, ask_hosts: bool
) -> tuple[dict[str, list[ProposalRow]], list[str]]:
    """The proposals of each workaround, oldest first, by its id; and what could not be read.

    A folder forge costs nothing and is always read; a code host two requests a workaround, so only with ``ask_hosts``.
    """
    from syncbot.cli.venues import open_place
    from syncbot.forge.errors import NotFoundError

    found: dict[str, list[ProposalRow]] = {}
    problems: list[str] = []
    for name in dict.fromkeys(each.downstream for each in workarounds):
        mine = [each for each in workarounds if each.downstream == name]
        try:
            with open_place(project, name, clones.downstreams[name]) as place:
                if not place.venue.files and not ask_hosts:
                    continue
                try:
                    found |= {each.id: _of_one(place.venue, each) for each in mine}
                except NotFoundError:
                    if not place.venue.files:
                        raise
                    # Nothing was ever proposed into this folder.
        except SyncbotError as error:
            problems.append(f"the proposals to {name} could not be read: {error}")
    return found, problems


def _of_one(venue: Venue, workaround: Workaround) -> list[ProposalRow]:
    from syncbot.proposals.bundle import inside, key_of
    from syncbot.render.branch import branch_name
    from syncbot.render.regions import read_record

    fork = venue.push_repo if venue.push_repo != venue.repo else None
    names: list[str | None] = [None]
    if len(workaround.carriers) > 1:
        names += [carrier.name for carrier in workaround.carriers if carrier.name]
    rows: list[ProposalRow] = []
    for kind in _KINDS:
        for carrier in names:
            key = Key(kind=kind, workaround=workaround.id, carrier=carrier)
            pulls = venue.reader.pulls_of_branch(venue.repo, branch_name(key), head_repo=fork)
            rows += [_row(kind, pull) for pull in reversed(pulls)]
    for name, ids in venue.proposals.bundles.items():
        if workaround.id in ids:
            pulls = venue.reader.pulls_of_branch(venue.repo, branch_name(key_of(name)), head_repo=fork)
            told = [(pull, read_record(pull.body)) for pull in reversed(pulls)]
            mine = [pull for pull, record in told if record and workaround.id in inside(record.evidence)]
            rows += [_row(ProposalKind.BUNDLE, pull) for pull in mine]
    return rows


def _row(kind: ProposalKind, pull: PullRequest) -> ProposalRow:
    ended = pull.merged_at or pull.closed_at
    state = "draft" if pull.draft and pull.state is PullState.OPEN else pull.state.value
    when = (ended if pull.state is not PullState.OPEN else None) or pull.created_at
    web = pull.url if pull.url.startswith(("http://", "https://")) else None
    return ProposalRow(
        kind=kind.value,
        state=state,
        label=f"#{pull.number}" if web else f"proposal {pull.number}",
        url=web,
        date=when.date() if when else None,
    )
