"""Derivatives are small, sparse, and finite where the function is."""

import random
from itertools import pairwise

import pytest

from multibody.errors import ShapeError
from multibody.graph import (
    absolute,
    adjoint,
    cos,
    directional,
    evaluate,
    functions as f,
    gradient,
    jacobian,
    log,
    maximum,
    minimum,
    sin,
    sqrt,
    symbols,
    topological,
    where,
)

x, y, z = symbols("x y z")

HIDDEN = {
    "quotient": (where(x > 0, 1 / x, y), {x: 0.0, y: 2.0}, [0, 1]),
    "root": (where(x > 0, sqrt(x) * y, y), {x: 0.0, y: 2.0}, [0, 1]),
    "sinc": (where(f.absolute(x) < 1e-3, 1 - x * x / 6, sin(x) / x), {x: 0.0, y: 1.0}, [0, 0]),
    "inside a sum": (y * where(x > 0, log(x), x) + x, {x: 0.0, y: 2.0}, [3, 0]),
    "shared": (where(x > 0, sqrt(x), 0) + where(x > 0, 1, 2) * y, {x: 0.0, y: 2.0}, [0, 2]),
    "maximum": (maximum(sqrt(x), 1) * y, {x: 0.0, y: 2.0}, [0, 1]),
    "minimum": (minimum(1 / x, y), {x: 1e-200, y: 2.0}, [0, 1]),
    "radius": (maximum(sqrt(x * x + y * y), 0.1), {x: 0.0, y: 0.0}, [0, 0]),
}


@pytest.mark.parametrize("name", sorted(HIDDEN))
def test_a_hidden_singularity_does_no_harm(name):
    node, point, expected = HIDDEN[name]
    routes = [gradient(node, [x, y]), list(jacobian([node], [x, y])[0]), [directional(node, {v: 1}) for v in (x, y)]]
    routes.append(adjoint([node, x * y], [1, 0], [x, y]))
    for slopes in routes:
        assert [evaluate(slope, point) for slope in slopes] == pytest.approx(expected, abs=1e-15)


def test_at_a_kink_the_derivative_is_finite():
    for node in (absolute(x), minimum(x, 0), maximum(x, -x), where(x < 0, -x, x), f.sign(x)):
        assert abs(evaluate(gradient(node, [x])[0], {x: 0.0})) <= 1


@pytest.mark.parametrize("seed", range(4))
def test_a_gradient_costs_a_small_multiple_of_the_function(seed):
    """Speelpenning's product and a random deep graph: no expression swell."""
    rng = random.Random(seed)
    inputs = symbols(" ".join(f"q{k}" for k in range(40)))
    nodes = list(inputs)
    for _ in range(400):
        a, b = rng.sample(nodes[-60:], 2)
        nodes.append(rng.choice([a * b, a + b, sin(a) * b, cos(a - b)]))
    size = len(topological([nodes[-1]]))
    assert len(topological(gradient(nodes[-1], inputs))) < 5 * size
    product = inputs[0]
    for factor in inputs[1:]:
        product = product * factor
    assert len(topological(gradient(product, inputs))) < 5 * len(inputs)


def test_a_jacobian_of_a_chain_is_sparse_and_small():
    q = symbols(" ".join(f"q{k}" for k in range(30)))
    outputs = [sin(a) * b for a, b in pairwise(q)]
    matrix = jacobian(outputs, q)
    assert sum(entry != 0 for entry in matrix.flat) == 2 * len(outputs)
    assert len(topological([entry for entry in matrix.flat if entry != 0])) < 6 * len(outputs)


def test_shapes_and_trivial_cases():
    assert jacobian([x, x * y], [x, y, z]).shape == (2, 3)
    assert jacobian(x * y, [x, y]).shape == (1, 2)
    assert jacobian([], [x]).shape == (0, 1)
    assert jacobian([x], []).shape == (1, 0)
    assert gradient(f.pi + x - x, [x]) == [0]
    assert directional([[x, y], [z, 1]], {x: y}).tolist() == [[y, 0], [0, 0]]
    assert jacobian([x, x * x], [x, x]).tolist() == [[1, 1], [2 * x, 2 * x]]
    assert gradient(x * x, [x, x]) == [2 * x, 2 * x]


def test_derivatives_by_expressions_treat_them_as_independent():
    assert gradient(sin(x) ** 2 * y, [sin(x)]) == [2 * sin(x) * y]
    assert directional(sin(x) * x, {sin(x): 1}) is x


def test_weights_must_fit_the_outputs():
    with pytest.raises(ShapeError):
        adjoint([x, y], [1], [x])
