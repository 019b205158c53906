import math
import random
import subprocess
import sys

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from sympy.physics.biomechanics import FiberForceLengthPassiveDeGroote2016
from sympy.physics.mechanics import dynamicsymbols
from tests.refusal import refused

from multibody.errors import ConversionError, ExpressionError, InvalidNameError
from multibody.graph import (
    Table,
    absolute,
    atan2,
    constant,
    cos,
    equal,
    evaluate,
    exp,
    free_symbols,
    log,
    maximum,
    minimum,
    pi,
    power,
    sign,
    sin,
    sqrt,
    symbol,
    tanh,
    where,
)
from multibody.graph.sympy.bridge import from_sympy, to_sympy

from .strategies import SYMBOLS, expressions, graphs, smooth_expressions, symbols

x, y, z = SYMBOLS[:3]
X, Y, Z = sympy.symbols("x y z")
t = dynamicsymbols._t


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (X + Y - Z, x + y - z),
        (2 * X / (3 * Y), 2 * x / (3 * y)),
        (X**3, x**3),
        (X**-2, 1 / x**2),
        (sympy.sqrt(X), sqrt(x)),
        (X ** sympy.Rational(-3, 2), 1 / sqrt(x) ** 3),
        (X ** sympy.Rational(1, 3), power(x, constant(1) / 3)),
        (X**Y, power(x, y)),
        (2**X, power(2, x)),
        (sympy.Rational(1, 3), constant(1) / 3),
        (sympy.Float(0.1), constant(0.1)),
        (sympy.Integer(7), constant(7)),
        (sympy.pi / 3, pi / 3),
        (sympy.sqrt(2) / 2, sqrt(2) / 2),
        (sympy.E, exp(1)),
        (sympy.exp(X), exp(x)),
        (sympy.log(X), log(x)),
        (sympy.sin(X) * sympy.cos(Y), sin(x) * cos(y)),
        (sympy.atan2(Y, X), atan2(y, x)),
        (sympy.Abs(X), absolute(x)),
        (sympy.sign(X), sign(x)),
        (sympy.sec(X) * sympy.cot(Y), 1 / cos(x) * cos(y) / sin(y)),
        (sympy.Min(X, Y, Z), minimum(minimum(x, y), z)),
        (sympy.Max(X, 0), maximum(x, 0)),
        (sympy.Heaviside(X), where(x < 0, 0, where(constant(0) < x, 1, constant(1) / 2))),
        (sympy.Piecewise((X, X < Y), (Y, X < Z), (0, True)), where(x < y, x, where(x < z, y, 0))),
        (sympy.Piecewise((X, (X < Y) & sympy.Ne(X, Z)), (0, True)), where((x < y) & ~equal(x, z), x, 0)),
        (sympy.re(X) + sympy.im(Y), x),
        (X < Y, x < y),
        (X >= Y, y <= x),
        (sympy.Eq(X, Y), equal(x, y)),
        (sympy.true, True),
        (t, symbol("t", "time")),
        (dynamicsymbols("q"), symbol("q", "coordinate")),
        (dynamicsymbols("q", 1), symbol("q_dot", "speed")),
        (dynamicsymbols("q", 2), symbol("q_ddot", "variable")),
        (sympy.Symbol("m", positive=True), symbol("m")),
        (3, constant(3)),
        (x, x),
    ],
)
def test_sympy_is_understood(theirs, ours):
    assert from_sympy(theirs) is ours


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (x + y, X + Y),
        (2 * x / 3 - y, 2 * X / 3 - Y),
        (x**2 / y, X**2 / Y),
        (sqrt(x), sympy.sqrt(X)),
        (sqrt(2) * pi / 2, sympy.sqrt(2) * sympy.pi / 2),
        (sin(x) + exp(y), sympy.sin(X) + sympy.exp(Y)),
        (constant(0.1), sympy.Float(0.1)),
        (where(x < y, x, 1), sympy.Piecewise((X, X < Y), (1, True))),
        (minimum(x, y), sympy.Min(X, Y)),
        (x < y, X < Y),
        (symbol("q", "coordinate"), dynamicsymbols("q")),
        (symbol("q_dot", "speed"), dynamicsymbols("q", 1)),
        (symbol("u1", "speed"), dynamicsymbols("u1")),
        (symbol("q_ddot"), dynamicsymbols("q", 2)),
        (symbol("F", "input"), dynamicsymbols("F")),
        (symbol("t", "time"), t),
        (symbol("m", "parameter"), sympy.Symbol("m")),
    ],
)
def test_sympy_gets_its_own_objects(ours, theirs):
    assert to_sympy(ours) == theirs


def test_a_mapping_decides_what_symbols_mean():
    m, u = symbol("m", "parameter"), symbol("u", "speed")
    q = dynamicsymbols("q")
    assert from_sympy(sympy.Symbol("m") * q.diff(t), {sympy.Symbol("m"): m, q.diff(t): u}) is m * u
    assert from_sympy(sympy.Symbol("m") * q, {"m": 2, "q": u}) is 2 * u
    assert from_sympy(sympy.Symbol("m") + dynamicsymbols("u"), [m, u]) is m + u
    positive = sympy.Symbol("m", positive=True)
    assert to_sympy(m * x, {m: positive}) == positive * X
    assert to_sympy(m * x, {"m": positive}) == positive * X


def test_kinds_and_scopes_come_back():
    parts = [symbol("a", "parameter", "arm"), symbol("q", "coordinate"), symbol("q_dot", "speed"), symbol("F", "input")]
    expr = parts[0] * cos(parts[1]) * parts[2] - parts[3]
    assert from_sympy(to_sympy(expr), free_symbols(expr)) is expr


def test_two_symbols_do_not_become_one():
    clash = symbol("x", "parameter") + symbol("x", "variable")
    with refused("symbol-name-ambiguous"):
        to_sympy(clash)
    assert to_sympy(clash, {symbol("x", "parameter"): Y}) == X + Y


def test_matrices_become_arrays_and_come_back():
    theirs = sympy.Matrix([[X, X * Y, 0], [1, sympy.sin(Z), Y]])
    ours = from_sympy(theirs)
    assert ours.shape == (2, 3)
    assert ours[0, 1] is x * y
    assert ours[1, 0] is constant(1)
    assert to_sympy(ours) == theirs
    assert from_sympy(sympy.ImmutableMatrix([X, Y])).shape == (2, 1)
    assert to_sympy(np.array([x, y], dtype=object)) == sympy.Matrix([X, Y])
    assert to_sympy([[x, 1]]) == sympy.Matrix([[X, 1]])
    assert from_sympy(sympy.zeros(0, 3)).shape == (0, 3)
    with refused("array-wrong-shape"):
        to_sympy(np.full((1, 1, 1), x, dtype=object))


BEYOND_ONE = (1.2, 1.9, 30.0)
REAL = dict.fromkeys((sympy.acosh, sympy.acoth, sympy.asec, sympy.acsc), BEYOND_ONE) | {sympy.asech: (0.1, 0.5, 0.9)}


@pytest.mark.parametrize(
    "function",
    [
        sympy.asinh, sympy.acosh, sympy.atanh, sympy.acsch, sympy.asech, sympy.acoth, sympy.asec, sympy.acsc,
        sympy.acot, sympy.sech, sympy.csch, sympy.coth, sympy.sinc, sympy.UnevaluatedExpr,
        lambda a: sympy.SingularityFunction(a, sympy.Rational(1, 10), 2),
        lambda a: sympy.Piecewise((a, sympy.Xor(a < 0, a > -1)), (2, True)),
        lambda a: sympy.Derivative(a**3, a),
        FiberForceLengthPassiveDeGroote2016.with_defaults,
    ],
)  # fmt: skip
def test_functions_that_follow_from_others(function):
    ours, theirs = from_sympy(function(X)), function(X).doit().simplify()
    for at in REAL.get(function, (-0.3, 0.2, 0.8)):
        assert math.isclose(evaluate(ours, {x: at}), float(theirs.subs(X, at)), rel_tol=1e-13)


def test_functions_at_special_places():
    assert evaluate(from_sympy(sympy.sinc(X)), {x: 0.0}) == 1
    assert math.isclose(evaluate(from_sympy(sympy.asinh(X)), {x: -1e8}), math.asinh(-1e8), rel_tol=1e-8)


def test_tables_pass_as_functions():
    spring = Table("spring", [0, 1, 2], [0, 1, 4])
    theirs = to_sympy(spring(x) * y)
    assert theirs == sympy.Function("spring")(X) * Y
    assert from_sympy(theirs, functions={"spring": spring}) is spring(x) * y


@pytest.mark.parametrize(
    "thing",
    [
        sympy.I,
        X * sympy.I,
        sympy.oo,
        -sympy.oo,
        sympy.zoo,
        sympy.nan,
        sympy.Integral(sympy.exp(X**2), X),
        sympy.Function("f")(X),
        sympy.gamma(X),
        sympy.Derivative(sympy.Function("f")(X), X),
        sympy.Derivative(dynamicsymbols("q"), t, 3),
        sympy.floor(X),
        sympy.Sum(X, (X, 1, 3)),
        sympy.Piecewise((X, X < Y)),
        sympy.EulerGamma,
        sympy.MatrixSymbol("A", 2, 2),
        "x + y",
        None,
        object(),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(thing):
    with pytest.raises(ConversionError) as caught:
        from_sympy(thing)
    assert caught.value.remedy


def test_the_refusal_names_the_object():
    with refused("sympy-object-without-counterpart"):
        from_sympy(1 + sympy.sin(sympy.gamma(X)))
    with refused("sympy-object-without-counterpart"):
        from_sympy(1 + sympy.Integral(Y, (Y, 0, X)))


def test_odd_names_are_refused():
    with pytest.raises(InvalidNameError):
        from_sympy(sympy.Symbol(r"\alpha x"))


@given(smooth_expressions(size=12))
def test_smooth_expressions_come_back_unchanged(expr):
    assert from_sympy(to_sympy(expr)) is expr


@given(graphs(size=15))
def test_shared_graphs_come_back_unchanged_without_evaluation(expr):
    assert from_sympy(to_sympy(expr, evaluate=False)) is expr


def _values(expr, random_numbers):
    return evaluate(expr, {s: random_numbers.uniform(0.2, 2) for s in SYMBOLS})


@settings(max_examples=150)
@given(expressions(symbols, size=10))
def test_every_expression_comes_back_with_its_value(expr):
    again = from_sympy(to_sympy(expr))
    try:
        first = _values(expr, random.Random(1))
        second = _values(again, random.Random(1))
    except ExpressionError:
        assume(False)
    assert second == pytest.approx(first, rel=1e-6, abs=1e-9) or abs(first) > 1e12 or not math.isfinite(first)


@given(smooth_expressions(symbols, size=10))
def test_sympy_computes_the_same_value(expr):
    values = {s: random.Random(s.name).uniform(0.2, 2) for s in SYMBOLS}
    theirs = to_sympy(expr).evalf(30, subs={sympy.Symbol(s.name): sympy.Float(v, 40) for s, v in values.items()})
    assert float(theirs) == pytest.approx(float(evaluate(expr, values)), rel=1e-9, abs=1e-9)


def test_a_shared_graph_does_not_explode():
    expr = x
    for _ in range(200):
        expr = sin(expr) * y + cos(expr)
    for option in (False, None):
        assert from_sympy(to_sympy(expr, evaluate=option)) is expr


def test_a_deep_chain_does_not_exhaust_the_stack():
    expr = x
    for _ in range(3000):
        expr = tanh(expr) * y
    assert from_sympy(to_sympy(expr)) is expr


def test_a_long_sum_is_converted_at_once():
    expr = sum((symbol(f"part{i}") * x for i in range(1000)), start=y)
    theirs = to_sympy(expr)
    assert len(theirs.args) == 1001
    assert from_sympy(theirs) is expr


def test_sympy_is_imported_only_when_needed():
    code = "import sys, multibody.graph.sympy.bridge; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=300).returncode == 0
