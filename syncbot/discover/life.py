"""The whole life of a workaround, from the commit that brought it: what it added, where that went, when it ended.

The lines that are followed are those its remarks stand over, as far as the commit added them; without a remark, every
telling line it added. Each later commit that touches their files is asked how many are left. Lines that vanish from
one file and turn up in another file of the same commit have moved, and are followed there. A lost comment does not end
a workaround whose code is still there, and a comment that stays behind does not keep one alive.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from syncbot.discover.findings import new_places
from syncbot.discover.origin import pull_of
from syncbot.discover.references import Reader
from syncbot.discover.remarks import remarks
from syncbot.discover.scan import is_code
from syncbot.git.blobs import read_blobs
from syncbot.git.run import Git, GitError
from syncbot.model.discover import Certainty, Life, Origin, Place, Reference, Turn
from syncbot.model.errors import UnknownObjectError

_GONE = 0.15
_MOST_LINES = 400
_MOST_MARKERS = 6
_NAME = re.compile(r"[A-Za-z_]\w{4,}")
_TELLING = re.compile(r"[A-Za-z_]{3}")
_NULL = re.compile(r"^0+$")
_Texts = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class _Step:
    commit: str
    time: int
    title: str
    files: dict[str, str]
    """Blob ids of the files it changed, by path; "" for one it took away."""


def life_of(git: Git, commit: str, head: str, reader: Reader) -> Life:
    """Follow what ``commit`` added up to ``head``. Raises `UnknownObjectError` where the commit cannot be read."""
    step = _one(git, commit)
    texts_new = _texts(git, {path: oid for path, oid in step.files.items() if is_code(path)})
    texts_old = _before(git, commit, texts_new)
    added = {path: _added(lines, texts_old.get(path, [])) for path, lines in texts_new.items()}
    places = _places(texts_new, texts_old, reader)
    followed, markers = _followed(places, added, texts_old)
    references = tuple(dict.fromkeys(each for place in places for each in place.remark.references))
    message = git.text("show", "-s", "--format=%B", commit)
    turns, kept, now = _follow(git, commit, head, followed)
    return Life(
        introduced=_origin(step),
        files=tuple(sorted(texts_new)),
        places=tuple(places),
        references=references or _named_in(message, reader),
        markers=markers,
        kept=kept,
        turns=tuple(turns),
        now=now,
    )


def _named_in(message: str, reader: Reader) -> tuple[Reference, ...]:
    return reader.references(" ".join(message.split()))


def _origin(step: _Step) -> Origin:
    date = dt.datetime.fromtimestamp(step.time, dt.UTC)
    return Origin(commit=step.commit, date=date, title=step.title, pull=pull_of(step.title))


# -- what the commit added ---------------------------------------------------------------------------------------------


def _one(git: Git, commit: str) -> _Step:
    try:
        steps = _steps(git, "-1", commit)
    except GitError as error:
        raise UnknownObjectError(f"commit {commit[:12]} cannot be read in this clone: {error.stderr}") from error
    return steps[0]


def _steps(git: Git, *args: str) -> list[_Step]:
    """Commits with the files they changed, in the order git gives them."""
    found: list[_Step] = []
    records = git.with_env(GIT_LITERAL_PATHSPECS="1").records(
        "log",
        "-z",
        "--raw",
        "-r",
        "--no-renames",
        "--no-abbrev",
        "--diff-merges=first-parent",
        "--root",
        "--format=%x01%H%x1f%ct%x1f%s",
        *args,
    )
    for record in records:
        token = record.lstrip(b"\n")
        if token[:1] == b"\x01":
            oid, time, title = token[1:].decode("utf-8", "replace").split("\x1f", 2)
            found.append(_Step(oid, int(time), title, {}))
        elif token[:1] == b":":
            words = token.split(b" ")
            path = next(records).decode("utf-8", "surrogateescape")
            oid = words[3].decode()
            if words[1] not in (b"160000", b"120000"):
                found[-1].files[path] = "" if _NULL.match(oid) else oid
    return found


def _texts(git: Git, blobs: Mapping[str, str]) -> dict[str, list[str]]:
    contents = read_blobs(git, (oid for oid in blobs.values() if oid))
    found: dict[str, list[str]] = {}
    for path, oid in blobs.items():
        raw = contents.get(oid)
        if raw is not None and b"\0" not in raw[:8000]:
            found[path] = raw.decode("utf-8", "replace").splitlines()
    return found


def _before(git: Git, commit: str, paths: Iterable[str]) -> dict[str, list[str]]:
    return {
        path.partition(":")[2]: raw.decode("utf-8", "replace").splitlines()
        for path, raw in read_blobs(git, (f"{commit}^:{path}" for path in paths)).items()
        if raw is not None
    }


def _added(now: Sequence[str], before: Sequence[str]) -> set[str]:
    had = {line.strip() for line in before}
    return {text for line in now if (text := line.strip()) not in had and _TELLING.search(text)}


def _places(now: _Texts, before: _Texts, reader: Reader) -> list[Place]:
    """The remarks the commit brought: the sure ones, or, where there is none, whatever else speaks of a workaround."""

    def read(texts: _Texts) -> list[Place]:
        return [
            Place(path=path, blob="", remark=remark)
            for path, lines in texts.items()
            for remark in remarks(path, "\n".join(lines), reader)
        ]

    here, there = read(now), read(before)
    fresh = new_places(here, there)
    sure = [place for place in fresh if place.remark.certainty is not Certainty.LOW]
    had = {(place.path, place.remark.text) for place in there}
    # A commit that rewrites a workaround may carry its remark along from another file.
    carried = [
        place
        for place in here
        if place.remark.certainty is Certainty.HIGH and (place.path, place.remark.text) not in had
    ]
    return sure or carried or fresh


def _followed(
    places: Sequence[Place], added: Mapping[str, set[str]], before: _Texts
) -> tuple[dict[str, set[str]], tuple[tuple[str, str], ...]]:
    """The lines to follow, by path, and the few that tell best."""
    lines: dict[str, set[str]] = {}
    markers: list[tuple[str, str]] = []
    for place in places:
        remark = place.remark
        near = _near(place, added.get(place.path, set()))
        near |= _using(near, added.get(place.path, set()), before.get(place.path, ()))
        lines.setdefault(place.path, set()).update(near | {remark.marker})
        markers.append((place.path, remark.marker))
        if remark.guard.statement and (first := remark.guard.statement.split("\n")[0].strip()) in near:
            markers.append((place.path, first))
    if not lines:
        for path, texts in added.items():
            lines[path] = set(sorted(texts)[:_MOST_LINES])
            markers += [(path, text) for text in _tellers(texts)]
    return lines, tuple(dict.fromkeys(markers))[:_MOST_MARKERS] if not places else tuple(dict.fromkeys(markers))


def _near(place: Place, added: set[str]) -> set[str]:
    statement = place.remark.guard.statement
    if statement is None:
        return set()
    return {text for line in statement.split("\n") if (text := line.strip()) in added}


def _using(near: set[str], added: set[str], before: Iterable[str]) -> set[str]:
    """The lines the commit added to the same file that use a name which the guarded code brought."""
    words = {word for text in near for word in _NAME.findall(text)}
    new = words - {word for line in before for word in _NAME.findall(line)} if words else set()
    found = sorted(text for text in added if not new.isdisjoint(_NAME.findall(text)))
    return set(found[:_MOST_LINES])


def _tellers(texts: set[str]) -> list[str]:
    """Up to two lines of a file that are least like any other: long, with calls or assignments, no imports."""
    code = [text for text in texts if not text.startswith(("#", "//", "import ", "from ", '"""'))]
    return sorted(code, key=lambda text: (-len(set(re.findall(r"\w+", text))), text))[:2]


# -- what became of it -------------------------------------------------------------------------------------------------


def _follow(
    git: Git, commit: str, head: str, lines: Mapping[str, set[str]]
) -> tuple[list[Turn], float, tuple[str, ...]]:
    """Every change of the share of lines that are left, the share at the head, and the files that hold them."""
    wanted = Counter(text for texts in lines.values() for text in texts)
    total = sum(wanted.values())
    if not total:
        return [], 0.0, ()
    watched = set(lines)
    while True:
        steps = _steps(git, "--reverse", f"{commit}..{head}", "--", *sorted(watched))
        turns, here, moved = _walk(git, commit, steps, wanted, watched)
        if not moved or moved <= watched:
            break
        watched |= moved
    kept = turns[-1].kept if turns else 1.0
    return turns, kept, here


def _walk(
    git: Git, commit: str, steps: Sequence[_Step], wanted: Counter[str], watched: set[str]
) -> tuple[list[Turn], tuple[str, ...], set[str]]:
    holders = {path: _share(lines, wanted) for path, lines in _at(git, commit, watched).items()}
    blobs = _texts_by_oid(git, steps)
    turns: list[Turn] = []
    share = 1.0
    start = sum(_together(holders, wanted).values()) or 1
    for step in steps:
        for path, oid in step.files.items():
            if path in watched:
                holders[path] = _share(blobs[oid], wanted) if oid in blobs else Counter()
        left = sum(_together(holders, wanted).values()) / start
        if left < share - 0.3 and (moved := _moved_to(git, step, wanted, _together(holders, wanted), watched)):
            return turns, (), moved
        left = 0.0 if left < _GONE else min(1.0, left)
        if abs(left - share) > 0.05 or (left == 0) != (share == 0):
            turns.append(Turn(origin=_origin(step), kept=round(left, 2)))
            share = left
    return turns, tuple(sorted(path for path, count in holders.items() if count)), set()


def _together(holders: Mapping[str, Counter[str]], wanted: Counter[str]) -> Counter[str]:
    total: Counter[str] = Counter()
    for count in holders.values():
        total += count
    return total & wanted


def _share(lines: Iterable[str], wanted: Counter[str]) -> Counter[str]:
    return Counter(text for line in lines if (text := line.strip()) in wanted)


def _at(git: Git, commit: str, paths: Iterable[str]) -> dict[str, list[str]]:
    return {
        name.partition(":")[2]: raw.decode("utf-8", "replace").splitlines()
        for name, raw in read_blobs(git, (f"{commit}:{path}" for path in sorted(paths))).items()
        if raw is not None
    }


def _texts_by_oid(git: Git, steps: Sequence[_Step]) -> dict[str, list[str]]:
    oids = {oid: oid for step in steps for oid in step.files.values() if oid}
    return _texts(git, oids)


def _moved_to(git: Git, step: _Step, wanted: Counter[str], left: Counter[str], watched: set[str]) -> set[str]:
    """Other files of the commit that took up at least half of the lines it made vanish."""
    missing = wanted - left
    files = {path: oid for path, oid in _one(git, step.commit).files.items() if path not in watched and oid}
    new = _texts(git, files)
    old = _before(git, step.commit, new)
    found: set[str] = set()
    for path, lines in new.items():
        came = _share(lines, missing) - _share(old.get(path, ()), missing)
        if 2 * sum((came & missing).values()) >= sum(missing.values()):
            found.add(path)
    return found
