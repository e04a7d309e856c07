"""Foreign text in Markdown and in links."""

import html

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from syncbot.model.project import Forge, Repo
from syncbot.render.text import plain
from syncbot.report.links import change, release, web
from syncbot.report.texts import days, in_html, markdown, markdown_link

PARSER = MarkdownIt("gfm-like", {"linkify": False})
AWKWARD = st.text(st.sampled_from("ab1 @#<>[]()!*_`~|\\&$:/.-+=xGH-w'\"{}%\n\t"), max_size=60)


def words(inline):
    """What a reader sees of a line, and what it is made of."""
    kinds = {child.type for child in inline.children} - {"softbreak"}
    return "".join(child.content for child in inline.children).replace("\u200b", ""), kinds


@settings(deadline=None, max_examples=60)
@given(st.one_of(AWKWARD, st.text(max_size=60)))
def test_text_stays_text_in_a_paragraph_a_list_and_a_table(text):
    line = plain(text).strip()
    if not line:
        return
    for before, after in (("said: ", ""), ("- ", ""), ("| a |\n| --- |\n| ", " |")):
        tokens = PARSER.parse(f"{before}{markdown(line)}{after}\n")
        inline = [token for token in tokens if token.type == "inline"][-1]
        said, kinds = words(inline)
        assert kinds <= {"text", "text_special"}
        assert said.removeprefix("said: ") == line


@settings(deadline=None)
@given(st.one_of(AWKWARD, st.text(max_size=60)))
def test_text_in_html_reads_back(text):
    assert html.unescape(in_html(text)).replace("\u200b", "") == text.replace("\u200b", "")
    assert not set(in_html(text)) & set('<>"')


@pytest.mark.parametrize("text", ["@everyone", "acme/app#1", "#12", "GH-3", "www.evil.example", "https://evil.example"])
def test_a_forge_makes_nothing_of_it(text):
    for written in (markdown(text), in_html(text)):
        assert text not in written
        assert "\u200b" in written


def test_an_entity_is_not_broken():
    assert in_html("lumen's & <b>") == "lumen&#x27;s &amp; &lt;b&gt;"


def test_links():
    assert markdown_link("a]b", "https://x.example/a b>c") == "[a\\]b](<https://x.example/a%20b%3Ec>)"
    assert markdown_link("a", None) == "a"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//x.example",
        "https://u:p@x.example",
        "http://[",
        "file:///etc/passwd",
        "",
    ],
)
def test_what_no_page_may_link_to(url):
    assert web(url) is None


def test_addresses_are_quoted():
    assert web('https://x.example/"><script>') == "https://x.example/%22%3E%3Cscript%3E"


def test_a_forge_without_pages_has_no_links():
    plain_git = Repo(url="https://git.example.com/x.git", forge=Forge(name="git", kind="git"), slug=None)
    assert change(plain_git, pull=1) is None
    assert release(plain_git, "v1") is None
    enterprise = Repo(url="x", forge=Forge(name="own", kind="github", web="https://git.corp.example"), slug="a/b")
    assert change(enterprise, commit="abc") == "https://git.corp.example/a/b/commit/abc"
    assert release(enterprise, "v1/rc") == "https://git.corp.example/a/b/releases/tag/v1%2Frc"


@pytest.mark.parametrize(("count", "said"), [(None, "–"), (0, "0 days"), (1, "1 day"), (52.5, "52.5 days")])
def test_days(count, said):
    assert days(count) == said
