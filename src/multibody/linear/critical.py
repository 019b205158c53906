"""Critical values: where poles cross the imaginary axis, and a system becomes stable or unstable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError
from multibody.linear.spectrum import doubtful, zero_count
from multibody.linear.studies import Family, Poles, follow, system_at
from multibody.model.quantity import finite_value

NARROWINGS = 10
"""Halvings, after which a pole is where a straight line has it, so that it is not taken for another one."""

PARTINGS = 16
"""The same for two poles that meet, perhaps next to others that are zero always."""


class End(NamedTuple):
    """A number, what is looked at there, and the pole, or the two poles, that it belongs to."""

    value: float
    height: float
    poles: Poles


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
        family: the linear system for a number. It must not change along its motion; see ``Equilibrium.stability``.
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
    ends = finite_value(low, "smallest number"), finite_value(high, "largest number")
    if not ends[0] < ends[1] or points < 2:
        raise ModelError(
            f"There is nothing between {low:g} and {high:g} on a grid of {points} points.",
            where="critical_values",
            remedy="Give the smaller number first, and two points or more.",
        )
    grid = np.linspace(*ends, points)
    motions = _Motions(family, grid)
    locus = follow(motions.poles, grid)
    sides = np.array([_sides(motions, *row) for row in zip(locus.values, locus.poles, strict=True)])
    branches = range(locus.poles.shape[1])
    crossings = [one for k in branches for one in _on_branch(motions, locus.values, locus.poles, sides, k)]
    return tuple(sorted(crossings, key=lambda one: one.value))


class _Motions:
    """The poles of linear systems along a number, without those that are zero for all numbers.

    A vehicle has such zeros: nothing depends on where it is, and which way it goes. They say nothing about stability,
    and a pole that passes through zero is not mistaken for one of them.

    Args:
        family: the linear system for a number.
        grid: numbers among which are some where no other pole is zero.
    """

    def __init__(self, family: Family, grid: NDArray[np.float64]) -> None:
        self.matrix = cache(lambda value: system_at(family, value).A)
        self.known = cache(self._known)
        self._zeros = min(zero_count(self.matrix(float(value))) for value in grid)

    def poles(self, value: float) -> Poles:
        return self.known(value)[0]

    def _known(self, value: float) -> tuple[Poles, NDArray[np.float64]]:
        """The poles, and by how much they may be off."""
        return doubtful(self.matrix(value), self._zeros)


def _sides(motions: _Motions, value: float, poles: Poles) -> NDArray[np.float64]:
    """For each pole 1 if it is to the right of the axis, -1 if it is to the left; 0 if rounding leaves that open."""
    known, doubts = motions.known(float(value))
    nearest = np.abs(poles[:, None] - known[None, :]).argmin(axis=1) if len(poles) else np.zeros(0, dtype=int)
    return np.where(np.abs(poles.real) > doubts[nearest], np.sign(poles.real), 0.0)


def _on_branch(
    motions: _Motions, values: NDArray[np.float64], poles: Poles, all_sides: NDArray[np.float64], number: int
) -> Iterator[Crossing]:
    """The changes on one branch; of a conjugate pair only the upper one is counted, of a pair ±s the growing one."""
    branch, sides = poles[:, number], all_sides[:, number]
    touched = np.flatnonzero((sides[1:-1] == 0) & (sides[:-2] * sides[2:] < 0)) + 1  # points right on the axis
    for i, j in pairwise(np.delete(np.arange(len(sides)), touched)):
        upper = sum(branch[k].imag for k in (i, j) if sides[k]) >= 0  # where it is off the axis
        destabilizing = bool(sides[j] > sides[i])
        if upper and sides[i] * sides[j] < 0:
            yield _located(motions, [(values[k], branch[[k]]) for k in (i, j)], _distance, destabilizing)
        elif upper and sides[i] + sides[j] == 1:
            off = i if sides[i] else j
            other = np.abs(poles[off] + branch[off].conj()).argmin()  # they meet on the axis: a + i·b and -a + i·b
            yield _located(motions, [(values[k], poles[k, [number, other]]) for k in (i, j)], _parting, destabilizing)


def _distance(poles: Poles) -> float:
    """Of one pole from the axis, with its sign."""
    return float(poles[0].real)


def _parting(poles: Poles) -> float:
    """a² for ±a + i·b, and -(ω₁ - ω₂)²/4 for i·ω₁ and i·ω₂: smooth where two poles meet on the axis and part."""
    return float((((poles[0] - poles[1]) / 2) ** 2).real)


def _located(
    motions: _Motions, ends: list[tuple[float, Poles]], height: Callable[[Poles], float], destabilizing: bool
) -> Crossing:
    """The zero of ``height``: first by halving, so that it is the same poles all the time, then by Brent's method."""
    from scipy.optimize import brentq  # late, because importing it takes long

    left, right = (End(float(value), height(poles), poles) for value, poles in ends)

    def at(value: float) -> End:
        poles = _nearest(motions.poles(value), _expected(left, right, value))
        return End(value, height(poles), poles)

    for _ in range(NARROWINGS if len(left.poles) == 1 else PARTINGS):
        half = at((left.value + right.value) / 2)
        if half.height == 0:
            return _crossing(half, destabilizing)
        left, right = (half, right) if half.height * left.height > 0 else (left, half)
    if left.height * right.height < 0:
        left = at(float(brentq(lambda x: at(x).height, left.value, right.value, xtol=1e-15, rtol=1e-15)))
    return _crossing(left, destabilizing)


def _crossing(where: End, destabilizing: bool) -> Crossing:
    return Crossing(where.value, complex(0.0, abs(float(where.poles.imag.mean()))), destabilizing)


def _expected(left: End, right: End, value: float) -> Poles:
    """One pole on the straight line between two; of two poles their mean, and the square of their difference."""
    share = (value - left.value) / (right.value - left.value)

    def between(a: complex, b: complex) -> complex:
        return a + share * (b - a)

    mean = between(left.poles.mean(), right.poles.mean())
    apart = np.sqrt(between((left.poles - left.poles.mean())[0] ** 2, (right.poles - right.poles.mean())[0] ** 2))
    return np.array([mean + apart, mean - apart][: len(left.poles)], dtype=complex)


def _nearest(poles: Poles, expected: Poles) -> Poles:
    """As many different poles as are expected, next to these."""
    near = {int(k) for one in expected for k in np.abs(poles - one).argsort()[: len(expected)]}
    found = min(permutations(sorted(near), len(expected)), key=lambda k: float(np.abs(poles[list(k)] - expected).sum()))
    return poles[list(found)]
