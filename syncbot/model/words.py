"""The closed vocabularies of the design (docs/glossary.md): what is stored and printed is the value."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """Whether a target has a fix."""

    CONTAINED = "contained"
    ABSENT = "absent"
    REVERTED = "reverted"
    PARTIAL = "partial"
    UNSURE = "unsure"
    UNKNOWN = "unknown"


class Confidence(StrEnum):
    """``strong`` may open a gate, ``weak`` asks for a person."""

    STRONG = "strong"
    WEAK = "weak"


class EvidenceKind(StrEnum):
    """Why a target is believed to have a fix, strongest first; the order picks what is shown first."""

    ANCESTOR = "ancestor"
    TRAILER = "cherry-pick-trailer"
    PATCH_ID = "patch-id"
    REWRITTEN = "rewritten"
    LISTED = "listed"
    SUBJECT = "subject-number"
    BODY = "body-number"
    CONTENT = "content"
    RELANDING = "re-landing"
    REVERT = "revert"


class TargetKind(StrEnum):
    """What sort of commit is asked about."""

    RELEASE = "release"
    PIN = "pin"
    BRANCH = "branch"
    REF = "ref"


class Cures(StrEnum):
    """Whether an upstream change was shown to cure the defect."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    REFUTED = "refuted"
    ABANDONED = "abandoned"


class Needs(StrEnum):
    """Whether all of a workaround's fixes are needed, or any one of them."""

    ALL = "all"
    ANY = "any"


class Stage(StrEnum):
    """Where upstream stands with the fix a workaround waits for."""

    UNLINKED = "unlinked"
    WAITING = "waiting"
    FIXED = "fixed"
    RELEASED = "released"
    READY = "ready"
    REGRESSED = "regressed"
    UNSURE = "unsure"


class Fit(StrEnum):
    """How a workaround meets today's branch."""

    PRESENT = "present"
    PARTIAL = "partial"
    ABSENT = "absent"
    CONFLICT = "conflict"
    UNKNOWN = "unknown"


class Choice(StrEnum):
    """What is decided for one carrier of a workaround (the design's *decision*)."""

    KEEP = "keep"
    REMOVE = "remove"
    RESTORE = "restore"
    REFRESH = "refresh"
    REVIEW = "review"
    DONE = "done"
    UNSURE = "unsure"


class CarriedAs(StrEnum):
    """Where a workaround lives."""

    IN_TREE = "in-tree"
    PATCH_FILE = "patch-file"
    BRANCH = "branch"


class Scope(StrEnum):
    """Which part of the introducing commit is the workaround."""

    COMMIT = "commit"
    PATHS = "paths"
    SYMBOLS = "symbols"
    EDITS = "edits"


class Action(StrEnum):
    """What a machine may offer once the workaround is no longer needed."""

    REMOVE = "remove"
    REVIEW = "review"


class PinForm(StrEnum):
    """What the text found at a pinned place turned out to be."""

    TAG = "tag"
    SHA = "sha"
    BRANCH = "branch"
    VERSION = "version"
    SUBMODULE = "submodule"


class PinMove(StrEnum):
    """How a pin moved, by the ancestry of the two upstream commits."""

    FIRST = "first"
    FORWARD = "forward"
    BACKWARD = "backward"
    DIVERGED = "diverged"
    UNRELATED = "unrelated"
    SAME = "same"
    UNKNOWN = "unknown"


class Mode(StrEnum):
    """How a proposal reaches the downstream."""

    PULL_REQUEST = "pull-request"
    HAND_OFF = "hand-off"
