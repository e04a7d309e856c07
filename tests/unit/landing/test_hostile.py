"""What strangers can put into a repository: odd files, odd names, odd messages, odd times."""

from __future__ import annotations

import pytest
from fixtures.asking import targets_of, where
from fixtures.repos import Repo, code, lines

from syncbot.git.clone import open_clone
from syncbot.git.refs import read_refs
from syncbot.landing.targets import named_target
from syncbot.model.errors import UsageError


@pytest.fixture
def repo(tmp_path):
    repo = Repo(tmp_path / "upstream")
    repo.commit("Start (#1)", {"core.py": code("core")})
    repo.branch("release")
    repo.on("main")
    return repo


def carried_over(repo: Repo, files, between=None, message: str = "Fix (#5)") -> dict[str, str]:
    """Land ``files`` as #5, pick it without a word after ``between``, revert it without a word."""
    fix = repo.commit(message, files)
    repo.tag("v1.1.0")
    repo.on("release")
    repo.commit("Own work", between or {"own.txt": "own\n"})
    picked = repo.pick(fix, "Bring it along", keep_author=False)
    repo.tag("v1.0.1")
    repo.revert(picked, "And away with it")
    repo.tag("v1.0.2")
    return where(repo, "#5")


SEEN = {"v1.0.1": "contained: patch-id", "v1.0.2": "reverted: patch-id, revert", "v1.1.0": "contained: ancestor"}


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"logo.png": b"\x89PNG\0\1\2" * 20}, id="binary"),
        pytest.param({"core.py": ("100755", code("core").encode())}, id="mode"),
        pytest.param({"link": ("120000", b"core.py")}, id="symlink"),
        pytest.param({"vendored": ("160000", b"1" * 40)}, id="submodule"),
        pytest.param({"empty": b""}, id="empty-file"),
        pytest.param({"core.py": None}, id="deletion"),
        pytest.param({"core.py": code("core").replace("core_1", "  core_1")}, id="white-space"),
        pytest.param({"no newline": "at the end"}, id="no-newline"),
        pytest.param({'a "quoted" file.py': code("fix")}, id="quotes"),
        pytest.param({"a\nnew line.py": code("fix")}, id="newline"),
        pytest.param({"tab\t and \\ backslash": code("fix")}, id="tab"),
        pytest.param({"größe/日本.py": code("fix")}, id="unicode"),
        pytest.param({"latin-\udce9.py": code("fix")}, id="not-utf8"),
        pytest.param({":(glob)**": code("fix"), "*": "x\n"}, id="pathspec-magic"),
        pytest.param({"-p": code("fix")}, id="option"),
        pytest.param({f"{'deep/' * 60}{n}.py": code(f"f{n}") for n in range(150)}, id="many-deep-paths"),
        pytest.param({"latin.txt": "é\n".encode("latin-1") * 3}, id="latin-content"),
        pytest.param({"crlf.txt": b"one\r\ntwo\r\nthree\r\n"}, id="crlf"),
        pytest.param({"diff.txt": lines("diff --git a/x b/x", "+++ b/y", "@@ -1 +1 @@", "f" * 40)}, id="a-diff-in-it"),
    ],
)
def test_a_pick_and_a_revert_without_a_word(repo, files):
    assert carried_over(repo, files) == SEEN


def test_another_binary_in_the_same_place_is_another_change(repo):
    repo.commit("Fix (#5)", {"logo.png": b"\0one" * 50})
    repo.on("release")
    repo.commit("Own logo", {"logo.png": b"\0two" * 50})
    repo.tag("v1.0.1")
    assert where(repo, "#5") == {"v1.0.1": "absent"}


def test_another_mode_or_submodule_in_the_same_place_is_another_change(repo):
    repo.commit("Fix (#5)", {"vendored": ("160000", b"1" * 40)})
    repo.commit("Run it (#6)", {"core.py": ("100755", code("core").encode())})
    repo.on("release")
    repo.commit("Own pin", {"vendored": ("160000", b"2" * 40)})
    repo.commit("Own link", {"core.py": ("120000", b"elsewhere")})
    repo.tag("v1.0.1")
    assert where(repo, "#5") == {"v1.0.1": "absent"}
    assert where(repo, "#6") == {"v1.0.1": "absent"}


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(b"Fix (#5)\n\nh\xe9llo \xff\xfe", id="not-utf8"),
        pytest.param(b"Fix (#5)\n\n\x1b[31mred\x07 \x1f\x1e\x01", id="control"),
        pytest.param(b"\x1fFix\x1f (#5)\n\nbody\x1f", id="separators"),
        pytest.param(b"Fix (#5)\n\n" + b"#" + b"9" * 6000 + b" (#" + b"1" * 6000 + b")", id="huge-numbers"),
        pytest.param(b"Fix (#5)\n\n" + b"word #12 " * 200_000, id="huge-body"),
        pytest.param(b"Fix (#5)\n\n" + b"a/" * 100_000 + b"#5", id="many-slashes"),
        pytest.param(b"Fix (#5)\n\n" + b"This reverts commit " * 20_000, id="many-words"),
        pytest.param(b"Fix (#5)\n\n" + b'* Revert "' * 20_000, id="deep-quotes"),
        pytest.param(b"Fix (#5)\n\n" + b'Revert "' * 2_000 + b"x" + b'"' * 2_000, id="nested-quotes"),
        pytest.param(b"Fix " + b"[x] " * 20_000 + b"(#5)", id="many-tags"),
        pytest.param(b"Fix " + b"... " * 20_000 + b"(#5)", id="many-dots"),
        pytest.param("\u202eFix\u2028it (#5)\n\n\u2029".encode(), id="unicode-separators"),
    ],
)
def test_a_message_is_only_text(repo, message):
    repo.commit(message, {"fix.py": code("fix")})
    repo.tag("v1.1.0")
    repo.on("release")
    repo.commit(message.replace(b"(#5)", b"(#31)"), {"own.py": code("own")})
    repo.tag("v1.0.1")
    assert where(repo, "#5") == {"v1.0.1": "absent", "v1.1.0": "contained: ancestor"}


@pytest.mark.parametrize(
    ("author", "committer"),
    [
        (b"author A <a@b> whenever", b"committer C <c@d> whenever"),
        (b"author A <a@b> 99999999999999999999 +0000", b"committer C <c@d> 99999999999999999 +0000"),
        (b"author nobody", b"committer nobody"),
        (b"author A <a@b> -1 +0000", b"committer C <c@d> -1 +0000"),
        (b"author A\x1f <a@b> 1 +0000", b"committer C\x1f <c@d> 1 +9999"),
    ],
)
def test_a_commit_whose_author_or_time_makes_no_sense(repo, author, committer):
    tree = repo._tree(repo.files() | {"fix.py": ("100644", code("fix").encode())})
    parent = str(repo.head)
    oid = repo.put(
        "commit",
        b"tree %s\nparent %s\n%s\n%s\n\nFix (#5)\n" % (tree.encode(), parent.encode(), author, committer),
    )
    repo.ref("refs/heads/main", oid)
    repo.tag("v1.1.0", oid)
    told = where(repo, "#5")
    assert told == {"v1.1.0": "contained: ancestor"}
    assert told.report.title == "Fix"


# -- refs --------------------------------------------------------------------------------------------------------------


def test_odd_tags(repo):
    repo.tag("v1.0.0")
    for name in ("v1.1.0-longctx", "v1.1\u2028.0", "archive/1.2.3", "nightly", "vé1.5", "v1.2.0;rm -rf $HOME"):
        repo.tag(name.replace(" ", "_"))
    repo.ref("refs/tags/v1.3.0", repo.blob("a tag of a file"))
    inner = repo.tag("v1.4.0rc1", annotated=True)
    repo.tag("v1.4.0", inner, annotated=True, when=repo.now + 999)
    (repo.path / "refs/tags/v1.5.0").write_text("not an id\n")
    (repo.path / "refs/tags/v1.6.0").write_text("0" * 40 + "\n")
    found = {target.ref: target for target in targets_of(repo.path)}
    assert {name for name, target in found.items() if target.version is not None} == {
        "v1.0.0", "v1.4.0rc1", "v1.4.0"
    }  # fmt: skip
    assert found["v1.4.0"].commit == found["v1.0.0"].commit, "a tag of a tag is a tag of the commit"
    assert str(found["v1.1.0-longctx"].note).startswith("not a PEP 440 version")
    assert not {"archive/1.2.3", "nightly", "v1.3.0", "v1.5.0", "v1.6.0"} & found.keys()


@pytest.mark.parametrize("ref", ["-x", "--upload-pack=id", "a..b", "a b", "a:b", "", "a\nb", "HEAD^{/x}", "x*"])
def test_what_is_no_ref_is_refused(repo, ref):
    with pytest.raises(UsageError, match="not a ref"):
        named_target(open_clone(repo.path).git(), ref)


def test_a_branch_that_looks_like_an_id_or_a_tag(repo):
    git = open_clone(repo.path).git()
    first = repo.head
    repo.tag("dual")
    repo.commit("Later (#2)", {"core.py": code("later")})
    repo.ref("refs/heads/dual", str(repo.head))
    repo.ref("refs/heads/abcdef1", str(repo.head))
    assert named_target(git, "dual").commit == first, "a tag comes before a branch, as in git"
    assert named_target(git, "abcdef1").kind == "branch"
    assert {ref.short for ref in read_refs(git, "refs/heads/")} == {"main", "release", "dual", "abcdef1"}
