"""What SymPy rewrites keeps its fingerprint; what SymPy finds to be zero is zero."""

import random
from fractions import Fraction

import mpmath
import pytest
import sympy

from multibody.graph import same, symbols

from .identities import angle
from .recipes import NAMES, OPERATIONS, agree, built, built_or_none, number_or_none, random_point, random_recipe, value

SYMPY = {name: sympy.Symbol(name, real=True) for name in NAMES}


def _numbers(recipe, seed=0, points=4):
    """The recipe's values at a few points where it has one, by position."""
    rng = random.Random(seed)
    return [number_or_none(value, recipe, random_point(rng)) for _ in range(points)]


def _equal(one, other):
    """Whether two recipes have the same values; None if they have none in common."""
    pairs = [(a, b) for a, b in zip(_numbers(one), _numbers(other), strict=True) if a is not None and b is not None]
    return all(agree(a, b, 1e-25) for a, b in pairs) if pairs else None


_BY_SYMPY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
    "square": lambda a: a**2, "sin": sympy.sin, "cos": sympy.cos, "div": lambda a, b: a / b,
}  # fmt: skip


def _in_sympy(recipe):
    if isinstance(recipe, str):
        return sympy.pi if recipe == "pi" else SYMPY[recipe]
    if not isinstance(recipe, tuple):
        return sympy.Rational(recipe)
    return _BY_SYMPY[recipe[0]](*map(_in_sympy, recipe[1:]))


def _from_sympy(expression):
    """As few lines as will do; the bridge of the graph has tests of its own."""
    if expression.is_Symbol:
        return symbols(expression.name)[0]
    if expression is sympy.pi:
        return built("pi")
    if expression.is_Rational:
        return built(Fraction(expression.p, expression.q))
    args = [_from_sympy(arg) for arg in expression.args]
    if expression.is_Add or expression.is_Mul:
        result = args[0]
        for arg in args[1:]:
            result = result + arg if expression.is_Add else result * arg
        return result
    return args[0] ** args[1] if expression.is_Pow else built_function(expression.func.__name__, *args)


def built_function(name, *args):
    return OPERATIONS[name].build(*args)


def _leaf(rng):
    number = rng.choice([rng.randint(-3, 3), Fraction(rng.randint(1, 5), 4), "pi"])
    return rng.choice([*NAMES, number, ("sin", angle(rng)), ("cos", angle(rng))])


REWRITES = {
    "expand": lambda e: sympy.expand(e, trig=True),
    "factor": sympy.factor,
    "together": sympy.together,
    "cancel": sympy.cancel,
    "collect": lambda e: sympy.collect(sympy.expand(e), SYMPY["x"]),
    "fu": sympy.fu,
}


@pytest.mark.parametrize("rewrite", sorted(REWRITES))
def test_what_sympy_rewrites_stays_the_same(rewrite):
    rng = random.Random(rewrite)
    for _ in range(12 if rewrite == "fu" else 40):
        recipe = random_recipe(rng, rng.randint(2, 6), ("add", "sub", "mul", "square", "div"), _leaf)
        original = _in_sympy(recipe)
        node = built_or_none(recipe)
        if node is None or original.has(sympy.nan, sympy.zoo):
            continue
        rewritten = REWRITES[rewrite](original)
        assert same(node, _from_sympy(rewritten)), f"{recipe}: {rewritten}"


@pytest.mark.parametrize("seed", range(3))
def test_sympy_and_fingerprints_agree_on_what_is_zero(seed):
    rng = random.Random(seed)
    for _ in range(25):
        one, other = (random_recipe(rng, 3, ("add", "sub", "mul", "neg", "square"), _leaf) for _ in range(2))
        zero = sympy.expand(_in_sympy(one) - _in_sympy(other), trig=True) == 0
        assert same(built(one), built(other)) or not zero
        with mpmath.workdps(30):
            assert zero or _equal(one, other) == same(built(one), built(other))
