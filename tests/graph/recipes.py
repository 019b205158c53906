"""Recipes: expressions as nested tuples, made into nodes of the graph and, independently of it, into numbers.

A recipe is a number, the name of a symbol, or (operation, recipe, ...). ``built`` hands it to the graph, ``value`` does
the same operations directly with mpmath, so that what the graph makes of it can be compared with what was meant.
"""

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
from hypothesis import strategies as st

from multibody.errors import ExpressionError, NumberError
from multibody.graph import conditions as c
from multibody.graph import functions as f
from multibody.graph.expr import Expr, constant, recip

Recipe = Any
NAMES = ("x", "y", "z")


class UndefinedError(Exception):
    """There is no finite real value."""


class Operation(NamedTuple):
    build: Callable[..., Any]
    number: Callable[..., Any]
    operands: int


def _quotient(a, b):
    if b == 0:
        raise UndefinedError
    return a / b


def _sqrt(a):
    if a < 0:
        raise UndefinedError
    return mpmath.sqrt(a)


def _within(function, low, high):
    def number(a):
        if not low <= a <= high:
            raise UndefinedError
        return function(a)

    return number


def _log(a):
    if a <= 0:
        raise UndefinedError
    return mpmath.log(a)


def _power(a, b):
    if a < 0 and b != mpmath.floor(b):
        raise UndefinedError
    if a == 0 and b < 0:
        raise UndefinedError
    return mpmath.power(a, b)


OPERATIONS: dict[str, Operation] = {
    "add": Operation(lambda a, b: a + b, lambda a, b: a + b, 2),
    "sub": Operation(lambda a, b: a - b, lambda a, b: a - b, 2),
    "mul": Operation(lambda a, b: a * b, lambda a, b: a * b, 2),
    "div": Operation(lambda a, b: a / b, _quotient, 2),
    "neg": Operation(lambda a: -a, lambda a: -a, 1),
    "square": Operation(lambda a: a**2, lambda a: a * a, 1),
    "cube": Operation(lambda a: a**3, lambda a: a * a * a, 1),
    "recip": Operation(recip, lambda a: _quotient(mpmath.mpf(1), a), 1),
    "sqrt": Operation(f.sqrt, _sqrt, 1),
    "abs": Operation(f.absolute, mpmath.fabs, 1),
    "sign": Operation(f.sign, mpmath.sign, 1),
    "min": Operation(f.minimum, min, 2),
    "max": Operation(f.maximum, max, 2),
    "pow": Operation(f.power, _power, 2),
    "sin": Operation(f.sin, mpmath.sin, 1),
    "cos": Operation(f.cos, mpmath.cos, 1),
    "tan": Operation(f.tan, mpmath.tan, 1),
    "asin": Operation(f.asin, _within(mpmath.asin, -1, 1), 1),
    "acos": Operation(f.acos, _within(mpmath.acos, -1, 1), 1),
    "atan": Operation(f.atan, mpmath.atan, 1),
    "atan2": Operation(f.atan2, mpmath.atan2, 2),
    "exp": Operation(f.exp, _within(mpmath.exp, -1000, 300), 1),
    "log": Operation(f.log, _log, 1),
    "sinh": Operation(f.sinh, _within(mpmath.sinh, -300, 300), 1),
    "cosh": Operation(f.cosh, _within(mpmath.cosh, -300, 300), 1),
    "tanh": Operation(f.tanh, mpmath.tanh, 1),
}
COMPARISONS = {
    "lt": (c.less, lambda a, b: a < b),
    "le": (c.less_equal, lambda a, b: a <= b),
}
ARITHMETIC = ("add", "sub", "mul", "div", "neg", "square", "recip")
SMOOTH = ("add", "add", "sub", "sub", "mul", "mul", "neg", "square", "sin", "cos", "atan", "tanh", "exp")
ALL = (*ARITHMETIC, *(name for name in OPERATIONS if name not in ARITHMETIC))


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
    """The recipe as an expression, or None if the graph says that it has no value."""
    try:
        return built(recipe)
    except (ExpressionError, NumberError):
        return None


def value(recipe: Recipe, point: Mapping[str, Any]) -> Any:
    """The recipe's number at a point, in mpmath's current precision; raises UndefinedError where there is none."""
    if isinstance(recipe, str):
        return +mpmath.pi if recipe == "pi" else point[recipe]
    if not isinstance(recipe, tuple):
        exact = Fraction(recipe)
        return mpmath.mpf(exact.numerator) / exact.denominator
    if recipe[0] == "where":
        _, (comparison, a, b), yes, no = recipe
        return value(yes if COMPARISONS[comparison][1](value(a, point), value(b, point)) else no, point)
    return OPERATIONS[recipe[0]].number(*[value(operand, point) for operand in recipe[1:]])


def value_or_none(recipe: Recipe, point: Mapping[str, Any]) -> Any:
    try:
        return value(recipe, point)
    except UndefinedError:
        return None


def random_point(rng: random.Random, names=NAMES, low=-2.0, high=2.0) -> dict[str, Any]:
    """Doubles, so that every kind of arithmetic sees the same numbers."""
    return {name: mpmath.mpf(rng.uniform(low, high)) for name in names}


def random_recipe(rng: random.Random, size: int, operations=ALL, leaves=None) -> Recipe:
    """A recipe with about ``size`` operations."""
    if size <= 0:
        return (leaves or random_leaf)(rng)
    name = rng.choice(operations)
    operands = OPERATIONS[name].operands
    share = (size - 1) // operands
    return (name, *[random_recipe(rng, share, operations, leaves) for _ in range(operands)])


def random_leaf(rng: random.Random) -> Recipe:
    kind = rng.random()
    if kind < 0.65:
        return rng.choice(NAMES)
    if kind < 0.8:
        return rng.randint(-6, 6)
    return rng.choice(["pi", Fraction(rng.randint(-9, 9), rng.randint(1, 9)), ("sqrt", rng.randint(1, 12)), rng.choice([0.5, 0.1, -2.75])])


exact_leaves = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.integers(-9, 9),
    st.builds(Fraction, st.integers(-9, 9), st.integers(1, 9)),
    st.sampled_from(["pi", ("sqrt", 2), ("sqrt", 3), ("div", "pi", 3), ("div", "pi", -4)]),
)


def recipes(leaves=exact_leaves, operations=ALL, size=12):
    """Random recipes that shrink."""
    by_arity = [[name for name in operations if OPERATIONS[name].operands == n] for n in (1, 2)]

    def larger(smaller):
        unary = st.tuples(st.sampled_from(by_arity[0]), smaller)
        binary = st.tuples(st.sampled_from(by_arity[1]), smaller, smaller)
        comparison = st.tuples(st.sampled_from(sorted(COMPARISONS)), smaller, smaller)
        return st.one_of(unary, binary, binary, st.tuples(st.just("where"), comparison, smaller, smaller))

    return st.recursive(leaves, larger, max_leaves=size)
