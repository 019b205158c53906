"""Recipes: expressions as nested tuples, made into nodes of the graph and, independently of it, into numbers.

A recipe is a number, the name of a symbol, "pi", or (operation, recipe, ...). ``built`` hands it to the graph,
``value`` does the same operations with mpmath, so that what the graph makes of it can be compared with what was meant.
"""

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
from hypothesis import strategies as st

from multibody.errors import MultibodyError
from multibody.graph import functions as f
from multibody.graph.expr import Constant, Expr, Symbol, constant, recip
from multibody.graph.piecewise import conditions as c
from multibody.graph.traverse import topological

Recipe = Any
NAMES = ("x", "y", "z")
CLOSE = mpmath.mpf(10) ** -40


class UndefinedError(Exception):
    """There is no finite real value, or it hangs on the last digits, as that of 1/x or sign(x) does near x = 0."""


def _apart_from_zero(number):
    if abs(number) < CLOSE:
        raise UndefinedError
    return number


def _positive(number):
    if number < CLOSE:
        raise UndefinedError
    return number


def _at_most(number, limit):
    if abs(number) > limit - CLOSE:
        raise UndefinedError
    return number


def _atan2(y, x):
    return mpmath.atan2(_apart_from_zero(y) if x < CLOSE else y, x)


class Operation(NamedTuple):
    build: Callable[..., Any]
    number: Callable[..., Any]
    operands: int = 1


OPERATIONS: dict[str, Operation] = {
    "add": Operation(lambda a, b: a + b, lambda a, b: a + b, 2),
    "sub": Operation(lambda a, b: a - b, lambda a, b: a - b, 2),
    "mul": Operation(lambda a, b: a * b, lambda a, b: a * b, 2),
    "div": Operation(lambda a, b: a / b, lambda a, b: a / _apart_from_zero(b), 2),
    "neg": Operation(lambda a: -a, lambda a: -a),
    "square": Operation(lambda a: a**2, lambda a: a * a),
    "cube": Operation(lambda a: a**3, lambda a: a * a * a),
    "recip": Operation(recip, lambda a: 1 / _apart_from_zero(a)),
    "sqrt": Operation(f.sqrt, lambda a: mpmath.sqrt(_positive(a))),
    "abs": Operation(f.absolute, mpmath.fabs),
    "sign": Operation(f.sign, lambda a: mpmath.sign(_apart_from_zero(a))),
    "min": Operation(f.minimum, min, 2),
    "max": Operation(f.maximum, max, 2),
    "pow": Operation(f.power, lambda a, b: mpmath.power(_positive(a), _at_most(b, 100)), 2),
    "sin": Operation(f.sin, lambda a: mpmath.sin(_at_most(a, 1e9))),
    "cos": Operation(f.cos, lambda a: mpmath.cos(_at_most(a, 1e9))),
    "tan": Operation(f.tan, lambda a: mpmath.sin(_at_most(a, 1e9)) / _apart_from_zero(mpmath.cos(a))),
    "asin": Operation(f.asin, lambda a: mpmath.asin(_at_most(a, 1))),
    "acos": Operation(f.acos, lambda a: mpmath.acos(_at_most(a, 1))),
    "atan": Operation(f.atan, mpmath.atan),
    "atan2": Operation(f.atan2, _atan2, 2),
    "exp": Operation(f.exp, lambda a: mpmath.exp(_at_most(a, 20))),
    "log": Operation(f.log, lambda a: mpmath.log(_positive(a))),
    "sinh": Operation(f.sinh, lambda a: mpmath.sinh(_at_most(a, 20))),
    "cosh": Operation(f.cosh, lambda a: mpmath.cosh(_at_most(a, 20))),
    "tanh": Operation(f.tanh, mpmath.tanh),
}
COMPARISONS = {
    "lt": (c.less, lambda a, b: _apart_from_zero(a - b) < 0),
    "le": (c.less_equal, lambda a, b: _apart_from_zero(a - b) <= 0),
}
ARITHMETIC = ("add", "sub", "mul", "div", "neg", "square", "recip")
SMOOTH = ("add", "add", "sub", "sub", "mul", "mul", "neg", "square", "sin", "cos", "atan", "tanh")
ALL = tuple(OPERATIONS)


def built(recipe: Recipe) -> Expr:
    """The recipe as an expression."""
    if isinstance(recipe, str):
        return f.pi if recipe == "pi" else f.symbol(recipe)
    if not isinstance(recipe, tuple):
        return constant(recipe)
    if recipe[0] == "where":
        _, (comparison, a, b), yes, no = recipe
        return c.where(COMPARISONS[comparison][0](built(a), built(b)), built(yes), built(no))
    return OPERATIONS[recipe[0]].build(*[built(operand) for operand in recipe[1:]])


def built_or_none(recipe: Recipe) -> Expr | None:
    """The recipe as an expression, or None if it has no value."""
    try:
        return built(recipe)
    except (MultibodyError, ArithmeticError, RecursionError):
        return None


def exact(number: Any) -> Any:
    fraction = Fraction(number)
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def value(recipe: Recipe, point: Mapping[str, Any]) -> Any:
    """The recipe's number at a point, in mpmath's current precision; raises UndefinedError where there is none."""
    if isinstance(recipe, str):
        return +mpmath.pi if recipe == "pi" else point[recipe]
    if not isinstance(recipe, tuple):
        return exact(recipe)
    if recipe[0] == "where":
        _, (comparison, a, b), yes, no = recipe
        return value(yes if COMPARISONS[comparison][1](value(a, point), value(b, point)) else no, point)
    return OPERATIONS[recipe[0]].number(*[value(operand, point) for operand in recipe[1:]])


def node_value(output: Expr, point: Mapping[str, Any]) -> Any:
    """The same for a node of the graph, with constants to full precision where they have a formula."""
    known: dict[Any, Any] = {}
    for node in topological([output]):
        known[node] = _step(node, known, point)
    if known[output] is None:
        raise UndefinedError
    return known[output]


def _step(node: Any, known: Mapping[Any, Any], point: Mapping[str, Any]) -> Any:
    if isinstance(node, Constant):
        return _constant(node)
    if isinstance(node, Symbol):
        return point[node.name]
    args = [known[arg] for arg in node.args]
    if node.op == "where":
        return None if args[0] is None else args[1] if args[0] else args[2]
    try:
        rule = COMPARISONS[node.op][1] if node.op in COMPARISONS else OPERATIONS[node.op].number
        return None if any(arg is None for arg in args) else rule(*args)
    except UndefinedError:
        return None


def _constant(node: Constant) -> Any:
    if node.formula is None:
        return exact(node.value)
    op, args = node.formula
    return +mpmath.pi if op == "pi" else OPERATIONS[op].number(*map(_constant, args))


def number_or_none(function: Callable[..., Any], *args: Any, digits: int = 50) -> Any:
    """``value`` or ``node_value`` to the given number of digits, or None where it is undefined or unstable."""
    try:
        with mpmath.workdps(digits):
            rough = function(*args)
        with mpmath.workdps(digits + 20):
            fine = function(*args)
            return fine if agree(rough, fine, 1e-30) else None
    except UndefinedError:
        return None


def agree(a: Any, b: Any, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * (1 + max(abs(a), abs(b)))


def random_point(rng: random.Random, low: float = -2.0, high: float = 2.0) -> dict[str, Any]:
    """Doubles, so that every kind of arithmetic sees the same numbers."""
    return {name: mpmath.mpf(rng.uniform(low, high)) for name in NAMES}


def random_leaf(rng: random.Random) -> Recipe:
    if rng.random() < 0.7:
        return rng.choice(NAMES)
    fraction = Fraction(rng.randint(-9, 9), rng.randint(1, 9))
    return rng.choice(
        [rng.randint(-6, 6), fraction, "pi", ("div", "pi", rng.choice([2, 3, 4, 6])), ("sqrt", rng.randint(1, 12))]
    )


def random_recipe(rng: random.Random, size: int, operations=ALL, leaf=random_leaf) -> Recipe:
    """A recipe with about ``size`` operations."""
    if size <= 0:
        return leaf(rng)
    name = rng.choice(operations)
    operands = OPERATIONS[name].operands
    return (name, *[random_recipe(rng, (size - 1) // operands, operations, leaf) for _ in range(operands)])


exact_leaves = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.integers(-9, 9),
    st.builds(Fraction, st.integers(-9, 9), st.integers(1, 9)),
    st.sampled_from(["pi", ("sqrt", 2), ("sqrt", 3), ("div", "pi", 3), ("div", "pi", -4)]),
)


def recipes(leaves=exact_leaves, operations=ALL, size=12):
    """Random recipes that shrink."""
    unary, binary = ([name for name in operations if OPERATIONS[name].operands == n] for n in (1, 2))

    def larger(smaller):
        two = st.tuples(st.sampled_from(binary), smaller, smaller)
        comparison = st.tuples(st.sampled_from(sorted(COMPARISONS)), smaller, smaller)
        choice = st.tuples(st.just("where"), comparison, smaller, smaller)
        return st.one_of(st.tuples(st.sampled_from(unary), smaller), two, two, choice)

    return st.recursive(leaves, larger, max_leaves=size)
