"""Against values of published tables and of closed forms."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.checks.student import cdf, quantile


@pytest.mark.parametrize(
    ("probability", "freedom", "expected"),
    [
        (0.975, 1, 12.7062),
        (0.95, 2, 2.91999),
        (0.975, 8, 2.30600),
        (0.98, 8, 2.44898),
        (0.99, 18, 2.55238),
        (0.999, 3, 10.2145),
        (0.975, 1e6, 1.95997),
        (0.975, math.inf, 1.95996),
        (0.5, 7, 0.0),
        (0.025, 8, -2.30600),
    ],
)
def test_quantiles_of_the_tables(probability, freedom, expected):
    assert quantile(probability, freedom) == pytest.approx(expected, rel=1e-5, abs=1e-9)


@given(st.floats(-50, 50))
def test_one_and_two_degrees_have_closed_forms(t):
    assert cdf(t, 1) == pytest.approx(0.5 + math.atan(t) / math.pi, abs=1e-12)
    assert cdf(t, 2) == pytest.approx(0.5 + t / (2 * math.sqrt(2 + t * t)), abs=1e-12)


@given(st.floats(0.0001, 0.9999), st.floats(1, 500))
def test_quantile_and_probability_are_inverse(probability, freedom):
    assert cdf(quantile(probability, freedom), freedom) == pytest.approx(probability, abs=1e-9)
