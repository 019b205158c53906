"""Interval evaluation of expressions: bounds of a value where one symbol lies within given intervals.

Moore, Kearfott & Cloud, Introduction to Interval Analysis (2009), chapters 2 and 5. All bounds are arrays, one entry
for each interval. They are widened by a few units of rounding, and are infinite where nothing is known: a bound is
never too narrow, but it may be wide where a symbol occurs several times. Narrower intervals give narrower bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.graph.expr import Constant, Expr, Symbol
from multibody.graph.piecewise.tables import Table
from multibody.graph.traverse import topological

Array = NDArray[np.float64]

ROUNDING = 8 * np.finfo(float).eps
"""Relative amount by which bounds are widened after each operation."""


class Interval(NamedTuple):
    """Lower and upper bounds; conditions have bounds 0 and 1."""

    low: Array
    high: Array


def interval_values(expression: Expr, variable: Symbol, within: Interval, known: Mapping[Any, float]) -> Interval:
    """Bounds of an expression for each interval of a variable.

    Args:
        expression: of the variable and of symbols with known values.
        variable: the symbol that varies.
        within: its intervals.
        known: numbers of all other symbols.

    Example:
        >>> from multibody.graph import symbols
        >>> (t,) = symbols("t")
        >>> low, high = interval_values(t * t - 3, t, Interval(np.array([0.0, 2.0]), np.array([1.0, 3.0])), {})
        >>> low.round(9), high.round(9)
        (array([-3.,  1.]), array([-2.,  6.]))
    """
    bounds: dict[Any, Interval] = {variable: within}
    with np.errstate(all="ignore"):
        for node in topological([expression]):
            if node in bounds:
                continue
            if isinstance(node, Constant):
                bounds[node] = _point(float(node.value), within)
            elif isinstance(node, Symbol):
                bounds[node] = _point(float(known[node]), within)
            else:
                bounds[node] = _widened(_applied(node, [bounds[arg] for arg in node.args]))
    return bounds[expression]


def _point(value: float, like: Interval) -> Interval:
    both = np.full(like.low.shape, value)
    return Interval(both, both)


def _widened(bounds: Interval) -> Interval:
    """Bounds enlarged by rounding errors, with infinities in place of NaN."""
    low = bounds.low - ROUNDING * np.abs(bounds.low)
    high = bounds.high + ROUNDING * np.abs(bounds.high)
    return Interval(np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high))


def _applied(node: Any, args: list[Interval]) -> Interval:
    if node.op == "table":
        return _tabulated(node.table, args[0])
    rule = _RULES.get(node.op)
    return _unknown(args[0]) if rule is None else rule(*args)


def _unknown(like: Interval) -> Interval:
    return Interval(np.full(like.low.shape, -np.inf), np.full(like.low.shape, np.inf))


def _hull(candidates: list[Array]) -> Interval:
    rows = np.array(candidates)
    undefined = np.isnan(rows).any(axis=0)
    return Interval(
        np.where(undefined, -np.inf, np.fmin.reduce(rows)), np.where(undefined, np.inf, np.fmax.reduce(rows))
    )


def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    zero = ((a.low == 0) & (a.high == 0)) | ((b.low == 0) & (b.high == 0))  # also times infinity
    found = _hull(corners)
    return Interval(np.where(zero, 0.0, found.low), np.where(zero, 0.0, found.high))


def _reciprocal(a: Interval) -> Interval:
    through_zero = (a.low <= 0) & (a.high >= 0)
    return Interval(np.where(through_zero, -np.inf, 1 / a.high), np.where(through_zero, np.inf, 1 / a.low))


def _rising(function: Callable[[Array], Array], low: float = -np.inf, high: float = np.inf) -> Any:
    """A function that rises, with values between two bounds."""

    def rule(a: Interval) -> Interval:
        return Interval(np.fmax(function(a.low), low), np.fmin(function(a.high), high))

    return rule


def _falling(function: Callable[[Array], Array]) -> Any:
    return lambda a: Interval(function(a.high), function(a.low))


def _sine(a: Interval) -> Interval:
    """Extremes lie at π/2 + k·π."""
    ends = np.sin(a.low), np.sin(a.high)
    top = np.floor((a.high - np.pi / 2) / (2 * np.pi)) >= np.ceil((a.low - np.pi / 2) / (2 * np.pi))
    bottom = np.floor((a.high + np.pi / 2) / (2 * np.pi)) >= np.ceil((a.low + np.pi / 2) / (2 * np.pi))
    unknown = ~np.isfinite(a.low) | ~np.isfinite(a.high)
    noise = ROUNDING * (np.abs(a.low) + np.abs(a.high) + 1)  # the argument itself is rounded
    low = np.where(bottom | unknown, -1.0, np.minimum(*ends) - noise)
    high = np.where(top | unknown, 1.0, np.maximum(*ends) + noise)
    return Interval(np.fmax(low, -1.0), np.fmin(high, 1.0))


def _cosine(a: Interval) -> Interval:
    return _sine(Interval(a.low + np.pi / 2, a.high + np.pi / 2))


def _tangent(a: Interval) -> Interval:
    pole = np.floor(a.high / np.pi - 0.5) >= np.ceil(a.low / np.pi - 0.5)
    return Interval(np.where(pole, -np.inf, np.tan(a.low)), np.where(pole, np.inf, np.tan(a.high)))


def _even(function: Callable[[Array], Array]) -> Any:
    """A function with f(-x) = f(x) that rises with |x|."""

    def rule(a: Interval) -> Interval:
        ends = function(a.low), function(a.high)
        around = (a.low <= 0) & (a.high >= 0)
        return Interval(np.where(around, function(np.zeros_like(a.low)), np.minimum(*ends)), np.maximum(*ends))

    return rule


def _angle(y: Interval, x: Interval) -> Interval:
    """atan2; the whole circle where the branch cut or the origin may be met."""
    doubtful = (x.low <= 0) & (y.low <= 0) & (y.high >= 0)
    found = _hull([np.arctan2(b, a) for a in x for b in y])
    return Interval(np.where(doubtful, -np.pi, found.low), np.where(doubtful, np.pi, found.high))


def _power(a: Interval, b: Interval) -> Interval:
    """For positive bases; powers of others are products or undefined."""
    found = _hull([np.power(x, y) for x in a for y in b])
    positive = a.low > 0
    return Interval(np.where(positive, found.low, -np.inf), np.where(positive, found.high, np.inf))


def _compared(certain: Array, possible: Array) -> Interval:
    return Interval(certain.astype(float), possible.astype(float))


def _chosen(condition: Interval, a: Interval, b: Interval) -> Interval:
    both = Interval(np.minimum(a.low, b.low), np.maximum(a.high, b.high))
    yes, no = condition.low > 0.5, condition.high < 0.5
    return Interval(
        np.where(yes, a.low, np.where(no, b.low, both.low)), np.where(yes, a.high, np.where(no, b.high, both.high))
    )


def _tabulated(table: Table, a: Interval) -> Interval:
    """Bounds of a piecewise polynomial: those of its control points on the part of each interval that is met."""
    low, high = np.empty(a.low.shape), np.empty(a.low.shape)
    first = np.searchsorted(table.breaks, a.low, side="left")
    last = np.searchsorted(table.breaks, a.high, side="right")
    edges = np.concatenate([[-np.inf], table.breaks, [np.inf]])
    for k in range(len(a.low)):
        if not (np.isfinite(a.low[k]) and np.isfinite(a.high[k])):
            low[k], high[k] = -np.inf, np.inf
            continue
        places = np.arange(first[k], last[k] + 1)
        begin, end = np.maximum(edges[places], a.low[k]), np.minimum(edges[places + 1], a.high[k])
        extremes = _piece_bounds(
            table.coefficients[:, places], begin - table.starts[places], end - table.starts[places]
        )
        low[k], high[k] = extremes[0].min(), extremes[1].max()
    return Interval(low, high)


def _piece_bounds(coefficients: Array, begin: Array, end: Array) -> tuple[Array, Array]:
    """Bounds of polynomials Σ c_j·x^j on [begin, end], a column for each, by Horner's rule in intervals about begin."""
    width, degree = end - begin, len(coefficients) - 1
    shifted = coefficients.copy()  # the Taylor shift: Σ c_j·x^j = Σ d_j·(x - begin)^j
    for i in range(degree):
        for j in range(degree - 1, i - 1, -1):
            shifted[j] = shifted[j] + begin * shifted[j + 1]
    low, high = shifted[degree].copy(), shifted[degree].copy()
    for j in range(degree - 1, -1, -1):
        low, high = np.minimum(low * width, 0.0) + shifted[j], np.maximum(high * width, 0.0) + shifted[j]
    return low, high


_RULES: dict[str, Callable[..., Interval]] = {
    "add": lambda a, b: Interval(a.low + b.low, a.high + b.high),
    "sub": lambda a, b: Interval(a.low - b.high, a.high - b.low),
    "neg": lambda a: Interval(-a.high, -a.low),
    "mul": _product,
    "recip": _reciprocal,
    "sin": _sine,
    "cos": _cosine,
    "tan": _tangent,
    "asin": _rising(np.arcsin),
    "acos": _falling(np.arccos),
    "atan": _rising(np.arctan),
    "atan2": _angle,
    "sinh": _rising(np.sinh),
    "cosh": _even(np.cosh),
    "tanh": _rising(np.tanh, -1.0, 1.0),
    "exp": _rising(np.exp, 0.0),
    "log": _rising(np.log),
    "sqrt": lambda a: Interval(np.sqrt(np.maximum(a.low, 0.0)), np.sqrt(a.high)),
    "abs": _even(np.abs),
    "sign": _rising(np.sign),
    "min": lambda a, b: Interval(np.minimum(a.low, b.low), np.minimum(a.high, b.high)),
    "max": lambda a, b: Interval(np.maximum(a.low, b.low), np.maximum(a.high, b.high)),
    "pow": _power,
    "lt": lambda a, b: _compared(a.high < b.low, a.low < b.high),
    "le": lambda a, b: _compared(a.high <= b.low, a.low <= b.high),
    "eq": lambda a, b: _compared((a.low == a.high) & (a.low == b.low) & (b.low == b.high),
                                 (a.low <= b.high) & (b.low <= a.high)),
    "and": lambda a, b: Interval(np.minimum(a.low, b.low), np.minimum(a.high, b.high)),
    "or": lambda a, b: Interval(np.maximum(a.low, b.low), np.maximum(a.high, b.high)),
    "not": lambda a: Interval(1 - a.high, 1 - a.low),
    "where": _chosen,
}  # fmt: skip
