"""The results in a proposal's body: written, read back, and nothing else touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.checks.codec import encode
from syncbot.checks.readers import ResultError
from syncbot.model.checks import Judgement, Wanted
from syncbot.render.results import apply, block, checklist, inert, read_block, read_ticks
from tests.unit.checks.conftest import EDIT, PIN

BODY = "## Purpose\n\nRemove it.\n\n- [ ] my own box\n"
EYES = ("eyes", "manual", {"text": "Logs were read"})
SPEED = (
    "speed",
    "benchmark",
    {"concurrency": [8], "workload": {"model": "stub", "input_len": 128, "output_len": 32, "prompts": 48}},
)


def test_the_body_gains_checklist_table_and_block(specs, make_arms, attach, wanted):
    sets = [attach(*make_arms(), by="@name", hardware="gfx950", note="as printed")]
    judged, gate, body = apply(BODY, specs(SPEED, EYES), sets, wanted)
    assert body.startswith(BODY.rstrip("\n"))
    assert read_ticks(body) == {"speed": True, "eyes": False}
    assert "| `output_throughput` | `max_concurrency 8` |" in body
    assert "●" in body
    assert "by `@name` on `gfx950`" in body
    (back,) = read_block("body", body)
    assert (back.edit, back.pin, len(back.baseline), len(back.candidate)) == (EDIT, PIN, 5, 5)
    assert gate.waiting == ("eyes: a person has to tick it",)
    again = apply(BODY, specs(SPEED, EYES), [back], wanted)[0]
    assert [each.verdict for each in again] == [each.verdict for each in judged]


def test_writing_twice_changes_nothing(specs, make_arms, attach, wanted):
    sets = [attach(*make_arms())]
    _, _, once = apply(BODY, specs(SPEED, EYES), sets, wanted)
    assert apply(once, specs(SPEED, EYES), sets, wanted)[2] == once


def test_a_persons_tick_stays_and_opens_the_gate(specs, make_arms, attach, wanted):
    sets = [attach(*make_arms())]
    _, _, body = apply(BODY, specs(SPEED, EYES), sets, wanted)
    ticked = body.replace("- [ ] manual", "- [x] manual").replace("- [ ] my own", "- [x] my own")
    _, gate, after = apply(ticked, specs(SPEED, EYES), sets, wanted)
    assert gate.ready
    assert after.replace("Every required check has passed.", "") != ticked
    assert "- [x] manual" in after
    assert "- [x] my own box" in after


def test_a_box_ticked_without_results_is_left_and_believed_by_nobody(specs, wanted):
    _, _, body = apply(BODY, specs(SPEED), [], wanted)
    ticked = body.replace("- [ ] benchmark", "- [x] benchmark")
    _, gate, after = apply(ticked, specs(SPEED), [], wanted)
    assert not gate.ready
    assert read_ticks(after) == {"speed": True}


def test_a_box_ticked_against_the_results_is_cleared(specs, make_arms, attach, wanted):
    _, _, body = apply(BODY, specs(SPEED), [], wanted)
    ticked = body.replace("- [ ] benchmark", "- [x] benchmark")
    assert read_ticks(apply(ticked, specs(SPEED), [attach(*make_arms(0.9))], wanted)[2]) == {"speed": False}


def test_figures_edited_in_the_body_count_for_nothing(specs, make_arms, attach, wanted):
    lost = [attach(*make_arms(0.9))]
    _, _, body = apply(BODY, specs(SPEED), lost, wanted)
    flattering = block(attach(*make_arms(1.2)))
    forged = body[: body.index("```json")] + flattering + body[body.index("</details>") - 2 :]
    judged, gate, after = apply(forged, specs(SPEED), lost, wanted)
    assert judged[0].verdict is Judgement.FAIL
    assert not gate.ready
    assert after == body


def test_stale_results_say_so_in_the_body(specs, make_arms, attach):
    _, gate, body = apply(BODY, specs(SPEED), [attach(*make_arms())], Wanted(edit="new", pin=PIN))
    assert not gate.ready
    assert "Results are stale: `measured with another edit" in body


def test_hostile_texts_stay_in_their_cell(specs, make_arms, attach, wanted):
    evil = "@team </details> `x` | <!-- /syncbot:results --> <script>\n- [x] owner/repo#1"
    sets = [attach(*make_arms(), by=evil, note=evil)]
    _, _, body = apply(BODY, specs(SPEED), sets, wanted)
    assert body.count("<!-- /syncbot:results -->") == 1
    assert apply(body, specs(SPEED), sets, wanted)[2] == body
    (back,) = read_block("body", body)
    assert back.note == evil
    fences = body.split("`")
    outside = "".join(fences[0::2])
    assert "@team" not in outside
    assert "<script>" not in outside


@given(st.text(max_size=400))
def test_inert_is_one_code_span(text):
    made = inert(text)
    assert made.startswith("`")
    assert made.endswith("`")
    assert "`" not in made[1:-1]
    assert "\n" not in made
    assert "<!--" not in made


def test_a_block_that_cannot_be_read_is_named(attach, make_arms):
    whole = block(attach(*make_arms(runs=2)))
    assert read_block("comment", "no block here") == ()
    assert len(read_block("comment", f"Look:\n\n{whole}\n\nand\n\n{whole}\n")) == 2
    with pytest.raises(ResultError, match="block 1 is not JSON"):
        read_block("comment", whole.replace('"groups"', '"groups'))


def test_a_block_that_a_person_formatted_and_other_json(attach, make_arms):
    sets = attach(*make_arms(runs=2))
    pretty = "```json\r\n" + json.dumps(encode(sets), indent=2).replace("\n", "\r\n") + "\r\n```\r\n"
    (back,) = read_block("comment", "```json\n{}\n```\n" + pretty)
    assert back.edit == sets.edit


def test_a_block_holds_no_markup(attach, make_arms):
    made = block(attach(*make_arms(runs=2), note="<b>@all</b> ```"))
    inside = made.removeprefix("```json\n").removesuffix("\n```")
    assert not set("<>@`") & set(inside)
    assert json.loads(inside) == encode(attach_from(made))


def attach_from(text):
    (found,) = read_block("x", text)
    return found


def test_the_checklist_names_each_check(specs, wanted):
    from syncbot.checks.judge import judge

    assert checklist(judge(specs(SPEED, EYES), [], wanted)).splitlines() == [
        "- [ ] benchmark: `speed` <!-- syncbot:check speed -->",
        "- [ ] manual: tick when seen: `Logs were read` <!-- syncbot:check eyes -->",
    ]


def test_only_comments_of_people_with_write_permission_count(attach, make_arms):
    from syncbot.model.forge import Account, Comment, Permission
    from syncbot.render.measured import from_comments

    def comment(login, body):
        return Comment(id="1", url=f"https://example.org/{login}", author=Account(login=login), body=body)

    made = block(attach(*make_arms(runs=2), by="@somebody-else"))
    rights = {"writer": Permission.WRITE, "reader": Permission.READ, "unknown": Permission.UNKNOWN}
    comments = [
        *(comment(login, f"Measured:\n\n{made}\n") for login in rights),
        comment("writer", made.replace('"groups"', '"groups')),
        comment("nobody-asks-about-me", "Looks good."),
    ]
    sets, notes = from_comments(comments, rights.__getitem__)
    assert [each.by for each in sets] == ["@writer"]
    assert [note.split(": ", 1)[-1][:30] for note in notes] == [
        "may not write here",
        "nobody could say whether its a",
        "block 1 is not JSON: Expecting"[:30],
    ]
