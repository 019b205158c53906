"""Functions and operators meet NumPy, conditions, substitution."""

import math
from fractions import Fraction

import numpy as np
import pytest

from multibody.errors import ConditionError, ConversionError, ExpressionError
from multibody.graph import absolute, array, constant, equal, evaluate, free_symbols, is_zero, less, less_equal, maximum, minimum
from multibody.graph import functions as f
from multibody.graph import same, sin, sqrt, substitute, symbol, symbols, where

x, y, z = symbols("x y z")
POINT = {x: 0.4, y: -1.3, z: 2.2}


# --- NumPy -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [np.float64(2.5), np.float32(2.5), np.int64(3), np.array(2.5)[()]])
def test_numpy_scalars_on_either_side(number):
    n = float(number)
    pairs = [(number + x, n + x), (x - number, x - n), (number - x, n - x), (number * x, n * x), (number / x, n / x)]
    pairs += [(x / number, x / n), (x**number, x**n), (number**x, n**x)]
    for got, expected in pairs:
        assert got is expected


@pytest.mark.parametrize("number", [np.float64(2.5), np.float32(2.5), np.int64(3)])
def test_numpy_scalars_in_comparisons(number):
    assert where(number < x, 1, 0) is where(constant(number) < x, 1, 0)
    assert where(x >= number, 1, 0) is where(x >= constant(number), 1, 0)


UNARY = {
    "sin": f.sin, "cos": f.cos, "tan": f.tan, "arcsin": f.asin, "arccos": f.acos, "arctan": f.atan, "sinh": f.sinh,
    "cosh": f.cosh, "tanh": f.tanh, "exp": f.exp, "log": f.log, "sqrt": f.sqrt, "absolute": f.absolute, "sign": f.sign,
    "negative": lambda a: -a, "square": lambda a: a * a, "reciprocal": lambda a: 1 / a,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(UNARY))
def test_numpy_functions_work_on_expressions_and_on_arrays_of_them(name):
    assert getattr(np, name)(x) is UNARY[name](x)
    assert list(getattr(np, name)(np.array([x, y * z]))) == [UNARY[name](x), UNARY[name](y * z)]


def test_numpy_functions_of_two_arguments():
    a, b = np.array([x, y]), np.array([y, z])
    assert list(np.arctan2(a, b)) == [f.atan2(x, y), f.atan2(y, z)]
    assert list(np.power(a, 2)) == [x * x, y * y]
    assert list(a**b) == [x**y, y**z]


def test_matrices_of_expressions():
    a, b = np.array([[x, y], [1, z]]), np.array([[y, 0], [x, 2]])
    product = a @ b
    assert product[0, 0] is x * y + x * y
    assert product[1, 0] is y + z * x
    assert np.trace(a) is x + z
    assert (np.array([x, y]) @ np.array([y, -x])) == 0
    assert is_zero(np.linalg.norm([1.0]) * x - x)
    assert list(2 * np.array([x, y]) - x) == [x, 2 * y - x]
    assert list(x * np.array([1.0, 2.0])) == [x, 2 * x]
    assert np.sum(np.array([x, y, -x])) is y


def test_array_takes_nested_things_and_refuses_ragged_ones():
    assert array([[x, 1], [2.5, y]]).shape == (2, 2)
    assert array(x).shape == ()
    assert array([]).shape == (0,)
    with pytest.raises((ConversionError, ValueError)):
        array([[x, y], [x]])
    with pytest.raises(ConversionError):
        array([x, "y"])


# --- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (f.atan2(x, y), math.atan2(0.4, -1.3)), (f.atan2(-x, y), math.atan2(-0.4, -1.3)), (minimum(x, y), -1.3),
        (maximum(x, y), 0.4), (absolute(y), 1.3), (f.sign(y), -1.0), (f.sign(x), 1.0), (x**-2, 0.4**-2),
        (x**2.5, 0.4**2.5), (x ** Fraction(-1, 2), 0.4**-0.5), (2**y, 2**-1.3), (x**y, 0.4**-1.3), (x**0.3, 0.4**0.3),
        (z ** Fraction(1, 3), 2.2 ** (1 / 3)), (pow(y, 3), (-1.3) ** 3), (y**-3, (-1.3) ** -3), (f.tan(-y), math.tan(1.3)),
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


# --- conditions --------------------------------------------------------------------------------------------------------


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
    values = [(evaluate(where(both, 1, 0), {x: a, y: b}), evaluate(where(either, 1, 0), {x: a, y: b})) for a, b in cases]
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


# --- substitution --------------------------------------------------------------------------------------------------------


def test_substitution_is_simultaneous_and_keeps_the_shape():
    assert substitute(x - 2 * y, {x: y, y: x}) is y - 2 * x
    assert substitute([[x, y], [x * y, 1]], {x: 2}).tolist() == [[2, y], [2 * y, 1]]
    assert substitute(sin(x) * y, {sin(x): z}) is z * y
    assert substitute(x + y, {}) is x + y
    assert substitute(3, {x: 1}) == 3


def test_substitution_rebuilds_every_operation():
    for name in ("sin cos tan asin acos atan sinh cosh tanh exp log sqrt absolute sign".split()):
        function = getattr(f, name)
        assert substitute(function(x), {x: y * 0.25}) is function(y * 0.25)
    for function in (f.atan2, minimum, maximum, f.power):
        assert substitute(function(x, y), {x: z}) is function(z, y)
    assert substitute(where((x < y) & ~(x < z), x, 1 / y), {x: 2 * z}) is where((2 * z < y) & ~(2 * z < z), 2 * z, 1 / y)
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
