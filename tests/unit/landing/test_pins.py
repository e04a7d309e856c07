"""Pins: every form, former places, wrong places, another repository, and how they moved."""

from __future__ import annotations

import datetime as dt

import pytest
from fixtures.repos import HOUR, START, Repo

from syncbot.git.clone import open_clone
from syncbot.git.history import read_history
from syncbot.landing.pins import PinProblemError, moves, pin_at, pin_history, read_pin, upstream_refs
from syncbot.model.project import Forge, Pin
from syncbot.model.project import Repo as Place
from syncbot.model.words import PinForm, PinMove

HERE = Place(url="https://example.org/own/app", forge=Forge(name="git", kind="git"))
PATTERN = r'^ARG LIB="(?P<ref>[^"]+)"'


def make_pin(**options) -> Pin:
    values = {"name": "image", "upstream": "lib", "downstream": "app", "repo": HERE, "paths": ("Dockerfile",)}
    return Pin(**values | {"pattern": PATTERN} | options)


@pytest.fixture
def lib(tmp_path):
    """v1.0.0, v1.1.0, v1.2.0 on main; v1.0.1 beside them; v0.9.0 below another root."""
    lib = Repo(tmp_path / "lib")
    lib.orphan("old")
    lib.commit("Old start", {"a": "old\n"})
    lib.tag("v0.9.0")
    lib.orphan("main")
    lib.commit("Start", {"a": "0\n"})
    lib.tag("v1.0.0")
    lib.branch("stable")
    lib.commit("Backport", {"b": "0\n"})
    lib.tag("v1.0.1", annotated=True)
    lib.on("main")
    for number in (1, 2):
        lib.commit(f"Work {number}", {"a": f"{number}\n"})
        lib.tag(f"v1.{number}.0")
    return lib


@pytest.fixture
def app(tmp_path):
    return Repo(tmp_path / "app")


def says(text: str) -> dict[str, str]:
    return {"Dockerfile": f'FROM x\nARG LIB="{text}"\nARG LIB\n'}


def read(app: Repo, lib: Repo, pin: Pin):
    upstream = open_clone(lib.path).git()
    return pin_at(open_clone(app.path).git(), str(app.head), pin, upstream, upstream_refs(upstream))


def ref(lib: Repo, name: str) -> str:
    return (lib.path / "refs" / name).read_text().strip()


@pytest.mark.parametrize(
    ("text", "form", "commit"),
    [
        ("v1.1.0", PinForm.TAG, "tags/v1.1.0"),
        ("stable", PinForm.BRANCH, "heads/stable"),
        ("1.1.0", PinForm.VERSION, "tags/v1.1.0"),
        ("1.1", PinForm.VERSION, "tags/v1.1.0"),
        ("9.9", PinForm.VERSION, None),
        ("no-such-thing", PinForm.VERSION, None),
        ("deadbeef", PinForm.SHA, None),
        ("--upload-pack=id", PinForm.VERSION, None),
        ("v1.0.0..v1.1.0", PinForm.VERSION, None),
    ],
)
def test_what_a_text_means(app, lib, text, form, commit):
    app.commit("Pin", says(text))
    reading = read(app, lib, make_pin())
    assert (reading.form, reading.problem) == (form, None)
    assert reading.target.commit == (ref(lib, commit) if commit else None)
    assert reading.floating == (form is PinForm.BRANCH)
    if commit is None:
        assert text in str(reading.target.note)


@pytest.mark.parametrize("length", [7, 12, 40])
def test_an_id_in_full_or_short(app, lib, length):
    app.commit("Pin", says(ref(lib, "tags/v1.1.0")[:length]))
    reading = read(app, lib, make_pin())
    assert (reading.form, reading.target.commit) == (PinForm.SHA, ref(lib, "tags/v1.1.0"))


def test_a_tag_format_turns_a_version_into_that_tag(app, lib):
    lib.tag("release/1.1.0", ref(lib, "tags/v1.0.0"))
    app.commit("Pin", says("1.1.0"))
    assert read(app, lib, make_pin(tag_format="release/{version}")).target.commit == ref(lib, "tags/v1.0.0")
    reading = read(app, lib, make_pin(tag_format="r{version}"))
    assert reading.target.commit is None, "the format is what the project says; nothing else is tried"
    assert "looked for 'r1.1.0'" in str(reading.target.note)


def test_an_annotated_tag_means_its_commit(app, lib):
    app.commit("Pin", says("v1.0.1"))
    assert read(app, lib, make_pin()).target.commit == ref(lib, "heads/stable")


def test_a_submodule(app, lib):
    commit = ref(lib, "tags/v1.1.0")
    app.commit("Pin", {"third party/lib": ("160000", commit.encode())})
    reading = read(app, lib, make_pin(submodule="third party/lib", paths=(), pattern=None))
    assert (reading.form, reading.target.commit) == (PinForm.SUBMODULE, commit)
    app.commit("Vendor it", {"third party/lib": "a file now\n"})
    assert "not found" in str(read(app, lib, make_pin(submodule="third party/lib", paths=(), pattern=None)).problem)


def test_former_places(app, lib):
    app.commit("Pin", {"old/Dockerfile": 'ARG LIB="v1.0.0"\n'})
    pin = make_pin(paths=("Dockerfile", "old/Dockerfile"))
    assert read(app, lib, pin).text.path == "old/Dockerfile"
    app.commit("Move", {"old/Dockerfile": None, "Dockerfile": 'ARG LIB="v1.1.0"\n'})
    assert read(app, lib, pin).text.path == "Dockerfile"


@pytest.mark.parametrize(
    ("content", "says_so"),
    [
        ("FROM x\n", "its pattern matches nothing in Dockerfile"),
        ('ARG LIB=""\n', "its pattern matches nothing in Dockerfile"),
        ('ARG LIB="a"\nARG LIB="b"\n', "2 times in Dockerfile, with different texts (a, b)"),
        (None, "Dockerfile does not exist"),
    ],
)
def test_a_place_that_does_not_say_what_it_should(app, lib, content, says_so):
    app.commit("Start", {"README": "x\n"} | ({"Dockerfile": content} if content is not None else {}))
    problem = str(read(app, lib, make_pin()).problem)
    assert says_so in problem
    assert "'image'" in problem


def test_the_same_text_twice_is_one(app, lib):
    app.commit("Pin", {"Dockerfile": 'ARG LIB="v1.0.0"\nARG LIB="v1.0.0"\n'})
    assert read(app, lib, make_pin()).text.text == "v1.0.0"


def test_content_that_the_clone_lacks_is_told_from_a_missing_file(app, lib):
    app.commit("Pin", says("v1.0.0"))
    app.object_path(app.blob(says("v1.0.0")["Dockerfile"])).unlink()
    with pytest.raises(PinProblemError, match="this clone lacks the content of Dockerfile"):
        read_pin(open_clone(app.path).git(), str(app.head), make_pin())


# -- moves -------------------------------------------------------------------------------------------------------------


def story(app: Repo, lib: Repo, pin: Pin, until: dt.datetime | None = None):
    upstream = open_clone(lib.path).git()
    refs = upstream_refs(upstream, until)
    seen = pin_history(open_clone(app.path).git(), str(app.head), pin, upstream, refs)
    tips = [each.reading.target.commit for each in seen if each.reading.target and each.reading.target.commit]
    return seen, moves(seen, read_history(upstream, tips))


def test_every_move_by_ancestry(app, lib):
    for text in ("v0.9.0", "v1.0.0", "v1.1.0", "v1.0.1", "v1.2.0", "v1.1.0", "1.1.0", "v9"):
        app.commit(f"Pin {text}", says(text))
        app.commit("Unrelated", {"other": f"{text}\n"})
    seen, found = story(app, lib, make_pin())
    assert [(move.kind.value, move.lost, move.gained) for move in found] == [
        ("first", None, None),
        ("unrelated", 1, 1),
        ("forward", 0, 1),
        ("diverged", 1, 1),
        ("diverged", 1, 2),
        ("backward", 1, 0),
        ("same", 0, 0),
        ("unknown", None, None),
    ]
    assert [each.title for each in seen][:2] == ["Pin v0.9.0", "Pin v1.0.0"]


def test_a_renamed_file_and_a_mended_typo_are_no_moves(app, lib):
    pin = make_pin(paths=("Dockerfile", "old/Dockerfile"))
    content = says("v1.0.0")["Dockerfile"]
    app.commit("Pin", {"old/Dockerfile": content})
    app.commit("Move the file", {"old/Dockerfile": None, "Dockerfile": content})
    app.commit("Break it", {"Dockerfile": "ARG LIBB\n"})
    app.commit("Mend it", {"Dockerfile": content})
    app.commit("Take it away", {"Dockerfile": None})
    app.commit("Bring it back", {"Dockerfile": content})
    _, found = story(app, lib, pin)
    assert [move.kind for move in found] == [PinMove.FIRST]


def test_a_move_inside_a_merged_branch_is_seen_at_its_merge(app, lib):
    app.commit("Pin", says("v1.0.0"))
    app.branch("bump")
    bumped = app.commit("Try", says("v1.1.0"))
    app.on("main")
    app.commit("Meanwhile", {"other": "x\n"})
    app.merge(bumped, "Merge the bump")
    seen, _ = story(app, lib, make_pin())
    assert [each.title for each in seen] == ["Pin", "Merge the bump"]


def test_a_submodule_moves_too(app, lib):
    pin = make_pin(submodule="lib", paths=(), pattern=None)
    for name in ("v1.0.0", "v1.2.0", "v1.1.0"):
        app.commit(f"Lib {name}", {"lib": ("160000", ref(lib, f"tags/{name}").encode())})
    _, found = story(app, lib, pin)
    assert [move.kind.value for move in found] == ["first", "forward", "backward"]


def test_refs_as_they_were(lib, app):
    app.commit("Pin", says("main"))
    # Commits come an hour apart: 1 old, 2 v1.0.0, 3 v1.0.1, 4 v1.1.0, 5 v1.2.0.
    then = dt.datetime.fromtimestamp(START + 4 * HOUR, dt.UTC)
    assert set(upstream_refs(open_clone(lib.path).git(), then).tags) == {"v0.9.0", "v1.0.0", "v1.0.1", "v1.1.0"}
    seen, _ = story(app, lib, make_pin(), then)
    assert seen[0].reading.target.commit == ref(lib, "tags/v1.1.0"), "main as it was then"
    before = dt.datetime.fromtimestamp(START, dt.UTC)
    seen, _ = story(app, lib, make_pin(), before)
    assert seen[0].reading.target.commit is None
