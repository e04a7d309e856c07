"""Addresses: which are taken, which are refused and why, and that no secret is repeated."""

from __future__ import annotations

import pytest

from syncbot.git.url import parse_address, redact
from syncbot.model.errors import UsageError


@pytest.mark.parametrize(
    ("url", "host", "slug", "origin"),
    [
        ("https://github.com/ROCm/aiter", "github.com", "ROCm/aiter", "https://github.com"),
        ("https://GitHub.com/ROCm/aiter.git/", "github.com", "ROCm/aiter", "https://github.com"),
        ("http://127.0.0.1:8080/a/b", "127.0.0.1", "a/b", "http://127.0.0.1:8080"),
        ("https://[::1]:8443/a/b", "[::1]", "a/b", "https://[::1]:8443"),
        ("https://gitlab.example/group/sub/name", "gitlab.example", "group/sub/name", "https://gitlab.example"),
        ("ssh://git@ghe.example:2222/o/n.git", "ghe.example", "o/n", "ssh://ghe.example:2222"),
        ("git@github.com:o/n.git", "github.com", "o/n", "ssh://github.com"),
        ("git://git.kernel.org/pub/scm/git/git.git", "git.kernel.org", "pub/scm/git/git", "git://git.kernel.org"),
    ],
)
def test_what_an_address_names(url: str, host: str, slug: str, origin: str) -> None:
    address = parse_address(url)
    assert (address.host, address.slug, address.origin) == (host, slug, origin)
    assert not address.is_local


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "empty"),
        ("--upload-pack=touch /tmp/x", "option"),
        ("-oProxyCommand=x", "option"),
        ("ext::sh -c id", "blanks"),
        ("ext::id", "program"),
        ("fd::17/foo", "program"),
        ("file:///etc", "'file' is refused"),
        ("ftp://host/a/b", "'ftp' is refused"),
        ("/srv/git/project.git", "--repo"),
        ("https://host", "names no repository"),
        ("https:///a/b", "names no repository"),
        ("https://host/../..", "names no repository"),
        ("ssh://-oProxyCommand=x/a/b", "names no repository"),
        ("-host:a/b", "option"),
        ("git@host:-x/b", "is not an address"),
        ("https://host/a\nb", "control characters"),
        ("https://host/a b", "blanks"),
    ],
)
def test_what_is_refused(url: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://s3cret@github.com/o/n",
        "https://user:s3cret@github.com/o/n",
        "ssh://git:s3cret@github.com/o/n",
        "https://user:s3cret@host/a b",
        "ext::https://user:s3cret@host/a",
        "ftp://user:s3cret@host/a",
    ],
)
def test_credentials_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(url)
    assert "s3cret" not in str(caught.value)


def test_a_folder_is_taken_only_from_a_person(tmp_path) -> None:
    assert parse_address(str(tmp_path), allow_local=True).is_local
    assert parse_address(f"file://{tmp_path}", allow_local=True).is_local
    with pytest.raises(UsageError):
        parse_address(f"ext::cat {tmp_path}", allow_local=True)


def test_redacting_leaves_the_rest_readable() -> None:
    text = "fatal: unable to access 'https://u:p@ss@host/x/': \x1b[31mno\r\nremote: see https://host/help"
    assert redact(text) == "fatal: unable to access 'https://host/x/':  [31mno remote: see https://host/help"
