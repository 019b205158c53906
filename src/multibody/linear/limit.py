"""Limits where an expression divides by zero although its value exists: sin q / q at q = 0, aligned axes.

Along a line x + z·d through the point, such an expression is an analytic function of the complex number z with a
removable singularity at z = 0. Its value there is its mean over any circle around it that holds no other singularity
(Cauchy's integral formula), which the trapezoidal rule finds to all digits from a few points (Trefethen and Weideman
2014). A pole shows by its Laurent coefficients, and a limit that depends on the direction by another line.

Where formulas change, as |u| does at u = 0, a value counts if it is the one that is approached from all sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ExpressionError
from multibody.graph import Expr, Symbol, evaluate
from multibody.linear.point import Matrix

POINTS = 32
RADII = (0.25, 0.1, 0.03, 0.01, 1e-3)
SURE = 1e-9
"""Agreement of two lines, and smallness of powers that show something else, relative to values on the circle."""
SIDES = (1e-5, 1e-7)
"""Distances at which it is looked at what a value is approached by."""
ROUNDING = 1e-15
"""A limit so small, relative to values on the circle, is zero."""


class Limit:
    """The limits of expressions at a point.

    Args:
        expressions: those that have no value there.
        moving: the symbols along which it is approached.
        known: a number for each symbol.

    Example:
        >>> from multibody.graph import sin, symbol
        >>> x = symbol("x")
        >>> Limit([sin(3 * x) / x], [x], {x: 0.0})(["slope"], [x])
        array([3.])
    """

    def __init__(self, expressions: Sequence[Expr], moving: Sequence[Symbol], known: Mapping[Symbol, float]) -> None:
        self._expressions = list(expressions)
        self._moving = list(moving)
        self._known = known
        self._directions = _directions(len(self._moving))

    def __call__(self, told: Sequence[str], critical: Sequence[Expr]) -> Matrix:
        """The limits.

        Args:
            told: what each expression is, for messages.
            critical: what is zero there, for messages.

        Raises:
            ExpressionError: if there is none.
        """
        found = np.full(len(self._expressions), np.nan)
        for radius in RADII:
            values, good = self._means(radius)
            new = good & np.isnan(found)
            found[new] = values[new]
            if not np.isnan(found).any():
                return found
        raise without_value(told, np.isnan(found), critical, self._moving, self._known)

    def _means(self, radius: float) -> tuple[Matrix, Matrix]:
        """The means over two circles, and where they are the limit."""
        circle = radius * np.exp(2j * np.pi * (np.arange(POINTS) + 0.5) / POINTS)
        samples = np.array([self._along(direction, circle) for direction in self._directions])
        size = np.abs(samples).max(axis=(0, 2)) + 1e-300
        coefficients = np.fft.fft(samples, axis=2) / POINTS  # of z^0, z^1 … z^15, z^-16 … z^-1, times radius^k
        means = samples.mean(axis=2)
        strange = np.abs(coefficients[:, :, POINTS // 2 - 2 :]).max(axis=(0, 2))  # high powers, and those of poles
        good = (strange <= SURE * size) & np.isfinite(size) & (np.abs(means[0] - means[1]) <= SURE * size)
        values = means.real.mean(axis=0)
        return np.where(np.abs(values) <= ROUNDING * size, 0.0, values), good

    def _along(self, direction: Matrix, circle: Matrix) -> Matrix:
        moved: dict[Any, Any] = dict(self._known)
        moved |= {one: self._known[one] + step * circle for one, step in zip(self._moving, direction, strict=True)}
        found = evaluate(self._expressions, moved)
        return np.array([np.broadcast_to(one, circle.shape) for one in found], dtype=complex)


def approached(
    expressions: Sequence[Expr], moving: Sequence[Symbol], known: Mapping[Symbol, float], values: Matrix
) -> Matrix:
    """Whether values are those that are approached from all sides: twice as near, the difference is half as large.

    Example:
        >>> from multibody.graph import absolute, symbol
        >>> x = symbol("x")
        >>> approached([absolute(x), x * absolute(x), absolute(x) / x], [x], {x: 0.0}, np.zeros(3))
        array([ True,  True, False])
    """
    lines = _directions(len(moving))
    steps = np.concatenate([np.outer(size, (1.0, -1.0)).ravel() for size in SIDES])
    gaps = []
    for line in lines:
        moved: dict[Any, Any] = dict(known)
        moved |= {one: known[one] + step * steps for one, step in zip(moving, line, strict=True)}
        found = evaluate(list(expressions), moved)
        gaps.append([np.abs(np.broadcast_to(one, steps.shape) - v) for one, v in zip(found, values, strict=True)])
    far, near = np.array(gaps)[:, :, :2].max(axis=(0, 2)), np.array(gaps)[:, :, 2:].max(axis=(0, 2))
    return (near <= 0.1 * far) | (near <= SURE * (1 + np.abs(values)))


def without_value(
    told: Sequence[str], missing: Matrix, critical: Sequence[Expr], moving: Sequence[Symbol],
    known: Mapping[Symbol, float],
) -> ExpressionError:  # fmt: skip
    """The error for expressions that have no value and no limit."""
    names = list(dict.fromkeys(one for one, gone in zip(told, missing, strict=True) if gone))
    shown = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    zero = f"{critical[0]!r:.200} is zero there. " if critical else ""
    return ExpressionError(
        f"There is no derivative at the operating point: {shown}.",
        where=", ".join(f"{one.name}={known[one]:.6g}" for one in moving[:12]),
        cause=f"{zero}The value depends on the direction from which the point is approached, jumps, or grows beyond "
        "all bounds.",
        remedy="Choose another point, other coordinates (a quaternion has no gimbal lock), a smooth law instead of one "
        "with a kink, or the components of a vector instead of its length.",
    )


def _directions(size: int) -> Matrix:
    """Two lines through a point that are parallel to nothing."""
    rng = np.random.default_rng(0)
    return rng.uniform(0.5, 1.0, (2, size)) * rng.choice([-1.0, 1.0], (2, size))
