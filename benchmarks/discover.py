"""How fast the code of a downstream is read, and how many known workarounds are found in it.

    python benchmarks/discover.py speed PATH REF --upstream owner/name...
    python benchmarks/discover.py recall PATH REF LIFECYCLES.json

``speed`` scans one tree with an empty cache, then again, beside one ``git grep`` with the same expression; wall and
processor seconds, and the peak of memory. ``recall`` travels to the commit before each removal and asks whether the
remark is found there (``shown``, ``vague`` with --all only, ``none``), and follows each life from its first commit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

from syncbot.cache import Cache
from syncbot.discover.life import life_of
from syncbot.discover.phrases import TRIGGERS
from syncbot.discover.references import Names, Reader, spoken_names
from syncbot.discover.scan import scan
from syncbot.git.clone import Clone, open_clone
from syncbot.git.history import resolve
from syncbot.model.discover import Certainty
from syncbot.model.errors import UnknownObjectError


def names_of(clone: Clone, slugs: list[str]) -> Names:
    words: dict[str, str] = {}
    for slug in slugs:
        words |= spoken_names(slug.rpartition("/")[2].partition(" ")[0].lower(), [slug] if " " not in slug else [])
    return Names(words, frozenset({each.lower() for each in (clone.slug, "vllm-project/vllm") if each}))


def speed(clone: Clone, ref: str, slugs: list[str]) -> None:
    git, names = clone.git(), names_of(clone, slugs)
    commit = resolve(git, ref)

    def timed(label: str, work: object) -> None:
        before, start = os.times(), time.perf_counter()
        answer = work()  # type: ignore[operator]
        wall, after = time.perf_counter() - start, os.times()
        cpu = sum(after[:4]) - sum(before[:4])
        print(f"{label:12} wall {wall:6.2f} s, processor {cpu:6.2f} s{answer}")

    with tempfile.TemporaryDirectory() as folder:

        def grep() -> str:
            git.attempt("grep", "-n", "-I", "-E", "-e", TRIGGERS, commit)
            return ""

        def read() -> str:
            with Cache(Path(folder) / "facts.sqlite") as cache:
                found = scan(git, commit, names, cache=cache)
            return f", {found.files} files, {len(found.places)} remarks, skipped {found.skipped}"

        timed("git grep", grep)
        timed("cold", read)
        timed("warm", read)
    own, git_own = (resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"peak memory {own} MiB, of its largest git process {git_own} MiB")


def recall(clone: Clone, ref: str, path: Path) -> None:
    git = clone.git()
    head = resolve(git, ref)
    counts: Counter[str] = Counter()
    for entry in json.loads(path.read_text(encoding="utf-8"))["lifecycles"]:
        names = names_of(clone, [entry["upstream"]])
        try:
            added = resolve(git, entry["add"]["commit"])
        except UnknownObjectError:
            print(f"{entry['id']:22} its first commit is not in the clone")
            continue
        life = life_of(git, added, head, Reader(names))
        removal = (entry["removal"] or {}).get("commit")
        ends = {turn.origin.commit for turn in life.turns}
        gone = "none" if removal is None else "not in the clone"
        then = head
        try:
            if removal is not None:
                then = resolve(git, f"{removal}^")
                gone = "found" if resolve(git, removal) in ends else "MISSED"
        except UnknownObjectError:
            pass
        told = {place.remark.marker for place in life.places} | {text for _, text in life.markers}
        there = [
            place
            for place in scan(git, then, names, paths=sorted({*life.files, *life.now})).places
            if place.remark.marker in told or any(text in (place.remark.guard.statement or "") for text in told)
        ]
        sure = [place for place in there if place.remark.certainty is not Certainty.LOW]
        word = "shown" if sure else "vague" if there else "none"
        counts[word] += 1
        counts[f"removal {gone}"] += 1
        named = ", ".join(each.label for each in life.references) or "-"
        print(f"{entry['id']:22} {word:6} removal {gone:16} files {len(life.files):2}  names {named}")
    print(dict(counts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "recall"))
    parser.add_argument("path", type=Path)
    parser.add_argument("ref")
    parser.add_argument("lifecycles", type=Path, nargs="?")
    parser.add_argument("--upstream", action="append", default=[])
    asked = parser.parse_args()
    clone = open_clone(asked.path)
    if asked.what == "speed":
        speed(clone, asked.ref, asked.upstream)
    else:
        recall(clone, asked.ref, asked.lifecycles)


if __name__ == "__main__":
    main()
