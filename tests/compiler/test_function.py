"""Compiled functions compute what their expressions say."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from tests.compiler.rounding import truth_and_bound
from tests.graph.recipes import ALL, built_or_none, random_point, random_recipe, recipes

from multibody.compiler import Function
from multibody.graph import (
    Table,
    absolute,
    atan2,
    constant,
    cos,
    equal,
    evaluate,
    exp,
    functions as f,
    maximum,
    minimum,
    power,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
    topological,
    where,
)

x, y, z = symbols("x y z")
m, k = symbols("m k", "parameter")
PORTS = {"x": x, "y": y, "z": z}
TABLE = Table("f", [-2, -1, 0.5, 1, 3], [1, 3, -1, 0, 2], "cubic")


def _inside(got, node, point):
    found = truth_and_bound(node, point)
    if found is not None and abs(found[0]) < 1e300:
        truth, bound = found
        assert abs(got - truth) <= 2 * bound + 1e-300, (
            f"{node} at {point}: {got}, not {truth}, off by {abs(got - truth) / bound} bounds"
        )
    return found is not None


@pytest.mark.parametrize("seed", range(6))
def test_random_functions_round_as_doubles_must(seed):
    """Forty expressions with all operations in one function, at many points: within the bound of rounding analysis."""
    rng = random.Random(seed)
    nodes = [built_or_none(random_recipe(rng, rng.randint(1, 12), ALL)) for _ in range(60)]
    nodes = [node for node in nodes if node is not None]
    function = Function("f", PORTS, {"out": nodes})
    checked = 0
    for _ in range(4):
        point = {name: float(number) for name, number in random_point(rng).items()}
        checked += sum(_inside(got, node, point) for got, node in zip(function(**point), nodes, strict=True))
    assert checked > 60


@settings(max_examples=25)
@given(recipes(size=14))
def test_random_functions_with_choices(recipe):
    node = built_or_none(recipe)
    if node is not None:
        function = Function("f", PORTS, {"out": node})
        for seed in (1, 2, 3):
            point = {name: float(number) for name, number in random_point(random.Random(seed)).items()}
            _inside(function(**point), node, point)


OPERATIONS = {
    "add": x + y, "sub": x - y, "mul": x * y, "div": x / y, "recip": 1 / y, "neg": -x, "sqrt": sqrt(x * x + 1),
    "abs": absolute(x * y),
    "sign": sign(x - y), "min": minimum(x, y), "max": maximum(x, y), "pow": power(exp(x), y), "sin": sin(x),
    "cos": cos(x), "tan": tan(x),
    "asin": f.asin(x / 9), "acos": f.acos(x / 9), "atan": f.atan(x), "atan2": atan2(x, y), "sinh": f.sinh(x),
    "cosh": f.cosh(y),
    "tanh": f.tanh(x), "exp": exp(x), "log": f.log(x * x), "table": TABLE(x), "lt": where(x < y, x, y),
    "le": where(x <= y, x, 2 * y),
    "eq": where(equal(x, y), 1, 2), "and": where((x < y) & (x > 0), x, y), "or": where((x < y) | (x > 1), x, y),
    "not": where(~((x < y) & (y < 2)), x, y), "constant": constant(0.1), "pi": f.pi * x, "cube": x**3 - y**-2,
}  # fmt: skip
POINTS = [(0.5, -1.25), (-2.0, 3.0), (1.5, 1.5), (-0.75, -0.75), (2.9, 0.01)]


@pytest.fixture(scope="module")
def every_operation():
    return Function("every_operation", {"x": x, "y": y}, OPERATIONS)


@pytest.mark.parametrize("at", POINTS)
def test_every_operation_agrees_with_evaluate(every_operation, at):
    results = every_operation(*at)
    for name, node in OPERATIONS.items():
        expected = evaluate(node, dict(zip((x, y), at, strict=True)))
        assert getattr(results, name) == pytest.approx(float(expected), rel=3e-16), name


@pytest.mark.parametrize("at", [(math.nan, 1.0), (1.0, math.nan), (math.nan, math.nan)])
def test_not_a_number_in_not_a_number_out(every_operation, at):
    results = every_operation(*at)
    unaffected = {"constant", "eq", "cosh", "lt", "le", "and", "or", "not"}
    for name, node in OPERATIONS.items():
        used = [number for symbol_, number in zip((x, y), at, strict=True) if symbol_ in topological([node])]
        if name not in unaffected and any(map(math.isnan, used)):
            assert math.isnan(getattr(results, name)), name
    assert results.eq == 2.0
    assert (results.lt, results.le) == pytest.approx(
        (at[1], 2 * at[1]), nan_ok=True
    )  # a false comparison takes the second


def test_infinities():
    nodes = {
        "a": 1 / x,
        "b": x * 2,
        "c": f.tanh(x),
        "d": f.atan(x),
        "e": minimum(x, 1),
        "f": maximum(x, 1),
        "g": exp(-x),
        "h": x - x * y,
    }
    g = Function("g", {"x": x, "y": y}, nodes)
    assert g(math.inf, 0.5).as_dict() == {
    "a": 0.0, "b": math.inf, "c": 1.0, "d": math.pi / 2, "e": 1.0, "f": math.inf, "g": 0.0,
    "h": pytest.approx(math.nan, nan_ok=True),
    }  # fmt: skip
    assert g(0.0, 0.5).a == math.inf
    assert g(-0.0, 0.5).a == -math.inf
    assert math.isnan(Function("r", {"x": x}, {"y": sqrt(x)})(-1.0))


@pytest.mark.parametrize("at", [-3.0, -2.0, -1.5, 0.5, 1.0, 2.999, 3.0, 17.0, math.inf, -math.inf, math.nan])
def test_tables_agree_with_evaluate_everywhere(at):
    with np.errstate(invalid="ignore"):
        for table in (TABLE, TABLE.derivative(), Table("g", [0, 1], [5, 7]), Table("h", range(9), np.arange(9.0) ** 2)):
            got = Function("f", {"x": x}, {"y": table(x)})(at)
            assert got == pytest.approx(evaluate(table(x), {x: at}), rel=1e-14, nan_ok=True)
