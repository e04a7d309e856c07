"""Which way the known figures are better, and which of them are compared when nobody says."""

from __future__ import annotations

import re

from syncbot.model.checks import Direction

DEFAULT_TOLERANCE = 2.0

# The first group of which every run has a member is what is compared, all members that every run has.
DEFAULTS: tuple[tuple[str, ...], ...] = (("output_throughput", "mean_ttft_ms", "mean_tpot_ms"),)

_HIGHER = re.compile(r"(throughput|goodput|_per_s|_per_second|tokens_per_s|ops|bandwidth|accept_length)$|^rtfx$")
_LOWER = re.compile(r"_(ms|us|ns|s|seconds|latency)$|^(duration|mean|median|min|max|seconds|latency)$")
# Spreads and figures that say how the run was made are not better in either direction.
_NEITHER = re.compile(r"^std_|^stddev$|^total_|^max_concurrent|^concurrency$|^completed$")


def direction_of(name: str) -> Direction | None:
    """Return which way ``name`` is better, None where the name does not tell."""
    if _NEITHER.search(name):
        return None
    if _HIGHER.search(name):
        return Direction.HIGHER
    if _LOWER.search(name):
        return Direction.LOWER
    return None
