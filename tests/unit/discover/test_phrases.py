"""What counts as a workaround that waits, and what does not."""

import pytest

from syncbot.discover.phrases import Setting, ignored, judge
from syncbot.discover.references import Names, Reader, spoken_names
from syncbot.model.discover import Certainty, Kind

READER = Reader(
    Names(spoken_names("lib", ["acme/lib"]) | spoken_names("pytorch", ["pytorch/pytorch"]), frozenset({"me/app"}))
)

WAITS = [
    "TODO: Remove once acme/lib#12 is merged",
    "TODO(ann): drop once we pin lib >= 0.1.14 (acme/lib#12).",
    "Can be removed after https://github.com/acme/lib/pull/12 is released.",
    "Temporarily disabled until the fix https://github.com/acme/lib/pull/12 lands",
    "TODO: Revisit this once we bump lib to 0.1.15",
    "TODO: switch back to the fast path after lib fix is merged.",
    "TODO: remove this once lib is fixed",
    "Revert when https://github.com/acme/lib/issues/9 is resolved",
    "TODO: remove this for PyTorch 2.8, when the default changes",
    "Remove this vendored copy once app pins a lib version that includes acme/lib#12",
]


@pytest.mark.parametrize("text", WAITS)
def test_a_wait_is_sure_when_it_says_whose_change(text):
    signal = judge(text, READER)
    assert signal is not None
    assert (signal.kind, signal.certainty) == (Kind.WAIT, Certainty.HIGH)


OTHERS = [
    ("Workaround for a lib bug: https://github.com/acme/lib/issues/3", Kind.BYPASS, Certainty.HIGH),
    ("Workaround for a crash in lib", Kind.BYPASS, Certainty.MEDIUM),
    ("This is off, as it fails: https://github.com/other/tool/issues/3", Kind.DEFECT, Certainty.MEDIUM),
    ("FIXME: https://github.com/acme/lib/issues/3", Kind.DEFECT, Certainty.MEDIUM),
    ("Requires https://github.com/pytorch/pytorch/pull/166735", Kind.DEFECT, Certainty.MEDIUM),
    ("TODO: remove once upstream is fixed", Kind.WAIT, Certainty.MEDIUM),
    ("TODO: remove once it works", Kind.WAIT, Certainty.LOW),
    ("A workaround for the odd layout", Kind.BYPASS, Certainty.LOW),
]


@pytest.mark.parametrize(("text", "kind", "certainty"), OTHERS)
def test_other_workarounds(text, kind, certainty):
    signal = judge(text, READER)
    assert signal is not None
    assert (signal.kind, signal.certainty) == (kind, certainty)


NONE = [
    "Added in https://github.com/acme/lib/pull/3123 (>=0.1.14).",
    "Adapted from https://github.com/acme/lib/pull/30",
    "The bug was fixed in https://github.com/acme/lib/pull/30",
    "See https://github.com/acme/lib/pull/551 for the details of the layout.",
    "lib is not supported on this platform",
    "Remove lib from the list if it is not available",
    "Enabled by default when the hardware supports it",
    "Returns once all requests are there.",
    "We need to call this after the model is loaded.",
]


@pytest.mark.parametrize("text", NONE)
def test_what_only_mentions_a_change_is_nothing(text):
    assert judge(text, READER) is None


def test_a_reference_to_the_downstream_itself_names_no_upstream():
    signal = judge("TODO: remove once https://github.com/me/app/pull/4 is merged", READER)
    assert signal is not None
    assert (signal.certainty, signal.references) == (Certainty.LOW, ())


def test_a_skipped_test_is_one_when_it_links_a_defect_or_names_a_bug():
    skip = Setting(skip=True)
    linked = judge("See https://github.com/acme/lib/issues/4", READER, skip)
    assert linked is not None
    assert (linked.kind, linked.certainty) == (Kind.SKIP, Certainty.HIGH)
    named = judge("lib crashes on small inputs", READER, skip)
    assert named is not None
    assert (named.kind, named.certainty) == (Kind.SKIP, Certainty.MEDIUM)
    assert judge("lib does not support this", READER, skip) is None


def test_a_docstring_that_tells_of_a_defect_is_no_workaround():
    text = "Fails with long inputs, see https://github.com/acme/lib/issues/4"
    assert judge(text, READER) is not None
    assert judge(text, READER, Setting(doc=True)) is None
    assert judge("lib is skipped until it provides a mask", READER, Setting(doc=True)) is None
    assert judge("It stays off until the lib bug is fixed", READER, Setting(doc=True)) is None
    assert judge("Temporarily skipped until the lib bug is fixed", READER, Setting(doc=True)) is not None


def test_a_pin_with_a_reason():
    signal = judge("newer ones break the build", READER, Setting(pin=True))
    assert signal is not None
    assert signal.kind is Kind.PIN
    assert judge("needed for fast decoding", READER, Setting(pin=True)) is None
    waits = judge("TODO: use thing==0.4.10 once released", READER, Setting(pin=True))
    assert waits is not None
    assert (waits.kind, waits.certainty) == (Kind.PIN, Certainty.MEDIUM)


def test_the_ignore_comment():
    assert ignored("# syncbot: ignore")
    assert not ignored("# syncbot finds this")
