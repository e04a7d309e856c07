"""How far a workaround is on a branch: by markers, by lines, and where nothing can be told."""

from __future__ import annotations

import pytest
from fixtures.repos import Repo, code

from syncbot.edit.fit import look
from syncbot.git.clone import open_clone
from syncbot.model.project import Introduced, Marker, Removal, Workaround
from syncbot.model.words import Fit, Scope


@pytest.fixture
def repo(tmp_path):
    repo = Repo(tmp_path / "app")
    repo.commit("Start", {"app.py": code("app")})
    return repo


def fit(repo: Repo, commit: str | None = None, *markers: Marker, **removal) -> tuple[Fit, str | None]:
    workaround = Workaround(
        id="w", title="W", why="w", downstream="app", introduced=Introduced(commit=commit),
        removal=Removal(markers=markers, **removal),
    )  # fmt: skip
    sight = look(open_clone(repo.path).git(), str(repo.head), workaround)
    return sight.fit, sight.reason


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["app_1 = compute_app(1)"], Fit.PRESENT),
        (["app_1 = compute_app(1)", "gone()"], Fit.PARTIAL),
        (["gone()"], Fit.ABSENT),
    ],
)
def test_markers(repo, texts, expected):
    assert fit(repo, None, *(Marker(text=text, path="app.py") for text in texts))[0] is expected


def test_a_marker_that_is_there_less_often_than_it_should_be(repo):
    assert fit(repo, None, Marker(text="compute_app", path="app.py", count=6))[0] is Fit.PRESENT
    assert fit(repo, None, Marker(text="compute_app", path="app.py", count=9))[0] is Fit.PARTIAL
    assert fit(repo, None, Marker(text="x", path="no/such.py"))[0] is Fit.ABSENT


@pytest.mark.parametrize(
    ("kept", "expected"), [(20, Fit.PRESENT), (16, Fit.PRESENT), (15, Fit.PARTIAL), (0, Fit.ABSENT)]
)
def test_lines_of_the_introducing_commit(repo, kept, expected):
    added = repo.commit("Guard", {"app.py": code("app") + code("guard", 20)})
    repo.commit("Later", {"app.py": "# moved\n" + code("guard", kept).replace("guard_", "    guard_") + code("app")})
    assert fit(repo, added)[0] is expected


@pytest.mark.parametrize(
    "name", ["a b.py", "new\nline.py", 'quo"te.py', "back\\slash.py", "tab\t.py", "é.py", "latin-\udce9.py", "\x01.py"]
)
def test_lines_in_files_with_odd_names(repo, name):
    added = repo.commit("Guard", {name: code("guard"), "z.py": code("z")})
    found = fit(repo, added)
    assert found == (Fit.PRESENT, "12 of the 12 lines that the introducing commit added are there")


def test_only_the_declared_paths_count(repo):
    added = repo.commit("Guard", {"guard.py": code("guard"), "feature.py": code("feature", 40)})
    repo.commit("Take it out", {"guard.py": None})
    assert fit(repo, added)[0] is Fit.PRESENT
    assert fit(repo, added, scope=Scope.PATHS, paths=("guard.py",))[0] is Fit.ABSENT


def test_what_cannot_be_told_is_unknown(repo):
    assert fit(repo)[0] is Fit.UNKNOWN
    assert fit(repo, "f" * 40)[0] is Fit.UNKNOWN
    repo.commit("Big", {"big.py": code("big")})
    repo.object_path(repo.blob(code("big"))).unlink()
    found, reason = fit(repo, None, Marker(text="x", path="big.py"))
    assert (found, reason) == (Fit.UNKNOWN, "this clone lacks the content of big.py")
    assert fit(repo, str(repo.head))[0] is Fit.UNKNOWN
