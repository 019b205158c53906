"""A constant has the value that was given or computed, whatever other constants are alive."""

import math
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from multibody.errors import ExpressionError, NumberError, ZeroDivisorError
from multibody.graph import constant, evaluate, functions as f, same, sin, symbols
from multibody.graph.expr import recip
from multibody.graph.field import LARGE, PRIMES, P

(x,) = symbols("x")
finite_floats = st.floats(allow_nan=False, allow_infinity=False)
powers_of_two = st.builds(math.ldexp, st.sampled_from([1.0, -1.0, 3.0, 0.75]), st.integers(-1070, 1020))
fractions = st.fractions(max_denominator=10**12)
numbers = st.one_of(finite_floats, powers_of_two, st.integers(-(2**70), 2**70), fractions)

AWKWARD = [
    2**31, 2**30, -(2**31), 2**52, 2**61, 2**62, 2**122, P, P - 1, P + 1, 2 * P, 2**60, 2**60 - 1, 10**30, 10**300,
    2.0**-52, 2.0**-55, 2.0**-60, 2.0**-61, 2.0**-62, 2.0**-1074, 2.0**1000, 1e-300, 1e300, sys.float_info.max,
    sys.float_info.min, Fraction(1, 2), Fraction(-1, 2), Fraction(1, 2**61), Fraction(1, P), Fraction(P, 3), 0.1, -0.0,
    *PRIMES, LARGE, LARGE - 1, Fraction(1, PRIMES[0]), Fraction(LARGE - 1, LARGE - 2),
]  # fmt: skip


@pytest.mark.parametrize("number", AWKWARD)
def test_a_constant_has_the_value_that_was_given(number):
    others = [f.sqrt(2), f.sqrt(2) / 2, constant(512), f.pi, f.sqrt(3)]
    got = constant(number)
    assert Fraction(got.value) == Fraction(number)
    assert (got == 1) == (number == 1)
    assert Fraction(evaluate(got, {})) == Fraction(number)
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


# --- constant folding ------------------------------------------------------------------------------------------------

WHOLE = {
    "f.absolute(-3)": 3, "f.absolute(2.5)": 2.5, "f.sign(-7)": -1, "f.sign(0)": 0, "f.minimum(2, 3)": 2,
    "f.maximum(0.5, -1)": 0.5, "f.exp(0)": 1, "f.cosh(0)": 1, "f.sinh(0)": 0, "f.tanh(0)": 0, "f.log(1)": 0,
    "f.atan(0)": 0, "f.asin(0)": 0, "f.acos(1)": 0, "f.atan2(0, 1)": 0, "f.sqrt(9)": 3, "f.sqrt(0)": 0,
    "f.sqrt(Fraction(4, 9))": Fraction(2, 3), "f.sqrt(1009**2)": 1009, "f.sqrt(0.25)": 0.5, "f.sin(f.pi)": 0,
    "f.cos(f.pi / 3)": 0.5, "f.tan(f.pi / 4)": 1, "f.sqrt(8) / f.sqrt(2)": 2, "f.sqrt(2) ** 2": 2, "f.sin(0)": 0,
    "f.power(0, 0)": 1, "f.power(4, 0.5)": 2, "f.power(8, Fraction(1, 3))": 2, "f.absolute(f.pi) - f.pi": 0,
    "f.sqrt(f.pi * f.pi) - f.pi": 0, "f.exp(x - x)": 1, "f.minimum(f.pi, 4)": f.pi, "f.sin(f.acos(0))": 1,
}  # fmt: skip


@pytest.mark.parametrize("text", sorted(WHOLE))
def test_a_function_of_constants_that_is_a_plain_number_is_that_number(text):
    got, expected = eval(text), WHOLE[text]
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
    lambda: f.exp(1000), lambda: f.tan(f.pi / 2), lambda: recip(x - x),
    lambda: 1 / (f.sin(x) ** 2 + f.cos(x) ** 2 - 1),
        lambda: x / 0, lambda: f.power(0, -1),
    ],
)  # fmt: skip
def test_a_constant_without_a_value_is_refused(make):
    with pytest.raises(ExpressionError):
        make()


@pytest.mark.parametrize(
    "make", [lambda: constant(10**400) * 0.1, lambda: constant(1e200) * 1e200, lambda: constant(2.5) ** 10000]
)
def test_an_overflow_of_constants_is_refused(make):
    with pytest.raises((NumberError, ExpressionError)):
        make()


@pytest.mark.parametrize(
    "make", [lambda: f.tanh(20), lambda: f.exp(36.5), lambda: f.exp(Fraction(73, 2)), lambda: constant(0.1) * 10]
)
def test_a_rounded_number_does_not_pass_for_an_exact_one(make):
    rounded = make()
    assert isinstance(rounded.value, float) or rounded is constant(rounded.value)


def test_sine_with_an_inexact_factor_near_one_is_not_sine():
    assert not same(sin(f.tanh(20) * x), sin(x))
