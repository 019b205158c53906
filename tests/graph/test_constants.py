"""A constant has the value that was given or computed, whatever other constants are alive."""

import math
import random
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multibody.errors import ConversionError, ExpressionError, NumberError, ZeroDivisorError
from multibody.graph import Constant, constant, evaluate, power, same, sin, symbols
from multibody.graph import functions as f
from multibody.graph.expr import recip

from .recipes import built, number_or_none, random_point, random_recipe, value

x, y = symbols("x y")
P = 2**61 - 1
finite_floats = st.floats(allow_nan=False, allow_infinity=False)
powers_of_two = st.builds(math.ldexp, st.sampled_from([1.0, -1.0, 3.0, 0.75]), st.integers(-1070, 1020))
fractions = st.fractions(max_denominator=10**12)
numbers = st.one_of(finite_floats, powers_of_two, st.integers(-(2**70), 2**70), fractions)

AWKWARD = [
    2**31, 2**30, -(2**31), 2**52, 2**61, 2**62, 2**122, P, P - 1, P + 1, 2 * P, 2**60, 2**60 - 1, 10**30, 10**300,
    2.0**-52, 2.0**-55, 2.0**-60, 2.0**-61, 2.0**-62, 2.0**-1074, 2.0**1000, 1e-300, 1e300, sys.float_info.max,
    sys.float_info.min, Fraction(1, 2), Fraction(-1, 2), Fraction(1, 2**61), Fraction(1, P), Fraction(P, 3), 0.1, -0.0,
]  # fmt: skip


@pytest.mark.parametrize("number", AWKWARD)
def test_a_constant_has_the_value_that_was_given(number):
    others = [f.sqrt(2), f.sqrt(2) / 2, constant(512), f.pi, f.sqrt(3)]
    got = constant(number)
    assert Fraction(got.value) == Fraction(number)
    assert (got == 1) == (number == 1)
    assert evaluate(got * x, {x: Fraction(2)}) == 2 * Fraction(number)
    assert [float(other) for other in others] == [math.sqrt(2), math.sqrt(2) / 2, 512.0, math.pi, math.sqrt(3)]


@settings(max_examples=300)
@given(st.lists(numbers, min_size=2, max_size=6))
def test_constants_are_equal_only_if_their_values_are(values):
    made = [constant(number) for number in values]
    assert [Fraction(one.value) for one in made] == [Fraction(number) for number in values]
    for a, one in zip(values, made, strict=True):
        for b, other in zip(values, made, strict=True):
            assert (one is other) == (a == b)


@given(numbers.filter(bool))
def test_a_constant_and_its_negative_are_one_object_each(number):
    positive, negative = constant(number), constant(-number)
    assert -positive is negative
    assert -negative is positive
    assert positive + negative == 0


def test_a_negative_constant_outlives_its_positive_one():
    positive = constant(1000.625)
    negative = -positive
    del positive
    assert constant(-1000.625) is negative


@pytest.mark.parametrize(
    ("far", "near"), [(1e17, 1000), (1e20, 100), (2.0**60, 77.5), (-1e30, 12345), (1e300, 70), (0.1, 1e-17)]
)
def test_rounding_while_folding_does_not_change_other_constants(far, near):
    folded = constant(far) + near - far
    assert float(constant(near)) == near
    assert float(constant(-near)) == -near
    assert float(folded) in (near, far + near - far)


# --- constant folding -----------------------------------------------------------------------------------------------------

WHOLE = [
    (f.absolute(-3), 3), (f.absolute(2.5), 2.5), (f.sign(-7), -1), (f.sign(0), 0), (f.minimum(2, 3), 2),
    (f.maximum(Fraction(1, 2), -1), Fraction(1, 2)), (f.exp(0), 1), (f.cosh(0), 1), (f.sinh(0), 0), (f.tanh(0), 0),
    (f.log(1), 0), (f.atan(0), 0), (f.asin(0), 0), (f.acos(1), 0), (f.atan2(0, 1), 0), (f.sqrt(9), 3), (f.sqrt(0), 0),
    (f.sqrt(Fraction(4, 9)), Fraction(2, 3)), (f.sqrt(1009**2), 1009), (f.sqrt(0.25), 0.5), (f.sin(f.pi), 0),
    (f.cos(f.pi / 3), 0.5), (f.tan(f.pi / 4), 1), (f.sqrt(8) / f.sqrt(2), 2), (f.sqrt(2) ** 2, 2), (f.sin(0), 0),
    (f.power(0, 0), 1), (f.power(4, 0.5), 2), (f.power(8, Fraction(1, 3)), 2), (f.absolute(f.pi) - f.pi, 0),
    (f.sqrt(f.pi * f.pi) - f.pi, 0), (f.exp(x - x), 1), (f.minimum(f.pi, 4), f.pi), (f.sin(f.acos(0)), 1),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(WHOLE)))
def test_a_function_of_constants_that_is_a_plain_number_is_that_number(case):
    got, expected = WHOLE[case]
    assert got.value == pytest.approx(float(expected), abs=1e-15)
    assert got == expected


def test_a_divisor_that_folds_to_zero_is_refused_as_such():
    for zero in (f.sinh(0), f.minimum(2, 3) - 2, f.absolute(-3) - 3, constant(1e-200) * 1e-200, f.sqrt(0)):
        with pytest.raises((ZeroDivisorError, NumberError)):
            recip(zero)


@pytest.mark.parametrize(
    "make",
    [
        lambda: f.sqrt(-4), lambda: f.sqrt(-1), lambda: f.sqrt(-0.5), lambda: f.sqrt(-f.pi), lambda: f.log(0),
        lambda: f.log(-1), lambda: f.asin(2), lambda: f.acos(-1.5), lambda: f.power(-8, Fraction(1, 3)),
        lambda: f.exp(1000), lambda: f.tan(f.pi / 2), lambda: recip(x - x), lambda: 1 / (f.sin(x) ** 2 + f.cos(x) ** 2 - 1),
        lambda: x / 0, lambda: f.power(0, -1),
    ],
)  # fmt: skip
def test_a_constant_without_a_value_is_refused(make):
    with pytest.raises(ExpressionError):
        make()


@pytest.mark.parametrize("make", [lambda: constant(10**400) * 0.1, lambda: constant(1e200) * 1e200, lambda: constant(2.5) ** 10000])
def test_an_overflow_of_constants_is_refused(make):
    with pytest.raises((NumberError, ExpressionError)):
        make()


@pytest.mark.parametrize("make", [lambda: f.tanh(20), lambda: f.exp(36.5), lambda: f.exp(Fraction(73, 2)), lambda: constant(0.1) * 10])
def test_a_rounded_number_does_not_pass_for_an_exact_one(make):
    rounded = make()
    assert not (rounded.formula is None and isinstance(rounded.value, int) and rounded.fp != rounded.value % P)


def test_sine_with_an_inexact_factor_near_one_is_not_sine():
    assert not same(sin(f.tanh(20) * x), sin(x))


# --- exact arithmetic -------------------------------------------------------------------------------------------------------


def _fraction(recipe, point):
    if isinstance(recipe, str):
        return point[recipe]
    if not isinstance(recipe, tuple):
        return Fraction(recipe)
    a, *b = [_fraction(operand, point) for operand in recipe[1:]]
    return {"add": lambda: a + b[0], "sub": lambda: a - b[0], "mul": lambda: a * b[0], "neg": lambda: -a}[recipe[0]]()


@pytest.mark.parametrize("seed", range(8))
def test_integers_and_fractions_of_any_size_are_exact(seed):
    rng = random.Random(seed)
    alive = []
    for _ in range(120):
        leaf = lambda r: r.choice(["x", "y", r.choice([1, -1, 3]) * 2 ** r.randint(0, 130), Fraction(r.randint(1, 99), 2 ** r.randint(0, 70))])
        recipe = random_recipe(rng, rng.randint(1, 12), ("add", "sub", "mul", "neg"), leaf)
        node = built(recipe)
        alive.append(node)
        point = {"x": Fraction(rng.randint(-99, 99), 7), "y": Fraction(rng.randint(-99, 99), 64)}
        assert evaluate(node, point) == _fraction(recipe, point), recipe


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from("+*"), numbers.filter(lambda n: n == 0 or 1e-30 < abs(n) < 1e30)), max_size=5))
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


@pytest.mark.parametrize("exponent", [P - 1, P, 2**61])
def test_a_huge_power_is_not_a_small_one(exponent):
    """Fermat's little theorem holds in the field and nowhere else."""
    node = power(x, exponent)
    assert node not in (constant(1), x, x * x, 1 / x)
    assert evaluate(node, {x: 1.0 + 2.0**-52}) == pytest.approx(math.exp(exponent * math.log1p(2.0**-52)), rel=1e-6)


# --- what may be a constant --------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("number", [np.float64(0.1), np.float32(0.5), np.int64(3), np.uint8(7), Fraction(1, 3), mpmath.mpf(2)])
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


def test_a_recipe_of_constants_folds_to_its_value():
    rng = random.Random(5)
    leaf = lambda r: r.choice(["pi", r.randint(-5, 5), Fraction(r.randint(-7, 7), r.randint(1, 5)), ("sqrt", r.randint(2, 9))])
    for _ in range(500):
        recipe = random_recipe(rng, rng.randint(1, 4), ("add", "sub", "mul", "div", "sin", "cos", "sqrt", "atan"), leaf)
        meant = number_or_none(value, recipe, random_point(rng))
        if meant is not None:
            assert float(built(recipe)) == pytest.approx(float(meant), rel=1e-12, abs=1e-12), recipe
