"""Joints that leave their limits during a run: which, when, and how far."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.simulate.contract import Vector
from multibody.simulate.probes import probe

LIMIT_TOLERANCE = 1e-9
"""How far a coordinate may be beyond its limit, relative to 1 + |limit|: a stop at the limit holds it there."""

ITERATIONS = 60
"""Largest number of iterations in the search for the time at which a limit is passed."""

RESOLUTION = 1e-10
"""The accuracy of that time, relative to the interval between two states."""


class LimitViolation(NamedTuple):
    """A coordinate that left its range.

    Attributes:
        joint: the name of the joint.
        coordinate: the name of its coordinate.
        limits: the range.
        t: when it left the range first.
        furthest: the value furthest beyond the range.
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
    def excess(self) -> float:
        """How far it went beyond the range."""
        return max(self.limits[0] - self.furthest, self.furthest - self.limits[1])


def joined_violations(
    first: tuple[LimitViolation, ...], later: tuple[LimitViolation, ...]
) -> tuple[LimitViolation, ...]:  # fmt: skip
    """One violation for each coordinate, from those of a run and of one that goes on from it."""
    known = {one.coordinate: one for one in first}
    for one in later:
        before = known.get(one.coordinate, one)
        further = max(before, one, key=lambda violation: violation.excess)
        known[one.coordinate] = before._replace(furthest=further.furthest, furthest_t=further.furthest_t)
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
        (one, joint.name, limits)
        for joint in (*eom.model.joints, *eom.model.cuts)
        for one, limits in zip(joint.coordinates, joint.limits, strict=True)
        if limits is not None and np.isfinite(limits).any()
    ]
    places: dict[Any, int] = {one: k for k, one in enumerate(eom.coordinates)}
    values: dict[Any, int] = {one: k for k, one in enumerate(eom.model.values)}
    speeds: dict[Any, int] = {one: k for k, one in enumerate(eom.speeds)}
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
    eom: EquationsOfMotion, t: Vector, q: Vector, u: Vector, r: Vector, p: Vector
) -> tuple[LimitViolation, ...]:  # fmt: skip
    """Coordinates that leave their ranges at these times, or turn around beyond them in between.

    Between two times a coordinate is the cubic by its values and rates there; a straight line where it has no rate.
    """
    ranges = _ranges(eom)
    if not (ranges.limits and len(t)):
        return ()
    x, v, bounds = _values(eom, t, q, u, r, p), np.full((len(t), len(ranges.limits)), np.nan), ranges.bounds
    v[:, ranges.rated] = u[:, ranges.speeds]
    turns = _turning_points(t, x, v)
    left = np.asarray((_excess(x, bounds) > 0).any(axis=0))
    left[turns.columns[_excess(turns.values, bounds[:, turns.columns]) > 0]] = True
    if not left.any():
        return ()
    x, v, bounds, turns = x[:, left], v[:, left], bounds[:, left], turns.of_columns(left)
    times = _crossing_times(t, x, v, turns, bounds)
    furthest, furthest_t = _furthest(t, x, turns, bounds)
    return tuple(
        LimitViolation(*ranges.names[k], ranges.limits[k], *facts)
        for k, *facts in zip(np.flatnonzero(left), times.tolist(), furthest.tolist(), furthest_t.tolist(), strict=True)
    )


def _values(eom: EquationsOfMotion, t: Vector, q: Vector, u: Vector, r: Vector, p: Vector) -> Vector:
    """All coordinates that have limits, a row for each time."""
    ranges, own = _ranges(eom), q[:, _ranges(eom).places]
    if not ranges.others:
        return own
    joints = np.asarray(probe(eom, "joints").batch(t, q, u, r, p)).reshape(len(t), -1)
    return np.hstack([own, joints[:, ranges.others]])


def _excess(x: Vector, bounds: Vector) -> Vector:
    """How far values are beyond their bounds; negative within, and where they are not numbers."""
    excess = np.maximum(bounds[0] - x, x - bounds[1])
    return np.where(np.isnan(excess), -np.inf, excess)


class _Turns(NamedTuple):
    """Turning points between two states: number of the first state, column, share of the interval, time and value."""

    rows: Any
    columns: Any
    shares: Vector
    times: Vector
    values: Vector

    def of_columns(self, chosen: Any) -> _Turns:
        """Those of some columns, which are numbered anew."""
        kept = chosen[self.columns]
        turns = _Turns(*(part[kept] for part in self))
        return turns._replace(columns=(np.cumsum(chosen) - 1)[turns.columns])


def _turning_points(t: Vector, x: Vector, v: Vector) -> _Turns:
    """Where coordinates turn around between two states, by the cubic of each interval."""
    rows, columns = np.nonzero((v[:-1] * v[1:] < 0) & (np.diff(t) > 0)[:, None])
    h = t[rows + 1] - t[rows]
    begin = x[rows, columns]
    a, b, c = _cubic(x[rows + 1, columns] - begin, v[rows, columns] * h, v[rows + 1, columns] * h)
    root = -(b + np.copysign(np.sqrt(np.maximum(b * b - 3 * a * c, 0.0)), b))
    with np.errstate(divide="ignore", invalid="ignore"):
        near, far = a / root, root / (3 * c)
    s = np.where((near >= 0) & (near <= 1), near, far)  # the slope has one root within: its ends differ in sign
    return _Turns(rows, columns, s, t[rows] + s * h, begin + s * (a + s * (b + s * c)))


def _cubic(change: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """The factors of s, s² and s³ of the cubic from 0 to ``change`` over 0 ≤ s ≤ 1, with slopes a and b at its ends."""
    return a, 3 * change - 2 * a - b, a + b - 2 * change


def _furthest(t: Vector, x: Vector, turns: _Turns, bounds: Vector) -> tuple[Vector, Vector]:
    """For each coordinate the value that is furthest beyond its bounds, and when."""
    excess, turned = _excess(x, bounds), _excess(turns.values, bounds[:, turns.columns])
    rows, columns = excess.argmax(axis=0), np.arange(x.shape[1])
    values, times = x[rows, columns], t[rows]
    further = np.flatnonzero(turned > excess[rows, columns][turns.columns])
    further = further[np.argsort(turned[further])]  # of several, the last one is kept
    values[turns.columns[further]], times[turns.columns[further]] = turns.values[further], turns.times[further]
    return values, times


def _crossing_times(t: Vector, x: Vector, v: Vector, turns: _Turns, bounds: Vector) -> Vector:
    """When each coordinate passes a limit first; all of them do."""
    beyond, beyond_at_turn = _excess(x, bounds) > 0, _excess(turns.values, bounds[:, turns.columns]) > 0
    samples, columns = len(t), np.arange(x.shape[1])
    shares = np.full(x.shape, np.nan)  # where it turns around within the interval after a state
    shares[turns.rows, turns.columns] = turns.shares
    first_turn = np.full(len(columns), samples)
    np.minimum.at(first_turn, turns.columns[beyond_at_turn], turns.rows[beyond_at_turn])
    first = np.where(beyond.any(axis=0), beyond.argmax(axis=0), samples)
    at_turn = first_turn < first
    k = np.clip(np.where(at_turn, first_turn, first - 1), 0, max(samples - 2, 0))  # the interval
    after = np.minimum(k + 1, samples - 1)
    share = shares[k, columns]
    begin, end = np.where(at_turn | np.isnan(share), 0.0, share), np.where(at_turn, share, 1.0)
    begin[first == 0] = end[first == 0] = 0.0  # it begins beyond its limit
    h, change = t[after] - t[k], x[after, columns] - x[k, columns]
    a, b, c = _cubic(change, v[k, columns] * h, v[after, columns] * h)
    straight = np.isnan(a)
    a, b, c = np.where(straight, change, a), np.where(straight, 0.0, b), np.where(straight, 0.0, c)
    reached = x[k, columns] + end * (a + end * (b + end * c))
    level = np.where(reached > bounds[1], bounds[1], bounds[0]) - x[k, columns]
    return np.asarray(t[k] + h * _root(a, b, c, level, begin, end))


def _root(a: Vector, b: Vector, c: Vector, level: Vector, begin: Vector, end: Vector) -> Vector:
    """Where a·s + b·s² + c·s³ reaches a level between two values of s, by Newton's method within shrinking bounds."""
    with np.errstate(all="ignore"):
        first, last = (s * (a + s * (b + s * c)) - level for s in (begin, end))
        rising, s = last >= 0, begin - (end - begin) * first / (last - first)
        s = np.where((s >= begin) & (s <= end), s, 0.5 * (begin + end))
        for _ in range(ITERATIONS):
            value = s * (a + s * (b + s * c)) - level
            below = (value < 0) == rising
            begin, end = np.where(below, s, begin), np.where(below, end, s)
            new = s - value / (a + s * (2 * b + 3 * s * c))
            new = np.where((new >= begin) & (new <= end), new, 0.5 * (begin + end))
            done, s = np.abs(new - s).max(initial=0.0) <= RESOLUTION, new
            if done:
                break
    return s
