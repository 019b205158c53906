"""Functions and operators meet NumPy, conditions, substitution."""

import math
from fractions import Fraction

import numpy as np
import pytest

from multibody.errors import ConditionError, ConversionError, ExpressionError
from multibody.graph import (
    absolute,
    equal,
    evaluate,
    free_symbols,
    functions as f,
    less,
    less_equal,
    maximum,
    minimum,
    same,
    sin,
    sqrt,
    substitute,
    symbol,
    symbols,
    where,
)

x, y, z = symbols("x y z")
POINT = {x: 0.4, y: -1.3, z: 2.2}


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (f.atan2(x, y), math.atan2(0.4, -1.3)), (f.atan2(-x, y), math.atan2(-0.4, -1.3)), (minimum(x, y), -1.3),
        (maximum(x, y), 0.4), (absolute(y), 1.3), (f.sign(y), -1.0), (f.sign(x), 1.0), (x**-2, 0.4**-2),
        (x**2.5, 0.4**2.5), (x ** Fraction(-1, 2), 0.4**-0.5), (2**y, 2**-1.3), (x**y, 0.4**-1.3), (x**0.3, 0.4**0.3),
    (z ** Fraction(1, 3), 2.2 ** (1 / 3)), (pow(y, 3), (-1.3) ** 3), (y**-3, (-1.3) ** -3),
    (f.tan(-y), math.tan(1.3)),
        (f.asin(-x), math.asin(-0.4)), (f.acos(-x), math.acos(-0.4)), (f.log(f.exp(y)), -1.3), (f.exp(f.log(x)), 0.4),
        (sqrt(y * y), 1.3), (sqrt(x) ** 2, 0.4), (abs(-x * y), 0.52), (x**1e3, 0.4**1e3),
    ],
)  # fmt: skip
def test_values(node, expected):
    assert evaluate(node, POINT) == pytest.approx(expected, rel=1e-14)


def test_symmetry_is_used():
    assert f.cos(-x) is f.cos(x)
    assert f.sinh(-x) is -f.sinh(x)
    assert f.atan(-x) is -f.atan(x)
    assert f.acos(-x) is not f.acos(x)
    assert absolute(-x) is absolute(x)
    assert f.sign(-x) is -f.sign(x)
    assert minimum(x, y) is minimum(y, x)
    assert same(maximum(x, y), x + y - minimum(x, y))


# --- conditions ------------------------------------------------------------------------------------------------------


def test_conditions_are_decided_where_they_can_be():
    assert less(1, 2) is True
    assert less(f.pi, 3) is False
    assert less_equal(x, x) is True
    assert less(x, x) is False
    assert equal(sin(x) ** 2 + f.cos(x) ** 2, 1) is True
    assert where(True, x, y) is x
    assert where(np.False_, x, y) is y
    assert where(x < y, z, z) is z


def test_conditions_combine():
    both, either = (x > 0) & (y < 1), (x > 0) | (y < 1)
    cases = [(-1, 0), (1, 0), (1, 2), (-1, 2)]
    values = [
        (evaluate(where(both, 1, 0), {x: a, y: b}), evaluate(where(either, 1, 0), {x: a, y: b})) for a, b in cases
    ]
    assert values == [(0, 1), (1, 1), (0, 1), (0, 0)]
    assert evaluate(where(~both, 1, 0), {x: 1, y: 0}) == 0
    assert ~~both is both
    assert (both & True, both & False, both | True, both | False) == (both, False, True, both)
    assert (True & both, False | both) == (both, both)
    assert (both & both, both | both) == (both, both)


def test_a_condition_that_is_not_one_is_refused():
    for wrong in (x, 3, None, "x < 0", [True], np.array([True, False])):
        with pytest.raises((ConversionError, ConditionError)):
            where(wrong, x, y)
    for wrong in ("abc", 3, None):
        with pytest.raises((ConversionError, ConditionError, TypeError)):
            (x > 0) & wrong


def test_not_a_number_makes_a_comparison_false():
    for condition, expected in ((x < 0, 0), (x >= 0, 0), (~(x < 0), 1), (equal(x, x + y), 0)):
        assert evaluate(where(condition, 1, 0), {x: math.nan, y: 0.0}) == expected


# --- substitution ----------------------------------------------------------------------------------------------------


def test_substitution_is_simultaneous_and_keeps_the_shape():
    assert substitute(x - 2 * y, {x: y, y: x}) is y - 2 * x
    assert substitute([[x, y], [x * y, 1]], {x: 2}).tolist() == [[2, y], [2 * y, 1]]
    assert substitute(sin(x) * y, {sin(x): z}) is z * y
    assert substitute(x + y, {}) is x + y
    assert substitute(3, {x: 1}) == 3


def test_substitution_rebuilds_every_operation():
    for name in "sin cos tan asin acos atan sinh cosh tanh exp log sqrt absolute sign".split():
        function = getattr(f, name)
        assert substitute(function(x), {x: y * 0.25}) is function(y * 0.25)
    for function in (f.atan2, minimum, maximum, f.power):
        assert substitute(function(x, y), {x: z}) is function(z, y)
    assert substitute(where((x < y) & ~(x < z), x, 1 / y), {x: 2 * z}) is where(
        (2 * z < y) & ~(2 * z < z), 2 * z, 1 / y
    )
    assert substitute(where((x < y) | (x < 1), x, y), {x: 0}) == 0


def test_numbers_may_be_substituted_where_the_other_branch_has_no_value():
    assert substitute(where(x > 0, 1 / x, 0), {x: 0}) == 0
    assert substitute(where(x > 0, f.log(x), y), {x: -1}) is y
    assert substitute(where(x > 0, sqrt(x), y), {x: -1}) is y


def test_substitution_of_a_value_without_meaning_is_refused():
    with pytest.raises(ExpressionError):
        substitute(1 / x, {x: 0})
    with pytest.raises(ConversionError):
        substitute(x, {x: "2"})


def test_free_symbols_in_alphabetical_order():
    b = symbol("b", "parameter")
    assert free_symbols([x * b, sin(y) + 1, where(z < 0, 1, 2)]) == [b, x, y, z]
    assert free_symbols([1, f.pi]) == []


@pytest.mark.parametrize("count", [1, 2, 3, 7, 80])
def test_extrema_of_many_values(count):
    """Every value takes part, wherever it is."""
    for place in range(count):
        numbers = [1.0 + k for k in range(count)]
        numbers[place] = -5.0
        assert float(f.smallest(numbers)) == -5.0
        assert float(f.largest([-number for number in numbers])) == 5.0
