"""Scalars of three kinds under one roof: floats, NumPy arrays (batches) and graph expressions.

The functions take whatever comes and answer in kind, so that one text of mechanics serves all three. ``plus``,
``minus``, ``times`` and ``over`` know the graph's constants 0 and 1 by identity: structural zeros cost nothing.
"""

from __future__ import annotations

import cmath
import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from multibody.graph import (
    Constant,
    Expr,
    acos as _graph_acos,
    as_expr,
    asin as _graph_asin,
    atan2 as _graph_atan2,
    cos as _graph_cos,
    sin as _graph_sin,
    sqrt as _graph_sqrt,
    tan as _graph_tan,
    where as _graph_where,
)
from multibody.graph.expr import ONE, ZERO
from multibody.graph.piecewise.conditions import Condition

Scalar: TypeAlias = Any
"""A float (int, Fraction, complex), a NumPy array of them (one entry per member of a batch), or an ``Expr``."""


_KINDS = (Expr, float, np.ndarray, numbers.Number)  # the last one asks slowly


def is_scalar(thing: object) -> bool:
    """Whether ``thing`` can be a component: a number, an array or an expression, but neither text nor a list."""
    return isinstance(thing, _KINDS)


def plus(a: Scalar, b: Scalar) -> Scalar:
    """a + b."""
    if a is ZERO:
        return b
    return a if b is ZERO else a + b


def minus(a: Scalar, b: Scalar) -> Scalar:
    """a - b."""
    if a is ZERO:
        return -b
    return a if b is ZERO else a - b


def times(a: Scalar, b: Scalar) -> Scalar:
    """a · b."""
    if a is ZERO or b is ZERO:
        return ZERO
    if a is ONE:
        return b
    return a if b is ONE else a * b


def over(a: Scalar, b: Scalar) -> Scalar:
    """a / b."""
    return a if a is ZERO or b is ONE else a / b


def sum_of_products(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> Scalar:
    """a·b + c·d, the half of what vector algebra is made of."""
    if a is ZERO or b is ZERO:
        return times(c, d)
    if c is ZERO or d is ZERO:
        return times(a, b)
    return times(a, b) + times(c, d)


def difference_of_products(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> Scalar:
    """a·b - c·d, the other half."""
    if c is ZERO or d is ZERO:
        return times(a, b)
    if a is ZERO or b is ZERO:
        return -times(c, d)
    return times(a, b) - times(c, d)


def zero_like(x: Scalar) -> Scalar:
    """The 0 that fits ``x``: the graph's for an expression, otherwise a float."""
    return ZERO if isinstance(x, Expr) else 0.0


def one_like(x: Scalar) -> Scalar:
    """The 1 that fits ``x``: the graph's for an expression, otherwise a float."""
    return ONE if isinstance(x, Expr) else 1.0


def _dispatching(name: str, on_graph: Callable[[Any], Expr], numpy_name: str = "") -> Callable[[Scalar], Scalar]:
    """A function of one argument that asks for the commonest kinds first."""
    on_array = getattr(np, numpy_name or name)
    on_float, on_complex = getattr(math, name), getattr(cmath, name)

    def function(x: Scalar) -> Scalar:
        if isinstance(x, Expr):
            return on_graph(x)
        if isinstance(x, np.ndarray):
            return on_array(x)
        return on_complex(x) if isinstance(x, complex) else on_float(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The function {name} of a float, an array or an expression."
    return function


sin = _dispatching("sin", _graph_sin)
cos = _dispatching("cos", _graph_cos)
tan = _dispatching("tan", _graph_tan)
sqrt = _dispatching("sqrt", _graph_sqrt)
asin = _dispatching("asin", _graph_asin, "arcsin")
acos = _dispatching("acos", _graph_acos, "arccos")


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the point (x, y), in (-π, π].

    Example:
        >>> from multibody.graph import symbol
        >>> atan2(1.0, 0.0), atan2(symbol("y"), 1.0)
        (1.5707963267948966, atan2(y, 1))
    """
    if isinstance(y, Expr) or isinstance(x, Expr):
        return _graph_atan2(y, x)
    if isinstance(y, np.ndarray) or isinstance(x, np.ndarray):
        return np.arctan2(y, x)
    return math.atan2(y, x)


def where(condition: Any, x: Scalar, y: Scalar) -> Scalar:
    """x where the condition holds, y elsewhere."""
    if isinstance(condition, Condition):
        return _graph_where(condition, x, y)
    if isinstance(condition, np.ndarray):
        return np.where(condition, x, y)
    return x if condition else y


def number_or_none(x: Scalar) -> Any:
    """The float or array that ``x`` is, or None for an expression with symbols."""
    if isinstance(x, Constant):
        return float(x.value)
    return None if isinstance(x, Expr) else x


def holds_anywhere(condition: Any) -> bool:
    """Whether a condition on numbers holds, for arrays: in any entry; an open symbolic condition does not count."""
    return False if isinstance(condition, Condition) else bool(np.any(condition))


def vanishes(x: Scalar) -> bool:
    """Whether a number is 0, for arrays: in any entry; an expression with symbols is not, unless they cancel."""
    number = number_or_none(x)
    return number is not None and holds_anywhere(number == 0)


def stacked(components: Sequence[Scalar], *shape: int) -> NDArray[Any]:
    """The components as one array of this shape; a batch keeps its own dimensions in front of it.

    Example:
        >>> stacked([1.0, 2.0, 3.0, np.array([4.0, 5.0])], 2, 2).shape
        (2, 2, 2)
    """
    if any(isinstance(x, Expr) for x in components):
        result = np.empty(len(components), dtype=object)
        result[:] = [as_expr(x) for x in components]
        return result.reshape(shape)
    together = np.stack(np.broadcast_arrays(*components), axis=-1)
    return together.reshape(together.shape[:-1] + shape)
