"""Which targets have a fix, and why: evidence, reverts, releases, pins."""
