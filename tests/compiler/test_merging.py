"""Values that were made in different places are computed once, but never by a formula that is singular elsewhere."""

import math
import random

import pytest
from tests.graph.recipes import ALL, built_or_none, random_recipe

from multibody.compiler import Function
from multibody.errors import ExpressionError
from multibody.graph import cos, equal, evaluate, sin, symbols, where
from multibody.graph.node import isolated

x, y, z = symbols("x y z")
OPERATIONS = tuple(name for name in ALL if name not in ("sign", "min", "max"))  # they can hide what is not a number


def test_one_value_made_in_two_places_is_computed_once():
    with isolated():
        one = sin(x) * cos(y) + 1
    with isolated():
        other = 1 + cos(y) * sin(x)
    f = Function("f", {"x": x, "y": y}, {"a": one, "b": other})
    assert f.operations == {"add": 1, "cos": 1, "mul": 1, "sin": 1}
    assert f(0.5, 0.25).a == f(0.5, 0.25).b == pytest.approx(evaluate(one, {x: 0.5, y: 0.25}))


def test_a_formula_with_a_hole_does_not_stand_for_one_without():
    a, b = symbols("a b")
    with_hole, without = (a**2 - b**2) / (a - b), a + b
    f = Function(
        "f", {"a": a, "b": b}, {"hole": with_hole, "sum": without, "safe": where(equal(a, b), without, with_hole)}
    )
    assert f(3.0, 1.0) == pytest.approx((4.0, 4.0, 4.0))
    assert math.isnan(f(1.0, 1.0).hole) or f(1.0, 1.0).hole == 2.0
    assert (f(1.0, 1.0).sum, f(1.0, 1.0).safe) == (2.0, 2.0)


def _value(node, point):
    try:
        return float(evaluate(node, point))
    except (ExpressionError, OverflowError):
        return None


@pytest.mark.parametrize("seed", range(6))
def test_every_output_has_its_own_value_where_it_has_one(seed):
    """Also at the corners where formulas have holes: zeros, ones and equal arguments."""
    rng = random.Random(seed)
    nodes = []
    for _ in range(4):
        with isolated():
            nodes += [built_or_none(random_recipe(rng, rng.randint(1, 4), OPERATIONS)) for _ in range(20)]
    nodes = [node for node in nodes if node is not None]
    f = Function("f", {"x": x, "y": y, "z": z}, {"out": nodes})
    for at in ((1.0, 1.0, 1.0), (0.0, 0.5, 0.5), (-1.0, 1.0, -1.0), (0.3, -0.7, 1.9)):
        point = dict(zip((x, y, z), at, strict=True))
        for node, got in zip(nodes, f(*at), strict=True):
            expected = _value(node, point)
            if expected is not None:
                assert got == pytest.approx(expected, rel=1e-9, abs=1e-9), f"{node} at {at}"
