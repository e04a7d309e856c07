"""A checker of removals that shares nothing with the engine: regular expressions, pyflakes, git blame, git grep.

It is meant to be suspicious. What it names is a violation unless a person who reads it says otherwise.
"""

from __future__ import annotations

import ast
import difflib
import re
import warnings
from collections import Counter
from collections.abc import Iterable

from pyflakes import checker, messages

from syncbot.git.objects import Scratch
from syncbot.model.edit import EditResult

_DEFINED = re.compile(
    r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)|^(\w+)\s*(?::[^=]+)?=[^=]|^\s{4}(\w+)\s*(?::[^=]+)?\s=\s"
    r"|self\.(\w+)\s*(?::[^=]+)?=[^=]"
)
_WORD = re.compile(r"\w+|[^\w\s,]")
_IMPORT = re.compile(r"^\s*(from\s+\S+\s+import|import\s)")


def _escaped(line: str) -> str:
    """Return a line as an extended regular expression that means just it."""
    return re.sub(r"([\\.\[\]{}()*+?^$|])", r"\\\1", line)


def _said(line: str) -> str:
    return re.sub(r",(?=[)\]}]|$)", "", re.sub(r"\s+", "", line).replace("'", '"'))


def _diff(store: Scratch, old: str, new: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    out = store.git.text("diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-ext-diff", old, new)
    gone, come, path = [], [], ""
    for line in out.split("\n"):
        if line.startswith("diff --git "):
            path = line.rsplit(" b/", 1)[1]
        elif line.startswith("-") and not line.startswith("--- "):
            gone.append((path, line[1:]))
        elif line.startswith("+") and not line.startswith("+++ "):
            come.append((path, line[1:]))
    return gone, come


def _words(lines: Iterable[str]) -> list[str]:
    return _WORD.findall("\n".join(lines).replace("'", '"'))


def _only_wrapped(store: Scratch, old: str, new: str, own_in: list, own_out: list) -> set[tuple[str, str]]:
    """Lines of hunks where both sides say the same in the same order, but for words of the commit and its parent."""
    out = store.git.text("diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-ext-diff", old, new)
    goes, comes = (Counter(_words(line for _, line in lines)) for lines in (own_in, own_out))
    found, path = set(), ""
    for part in re.split(r"(?m)^(?=@@ |diff --git )", out):
        if part.startswith("diff --git "):
            path = part.split("\n", 1)[0].rsplit(" b/", 1)[1]
            continue
        sides = [[line[1:] for line in part.split("\n")[1:] if line.startswith(sign)] for sign in "-+"]
        left, right = map(_words, sides)
        gone, come, kept = Counter(), Counter(), 0
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if tag == "equal":
                kept += i2 - i1
            else:
                gone.update(left[i1:i2])
                come.update(right[j1:j2])
        if all(sides) and kept > 1 and not gone - goes and not come - comes:
            found |= {(path, line) for side in sides for line in side}
    return found


def _undefined(source: str) -> Counter[str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = checker.Checker(ast.parse(source)).messages
        except SyntaxError:
            return None
    kinds = (messages.UndefinedName, messages.UndefinedExport, messages.UndefinedLocal)
    return Counter(str(m.message_args[0]) for m in found if isinstance(m, kinds))


def _show(store: Scratch, tree: str, path: str) -> str | None:
    status, out = store.git.result("cat-file", "blob", f"{tree}:{path}", ok=(0, 128))
    return out.decode("utf-8", "replace") if status == 0 else None


def violations(store: Scratch, *, commit: str, head: str, result: EditResult) -> list[str]:
    """Return what is wrong with a removal of ``commit`` from ``head``."""
    tree = result.tree
    own_in, own_out = [], []
    own_out, own_in = _diff(store, commit + "^", commit)
    gone, come = _diff(store, head, tree)
    return [
        *_names(store, head, tree, sorted({path for path, _ in gone + come})),
        *_foreign(own_in, own_out, gone, come, _only_wrapped(store, head, tree, own_in, own_out)),
        *_left(store, commit, head, tree, own_in, own_out, result),
        *_moved(store, commit, tree, own_in, own_out, gone),
        *_elsewhere(store, commit, tree, gone, come),
    ]


def _names(store: Scratch, head: str, tree: str, paths: list[str]) -> list[str]:
    found = []
    for path in paths:
        after = _show(store, tree, path)
        if after is None or not path.endswith(".py"):
            continue
        new, old = _undefined(after), _undefined(_show(store, head, path) or "")
        if new is None:
            if old is not None:
                found.append(f"syntax: {path}")
        elif set(new) - set(old or ()):
            found.append(f"undefined: {path}: {sorted(set(new) - set(old or ()))}")
    return found


def _foreign(own_in: list, own_out: list, gone: list, come: list, wrapped: set[tuple[str, str]]) -> list[str]:
    may_go, may_come = Counter(_said(line) for _, line in own_in), Counter(_said(line) for _, line in own_out)
    run_go, run_come = ("".join(_said(line) for _, line in lines).replace(",", "") for lines in (own_in, own_out))
    gone_said, come_said = Counter(_said(line) for _, line in gone), Counter(_said(line) for _, line in come)
    found = []
    for side, lines, may, run, other in (
        ("goes", gone, may_go, run_go, come_said),
        ("comes", come, may_come, run_come, gone_said),
    ):
        left = may.copy()
        for path, line in lines:
            said = _said(line)
            if len(said) < 3 or _IMPORT.match(line) or re.fullmatch(r"\w+,?(as\w+,?)?", said):
                continue
            if left[said] > 0:
                left[said] -= 1
            elif said.replace(",", "") not in run and not other[said] and (path, line) not in wrapped:
                found.append(f"foreign line {side}: {path}: {line.strip()[:80]}")
    return found


def _left(
    store: Scratch, commit: str, head: str, tree: str, own_in: list, own_out: list, result: EditResult
) -> list[str]:
    """Lines that blame gives to the commit at the head, and that are still in the result.

    What its parent said too, in a line or wrapped otherwise, is not the commit's.
    """
    found = []
    brought = {_said(line) for _, line in own_in}
    back = "".join(_said(line) for _, line in own_out)
    kept = " ".join(repair.detail for repair in result.repairs)
    for path in sorted({path for path, _ in own_in}):
        status, out = store.git.result("blame", "-s", "-l", f"{commit}^..{head}", "--", path, ok=(0, 128))
        if status:
            continue
        mine = Counter()
        for row in out.decode("utf-8", "replace").split("\n"):
            match = re.match(r"^([0-9a-f]{40})\s+\d+\) (.*)$", row)
            if match and match[1] == commit and not _IMPORT.match(match[2]):
                mine[_said(match[2])] += 1
        after = Counter(_said(line) for line in (_show(store, tree, path) or "").split("\n"))
        before = Counter(_said(line) for line in (_show(store, head, path) or "").split("\n"))
        for said, count in mine.items():
            if len(said) < 12 or said not in brought or said in back:
                continue
            if after[said] > before[said] - count and not any(part in kept for part in re.findall(r"\w{4,}", said)):
                found.append(f"left behind: {path}: {said[:80]}")
    return found


def _moved(store: Scratch, commit: str, tree: str, own_in: list, own_out: list, gone: list) -> list[str]:
    """Long lines of the commit that are in the result, in any file, and were nowhere before the commit.

    Where the removal took each of them from its own file, what says the same elsewhere is other people's.
    """
    wrote, taken = Counter(line.strip() for _, line in own_in), Counter(line.strip() for _, line in gone)
    back = {_said(line) for _, line in own_out}
    long = sorted({line.strip() for _, line in own_in if len(_said(line)) >= 20 and not _IMPORT.match(line)}, key=len)[
        -25:
    ]
    long = [line for line in long if _said(line) not in back and taken[line] < wrote[line]]
    if not long:
        return []
    words = "|".join(map(_escaped, long))

    def count(where: str) -> Counter[str]:
        _, out = store.git.with_env(GIT_LITERAL_PATHSPECS="0").result(
            "grep", "-h", "-I", "-E", "-e", words, where, "--", "*.py", ok=(0, 1, 2, 128)
        )
        return Counter(line.strip() for line in out.decode("utf-8", "replace").split("\n"))

    now, then = count(tree), count(commit + "^")
    still = [line for line in long if then[line] == 0 and 0 < now[line] <= 2]
    return [f"still somewhere: {line[:80]}" for line in still] if len(still) > 1 or len(long) == 1 else []


def _elsewhere(store: Scratch, commit: str, tree: str, gone: list, come: list) -> list[str]:
    """Names that the removed lines defined, that nothing else defines, and that are still mentioned.

    What was read as an attribute before the commit already (``torch.exp2``) is somebody else's name.
    """
    names = {name for _, line in gone for match in [_DEFINED.match(line)] if match for name in match.groups() if name}
    names -= {name for _, line in come for name in re.findall(r"\w+", line)}
    names = {name for name in names if len(name) > 3}
    if not names:
        return []
    words = "|".join(sorted(names))

    def lines(where: str) -> list[tuple[str, str]]:
        _, out = store.git.with_env(GIT_LITERAL_PATHSPECS="0").result(
            "grep", "-z", "-w", "-I", "-E", "-e", words, where, "--", "*.py", ok=(0, 1, 2, 128)
        )
        rows = [row.partition("\0") for row in out.decode("utf-8", "replace").split("\n")]
        return [(path.partition(":")[2], text) for path, _, text in rows]

    before = "\n".join(text for _, text in lines(commit + "^"))
    names = {name for name in names if not re.search(rf"\.{name}\b", before)}
    uses: dict[str, list[str]] = {}
    defined: set[str] = set()
    for path, text in lines(tree):
        for name in names & set(re.findall(r"\w+", text)):
            shape = (
                rf"(def|class)\s+{name}\b|\b{name}\s*(:[^=]+)?=[^=]|\b{name}\s*:|\bas\s+{name}\b|for .*\b{name}\b.* in"
                rf"|[(,]\s*{name}\s*[,)=]|^\s*{name},?$|import .*\b{name}\b"
            )
            if re.search(shape, text) and f".{name}" not in text:
                defined.add(name)
            elif re.search(rf"\.{name}\b|import .*\b{name}\b", text):
                uses.setdefault(name, []).append(f"{path}: {text.strip()}"[:120])
    return [f"used elsewhere: {name}: {rows[0]}" for name, rows in uses.items() if name not in defined]
