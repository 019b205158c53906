"""Critical values: where poles cross the imaginary axis, and a system becomes stable or unstable."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.linear.studies import Family, Poles, poles_at, root_locus

OFF = 1e-7  # a real part that is more than rounding, relative to the largest pole
NARROWINGS = 10

End = tuple[float, complex]
"""A number, and the pole of a branch there."""


class Crossing(NamedTuple):
    """A number at which a pole, or a pair of them, crosses, leaves or reaches the imaginary axis.

    Attributes:
        value: the number.
        pole: where that is: i·frequency, or 0.
        destabilizing: whether it moves to the right as the number grows.
    """

    value: float
    pole: complex
    destabilizing: bool


def critical_values(family: Family, low: float, high: float, *, points: int = 61) -> tuple[Crossing, ...]:
    """Numbers between ``low`` and ``high`` at which stability changes, in their order.

    There poles cross the imaginary axis; or, without damping, they leave it or come back to it. Poles that stay on the
    axis do not count. Branches are followed over a grid, and changes located to rounding; two of one branch between
    neighbouring points of the grid are missed.

    Args:
        family: the linear system for a number.
        low: the smallest number.
        high: the largest one.
        points: of the grid.

    Example:
        >>> import multibody as mb
        >>> from multibody.linear.studies import along
        >>> slide = mb.System("slide")
        >>> k, d = slide.parameters(k=100.0, d=2.0)
        >>> joint = slide.joint("x", slide.world, slide.body("block", 1.0), "Tx")
        >>> pull, brake = slide.load(mb.JointSpring(joint, k)), slide.load(mb.JointDamper(joint, d))
        >>> (found,) = critical_values(along(mb.derive(slide), "d"), -3.0, 4.0)
        >>> round(found.value, 9), round(found.pole.imag, 9), found.destabilizing
        (0.0, 10.0, False)
    """
    locus = root_locus(family, np.linspace(low, high, points))
    scale = float(np.abs(locus.poles).max(initial=0.0))
    found = [one for branch in locus.poles.T for one in _on_branch(family, locus.values, branch, OFF * scale)]
    return tuple(sorted(found, key=lambda one: one.value))


def _on_branch(family: Family, values: NDArray[np.float64], branch: Poles, margin: float) -> Iterator[Crossing]:
    """The changes on one branch; of a conjugate pair only the upper one is counted, of a pair ±s the growing one."""
    sides = np.where(np.abs(branch.real) > margin, np.sign(branch.real), 0)
    ends = [(float(value), complex(pole)) for value, pole in zip(values, branch, strict=True)]
    touched = np.flatnonzero((sides[1:-1] == 0) & (sides[:-2] * sides[2:] < 0)) + 1  # points right on the axis
    kept = np.delete(np.arange(len(sides)), touched)
    for i, j in pairwise(kept):
        upper = sum(branch[k].imag for k in (i, j) if sides[k]) >= 0  # where it is off the axis
        if upper and sides[i] * sides[j] < 0:
            yield _crossing(family, ends[i], ends[j])
        elif upper and sides[i] + sides[j] == 1:
            yield _departure(family, ends[i], ends[j], margin)


def _crossing(family: Family, left: End, right: End) -> Crossing:
    """First by halving, so that it is the same pole all the time, then by Brent's method."""
    from scipy.optimize import brentq  # late, because importing it takes long

    destabilizing = left[1].real < 0
    for _ in range(NARROWINGS):
        half = (left[0] + right[0]) / 2
        pole = _nearest(family, left, right, half)
        if pole.real == 0:
            return Crossing(half, pole, destabilizing)
        left, right = ((half, pole), right) if pole.real * left[1].real > 0 else (left, (half, pole))
    found = brentq(lambda value: _nearest(family, left, right, value).real, left[0], right[0], xtol=1e-15, rtol=1e-15)
    pole = _nearest(family, left, right, float(found))
    return Crossing(float(found), complex(0.0, pole.imag), destabilizing)


def _departure(family: Family, left: End, right: End, margin: float) -> Crossing:
    """Where poles leave the axis, by halving: they do so as a square root, so half of the digits are enough."""
    destabilizing = right[1].real > left[1].real

    def growing(value: float) -> int:
        return int(np.sum(poles_at(family, value).real > margin))

    low, high, many = left[0], right[0], growing(right[0])
    while (half := (low + high) / 2) not in (low, high) and abs(high - low) > 1e-15 * abs(half):
        low, high = (low, half) if growing(half) == many else (half, high)
    pole = _nearest(family, left, right, half)
    return Crossing(half, complex(0.0, abs(pole.imag)), destabilizing)


def _nearest(family: Family, left: End, right: End, value: float) -> complex:
    """The pole nearest to the straight line between two of one branch."""
    share = (value - left[0]) / (right[0] - left[0])
    expected = left[1] + share * (right[1] - left[1])
    poles = poles_at(family, value)
    return complex(poles[np.abs(poles - expected).argmin()])
