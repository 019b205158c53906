"""Evaluation with every kind of number."""

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

from multibody.graph import (
    Constant,
    absolute,
    equal,
    evaluate,
    exp,
    free_symbols,
    functions as f,
    log,
    maximum,
    minimum,
    pi,
    power,
    sign,
    sin,
    sqrt,
    symbols,
    tanh,
    topological,
    where,
)

from .recipes import SMOOTH, agree, built_or_none, node_value, number_or_none, random_point, recipes

x, y, z = symbols("x y z")


@settings(max_examples=250)
@given(recipes(size=10))
def test_floats_mpmath_and_arrays_agree(recipe):
    node = built_or_none(recipe)
    point = random_point(random.Random(4))
    expected = None if node is None or not free_symbols(node) else number_or_none(node_value, node, point)
    if expected is None or abs(expected) > 1e100:
        return
    with mpmath.workdps(50):
        assert agree(evaluate(node, point), expected, 1e-30)
    floats = {name: float(number) for name, number in point.items()}
    got = evaluate(node, floats)
    with np.errstate(all="ignore"):
        arrays = evaluate(node, {name: np.full(3, number) for name, number in floats.items()})
    assert np.broadcast_to(arrays, 3) == pytest.approx(float(got), rel=1e-9, abs=1e-12)


@settings(max_examples=100)
@given(recipes(operations=("add", "sub", "mul", "neg", "square", "cube", "min", "max", "abs", "sign"), size=10))
def test_fractions_are_exact(recipe):
    node = built_or_none(recipe)
    point = {name: Fraction(number, 7) for name, number in zip("xyz", (3, -5, 11), strict=True)}
    value = evaluate(node, point)
    rational = not any(isinstance(n.value, float) for n in _constants(node))
    assert isinstance(value, int | Fraction) or not rational


def _constants(node):
    return [n for n in topological([node]) if isinstance(n, Constant)]


def test_fractions_through_division_and_roots_of_squares():
    assert evaluate((x + 1) / (y - x), {x: Fraction(1, 3), y: Fraction(1, 2)}) == Fraction(8)
    assert evaluate(sqrt(x), {x: Fraction(9, 16)}) == Fraction(3, 4)
    assert isinstance(evaluate(sqrt(x), {x: Fraction(1, 2)}), float)


@settings(max_examples=100)
@given(recipes(operations=SMOOTH, size=10))
def test_complex_step_gives_the_derivative(recipe):
    node = built_or_none(recipe)
    point = random_point(random.Random(9))
    if node is None or number_or_none(node_value, node, point) is None:
        return
    floats = {name: float(number) for name, number in point.items()}
    by_step = complex(evaluate(node, floats | {"x": complex(floats["x"], 1e-100)})).imag / 1e-100
    by_limit = mpmath.diff(lambda t: node_value(node, point | {"x": t}), point["x"])
    assert by_step == pytest.approx(float(by_limit), rel=1e-9, abs=1e-9)


CONTINUED = {
    "abs": (absolute(x), -1.3, -1.0), "abs of the right side": (absolute(x), 1.3, 1.0), "sign": (sign(x), -1.3, 0.0),
    "min": (minimum(x, 2 * x), -1.3, 2.0), "max": (maximum(x, 2 * x), -1.3, 1.0),
    "power": (power(x, 0.3), 1.3, 0.3 * 1.3**-0.7),
    "atan2": (f.atan2(x, -2), -1.3, -2 / (4 + 1.69)), "where": (where(x < 0, x * x, x), -1.3, -2.6),
    "log": (log(x), 1.3, 1 / 1.3), "asin": (f.asin(x / 2), 1.3, 0.5 / math.sqrt(1 - 0.4225)),
    "tanh": (tanh(x), 0.3, 1 - math.tanh(0.3) ** 2),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(CONTINUED))
def test_complex_step_through_functions_with_kinks(name):
    node, at, slope = CONTINUED[name]
    assert complex(evaluate(node, {x: complex(at, 1e-100)})).imag / 1e-100 == pytest.approx(slope, rel=1e-13)


@pytest.mark.parametrize("name", sorted(CONTINUED))
def test_complex_step_with_arrays(name):
    node, at, slope = CONTINUED[name]
    got = evaluate(node, {x: np.array([complex(at, 1e-100)] * 2)})
    assert np.broadcast_to(np.imag(got) / 1e-100, 2) == pytest.approx(slope, rel=1e-13)


EXACT = {
    "sqrt": sqrt(2), "pi": pi, "quotient": pi / 3, "third": f.recip(f.as_expr(3)), "power": power(2, Fraction(1, 3)),
    "abs": absolute(sqrt(2) - 2), "min": minimum(sqrt(2), pi), "max": maximum(sqrt(2), pi), "exp": exp(1),
    "log": log(2),
    "negative": -sqrt(3), "nested": sqrt(1 + sqrt(2)), "sine": sin(pi / 5), "atan2": f.atan2(1, 2), "tanh": tanh(20),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(EXACT))
def test_exact_constants_have_all_digits_in_mpmath(name):
    with mpmath.workdps(60):
        got = evaluate(EXACT[name] * x, {x: mpmath.mpf(1)})
        truth = {
            "sqrt": mpmath.sqrt(2), "pi": mpmath.pi, "quotient": mpmath.pi / 3, "third": mpmath.mpf(1) / 3,
    "power": mpmath.cbrt(2), "abs": 2 - mpmath.sqrt(2), "min": mpmath.sqrt(2), "max": mpmath.pi, "exp": mpmath.e,
            "log": mpmath.log(2), "negative": -mpmath.sqrt(3), "nested": mpmath.sqrt(1 + mpmath.sqrt(2)),
            "sine": mpmath.sin(mpmath.pi / 5), "atan2": mpmath.atan2(1, 2), "tanh": mpmath.tanh(20),
        }[name]  # fmt: skip
        assert abs(got - truth) < mpmath.mpf(10) ** -57


# --- arrays ----------------------------------------------------------------------------------------------------------


def test_arrays_broadcast_and_choose_by_element():
    a, b = np.linspace(-1, 1, 5), np.array([[2.0], [3.0]])
    assert np.array_equal(evaluate(x * y + 1, {x: a, y: b}), a * b + 1)
    assert np.array_equal(evaluate(where((x < 0) | equal(x, 1), y, -y), {x: a, y: 2.0}), [2, 2, -2, -2, 2])
    assert np.array_equal(evaluate(where(~(x < 0) & (x < 1), 1, 0), {x: a}), [0, 0, 1, 1, 0])


def test_the_branch_that_is_not_taken_does_no_harm_in_arrays():
    """No warning either: warnings are errors in these tests."""
    values = evaluate(where(x > 0, sqrt(x), 0), {x: np.array([-1.0, 4.0])})
    assert np.array_equal(values, [0.0, 2.0])
    assert np.array_equal(evaluate(where(equal(x, 0), 1, sin(x) / x), {x: np.array([0.0, 1.0])}), [1.0, math.sin(1.0)])


def test_several_expressions_at_arrays_of_values():
    a = np.array([1.0, 2.0, 3.0])
    first, second = evaluate([x, 2 * x], {x: a})
    assert np.array_equal(first, a)
    assert np.array_equal(second, 2 * a)
    three = evaluate([x, 2 * x, 3 * x], {x: a})  # as many expressions as values
    assert [list(row) for row in three] == [list(a), list(2 * a), list(3 * a)]


def test_the_shape_of_the_expressions_is_kept():
    assert evaluate([[x, 1], [y, x * y]], {x: 2.0, y: 3.0}).tolist() == [[2.0, 1], [3.0, 6.0]]
    assert evaluate(np.array([x, y]), {x: 2.0, y: 3.0}).shape == (2,)
    assert evaluate([], {}).shape == (0,)
    assert evaluate(x, {"x": 5}) == 5
    assert evaluate(7, {}) == 7
