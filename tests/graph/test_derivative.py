"""Derivatives by every route against each other, the complex step and mpmath."""

import contextlib
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from tests.refusal import refused

from multibody.errors import ExpressionError, MultibodyError
from multibody.graph import (
    Expr,
    Table,
    absolute,
    adjoint,
    cos,
    directional,
    evaluate,
    exp,
    functions as f,
    gradient,
    is_zero,
    jacobian,
    log,
    maximum,
    minimum,
    power,
    same,
    sin,
    sqrt,
    symbol,
    symbols,
    time_derivative,
    where,
)

from .recipes import (
    ALL,
    SMOOTH,
    agree,
    built,
    built_or_none,
    node_value,
    number_or_none,
    random_point,
    random_recipe,
    recipes,
)

x, y, z = INPUTS = symbols("x y z")
TABLE = Table("f", [-2, -1, 0.5, 1, 3], [1, 3, -1, 0, 2], "cubic")


def _slopes(node, point):
    """∂node/∂(x, y, z) by mpmath's differences with many digits, or None."""
    if number_or_none(node_value, node, point) is None:
        return None
    result = []
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -20
        for name in "xyz":
            left, right = (number_or_none(node_value, node, point | {name: point[name] + s * h}) for s in (-1, 1))
            if left is None or right is None:
                return None
            result.append((right - left) / (2 * h))
    return result


@settings(max_examples=200)
@given(recipes(size=9))
def test_forward_reverse_and_jacobian_against_differences(recipe):
    node = built_or_none(recipe)
    point = random_point(random.Random(5))
    expected = None if node is None else _slopes(node, point)
    if expected is None:
        return
    try:
        forward = [directional(node, {variable: 1}) for variable in INPUTS]
        columns = [gradient(node, INPUTS), list(jacobian([node], INPUTS)[0]), forward]
    except MultibodyError:  # log of a negative base
        return
    for column in columns:
        got = [number_or_none(node_value, slope, point) for slope in column]
        if None not in got:
            assert all(agree(a, b, 1e-15) for a, b in zip(got, expected, strict=True)), f"{node}: {column}"


@pytest.mark.parametrize("seed", range(4))
def test_all_routes_give_the_same_function(seed):
    rng = random.Random(seed)
    for _ in range(30):
        nodes = [built(random_recipe(rng, rng.randint(2, 12), SMOOTH)) for _ in range(3)]
        matrix = jacobian(nodes, INPUTS)
        for i, node in enumerate(nodes):
            reverse = gradient(node, INPUTS)
            for j, variable in enumerate(INPUTS):
                assert same(matrix[i, j], reverse[j])
                assert same(matrix[i, j], directional(node, {variable: 1}))


def test_adjoint_and_directional_are_products_with_the_jacobian():
    rng = random.Random(11)
    nodes = [built(random_recipe(rng, 9, SMOOTH)) for _ in range(4)]
    weights, rates = symbols("w1 w2 w3 w4"), symbols("v1 v2 v3")
    matrix = jacobian(nodes, INPUTS)
    assert all(same(a, b) for a, b in zip(adjoint(nodes, weights, INPUTS), np.array(weights) @ matrix, strict=True))
    along = directional(nodes, dict(zip(INPUTS, rates, strict=True)))
    assert all(same(a, b) for a, b in zip(along, matrix @ np.array(rates), strict=True))


OPERATIONS = {
    "sin": sin(x * y), "tan": f.tan(x * y), "asin": f.asin(x / 3), "acos": f.acos(x * y / 9), "atan": f.atan(x * y),
    "atan2": f.atan2(x * y, x - y), "sinh": f.sinh(x * y), "cosh": f.cosh(x - y), "tanh": f.tanh(x * y),
    "exp": exp(x * y),
    "log": log(x * x + y), "sqrt": sqrt(x * x + y), "abs": absolute(x - 3 * y), "sign": f.sign(x - y) * x,
    "min": minimum(x, y * y),
    "max": maximum(x * y, y), "power": power(x, y), "cube root": power(x * y, Fraction(1, 3)), "base": power(2, x * y),
    "negative power": (x * y) ** -3, "half power": (x + y) ** 2.5, "where": where(x < y, sin(x), x * y),
    "table": TABLE(x * y) * x,
    "quotient": sin(x) / (x * x + y), "condition on a table": where(TABLE(x) < 0, x, TABLE(y) * x),
    "nested": sin(exp(cos(x * y))),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(OPERATIONS))
@pytest.mark.parametrize("at", [(0.7, 0.4), (1.3, 0.9), (0.2, 1.7)])
def test_each_operation_against_the_complex_step(name, at):
    node = OPERATIONS[name]
    point = dict(zip((x, y), at, strict=True))
    for k, variable in enumerate((x, y)):
        step = complex(evaluate(node, point | {variable: complex(at[k], 1e-150)})).imag / 1e-150
        for slope in (
            gradient(node, [variable])[0],
            directional(node, {variable: 1}),
            jacobian([node], [variable])[0, 0],
        ):
            assert evaluate(slope, point) == pytest.approx(step, rel=1e-12, abs=1e-14)


# --- time ------------------------------------------------------------------------------------------------------------


def test_time_derivative_along_rates():
    t, m = symbol("t", "time"), symbol("m", "parameter")
    q, u, a = symbol("q", "coordinate"), symbol("u", "speed"), symbols("a")[0]
    position = m * sin(q) + t * t
    velocity = time_derivative(position, {q: u})
    assert same(velocity, m * cos(q) * u + 2 * t)
    assert same(time_derivative(velocity, {q: u, u: a}), m * cos(q) * a - m * sin(q) * u**2 + 2)
    assert list(time_derivative([q, m, t], {q: u})) == [u, 0, 1]
    with refused("value-missing"):
        time_derivative(q * u, {q: u})


@pytest.mark.parametrize("seed", range(3))
def test_second_derivatives_are_symmetric_and_leibniz_holds(seed):
    rng = random.Random(seed)
    for _ in range(10):
        a, b = (built(random_recipe(rng, 6, SMOOTH)) for _ in range(2))
        hessian = jacobian(gradient(a * b, INPUTS), INPUTS)
        assert all(is_zero(entry) for entry in (hessian - hessian.T).flat)
        assert same(directional(a * b, {x: 1}), directional(a, {x: 1}) * b + a * directional(b, {x: 1}))


def test_every_operation_has_a_derivative():
    rng, derived = random.Random(1), 0
    for _ in range(300):
        node = built_or_none(random_recipe(rng, 6, ALL))
        with contextlib.suppress(ExpressionError):  # (-2)**x is refused: it has a value for whole x only
            derived += isinstance(directional(x if node is None else node, {x: 1}), Expr)
    assert derived > 250


@pytest.mark.parametrize("halves", [3, 5, 7])
def test_half_powers_have_a_slope_at_zero(halves):
    """x^(n/2) has the slope n/2·x^(n/2 - 1), also where x is zero, as in max(x, 0)^1.5 before a contact."""
    (x,) = symbols("x")
    n = halves / 2
    cases = [(power(maximum(x, 0), n), -1.0, 0.0), (power(maximum(x, 0), n), 0.0, 0.0), (power(-x, n), 0.0, 0.0)]
    cases += [(power(maximum(x, 0), n), 0.7, n * 0.7 ** (n - 1)), (power(-x, n), -0.7, -n * 0.7 ** (n - 1))]
    for law, value, slope in cases:
        for derivative in (directional(law, {x: 1}), gradient(law, [x])[0], jacobian([law], [x])[0, 0]):
            assert float(evaluate(derivative, {x: value})) == pytest.approx(slope, rel=1e-14)
