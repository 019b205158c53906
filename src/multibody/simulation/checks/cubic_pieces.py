"""Coordinates between two states as cubics: where they turn around, and where they pass a limit."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from multibody.compiler import Function
from multibody.graph import Expr, absolute, isolated, maximum, sqrt, symbols, where
from multibody.simulation.contract import Vector

ITERATIONS = 16
"""Steps of Newton's method, or of halving, in the search for the place at which a limit is passed."""

FIRST_PIECES = 64
"""Pieces for which there is memory at first."""


class PieceFacts(NamedTuple):
    """What is known about pieces, an entry for each.

    Attributes:
        turn: where the coordinate turns around, from 0 to 1; of use where its rates at both ends differ in sign.
        turn_value: its value there, relative to that at the first end.
        turn_excess: how far that is beyond the limits; negative within.
        crossing: where it passes a limit, from 0 to 1; of use where it is beyond a limit at the last end or at the
            turning point, and not at the first end.
    """

    turn: Vector
    turn_value: Vector
    turn_excess: Vector
    crossing: Vector


class CubicPieces:
    """Memory for pieces, and the compiled function that reads it; for one run at a time.

    Example:
        >>> one = np.ones(1)
        >>> CubicPieces().facts(0 * one, (4 * one, -4 * one), (-one, 0.75 * one))  # 4·s - 4·s²
        PieceFacts(turn=array([0.5]), turn_value=array([1.]), turn_excess=array([0.25]), crossing=array([0.25]))
    """

    def __init__(self) -> None:
        self._bind(FIRST_PIECES)

    def _bind(self, count: int) -> None:
        self._given, self._found = np.empty((count, 5)), np.empty((count, 4))
        self._call = _compiled().bind_batch(piece=self._given, facts=self._found)

    def facts(self, change: Vector, rates: Iterable[Vector], limits: Iterable[Vector]) -> PieceFacts:
        """Turning points and passed limits of cubics; the next call overwrites them.

        Args:
            change: of the coordinates, between both ends.
            rates: at the first end and at the last one, times the duration.
            limits: low and high, relative to the coordinates at the first end.
        """
        count = len(change)
        if count > len(self._given):
            self._bind(2 * count)
        for k, column in enumerate((change, *rates, *limits)):
            self._given[:count, k] = column
        self._call(count)
        return PieceFacts(*self._found[:count].T)


@cache
def _compiled() -> Function:
    """One function for all mechanisms."""
    with isolated():
        piece = symbols("change first_rate last_rate low high")
        return Function("cubic_piece", {"piece": piece}, {"facts": _facts(*piece)})


def _facts(change: Expr, a: Expr, last_rate: Expr, low: Expr, high: Expr) -> list[Expr]:
    """The entries of ``PieceFacts`` for the cubic a·s + b·s² + c·s³."""
    b, c = 3 * change - 2 * a - last_rate, a + last_rate - 2 * change

    def value(s: Any) -> Expr:
        return s * (a + s * (b + s * c))

    root = -(b + where(b < 0, -1, 1) * sqrt(maximum(b * b - 3 * a * c, 0)))
    near, far = a / root, root / (3 * c)
    turn = where(absolute(near - 0.5) <= 0.5, near, far)  # if rates differ in sign, the slope has one root within
    excess = maximum(low - value(turn), value(turn) - high)
    turns = a * last_rate < 0
    begin = where(turns, where(excess > 0, 0, turn), 0)
    end = where(turns, where(excess > 0, turn, 1), 1)
    level = where(value(end) > high, high, low)
    rises = value(end) >= level
    first = value(begin) - level
    s = _within(begin, end, begin - (end - begin) * first / (value(end) - value(begin)))
    for _ in range(ITERATIONS):
        rest = value(s) - level
        below = where(rises, rest, -rest) < 0
        begin, end = where(below, s, begin), where(below, end, s)
        s = _within(begin, end, s - rest / (a + s * (2 * b + 3 * s * c)))
    return [turn, value(turn), excess, s]


def _within(begin: Expr, end: Expr, s: Expr) -> Expr:
    """A value, or the middle of its bounds if it is beyond them or not a number."""
    middle = (begin + end) / 2
    return where(s >= begin, where(s <= end, s, middle), middle)
