"""Operators and functions of the text grammar, with their precedence."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

from multibody.errors import MultibodyError
from multibody.graph import functions as f
from multibody.graph.expr import Constant, Expr, neg
from multibody.graph.piecewise.conditions import equal, less, less_equal, where
from multibody.graph.piecewise.smoothness import smooth

MAX_BITS = 3300
"""The longest whole number, about 1000 digits."""

COMPARISON = 4
"""The level of the comparisons, which cannot be chained."""


def is_huge(number: Constant) -> bool:
    """Whether a rational number has too many digits, or is beyond the range of floats."""
    if isinstance(number.value, float):
        return False
    above, below = number.value.numerator.bit_length(), number.value.denominator.bit_length()
    return max(above, below) > MAX_BITS or above - below > 1022


def _values(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for expressions only: a condition is refused."""

    def checked(*args: Any) -> Any:
        if not all(isinstance(arg, Expr) for arg in args):
            raise _MisfitError(
                "A value is needed here, not a condition.", remedy="Write where(condition, value, other)."
            )
        return function(*args)

    return checked


def _conditions(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for conditions only: an expression is refused."""

    def checked(*args: Any) -> Any:
        if any(isinstance(arg, Expr) for arg in args):
            raise _MisfitError("A condition is needed here, not a value.", remedy="Compare values: x < y.")
        return function(*args)

    return checked


class _MisfitError(MultibodyError):
    """A value where a condition is needed, or the other way round."""

    code = "text-not-an-expression"  # the code of ParseError, as which the parser raises it


def _negated(condition: Any) -> Any:
    return not condition if isinstance(condition, bool) else ~condition


def _power(base: Expr, exponent: Expr) -> Expr:
    """The power, unless it is a number with too many digits or a product with too many factors."""
    if isinstance(exponent, Constant) and not isinstance(exponent.value, float):
        factors = abs(Fraction(exponent.value))
        if factors >= 2**64 or factors * _growth(base) > MAX_BITS:
            raise _MisfitError("The power is too large.", remedy="Use a smaller exponent, or a decimal as base.")
    return f.power(base, exponent)


def _growth(base: Expr) -> int:
    """About how many bits a power of a rational number gains with each factor."""
    if not isinstance(base, Constant) or isinstance(base.value, float):
        return 0
    return max(abs(base.value.numerator), base.value.denominator).bit_length() - 1


def _choice(condition: Any, x: Any, y: Any) -> Expr:
    if isinstance(condition, Expr) or not (isinstance(x, Expr) and isinstance(y, Expr)):
        raise _MisfitError("where needs a condition and two values.", remedy="Write where(x < 0, a, b).")
    return where(condition, x, y)


BINARY: dict[str, tuple[int, Callable[..., Any]]] = {
    "or": (1, _conditions(lambda a, b: a | b)),
    "and": (2, _conditions(lambda a, b: a & b)),
    "<": (COMPARISON, _values(less)),
    "<=": (COMPARISON, _values(less_equal)),
    ">": (COMPARISON, _values(lambda a, b: less(b, a))),
    ">=": (COMPARISON, _values(lambda a, b: less_equal(b, a))),
    "==": (COMPARISON, _values(equal)),
    "!=": (COMPARISON, _values(lambda a, b: _negated(equal(a, b)))),
    "+": (5, _values(lambda a, b: a + b)),
    "-": (5, _values(lambda a, b: a - b)),
    "*": (6, _values(lambda a, b: a * b)),
    "/": (6, _values(lambda a, b: a / b)),
    "**": (8, _values(_power)),
}
"""How tightly each binary operator binds, and what it does."""

PREFIX: dict[str, tuple[int, Callable[..., Any]]] = {
    "not": (3, _conditions(_negated)),
    "+": (7, _values(lambda a: a)),
    "-": (7, _values(neg)),
}
"""The same for what stands before its operand."""

_ONE = {
    "sqrt": f.sqrt, "sin": f.sin, "cos": f.cos, "tan": f.tan, "asin": f.asin, "acos": f.acos, "atan": f.atan,
    "sinh": f.sinh, "cosh": f.cosh, "tanh": f.tanh, "exp": f.exp, "log": f.log, "abs": f.absolute, "sign": f.sign,
}  # fmt: skip

FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    **{name: (_values(function), 1, 1) for name, function in _ONE.items()},
    "atan2": (_values(f.atan2), 2, 2),
    "pow": (_values(_power), 2, 2),
    "min": (_values(lambda *args: reduce(f.minimum, args)), 2, 1000),
    "max": (_values(lambda *args: reduce(f.maximum, args)), 2, 1000),
    "where": (_choice, 3, 3),
    "smooth": (smooth, 1, 1),
    "pi": (lambda: f.pi, 0, 0),
}
"""The elementary functions: what they do, and how many arguments they take."""
