"""What an idle run costs: a few requests and no writes, however many workarounds there are."""

import re

from standin import MANIFEST


def test_many_workarounds_and_nothing_changed(make_stand):
    stand = make_stand("pull-request", extra='dashboard = "Board"\n[proposals.limits]\nmax_open = 3\nmax_writes = 60')
    for number in range(11):
        where = stand.project / f"patches/guard-{number:02}"
        where.mkdir()
        text = MANIFEST.format(introduced=stand.introduced, fix=stand.fix)
        (where / "patch.toml").write_text(text.replace("Remove the NaN guard", f"Remove guard {number}"))
    stand.pin("v0.1.20")
    code, text = stand.run("sync", "--apply")
    assert code == 0, text
    assert len(stand.proposals()) == 3
    assert len(re.findall("Not offered yet: 3 proposals are open", text)) == 9
    stand.quiet()
    stand.forge.forget()
    stand.quiet()
    assert len(stand.forge.requests) <= 10, [each.path for each in stand.forge.requests]
