"""Files that people attached to comments on GitHub: fetched from where the forge itself keeps them, and nowhere else.

A link is a stranger's text. So: only ``https`` on the forge's own host, only the path that GitHub gives to attachments,
redirects only to where GitHub stores them, no credential sent to anybody, and no more than `MOST_BYTES` read. What a
private repository shows to signed-in people alone is therefore not read.
"""

from __future__ import annotations

import re
import time
import urllib.parse

import requests
from urllib3.util import Retry

from syncbot.forge.errors import ForgeError, NotFoundError, UnreachableError

MOST_BYTES = 8 << 20
_LONGEST = 60.0  # seconds for one file, however slowly it drips
_HOPS = 3
_PATH = re.compile(r"/(?:user-attachments|[\w.-]+/[\w.-]+)/files/\d+/[\w.%+-]+")
_GITHUB_STORES = re.compile(r"[a-z0-9-]+\.githubusercontent\.com|github-production-[a-z0-9-]+\.s3\.amazonaws\.com")


def is_attachment(url: str, web: str) -> bool:
    """Whether ``url`` is a link that the forge at ``web`` makes for an attached file."""
    try:
        there, own = urllib.parse.urlsplit(url), urllib.parse.urlsplit(web)
        same = (there.scheme, there.hostname, there.port) == (own.scheme, own.hostname, own.port)
    except ValueError:
        return False
    return same and there.username is None and not there.query and bool(_PATH.fullmatch(there.path))


def may_redirect(url: str, web: str) -> bool:
    """Whether a redirect from an attachment may be followed to ``url``: a place where this forge stores files."""
    try:
        there, own = urllib.parse.urlsplit(url), urllib.parse.urlsplit(web)
        port = there.port
    except ValueError:
        return False
    host, home = there.hostname or "", own.hostname or ""
    if there.scheme != own.scheme or there.username is not None:
        return False
    if host == home:
        return port == own.port
    if home == "github.com":
        return port is None and bool(_GITHUB_STORES.fullmatch(host))
    return port is None and "." in home and host.endswith(f".{home}")


def fetch(url: str, web: str, *, timeout: float) -> bytes:
    """Return the attached file behind ``url``; ``web`` is the forge's address, ``timeout`` seconds for one answer.

    Raises `ForgeError` where it is no attachment of this forge, leads elsewhere or is too large, `NotFoundError` where
    it is not there, and `UnreachableError` where asking later may help.
    """
    if not is_attachment(url, web):
        raise ForgeError(f"not an attachment of {urllib.parse.urlsplit(web).hostname}")
    with requests.Session() as session:
        session.auth = lambda request: request  # else requests takes a password from ~/.netrc
        session.mount("https://", requests.adapters.HTTPAdapter(max_retries=_retries()))
        try:
            for _ in range(_HOPS):
                with session.get(url, timeout=timeout, allow_redirects=False, stream=True) as answer:
                    if not answer.is_redirect:
                        return _content(answer)
                    there = urllib.parse.urljoin(url, answer.headers["Location"])
                    if not may_redirect(there, web):
                        raise ForgeError("it leads to a host that is not the forge's own")
                    url = there
        except requests.RequestException as error:
            raise UnreachableError(f"no answer ({type(error).__name__})") from None
    raise ForgeError("it leads from one place to the next")


def _retries() -> Retry:
    return Retry(total=1, status_forcelist=(500, 502, 503, 504), raise_on_status=False, redirect=0)


def _content(answer: requests.Response) -> bytes:
    if answer.status_code in (404, 410):
        raise NotFoundError("it is not there, or only signed-in people may see it")
    if answer.status_code in (408, 429) or answer.status_code >= 500:
        raise UnreachableError(f"the forge answered {answer.status_code}")
    if answer.status_code != 200:
        raise ForgeError(f"the forge answered {answer.status_code}")
    data, end = bytearray(), time.monotonic() + _LONGEST
    for part in answer.iter_content(1 << 16):
        data += part
        if len(data) > MOST_BYTES:
            raise ForgeError(f"it is larger than {MOST_BYTES >> 20} MiB")
        if time.monotonic() > end:
            raise UnreachableError(f"it was not there after {_LONGEST:.0f} s")
    return bytes(data)
