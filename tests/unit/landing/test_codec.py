"""Reports as JSON and back; one line a report is the same JSON; nothing else is taken for a report."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.landing.codec import LineWriter, decode, encode
from syncbot.model.landing import Answer, Evidence, FirstRelease, FixReport, Target
from syncbot.model.words import Confidence, EvidenceKind, TargetKind, Verdict

TEXT = st.text(max_size=20)
MAYBE = st.none() | TEXT
MOMENT = st.integers(0, 4 * 10**9).map(lambda seconds: dt.datetime.fromtimestamp(seconds, dt.UTC))
TARGETS = st.lists(
    st.builds(
        Target,
        ref=TEXT,
        kind=st.sampled_from(TargetKind),
        commit=MAYBE,
        version=MAYBE,
        date=st.none() | MOMENT,
    ),
    max_size=4,
    unique_by=lambda target: (target.kind, target.ref),
)
EVIDENCE = st.builds(Evidence, kind=st.sampled_from(EvidenceKind), commit=TEXT, detail=TEXT, command=TEXT)


@st.composite
def answers(draw, target: Target) -> Answer:
    verdict = draw(st.sampled_from(Verdict))
    lines = st.lists(TEXT, max_size=2).map(tuple) if verdict is Verdict.PARTIAL else st.just(())
    return Answer(
        target=target,
        verdict=verdict,
        confidence=draw(st.sampled_from(Confidence)),
        evidence=tuple(draw(st.lists(EVIDENCE, max_size=2))),
        missing_lines=draw(lines),
        present_lines=draw(lines),
        reason=draw(MAYBE),
    )


@st.composite
def reports(draw) -> FixReport:
    targets = draw(TARGETS)
    return FixReport(
        query=draw(TEXT),
        commit=draw(MAYBE),
        pull=draw(st.none() | st.integers(0, 10**10)),
        title=draw(MAYBE),
        merged_at=draw(st.none() | MOMENT),
        answers=tuple(draw(answers(target)) for target in targets),
        first_release=FirstRelease(
            by_date=draw(MAYBE), by_line=tuple(draw(st.dictionaries(TEXT, TEXT, max_size=2)).items())
        ),
        reverted=draw(st.booleans()),
        notes=tuple(draw(st.lists(TEXT, max_size=2))),
    )


@given(reports())
def test_decode_takes_back_what_encode_made(report):
    through_json = json.loads(json.dumps(encode(report)))
    assert decode(through_json, [answer.target for answer in report.answers]) == report


@given(reports())
def test_a_line_is_the_same_json_also_the_second_time(report):
    writer = LineWriter("own/project")
    for _ in range(2):
        line = writer.line(report)
        assert "\n" not in line
        assert json.loads(line) == {"schema": "syncbot.where/1", "repo": "own/project", "fixes": [encode(report)]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["first_release", "by_line"]), inner),
    max_leaves=6,
)


@given(JSON)
def test_what_is_no_report_is_refused_and_breaks_nothing(value):
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        decode(value, [])
