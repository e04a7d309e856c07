"""Which tags are releases, and which tag a plain version means."""

import datetime as dt

from syncbot.git.refs import Ref
from syncbot.guess.tags import guess_tags, tag_format_for


def tags(*names):
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    return [
        Ref(f"refs/tags/{name}", f"{number:040x}", start + dt.timedelta(days=number), False)
        for number, name in enumerate(names)
    ]


def test_the_family_of_the_pins_is_taken():
    every = tags("v1.0", "v1.1", "nightly-v1.1", "pkg-v0.1", "pkg-v0.2", "archive/x")
    found = guess_tags(every, ["pkg-v0.1"])
    assert (found.pattern, found.releases, found.tags, found.newest) == ("pkg-v[0-9]*", 2, 6, "pkg-v0.2")
    found = guess_tags(every, ["v1.0"])
    assert (found.pattern, found.releases, found.newest) == ("v[0-9]*", 2, "v1.1")


def test_without_a_pin_plain_versions_win():
    found = guess_tags(tags("v1.0", "nightly-v1.1", "nightly-v1.2", "nightly-v1.3"), [])
    assert found.pattern == "v[0-9]*"


def test_what_matches_and_is_no_version_is_ignored():
    found = guess_tags(tags("v1.0", "v1.1-longctx", "v1.1rc1"), ["v1.0"])
    assert (found.ignore, found.releases) == (("v1.1-longctx",), 2)


def test_a_prefix_cannot_be_a_pattern_itself():
    assert guess_tags(tags("rel[x]1.0"), ["rel[x]1.0"]).pattern == "rel[[]x][0-9]*"


def test_no_family_no_pattern():
    found = guess_tags(tags("latest", "old"), [])
    assert (found.pattern, found.newest) == (None, None)


def test_a_version_means_its_package_s_own_tag_first():
    there = ["1.2.0", "v1.2.0", "regex-syntax-1.2.0"]
    assert tag_format_for("1.2.0", there, ["regex-syntax"]) == "regex-syntax-{version}"
    assert tag_format_for("1.2.0", there, ["other"]) == "v{version}"
    assert tag_format_for("1.3.0", there, ["regex-syntax"]) is None
