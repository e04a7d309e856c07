"""The checklist and its gate: what passes, what is held back, and every way a set of results could fool it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from syncbot.checks.judge import gate, judge, refusals
from syncbot.model.checks import Judgement
from syncbot.model.errors import UsageError


def only(specs, sets, wanted):
    (judged,) = judge(specs, sets, wanted)
    return judged


def test_five_good_runs_an_arm_open_the_gate(specs, make_arms, attach, wanted):
    judged = only(specs(), [attach(*make_arms())], wanted)
    assert (judged.verdict, judged.reasons) == (Judgement.PASS, ())
    assert gate([judged], {}).ready


def test_a_loss_fails(specs, make_arms, attach, wanted):
    judged = only(specs(), [attach(*make_arms(0.9))], wanted)
    assert judged.verdict is Judgement.FAIL
    assert not gate([judged], {}).ready


def test_nothing_attached_is_missing(specs, wanted):
    judged = only(specs(), [], wanted)
    assert (judged.verdict, judged.reasons) == (Judgement.MISSING, ("no results yet",))
    assert gate([judged], {}).waiting == ("speed: no results yet",)


def test_what_is_not_required_does_not_hold_the_gate(specs, make_arms, attach, wanted):
    judged = judge(specs(required=False), [attach(*make_arms(0.9))], wanted)
    assert gate(judged, {}).ready


def test_too_few_runs_are_inconclusive(specs, make_arms, attach, wanted):
    judged = only(specs(), [attach(*make_arms(runs=4))], wanted)
    assert judged.verdict is Judgement.INCONCLUSIVE
    assert judged.reasons == ("4 of 5 runs an arm at max_concurrency 8",)


def test_more_runs_attached_later_count_together(specs, make_arms, attach, wanted):
    first, second = make_arms(runs=3), make_arms(runs=3)
    assert only(specs(), [attach(*first), attach(*second)], wanted).verdict is Judgement.PASS


def test_the_same_runs_attached_twice_count_once(specs, make_arms, attach, wanted):
    arms = make_arms(runs=3)
    judged = only(specs(), [attach(*arms), attach(*arms)], wanted)
    assert judged.reasons == ("3 of 5 runs an arm at max_concurrency 8",)


def test_a_level_of_the_ladder_without_runs(make_arms, attach, wanted):
    from syncbot.checks.spec import read_specs
    from syncbot.model.project import Check

    check = Check(name="speed", kind="benchmark", options={"concurrency": [8, 64], "workload": {"prompts": 48}})
    judged = only(read_specs([check]), [attach(*make_arms())], wanted)
    assert judged.reasons == ("no run at max_concurrency 64",)


@pytest.mark.parametrize("key", ["edit", "pin", "arm", "hardware"])
def test_a_file_that_does_not_say_what_was_run(specs, make_arms, attach, wanted, key):
    baseline, candidate = make_arms()
    silent = replace(candidate[0], tags={name: value for name, value in candidate[0].tags.items() if name != key})
    judged = only(specs(), [attach(baseline, (silent, *candidate[1:]))], wanted)
    assert judged.verdict is Judgement.INCONCLUSIVE
    assert judged.reasons == (f"{silent.source}: does not say {key}",)


def test_a_file_that_does_not_say_its_lengths(specs, make_arms, attach, wanted):
    arms = make_arms(workload={"model": "stub", "prompts": 48})
    judged = only(specs(), [attach(*arms)], wanted)
    assert judged.verdict is Judgement.INCONCLUSIVE
    assert "does not say isl, osl" in judged.reasons[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tags": {"edit": "other"}}, "edit is 'other', wanted is '3f1c9a7e5b2d'"),
        ({"tags": {"pin": "v0.1.19"}}, "pin is 'v0.1.19', wanted is 'v0.1.21.post1'"),
        ({"workload": {"model": "small"}}, "model is 'small', the check asks for 'stub'"),
        ({"workload": {"input_len": 64}}, "input_len is 64, the check asks for 128"),
        ({"asked": 24, "completed": 24}, "24 prompts at max_concurrency 8, the check asks for 48"),
        ({"failed": 1}, "1 of 48 requests failed"),
        ({"completed": 47, "failed": None}, "47 of 48 requests completed"),
    ],
)
def test_cannot_be_fooled_by_other_runs(specs, make_arms, attach, wanted, change, said):
    arms = make_arms(**change)
    assert any(said in line for line in refusals(specs(), attach(*arms)))
    judged = only(specs(), [attach(*arms)], wanted)
    assert judged.verdict is Judgement.INCONCLUSIVE
    assert any(said in reason for reason in judged.reasons)


def test_cannot_be_fooled_by_one_arm_given_twice(specs, make_arms, attach, wanted):
    baseline, _ = make_arms()
    twin = tuple(
        replace(run, tags=run.tags | {"arm": "candidate"}, source="b", digest=run.digest[::-1]) for run in baseline
    )
    assert any("the same run as" in line for line in refusals(specs(), attach(baseline, twin)))
    assert only(specs(), [attach(baseline, twin)], wanted).verdict is Judgement.INCONCLUSIVE


def test_other_hardware_than_the_check_asks_for(make_arms, attach):
    from syncbot.checks.spec import read_specs
    from syncbot.model.project import Check

    check = Check(name="speed", kind="benchmark", options={"concurrency": [8], "hardware": "gfx950"})
    assert any(
        "hardware is 'stub', wanted is 'gfx950'" in line for line in refusals(read_specs([check]), attach(*make_arms()))
    )


def test_a_run_for_a_check_that_is_not_there(specs, make_arms, attach):
    lines = refusals(specs(), attach(*make_arms(tags={"check": "sped"})))
    assert "is for the check 'sped', which the manifest has not; it has speed" in lines[0]


def test_results_of_another_edit_or_pin_are_stale(specs, make_arms, attach, wanted):
    sets = [attach(*make_arms())]
    assert only(specs(), sets, replace(wanted, edit="new")).reasons[0].startswith("measured with another edit")
    assert only(specs(), sets, replace(wanted, pin="new")).reasons[0].startswith("measured with another pin")


def test_a_moved_base_makes_results_stale_only_past_the_distance(specs, make_arms, attach, wanted):
    sets = [attach(*make_arms())]
    assert only(specs(), sets, replace(wanted, distance=500)).verdict is Judgement.PASS
    stale = only(specs(), sets, replace(wanted, distance=501))
    assert (stale.verdict, stale.reasons) == (
        Judgement.MISSING,
        ("the base has moved by 501 commits since, more than 500",),
    )


def waves(specs, **options):
    return specs(("waves", "functional", {"command": "send", "concurrency": 16, "waves": 3} | options))


def wave(make_run, **changes):
    return make_run("candidate", tags={"check": "waves"}, concurrency=16, asked=16, completed=16, **changes)


def log(make_run, *hits):
    run = make_run("candidate", tags={"check": "waves"}, tool="syncbot outcome", level={}, metrics={}, log_hits=hits)
    return replace(run, asked=None, completed=None, failed=None)


def test_every_request_of_every_wave(specs, make_run, attach, wanted):
    three = [wave(make_run) for _ in range(3)]
    assert only(waves(specs), [attach((), three)], wanted).verdict is Judgement.PASS
    two = only(waves(specs), [attach((), three[:2])], wanted)
    assert two.reasons == ("32 of 48 requests completed", "2 of 3 waves")
    broken = only(waves(specs), [attach((), [*three[:2], wave(make_run, failed=2)])], wanted)
    assert broken.verdict is Judgement.FAIL


def test_the_log_must_have_been_looked_at_and_be_clean(specs, make_run, attach, wanted):
    three = [wave(make_run) for _ in range(3)]
    asked = waves(specs, forbidden_log_lines=["Memory access fault"])
    assert only(asked, [attach((), three)], wanted).reasons == ("the server's log was not looked at",)
    assert only(asked, [attach((), [*three, log(make_run)])], wanted).verdict is Judgement.PASS
    found = only(asked, [attach((), [*three, log(make_run, "Memory access fault")])], wanted)
    assert found.verdict is Judgement.FAIL
    assert "Memory access fault" in found.reasons[0]


@pytest.mark.parametrize(("code", "verdict"), [(0, Judgement.PASS), (1, Judgement.FAIL)])
def test_a_command_is_judged_by_its_exit_code(specs, make_run, attach, wanted, code, verdict):
    run = make_run("candidate", tags={"check": "unit"}, tool="syncbot outcome", level={}, metrics={}, exit_code=code)
    assert only(specs(("unit", "command", {"command": "pytest"})), [attach((), [run])], wanted).verdict is verdict


def test_a_manual_check_waits_for_a_person(specs, wanted):
    judged = judge(specs(("eyes", "manual", {"text": "Logs were read"})), [], wanted)
    assert gate(judged, {}).waiting == ("eyes: a person has to tick it",)
    assert gate(judged, {"eyes": True}).ready


def test_a_tick_does_not_stand_for_results(specs, wanted):
    assert not gate(judge(specs(), [], wanted), {"speed": True}).ready


def test_accuracy_on_real_files(specs, real, attach, wanted):
    task = {"task": "tiny_math", "metric": "exact_match,strict-match", "command": "lm_eval"}
    asked = specs(("math", "accuracy", task))
    base, cand = real("lm_eval-0.4.13/baseline.json"), real("lm_eval-0.4.13/candidate.json")
    assert refusals(asked, attach(base, cand)) == []
    assert only(asked, [attach(base, cand)], wanted).verdict is Judgement.PASS
    few = real("lm_eval-0.4.13/limit50.json")
    assert any("answered 50 questions, the check asks for 200" in line for line in refusals(asked, attach(base, few)))


def test_every_problem_of_the_checks_at_once():
    from syncbot.checks.spec import read_specs
    from syncbot.model.project import Check

    with pytest.raises(UsageError) as error:
        read_specs(
            [
                Check(name="a", kind="benchmark", options={"concurency": [1], "runs": 0}),
                Check(name="b", kind="benchmark", options={"preset": "vllm-8k2k"}),
                Check(name="c", kind="bench", options={}),
            ]
        )
    assert error.value.problems == (
        "check 'a': concurency: not a key of a benchmark check; did you mean 'concurrency'?",
        "check 'a': runs: expected a whole number of at least 1, found 0",
        "check 'a': concurrency: missing from a benchmark check (or name a preset: vllm-8k1k, vllm-1k1k)",
        "check 'b': preset: 'vllm-8k2k' is not one of vllm-8k1k, vllm-1k1k; did you mean 'vllm-8k1k'?",
        (
            "check 'c': kind: 'bench' is not one of functional, benchmark, accuracy, command, manual; "
            "did you mean 'benchmark'?"
        ),
    )
