"""Times at which functions of time switch, computed before a run.

A function of time and parameters is bounded on intervals of time (see ``graph.intervals``). Where the bounds of the
function exclude zero there is no root; where those of its derivative exclude zero there is at most one, which the signs
at both ends decide. All other intervals are halved. So no root is missed that is farther from the next one than the
shortest interval, however narrow the pulse between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from multibody.graph import ONE, Expr, Symbol, as_expr, directional, evaluate, free_symbols, is_zero, topological
from multibody.graph.piecewise.intervals import Interval, interval_values
from multibody.simulation.contract import Vector

FIRST_PARTS = 64
"""Intervals that a stretch of time is divided into at first."""

HALVINGS = 24
"""How often an interval is halved, at most."""

MOST_INTERVALS = 50_000
"""Intervals at one level; where a function has more roots than that, they are sought by signs alone."""

TOUCHING = 1e-7
"""Relative to the largest value: a function that comes so near zero in the shortest interval may touch it there."""


NOT_SMOOTH = frozenset({"where", "abs", "sign", "min", "max", "table"})
"""Operations with kinks or jumps."""


class TimeFunction:
    """An expression of time, with numbers for everything else.

    Args:
        expression: of time and parameters.
        time: the symbol of time.
        parameters: their values.
    """

    def __init__(self, expression: Expr, time: Symbol, parameters: Mapping[Any, float]) -> None:
        self.expression, self._time, self._parameters = expression, time, parameters
        self.rate = as_expr(directional(expression, {time: ONE}))

    def __call__(self, t: Any) -> Any:
        """The value at a time, or at each of several times."""
        times = np.asarray(t, dtype=float)
        return np.broadcast_to(evaluate(self.expression, {**self._parameters, self._time: times}), times.shape) + 0.0

    @property
    def is_affine(self) -> bool:
        """Whether it is a + b·t, without kinks and jumps."""
        whole = not any(node.op in NOT_SMOOTH for node in topological([self.expression]))
        return whole and self._time not in free_symbols(self.rate)

    @property
    def slope(self) -> float:
        """b of a + b·t."""
        return 0.0 if is_zero(self.rate) else float(evaluate(self.rate, self._parameters))

    def with_parameters(self, parameters: Mapping[Any, float]) -> TimeFunction:
        """The same function with other numbers."""
        same = copy(self)
        same._parameters = parameters
        return same

    def derivative(self) -> TimeFunction:
        """The rate of change."""
        return TimeFunction(self.rate, self._time, self._parameters)

    def bounds(self, expression: Expr, begin: Vector, end: Vector) -> Interval:
        """Bounds of this function or of its rate on intervals of time."""
        return interval_values(expression, self._time, Interval(begin, end), self._parameters)


def roots(function: TimeFunction, first: float, last: float, corners: Vector) -> Vector:
    """The times between two at which a function of time is zero or changes its sign.

    Args:
        function: smooth between the corners.
        first: the start of the stretch.
        last: its end.
        corners: times at which the function may have kinks or jumps.
    """
    if function.is_affine:
        slope = function.slope
        return _inside(np.array([-float(function(0.0)) / slope]), first, last) if slope else np.empty(0)
    inner = _inside(corners, first, last)
    edges = np.unique(np.concatenate([[first], inner, [last]]))
    found = [_roots_between(function, begin, end) for begin, end in pairwise(edges)]
    return np.unique(np.concatenate([inner, *found]))  # where it has a corner, it may jump over zero


def _inside(times: Vector, first: float, last: float) -> Vector:
    return times[(times > first) & (times < last)]


def _roots_between(function: TimeFunction, first: float, last: float) -> Vector:
    """Roots in a stretch where the function is smooth."""
    edges = np.linspace(first, last, FIRST_PARTS + 1)
    begin, end = edges[:-1], edges[1:]
    brackets: list[Vector] = []
    for _ in range(HALVINGS):
        value = function.bounds(function.expression, begin, end)
        doubtful = ~((value.low > 0) | (value.high < 0))
        begin, end = begin[doubtful], end[doubtful]
        if not len(begin):
            break
        rate = function.bounds(function.rate, begin, end)
        monotonic = (rate.low > 0) | (rate.high < 0)
        constant = (rate.low == 0) & (rate.high == 0)  # zero all along, or not at all: does not switch
        brackets.append(np.stack([begin[monotonic], end[monotonic]]))
        begin, end = begin[~monotonic & ~constant], end[~monotonic & ~constant]
        if not len(begin) or len(begin) > MOST_INTERVALS:
            break
        middle = 0.5 * (begin + end)
        begin, end = np.concatenate([begin, middle]), np.concatenate([middle, end])
    resting = (function(begin) == 0) & (function(end) == 0)  # as |t - 1| - t + 1 after t = 1
    begin, end = begin[~resting], end[~resting]
    brackets.append(np.stack([begin, end]))
    edges = np.linspace(first, last, 8 * FIRST_PARTS + 1)
    largest = float(np.nanmax(np.abs(function(edges)), initial=0.0))
    middle = 0.5 * (begin + end)
    touching = middle[np.abs(function(middle)) <= TOUCHING * largest] if len(middle) <= MOST_INTERVALS else middle[:0]
    a, b = np.concatenate(brackets, axis=1)
    return np.concatenate([crossings(function, a, b), _distinct(touching, last - first)])


def _distinct(times: Vector, duration: float) -> Vector:
    """One of each group of times that are next to each other."""
    times = np.sort(times)
    return times[np.append(True, np.diff(times) > 1e-6 * duration)] if len(times) else times


def crossings(function: Callable[[Vector], Vector], begin: Vector, end: Vector) -> Vector:
    """Where a function changes its sign within intervals, by bisection in all of them at once."""
    if not len(begin):
        return np.empty(0)
    left, right = np.sign(function(begin)), np.sign(function(end))
    changes = left * right <= 0
    end = np.where(left == 0, begin, end)
    while True:
        middle = 0.5 * (begin + end)
        divisible = changes & (middle > begin) & (middle < end)
        if not divisible.any():
            return end[changes]
        same = np.sign(function(middle)) == left
        begin, end = np.where(divisible & same, middle, begin), np.where(divisible & ~same, middle, end)


def _above(function: TimeFunction, levels: Vector, t: Vector) -> Vector:
    return np.asarray(function(t) - levels)


def passages(function: TimeFunction, levels: Vector, first: float, last: float, corners: Vector) -> Vector:
    """The times at which a function of time passes any of some levels, such as the points of a table.

    Args:
        function: smooth between the corners.
        levels: increasing.
        first: the start of the stretch.
        last: its end.
        corners: times at which the function may have kinks or jumps.
    """
    if function.is_affine:
        slope = function.slope
        return _inside((levels - float(function(0.0))) / slope, first, last) if slope else np.empty(0)
    turns = roots(function.derivative(), first, last, corners)
    edges = np.unique(np.concatenate([[first], turns, _inside(corners, first, last), [last]]))
    found = [_inside(edges, first, last)]
    for begin, end in pairwise(edges):
        inside = begin + (end - begin) * np.array([1e-9, 1 - 1e-9])
        low, high = np.sort(function(inside))
        between = levels[(levels >= low) & (levels <= high)]
        if len(between):
            starts, ends = np.full(len(between), begin), np.full(len(between), end)
            found.append(crossings(partial(_above, function, between), starts, ends))
    return np.unique(_inside(np.concatenate(found), first, last))
