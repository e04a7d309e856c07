"""The composite action, as another repository uses it."""

from __future__ import annotations

from tests.workflows.conftest import TOKEN

CALLER = """name: caller
on: workflow_dispatch
permissions: {{}}
jobs:
  run:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
        with: {{persist-credentials: false}}
      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97
      - id: bot
        continue-on-error: true
        uses: OWNER/syncbot@REF
        with:
          python: python
          {inputs}
      - env:
          SAID: ${{{{ toJSON(steps.bot.outputs) }}}}
        run: printf '%s\\n' "$SAID"
"""


def use(bot, *inputs):
    return bot.machine.run(
        CALLER.format(inputs="\n          ".join(inputs)), "workflow_dispatch", secrets={"GITHUB_TOKEN": TOKEN}
    )


def test_syncs_and_says_what_it_did(bot):
    bot.pin("v0.1.20")
    ran = use(bot, "command: sync")
    assert ran.code == 0, str(ran)
    assert '"changed": "true"' in ran.log(), str(ran)
    assert bot.proposals == []
    ran = use(bot, "command: sync", "apply: true")
    assert '"exit-code": "0"' in ran.log(), str(ran)
    assert '"writes": "5"' in ran.log()
    assert "syncbot-sync-summary.md" in ran.log()
    assert len(bot.proposals) == 1
    ran = use(bot, "command: sync", "apply: true")
    assert '"changed": "false"' in ran.log()


def test_no_input_reaches_a_shell(bot):
    hostile = ["$(touch x)", "`touch x`", "; touch x", "--config", "'; touch x; '", "${{ github.token }}"]
    ran = use(bot, "command: status", "verbosity: $(touch x)", "arguments: |", *(f"  {each}" for each in hostile))
    assert '"exit-code": "2"' in ran.log(), str(ran)
    assert ran.outputs("run")["problem"].count("error") >= 1
    ran = use(bot, "command: '$(touch x)'")
    assert "expected one word" in str(ran.events)
    ran = use(bot, "command: status", "token-variable: PATH")
    assert "expected a name in capitals" in str(ran.events)
    assert not list(bot.machine.root.rglob("x"))


def test_orders_in_a_log_would_be_seen(bot):
    """What the other tests rely on: a step that prints what upstream wrote does give the runner an order."""
    text = CALLER.format(inputs="command: check").replace("printf '%s\\n' \"$SAID\"", "echo '::add-mask::x'")
    ran = bot.machine.run(text, "workflow_dispatch", secrets={"GITHUB_TOKEN": TOKEN})
    assert [each.strip() for each in ran.orders] == ["::add-mask::x"], str(ran.events)
