"""What SymPy's functions, operations and conditions mean in an expression."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from operator import add, and_, mul, or_
from typing import Any

from multibody.errors import ConversionError
from multibody.graph import functions as f
from multibody.graph.expr import Expr, as_expr, constant, recip
from multibody.graph.piecewise.conditions import equal, less, less_equal, where


def _power(base: Any, exponent: Any) -> Expr:
    e = f.exp(1)
    return f.exp(exponent) if base is e else f.power(base, exponent)


def _piecewise(*pairs: tuple[Any, Any]) -> Expr:
    *others, (value, condition) = pairs
    if condition is not True:
        raise ConversionError(
            "A Piecewise has no value where none of its conditions holds.",
            code="piecewise-incomplete",
            cause="Its last condition is not True.",
            remedy="Add a last pair (value, True).",
        )
    for other, holds in reversed(others):
        value = where(holds, other, value)
    return as_expr(value)


def _not(condition: Any) -> Any:
    return not condition if isinstance(condition, bool) else ~condition


def _step(x: Any, at_zero: Any) -> Expr:
    return where(less(x, 0), 0, where(less(0, x), 1, at_zero))


def _sinc(x: Any) -> Expr:
    return where(equal(x, 0), 1, f.sin(x) / where(equal(x, 0), 1, x))


def _asinh(x: Any) -> Expr:
    """As 2·artanh(x/(1 + √(1 + x²))), in which nothing cancels for negative x."""
    root = 1 + f.sqrt(1 + x * x)
    return f.log((root + x) / (root - x))


def _acosh(x: Any) -> Expr:
    return f.log(x + f.sqrt(x * x - 1))


def _atanh(x: Any) -> Expr:
    return f.log((1 + x) / (1 - x)) / 2


def _of_reciprocal(function: Callable[[Any], Expr]) -> Callable[[Any], Expr]:
    return lambda x: function(recip(x))


def _one_of(a: Any, b: Any) -> Any:
    return (a & _not(b)) | (_not(a) & b)


def _chain(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A function of two operands for any number of them."""
    return lambda *args: reduce(function, args)


@cache
def rules() -> dict[Any, Callable[..., Any]]:
    """What each of SymPy's classes means."""
    import sympy as s

    return {
        s.Add: _chain(add), s.Mul: _chain(mul), s.Pow: _power, s.Abs: f.absolute, s.sign: f.sign, s.exp: f.exp,
        s.log: f.log, s.sin: f.sin, s.cos: f.cos, s.tan: f.tan, s.asin: f.asin, s.acos: f.acos, s.atan: f.atan,
        s.atan2: f.atan2, s.sinh: f.sinh, s.cosh: f.cosh, s.tanh: f.tanh, s.Min: _chain(f.minimum),
        s.Max: _chain(f.maximum), s.Heaviside: _step,
        s.re: lambda x: x, s.conjugate: lambda x: x, s.im: lambda x: constant(0),  # everything here is real
        s.sec: lambda x: recip(f.cos(x)), s.csc: lambda x: recip(f.sin(x)), s.cot: lambda x: f.cos(x) / f.sin(x),
        s.sech: lambda x: recip(f.cosh(x)), s.csch: lambda x: recip(f.sinh(x)), s.coth: lambda x: recip(f.tanh(x)),
        s.asinh: _asinh, s.acosh: _acosh, s.atanh: _atanh, s.sinc: _sinc, s.UnevaluatedExpr: lambda x: x,
        s.acsch: _of_reciprocal(_asinh), s.asech: _of_reciprocal(_acosh), s.acoth: _of_reciprocal(_atanh),
        s.acsc: _of_reciprocal(f.asin), s.asec: _of_reciprocal(f.acos), s.acot: _of_reciprocal(f.atan),
        s.Piecewise: _piecewise, s.functions.elementary.piecewise.ExprCondPair: lambda value, holds: (value, holds),
        s.Lt: less, s.Le: less_equal, s.Gt: lambda a, b: less(b, a), s.Ge: lambda a, b: less_equal(b, a), s.Eq: equal,
        s.Ne: lambda a, b: _not(equal(a, b)), s.And: _chain(and_), s.Or: _chain(or_), s.Not: _not,
        s.Xor: _chain(_one_of),
    }  # fmt: skip
