"""Read files by every form, and make for each place the expression that finds it again, and nothing else.

What is written into a configuration is made of the text that matched, so it says what a person would have looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from syncbot.guess.forms import REF, REQUIREMENT, WORDS, Form, forms
from syncbot.guess.names import Names
from syncbot.model.guess import Sighting

_NO_REFS = frozenset(
    {"true", "false", "on", "off", "auto", "none", "null", "latest", "ref", "version", "str", "string"}
)
# Every match costs some looks at the whole file, and no file pins a project so often.
_MOST = 50
# Broader first: a pattern is read by people, and the next ref may be of another kind.
_ENDS = (
    r"\S+",
    r"[^\s;#]+",
    r"[^\s\"'`,;#]+",
    r"[^\s\"'`,;#(){}\[\]\\|&@:]+",
    r"\d[\w.]*",
    REF,
    r"[\w.+-]+?(?=\.(?:tar|zip|tgz)\b)",
    r"[^\s/]+(?=/)",
)


def sightings(path: str, text: str, names: Names) -> Iterator[Sighting]:
    """What every form reads in one file, each place once; a comment is no place."""
    taken: set[int] = set()
    for form in forms(names):
        if form.files and not re.search(form.files, path):
            continue
        for match in islice(re.finditer(form.expression, text, re.MULTILINE), _MOST):
            at = match.start("ref")
            ref = match["ref"].rstrip(".,")
            if at in taken or _comment(text, match.start()) or ref.lower() in _NO_REFS:
                continue
            pattern = _pattern(text, match, ref, form)
            if pattern is None:
                continue
            taken.add(at)
            lead = match["lead"]
            yield Sighting(
                path=path, line=text.count("\n", 0, at) + 1, ref=ref, pattern=pattern, how=form.how,
                exact=_exact(form, match, path, ref), package=_package(names, lead), label=_label(names, lead),
            )  # fmt: skip


def submodules(text: str, links: dict[str, str], names: Names) -> Iterator[Sighting]:
    """The submodules of ``.gitmodules`` that lead to the upstream."""
    for block in re.split(r"^\[submodule ", text, flags=re.MULTILINE)[1:]:
        path = re.search(r"^\s*path\s*=\s*(.+?)\s*$", block, re.MULTILINE)
        url = re.search(r"^\s*url\s*=\s*(.+?)\s*$", block, re.MULTILINE)
        if path and url and path[1] in links and re.search(rf"(?:^|[/:]){names.url}/?$", url[1]):
            line = text.count("\n", 0, text.index(block)) + 1
            yield Sighting(path=path[1], line=line, ref=links[path[1]], pattern=None, how="a submodule")


def _comment(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at + 40].lstrip()
    return line.startswith(("#", "//", ";", "<!--")) and not line.startswith("#!")


def _exact(form: Form, match: re.Match[str], path: str, ref: str) -> bool:
    if ref.endswith("*"):
        return False
    if form.exact is not None:
        return form.exact
    op = match["op"].strip()
    if form.how == REQUIREMENT:
        return op in ("==", "===")
    # Cargo reads a plain version as a range, npm and Poetry as itself.
    return op in ("=", "==") or (op == "" and not path.endswith("Cargo.toml"))


def _pattern(text: str, match: re.Match[str], ref: str, form: Form) -> str | None:
    """The expression that finds the ref again, and nothing else in the file; None if there is none.

    Tried from the plainest on: with or without the start of the line, and with the ends in `_ENDS`.
    """
    lead = _literal(match, "lead", form.gap)
    tail = _literal(match, "tail", form.gap) if "tail" in match.groupdict() and match["tail"] else ""
    start = match.start("lead")
    whole = start == 0 or text[start - 1] == "\n"
    quote = text[match.end("ref") : match.end("ref") + 1]
    closing = quote if quote in ("'", '"') and quote in match["lead"] else ""
    inside = "" if match["lead"].endswith(closing) else r"\s"
    middles = [rf"(?P<ref>[^{closing}{inside}]+){closing}"] if closing else [f"(?P<ref>{end})" for end in _ENDS]
    for before in _starts(text, start, lead, whole=whole):
        for middle in middles:
            pattern = before + middle + (tail.removeprefix(closing) if closing else tail)
            found = {each["ref"] for each in re.finditer(pattern, text, re.MULTILINE)}
            if found == {ref}:
                return pattern
    return None


def _starts(text: str, start: int, lead: str, *, whole: bool) -> Iterator[str]:
    if whole:
        yield "^" + lead
        return
    yield (r"\b" if re.match(r"\w", lead) else "") + lead
    # With what stands before it on its line, if it stands more than once in the file.
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if len(line) <= 80:
        yield "^" + _escaped(line) + lead


def _literal(match: re.Match[str], group: str, gap: str) -> str:
    """The text of a group as an expression; a gap inside it stays open."""
    start, end = match.span(group)
    if gap and "gap" in match.groupdict() and match["gap"] is not None and start <= match.start("gap") < end:
        inside, after = match.start("gap"), match.end("gap")
        text = match.string
        return _escaped(text[start:inside]) + gap + _escaped(text[after:end])
    return _escaped(match[group])


def _escaped(text: str) -> str:
    """``text`` as an expression that a person can read: blanks may be more, and only what must be is escaped."""
    escaped: str = re.sub(r"[.^$*+?{}\[\]\\|()]", lambda special: "\\" + special[0], text)
    if escaped[:1] in (" ", "\t"):
        escaped = r"\s*" + escaped.lstrip(" \t")
    return re.sub(r"\s+", lambda blank: " " if blank[0] == " " else r"\s+", escaped)


def _package(names: Names, lead: str) -> str | None:
    found = re.search(rf"(?<![\w-])({names.package})(?![\w])", lead)
    return str(found[1]) if found else None


def _label(names: Names, lead: str) -> str:
    """What tells it from others of its file: the variable, or the package."""
    named = [word for word in re.findall(r"[A-Za-z][\w-]*", lead) if re.search(rf"_{WORDS}$", word, re.IGNORECASE)]
    return named[-1] if named else _package(names, lead) or ""
