"""How often the edit engine is right, over real history, beside plain ``git merge-tree`` in the same run.

    python benchmarks/edit_accuracy.py --clones FOLDER [--parts abd] [--size N] [--seed N] [--ages 45,180]
        [--window DAYS] [--json FILE]

FOLDER holds clones as ``OWNER+NAME/repo`` (or ``OWNER+NAME``). Nothing in them is written. The parts:

a  every ``Revert`` commit whose original is named: the engine's tree against the person's;
b  small commits taken out of a head some days later: answered, conflict, and violations by a checker of its own,
   which knows nothing of the engine's rules (regular expressions, ``git blame``, ``git grep``);
c  taking out and putting on again must give the tree back (over the answers of b);
d  release-branch picks: the change put on the pick's parent, against what the person committed.

Another ``--seed`` is another sample. Exit status 1 if part b found a violation.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from violations import violations

from syncbot.edit.engine import edit
from syncbot.git.objects import Scratch
from syncbot.model.edit import Direction, EditResult, Method, Outcome

REPOS = ("ROCm+aiter", "shen-shanshan+vllm", "flashinfer-ai+flashinfer")
_DAY = 86400


def git(repo: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(repo), *args], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


@dataclass
class Tally:
    """What one row of the table counts."""

    cases: int = 0
    plain: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    rows: list[dict[str, object]] = field(default_factory=list)


def plain_tree(store: Scratch, *, base: str, ours: str, theirs: str) -> str | None:
    """Return the tree of a plain three-way merge of whole trees, None where it conflicts or dies."""
    root = store.commit(store.git.text("rev-parse", base + "^{tree}"), (), "base")
    left = store.commit(store.git.text("rev-parse", ours + "^{tree}"), (root,), "ours")
    right = store.commit(store.git.text("rev-parse", theirs + "^{tree}"), (root,), "theirs")
    status, out = store.git.result(
        "merge-tree", "--write-tree", "--no-messages", "--name-only", left, right, ok=(0, 1, 128)
    )
    return out.decode().split("\n")[0] if status == 0 else None


def reverts(repo: Path) -> list[tuple[str, str]]:
    """Return pairs of a revert and what it reverts, where the original can be named and is older."""
    log = git(repo, "log", "--no-merges", "--format=%H%x00%s%x00%b%x01", "HEAD")
    subjects: dict[str, str] = {}
    numbers: dict[str, str] = {}
    commits = []
    for record in reversed(log.split("\x01")):
        parts = record.strip("\n").split("\0")
        if len(parts) != 3:
            continue
        commit, subject, body = parts
        commits.append((commit, subject, body))
        plain = re.sub(r"\s*\(#\d+\)\s*$", "", subject)
        subjects[plain] = commit
        subjects[subject] = commit
        if number := re.search(r"\(#(\d+)\)\s*$", subject):
            numbers[number[1]] = commit
    order = {commit: number for number, (commit, _, _) in enumerate(commits)}
    pairs = []
    for commit, subject, body in commits:
        match = re.match(r'^(?:\[[^\]]*\]\s*)*Revert\s+"?(.*?)"?\s*(?:\(#\d+\))?\s*$', subject)
        if not match:
            continue
        original = None
        if told := re.search(r"This reverts commit ([0-9a-f]{7,40})", body):
            original = git(repo, "rev-parse", "--verify", "-q", told[1] + "^{commit}").strip() or None
            if original not in order:
                original = None
        inner = match[1]
        if original is None and (named := re.findall(r"#(\d+)", inner)):
            # The last is the commit's own; one before it is what its title speaks of (`Revert #1 (#2)`).
            original = numbers.get(named[-1])
        if original is None:
            original = subjects.get(inner) or subjects.get(re.sub(r"\s*\(#\d+\)\s*$", "", inner))
        if original and order[original] < order[commit]:
            pairs.append((commit, original))
    return pairs


def part_a(repo: Path, size: int, rng: random.Random) -> Tally:
    tally = Tally()
    pairs = reverts(repo)
    pairs = pairs if len(pairs) <= size else sorted(rng.sample(pairs, size))
    for revert, original in pairs:
        with Scratch(repo) as store:
            person = store.git.text("rev-parse", revert + "^{tree}")
            plain = plain_tree(store, base=original, ours=revert + "^", theirs=original + "^")
            result = edit(store, direction=Direction.REMOVE, commit=original, onto=revert + "^")
        tally.cases += 1
        step(repo.parent.name, tally)
        tally.plain += plain == person
        exact = result.outcome.answered and result.tree == person
        key = "exact" if exact else "differs" if result.outcome.answered else str(result.outcome)
        tally.counts[key] += 1
        tally.counts["plain-conflict"] += plain is None
        tally.counts["plain-conflict-answered"] += plain is None and result.outcome.answered
        tally.counts["plain-conflict-exact"] += plain is None and exact
        if not exact or plain != person:
            tally.rows.append(
                {
                    "revert": revert, "original": original, "engine": key, "outcome": result.outcome,
                    "method": result.method, "plain": said_plain(plain, person), "why": why(result),
                }
            )  # fmt: skip
    return tally


def said_plain(plain: str | None, person: str) -> str:
    return "exact" if plain == person else "conflict" if plain is None else "differs"


def why(result: EditResult) -> str:
    told = [f"{p.kind}: {p.path}:{p.line}: {p.detail}" for p in result.problems]
    told += [f"{c.path}:{c.line}: {c.reason}" for c in result.conflicts]
    return " | ".join(told[:3])


def small_commits(repo: Path, *, age: int, window: int) -> list[tuple[str, str]]:
    """Return small Python commits of the main line with the head as it was ``age`` days later.

    Only commits whose later head lies in the last ``window`` days: how a project is worked on changes over the years.
    """
    log = git(repo, "log", "--first-parent", "--no-merges", "--no-renames", "--raw", "--format=%x01%H %ct", "HEAD")
    line, found = [], []
    for record in log.split("\x01")[1:]:
        head, *raws = [part for part in record.split("\n") if part]
        commit, stamp = head.split()
        line.append((int(stamp), commit))
        paths = [raw.split("\t", 1)[1] for raw in raws if raw.startswith(":")]
        if 1 <= len(paths) <= 3 and all(path.endswith(".py") for path in paths):
            found.append((int(stamp), commit))
    newest = max(stamp for stamp, _ in line)
    result = []
    ordered = sorted(line)
    for stamp, commit in sorted(found):
        until = stamp + age * _DAY
        if until <= newest and stamp >= newest - (window + age) * _DAY:
            result.append((commit, until))
    import bisect

    stamps = [stamp for stamp, _ in ordered]
    return [(commit, ordered[bisect.bisect_right(stamps, until) - 1][1]) for commit, until in result]


def is_small(repo: Path, commit: str) -> bool:
    added = 0
    for row in git(repo, "show", "--numstat", "--no-renames", "--format=", commit).splitlines():
        added += int(row.split("\t")[0]) if row.split("\t")[0].isdigit() else 99
    return 0 < added <= 80


def part_b(repo: Path, size: int, rng: random.Random, age: int, window: int) -> Tally:
    tally = Tally()
    pool = small_commits(repo, age=age, window=window)
    rng.shuffle(pool)
    for commit, head in pool:
        if tally.cases >= size:
            break
        if not is_small(repo, commit):
            continue
        tally.cases += 1
        step(f"{repo.parent.name} {age} days", tally)
        with Scratch(repo) as store:
            plain = plain_tree(store, base=commit, ours=head, theirs=commit + "^")
            tally.plain += plain is not None
            start = time.perf_counter()
            result = edit(store, direction=Direction.REMOVE, commit=commit, onto=head)
            took = time.perf_counter() - start
            tally.counts[str(result.outcome)] += 1
            row: dict[str, object] = {
                "commit": commit, "head": head, "age": age, "outcome": result.outcome, "method": result.method,
                "plain": plain is not None, "why": why(result), "seconds": round(took, 3),
            }  # fmt: skip
            if result.outcome.answered:
                tally.counts["answered"] += 1
                tally.counts["by-" + result.method] += 1
                broken = violations(store, commit=commit, head=head, result=result)
                row["violations"] = broken
                tally.counts["violations"] += bool(broken)
                base = store.commit(result.tree, (head,), "without")
                again = edit(store, direction=Direction.REBASE, commit=commit, onto=base)
                back = again.outcome.answered and again.tree == store.git.text("rev-parse", head + "^{tree}")
                row["back"] = back
                row["back-why"] = "" if back else f"{again.outcome} {why(again)}"
                kind = "three-way" if result.method is Method.THREE_WAY else "guided"
                tally.counts[f"{kind}-back"] += back
            elif plain is not None:
                tally.counts["plain-refused"] += 1
            elif result.outcome is Outcome.CONFLICT:
                tally.counts["both-conflict"] += 1
            tally.rows.append(row)
    return tally


def picks(repo: Path) -> list[tuple[str, str]]:
    """Return commits off the main line with the commit they say they were picked from."""
    log = git(
        repo,
        "log",
        "--all",
        "--no-merges",
        "--format=%H%x00%b%x01",
        "--not",
        "HEAD",
        "--grep=cherry picked from commit",
    )
    pairs = []
    for record in log.split("\x01"):
        commit, _, body = record.strip("\n").partition("\0")
        sources = re.findall(r"cherry picked from commit ([0-9a-f]{40})", body)[-1:]
        pairs += [(commit, one) for one in sources if git(repo, "cat-file", "-t", one).strip() == "commit"]
    return pairs


def part_d(repo: Path, size: int, rng: random.Random) -> Tally:
    tally = Tally()
    pairs = picks(repo)
    pairs = pairs if len(pairs) <= size else sorted(rng.sample(pairs, size))
    for pick, source in pairs:
        with Scratch(repo) as store:
            parents = store.parents(pick)
            if len(parents) != 1 or len(store.parents(source)) != 1:
                continue
            person = store.git.text("rev-parse", pick + "^{tree}")
            plain = plain_tree(store, base=source + "^", ours=pick + "^", theirs=source)
            result = edit(store, direction=Direction.REBASE, commit=source, onto=pick + "^")
        tally.cases += 1
        step(repo.parent.name, tally)
        tally.plain += plain == person
        exact = result.outcome.answered and result.tree == person
        key = "exact" if exact else "differs" if result.outcome.answered else str(result.outcome)
        tally.counts[key] += 1
        tally.counts["plain-conflict"] += plain is None
        if not exact or plain != person:
            tally.rows.append(
                {
                    "pick": pick, "source": source, "engine": key, "outcome": result.outcome,
                    "method": result.method, "plain": said_plain(plain, person), "why": why(result),
                }
            )  # fmt: skip
    return tally


def step(title: str, tally: Tally) -> None:
    """Say how far it is, on standard error, every 25 cases."""
    if tally.cases % 25 == 0:
        print(f"  {title} {tally.cases}: plain {tally.plain}, {dict(tally.counts)}", file=sys.stderr, flush=True)


def show(title: str, tally: Tally) -> None:
    counts = "  ".join(f"{name} {count}" for name, count in sorted(tally.counts.items()))
    print(f"{title}: {tally.cases} cases, plain git {tally.plain}; {counts}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--repos", default=",".join(REPOS))
    parser.add_argument("--parts", default="abd")
    parser.add_argument("--size", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ages", default="45,180")
    parser.add_argument("--window", type=int, default=365)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    everything: dict[str, object] = {"seed": options.seed, "size": options.size}
    bad = 0
    for name in options.repos.split(","):
        repo = options.clones / name / "repo"
        repo = repo if repo.is_dir() else options.clones / name
        if not repo.is_dir():
            print(f"{name}: no clone here, left out", file=sys.stderr)
            continue
        parts: list[tuple[str, Tally]] = []
        for part in options.parts:
            rng = random.Random(f"{options.seed}-{name}-{part}")
            if part == "a":
                parts.append(("a", part_a(repo, options.size, rng)))
            elif part == "d":
                parts.append(("d", part_d(repo, options.size, rng)))
            elif part == "b":
                ages = map(int, options.ages.split(","))
                parts += [(f"b {age} days", part_b(repo, options.size, rng, age, options.window)) for age in ages]
        for title, tally in parts:
            show(f"{name} {title}", tally)
            everything[f"{name} {title}"] = {
                "cases": tally.cases, "plain": tally.plain, "counts": dict(tally.counts), "rows": tally.rows
            }  # fmt: skip
            bad += tally.counts["violations"]
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1), encoding="utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
