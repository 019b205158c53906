"""Differences in place of entries of a Jacobian that have no value.

The exact derivative of x^1.25·x^0.25 divides by zero at x = 0, where the product itself is smooth enough for Newton's
method. Implicit methods need no exact Jacobian: it decides how fast they converge, not where to.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from multibody.simulation.contract import Vector

RELATIVE_SHIFT = 1e-7
"""Of central differences, relative to each entry of the state, and at least this."""


def fill_by_differences(slopes: Vector, function: Callable[[Vector], Vector], y: Vector) -> Vector:
    """A Jacobian in which columns with entries that are not finite are replaced by central differences.

    Args:
        slopes: the Jacobian ∂function/∂y; it is changed.
        function: gives new values, as an array of its own.
        y: where.

    Example:
        >>> fill_by_differences(np.array([[np.nan]]), lambda y: y**2, np.array([3.0])).round(6)
        array([[6.]])
    """
    for k in np.flatnonzero(~np.isfinite(slopes).all(axis=0)):
        shift = np.zeros(len(y))
        shift[k] = RELATIVE_SHIFT * max(1.0, abs(y[k]))
        slopes[:, k] = (function(y + shift) - function(y - shift)) / (2 * shift[k])
    return slopes
