"""Which samples of a row a triangle covers. Loaded late: everything here is translated by numba.

The barycentric coordinates of a sample are linear in x: v + d·x. A triangle covers a row from the largest x at which
one of them becomes positive to the smallest at which one becomes negative (Pineda 1988).
"""

from __future__ import annotations

import math

from multibody.simulate.loops import compiled, larger, smaller, whole

BEYOND = 1e18


@compiled
def edge(ax: float, ay: float, bx: float, by: float, x: float, y: float) -> float:
    """Twice the area of the triangle a, b, (x, y): positive if it is counterclockwise."""
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax)


@compiled
def enters(low: float, v: float, d: float) -> float:
    """From where on v + d·x ≥ 0, but not before ``low``."""
    if d > 0.0:
        return larger(low, -v / d)
    return low if d < 0.0 or v >= 0.0 else BEYOND


@compiled
def leaves(high: float, v: float, d: float) -> float:
    """Up to where v + d·x ≥ 0, but not after ``high``."""
    return smaller(high, -v / d) if d < 0.0 else high


@compiled
def first(low: float) -> int:
    """The first whole number from here on, not below 0, nor larger than whole numbers can be."""
    return whole(math.ceil(smaller(larger(low, 0.0), BEYOND)))


@compiled
def after(high: float, size: int) -> int:
    """The one after the last whole number up to here, at most ``size``."""
    return whole(math.floor(larger(smaller(high, size - 1.0), -1.0))) + 1
