"""Attached files at the wire: whose hosts are asked, what they are sent, and what is no answer."""

import pytest
from fake_forge import Fault

from syncbot.forge import attachments
from syncbot.forge.errors import ForgeError, NotFoundError, UnreachableError
from syncbot.forge.github_reader import GitHubReader

PATH = "/user-attachments/files/7/results.json"
GITHUB = "https://github.com"


@pytest.fixture
def reader(bench):
    return GitHubReader(bench.connect())


def asked(bench):
    """The requests for attachments, with whether they carried a credential."""
    pairs = zip(bench.forge.requests, bench.forge.headers_seen, strict=True)
    return [(seen.path, "authorization" in headers) for seen, headers in pairs if "/files/" in seen.path]


def test_the_content_and_no_token_for_it(bench, reader):
    bench.forge.uploads[PATH] = b'{"a": 1}'
    assert reader.attachment("octo/down", bench.forge.web + PATH) == b'{"a": 1}'
    assert asked(bench) == [(PATH, False)]


def test_a_redirect_on_the_same_host_is_followed(bench, reader):
    bench.forge.uploads |= {PATH: "/store/files/7", "/store/files/7": b"{}"}
    assert reader.attachment("octo/down", bench.forge.web + PATH) == b"{}"
    assert asked(bench) == [(PATH, False), ("/store/files/7", False)]


def test_a_redirect_to_another_host_is_not(bench, reader):
    elsewhere = bench.forge.web.replace("127.0.0.1", "localhost")
    bench.forge.uploads |= {PATH: f"{elsewhere}/store/files/7", "/store/files/7": b"{}"}
    with pytest.raises(ForgeError, match="a host that is not the forge's own"):
        reader.attachment("octo/down", bench.forge.web + PATH)
    assert asked(bench) == [(PATH, False)]


def test_a_redirect_in_a_circle_ends(bench, reader):
    bench.forge.uploads[PATH] = PATH
    with pytest.raises(ForgeError, match="from one place to the next"):
        reader.attachment("octo/down", bench.forge.web + PATH)


def test_a_file_that_is_too_large_is_not_read_to_its_end(bench, reader, monkeypatch):
    monkeypatch.setattr(attachments, "MOST_BYTES", 1 << 20)
    bench.forge.uploads[PATH] = b" " * (3 << 20)
    with pytest.raises(ForgeError, match="larger than 1 MiB"):
        reader.attachment("octo/down", bench.forge.web + PATH)


def test_not_there_is_another_answer_than_no_answer(bench, reader):
    with pytest.raises(NotFoundError):
        reader.attachment("octo/down", bench.forge.web + PATH)
    bench.forge.uploads[PATH] = b"{}"
    bench.forge.faults.add(PATH, Fault.ERROR_BEFORE)
    with pytest.raises(UnreachableError, match="503"):
        reader.attachment("octo/down", bench.forge.web + PATH)
    where = bench.forge.web + PATH
    bench.forge.stop()
    with pytest.raises(UnreachableError, match="no answer"):
        reader.attachment("octo/down", where)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com.evil.example/user-attachments/files/7/a.json",
        "https://evil.example/user-attachments/files/7/a.json",
        "http://github.com/user-attachments/files/7/a.json",
        "https://github.com:8443/user-attachments/files/7/a.json",
        "https://me@github.com/user-attachments/files/7/a.json",
        "https://github.com/user-attachments/files/7/a.json?to=x",
        "https://github.com/user-attachments/files/../../../logout",
        "https://github.com/octo/down/raw/main/a.json",
        "https://github.com:port/user-attachments/files/7/a.json",
        "file:///user-attachments/files/7/a.json",
    ],
)
def test_no_attachment_of_this_forge(url):
    assert not attachments.is_attachment(url, GITHUB)


def test_both_forms_of_an_attachment():
    for path in ("/user-attachments/files/7/a.json", "/octo/down/files/7/a-b.1.jsonl"):
        assert attachments.is_attachment(GITHUB + path, GITHUB)
        assert attachments.is_attachment("https://git.corp.example" + path, "https://git.corp.example")


@pytest.mark.parametrize(
    ("url", "web", "allowed"),
    [
        ("https://objects.githubusercontent.com/x?sig=1", GITHUB, True),
        ("https://github-production-repository-file-5c1aeb.s3.amazonaws.com/1/2?sig=1", GITHUB, True),
        ("https://github.com/x", GITHUB, True),
        ("http://objects.githubusercontent.com/x", GITHUB, False),
        ("https://objects.githubusercontent.com:8443/x", GITHUB, False),
        ("https://objects.githubusercontent.com.evil.example/x", GITHUB, False),
        ("https://evil.s3.amazonaws.com/x", GITHUB, False),
        ("https://me@objects.githubusercontent.com/x", GITHUB, False),
        ("https://169.254.169.254/latest", GITHUB, False),
        ("https://media.git.corp.example/x", "https://git.corp.example", True),
        ("https://git.corp.example.evil/x", "https://git.corp.example", False),
        ("https://objects.githubusercontent.com/x", "https://git.corp.example", False),
        ("https://[::1", GITHUB, False),
    ],
)
def test_where_a_redirect_may_lead(url, web, allowed):
    assert attachments.may_redirect(url, web) is allowed
