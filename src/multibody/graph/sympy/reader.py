"""From SymPy's objects to expressions: what its functions, operations and conditions mean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, reduce
from operator import add, and_, mul, or_
from typing import Any

from multibody.errors import ConversionError
from multibody.graph import functions as f
from multibody.graph.expr import Expr, Kind, as_expr, constant, recip
from multibody.graph.piecewise.conditions import equal, less, less_equal, where

Functions = Mapping[str, Callable[..., Any]]


class SympyReader:
    """Converts SymPy objects, each once, on a stack of its own.

    Args:
        symbols: what SymPy's symbols, functions of time and derivatives, or their names, stand for.
        functions: what other undefined functions stand for, by name.
    """

    def __init__(self, symbols: Mapping[Any, Any], functions: Functions) -> None:
        self._symbols = symbols
        self._functions = functions
        self._done: dict[int, tuple[Any, Any]] = {}  # the object is kept too, so that its id stays its own
        self._instead: dict[int, tuple[Any, Any]] = {}

    def read(self, root: Any) -> Any:
        """The expression, condition or truth value for a SymPy object."""
        stack = [root]
        while stack:
            node = stack[-1]
            args = () if id(node) in self._done else self._below(node)
            missing = [arg for arg in args if id(arg) not in self._done]
            if missing:
                stack += missing
                continue
            if id(node) not in self._done:
                self._done[id(node)] = node, self._converted(node, [self._done[id(arg)][1] for arg in args])
            stack.pop()
        return self._done[id(root)][1]

    def _below(self, node: Any) -> tuple[Any, ...]:
        """What has to be converted before a node: its operands, or what is to be read instead of it."""
        if is_symbol(node) and not _is_pending(node):
            return ()
        if not node.args or node.func in rules() or str(node.func) in self._functions:
            return tuple(node.args)
        if id(node) not in self._instead:
            self._instead[id(node)] = node, _written_out(node)
        return (self._instead[id(node)][1],)

    def _converted(self, node: Any, args: list[Any]) -> Any:
        if id(node) in self._instead:
            return args[0]
        if is_symbol(node):
            return self._symbol(node)
        if not args and not getattr(node, "is_Function", False):
            return _number(node)
        if node.func in rules():
            return rules()[node.func](*args)
        if str(node.func) in self._functions:
            return as_expr(self._functions[str(node.func)](*args))
        raise unknown(node)

    def _symbol(self, node: Any) -> Expr:
        name, kind = _name_and_kind(node)
        for key in (node, name):
            if key in self._symbols:
                return as_expr(self._symbols[key])
        return f.symbol(name, kind)


def time_symbol() -> Any:
    """SymPy's symbol for the time, which its mechanics package allows to be changed."""
    import sympy

    module = sys.modules.get("sympy.physics.vector.functions")
    return module.dynamicsymbols._t if module else sympy.Symbol("t")


def is_symbol(node: Any) -> bool:
    """Whether a SymPy object is to become a symbol: a symbol, a function of time, or a derivative."""
    import sympy

    return isinstance(node, sympy.Symbol | sympy.Derivative) or _is_function_of_time(node)


def _is_function_of_time(node: Any) -> bool:
    from sympy.core.function import AppliedUndef

    return isinstance(node, AppliedUndef) and node.args == (time_symbol(),)


def _name_and_kind(node: Any) -> tuple[str, Kind]:
    if node.is_Symbol:
        return node.name, "time" if node == time_symbol() else "variable"
    if _is_function_of_time(node):
        return str(node.func), "coordinate"
    if _is_function_of_time(node.expr) and node.variables == (time_symbol(),):
        return f"{node.expr.func}_dot", "speed"
    if _is_function_of_time(node.expr) and node.variables == (time_symbol(),) * 2:
        return f"{node.expr.func}_ddot", "variable"
    raise unknown(node)


def _number(node: Any) -> Any:
    """Numbers and truth values."""
    import sympy

    if node is sympy.true or node is sympy.false:
        return bool(node)
    if node is sympy.pi or node is sympy.E:
        return f.pi if node is sympy.pi else f.exp(1)
    if isinstance(node, sympy.Rational):
        return constant(Fraction(int(node.p), int(node.q)))
    if isinstance(node, sympy.Float) and node.is_finite:
        return constant(float(node))
    raise unknown(node)


def _is_pending(node: Any) -> bool:
    """Whether it is a derivative that can be carried out."""
    from sympy import Derivative
    from sympy.core.function import AppliedUndef

    return isinstance(node, Derivative) and not isinstance(node.expr, AppliedUndef)


def _written_out(node: Any) -> Any:
    """What a function says that it represents, such as the curves of muscles; a derivative, carried out.

    Sums and integrals are not tried: SymPy could be busy with them for long.
    """
    import sympy

    tried = isinstance(node, sympy.Derivative | sympy.Function)
    said = (node.doit(deep=False), node.rewrite(sympy.Piecewise, deep=False)) if tried else ()
    for other in said:
        if other.func != node.func:
            return other
    raise unknown(node)


def unknown(node: Any) -> ConversionError:
    """The error for an object without counterpart."""
    from sympy.core.function import AppliedUndef

    try:
        shown = str(node)[:200]
    except RecursionError:
        shown = f"a {type(node).__name__}"
    if isinstance(node, AppliedUndef):
        return ConversionError(
            f"The function {node.func} has no meaning here.",
            code="function-undefined",
            where=shown,
            remedy=f'Say it: functions={{"{node.func}": …}}, with a table or a Python function of expressions.',
            name=str(node.func),
        )
    return ConversionError(
        f"SymPy's {type(node).__name__} has no counterpart in an expression.",
        code="sympy-object-without-counterpart",
        where=shown,
        cause="Only finite real numbers, elementary functions, Piecewise, Min, Max and conditions can be converted.",
        remedy="Replace it in SymPy first, or give a function or an expression for it.",
        name=type(node).__name__,
    )


# what functions and operations mean ----------------------------------------------------------------------------------


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
