"""Checks of a run at the ends of all steps: the balance of energy, dampers that generate energy, limits of joints.

Samples may lie far apart, and the largest energy, or the furthest position, between them. So the checks look at the end
of every step, whatever is kept of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.power import powers_of_dampers
from multibody.graph import free_symbols
from multibody.simulation.checks.joint_limits import LimitViolation, has_limits, joined_violations, limit_violations
from multibody.simulation.checks.table_exits import TableExit, joined_exits, table_exits
from multibody.simulation.contract import Vector
from multibody.simulation.problem.input_limits import (
    NO_REQUESTS,
    Requests,
    Saturation,
    SaturationCheck,
    joined_saturations,
)
from multibody.simulation.problem.problem import WORKS, Problem
from multibody.simulation.problem.run_functions import RunFunctions
from multibody.simulation.problem.sample_functions import probe
from multibody.simulation.tolerances import DOUBTFUL_DRIFT, ENERGY_ROUNDING

STATES_PER_CHECK = 4096
"""States that are collected before they are looked at."""

NO_NUMBERS: Vector = np.zeros(0)

FACTORS = np.array([1.0, 1.0, -1.0, 1.0, -1.0])
"""Of T, V and the works of inputs, of dissipation and of drives, in the sum that stays constant."""


@dataclass(frozen=True)
class RunChecks:
    """What the checks of a run found.

    Attributes:
        energy_scale: the largest energy that moved from one form to another, at the end of any step.
        energy_error: the largest error of the energy balance there.
        generated: loads that should take energy and gave some, with how much.
        limit_violations: coordinates that left their ranges.
        saturations: inputs that were held at their limits.
        table_exits: tables whose arguments left their points.
    """

    energy_scale: float = 0.0
    energy_error: float = 0.0
    generated: Mapping[str, float] = field(default_factory=dict)
    limit_violations: tuple[LimitViolation, ...] = ()
    saturations: tuple[Saturation, ...] = ()
    table_exits: tuple[TableExit, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether energies are wrong, or seem to be because the samples do not show what is exchanged."""
        return bool(self.generated) or not self.energy_error <= DOUBTFUL_DRIFT * self.energy_scale

    def followed_by(self, later: RunChecks) -> RunChecks:
        """The checks of a run and of one that goes on from it."""
        generated = {
            name: self.generated.get(name, 0.0) + later.generated.get(name, 0.0)
            for name in {**self.generated, **later.generated}
        }
        return RunChecks(
            max(self.energy_scale, later.energy_scale), self.energy_error + later.energy_error, generated,
            joined_violations(self.limit_violations, later.limit_violations),
            joined_saturations(self.saturations, later.saturations),
            joined_exits(self.table_exits, later.table_exits),
        )  # fmt: skip


NO_CHECKS = RunChecks()


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
        self._with_limits = has_limits(eom)
        self._tables = problem.functions.tables
        self._exits: tuple[TableExit, ...] = ()
        self._rows, self._looked_at = problem.step_rows, 0
        self._rows.clear()
        self._energy = _EnergyBalance()
        self._generated = np.zeros(len(self._dampers))
        self._violations: tuple[LimitViolation, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to check."""
        return not (self._with_energy or self._dampers or self._with_limits or self._saturations or self._tables.uses)

    def add(self, t: Vector, y: Vector) -> bool:
        """Note states, in the order of time; whether there are enough of them for ``look``."""
        if not self.empty:
            if self._looked_at:
                self._rows.keep_last()  # what happens between two groups counts, too
                self._looked_at = 0
            self._rows.add(t, y, self._problem.r, self._numbers if self._saturations else None)
        return self._rows.count >= STATES_PER_CHECK

    def results(self, until: float = np.inf) -> RunChecks:
        """What was found, up to a time."""
        self.look(until)
        generated = {
            name: float(energy) for name, energy in zip(self._dampers, self._generated, strict=True) if energy > 0
        }
        return RunChecks(*self._energy.totals(), generated, self._violations, self._saturations.results, self._exits)

    def look(self, until: float = np.inf) -> None:
        """Check the states that were noted, up to a time."""
        rows = self._rows
        if rows.count <= self._looked_at:
            return
        if rows.t[-1] > until or not np.isfinite(rows.y.sum()):
            rows.keep(np.isfinite(rows.y).all(axis=1) & (rows.t <= until))
        self._looked_at = rows.count
        if not rows.count:
            return
        if self._expressions:
            (values,) = rows.evaluate(self._problem.functions.followed)
            rows.r[:, self._expressions] = values.reshape(rows.count, -1)
        if self._with_energy:
            kinetic, potential = rows.evaluate(probe(self._eom, "energies"))
            self._energy.add(kinetic, potential, rows.y[:, -len(WORKS) :])
        if self._dampers:
            (power,) = rows.evaluate(probe(self._eom, "damper_powers"))
            gain = np.maximum(power, 0.0)
            self._generated += (np.diff(rows.t)[:, None] * (gain[1:] + gain[:-1]) / 2).sum(axis=0)
        if self._saturations:
            self._saturations.look(rows.t, rows.y, rows.r, self._problem.p, rows.asked)
        if self._with_limits:
            q, u = self._split(rows.y)
            found = limit_violations(self._eom, rows.t, q, u, rows.r, self._problem.p, self._problem.pieces)
            self._violations = joined_violations(self._violations, found)
        if self._tables.uses:
            exits = table_exits(self._eom, self._tables, rows.t, rows.y, rows.r, self._problem.p)
            self._exits = joined_exits(self._exits, exits)

    def _split(self, y: Vector) -> tuple[Vector, Vector]:
        n, m = self._problem.n, self._problem.m
        return y[:, :n], y[:, n : n + m]


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
    totals = [(0.0, 0.0)] * runs
    if eom.energy_known:
        found = probe(eom, "energies").batch(*state)
        table = _energy_table(found.kinetic, found.potential, rows[:, -len(WORKS) :]).reshape(6, runs, samples)
        columns = (part.T.tolist() for part in (table[:, :, 0], table.min(axis=2), table.max(axis=2)))
        totals = [_totals(*values) for values in zip(*columns, strict=True)]
    dampers = damper_names(eom) if eom.energy_known else ()
    gain = np.zeros((runs, samples, len(dampers)))
    if dampers:
        gain = np.maximum(np.asarray(probe(eom, "damper_powers").batch(*state)).reshape(gain.shape), 0.0)
    generated = (np.diff(t)[:, None] * (gain[:, 1:] + gain[:, :-1]) / 2).sum(axis=1)
    results = []
    for k in range(runs):
        own = slice(k * samples, (k + 1) * samples)
        given = {name: float(energy) for name, energy in zip(dampers, generated[k], strict=True) if energy > 0}
        beyond = limit_violations(eom, t, state[1][own], state[2][own], inputs[own], p[k])
        saturations = SaturationCheck(eom, requests)
        if saturations:
            saturations.look(t, y[k], inputs[own], p[k], np.tile(numbers, (samples, 1)))
        exits = table_exits(eom, functions.tables, t, y[k], inputs[own], p[k])
        results.append(RunChecks(*totals[k], given, beyond, saturations.results, exits))
    return results


class _EnergyBalance:
    """The largest energies, and the largest error of their balance; not a number if any of them is not."""

    def __init__(self) -> None:
        self._start: Vector | None = None
        self._low = self._high = NO_NUMBERS

    def add(self, kinetic: Vector, potential: Vector, works: Vector) -> None:
        """Note energies at some states, a number for each, and rows of works."""
        table = _energy_table(kinetic, potential, works)
        low, high = np.minimum.reduce(table, axis=1), np.maximum.reduce(table, axis=1)
        if self._start is None:
            self._start, self._low, self._high = table[:, 0].copy(), low, high
        else:
            self._low, self._high = np.minimum(self._low, low), np.maximum(self._high, high)

    def totals(self) -> tuple[float, float]:
        """The largest energy that moved from one form to another, and the largest error of the balance."""
        if self._start is None:
            return 0.0, 0.0
        return _totals(self._start.tolist(), self._low.tolist(), self._high.tolist())


def _energy_table(kinetic: Vector, potential: Vector, works: Vector) -> Vector:
    """T, V, three works and the error of their balance, a row each, from energies and rows of works at some states."""
    table = np.empty((6, len(kinetic)))
    table[0], table[1], table[2:5] = kinetic, potential, works.T
    np.dot(FACTORS, table[:5], out=table[5])
    return table


def _totals(start: Sequence[float], low: Sequence[float], high: Sequence[float]) -> tuple[float, float]:
    """The largest energy that moved from one form to another, and the largest error of the balance.

    From the first, lowest and highest values of the rows of ``_energy_table``. Where energies are not numbers, neither
    is the error, and the first is 1 J.
    """
    *works, error = [max(high[k] - start[k], start[k] - low[k]) for k in range(2, 6)]
    if isnan(error):
        return 1.0, error
    return max(high[0], high[1] - low[1], *works, ENERGY_ROUNDING * max(-low[1], high[1])), error


def _inputs_of_energy(eom: EquationsOfMotion) -> set[Any]:
    return set(free_symbols([eom.kinetic_energy, eom.potential_energy])).intersection(eom.inputs)


def damper_names(eom: EquationsOfMotion) -> tuple[str, ...]:
    """The names of the loads that should only take energy."""
    return eom.once("names of dampers", lambda: tuple(powers_of_dampers(eom)))
