"""Joints that leave their limits during a run: which, when, and how far."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.simulation.checks.cubic_pieces import CubicPieces
from multibody.simulation.contract import Vector
from multibody.simulation.problem.sample_functions import probe
from multibody.simulation.tolerances import LIMIT_TOLERANCE


class LimitViolation(NamedTuple):
    """A coordinate that left its range on one side.

    Attributes:
        joint: the name of the joint.
        coordinate: the name of its coordinate.
        limits: the range.
        t: when it left the range on this side first.
        furthest: the value furthest beyond the range on this side.
        furthest_t: when it was there.
    """

    joint: str
    coordinate: str
    limits: tuple[float, float]
    t: float
    furthest: float
    furthest_t: float

    def __str__(self) -> str:
        low, high = self.limits
        return (
            f"{self.coordinate} leaves [{low:.6g}, {high:.6g}] at {self.t:.6g} s, "
            f"reaches {self.furthest:.6g} at {self.furthest_t:.6g} s"
        )

    @property
    def side(self) -> tuple[str, bool]:
        """The coordinate, and whether it left its range upward."""
        return self.coordinate, self.furthest > self.limits[1]

    @property
    def excess(self) -> float:
        """How far it went beyond the range."""
        return max(self.limits[0] - self.furthest, self.furthest - self.limits[1])


def joined_violations(
    first: tuple[LimitViolation, ...], later: tuple[LimitViolation, ...]
) -> tuple[LimitViolation, ...]:  # fmt: skip
    """One violation for each side of a coordinate, from those of a run and of one that goes on from it."""
    if not (first and later):
        return first or later
    known = {violation.side: violation for violation in first}
    for other in later:
        before = known.get(other.side, other)
        further = max(before, other, key=lambda violation: violation.excess)
        known[other.side] = before._replace(furthest=further.furthest, furthest_t=further.furthest_t)
    return tuple(known.values())


class _Ranges(NamedTuple):
    """The coordinates of joints that have limits.

    Attributes:
        names: of joints and coordinates.
        limits: low and high of each.
        places: of those that are coordinates of the equations, in q.
        others: places of the others, which are driven or close loops, among the values of the model.
        rated: which of the coordinates have a speed as their rate.
        speeds: the places of these in u.
        bounds: low and high of each, with a tolerance.
    """

    names: list[tuple[str, str]]
    limits: list[tuple[float, float]]
    places: list[int]
    others: list[int]
    rated: list[int]
    speeds: list[int]
    bounds: Vector


def has_limits(eom: EquationsOfMotion) -> bool:
    """Whether any joint has limits."""
    return bool(_ranges(eom).limits)


def _ranges(eom: EquationsOfMotion) -> _Ranges:
    found: _Ranges = eom.once("ranges of joints", lambda: _limited_coordinates(eom))
    return found


def _limited_coordinates(eom: EquationsOfMotion) -> _Ranges:
    """The limits of all joints, coordinates of the equations first; limits that exclude nothing are left out."""
    limited = [
        (coordinate, joint, limits)
        for joint, coordinate, limits in eom.model.limited_coordinates
        if np.isfinite(limits).any()
    ]
    places: dict[Any, int] = {coordinate: k for k, coordinate in enumerate(eom.coordinates)}
    values: dict[Any, int] = {value: k for k, value in enumerate(eom.model.values)}
    speeds: dict[Any, int] = {speed: k for k, speed in enumerate(eom.speeds)}
    own = [row for row in limited if row[0] in places]
    others = [row for row in limited if row[0] not in places and row[0] in values]  # the rest is not known
    rated = [k for k, row in enumerate(own) if eom.rates[places[row[0]]] in speeds]
    limits = [row[2] for row in (*own, *others)]
    slack = LIMIT_TOLERANCE * (1 + np.abs(limits)) * [-1, 1] if limits else np.zeros((0, 2))
    return _Ranges(
        [(row[1], row[0].name) for row in (*own, *others)], limits, [places[row[0]] for row in own],
        [values[row[0]] for row in others], rated, [speeds[eom.rates[places[own[k][0]]]] for k in rated],
        (np.reshape(limits, (-1, 2)) + slack).T,
    )  # fmt: skip


def limit_violations(
    eom: EquationsOfMotion, t: Vector, q: Vector, u: Vector, r: Vector, p: Vector, pieces: CubicPieces | None = None
) -> tuple[LimitViolation, ...]:  # fmt: skip
    """Coordinates that leave their ranges at these times, or turn around beyond them in between, by sides.

    Between two times a coordinate is the cubic by its values and rates there; a straight line where it has no rate.

    Args:
        eom: equations of motion.
        t: times.
        q: coordinates, a row for each time; u and r likewise.
        u: speeds.
        r: inputs.
        p: parameters.
        pieces: memory that serves again.
    """
    ranges = _ranges(eom)
    if not (ranges.limits and len(t)):
        return ()
    x, v = _values(eom, t, q, u, r, p), _rates(ranges, u)
    if not _Course(t, x, v, ranges.bounds).may_leave():
        return ()
    low, high = ranges.bounds
    free = np.full(len(low), np.inf)
    sides = np.array([[low, free], [-free, high]]).transpose(1, 2, 0).reshape(2, -1)  # of each coordinate, one by one
    found = _Course(t, x.repeat(2, axis=0), v.repeat(2, axis=0), sides).departures(pieces or CubicPieces())
    return tuple(LimitViolation(*ranges.names[k // 2], ranges.limits[k // 2], *facts) for k, facts in found.items())


def _values(eom: EquationsOfMotion, t: Vector, q: Vector, u: Vector, r: Vector, p: Vector) -> Vector:
    """All coordinates that have limits, a row for each."""
    ranges = _ranges(eom)
    own = q.T[ranges.places]
    if not ranges.others:
        return own
    joints = np.asarray(probe(eom, "joints").batch(t, q, u, r, p)).reshape(len(t), -1)
    return np.vstack([own, joints.T[ranges.others]])


def _rates(ranges: _Ranges, u: Vector) -> Vector:
    """Their rates; not a number where there are none."""
    if len(ranges.rated) == len(ranges.limits):
        return u.T[ranges.speeds]
    v = np.full((len(ranges.limits), len(u)), np.nan)
    v[ranges.rated] = u.T[ranges.speeds]
    return v


class _Course:
    """Coordinates over time, with their bounds.

    Args:
        t: times.
        x: a row for each coordinate, with a value for each time.
        v: their rates.
        bounds: a column for each coordinate, low and high.
    """

    def __init__(self, t: Vector, x: Vector, v: Vector, bounds: Vector) -> None:
        self._t, self._h, self._x, self._v, self._bounds = t, t[1:] - t[:-1], x, v, bounds
        self._excess = _excess(x, bounds[:, :, None])
        self._rows = np.arange(len(x))
        self._far = self._excess.argmax(axis=1)  # the state that is furthest beyond
        self._furthest = self._excess[self._rows, self._far]

    def may_leave(self) -> bool:
        """Whether a coordinate leaves its bounds, or comes so near that it may leave them between two times.

        A cubic by values and rates leaves the range between its ends by h/4·max|v| at most.
        """
        if (self._furthest > 0).any():
            return True
        between = 0.25 * self._h.max(initial=0.0) * np.abs(self._v).max(axis=1)
        return bool((self._furthest + np.where(between > 0, between, 0.0) > 0).any())

    def departures(self, pieces: CubicPieces) -> dict[int, tuple[float, float, float]]:
        """For coordinates that leave their bounds: when they do so first, the value furthest beyond, and its time."""
        leaves = self._furthest > 0
        left = leaves.nonzero()[0]
        first = np.where(leaves, (self._excess > 0).argmax(axis=1), len(self._t))  # the first state beyond
        rows, k = ((self._v[:, :-1] * self._v[:, 1:] < 0) & (self._h > 0)).nonzero()  # here they turn around
        turns = len(rows)
        passing = left[first[left] > 0]
        rows, k = np.concatenate([rows, passing]), np.concatenate([k, first[passing] - 1])
        begin, t, h = self._x[rows, k], self._t[k], self._h[k]
        change, bounds = self._x[rows, k + 1] - begin, self._bounds[:, rows] - begin
        rates = [self._v[rows, k] * h, self._v[rows, k + 1] * h]
        if np.isnan(rates[0].sum()):
            rates = [np.where(np.isnan(rate), change, rate) for rate in rates]  # straight lines
        facts = pieces.facts(change, rates, bounds)
        times = dict.fromkeys(left.tolist(), self._t.item(0))  # of those that begin beyond their limits
        times |= zip(passing.tolist(), (t + h * facts.crossing)[turns:].tolist(), strict=True)
        far = [part[left].tolist() for part in (self._furthest, self._x[self._rows, self._far], self._t[self._far])]
        furthest = dict(zip(left.tolist(), zip(*far, strict=True), strict=True))
        beyond = facts.turn_excess[:turns] > 0
        beyond &= (facts.turn_excess[:turns] > self._furthest[rows[:turns]]) | (k[:turns] < first[rows[:turns]])
        for i in beyond.nonzero()[0][::-1].tolist():  # the earliest crossing is the last one to be entered
            row, state = rows.item(i), k.item(i)
            if state < first.item(row):
                times[row] = t.item(i) + h.item(i) * facts.crossing.item(i)
            turn = begin.item(i) + facts.turn_value.item(i), t.item(i) + h.item(i) * facts.turn.item(i)
            furthest[row] = max(furthest.get(row, (0.0,)), (facts.turn_excess.item(i), *turn))
        return {row: (times[row], *furthest[row][1:]) for row in sorted(furthest)}


def _excess(x: Vector, bounds: Vector) -> Vector:
    """How far values are beyond their bounds; negative within, and where they are not numbers."""
    excess = np.maximum(bounds[0] - x, x - bounds[1])
    if np.isnan(excess.sum()):
        excess[np.isnan(excess)] = -np.inf
    return excess
