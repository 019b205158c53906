"""Arithmetic with constants is exact for integers and fractions, and rounds floats as floats are rounded."""

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from multibody.errors import ConversionError, NumberError
from multibody.graph import Constant, constant, evaluate, functions as f, power, same, symbols
from multibody.graph.field import PRIMES

from .recipes import built, number_or_none, random_point, random_recipe, value

x, y = symbols("x y")
small_floats = st.floats(allow_nan=False, allow_infinity=False).filter(lambda n: n == 0 or 1e-30 < abs(n) < 1e30)


def _fraction(recipe, point):
    if isinstance(recipe, str):
        return point[recipe]
    if not isinstance(recipe, tuple):
        return Fraction(recipe)
    a, *b = [_fraction(operand, point) for operand in recipe[1:]]
    return {"add": lambda: a + b[0], "sub": lambda: a - b[0], "mul": lambda: a * b[0], "neg": lambda: -a}[recipe[0]]()


def _big_leaf(rng):
    integer, fraction = (
        rng.choice([1, -1, 3]) * 2 ** rng.randint(0, 130),
        Fraction(rng.randint(1, 99), 2 ** rng.randint(0, 70)),
    )
    return rng.choice(["x", "y", integer, fraction])


@pytest.mark.parametrize("seed", range(4))
def test_integers_and_fractions_of_any_size_are_exact(seed):
    rng = random.Random(seed)
    alive = []
    for _ in range(120):
        recipe = random_recipe(rng, rng.randint(1, 12), ("add", "sub", "mul", "neg"), _big_leaf)
        node = built(recipe)
        alive.append(node)
        point = {"x": Fraction(rng.randint(-99, 99), 7), "y": Fraction(rng.randint(-99, 99), 64)}
        assert evaluate(node, point) == _fraction(recipe, point), recipe


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from("+*"), small_floats), max_size=5))
def test_floats_of_any_size_are_folded_with_small_error(steps):
    """((x + a)·b + c)…: rounding may cost a few units in the last place of the largest term, no more."""
    node, exact, scale = x, Fraction(3, 8), Fraction(1)
    for sign, number in steps:
        n = Fraction(number)
        node = node + number if sign == "+" else node * number
        exact, scale = (exact + n, scale + abs(n)) if sign == "+" else (exact * n, scale * abs(n))
    got = evaluate(node, {x: Fraction(3, 8)}) if node is not x else Fraction(3, 8)
    assert abs(Fraction(got) - exact) <= scale * 10 * Fraction(2) ** -52


def test_doubling_never_comes_back():
    doubled = x
    for _ in range(61):
        doubled = doubled + doubled
    assert doubled is not x
    assert evaluate(doubled, {x: 1.0}) == 2.0**61


def test_halving_never_comes_back():
    halved = x
    for _ in range(61):
        halved = halved * 0.5
    assert evaluate(halved, {x: 1.0}) == 2.0**-61


@pytest.mark.parametrize("exponent", [*PRIMES, *(p - 1 for p in PRIMES), 2**61])
def test_a_huge_power_is_not_a_small_one(exponent):
    """Fermat's little theorem holds in the field and nowhere else."""
    node = power(x, exponent)
    assert node not in (constant(1), x, x * x, 1 / x)
    assert evaluate(node, {x: 1.0 + 2.0**-52}) == pytest.approx(math.exp(exponent * math.log1p(2.0**-52)), rel=1e-6)


@pytest.mark.parametrize("exponent", [1e300, 1e308, -1e308, 10**30, Fraction(10**30, 2)])
def test_exponents_of_any_size(exponent):
    assert evaluate(power(x, exponent), {x: 1.0}) == 1.0


# --- what may be a constant ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("inf")])
def test_numbers_that_are_not_finite_are_refused(number):
    for use in (constant, lambda n: x + n, lambda n: n * x, lambda n: x / n, lambda n: x**n, f.sin):
        with pytest.raises(NumberError):
            use(number)


@pytest.mark.parametrize("thing", [True, np.True_, 1j, "1", None, [1], object(), b"2"])
def test_what_is_not_a_real_number_is_refused(thing):
    with pytest.raises(ConversionError):
        constant(thing)
    with pytest.raises((ConversionError, TypeError)):
        x + thing


@pytest.mark.parametrize(
    "number", [np.float64(0.1), np.float32(0.5), np.int64(3), np.uint8(7), Fraction(1, 3), mpmath.mpf(2)]
)
def test_numbers_of_other_libraries_are_taken(number):
    assert isinstance(constant(number), Constant)
    assert float(constant(number)) == float(number)
    assert same(number * x, x * number)


def test_comparing_a_constant_with_anything_does_not_raise():
    assert constant(3) == 3.0
    assert constant(0.5) == Fraction(1, 2)
    assert all(constant(3) != other for other in (math.nan, math.inf, "3", None, True, x, [3]))


def test_exact_constants_stay_exact():
    third = constant(1) / 3
    assert third.value == Fraction(1, 3)
    assert (third * 3, third + Fraction(2, 3)) == (1, 1)
    root = f.sqrt(Fraction(1, 2))
    assert root.exact
    assert root * root == Fraction(1, 2)
    assert f.cos(f.pi / 12) == (f.sqrt(6) + f.sqrt(2)) / 4
    assert (root * 0.1).exact is False


def _number(rng):
    return rng.choice(
        ["pi", rng.randint(-5, 5), Fraction(rng.randint(-7, 7), rng.randint(1, 5)), ("sqrt", rng.randint(2, 9))]
    )


def test_a_recipe_of_constants_folds_to_its_value():
    rng = random.Random(5)
    operations = ("add", "sub", "mul", "div", "sin", "cos", "sqrt", "atan")
    for _ in range(500):
        recipe = random_recipe(rng, rng.randint(1, 4), operations, _number)
        meant = number_or_none(value, recipe, random_point(rng))
        if meant is not None:
            assert float(built(recipe)) == pytest.approx(float(meant), rel=1e-12, abs=1e-12), recipe
