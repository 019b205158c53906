"""Critical values: where poles cross the imaginary axis, and a system becomes stable or unstable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError
from multibody.linearization.spectra.eigenpairs import Poles
from multibody.linearization.spectra.spectrum import Spectrum, spectrum_without, zero_count
from multibody.linearization.spectra.stability import sides
from multibody.linearization.state_space.linear_system import LinearSystem
from multibody.linearization.studies.root_locus import Family, follow, system_at, watched
from multibody.linearization.tolerances import CROSSING_ERROR, MIRROR_DISTANCE
from multibody.model.quantity import finite_value

NARROWINGS = 10
"""Halvings, after which a pole is where a straight line has it, so that it is not taken for another one."""

PARTINGS = 16
"""The same for two poles that meet, perhaps next to others that are zero always."""

HALVINGS = 48
"""The same for a pole that reaches the axis and stays there."""


SEARCHES, GOLDEN = 24, (5**0.5 - 1) / 2
"""Steps of the search for a change between two points of the grid, and the share of the range that each leaves."""

ASIDE = 10.0 ** np.arange(-12, -3)
"""Distances from a crossing at which it is verified, relative to the step of the grid, until error bounds allow it."""


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
    axis do not count. Branches are followed over a grid, and changes located to rounding. Two changes of one branch
    between neighboring points of the grid are found if the branch is near the axis at one of these points, compared
    with how far it moves between them; otherwise they are missed. On both sides of each number the poles are verified
    to be where the result says, by more than their error bounds; the sides are those of ``LinearSystem.stability``.

    Args:
        family: the linear system for a number. It must not change along its motion; see ``Equilibrium.stability``.
        low: the smallest number.
        high: the largest one.
        points: of the grid.

    Raises:
        ModelError: if a change was seen that cannot be verified.

    Warns:
        OperatingPointWarning: once, if the mechanism does not stay at one of the operating points.

    Example:
        >>> import multibody as mb
        >>> from multibody.linearization.studies.root_locus import along
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
            code="range-empty",
            where="critical_values",
            remedy="Give the smaller number first, and two points or more.",
            low=ends[0],
            high=ends[1],
            points=points,
        )
    grid = np.linspace(*ends, points)
    motions = _Motions(watched(family), grid)
    locus = follow(motions.poles, grid)
    between = _between(motions, locus.values, locus.poles)
    if between:
        locus = follow(motions.poles, np.union1d(grid, between))
    places = _places(motions, locus.values, locus.poles)
    branches = range(locus.poles.shape[1])
    crossings = [crossing for k in branches for crossing in _on_branch(motions, locus.values, locus.poles, places, k)]
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
        self._system: Callable[[float], LinearSystem] = cache(lambda value: system_at(family, value))
        self.spectrum: Callable[[float], Spectrum] = cache(self._spectrum)
        self.low, self.high, self.step = float(grid[0]), float(grid[-1]), float(grid[1] - grid[0])
        systems = [self._system(float(value)) for value in grid]
        self._zeros = min(zero_count(system.A, system.rounding) for system in systems)

    def poles(self, value: float) -> Poles:
        return self.spectrum(value).poles

    def _spectrum(self, value: float) -> Spectrum:
        system = self._system(value)
        return spectrum_without(system.A, self._zeros, system.rounding)

    def sides(self, value: float, poles: Poles) -> NDArray[np.float64]:
        """The sides of some of the poles at a number."""
        known = self.spectrum(value)
        nearest = np.abs(poles[:, None] - known.poles[None, :]).argmin(axis=1) if len(poles) else np.zeros(0, dtype=int)
        return sides(poles, known.bounds[nearest])


def _places(motions: _Motions, values: NDArray[np.float64], poles: Poles) -> NDArray[np.float64]:
    """The sides of the axis on which the poles of all branches are, a row for each number."""
    return np.array([motions.sides(float(value), row) for value, row in zip(values, poles, strict=True)])


def _between(motions: _Motions, values: NDArray[np.float64], poles: Poles) -> list[float]:
    """Numbers between those of the grid at which poles are on another side than at its points.

    A pole may cross the axis and come back within one step, and two poles on it may meet, leave it and return. Both
    are looked for where a branch comes near the axis, or two of them near each other, compared with how they move.
    """
    places, found = _places(motions, values, poles), []
    for number in range(poles.shape[1]):
        if (poles[:, number].imag < 0).all():
            continue  # of a conjugate pair, the upper one
        for i, j in pairwise(range(len(values))):
            side = places[i, number]
            if side != places[j, number] or (value := _turn(motions, values, poles, number, i, side)) is None:
                continue
            found.append(value)
    return found


def _turn(
    motions: _Motions, values: NDArray[np.float64], poles: Poles, number: int, i: int, side: float
) -> float | None:
    """A number between two of the grid at which a branch is on another side than at both; None if there is none."""
    j = i + 1
    members = [number] if side else [number, _neighbor(poles, number, i)]
    height = _distance if side else _parting
    if len({*members}) < len(members):
        return None
    heights = np.abs([height(row[members]) for row in poles[max(i - 1, 0) : j + 2]])
    here, change = heights[i - max(i - 1, 0) :][:2].min(), np.abs(np.diff(heights)).max(initial=0.0)
    if not 0 < here <= change:
        return None  # it is further away than it moves
    left, right = (End(float(values[k]), height(poles[k, members]), poles[k, members]) for k in (i, j))
    low, high = left.value, right.value
    for _ in range(SEARCHES):
        inner = [low + share * (high - low) for share in (1 - GOLDEN, GOLDEN)]
        tried = [_nearest(motions.poles(value), _expected(left, right, value)) for value in inner]
        for value, trial in zip(inner, tried, strict=True):
            places = motions.sides(value, trial)
            if (places == -side).any() if side else (places > 0).any():
                return value
        first, second = (abs(height(trial)) for trial in tried)
        low, high = (low, inner[1]) if first < second else (inner[0], high)
    return None


def _neighbor(poles: Poles, number: int, i: int) -> int:
    """The branch that is nearest to another one, which is not its conjugate."""
    gaps = np.abs(poles[i] - poles[i, number]) + np.abs(poles[i + 1] - poles[i + 1, number])
    gaps[number] = np.inf
    gaps[np.abs(poles[i].conj() - poles[i, number]) <= MIRROR_DISTANCE * np.abs(poles[i, number].imag)] = np.inf
    return int(gaps.argmin()) if np.isfinite(gaps.min()) else number


def _on_branch(
    motions: _Motions, values: NDArray[np.float64], poles: Poles, all_sides: NDArray[np.float64], number: int
) -> Iterator[Crossing]:
    """The changes on one branch; of a conjugate pair only the upper one is counted, of a pair ±s the growing one."""
    branch, places = poles[:, number], all_sides[:, number]
    touched = np.flatnonzero((places[1:-1] == 0) & (places[:-2] * places[2:] < 0)) + 1  # points right on the axis
    for i, j in pairwise(np.delete(np.arange(len(places)), touched)):
        destabilizing, off = bool(places[j] > places[i]), i if places[i] else j
        if places[i] * places[j] < 0:
            yield from _located(motions, [(values[k], branch[[k]]) for k in (i, j)], _distance, destabilizing)
        elif places[i] + places[j] == 1 and branch[off].imag >= 0:
            other = int(np.abs(poles[off] + branch[off].conj()).argmin())  # they meet on the axis: a + i·b and -a + i·b
            ends = [(values[k], poles[k, [number, other]]) for k in (i, j)]
            if abs(poles[off, other] + branch[off].conj()) <= MIRROR_DISTANCE * branch[off].real:
                yield from _located(motions, ends, _parting, destabilizing)
            else:
                yield _reached(motions, [(value, pair[:1]) for value, pair in ends], destabilizing)


def _distance(poles: Poles) -> float:
    """Of one pole from the axis, with its sign."""
    return float(poles[0].real)


def _parting(poles: Poles) -> float:
    """a² for ±a + i·b, and -(ω₁ - ω₂)²/4 for i·ω₁ and i·ω₂: smooth where two poles meet on the axis and part."""
    return float((((poles[0] - poles[1]) / 2) ** 2).real)


def _located(
    motions: _Motions, ends: list[tuple[float, Poles]], height: Callable[[Poles], float], destabilizing: bool
) -> Iterator[Crossing]:
    """The zero of ``height``: first by halving, so that it is the same poles all the time, then by Brent's method.

    The lower pole of a conjugate pair is left out; which one a branch is may change where two real poles meet.
    """
    from scipy.optimize import brentq  # late, because importing it takes long

    left, right = (End(float(value), height(poles), poles) for value, poles in ends)
    single = len(left.poles) == 1

    def at(value: float) -> End:
        poles = _nearest(motions.poles(value), _expected(left, right, value))
        return End(value, height(poles), poles)

    on_axis = not left.height or not right.height  # at an end: where the axis is left or reached is halved to rounding
    middle: End | None = None
    for _ in range(HALVINGS if on_axis else NARROWINGS if single else PARTINGS):
        half = at((left.value + right.value) / 2)
        if half.height == 0 and not on_axis:
            middle = half
            break
        left, right = (half, right) if np.sign(half.height) == np.sign(left.height) else (left, half)
    if on_axis:
        middle = right if left.height else left
    elif middle is None:
        width = CROSSING_ERROR * (motions.high - motions.low)
        middle = at(float(brentq(lambda x: at(x).height, left.value, right.value, xtol=width, rtol=CROSSING_ERROR)))
    assert middle is not None
    if not single or middle.poles[0].imag >= 0:
        crossing = _crossing(middle, destabilizing)
        _verify(motions, crossing, at, single)
        yield crossing


def _reached(motions: _Motions, ends: list[tuple[float, Poles]], destabilizing: bool) -> Crossing:
    """Where a pole comes to the axis from the right and stays there, or leaves it: by halving."""
    left, right = (End(float(value), float(poles[0].real), poles) for value, poles in ends)
    for _ in range(HALVINGS):
        value = (left.value + right.value) / 2
        poles = _nearest(motions.poles(value), _expected(left, right, value))
        half = End(value, float(poles[0].real), poles)
        off = bool(motions.sides(value, poles)[0] > 0)
        left, right = (half, right) if off != destabilizing else (left, half)
    return _crossing(left if destabilizing else right, destabilizing)


def _crossing(where: End, destabilizing: bool) -> Crossing:
    return Crossing(where.value, complex(0.0, abs(float(where.poles.imag.mean()))), destabilizing)


def _verify(motions: _Motions, crossing: Crossing, at: Callable[[float], End], single: bool) -> None:
    """An error unless the poles are on the sides of the axis that the crossing says, a little before and after it."""
    way = 1.0 if crossing.destabilizing else -1.0

    def holds(value: float, sign: float) -> bool:
        """A single pole changes sides; of two that part, one goes to the right, and before both are on the axis."""
        if not motions.low <= value <= motions.high:
            return True
        places = motions.sides(value, at(value).poles)
        if single:
            return bool((places == sign * way).all())
        return bool((places > 0).any() if sign * way > 0 else (places <= 0).all())

    for distance in ASIDE * motions.step:
        if holds(crossing.value - distance, -1.0) and holds(crossing.value + distance, 1.0):
            return
    raise ModelError(
        f"A change of stability near {crossing.value:.6g} could not be verified.",
        code="crossing-not-verified",
        where="critical_values",
        cause="The error bounds of the poles are larger than their distances from the imaginary axis, or two changes "
        "are so close to each other that they were taken for one.",
        remedy=f"Look at root_locus(…) near {crossing.value:.6g}, and use more points, or a smaller range.",
        value=crossing.value,
    )


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
    near = {int(k) for argument in expected for k in np.abs(poles - argument).argsort()[: len(expected)]}
    found = min(permutations(sorted(near), len(expected)), key=lambda k: float(np.abs(poles[list(k)] - expected).sum()))
    return poles[list(found)]
