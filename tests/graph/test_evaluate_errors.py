"""What evaluation says where there is no value, and when it keeps silent."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from tests.refusal import refused

from multibody.errors import ExpressionError
from multibody.graph import (
    absolute,
    cos,
    evaluate,
    functions as f,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sqrt,
    symbols,
    where,
)

x, y, z = symbols("x y z")


def test_numpy_scalars_are_numbers_like_any_other():
    for node in (sign(x), absolute(x), minimum(x, 1), where(x < 0, x, 1), sqrt(x), x**0.3, f.atan2(x, 2), 1 / x):
        for number in (np.float64(0.7), np.float32(0.5), np.int64(2)):
            assert evaluate(node, {x: number}) == pytest.approx(evaluate(node, {x: float(number)}), rel=1e-6)


def test_missing_values_are_listed_by_name():
    with refused("value-missing"):
        evaluate([x * y, z], {y: 1.0})


@pytest.mark.parametrize("number", [float, np.float64, mpmath.mpf])
@pytest.mark.parametrize(
    ("node", "at"), [(1 / x, 0), (sqrt(x), -1), (log(x), 0), (f.asin(x), 2), (cos(x) / (x - 1), 1)]
)
def test_an_operation_without_a_value_is_named(node, at, number):
    with refused("expression-without-value"):
        evaluate(node, {x: number(at)})


@pytest.mark.parametrize("node", [where(x > 0, 1 / x, y), where(x > 0, log(x), y), where(x < 0, y, sqrt(x) / x)])
@pytest.mark.parametrize("number", [float, Fraction, mpmath.mpf, complex])
def test_the_branch_that_is_not_taken_does_no_harm(node, number):
    assert evaluate(node, {x: number(-1), y: number(3)}) == 3


@pytest.mark.parametrize(
    "node", [minimum(x, y), minimum(y, x), maximum(x, y), sign(x), absolute(x), sin(x) * y, where(y > 0, x, y)]
)
@pytest.mark.parametrize("kind", [float, np.float64, lambda number: np.array([number]), mpmath.mpf])
def test_not_a_number_goes_through(node, kind):
    for a, b in ((x, y), (y, x)):
        values = {a: kind(math.nan), b: kind(1.0)}
        if a is x or node in (minimum(x, y), maximum(x, y)):
            result = np.asarray(evaluate(node, values), dtype=float)
            assert np.isnan(result).all(), f"{node} at {values}"


def test_a_fault_is_not_swallowed_by_a_minimum():
    for node in (minimum(y, sqrt(x)), minimum(sqrt(x), y), maximum(y, log(x)), sign(sqrt(x)) + y):
        with pytest.raises(ExpressionError):
            evaluate(node, {x: -1.0, y: 1.0})
