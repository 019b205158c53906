"""NumPy's scalars, functions and arrays meet expressions."""

import numpy as np
import pytest

from multibody.errors import ConversionError
from multibody.graph import (
    array,
    constant,
    functions as f,
    is_zero,
    symbols,
    where,
)

x, y, z = symbols("x y z")


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
    "cosh": f.cosh, "tanh": f.tanh, "exp": f.exp, "log": f.log, "sqrt": f.sqrt, "absolute": f.absolute,
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
