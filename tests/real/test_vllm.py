"""vLLM's workarounds for AITER, with this repository's own configuration and manifests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from fixtures.stage import fingerprint

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
BUMPED = "3333d7cb63"  # vLLM's commit that moved the pin from v0.1.16.post5 to v0.1.19
NEWEST = "b01728b08"


@cache
def syncbot(clones: Path, *words: str, status: tuple[int, ...] = (0,)):
    repos = ["--repo", f"aiter={clones / 'ROCm+aiter' / 'repo'}"]
    if words[0] == "status":
        if not (clones / "shen-shanshan+vllm" / "repo").is_dir():
            pytest.skip("SYNCBOT_CLONES holds no shen-shanshan+vllm/repo")
        repos += ["--repo", f"vllm={clones / 'shen-shanshan+vllm' / 'repo'}"]
    command = [sys.executable, "-m", "syncbot", *words, "--config", str(ROOT), *repos, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in status, done.stderr
    return json.loads(done.stdout)


def brief(document) -> dict[str, tuple[str, str, str]]:
    return {each["id"]: (each["stage"], each["fit"], each["decision"]) for each in document["workarounds"]}


def test_today(clones):
    document = syncbot(clones, "status", "--at", NEWEST)
    assert brief(document) == {
        "vllm-44679": ("ready", "present", "review"),
        "vllm-45681": ("ready", "present", "remove"),
        "vllm-46065": ("ready", "present", "remove"),
        "vllm-46122": ("unlinked", "present", "keep"),
        "vllm-49714": ("released", "present", "keep"),
        "vllm-50859": ("released", "present", "keep"),
    }
    model = next(each for each in document["workarounds"] if each["id"] == "vllm-49714")
    assert model["first_release"]["by_date"] == "v0.1.20"
    gating = [pin for pin in model["pins"] if pin["gating"]]
    assert [(pin["ref"], pin["verdict"]) for pin in gating] == [("v0.1.19", "absent")]
    assert [(fix["pull"], fix["cures"], fix["counts"]) for fix in model["fixes"]] == [
        (3466, "refuted", False),
        (4427, "abandoned", False),
        (4774, "verified", True),
    ]


def test_before_the_pin_moved(clones):
    # gfx1250's Dockerfile came later, so its pin has no place there yet and the exit says so.
    document = syncbot(clones, "status", "--at", f"{BUMPED}~1", status=(0, 2))
    pins = {pin["ref"] for each in document["workarounds"] for pin in each["pins"] if pin["gating"]}
    assert pins == {"v0.1.16.post5"}
    assert brief(document)["vllm-49714"] == ("released", "present", "keep")
    assert brief(document)["vllm-45681"] == ("ready", "present", "remove")


def test_what_was_known_on_a_day(clones):
    found = brief(syncbot(clones, "status", "--as-of", "2026-08-01"))
    assert found["vllm-49714"] == ("waiting", "present", "keep")
    assert found["vllm-45681"][0] == "ready"


def test_every_move_of_the_pin(clones):
    moves = [each for each in syncbot(clones, "status", "--pin-history")["moves"] if each["pin"] == "rocm_base"]
    counted = Counter(each["move"] for each in moves)
    assert counted == {"first": 1, "forward": 13, "backward": 2, "diverged": 5, "unrelated": 3}
    back = next(each for each in moves if (each["old"], each["new"]) == ("v0.1.12", "v0.1.10.post3"))
    assert back["move"] == "unrelated"
    assert (moves[-1]["old"], moves[-1]["new"], moves[-1]["lost"]) == ("v0.1.16.post5", "v0.1.19", 17)


def test_the_review_of_the_last_move(clones):
    document = syncbot(clones, "bump", "v0.1.16.post5", "v0.1.19")
    assert len(document["dropped_changes"]) == 17
    assert (document["freed"], document["lost"]) == ([], [])
    assert {each["id"] for each in document["unchanged"]} == {
        "vllm-44679", "vllm-45681", "vllm-46065", "vllm-49714", "vllm-50859"
    }  # fmt: skip
    later = syncbot(clones, "bump", "v0.1.19", "v0.1.20")
    assert {each["id"] for each in later["freed"]} == {"vllm-49714", "vllm-50859"}


def test_nothing_is_written(clones):
    folders = [clones / "ROCm+aiter" / "repo", clones / "shen-shanshan+vllm" / "repo"]

    def sizes() -> list[dict[str, int]]:
        # Not their times: whoever else works on these clones may touch a pack.
        return [{name: size for name, (size, *_) in fingerprint(each).items()} for each in folders if each.is_dir()]

    before = sizes()
    syncbot(clones, "status", "vllm-49714")
    assert sizes() == before
