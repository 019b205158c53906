"""Machine code that is made in haste: the same numbers to the last bit, and only until there is better code."""

import numpy as np
import pytest

from multibody.compiler import Function, engine
from multibody.graph import atan2, sin, sqrt, symbol, symbols, where


@pytest.fixture
def polynomials():
    """Sums of products in all their forms, with branches, an angle and a parameter."""
    x, y, z = states = symbols("x y z", "coordinate")
    p = symbol("p", "parameter")
    sums = [x * y + z, x * y - z, z - x * y, x * y + y * z, x * y - p * z, sin(x * p + y) * z - x]
    others = [sqrt(x * x + p * p) * y + z, where(x * y < z, x * y - 1, z * z + x), atan2(x - y * z, 2)]
    return Function("f", {"s": states, "p": p}, {"out": sums + others})


def test_haste_changes_no_bit(polynomials):
    states = np.random.default_rng(5).normal(size=(200, 3)) * [1, 100, 0.01]
    hasty = np.array([polynomials.hasty.fix(p=0.3)(s=state) for state in states])
    careful = np.array([polynomials.fix(p=0.3)(s=state) for state in states])
    together = polynomials.batch(s=states, p=0.3)
    assert np.array_equal(hasty, careful)
    assert np.array_equal(together, careful)


def test_a_product_in_a_sum_is_not_rounded():
    x, y = symbols("x y", "coordinate")
    f = Function("f", {"x": x, "y": y}, {"out": x * x - y})
    value = 1 + 2.0**-30  # its square, 1 + 2^-29 + 2^-60, does not fit into a double
    expected = 2.0**-60 if engine.has_fma() else 0.0
    assert f(value, 1 + 2.0**-29) == f.hasty(value, 1 + 2.0**-29) == expected
    assert f.operations == {"add": 1, "mul": 1}


def test_careful_code_that_is_there_is_taken(polynomials):
    first = polynomials.hasty
    assert first is not polynomials
    polynomials(s=[1, 2, 3], p=1)
    assert polynomials.hasty is polynomials
