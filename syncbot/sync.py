"""One run for one downstream: plan, apply, until the plan is empty.

`plan_for` has no writer and writes nothing anywhere. `run` applies and plans again, since only a plan that comes out
empty says that it is done; the dashboard is written last, about what is there then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from syncbot.model.errors import SyncbotError, TryLaterError
from syncbot.model.forge import IssueState
from syncbot.model.plan import Action, Outcome, Plan, Result
from syncbot.planning import Given, Planned, plan
from syncbot.proposals.apply import Hands
from syncbot.proposals.venue import Pens

_ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run came to. ``problem``: the forge could not be looked at; ``errors``: single workarounds could not.

    ``stopped``: the label on the dashboard that stops all writes is there.
    """

    plan: Plan
    outcomes: tuple[Outcome, ...] = ()
    problem: SyncbotError | None = None
    errors: tuple[SyncbotError, ...] = ()
    stopped: bool = False


def plan_for(given: Given) -> Report:
    """Return what would be written, and why; writes nothing anywhere."""
    planned = plan(given)
    actions = planned.actions or planned.dashboard
    return Report(
        plan=Plan(actions=tuple(actions), lines=tuple(planned.lines)),
        problem=planned.view.problem,
        errors=tuple(planned.errors),
    )


def run(given: Given, pens: Pens, *, only: Callable[[Action], str | None] | None = None) -> Report:
    """Plan and apply until nothing is left, at most three times. ``only`` says why an action must not be taken."""
    outcomes: list[Outcome] = []
    planned = first = plan(given)
    for _ in range(_ROUNDS):
        done = {each.action.digest for each in outcomes}
        new = [action for action in planned.actions if action.digest not in done]
        if not new or planned.view.problem is not None:
            break
        made = _apply(given, planned, pens, new, only)
        outcomes += made
        if all(each.result is not Result.DONE for each in made):
            break
        planned = plan(given)
    if planned.dashboard and planned.view.problem is None:
        outcomes += _apply(given, planned, pens, planned.dashboard, only)
    lines = tuple(planned.lines)
    return Report(
        stopped=_stopped(given, planned),
        plan=Plan(actions=tuple(first.actions), lines=lines),
        outcomes=tuple(outcomes),
        problem=planned.view.problem,
        errors=tuple(planned.errors),
    )


def _apply(
    given: Given, planned: Planned, pens: Pens, actions: Sequence[Action], only: Callable[[Action], str | None] | None
) -> list[Outcome]:
    if _stopped(given, planned):
        why = f"the dashboard has the label {given.venue.proposals.stop_label}"
        return [Outcome(action=action, result=Result.HELD_BACK, why=why) for action in actions]
    refused = {each.digest: no for each in actions if only is not None and (no := only(each)) is not None}
    hands = Hands(
        venue=given.venue, pens=pens, workshop=given.workshop,
        workarounds={each.facts.workaround.id: each.facts.workaround for each in given.standings},
        base=_base(given),
    )  # fmt: skip
    made = iter(hands.apply([action for action in actions if action.digest not in refused]))
    return [
        Outcome(action=action, result=Result.SKIPPED, why=refused[action.digest])
        if action.digest in refused
        else next(made)
        for action in actions
    ]


def _stopped(given: Given, planned: Planned) -> bool:
    board = planned.view.dashboard(given.venue.repo)
    return board is not None and board.state is IssueState.OPEN and given.venue.proposals.stop_label in board.labels


def _base(given: Given) -> tuple[str, str]:
    head = given.standings[0].facts.head if given.standings else ""
    return given.venue.base, given.base_oid or head


def outcome_error(report: Report) -> SyncbotError | None:
    """Return the error a run amounts to: look or try later, or an action that failed; None if all is well."""
    if report.problem is not None:
        return report.problem
    if report.errors:
        return min(report.errors, key=lambda error: error.exit_code)
    later = [each for each in report.outcomes if each.result in (Result.LATER, Result.UNCLEAR)]
    failed = [each for each in report.outcomes if each.result is Result.FAILED]
    if failed:
        return SyncbotError(f"{len(failed)} of {len(report.outcomes)} actions failed")
    if later:
        return TryLaterError(f"{len(later)} of {len(report.outcomes)} actions are left for a later run")
    return None


def joined(reports: Sequence[Report]) -> Report:
    """Return several reports about one downstream as one."""
    return Report(
        plan=Plan(
            actions=tuple(action for each in reports for action in each.plan.actions),
            lines=tuple(line for each in reports for line in each.plan.lines),
        ),
        outcomes=tuple(outcome for each in reports for outcome in each.outcomes),
        problem=next((each.problem for each in reports if each.problem is not None), None),
        errors=tuple(error for each in reports for error in each.errors),
        stopped=any(each.stopped for each in reports),
    )
