"""Numbers that may enter an expression, and their images in the field."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from operator import truediv
from typing import Any

from multibody.errors import ConversionError, NumberError
from multibody.graph import field

Number = int | Fraction | float


def is_number(thing: object) -> bool:
    """Whether ``thing`` is a real number: int, Fraction, float, NumPy scalar, but not a truth value."""
    kind = type(thing)
    return kind is float or kind is int or (isinstance(thing, numbers.Real) and kind is not bool)


def is_whole(thing: object) -> bool:
    """Whether ``thing`` is an integer: int or NumPy's, but not a truth value."""
    return isinstance(thing, numbers.Integral) and not isinstance(thing, bool)


def number(thing: Any) -> Number:
    """A real number as int, Fraction or finite float; raises for anything else.

    Example:
        >>> number(2.0), number(Fraction(4, 6)), number(0.1)
        (2, Fraction(2, 3), 0.1)
    """
    if isinstance(thing, float):
        return _whole(finite(thing))
    if not is_number(thing):
        raise ConversionError(
            f"A {type(thing).__name__} cannot be part of an expression.",
            code="value-not-an-expression",
            where=repr(thing)[:200],
            cause="Only expressions and real numbers (int, Fraction, float, NumPy scalars) can be.",
            remedy="Convert it first: from_sympy for SymPy objects, parse for text, where(...) for truth values.",
            value=type(thing).__name__,
        )
    if isinstance(thing, numbers.Integral):
        return int(thing)
    if isinstance(thing, numbers.Rational):
        exact = Fraction(int(thing.numerator), int(thing.denominator))
        return int(exact) if exact.denominator == 1 else exact
    return _whole(finite(thing))


def _whole(value: float) -> Number:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def finite(value: Any) -> float:
    """A float that is neither infinite nor NaN."""
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise NumberError(
            f"{result} cannot be part of an expression.",
            code="number-not-finite",
            cause="A division by zero, an overflow or missing data where this number was computed.",
            remedy="Find out where it comes from; a constant expression must have a finite value.",
            value=result,
        )
    return result


def quotient(a: Number, b: Number) -> Number:
    """a / b, exact where both are."""
    if isinstance(a, float) or isinstance(b, float):
        return finite(safe(truediv, a, b))
    return number(Fraction(a) / b)


def safe(compute: Callable[..., Any], *args: Any) -> Any:
    """What Python computes, or infinity where it overflows."""
    try:
        return compute(*args)
    except OverflowError:
        return math.inf


@lru_cache(maxsize=4096, typed=True)  # 2^60 and 2.0^60 are equal, and have different images
def image(value: Number, p: int = field.P) -> int:
    """The exact field value of a number; that of a very large integer or fraction is opaque."""
    if isinstance(value, float):
        return field.of_float(value, p)
    if max(abs(value.numerator), value.denominator) >= field.LARGE:  # too large to be distinguished from a smaller one
        opaque = field.scramble(0, "number", hex(abs(value.numerator)), hex(value.denominator), p=p)
        return opaque if value > 0 else -opaque % p
    return value % p if isinstance(value, int) else field.of_fraction(value, p)
