"""A bundle: several small removals as one proposal, with what stands for each, and nobody's no forgotten."""

import pytest
from small_repo import commit, git
from standin import DOWN, HOME, MANIFEST

BUNDLE = 'bundles = { small = ["guard", "mask", "pad"] }\ndashboard = "Workarounds of the stand-in"'
PLAIN = "def run(x):\n    y = step(x)\n    return y\n"
REST = """
[gate]
pins = ["{pin}"]

[[removal.markers]]
text = '{marker}'
path = "{name}.py"
"""


def add(stand, name, *, pin="image", checks=""):
    """Give the downstream one more workaround, a line of its own file."""
    marker = f"y = fix_{name}(y)"
    commit(stand.down, "main", {f"{name}.py": PLAIN}, f"Add {name}")
    made = commit(
        stand.down,
        "main",
        {f"{name}.py": PLAIN.replace("    return", f"    {marker}\n    return")},
        f"Guard {name} (#7)",
    )
    where = stand.project / "patches" / name
    where.mkdir()
    head = MANIFEST.format(introduced=made, fix=stand.fix).partition("\n[gate]")[0]
    head = head.replace("NaN guard after the paged logits", f"Guard of {name}").replace("pull = 49714", "pull = 7")
    (where / "patch.toml").write_text(head + REST.format(pin=pin, marker=marker, name=name) + checks)


@pytest.fixture
def ready(make_stand):
    """A stand-in on the fake GitHub with three workarounds in one bundle."""
    stand = make_stand("pull-request", extra=BUNDLE)
    add(stand, "mask")
    add(stand, "pad")
    return stand


def shown(stand, tip):
    return git(stand.branches, "show", "--format=%B", "--stat=200", tip)


def files(stand, tip):
    return git(stand.branches, "show", "--format=", "--name-only", tip).split()


@pytest.mark.parametrize("kind", ["folder", "hand-off"])
def test_one_commit_and_one_proposal_that_lists_each(make_stand, kind):
    stand = make_stand(kind, extra=BUNDLE)
    add(stand, "mask")
    add(stand, "pad")
    assert "guard: keep" in stand.sync()
    stand.pin("v0.1.20")
    text = stand.sync()
    assert "mask: remove. In bundle small." in text
    assert "small: bundle." in text
    tip = stand.tip("syncbot/bundle/small")
    assert stand.tip("syncbot/removal") == ""
    assert files(stand, tip) == ["kernel.py", "mask.py", "pad.py", "test_kernel.py"]
    message = shown(stand, tip)
    assert all(f"Syncbot-Workaround: {each}\n" in message for each in ("guard", "mask", "pad"))
    assert git(stand.branches, "log", "-1", "--format=%P", tip) == git(stand.down, "rev-parse", "main")
    held = stand.proposals() if kind == "folder" else [x for x in stand.issues() if "Hand-off" in x["title"]]
    (only,) = held
    assert "Remove workarounds that are no longer needed: small" in only["title"]
    for name in ("guard", "mask", "pad"):
        assert f"(`{name}`)" in only["body"]
    assert only["body"].count("merge-base --is-ancestor") == 3
    if kind == "hand-off":
        stand.submit(text=only["body"].split("````markdown\n")[1].split("\n````")[0], branch="syncbot/bundle/small")
        assert "was submitted" in stand.sync()


def test_one_that_is_not_due_any_more_leaves_and_comes_back(ready):
    ready.pin("v0.1.20")
    ready.sync()
    first = ready.tip("syncbot/bundle/small")
    # Somebody removes one by hand.
    commit(ready.down, "main", {"mask.py": PLAIN}, "Remove the guard of mask (#9)")
    ready.sync()
    second = ready.tip("syncbot/bundle/small")
    assert second not in ("", first)
    assert "mask.py" not in files(ready, second)
    (only,) = ready.proposals()
    assert "(`mask`)" not in only["body"]
    # All of them stop being due: the proposal says so and stays.
    ready.pin("v0.1.19")
    assert "None of its removals is due any more" in ready.sync()
    (only,) = ready.proposals(state="open")
    assert only["draft"]
    assert "syncbot-not-now" in only["labels"]
    assert [each for each in only["comments"] if "not right any more" in each]
    assert ready.tip("syncbot/bundle/small") == second


def test_one_that_was_proposed_by_itself_stays_by_itself(make_stand):
    stand = make_stand("pull-request", extra='dashboard = "Workarounds"')
    add(stand, "mask")
    add(stand, "pad", pin="image")
    stand.pin("v0.1.20")
    code, text = stand.run("sync", "--apply", "guard")
    assert code == 0, text
    config = stand.project / "syncbot.toml"
    config.write_text(config.read_text().replace('dashboard = "W', BUNDLE.partition("\n")[0] + '\ndashboard = "W'))
    stand.sync()
    assert [each["head"] for each in stand.proposals()] == ["syncbot/removal/guard", "syncbot/bundle/small"]
    assert files(stand, stand.tip("syncbot/bundle/small")) == ["mask.py", "pad.py"]


def test_what_was_refused_in_a_bundle_is_not_offered_again_with_the_next(make_stand):
    stand = make_stand("pull-request", extra=BUNDLE)
    add(stand, "mask")
    add(stand, "pad", pin="late")
    config = stand.project / "syncbot.toml"
    pin = config.read_text().partition("[pins.image]")[2].partition("[proposals]")[0].replace("Dockerfile", "Late")
    config.write_text(config.read_text().replace("[proposals]", f"[pins.late]{pin}[proposals]", 1))
    commit(stand.down, "main", {"docker/Late": 'ARG LIB="v0.1.19"\n'}, "Another image")
    stand.pin("v0.1.20")
    stand.sync()
    assert files(stand, stand.tip("syncbot/bundle/small")) == ["kernel.py", "mask.py", "test_kernel.py"]
    stand.close(1)
    assert "mask: remove. In bundle small. Declined" in stand.sync()
    commit(stand.down, "main", {"docker/Late": 'ARG LIB="v0.1.20"\n'}, "Another image moves on")
    stand.sync()
    assert files(stand, stand.tip("syncbot/bundle/small")) == ["pad.py"]
    assert "mask: remove. Refused with bundle small" in stand.sync()
    assert [each["state"] for each in stand.proposals()] == ["closed", "open"]
    stand.close(2)
    assert "Declined" in stand.sync()
    board = next(each["number"] for each in stand.issues() if "syncbot:begin dashboard" in each["body"])
    stand.comment(board, "/syncbot reopen small", repo=HOME)
    stand.sync()
    assert files(stand, stand.tip("syncbot/bundle/small")) == ["kernel.py", "mask.py", "pad.py", "test_kernel.py"]


def test_held_by_a_person_it_leaves_the_bundle(ready):
    ready.pin("v0.1.20")
    ready.sync()
    board = next(each["number"] for each in ready.issues() if "syncbot:begin dashboard" in each["body"])
    ready.comment(board, "/syncbot hold mask", repo=HOME)
    assert "mask: remove. Left alone" in ready.sync()
    assert "mask.py" not in files(ready, ready.tip("syncbot/bundle/small"))
    assert len(ready.proposals()) == 1


def test_a_bundle_costs_an_idle_run_nothing_more(ready):
    ready.pin("v0.1.20")
    ready.sync(twice=False)
    ready.sync(twice=False)
    before = len(ready.forge.requests)
    ready.quiet()
    asked = [each for each in ready.forge.requests[before:] if f"/repos/{DOWN}/pulls" in each.path]
    assert len(asked) == 1
