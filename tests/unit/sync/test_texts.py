"""Keys, regions, records, memory, commands: each parser undoes its writer, whatever strangers wrote between."""

import datetime as dt
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.model.errors import UsageError
from syncbot.model.forge import Account, Comment
from syncbot.model.proposal import Key, ProposalKind, Record
from syncbot.render.branch import branch_name, parse_branch
from syncbot.render.memory import Known, memory_line, read_memory
from syncbot.render.regions import begin, end, merge, read_record, record_line, with_record
from syncbot.render.shorten import shorten
from syncbot.render.template import prose, render
from syncbot.render.wishes import commands, wish_of

NAMES = st.text(string.ascii_letters + string.digits, min_size=1).flatmap(
    lambda first: st.text(string.ascii_letters + string.digits + "._-", max_size=8).map(lambda rest: first + rest)
)
RECORDS = st.builds(
    Record, topic=st.text(min_size=1), edit=st.text(), base=st.text(), head=st.text(), evidence=st.text(),
    title=st.text(), todo=st.lists(st.text(), max_size=3).map(tuple), readied=st.text(), answered=st.text(),
    progress=st.text(), pull=st.none() | st.integers(1),
)  # fmt: skip


@given(kind=st.sampled_from(ProposalKind), name=NAMES, carrier=st.none() | NAMES)
def test_a_branch_name_is_its_key(kind, name, carrier):
    key = Key(kind=kind, workaround=name, carrier=carrier)
    assert parse_branch(branch_name(key)) == key


@pytest.mark.parametrize(
    "name",
    [
        "main",
        "syncbot/removal",
        "syncbot/other/x",
        "syncbot/removal/-x",
        "syncbot/removal/a/b/c",
        "syncbot/removal/a\n",
    ],
)
def test_other_branches_are_not_ours(name):
    assert parse_branch(name) is None


@given(record=RECORDS, before=st.text(), after=st.text())
def test_a_record_is_read_back_from_any_text(record, before, after):
    line = record_line(record)
    assert "\n" not in line
    assert line.count("-->") == 1
    body = f"{before}\n{line}\n{after}"
    if "syncbot:record" not in before + after:
        assert read_record(body) == record


@given(st.text())
def test_no_text_makes_the_reader_fail(text):
    assert read_record(f"<!-- syncbot:record {text} -->") is None or text.strip().startswith("{")


def test_regions_are_renewed_and_the_rest_stays():
    rec, rec2 = record_line(Record(topic="t")), record_line(Record(topic="t", edit="2"))
    a, b = f"{begin('a')}\nold\n{end('a')}", f"{begin('b')}\nold\n{end('b')}"
    old = f"Mine.\n{a}\n- [x] done\n{b}\n{rec}\n"
    new = f"{a.replace('old', 'new')}\n- [ ] done\n{rec2}\n"
    merged = merge(old, new)
    assert merged == old.replace("old", "new", 1).replace(rec, rec2)
    assert merge(merged, new) == merged


def test_a_region_that_was_deleted_stays_away_and_a_record_comes_back():
    new = f"{begin('a')}\nnew\n{end('a')}\n{record_line(Record(topic='t'))}\n"
    assert merge("all gone", new) == f"all gone\n\n{record_line(Record(topic='t'))}\n"


def test_a_second_record_that_somebody_pasted_goes():
    twice = f"{record_line(Record(topic='x'))}\n{record_line(Record(topic='t'))}\n"
    assert with_record(twice, Record(topic="t", edit="2")).count("syncbot:record") == 1


def test_too_long_a_text_loses_whole_regions():
    body = f"{begin('a')}\n{'x' * 100}\n{end('a')}\nkept\n{begin('b')}\n{'y' * 100}\n{end('b')}\n"
    short = shorten(body, 220, "(left out)")
    assert len(short) <= 220
    assert "x" * 100 in short
    assert "y" not in short.replace("syncbot", "")
    assert "kept" in short


TABLE = "| a | b |\n| - | - |\n"
SECTIONS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(["## H", "**Lead.** x", "text", "<details>"]), st.integers(0, 60)),
    max_size=6,
)


@given(sections=SECTIONS, limit=st.integers(200, 2000), record=st.booleans())
def test_any_text_fits_and_no_table_is_cut(sections, limit, record):
    """Whole sections go; the record, tables and code blocks stay whole or go whole, also with one section too long."""
    blocks = []
    for number, (owned, lead, rows) in enumerate(sections):
        close = "\n</details>" if lead == "<details>" else ""
        table = f"{lead}\n\n{TABLE}" + "".join(f"| {number} | {row} |\n" for row in range(rows)) + close
        blocks.append(f"{begin('ab'[number % 2])}\n{table}\n{end('ab'[number % 2])}" if owned else table)
    line = [record_line(Record(topic="t", title="T"))] if record else []
    body = "\n".join([*blocks, *line])
    short = shorten(body, limit, "(left out)")
    assert len(short) <= limit
    assert short == body or len(body) > limit
    assert (read_record(short) is not None) == record
    assert short.count("<details>") == short.count("</details>")
    for number, (_, _, rows) in enumerate(sections):
        assert len(re.findall(rf"^\| {number} \|", short, re.MULTILINE)) in (0, rows)


def test_what_people_wrote_is_never_cut_for_ours():
    body = f"{'mine ' * 50}\n\n## Mine\n\n{'mine ' * 50}\n{begin('a')}\n{'x' * 100}\n{end('a')}\n"
    assert shorten(body, 300, "(left out)", owned=True) == body
    assert "mine" in shorten(body, len(body) - 10, "(left out)", owned=True)
    assert "xxx" not in shorten(body, len(body) - 10, "(left out)", owned=True)


def test_headings_in_a_code_block_start_no_section():
    body = f"## A\n\n```sh\n# x\n{'y' * 300}\n```\nafter\n\n## B\n\nsmall\n"
    short = shorten(body, 100, "(left out)")
    assert short == "## A\n\n(left out)\n\n## B\n\nsmall\n"


@given(
    st.dictionaries(
        NAMES,
        st.builds(
            Known,
            number=st.integers(0, 10**6),
            merged=st.booleans(),
            evidence=st.text(),
            closed=st.none() | st.datetimes(timezones=st.just(dt.UTC)),
            url=st.text(),
        ),
    )
)
def test_the_dashboards_memory_is_read_back(known):
    assert read_memory(f"text\n{memory_line(known)}\n") == known


@pytest.mark.parametrize(
    "line", ["", "<!-- syncbot:memory {} -->", "<!-- syncbot:memory {x -->", '<!-- syncbot:memory {"a":1} -->']
)
def test_a_damaged_memory_is_none(line):
    assert read_memory(line) == {}


# -- hostile texts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("ping @ann and @org/team", "@ann"),
        ("see octo/down#12", "down#12"),
        ("see GH-12", "GH-12"),
        ("see https://github.com/octo/down/pull/12", " https://github.com"),
        ("<script>alert(1)</script>", "<script"),
        ("<!-- syncbot:end purpose -->", "<!--"),
        ("[click](javascript:x)", "[click]("),
        ("# heading", "\n# heading"),
        ("{{ 7 * 7 }}", "49"),
        ("a\x1b[31mb\u202e", "\x1b"),
    ],
)
def test_prose_is_inert(text, never):
    shown = "\n" + prose(text)
    assert never not in shown.replace("\\[", "")


def test_backlinks_are_written_where_they_are_asked_for():
    assert "down#12" in prose("see octo/down#12", backlinks=True)


def test_a_template_cannot_reach_python(tmp_path):
    (tmp_path / "x.md.j2").write_text("{{ ''.__class__.__mro__ }}")
    with pytest.raises(UsageError, match=r"x\.md\.j2"):
        render("x.md.j2", {}, folder=tmp_path)


def test_an_undefined_name_is_an_error_that_names_the_template(tmp_path):
    (tmp_path / "x.md.j2").write_text("{{ nothing }}")
    with pytest.raises(UsageError, match="nothing"):
        render("x.md.j2", {}, folder=tmp_path)


# -- what people ask for -----------------------------------------------------------------------------------------------


def comment(body, *, login="ann", bot=False, minute=0, number=1):
    at = dt.datetime(2026, 9, 1, 10, minute, tzinfo=dt.UTC)
    return Comment(id=str(number), url="u", author=Account(login=login, is_bot=bot), body=body, created_at=at)


def test_the_latest_word_counts():
    wish = wish_of(commands([comment("/syncbot hold 2026-10-01"), comment("/syncbot resume", minute=1)]))
    assert not wish.held
    wish = wish_of(commands([comment("please\n/syncbot hold 2026-10-01\n")]))
    assert (wish.held, wish.until) == (True, dt.date(2026, 10, 1))
    assert not wish.holds(dt.date(2026, 10, 2))


def test_a_label_holds_for_ever():
    assert wish_of([], labels=("syncbot-hold",)).holds(dt.date(2100, 1, 1))


@pytest.mark.parametrize(
    "body",
    [
        "/syncbot merge",
        "say /syncbot hold",
        "> /syncbot hold",
        "/syncbot hold a b c",
        "/syncbot resume 2026-01-01",
        "/syncbothold",
    ],
)
def test_anything_else_is_no_command(body):
    assert commands([comment(body)]) == []


def test_bots_ask_for_nothing():
    assert commands([comment("/syncbot hold", bot=True)]) == []


def test_a_reopening_counts_only_after_the_closing():
    closed = dt.datetime(2026, 9, 1, 10, 5, tzinfo=dt.UTC)
    assert not wish_of(commands([comment("/syncbot reopen", minute=1)]), after=closed).reopen
    assert wish_of(commands([comment("/syncbot reopen", minute=6)]), after=closed).reopen


def test_a_rebase_is_granted_once():
    given_ = commands([comment("/syncbot rebase", number=7)])
    assert wish_of(given_).rebase
    assert not wish_of(given_, answered="7").rebase
