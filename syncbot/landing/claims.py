"""What commit messages say about other changes: numbers, picks, lists, reverts. Pure text, no git.

A message is a claim, never a fact; `syncbot.landing.judge` holds each against the diffs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from syncbot.git.history import Commit, History

# Ten digits at most: a message may hold any number of them, and Python refuses to read thousands.
_LAST_NUMBER = re.compile(r"\(#([0-9]{1,10})\)\s*$")
_MERGE_NUMBER = re.compile(r"^Merge pull request #([0-9]{1,10}) from ")
_GITLAB_NUMBER = re.compile(r"^See merge request \S+!([0-9]{1,10})\s*$", re.MULTILINE)
# ``#12`` standing alone, ``owner/name#12`` or a pull request's address; the repository, if any, is group 1.
_NUMBER = re.compile(
    r"(?:https?://[^\s/]+/([\w.-]+/[\w.-]+)/(?:pull|issues|merge_requests)/|(?<![\w/.&-])([\w.-]+/[\w.-]+)?#)([0-9]{1,10})\b"
)
_TRAILER = re.compile(r"^\(cherry picked from commit ([0-9a-f]{7,64})\)?", re.MULTILINE | re.IGNORECASE)
_OID = re.compile(r"(?<![\w./-])([0-9a-f]{8,64})(?![\w-])")
_REVERT_OID = re.compile(r"\bThis (reverts|reapplies) commits?:?\s+(?=[0-9a-f]{7})(.*)", re.IGNORECASE)
_ANY_OID = re.compile(r"\b[0-9a-f]{7,64}\b")
_REVERT_NUMBER = re.compile(r"^Reverts (?:([\w.-]+/[\w.-]+))?#([0-9]{1,10})\s*$", re.MULTILINE)
_DEEPEST = 20  # quotes in quotes; nobody reverts more often, and a hostile body could hold thousands
# A forge cuts a title that is too long, and goes on in the body.
_CUT_TITLE = re.compile(r"^(.*?)(?:…|\.\.\.)(?:\s*\(#[0-9]+\))?$")
_GOES_ON = re.compile(r"^(?:…|\.\.\.)(.+)")
_OPENED = re.compile(r'^((?:\[[^\]]*\]\s*)*(?:Revert|Reapply|Re-?land)\s+"[^"]*?)\s*(?:\(#?[0-9]*)?$', re.IGNORECASE)
# The word at the start of a subject, or of a bullet in a squash body; group 2 is everything in the quotes.
_QUOTED = re.compile(r'^(?:[*-] )?(?:\[[^\]]*\]\s*)*(Revert|Reapply|Re-?land)\s+\\?"(.+)\\?"', re.IGNORECASE)
_LOOSE = re.compile(r"^(?:\[[^\]]*\]\s*)*(?:[\w()-]+:\s*)?(revert|re-?land|reapply)\b", re.IGNORECASE)
_BARE_NUMBERS = re.compile(r"(?<![\w./#-])([0-9]{2,10})(?![\w.-])")  # "Revert PRs 34818 and 33600"
_TAGS = re.compile(r"^(?:\[[^\]]*\]\s*)+")
_INTERESTING = re.compile(r"rever|re-?land|reappl", re.IGNORECASE)


Names = frozenset[str]
"""The names (``owner/name``, lower case) under which a repository's own numbers may be written out."""


class Reference(NamedTuple):
    """What a message points at: a commit id (maybe abbreviated), a subject, or a number. One of the three is set."""

    oid: str = ""
    subject: str = ""
    number: int = 0


class Undo(NamedTuple):
    """One claim that ``commit`` undoes (``sign`` -1) or re-lands (+1) what ``reference`` names.

    ``direct``: the subject itself says so; else it stands in the body, as one step of a squash may.
    """

    commit: str
    reference: Reference
    sign: int
    direct: bool


@dataclass(frozen=True, slots=True)
class Claims:
    """Every claim in a history, by what it points at.

    ``number`` maps a commit to the number it landed under. ``subject_numbers``, ``body_numbers`` and ``listed`` hold
    only commits that are not on the default branch: nothing else can be a pick.
    """

    number: dict[str, int]
    by_number: dict[int, list[str]]
    subject_numbers: dict[int, list[str]]
    body_numbers: dict[int, list[str]]
    trailers: dict[str, list[str]]
    picked_from: dict[str, list[str]]
    listed: dict[str, list[str]]
    undos: list[Undo]
    twins: dict[tuple[str, int, str], list[str]]


def untagged(subject: str) -> str:
    """A subject without the ``[tags]`` in front: people quote it with others, or without."""
    return _TAGS.sub("", subject)


def twin_key(commit: Commit) -> tuple[str, int, str]:
    """What survives a rewrite of history: author, author date and subject."""
    return (commit.author, commit.authored, commit.subject)


def landed_number(commit: Commit) -> int | None:
    """The number of the pull request that a commit is, by its subject (or a merge request's last line)."""
    match = _LAST_NUMBER.search(commit.subject) or _MERGE_NUMBER.match(commit.subject)
    if match is None and len(commit.parents) > 1:
        match = _GITLAB_NUMBER.search(commit.body)
    return int(match[1]) if match else None


def peel(subject: str) -> tuple[str, int]:
    """Take ``Revert "…"`` and ``Reapply "…"`` off a subject: what is inside, and -1, +1, … by how deep it stood.

    >>> peel('Revert "Revert "x (#1)" (#2)" (#3)')
    ('x (#1)', 1)
    >>> peel('Reapply "x"')
    ('x', 1)
    >>> peel("x")
    ('x', 0)
    """
    sign = 0
    for _ in range(_DEEPEST):
        match = _QUOTED.match(subject)
        if match is None:
            break
        subject = match[2].strip()
        flip = -1 if match[1].lower() == "revert" else 1
        sign = flip if sign == 0 else sign * flip
    return subject, sign


def numbers_in(text: str, names: Names) -> list[int]:
    """The numbers a text mentions as this repository's own; those of other repositories are left out."""
    return [int(number) for site, name, number in _NUMBER.findall(text) if _is_own(site or name, names)]


def _is_own(name: str, names: Names) -> bool:
    return not name or name.lower() in names


def undos_of(commit: Commit, names: Names) -> list[Undo]:
    """What a commit says it undoes or re-lands. Mentions in one body that cancel out are gone.

    The body of a squash lists its steps; a step and its own undoing leave nothing. Steps are counted by the innermost
    subject, which both carry, and a ``This reverts commit`` line belongs to the quoted step above it.
    """
    if not _INTERESTING.search(commit.subject) and not _INTERESTING.search(commit.body):
        return []
    found: list[Undo] = []
    inner, sign = peel(_whole_title(commit))
    direct = sign != 0
    if direct:
        found.append(Undo(commit.oid, Reference(subject=inner), sign, True))
        found += [Undo(commit.oid, Reference(number=number), sign, False) for number in _beside(commit, inner, names)]
    elif match := _LOOSE.match(commit.subject):
        loose_sign = -1 if match[1].lower() == "revert" else 1
        own = landed_number(commit)
        mentioned = [number for number in numbers_in(commit.subject, names) if number != own]
        if loose_sign < 0:
            mentioned += [int(number) for number in _BARE_NUMBERS.findall(commit.subject) if int(number) != own]
        else:
            mentioned += [number for number in numbers_in(commit.body, names) if number != own]
        found += [Undo(commit.oid, Reference(number=number), loose_sign, False) for number in dict.fromkeys(mentioned)]
    found += _steps(commit, names, direct=direct)
    return found


def _whole_title(commit: Commit) -> str:
    start = _CUT_TITLE.match(commit.subject)
    if start is None:
        return commit.subject
    if rest := _GOES_ON.match(commit.body):
        return start[1] + rest[1]
    # Quotes that never close: what is there is the beginning of a title.
    opened = _OPENED.match(start[1])
    return f'{opened[1]}…"' if opened else commit.subject


def _beside(commit: Commit, inner: str, names: Names) -> list[int]:
    """The numbers a title names beside its quotes, or in them: ``Revert "x" (#4) (#5)``. Only of quotes one deep."""
    match = _QUOTED.match(commit.subject)
    if match is None or match[2].strip() != inner:
        return []
    own = landed_number(commit)
    return [number for number in numbers_in(commit.subject, names) if number != own]


def _steps(commit: Commit, names: Names, *, direct: bool) -> list[Undo]:
    net: dict[str, int] = defaultdict(int)
    oids: dict[str, list[str]] = defaultdict(list)
    found: list[Undo] = []
    step = ""
    for line in commit.body.splitlines():
        inner, sign = peel(line.strip())
        if sign:
            step = inner
            net[inner] += sign
            continue
        if match := _REVERT_OID.search(line):
            # "This reverts commit A, reversing changes made to B" says nothing of B.
            first, *more = _ANY_OID.findall(match[2].split("revers")[0]) or [""]
            sign = -1 if match[1].lower() == "reverts" else 1
            if step and first:
                oids[step].append(first)
            elif first:
                found.append(Undo(commit.oid, Reference(oid=first), sign, direct))
            # What follows may be a list, or a commit that is only mentioned: the diff must say.
            found += [Undo(commit.oid, Reference(oid=oid), sign, False) for oid in more]
        if line.startswith(("* ", "- ")):
            step = ""
    for inner, sign in net.items():
        if sign:
            found.append(Undo(commit.oid, Reference(subject=inner), 1 if sign > 0 else -1, direct))
            if sign < 0:
                found += [Undo(commit.oid, Reference(oid=oid), -1, direct) for oid in oids[inner][:1]]
    for name, number in _REVERT_NUMBER.findall(commit.body):
        if _is_own(name, names):
            found.append(Undo(commit.oid, Reference(number=int(number)), -1, direct))
    return found


def read_claims(history: History, branch_bit: int, names: Names) -> Claims:
    """Read the claims of every commit. ``branch_bit`` is the default branch's bit in the history's masks."""
    claims = Claims(
        number={},
        by_number=defaultdict(list),
        subject_numbers=defaultdict(list),
        body_numbers=defaultdict(list),
        trailers={},
        picked_from=defaultdict(list),
        listed=defaultdict(list),
        undos=[],
        twins=defaultdict(list),
    )
    for commit in history.commits.values():
        claims.twins[twin_key(commit)].append(commit.oid)
        number = landed_number(commit)
        if number is not None:
            claims.number[commit.oid] = number
            claims.by_number[number].append(commit.oid)
        claims.undos.extend(undos_of(commit, names))
        if not history.mask(commit.oid) >> branch_bit & 1:
            _read_off_branch(commit, claims, names)
        elif "cherry picked" in commit.body:
            _read_trailers(commit, claims)
    return claims


def _read_trailers(commit: Commit, claims: Claims) -> None:
    picked = _TRAILER.findall(commit.body)
    if picked:
        claims.trailers[commit.oid] = picked
        for oid in picked:
            claims.picked_from[oid].append(commit.oid)


def _read_off_branch(commit: Commit, claims: Claims, names: Names) -> None:
    _read_trailers(commit, claims)
    if peel(commit.subject)[1] < 0:
        return  # a revert names what it takes out, it does not carry it
    for number in dict.fromkeys(numbers_in(commit.subject, names)):
        claims.subject_numbers[number].append(commit.oid)
    for number in dict.fromkeys(numbers_in(commit.body, names)):
        claims.body_numbers[number].append(commit.oid)
    for line in commit.body.splitlines():
        if not _INTERESTING.search(line) and "cherry picked from" not in line:
            for oid in _OID.findall(line):
                claims.listed[oid].append(commit.oid)
