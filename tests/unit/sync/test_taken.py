"""Somebody else's change does the same if the same lines go, however many others it takes along."""

import pytest

from syncbot.model.edit import Outcome
from syncbot.model.forge import ChangedFile
from syncbot.model.proposal import Key, Prepared, ProposalKind
from syncbot.proposals.others import does_the_same
from syncbot.proposals.taken import gone_from, taken_out

DIFF = b"""diff --git a/kernel.py b/kernel.py
index 1..2 100644
--- a/kernel.py
+++ b/kernel.py
@@ -2 +1,0 @@ def logits():
-    out.nan_to_num_()
@@ -9,2 +8 @@
-    moved = here
-)
+    moved = here
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+x = 1
"""


def file(path="kernel.py", removed=1, patch="@@ -2 +1,0 @@\n-    out.nan_to_num_()\n", **rest):
    return ChangedFile(path=path, status="modified", added=0, removed=removed, patch=patch, **rest)


def prepared(gone):
    return Prepared(
        key=Key(kind=ProposalKind.REMOVAL, workaround="guard"), repo="o/d", branch="b", base="main", base_oid="0" * 40,
        head="1" * 40, edit="e", outcome=Outcome.CLEAN, message="m", gone=gone,
    )  # fmt: skip


def test_what_moves_within_a_file_and_bare_brackets_are_not_gone():
    assert taken_out(DIFF) == (("kernel.py", ("out.nan_to_num_()",)),)


@pytest.mark.parametrize(
    ("files", "same"),
    [
        ([file()], True),
        ([file(patch="@@ -1,3 +1 @@\n-  other = 1\n-  out.nan_to_num_()\n-  more = 2\n+  x\n")], True),
        ([file(patch="@@ -1,9 +0,0 @@\n" + "-  other = 1\n" * 9, removed=9)], False),
        ([file(patch="@@ -1 +1 @@\n-out.nan_to_num_()\n+  if x: out.nan_to_num_()\n@@ -1 +1 @@\n")], True),
        ([file(patch="@@ -1 +1 @@\n-out.nan_to_num_()\n+  out.nan_to_num_()\n")], False),
        ([file(path="other.py")], False),
        ([file(path="moved.py", former_path="kernel.py")], True),
        ([file(patch=None, removed=3)], True),
        ([file(patch=None, removed=0)], False),
        ([], False),
    ],
)
def test_the_lines_decide_and_not_their_number(files, same):
    assert does_the_same(prepared(taken_out(DIFF)), files) == same


def test_an_edit_that_takes_no_line_out_is_like_nobodys():
    assert not does_the_same(prepared(()), [file()])


def test_a_line_that_goes_twice_must_go_twice():
    both = taken_out(DIFF.replace(b"-    out.nan_to_num_()\n", b"-    out.nan_to_num_()\n" * 2, 1))
    assert not does_the_same(prepared(both), [file()])
    assert gone_from(b"@@\n-a\n-a\n+a\n") == {"a": 1}
