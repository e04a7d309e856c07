"""Links, short references, names and versions."""

import pytest

from syncbot.discover.references import Names, Reader, spoken_names
from syncbot.model.discover import Reference, RefKind

READER = Reader(
    Names(spoken_names("lib", ["Acme/Lib"]) | spoken_names("pytorch", ["pytorch/pytorch"]), frozenset({"me/app"}))
)


def ref(repo, kind, value):
    return Reference(repo=repo, kind=kind, value=value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://github.com/Acme/Lib/pull/4774", [ref("lib", RefKind.PULL, "4774")]),
        ("https://github.com/acme/lib/issues/12#issuecomment-1", [ref("lib", RefKind.ISSUE, "12")]),
        ("https://github.com/x/y/commit/0123456789abcdef", [ref("x/y", RefKind.COMMIT, "0123456789abcdef")]),
        ("https://gitlab.example.com/a/b/-/merge_requests/7", [ref("a/b", RefKind.PULL, "7")]),
        ("acme/lib#5 and other/tool#6", [ref("lib", RefKind.NUMBER, "5"), ref("other/tool", RefKind.NUMBER, "6")]),
        ("Lib PR #2823", [ref("lib", RefKind.PULL, "2823")]),
        ("Lib bug #2229", [ref("lib", RefKind.ISSUE, "2229")]),
        ("lib/pull/31", [ref("lib", RefKind.PULL, "31")]),
        ("github.com/pytorch/pytorch/pull/15", [ref("pytorch", RefKind.PULL, "15")]),
        (
            "torch >= 2.11 and Lib to v0.1.15",
            [ref("pytorch", RefKind.VERSION, "2.11"), ref("lib", RefKind.VERSION, "0.1.15")],
        ),
        ("me/app#9, #10 and https://github.com/me/app/pull/11", []),
        ("some/dir/file#frag and vendor/pull/3", []),
    ],
)
def test_references(text, found):
    assert list(READER.references(text)) == found


def test_the_better_kind_of_one_number_wins():
    assert READER.references("acme/lib#5, https://github.com/acme/lib/pull/5") == (ref("lib", RefKind.PULL, "5"),)


def test_a_name_is_a_word_and_no_part_of_code():
    assert READER.named("a Lib bug, and torch's") == ("lib", "pytorch")
    assert READER.named("torchvision of libs, lib-extra, lib_x") == ()
