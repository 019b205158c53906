"""Checks of a run at the ends of all steps: the balance of energy, dampers that generate energy, limits of joints.

Samples may lie far apart, and the largest energy, or the furthest position, between them. So the checks look at the end
of every step, whatever is kept of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.power import powers_of_dampers
from multibody.graph import free_symbols
from multibody.simulate.contract import Vector
from multibody.simulate.energies import DOUBTFUL_DRIFT, ROUNDING
from multibody.simulate.probes import probe
from multibody.simulate.problem import WORKS, Problem
from multibody.simulate.run_functions import RunFunctions
from multibody.simulate.saturation import NO_REQUESTS, Requests, Saturation, SaturationCheck, joined_saturations

ROWS_AT_ONCE = 4096
"""States that are collected before they are looked at."""

LIMIT_TOLERANCE = 1e-9
"""How far a coordinate may be beyond its limit, relative to 1 + |limit|: a stop at the limit holds it there."""

BISECTIONS = 50

NO_NUMBERS: Vector = np.zeros(0)

SIGNS = np.array([1.0, -1.0, 1.0])
"""Of the works of inputs, of dissipation and of drives, in the sum that T + V follows."""


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


@dataclass(frozen=True)
class RunChecks:
    """What the checks of a run found.

    Attributes:
        energy_scale: the largest energy that moved from one form to another, at the end of any step.
        energy_error: the largest error of the energy balance there.
        generated: loads that should take energy and gave some, with how much.
        limit_violations: coordinates that left their ranges.
        saturations: inputs that were held at their limits.
    """

    energy_scale: float = 0.0
    energy_error: float = 0.0
    generated: Mapping[str, float] = field(default_factory=dict)
    limit_violations: tuple[LimitViolation, ...] = ()
    saturations: tuple[Saturation, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether energies are wrong, or seem to be because the samples do not show what is exchanged."""
        return bool(self.generated) or not self.energy_error <= DOUBTFUL_DRIFT * self.energy_scale

    def followed_by(self, later: RunChecks) -> RunChecks:
        """The checks of a run and of one that goes on from it."""
        known = {one.coordinate: one for one in self.limit_violations}
        for one in later.limit_violations:
            first = known.get(one.coordinate)
            known[one.coordinate] = one if first is None else _joined(first, one)
        generated = {
            name: self.generated.get(name, 0.0) + later.generated.get(name, 0.0)
            for name in {**self.generated, **later.generated}
        }
        return RunChecks(
            max(self.energy_scale, later.energy_scale), self.energy_error + later.energy_error, generated,
            tuple(known.values()), joined_saturations(self.saturations, later.saturations),
        )  # fmt: skip


NO_CHECKS = RunChecks()


def _joined(first: LimitViolation, second: LimitViolation) -> LimitViolation:
    """One violation from two of the same coordinate."""
    further = max(first, second, key=lambda one: _excess(one.furthest, one.limits))
    return first._replace(furthest=further.furthest, furthest_t=further.furthest_t)


def _excess(value: float, limits: tuple[float, float]) -> float:
    return max(limits[0] - value, value - limits[1])


class StepChecks:
    """Collects the states at the ends of steps, and looks at many of them at a time.

    Args:
        eom: equations of motion.
        problem: the same, compiled; its inputs are those of the states that are added.
        expressions: places of inputs that follow expressions.
        laws: places of inputs that follow functions of Python, whose values between samples are not known here.
        requests: what was asked for inputs that have limits.
        numbers: the same for inputs that are held, when states are added; others change this array.
    """

    def __init__(
        self, eom: EquationsOfMotion, problem: Problem, expressions: Sequence[int], laws: Sequence[int],
        requests: Requests = NO_REQUESTS, numbers: Vector = NO_NUMBERS,
    ) -> None:  # fmt: skip
        self._saturations, self._numbers = SaturationCheck(eom, requests), numbers
        self._eom, self._problem, self._expressions = eom, problem, list(expressions)
        unknown = {eom.inputs[k] for k in laws}
        self._with_energy = eom.energy_known and not (unknown and unknown & _inputs_of_energy(eom))
        self._dampers = damper_names(eom) if eom.energy_known else ()
        self._ranges = _ranges(eom)
        self._rows: list[tuple[Vector, Vector, Vector, Vector]] = []
        self._count = 0
        self._energy = _Balance()
        self._generated = np.zeros(len(self._dampers))
        self._violations: dict[str, LimitViolation] = {}
        self._last: tuple[Vector, Vector, Vector, Vector] | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to check."""
        return not (self._with_energy or self._dampers or self._ranges or self._saturations)

    def add(self, t: Vector, y: Vector) -> None:
        """Note states, in the order of time."""
        self._rows.append((t, y, self._problem.r.copy(), self._numbers.copy() if self._saturations else NO_NUMBERS))
        self._count += len(t)
        if self._count >= ROWS_AT_ONCE:
            self._look()

    def results(self) -> RunChecks:
        """What was found."""
        self._look()
        generated = {
            name: float(energy) for name, energy in zip(self._dampers, self._generated, strict=True) if energy > 0
        }
        return RunChecks(
            self._energy.scale, self._energy.error, generated, tuple(self._violations.values()),
            self._saturations.results,
        )  # fmt: skip

    def _look(self) -> None:
        if not self._rows:
            return
        parts, self._rows, self._count = self._rows, [], 0
        if self._last is not None:  # what happens between two groups counts, too
            parts = [self._last, *parts]
        t, y = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        counts = [len(part[0]) for part in parts]
        r, numbers = (np.repeat([part[k] for part in parts], counts, axis=0) for k in (2, 3))
        if not np.isfinite(y.sum()):
            sound = np.isfinite(y).all(axis=1)
            t, y, r, numbers = t[sound], y[sound], r[sound], numbers[sound]
        if not len(t):
            return
        self._last = t[-1:], y[-1:], r[-1], numbers[-1]
        n, m = self._problem.n, self._problem.m
        q, u = y[:, :n], y[:, n : n + m]
        if self._expressions:
            values = self._problem.functions.followed.batch(t, q, u, r, self._problem.p)
            r[:, self._expressions] = np.asarray(values).reshape(len(t), -1)
        state = t, q, u, r, self._problem.p
        if self._with_energy:
            found = probe(self._eom, "energies").batch(*state)
            self._energy.add(found.kinetic, found.potential, y[:, -len(WORKS) :])
        if self._dampers:
            power = np.asarray(probe(self._eom, "damper_powers").batch(*state)).reshape(len(t), -1)
            gain = np.maximum(power, 0.0)
            self._generated += (np.diff(t)[:, None] * (gain[1:] + gain[:-1]) / 2).sum(axis=0)
        if self._saturations:
            self._saturations.look(t, y, r, self._problem.p, numbers)
        if self._ranges:
            for one in limit_violations(self._eom, *state):
                first = self._violations.get(one.coordinate)
                self._violations[one.coordinate] = one if first is None else _joined(first, one)


def checks_of_samples(
    eom: EquationsOfMotion,
    functions: RunFunctions,
    expressions: Sequence[int],
    t: Vector,
    y: Vector,
    r: Vector,
    p: Vector,
    requests: Requests = NO_REQUESTS,
    numbers: Vector = NO_NUMBERS,
) -> list[RunChecks]:
    """The checks of many runs at the samples that they have in common; between these, nothing is looked at.

    Args:
        eom: equations of motion.
        functions: of the runs, compiled.
        expressions: places of inputs that follow expressions.
        t: times of the samples.
        y: states by run and sample.
        r: inputs by run.
        p: parameters by run.
        requests: what was asked for inputs that have limits; none of it depends on time or state.
        numbers: the same for inputs that are held, in all runs.
    """
    runs, samples, size = y.shape
    n, m = len(eom.coordinates), len(eom.speeds)
    rows = y.reshape(-1, size)
    times, inputs, parameters = np.tile(t, runs), np.repeat(r, samples, axis=0), np.repeat(p, samples, axis=0)
    state = [times, rows[:, :n], rows[:, n : n + m], inputs, parameters]
    if expressions:
        inputs[:, list(expressions)] = np.asarray(functions.followed.batch(*state)).reshape(len(rows), -1)
    balances = [_Balance() for _ in range(runs)]
    if eom.energy_known:
        found = probe(eom, "energies").batch(*state)
        energies = found.kinetic.reshape(runs, samples), found.potential.reshape(runs, samples)
        for balance, kinetic, potential, works in zip(balances, *energies, y[:, :, -len(WORKS) :], strict=True):
            balance.add(kinetic, potential, works)
    dampers = damper_names(eom) if eom.energy_known else ()
    gain = np.zeros((runs, samples, len(dampers)))
    if dampers:
        gain = np.maximum(np.asarray(probe(eom, "damper_powers").batch(*state)).reshape(gain.shape), 0.0)
    generated = (np.diff(t)[:, None] * (gain[:, 1:] + gain[:, :-1]) / 2).sum(axis=1)
    results = []
    for k, balance in enumerate(balances):
        own = slice(k * samples, (k + 1) * samples)
        given = {name: float(energy) for name, energy in zip(dampers, generated[k], strict=True) if energy > 0}
        beyond = limit_violations(eom, t, state[1][own], state[2][own], inputs[own], p[k])
        saturations = SaturationCheck(eom, requests)
        if saturations:
            saturations.look(t, y[k], inputs[own], p[k], np.tile(numbers, (samples, 1)))
        results.append(RunChecks(balance.scale, balance.error, given, tuple(beyond), saturations.results))
    return results


class _Balance:
    """The largest energies, and the largest error of their balance; not a number if any of them is not."""

    def __init__(self) -> None:
        self._start: Vector | None = None
        self._low, self._high = np.full(6, np.inf), np.full(6, -np.inf)

    def add(self, kinetic: Vector, potential: Vector, works: Vector) -> None:
        """Note energies at some states, a number for each, and rows of works."""
        table = np.empty((6, len(kinetic)))  # T, V, three works, balance
        table[0], table[1], table[2:5] = kinetic, potential, works.T
        table[5] = kinetic + potential - works @ SIGNS
        if self._start is None:
            self._start = table[:, 0].copy()
        self._low, self._high = np.minimum(self._low, table.min(axis=1)), np.maximum(self._high, table.max(axis=1))

    @property
    def error(self) -> float:
        """The largest error of the balance."""
        return 0.0 if self._start is None else float(self._deviations[5])

    @property
    def scale(self) -> float:
        """The largest energy that moved from one form to another; 1 J if energies are not numbers."""
        if self._start is None:
            return 0.0
        if np.isnan(self.error):
            return 1.0
        rounded = ROUNDING * max(abs(self._low[1]), abs(self._high[1]))
        return float(max(self._high[0], self._high[1] - self._low[1], *self._deviations[2:5], rounded))

    @property
    def _deviations(self) -> Vector:
        return np.maximum(self._high - self._start, self._start - self._low)


def _inputs_of_energy(eom: EquationsOfMotion) -> set[Any]:
    return set(free_symbols([eom.kinetic_energy, eom.potential_energy])).intersection(eom.inputs)


def damper_names(eom: EquationsOfMotion) -> tuple[str, ...]:
    """The names of the loads that should only take energy."""
    return eom.once("names of dampers", lambda: tuple(powers_of_dampers(eom)))


# limits of joints ----------------------------------------------------------------------------------------------------


class Range(NamedTuple):
    """The limits of a coordinate of a joint.

    Attributes:
        joint: the name of the joint.
        coordinate: the name of the coordinate.
        place: its place in q; None for a joint that is driven or closes a loop.
        speed: the place of its rate in u; None where no speed is its rate.
        limits: low and high.
    """

    joint: str
    coordinate: str
    place: int | None
    speed: int | None
    limits: tuple[float, float]


def has_limits(eom: EquationsOfMotion) -> bool:
    """Whether any joint has limits."""
    return bool(_ranges(eom))


def _ranges(eom: EquationsOfMotion) -> list[Range]:
    """The limits of all joints; those that exclude nothing are left out."""
    return eom.once("ranges of joints", lambda: _limited_coordinates(eom))


def _limited_coordinates(eom: EquationsOfMotion) -> list[Range]:
    places = {one: k for k, one in enumerate(eom.coordinates)}
    speeds: dict[Any, int] = {one: k for k, one in enumerate(eom.speeds)}
    found = []
    for joint in (*eom.model.joints, *eom.model.cuts):
        for one, limits in zip(joint.coordinates, joint.limits, strict=True):
            if limits is None or not np.isfinite(limits).any():
                continue
            place = places.get(one)
            if place is None and one not in eom.model.values:
                continue  # a joint that closes a loop, and whose coordinates are not known
            speed = None if place is None else speeds.get(eom.rates[place])
            found.append(Range(joint.name, one.name, place, speed, limits))
    return found


def limit_violations(
    eom: EquationsOfMotion, t: Vector, q: Vector, u: Vector, r: Vector, p: Vector
) -> Iterator[LimitViolation]:
    """Coordinates that leave their ranges at these times, or turn around beyond them in between."""
    joints: Vector | None = None
    for one in _ranges(eom) if len(t) else ():
        if one.place is not None:
            x = q[:, one.place]
        else:
            if joints is None:
                joints = np.asarray(probe(eom, "joints").batch(t, q, u, r, p)).reshape(len(t), -1)
            x = joints[:, [value.name for value in eom.model.values].index(one.coordinate)]
        slack = LIMIT_TOLERANCE * (1 + np.abs(one.limits))
        low, high = one.limits[0] - slack[0], one.limits[1] + slack[1]
        times, values, rates = t, x, None
        if one.speed is not None:
            times, values, rates = _with_turning_points(t, x, u[:, one.speed])
        beyond = (values < low) | (values > high)
        if beyond.any():
            first = int(np.argmax(beyond))
            excess = np.maximum(low - values, values - high)
            far = int(np.argmax(excess))
            left = _crossing(times, values, rates, first, low, high)
            yield LimitViolation(one.joint, one.coordinate, one.limits, left, float(values[far]), float(times[far]))


def _with_turning_points(t: Vector, x: Vector, v: Vector) -> tuple[Vector, Vector, Vector]:
    """Times, values and rates, also where the values turn around in between, by the cubic of each interval."""
    turns = np.flatnonzero((v[:-1] * v[1:] < 0) & (np.diff(t) > 0))
    if not len(turns):
        return t, x, v
    h = t[turns + 1] - t[turns]
    a, b, c = _cubic(x[turns + 1] - x[turns], v[turns] * h, v[turns + 1] * h)
    root = -(b + np.copysign(np.sqrt(np.maximum(b * b - 3 * a * c, 0.0)), b))
    with np.errstate(divide="ignore", invalid="ignore"):
        near, far = a / root, root / (3 * c)
    s = np.where((near >= 0) & (near <= 1), near, far)  # the slope has one root within: its ends differ in sign
    places, values = turns + 1, x[turns] + s * (a + s * (b + s * c))
    return np.insert(t, places, t[turns] + s * h), np.insert(x, places, values), np.insert(v, places, 0.0)


def _cubic(change: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """The factors of s, s² and s³ of the cubic from 0 to ``change`` over 0 ≤ s ≤ 1, with slopes a and b at its ends."""
    return a, 3 * change - 2 * a - b, a + b - 2 * change


def _crossing(t: Vector, x: Vector, v: Vector | None, k: int, low: float, high: float) -> float:
    """When a limit was passed before sample k: by a cubic where rates are known, otherwise by a straight line."""
    if k == 0 or x[k] == x[k - 1]:
        return float(t[k])
    h, change, rest = t[k] - t[k - 1], x[k] - x[k - 1], (high if x[k] > high else low) - x[k - 1]
    a, b, c = (change, 0.0, 0.0) if v is None else _cubic(change, v[k - 1] * h, v[k] * h)
    begin, end = 0.0, 1.0
    for _ in range(BISECTIONS):
        s = (begin + end) / 2
        before = (s * (a + s * (b + s * c)) - rest) * change < 0
        begin, end = (s, end) if before else (begin, s)
    return float(t[k - 1] + (begin + end) / 2 * h)
