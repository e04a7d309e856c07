"""The ways people say that code waits for somebody else, and what that makes of a remark.

Pure: text in, `Signal` or None out. The rules weigh three things: what is said (wait, bypass, skip, defect), whose
defect it is (a reference, a configured name, the word "upstream", nobody), and whether the text only tells history
("added in", "adapted from"). Nobody's defect is never more than ``low``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from syncbot.discover.references import Reader
from syncbot.model.discover import Certainty, Kind, Reference, RefKind

# One line of each remark has one of these. They go to ``git grep -E``: POSIX, and no folding of case, which is slow.
_TRIGGERS = (
    r"[Ww]or(k|ks|ked|king)[- ]?[Aa]round|WORKAROUND|WAR[ :]|HACK|[Tt]emporar|[Hh]ot-?fix|[Bb]and-?aid|[Ss]top-?gap",
    r"TODO|FIXME|XXX|[Uu]ntil |[Oo]nce |[Aa]s soon as|[Ww]aiting (for|on) |[Bb]locked (by|on)|[Ff]or now",
    r"[Pp]ending (an? |the )?(upstream|release|fix|merge|support)|[Vv]endored|[Mm]onkey-?patch|[Bb]ackport",
    r"/(pulls?|issues?|commits?|merge_requests)/[0-9a-f]|[A-Za-z0-9_.-]#[0-9]+|(PR|[Ii]ssue|[Bb]ug) ?#[0-9]|xfail",
    r"([Ww]hen|[Aa]fter|[Ii]f) .*([Ff]ix|[Mm]erged|[Rr]eleas|[Ll]ands|[Ll]anded|[Bb]ump|[Uu]pgrad|[Uu]pstream)",
    r"([Rr]emove|[Rr]evert|[Rr]evisit|[Rr]e-?enable|[Rr]estore|[Dd]rop|[Dd]elete)[a-z]* .*([Ww]hen|[Aa]fter|[Ii]f) ",
    r"[Bb]ug in |[Bb]roken|known (bug|issue)|[Rr]egression",
)  # fmt: skip
TRIGGERS = "|".join(_TRIGGERS)


def _words(*patterns: str) -> re.Pattern[str]:
    """One expression of alternatives, each bounded by words, whatever the case."""
    return re.compile(rf"\b(?:{'|'.join(patterns)})", re.IGNORECASE)


_GAP = r"(?:(?![.;]\s).)"  # anything within the sentence; a full stop inside a version or a link is no end
_DONES = (
    r"(?:fix(?:e[sd])?|merge[sd]?|release[sd]?|land(?:s|ed)?|upstreamed|resolve[sd]?|bump(?:s|ed)?|upgrade[sd]?",
    r"ship(?:s|ped)?|publish(?:ed)?|pins?|picked up|consumed|support(?:s|ed)?|available|provide[sd]?|ready|stable",
    r"implement(?:s|ed)?|include[sd]?|expose[sd]?|contains?|accept(?:s|ed)?|works?|patched|updated?|handles|has a fix",
    r"gets? (?:fixed|merged|released)|drop(?:s|ped)?|require[sd]?|minimum|clears?|re-?enables?|catches up|>=)",
)  # fmt: skip
_DONE = "|".join(_DONES)
_VERBS = (
    r"(?:remov(?:e|ed|able|al)|drop(?:ped)?|delet(?:e|ed)|revert(?:ed)?|revisit(?:ed)?|re-?enabl(?:e|ed)|un-?xfail",
    r"unskip(?:ped)?|switch(?:ed)? back|restor(?:e|ed)|uncomment(?:ed)?|clean(?:ed)? ?up|get rid of|undo(?:ne)?",
    r"unpin(?:ned)?|go(?:es)? away|retired?|change back|unnecessary|obsolete|no longer needed|not (?:be )?needed)",
)  # fmt: skip
_VERB = "|".join(_VERBS)
# These are as common in plain descriptions, so they count as a to-do only.
_CHANGE = (
    r"(?:enable|replace|simplify|lift|relax|migrate|re-?evaluate|turn on|bump|upgrade|use|move|include"
    r"|switch (?:to|over))"
)
_LATER = rf"\b(?:once|when|whenever|after|as soon as|until)\b{_GAP}{{1,140}}?(?:\b|(?=>)){_DONE}"
_VERB_WAIT = re.compile(rf"\b{_VERB}\b{_GAP}{{0,90}}?{_LATER}", re.IGNORECASE)
_TODO_WAIT = re.compile(rf"\b(?:TODO|FIXME|HACK|XXX)\b.{{0,120}}?\b{_CHANGE}\b{_GAP}{{0,90}}?{_LATER}", re.IGNORECASE)
# These say what is waited for, and need a word beside them that something is to go.
_WAITS = (
    re.compile(rf"\b(?:once|as soon as|until){_GAP}{{1,120}}?(?:\b|(?=>)){_DONE}", re.IGNORECASE),
    re.compile(rf"\bafter (?!all){_GAP}{{1,100}}?\b(?:is|are|has been|gets?|was) (?:been )?{_DONE}", re.IGNORECASE),
    re.compile(
        rf"\bwhen{_GAP}{{1,60}}?\b(?:is|are|gets?) (?:fixed|merged|released|upgraded|bumped|upstreamed)", re.IGNORECASE
    ),
    _words(
        r"waiting (?:for|on)\b",
        r"pending (?:an? |the )?(?:upstream|release|fix|merge|support)\b",
        r"blocked (?:by|on)\b",
    ),
    re.compile(
        rf"\bfix{_GAP}{{1,60}}?\band\b{_GAP}{{0,20}}?\b(?:remove|drop|delete|revert|re-?enable)\b", re.IGNORECASE
    ),
)
_VERSION_WAIT = re.compile(
    rf"\b(?:TODO|FIXME|HACK|XXX)\b.{{0,80}}?\b{_VERB}\b{_GAP}{{0,60}}?"
    rf"\b(?:for|in|with|at|from|on)\b{_GAP}{{1,30}}?\d+\.\d+",
    re.IGNORECASE,
)
_TODO = _words(
    r"(?:TODO|FIXME|HACK|XXX)\b",
    r"(?:to|can|should|will) be (?:removed|dropped|reverted)",
    r"is (?:removed|dropped|reverted)",
)
_FIXME = re.compile(r"\b(?:FIXME|HACK|XXX)\b")
_BYPASS = _words(
    r"work(?:s|ed|ing)?[- ]?around\b", r"hot-?fix", r"band-?aid", r"stop-?gap", r"for now\b", r"temporar(?:y|ily)"
    r"(?: (?:fix|workaround|solution|hack|patch|fallback|measure|guard|disabl|skip|turned off|pin|exclud|rais)|\b)",
    r"monkey-?patch(?:es|ed)? .{0,60}\b(?:bug|issue|until|fix)", r"hack(?:s|y|ing)? (?:for|around|to|until)", r"HACK\b",
    r"WAR\b(?= ?(?:for|:))", r"backports? (?:of|for|the)\b", r"vendored (?:copy|version|until)",
    r"avoids? (?:an? |the |this )?(?:known |upstream )?(?:\w+ ){0,3}(?:bug|crash|hang|deadlock|regression)\b",
)  # fmt: skip
# Words of ordinary code as well ("a temporary file"), unless they are said of a measure.
_ORDINARY = re.compile(r"^(?:for now|temporar(?:y|ily))$", re.IGNORECASE)
_BUG = _words(
    r"(?:bugs?|buggy|regress\w*|broken|crash\w*|hangs?|incorrect(?:ly)?|wrong(?:ly)?|segfault\w*)\b",
    r"(?:corrupt\w*|known issue)\b|(?:accuracy|precision|performance) issue",
)
# "Not supported" is a limit: somebody's defect only where a change is named for it.
_DEFECT = _words(
    r"(?:bugs?|buggy|regress\w*|broken|breaks?|crash\w*|hangs?|hung|fail(?:s|ed|ing|ure)?)\b",
    r"(?:incorrect(?:ly)?|wrong(?:ly)?|incompatib\w+|not (?:yet )?support\w*|unsupported)\b",
    r"(?:does|do|did)(?:n't| not) (?:yet )?(?:support|work|handle)\b",
    r"(?:leaks?|deadlock\w*|race condition|illegal|segfault\w*|corrupt\w*|unstable|NaNs?|fault|oom|known issue)\b",
    r"(?:accuracy|precision|performance) (?:issue|regression)",
    r"(?:errors? (?:out|with|in|from)|issues? (?:in|with))\b",
)  # fmt: skip
_OFF = _words(
    r"(?:disabl\w+|skip\w*|xfail\w*|turn(?:ed)? off|exclud\w+|avoid\w*|fall(?:s|ing)? ?back|force[sd]?|pinned?)\b",
    r"(?:limit(?:ed)? to|bypass\w*|guard(?:s|ed)? against|cannot|can't|must not|don't use|re-?implement\w*)\b",
    r"(?:override[sn]?|patch(?:es|ed)?)\b",
)
_MENDED = re.compile(r"(?:fixed|merged|released|landed|lands|upstreamed)$", re.IGNORECASE)
_NEEDS = re.compile(r"\b(?:requires?|needs?|depends on)\s+$", re.IGNORECASE)
# What stands before a reference that only tells where code is from, or when something came.
_HISTORY = re.compile(
    r"\b(?:adapted|copied|ported|borrowed|taken|modified|derived|based|inspired|lifted|forked|adopted|mirrors?|mirrored|from)\b"
    r"(?: heavily| directly| closely)? ?(?:from|on|by|of|the)?:?\s*(?:\S+\s+){0,6}$"
    r"|\b(?:(?:was|were|been|is)? ?(?:added|introduced|landed|implemented|merged|fixed|resolved|upstreamed|available))"
    r" (?:in|by|since|with|via|from)\s+(?:\S+\s+){0,4}$|\b(?:since|as of)\s+(?:\S+\s+){0,3}$",
    re.IGNORECASE,
)
_DONE_LONG_AGO = re.compile(r"\bhas (?:already )?been (?:resolved|fixed|merged)\b", re.IGNORECASE)
_UPSTREAM = re.compile(r"\bupstream\b(?!ed)", re.IGNORECASE)
_FOREIGN = re.compile(r"\bupstream|#\d|/(?:pulls?|issues?|commits?|merge_requests)/[0-9a-f]", re.IGNORECASE)
_IGNORE = re.compile(r"syncbot:\s*ignore", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where a text stands: over or in a skipped test, beside a pinned version, in a docstring."""

    skip: bool = False
    pin: bool = False
    doc: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What a text says: its kind, how sure that is, why, and what it names."""

    kind: Kind
    certainty: Certainty
    reason: str
    phrase: str
    references: tuple[Reference, ...]
    names: tuple[str, ...]


def foreign(text: str, reader: Reader) -> bool:
    """Whether anything in ``text`` can be somebody else's: a reference, a configured name, the word "upstream"."""
    return _FOREIGN.search(text) is not None or bool(reader.named(text))


def plainly_waits(text: str) -> bool:
    """Whether one line says by itself what it waits for before it goes."""
    return _VERB_WAIT.search(text) is not None


def ignored(text: str) -> bool:
    """Whether the text asks to be left alone: ``syncbot: ignore``."""
    return _IGNORE.search(text) is not None


def judge(text: str, reader: Reader, setting: Setting = Setting(), *, history: bool = True) -> Signal | None:
    """What ``text`` (one paragraph, white space collapsed) says of a workaround, or None.

    ``history`` False: take no account of references that only tell where code came from.
    """
    references = reader.references(text)
    changes = tuple(each for each in references if each.kind is not RefKind.VERSION)
    names = reader.named(text)
    wait = _waits(text, owned=bool(references or names))
    bypass, defect = _BYPASS.search(text), _DEFECT.search(text)
    if wait is None and _DONE_LONG_AGO.search(text):
        return None
    whose, owner = _whose(text, wait, changes, references, names)
    if setting.doc and not changes and (whose is not Certainty.HIGH or not _speaks_of_an_end(text, wait)):
        return None
    told = history and bool(changes) and all(_history_before(text, each) for each in changes)

    def signal(kind: Kind, certainty: Certainty, phrase: re.Match[str] | None, what: str) -> Signal:
        said = " ".join(phrase[0].split())[:100] if phrase else ""
        reason = f"{what} {owner}" + (f" (“{said}”)" if said else "")
        return Signal(kind=kind, certainty=certainty, reason=reason, phrase=said, references=references, names=names)

    if setting.pin and wait is not None and whose is Certainty.LOW:
        return signal(Kind.PIN, Certainty.MEDIUM, wait, "a version is held, and waits for")
    if wait is not None:
        return signal(Kind.WAIT, Certainty.LOW if told else whose, wait, "waits for")
    if setting.pin and (bypass or defect):
        return signal(Kind.PIN, Certainty.MEDIUM, bypass or defect, "a version is held because of")
    if told:
        return None
    if setting.skip and changes:
        return signal(Kind.SKIP, Certainty.HIGH, defect, "a test is off because of")
    if setting.skip and names and (bug := _BUG.search(text)):
        return signal(Kind.SKIP, Certainty.MEDIUM, bug, "a test is off because of")
    if bypass is not None:
        return signal(Kind.BYPASS, _bypass(text, bypass, changes, reader, defect), bypass, "works around")
    # A docstring explains; that it speaks of a defect besides does not make its function a workaround.
    if (
        changes
        and not setting.doc
        and (mended := defect or _OFF.search(text) or _FIXME.search(text) or _needed(text, changes))
    ):
        return signal(Kind.DEFECT, Certainty.MEDIUM, mended, "is as it is because of")
    return None


def _bypass(
    text: str, bypass: re.Match[str], changes: tuple[Reference, ...], reader: Reader, defect: re.Match[str] | None
) -> Certainty:
    """How sure a self-declared workaround is somebody else's; "for now" or "temporary" alone says little."""
    plain = _ORDINARY.match(bypass[0]) is None
    if changes:
        return Certainty.HIGH if plain or defect else Certainty.MEDIUM
    sentence = _sentence(text, bypass)
    named = bool(reader.named(sentence)) or _UPSTREAM.search(sentence) is not None
    return Certainty.MEDIUM if named and (plain or _BUG.search(text)) else Certainty.LOW


def _speaks_of_an_end(text: str, wait: re.Match[str] | None) -> bool:
    """Whether a docstring without a reference is more than an explanation: a to-do, or a wait for a fix."""
    return (
        plainly_waits(text)
        or _FIXME.search(text) is not None
        or (wait is not None and _MENDED.search(wait[0]) is not None)
    )


def _waits(text: str, *, owned: bool) -> re.Match[str] | None:
    """The phrase of a wait: with a verb of removal, or beside a word that something is to go or, if ``owned``, off."""
    if match := _VERB_WAIT.search(text) or _TODO_WAIT.search(text) or _VERSION_WAIT.search(text):
        return match
    match = next((found for pattern in _WAITS if (found := pattern.search(text))), None)
    if match is None:
        return None
    going = _TODO.search(text) or _BYPASS.search(text) or (_OFF.search(text) and owned)
    return match if going else None


def _whose(
    text: str,
    wait: re.Match[str] | None,
    changes: tuple[Reference, ...],
    references: tuple[Reference, ...],
    names: tuple[str, ...],
) -> tuple[Certainty, str]:
    """How sure it is whose change is waited for, and the words for it."""
    sentence = _sentence(text, wait) if wait is not None else text
    here = [each for each in changes if each.value in sentence] or list(changes)
    if here:
        return Certainty.HIGH, ", ".join(each.label for each in here)
    versions = [each for each in references if each.value in sentence]
    if versions:
        return Certainty.HIGH, ", ".join(each.label for each in versions)
    lower = sentence.lower()
    if near := [name for name in names if name.lower().removeprefix("py") in lower]:
        return Certainty.HIGH, f"{', '.join(near)}, by name only"
    if names:
        return Certainty.MEDIUM, f"{', '.join(names)}, by name only"
    if _UPSTREAM.search(sentence):
        return Certainty.MEDIUM, "an upstream it does not name"
    return Certainty.LOW, "something it does not name"


def _sentence(text: str, match: re.Match[str]) -> str:
    """The sentence around a match, with the one after it: links follow a full stop as often as not."""
    start = max((found.end() for found in re.finditer(r"[.;]\s", text[: match.start()])), default=0)
    end = re.search(r"[.;]\s", text[match.end() :])
    return text[start : match.end() + (end.end() if end else len(text))]


def _history_before(text: str, reference: Reference) -> bool:
    return _HISTORY.search(_before(text, reference)) is not None


def _needed(text: str, changes: tuple[Reference, ...]) -> re.Match[str] | None:
    pulls = (each for each in changes if each.kind is RefKind.PULL)
    return next((found for each in pulls if (found := _NEEDS.search(_before(text, each)))), None)


def _before(text: str, reference: Reference) -> str:
    """The text up to the word that holds the reference."""
    head = text[: text.find(reference.value)]
    return head[: head.rfind(" ") + 1]
