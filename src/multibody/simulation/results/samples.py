"""States at many times, and everything that follows from them, computed for all of them at once."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError, ShapeError
from multibody.graph import as_expr, topological
from multibody.mechanics.constraints.rank import basis
from multibody.model.quantity import rate_name
from multibody.simulation.checks.energies import Energies
from multibody.simulation.contract import Vector
from multibody.simulation.problem.problem import WORKS
from multibody.simulation.problem.sample_functions import probe
from multibody.simulation.results.interpolation import (
    around,
    hermite,
    hermite_rate,
    times_within,
    with_unit_quaternions,
)

_log = logging.getLogger("multibody")

READABLE_DEFECT = 4e-3
"""Rates of interpolated coordinates may differ from interpolated speeds by this share of the largest rate.

With so many samples for each period, coordinates and speeds are known to 1e-3 of their amplitudes.
"""

COUNTABLE_DEFECT = 0.25
"""The same for counting turns of angles: up to this, the interpolated motion makes the same turns as the true one."""

DOUBTFUL_TURN = 1.0
"""Radians; a larger change of an angle that its rate does not explain makes turns doubtful, and π makes them wrong."""

INNER = (0.23, 0.5, 0.77)
"""Times between two samples at which turns of angles are counted, relative to their distance."""

RANK_SAMPLES = 9
"""Samples of a run at which the rank of the constraint equations is determined; the largest one counts."""

SMALL_RATE = 1e-3
"""A rate that is always below this share of the largest one is measured by that."""


@dataclass(frozen=True, eq=False)
class Instant:
    """Coordinates and speeds at one time of a run, or rows of them for several times; ``q, u = instant`` works, too.

    Attributes:
        q: coordinates.
        u: speeds.
        t: the time, or the times.
        run: what it is an instant of.
    """

    q: Vector
    u: Vector
    t: Any
    run: Samples = field(repr=False)

    def __iter__(self) -> Iterator[Vector]:
        yield from (self.q, self.u)


class Residuals(NamedTuple):
    """How well the constraints are kept at each sample.

    Attributes:
        position: the largest |φ|; the deviation of a quaternion's square from 1 counts, too.
        velocity: the largest |B·u + β|.
    """

    position: Vector
    velocity: Vector

    @property
    def at_end(self) -> tuple[float, float]:
        """Those of the last sample."""
        return float(self.position[-1]), float(self.velocity[-1])


def _own(given: Any) -> Vector:
    """An array of numbers that nothing else changes: a copy, unless it is read-only and has its own memory."""
    if isinstance(given, np.ndarray) and given.dtype == np.float64 and given.base is None and not given.flags.writeable:
        return given
    return np.array(given, dtype=float)


@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    """States at many times.

    What is not part of the state is computed when it is first asked for, in one compiled call for all samples.

    Attributes:
        eom: equations of motion.
        t: times of the samples. At a jump there may be two with the same time, before and after it.
        y: for each sample the coordinates, the speeds, and the three works that are kept beside them.
        r: for each sample the values of the inputs.
        p: the values of the parameters.
    """

    eom: EquationsOfMotion
    t: Vector
    y: Vector
    r: Vector
    p: Vector

    def __post_init__(self) -> None:
        samples, states = np.size(self.t), len(self.eom.coordinates) + len(self.eom.speeds) + len(WORKS)
        inputs, parameters = len(self.eom.inputs), len(self.eom.parameters)
        for name, shape in {
            "t": (samples,),
            "y": (samples, states),
            "r": (samples, inputs),
            "p": (parameters,),
        }.items():
            values = _own(getattr(self, name))
            if values.shape != shape:
                raise ShapeError(
                    f"'{name}' has shape {values.shape} instead of {shape}.",
                    code="array-wrong-shape",
                    where=self.title,
                    name=name,
                    shape=values.shape,
                )
            values.flags.writeable = False  # what is computed from it cannot go stale
            object.__setattr__(self, name, values)
        if not samples:
            raise ShapeError(
                "There are no samples.",
                code="samples-missing",
                where=self.title,
                remedy="Keep the state at the start at least.",
            )

    def __deepcopy__(self, memo: object) -> Samples:
        """Samples do not change, and are their own copies."""
        return self

    @property
    def title(self) -> str:
        """What it is, for messages and figures."""
        return f"trajectory of '{self.eom.model.name}'"

    # states ------------------------------------------------------------------------------------------------------

    @property
    def q(self) -> Vector:
        """Coordinates, a row for each sample."""
        return self.y[:, : len(self.eom.coordinates)]

    @property
    def u(self) -> Vector:
        """Speeds, a row for each sample."""
        return self.y[:, len(self.eom.coordinates) : -len(WORKS)]

    @property
    def works(self) -> Vector:
        """Work of inputs, dissipated, work of drives: a row for each sample."""
        return self.y[:, -len(WORKS) :]

    @property
    def parameters(self) -> Mapping[str, float]:
        """The values of the parameters, by name."""
        return {parameter.name: float(value) for parameter, value in zip(self.eom.parameters, self.p, strict=True)}

    def at(self, t: Any) -> Instant:
        """Coordinates and speeds at any time within.

        Between two samples it is the cubic that has the exact rates q̇ and u̇ at both ends: its error falls with the
        fourth power of their distance. Quaternions have unit length. The error is estimated: the rate of the
        interpolated coordinates must be that of the interpolated speeds.

        Args:
            t: a time, or an array of times, which gives rows.

        Raises:
            NumberError: for a time outside.
            ModelError: for a time between samples that are too far apart.
        """
        times = times_within(self.t, t, self.title)
        nodes = around(self.t, times)
        errors = self.interpolation_errors(nodes)
        if (errors > READABLE_DEFECT).any():
            raise self._unresolved(times, nodes[errors.argmax()], errors.max())
        return self.interpolated(t)

    def interpolation_errors(self, times: Vector) -> Vector:
        """How much rates of interpolated coordinates differ from interpolated speeds, relative to the largest rates."""
        if not len(times) or not len(self.eom.coordinates):
            return np.zeros(len(times))
        x, rates = self.interpolated(times), self._rates.q_dot
        low = np.searchsorted(self.t, times, side="right") - 1
        wanted = probe(self.eom, "rates").batch(times, x.q, x.u, self.r[low], self.p).q_dot
        largest = np.abs(rates).max(axis=0)
        scale = np.maximum(largest, SMALL_RATE * largest.max())
        missed = np.abs(hermite_rate(self.t, self.q, rates, times) - wanted)
        return np.divide(missed, scale, out=np.where(missed > 0, np.inf, 0.0), where=scale > 0).max(axis=1)

    def _unresolved(self, times: Vector, worst: float, error: float) -> ModelError:
        """The error for a time in the interval in which the estimate is the worst."""
        after = int(np.searchsorted(self.t, worst, side="right"))
        inside = times[(times > self.t[after - 1]) & (times < self.t[min(after, len(self.t) - 1)])]
        t = float(inside[0]) if len(inside) else worst
        return ModelError(
            f"The samples of the run are too far apart to know its state at t = {t:.9g} s.",
            code="samples-too-far-apart",
            where=self.title,
            cause="Between samples, states are interpolated; here, rates of coordinates are off by "
            f"{error:.2g} of the largest rate.",
            remedy=f"Keep a sample there, simulate(…, times=[…, {t:.9g}, …]), or more of them, samples=…. "
            "For a picture, run.interpolated(t) gives the state without an estimate.",
            value=t,
        )

    def interpolated(self, t: Any) -> Instant:
        """What ``at`` gives, without an estimate of its error: for pictures.

        Args:
            t: a time, or an array of times, which gives rows.

        Raises:
            NumberError: for a time outside.
        """
        n = len(self.eom.coordinates)
        times = times_within(self.t, t, self.title)
        rates = np.hstack([self._rates.q_dot, self.accelerations])
        x = hermite(self.t, self.y[:, : -len(WORKS)], rates, times)
        q, u = with_unit_quaternions(x[:, :n], self.eom.model.quaternions), x[:, n:]
        return Instant(q.reshape(*np.shape(t), n), u.reshape(*np.shape(t), u.shape[1]), t, self)

    # what follows from them --------------------------------------------------------------------------------------

    @cached_property
    def accelerations(self) -> Vector:
        """u̇, a row for each sample."""
        return self._without_gaps(self._rates.u_dot, "acceleration")

    @cached_property
    def multipliers(self) -> Vector:
        """λ, a row for each sample."""
        return self._without_gaps(self._probed("multipliers"), "multipliers")

    @cached_property
    def sensors(self) -> Mapping[str, Vector]:
        """What the sensors measure, by name; NaN where a value does not exist."""
        names = list(self.eom.outputs)
        if not names:
            return {}
        values = self._probed("sensors")
        return dict(zip(names, values if len(names) > 1 else [values], strict=True))

    @cached_property
    def joints(self) -> Mapping[str, Vector]:
        """What joints do that are driven or close a loop: coordinates, speeds, accelerations by name.

        Angles are continuous: turns between samples are those of the interpolated motion. Where samples are too far
        apart to count the turns, the angle is NaN from there on, with a message in the log. The run itself counts the
        turns of an angle with limits, a load or a sensor: such an angle is always known.
        """
        names = [value.name for value in self.eom.model.values]
        values = dict(zip(names, self._probed("joints").T, strict=True)) if names else {}
        unmeasured = []
        for coordinate, expression in self.eom.model.values.items():
            nodes = [] if coordinate.kind != "coordinate" else topological([as_expr(expression)])
            angles = [node for node in nodes if node.op == "atan2" and node.fp not in self.eom.angles]
            if angles and rate_name(coordinate.name) in values:
                unmeasured.append(coordinate.name)
        return values | self._continuous(values, unmeasured)

    def _continuous(self, values: Mapping[str, Vector], names: Sequence[str]) -> dict[str, Vector]:
        """Angles without jumps by full turns, from principal values at all samples and between them."""
        if not names or len(self.t) < 2:
            return {}
        between = np.concatenate([self.t[:-1] + share * np.diff(self.t) for share in INNER])
        places = np.repeat(np.arange(len(self.t) - 1)[None], len(INNER), axis=0).ravel()
        kept = (between > self.t[places]) & (between < self.t[places + 1])  # not where samples have the same time
        between, places = between[kept], places[kept]
        x = self.interpolated(between)
        found = probe(self.eom, "joints").batch(between, x.q, x.u, self.r[places], self.p)
        inner = np.asarray(found).reshape(len(between), -1)
        order = np.lexsort((np.concatenate([self.t, between]), np.concatenate([np.arange(len(self.t)), places + 0.5])))
        missed = np.concatenate([np.zeros(len(self.t)), self.interpolation_errors(between)])[order]
        t, samples = np.concatenate([self.t, between])[order], order < len(self.t)
        columns = {value.name: k for k, value in enumerate(self.eom.model.values)}
        angles = {}
        for name in names:
            angle, rate = (
                np.concatenate([values[key], inner[:, columns[key]]])[order] for key in (name, rate_name(name))
            )
            angles[name] = _unwrapped(t, angle, rate, missed)[samples]
            angles[name].flags.writeable = False
        unknown = [name for name, angle in angles.items() if np.isnan(angle[-1]) and np.isfinite(values[name][-1])]
        if unknown:
            _log.warning(
                "The samples of the %s are too far apart to count the turns of %s, and the angle is NaN from there on. "
                "Keep more samples, or add a sensor or limits to the joint.", self.title, ", ".join(map(repr, unknown)),
            )  # fmt: skip
        return angles

    @cached_property
    def energies(self) -> Energies:
        """Kinetic, potential and total energy, works, and their balance."""
        found = self._probed("energies")
        return Energies.of(found.kinetic, found.potential, self.works, self.energy_exchanged)

    @property
    def energy_exchanged(self) -> float:
        """The largest energy that moved from one form to another between samples; 0 where it is not known."""
        return 0.0

    @property
    def energy_drift(self) -> float:
        """The largest error of the energy balance, relative to the energies that are exchanged; see ``Energies``."""
        return self.energies.drift

    @cached_property
    def residuals(self) -> Residuals:
        """How well the constraints are kept."""
        position, velocity = (np.abs(part).max(axis=1, initial=0.0) for part in self._probed("residuals"))
        return Residuals(position, velocity)

    @cached_property
    def redundant_constraints(self) -> tuple[str, ...]:
        """The names of constraint equations that follow from others in this run, with its parameters.

        They act as the others do, ``residuals`` count them, and a run in which one of them is violated fails. Their
        forces are not unique. Single positions in which more equations are dependent do not count.
        """
        constraints = self.eom.constraints
        rows = list(constraints.acting)
        if not rows:
            return ()
        chosen = np.unique(np.linspace(0, len(self.t) - 1, RANK_SAMPLES).astype(int))
        states = (values[chosen] for values in (self.t, self.q, self.u, self.r))
        matrices = self.eom.function("constraint_rows", {"B": constraints.B[rows]}).batch(*states, self.p)
        independent = max((basis(B) for B in np.reshape(matrices, (len(chosen), len(rows), -1))), key=len)
        return tuple(constraints.names[row] for k, row in enumerate(rows) if k not in independent)

    # compiled ----------------------------------------------------------------------------------------------------

    @cached_property
    def _rates(self) -> Any:
        return self._probed("rates")

    def _probed(self, name: str) -> Any:
        found = probe(self.eom, name).batch(self.t, self.q, self.u, self.r, self.p)
        if self.eom.may_become_singular:
            self._solve_again(name, [found] if isinstance(found, np.ndarray) else list(found))
        for values in [found] if isinstance(found, np.ndarray) else found:
            values.flags.writeable = False  # it is kept, and handed out more than once
        return found

    def _solve_again(self, name: str, parts: Sequence[Vector]) -> None:
        """Put in what regularized equations give, in samples for which the original ones have no solution."""
        undetermined = [~np.isfinite(part.reshape(len(part), -1)).all(axis=1) for part in parts]
        rows = np.flatnonzero(np.logical_or.reduce(undetermined))
        if len(rows):
            again = probe(self.eom.regularized, name)
            solved = again.batch(self.t[rows], self.q[rows], self.u[rows], self.r[rows], self.p)
            for values, new in zip(parts, [solved] if isinstance(solved, np.ndarray) else solved, strict=True):
                values[rows] = new

    def _without_gaps(self, values: Vector, part: str) -> Vector:
        """Singular configurations, in which the compiled equations have no solution, are solved again by numbers."""
        solved = values.copy()
        for k in np.flatnonzero(~np.isfinite(values).all(axis=1)):
            motion = self.eom.robust_dynamics(self.t[k], self.q[k], self.u[k], self.r[k], self.p)
            solved[k] = getattr(motion, part)
        solved.flags.writeable = False
        return solved


def _unwrapped(t: Vector, angle: Vector, rate: Vector, missed: Vector) -> Vector:
    """An angle without jumps by full turns; NaN from where its rate does not tell the turns.

    Args:
        t: times.
        angle: principal values at these times.
        rate: of the angle.
        missed: errors of the rates of the interpolated states, relative to the largest rates.
    """
    expected, change = 0.5 * (rate[1:] + rate[:-1]) * np.diff(t), np.diff(angle)
    turns = np.round((expected - change) / (2 * np.pi))
    doubt = np.abs(expected - change - 2 * np.pi * turns) > DOUBTFUL_TURN
    doubt |= np.maximum(missed[1:], missed[:-1]) > COUNTABLE_DEFECT
    return angle + 2 * np.pi * np.concatenate([[0.0], np.cumsum(np.where(doubt, np.nan, turns))])
