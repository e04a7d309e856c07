"""The drawings beside a proposal in a folder: made from its text alone, and nothing in it that runs."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from syncbot.model.proposal import Record
from syncbot.render.regions import with_record
from syncbot.render.results import apply
from syncbot.report.beside import drawings
from tests.unit.checks.conftest import EDIT

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def body(specs, make_arms, attach, wanted):
    """A function that makes the text of a proposal with results, for an edit."""

    def make(edit=EDIT, topic="removal/nan"):
        _, _, text = apply("## Purpose\n", specs(), [attach(*make_arms())], wanted)
        return with_record(text, Record(topic=topic, edit=edit))

    return make


def test_a_rung_for_each_row_with_both_arms(specs, body):
    asked = []
    drawn = drawings(body(), lambda name: asked.append(name) or specs())
    assert (asked, list(drawn)) == (["nan"], ["results-speed.svg"])
    root = ET.fromstring(drawn["results-speed.svg"])
    rungs = [each for each in root.iter(f"{SVG}g") if each.get("class", "").startswith("rung")]
    assert len(rungs) == 3
    for rung in rungs:
        line, dot = rung.find(f"{SVG}line"), rung.find(f"{SVG}circle")
        assert float(line.get("x1")) <= float(dot.get("cx")) <= float(line.get("x2"))
        assert " → " in rung.findall(f"{SVG}text")[1].text
    assert "prefers-color-scheme" in drawn["results-speed.svg"] or "light-dark(" in drawn["results-speed.svg"]


@pytest.mark.parametrize("text", ["", "## Purpose\n", "<!-- syncbot:record {} -->"])
def test_nothing_for_a_text_without_results(specs, text):
    assert drawings(text, lambda _: specs()) == {}


def test_nothing_for_another_edit_or_a_block_that_cannot_be_read(specs, body):
    assert drawings(body(edit="0" * 40), lambda _: specs()) == {}
    assert drawings(body().replace('"groups":', '"groups": 1, "x":'), lambda _: specs()) == {}


def test_no_markup_of_a_stranger_gets_in(specs, body):
    loud = replace(specs()[0], title="<script>alert(1)</script>")
    (drawn,) = drawings(body(), lambda _: (loud,)).values()
    tags = {each.tag.removeprefix(SVG) for each in ET.fromstring(drawn).iter()}
    assert tags == {"svg", "title", "style", "rect", "text", "g", "desc", "path", "line", "circle"}
    assert "&lt;script&gt;" in drawn
