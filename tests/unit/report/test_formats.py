"""Golden files for every format, and what must hold of each: the same bytes, valid, nothing hostile in force.

`UPDATE_GOLDEN=1 pytest tests/unit/report` writes the golden files anew; read the difference before you commit it.
"""

import base64
import hashlib
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from markdown_it import MarkdownIt
from report_world import facts, fix, given, hostile, project

from syncbot.report import data, html, markdown, terminal
from syncbot.report.rows import build

ROOT = Path(__file__).parents[3]
FORMATS = {
    "html": html.page,
    "md": markdown.document,
    "txt": terminal.text,
    "json": data.report_json,
    "badge.json": data.badge,
}


@pytest.fixture(scope="module")
def report():
    return build(given())


@pytest.fixture(scope="module")
def attacked():
    return build(given(hostile()))


@pytest.mark.parametrize("ending", FORMATS)
def test_golden(report, ending):
    golden = Path(__file__).parent / "golden" / f"report.{ending}"
    text = FORMATS[ending](report)
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    same = text == golden.read_text(encoding="utf-8")  # pytest's own difference of a page takes minutes
    assert same, f"{golden.name} differs; write it anew with UPDATE_GOLDEN=1 and read `git diff`"


@pytest.mark.parametrize("ending", FORMATS)
def test_the_same_input_gives_the_same_bytes(report, ending):
    asked = given()
    again = build(replace(asked, standings=tuple(reversed(asked.standings))))
    assert FORMATS[ending](again) == FORMATS[ending](report)


@pytest.mark.parametrize("ending", FORMATS)
def test_no_control_or_direction_character_survives(attacked, ending):
    text = FORMATS[ending](attacked)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", text)


# -- the page ----------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The elements of a page with their attributes, the text of style and script, and what links lead to."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.raw, self._inside = [], {"style": [], "script": []}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in self.raw:
            self._inside = tag
            self.raw[tag].append("")

    def handle_endtag(self, tag):
        if tag == self._inside:
            self._inside = None

    def handle_data(self, text):
        if self._inside:
            self.raw[self._inside][-1] += text


def test_the_policy_allows_the_pages_own_style_and_script_alone(attacked):
    page = Page(html.page(attacked))
    policy = next(attrs["content"] for tag, attrs in page.elements if attrs.get("http-equiv"))
    (style,), (script,) = page.raw["style"], page.raw["script"]

    def digest(text):
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert dict(part.split(" ", 1) for part in policy.split("; ")) == {
        "default-src": "'none'",
        "style-src": digest(style),
        "script-src": digest(script),
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_hostile_text_makes_no_element_and_no_attribute(attacked, report):
    calm, wild = Page(html.page(report)), Page(html.page(attacked))
    assert {tag for tag, _ in wild.elements} <= {tag for tag, _ in calm.elements}
    known = {name for _, attrs in calm.elements for name in attrs}
    assert {name for _, attrs in wild.elements for name in attrs} <= known
    assert not [name for name in known if name.startswith("on") or name in ("src", "style", "srcdoc", "action")]
    schemes = {
        attrs["href"].partition(":")[0] for _, attrs in wild.elements if "href" in attrs and ":" in attrs["href"]
    }
    assert schemes == {"https"}


def test_the_page_asks_nothing_of_the_network(report):
    text = html.page(report)
    assert not re.search(r"@import|url\((?!#)|<link|<img|<iframe|fetch\(|XMLHttp|import\(", text)


def test_links_of_the_overview_lead_to_the_details(report):
    page = Page(html.page(report))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    inner = {attrs["href"][1:] for _, attrs in page.elements if attrs.get("href", "").startswith("#")}
    assert inner
    assert inner <= set(ids)


def test_a_projects_own_template_replaces_ours(report, tmp_path):
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "style.css").write_text("body { color: rebeccapurple }")
    text = html.page(report, templates=tmp_path)
    assert "<style>body { color: rebeccapurple }</style>" in text
    assert "Workarounds of app" in text


def test_fifty_workarounds_stay_under_300_kb():
    fixes = [fix(100 + number, "2026-02-10", "aaacccc") for number in range(50)]
    rows = build(given(*(facts(f"one-{number}", each) for number, each in enumerate(fixes))))
    assert len(rows.rows) == 61
    assert len(html.page(rows).encode()) < 300_000


# -- Markdown ----------------------------------------------------------------------------------------------------------


def test_markdown_of_hostile_text_is_text(attacked, report):
    def shape(text):
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
        inner = [child for token in tokens for child in token.children or ()]
        html_blocks = [token.content for token in tokens if token.type == "html_block"]
        links = [child.attrs["href"] for child in inner if child.type == "link_open"]
        inline = {child.type for child in inner} | {child.content for child in inner if child.type == "html_inline"}
        return html_blocks, links, inline

    blocks, links, inline = shape(markdown.document(attacked))
    _, _, calm = shape(markdown.document(report))
    assert {link.partition(":")[0] for link in links} == {"https"}
    assert not [link for link in links if "evil" in link]
    assert inline <= calm
    tags = {tag for block in blocks for tag in re.findall(r"<(/?\w+)", block)}
    assert tags == {"details", "summary", "b", "/b", "/summary", "/details"}


def test_markdown_pings_nobody(attacked):
    text = markdown.document(attacked)
    assert not re.search(r"(?<![\w/(<])@\w", text)
    assert not re.search(r"(?<!\\)#\d", re.sub(r"\(<[^>]*>\)", "", text))


def test_markdown_that_grows_too_long_leaves_out_the_details(report, monkeypatch):
    monkeypatch.setattr(markdown, "MOST_BYTES", len(markdown.document(report).encode()) - 1)
    text = markdown.document(report)
    assert len(text.encode()) < markdown.MOST_BYTES
    assert "details of each workaround are left out" in text


# -- programs ----------------------------------------------------------------------------------------------------------


def test_json_fits_the_published_schema(attacked):
    schema = json.loads((ROOT / "docs" / "schema" / "report.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(data.report_json(attacked)), schema)


def test_the_published_schema_is_up_to_date():
    committed = json.loads((ROOT / "docs" / "schema" / "report.json").read_text(encoding="utf-8"))
    assert data.json_schema() == committed, "run: syncbot report --schema > docs/schema/report.json"


def test_json_names_its_schema_and_has_the_words_of_status(report):
    said = json.loads(data.report_json(report))
    assert said["schema"] == "syncbot.report/1"
    first = said["rows"][0]
    assert (first["stage"], first["fit"], first["decision"]) == ("ready", "present", "remove")
    assert first["fixes"][0]["merged"] == "2026-02-10"


@pytest.mark.parametrize(
    ("names", "message", "color"),
    [
        ([], "0 carried", "brightgreen"),
        (["waiting"], "1 carried", "blue"),
        (["ready-overdue", "waiting"], "2 carried, 1 overdue", "orange"),
        (["ready-overdue", "restore"], "1 carried, 1 overdue, 1 to restore", "red"),
    ],
)
def test_badge(names, message, color):
    asked = given()
    chosen = [each for each in asked.standings if each.facts.workaround.id in names]
    said = json.loads(data.badge(build(replace(asked, standings=chosen))))
    assert said == {"schemaVersion": 1, "label": "workarounds", "message": message, "color": color}


def test_badge_of_what_can_go_and_is_not_overdue():
    patient = project()
    patient = replace(patient, reports=replace(patient.reports, overdue_after_days=100))
    said = json.loads(data.badge(build(given(project=patient))))
    assert said["message"] == "9 carried, 2 can go, 1 to restore"
