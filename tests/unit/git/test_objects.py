"""Objects the scratch store writes by itself are git's own, byte for byte."""

import pytest
from fixtures.repos import ENV, run_git

from syncbot.git.objects import Entry, Identity, Scratch

HOSTILE = Identity(name=" Ada <x>\nLtd. ", email="<ada@example.org>", date="@1700000000 +0130")


@pytest.fixture(params=["sha1", "sha256"])
def store(request, tmp_path):
    run_git(tmp_path, "init", "-q", "--bare", "--template=", f"--object-format={request.param}", "repo")
    with Scratch(tmp_path / "repo") as scratch:
        yield scratch


def test_a_blob(store):
    oid = store.write(b"one\0two\n")
    assert store.git.text("hash-object", "--stdin", stdin=b"one\0two\n") == oid
    assert store.git.run("cat-file", "blob", oid) == b"one\0two\n"
    assert store.write(b"one\0two\n") == oid


def test_trees_with_names_in_any_order_and_of_any_bytes(store):
    oid = store.write(b"x")
    names = ["b", "a.py", "a", "ü", "a\udcff", "-rf"]
    tree = {name: Entry(mode="120000" if name == "b" else "100644", oid=oid) for name in names}
    lines = b"".join(
        f"{e.mode} blob {oid}\t".encode() + n.encode("utf-8", "surrogateescape") + b"\0" for n, e in tree.items()
    )
    assert store.flat_trees([{}, tree]) == [
        store.git.text("mktree", "-z", stdin=b""),
        store.git.text("mktree", "-z", stdin=lines),
    ]


@pytest.mark.parametrize("who", [Identity(name="Ada", email="a@b", date="@0 +0000"), HOSTILE], ids=["plain", "hostile"])
def test_a_commit(store, who):
    (tree,) = store.flat_trees([{}])
    first = store.commit(tree, (), "First\n", who)
    env = {f"GIT_{role}_{what}": text for role in ("AUTHOR", "COMMITTER")
           for what, text in (("NAME", who.name), ("EMAIL", who.email), ("DATE", who.date))}  # fmt: skip
    git = store.git.with_env(**ENV | env)
    assert first == git.text("commit-tree", tree, stdin=b"First\n")
    message = "Zweiter: \u00fc\n\nwithout an end"
    made = store.commit(tree, (first,), message, who)
    assert made == git.text("commit-tree", "-p", first, tree, stdin=message.encode())
    assert git.text("fsck", "--strict", "--no-dangling", made) == ""
