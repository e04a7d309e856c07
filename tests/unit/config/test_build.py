"""From tables to values: addresses, forges, defaults, and what is taken from where."""

import pytest

from syncbot.config import check_project, load_project
from syncbot.model.project import Forge
from syncbot.model.words import Action, CarriedAs, Cures, Mode, Needs, Scope


def append(project, file, text):
    path = project / file
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def manifest(project, *changes, more=""):
    path = project / "patches" / "guard" / "patch.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text + more, encoding="utf-8")


@pytest.mark.parametrize(
    ("keys", "url", "slug", "forge"),
    [
        ('repo = "a/b"', "https://github.com/a/b.git", "a/b", "github"),
        ('repo = "a/b.git"', "https://github.com/a/b.git", "a/b", "github"),
        ('repo = "a/b"\nforge = "work"', "https://github.example.com/a/b.git", "a/b", "work"),
        ('repo = "a/b"\nurl = "git@github.com:a/b.git"', "git@github.com:a/b.git", "a/b", "github"),
        ('url = "https://github.com/a/b"', "https://github.com/a/b", "a/b", "github"),
        ('url = "git@github.example.com:a/b.git"', "git@github.example.com:a/b.git", "a/b", "work"),
        ('url = "ssh://git@GitHub.com/a/b.git"', "ssh://git@GitHub.com/a/b.git", "a/b", "github"),
        ('url = "https://gitlab.example/g/s/p.git"', "https://gitlab.example/g/s/p.git", None, "git"),
        ('url = "/srv/git/lib"', "/srv/git/lib", None, "git"),
        ('url = "file:///srv/git/lib"', "file:///srv/git/lib", None, "git"),
        ('url = "git://host/lib"', "git://host/lib", None, "git"),
        ('url = "https://notgithub.com/a/b"', "https://notgithub.com/a/b", None, "git"),
    ],
)
def test_addresses(project, keys, url, slug, forge):
    append(project, "syncbot.toml", f"\n[upstreams.other]\n{keys}\n")
    repo = load_project(project).upstreams["other"].repo
    assert (repo.url, repo.slug, repo.forge.name) == (url, slug, forge)


def test_forges(project):
    append(
        project,
        "syncbot.toml",
        '\n[forges.github]\nkind = "github"\ntoken = "BOT_TOKEN"\n\n[forges.here]\nkind = "folder"\npath = "out"\n',
    )
    forges = load_project(project).forges
    assert forges["github"] == Forge(
        name="github",
        kind="github",
        web="https://github.com",
        api="https://api.github.com",
        token_variable="BOT_TOKEN",
    )
    assert forges["work"].api == "https://github.example.com/api/v3"
    assert forges["work"].token_variable == "WORK_TOKEN"
    assert (forges["here"].kind, forges["here"].path, forges["here"].token_variable) == ("folder", "out", None)


def test_github_is_there_without_being_declared(project):
    assert load_project(project).forges["github"].token_variable == "GITHUB_TOKEN"


def test_pins(project):
    append(
        project,
        "syncbot.toml",
        """
[pins.elsewhere]
upstream = "lib"
downstream = "app"
url = "https://git.example.org/images.git"
path = "new/Dockerfile"
former_paths = ["Dockerfile", "old/Dockerfile"]
pattern = '(?P<ref>v[0-9]+)'
tag_format = "v{version}"
""",
    )
    pins = load_project(project).pins
    assert pins["image"].repo.slug == "down/app"
    assert (pins["image"].branch, pins["image"].gating) == ("main", True)
    assert (pins["tool"].submodule, pins["tool"].paths, pins["tool"].gating) == ("third_party/tool", (), False)
    assert pins["elsewhere"].repo.url == "https://git.example.org/images.git"
    assert pins["elsewhere"].branch is None
    assert pins["elsewhere"].paths == ("new/Dockerfile", "Dockerfile", "old/Dockerfile")


def test_the_gate_is_what_is_named_or_every_gating_pin_of_the_fixes_upstreams(project):
    append(
        project,
        "syncbot.toml",
        """
[downstreams.other]
repo = "down/other"

[pins.other]
upstream = "lib"
downstream = "other"
submodule = "lib"

[pins.second]
upstream = "lib"
downstream = "app"
submodule = "lib"

[pins.of_tool]
upstream = "tool"
downstream = "app"
submodule = "tool"
""",
    )
    assert load_project(project).workarounds[0].gate == ("image",)
    manifest(project, ('pins = ["image"]\n', ""))
    assert load_project(project).workarounds[0].gate == ("image", "second")
    manifest(project, ('[[fixes]]\nupstream = "lib"\npull = 77\ncures = "verified"\n', ""))
    assert load_project(project).workarounds[0].gate == ("image", "second", "of_tool")


def test_proposals_of_a_downstream_are_the_projects_with_its_own_keys_over_them(project):
    append(
        project,
        "syncbot.toml",
        """
[proposals.limits]
max_open = 9
max_distance = 7

[proposals.bundles]
small = ["guard"]

[downstreams.app.proposals]
mode = "pull-request"
home = { repo = "me/home" }

[downstreams.app.proposals.limits]
max_open = 2
""",
    )
    loaded = load_project(project)
    assert (loaded.proposals.mode, loaded.proposals.max_open, loaded.proposals.home) == (Mode.HAND_OFF, 9, None)
    own = loaded.proposals_for("app")
    assert (own.mode, own.max_open, own.max_distance) == (Mode.PULL_REQUEST, 2, 7)
    assert own.labels == ("workaround",)
    assert own.home is not None
    assert own.home.slug == "me/home"
    assert own.bundles == {"small": ("guard",)}


def test_a_whole_manifest(project):
    (project / "patches" / "guard" / "change.patch").write_text("", encoding="utf-8")
    manifest(
        project,
        ('downstream = "app"\n', 'downstream = "app"\nneeds = "any"\n'),
        more="""
[[carried]]
name = "main"

[[carried]]
name = "release"
carried = "patch-file"
branch = "releases/1.2"
pins = ["image"]

[[carried]]
name = "fork"
carried = "branch"
repo = "me/app"
branch = "ours"

[removed]
pull = 99
date = 2026-09-08

[[notes]]
date = 2026-08-01
text = "Seen again."
by = "@octocat"
""",
    )
    (workaround,) = load_project(project).workarounds
    assert (workaround.id, workaround.needs, workaround.floor) == ("guard", Needs.ANY, "1.2")
    assert workaround.introduced.commit == "6c7e679f048dc6123caecc3985150766e455ff22"
    assert [each.carried for each in workaround.carriers] == [
        CarriedAs.IN_TREE,
        CarriedAs.PATCH_FILE,
        CarriedAs.BRANCH,
    ]
    assert str(workaround.carriers[1].patch) == "change.patch"
    assert workaround.carriers[2].repo is not None
    assert workaround.carriers[2].repo.slug == "me/app"
    assert workaround.fixes[0].cures is Cures.VERIFIED
    assert (workaround.removal.scope, workaround.removal.action) == (Scope.EDITS, Action.REMOVE)
    assert (workaround.removal.edits[0].within, workaround.removal.edits[0].replace) == ("run", None)
    assert (workaround.removal.markers[0].count, workaround.removal.restore) == (1, True)
    assert workaround.removed is not None
    assert str(workaround.removed.date) == "2026-09-08"
    assert workaround.notes[0].by == "@octocat"


def test_workarounds_come_by_id_and_the_archive_stays_out(project):
    for name in ("zeta", "alpha", "archive/old", ".hidden"):
        folder = project / "patches" / name
        folder.mkdir(parents=True)
        text = (project / "patches" / "guard" / "patch.toml").read_text(encoding="utf-8")
        (folder / "patch.toml").write_text(text, encoding="utf-8")
    assert [each.id for each in load_project(project).workarounds] == ["alpha", "guard", "zeta"]


def test_ids_that_differ_only_by_case_are_refused(project):
    text = (project / "patches" / "guard" / "patch.toml").read_text(encoding="utf-8")
    (project / "patches" / "Guard").mkdir(exist_ok=True)
    (project / "patches" / "Guard" / "patch.toml").write_text(text, encoding="utf-8")
    if len(list((project / "patches").iterdir())) == 1:
        pytest.skip("this file system does not tell names by case")
    (problem,) = check_project(project)
    assert str(problem) == (
        'patches/guard: found "guard", which differs from "Guard" only by case; '
        "expected ids that stay apart on any file system; rename one"
    )
