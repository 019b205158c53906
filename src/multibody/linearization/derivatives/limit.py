"""Derivatives where plain numbers fail: expressions that divide zero by zero, lose their digits, or change formulas.

The value of sin q / q at q = 0 exists, and so does that of (1 - cos q)/q² at q = 1e-9, where rounding leaves nothing of
it. Both are found with many digits: at the point itself, or, where it has no value, at points so near to it that
nothing else of the model comes between. Four of them on each of two lines show that there is a limit: at a ten
thousandth of the distance, values differ accordingly less. A pole, a jump and a limit that depends on the direction do
not pass this test.

Where formulas change, as |u| does at u = 0, a value counts if it is the one that is approached from all sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ExpressionError
from multibody.graph import Expr, Symbol, evaluate
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import (
    BRANCH_FAR,
    BRANCH_NEAR,
    LIMIT_CHANGE,
    LIMIT_DIFFERENCE,
    LIMIT_FAR,
    LIMIT_MEAN_SHIFT,
    LIMIT_NEAR,
    LIMIT_SHRINKING,
    LIMIT_ZERO,
)

DIGITS = 60

Sizes = Mapping[Symbol, float]


class Limit:
    """The values or limits of expressions at a point, found with many digits.

    Args:
        expressions: those whose plain values are not known there.
        moving: the symbols along which it is approached.
        known: a number for each symbol.
        sizes: those of the moving symbols, in their units.

    Example:
        >>> from multibody.graph import sin, symbol
        >>> x = symbol("x")
        >>> Limit([sin(3 * x) / x], [x], {x: 0.0}, {x: 1.0})(["slope"], [x])
        array([3.])
    """

    def __init__(
        self, expressions: Sequence[Expr], moving: Sequence[Symbol], known: Mapping[Symbol, float], sizes: Sizes
    ) -> None:
        self._expressions = list(expressions)
        self._moving = list(moving)
        self._known = known
        self._sizes = sizes

    def __call__(self, told: Sequence[str], critical: Sequence[Expr]) -> Matrix:
        """The values.

        Args:
            told: what each expression is, for messages.
            critical: what is zero there, for messages.

        Raises:
            ExpressionError: if there is none.
        """
        here, far, near = self._samples()
        found = np.full(len(self._expressions), np.nan)
        for k, value in enumerate(here):
            known = np.isfinite(value) and np.abs(near[:, k] - value).max(initial=0.0) <= LIMIT_CHANGE * abs(value)
            found[k] = value if known or (value == 0 and not near[:, k].any()) else self._limit(far[:, k], near[:, k])
        if np.isnan(found).any():
            raise without_value(told, np.isnan(found), critical, self._moving, self._known)
        return found

    def _samples(self) -> tuple[Matrix, Matrix, Matrix]:
        """The values at the point, and a row for each point far from it and near to it."""
        here, *around = precise_values(
            self._expressions, self._moving, self._known, self._sizes, (LIMIT_FAR, LIMIT_NEAR)
        )
        return here, np.array(around[: len(around) // 2]), np.array(around[len(around) // 2 :])

    @staticmethod
    def _limit(far: Matrix, near: Matrix) -> float:
        if not (np.isfinite(far).all() and np.isfinite(near).all() and len(near)):
            return np.nan
        value, before = float(near.mean()), float(far.mean())
        spread, wide, sure = np.abs(near - value).max(), np.abs(far - before).max(), LIMIT_DIFFERENCE * abs(value)
        if spread > max(LIMIT_SHRINKING * wide, sure) or abs(before - value) > max(LIMIT_MEAN_SHIFT * wide, sure):
            return np.nan
        return 0.0 if abs(value) <= LIMIT_ZERO * wide else value


def precise_values(
    expressions: Sequence[Expr], moving: Sequence[Symbol], known: Mapping[Symbol, float], sizes: Sizes,
    distances: Sequence[float],
) -> list[Matrix]:  # fmt: skip
    """Values with many digits, rounded: at the point, then on both sides of it on two lines, for each distance.

    NaN where there is no value.
    """
    import mpmath  # late, because few points need it

    with mpmath.workdps(DIGITS):
        numbers = {symbol: mpmath.mpf(value) for symbol, value in known.items()}
        points = [numbers]
        for distance in distances:
            for line in _directions(len(moving)):
                for side in (1, -1):
                    step = {
                        symbol: side * distance * d * (sizes.get(symbol) or 1.0)
                        for symbol, d in zip(moving, line, strict=True)
                    }
                    points.append(numbers | {symbol: numbers[symbol] + mpmath.mpf(by) for symbol, by in step.items()})
        return [_evaluated(expressions, point) for point in points]


def _evaluated(expressions: Sequence[Expr], point: Mapping[Any, Any]) -> Matrix:
    try:
        return np.array([float(number) for number in evaluate(list(expressions), point)], dtype=np.float64)
    except ExpressionError:
        if len(expressions) == 1:
            return np.array([np.nan])
    half = len(expressions) // 2
    return np.concatenate([_evaluated(expressions[:half], point), _evaluated(expressions[half:], point)])


def approached(
    expressions: Sequence[Expr], moving: Sequence[Symbol], known: Mapping[Symbol, float], values: Matrix, sizes: Sizes
) -> Matrix:
    """Whether values are those that are approached from all sides: nearer, the difference is accordingly smaller.

    Example:
        >>> from multibody.graph import absolute, symbol
        >>> x = symbol("x")
        >>> approached([absolute(x), x * absolute(x), absolute(x) / x], [x], {x: 0.0}, np.zeros(3), {x: 1.0})
        array([ True,  True, False])
    """
    _, *around = precise_values(expressions, moving, known, sizes, (BRANCH_FAR, BRANCH_NEAR))
    gaps = np.abs(np.array(around) - values)
    far, near = gaps[: len(gaps) // 2].max(axis=0), gaps[len(gaps) // 2 :].max(axis=0)
    return np.asarray((near <= LIMIT_SHRINKING * far) | (near <= LIMIT_DIFFERENCE * np.abs(values)))


def without_value(
    told: Sequence[str], missing: Matrix, critical: Sequence[Expr], moving: Sequence[Symbol],
    known: Mapping[Symbol, float],
) -> ExpressionError:  # fmt: skip
    """The error for expressions that have no value and no limit."""
    names = list(dict.fromkeys(name for name, gone in zip(told, missing, strict=True) if gone))
    shown = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    zero = f"{critical[0]!r:.200} is zero there, or a point of a table. " if critical else ""
    return ExpressionError(
        f"There is no derivative at the operating point: {shown}.",
        code="derivative-missing",
        where=", ".join(f"{symbol.name}={known[symbol]:.6g}" for symbol in moving[:12]),
        cause=f"{zero}The value depends on the direction from which the point is approached, jumps, or grows beyond "
        "all bounds.",
        remedy="Choose another point, other coordinates (a quaternion has no gimbal lock), a smooth law instead of one "
        "with a kink (a cubic table instead of a linear one), or the components of a vector instead of its length.",
    )


def _directions(size: int) -> Matrix:
    """Two lines through a point that are parallel to nothing."""
    rng = np.random.default_rng(0)
    return rng.uniform(0.5, 1.0, (2, size)) * rng.choice([-1.0, 1.0], (2, size))
