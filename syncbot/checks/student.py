"""Student's t distribution: the probability below a value, and the value below which a probability lies.

Forty lines in place of a hundred megabytes (docs/decisions/0040-own-student-t.md). Right to nine digits for every
degree of freedom a comparison of runs can have, whole or not.
"""

from __future__ import annotations

import functools
import math

_TINY = 1e-300
_EPSILON = 1e-15
_STEPS = 500


def cdf(t: float, freedom: float) -> float:
    """Return the probability of a value below ``t``; ``freedom`` is above 0, and may be infinite (normal)."""
    if math.isinf(freedom):
        return 0.5 * math.erfc(-t / math.sqrt(2))
    if t == 0:
        return 0.5
    square = t * t
    tail = 0.5 * _beta(freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5)
    return 1 - tail if t > 0 else tail


@functools.lru_cache(maxsize=1024)
def quantile(probability: float, freedom: float) -> float:
    """Return the value below which ``probability`` (above 0, under 1) lies."""
    if probability < 0.5:
        return -quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while cdf(high, freedom) < probability:
        low, high = high, high * 2
    # Bisection on doubles ends by itself, when nothing lies between the two.
    while low < (middle := (low + high) / 2) < high:
        if cdf(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return high


def _beta(x: float, rest: float, a: float, b: float) -> float:
    """Regularised incomplete beta function at ``x``, where ``rest`` is 1 - x without its rounding."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest))
    # The fraction converges fast on one side of the mean only; the other side is the mirror image.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(rest, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Continued fraction of the incomplete beta function, by the method of Lentz."""
    c = 1.0
    d = 1 / ((1 - (a + b) * x / (a + 1)) or _TINY)
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / ((1 + term * d) or _TINY)
            c = (1 + term / c) or _TINY
            value *= c * d
        if abs(c * d - 1) < _EPSILON:
            break
    return value
