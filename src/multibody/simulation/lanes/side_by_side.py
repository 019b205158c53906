"""Runs of a sweep that move together: several of them in each instruction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from multibody.simulation.checks.joint_limits import has_limits
from multibody.simulation.checks.run_checks import RunChecks, checks_of_samples
from multibody.simulation.contract import Segment, Status, Vector
from multibody.simulation.integrators.butcher_tableaus import Tableau
from multibody.simulation.integrators.compiled_integrator import CompiledIntegrator
from multibody.simulation.integrators.integrator import Integrator
from multibody.simulation.integrators.rosenbrock import Rodas5P
from multibody.simulation.integrators.runge_kutta import DormandPrince8
from multibody.simulation.integrators.stability_limits import is_unstable
from multibody.simulation.integrators.stiffness import IntegratorKind, Work, judged, slopes_of_many
from multibody.simulation.lanes.lanes import Lanes, allows_lanes
from multibody.simulation.preparation import Chosen, Prepared, has_sundials
from multibody.simulation.problem.input_limits import Requests
from multibody.simulation.results.trajectory import Trajectory
from multibody.simulation.run import Part, Record

STEPS_PER_CHECK = 4.0
"""Steps between two samples that still show energies, loads and tables."""

SAMPLES_PER_STEP = 2
"""Samples for each step of a run that is checked once more; steps are not evenly spaced."""

RUNS_AT_ONCE, MOST_NUMBERS = 64, 4_000_000
"""Runs that are checked once more at a time, and the numbers in memory for them."""


class SideBySide:
    """Runs with the same equations, inputs and times, from different states and with different parameters.

    Args:
        prepared: what moves.
        times: of the samples.
        integrator: how to move; None for the one that is chosen for each run. Runs for which Cvode is chosen are left
            to the loop for single runs.
    """

    def __init__(self, prepared: Prepared, times: Vector, integrator: Integrator | None) -> None:
        self._prepared, self._times, self._given = prepared, times, integrator

    @cached_property
    def possible(self) -> bool:
        """Whether there is nothing that only one run at a time can do: functions of Python, controllers, events."""
        busy = self._prepared.inputs.laws or self._prepared.inputs.sampled
        return not busy and allows_lanes(self._given or DormandPrince8(), self._prepared.functions)

    def moved(self, starts: Mapping[int, tuple[Vector, Vector]]) -> dict[int, Trajectory]:
        """The trajectories of those runs that came to their end without trouble, by their numbers.

        Where the samples alone leave a doubt about the energies, the run is left to the loop for single runs, too.

        Args:
            starts: parameters and state of each run, by its number.
        """
        if not starts:
            return {}
        p, y = (np.array(column) for column in zip(*starts.values(), strict=True))
        r = np.tile(self._prepared.inputs.values, (len(y), 1))
        numbers, found = np.array([*starts]), dict[int, Trajectory]()
        for choice, places in self._choices(y, r, p):
            found |= self._moved_by(choice, numbers[places], y[places], r[places], p[places])
        return found

    def _choices(self, y: Vector, r: Vector, p: Vector) -> list[tuple[Chosen, NDArray[np.int_]]]:
        """Integrators, and the places of the runs for which each of them is chosen; other runs are left alone."""
        if self._given is not None:
            return [(Chosen(self._given), np.flatnonzero(~self._unstable(y, r, p)))]
        kinds, functions = self._kinds(y, r, p), self._prepared.functions
        choices = [
            (Chosen(DormandPrince8(), "not stiff at the start"), np.flatnonzero(kinds == IntegratorKind.EXPLICIT))
        ]
        stiff = np.flatnonzero(kinds == IntegratorKind.ROSENBROCK)
        if len(stiff) and allows_lanes(Rodas5P(), functions):
            choices.append((Chosen(Rodas5P(), "stiff at the start"), stiff))
        return choices

    def _moved_by(
        self, choice: Chosen, numbers: NDArray[np.int_], y: Vector, r: Vector, p: Vector
    ) -> dict[int, Trajectory]:  # fmt: skip
        """The trajectories of the runs that came to their end without trouble, by their numbers."""
        if not len(numbers):
            return {}
        integrator = choice.integrator.for_run(float(self._times[-1] - self._times[0]))
        assert isinstance(integrator, CompiledIntegrator)
        lanes = Lanes(self._prepared.functions, integrator)
        segments = lanes.run(self._times, y[:, : y.shape[1] - 3], r, p)
        places = [k for k, one in enumerate(segments) if one.status is Status.DONE]
        arrived = [segments[k] for k in places]
        ends = np.array([one.last_y for one in arrived]).reshape(len(arrived), y.shape[1])
        unstable = self._unstable(ends, r[places], p[places], at_end=True)
        checks = self._checks(lanes, arrived, y[places], r[places], p[places])
        return {
            int(numbers[k]): self._prepared.trajectory(
                p[k], self._record(segment, r[k], found), choice, float(self._times[-1])
            )
            for k, segment, found, doubtful in zip(places, arrived, checks, unstable, strict=True)
            if not (doubtful or found.is_doubtful)
        }

    def _kinds(self, y: Vector, r: Vector, p: Vector) -> NDArray[np.int_]:
        """The kind of integrator that is expected to take the least time, for each run."""
        times, functions = self._times, self._prepared.functions
        slopes = slopes_of_many(functions, float(times[0]), y, r, p)
        work = Work.of(functions, has_bdf=has_sundials())
        kinds: NDArray[np.int_] = judged(slopes, float(times[-1] - times[0]), work).kind
        return kinds

    def _unstable(self, y: Vector, r: Vector, p: Vector, *, at_end: bool = False) -> NDArray[np.bool_]:
        """Which runs have steps of fixed length that are too long; the loop for single runs says so."""
        method, h = getattr(self._given, "method", None), getattr(self._given, "step", 0.0)
        if not len(y) or not isinstance(method, Tableau) or not h:
            return np.zeros(len(y), dtype=bool)
        n, times = len(self._prepared.eom.coordinates), self._times
        matrices = slopes_of_many(self._prepared.functions, float(times[-1 if at_end else 0]), y, r, p)
        steps = float(times[-1] - times[0]) / h
        return np.array([is_unstable(method, J, n, h, steps) for J in matrices], dtype=bool)

    def _record(self, segment: Segment, r: Vector, checks: RunChecks) -> Record:
        inputs = np.tile(r, (len(segment.t), 1))
        return Record([Part(segment.t, segment.y, inputs)], segments=[segment], checks=checks)

    def _checks(
        self, lanes: Lanes, segments: list[Segment], y: Vector, r: Vector, p: Vector
    ) -> list[RunChecks]:  # fmt: skip
        """What is found at the samples; runs that have far more steps than samples move once more, with more of them.

        Args:
            lanes: what moved the runs.
            segments: the runs.
            y: their first states.
            r: their inputs.
            p: their parameters.
        """
        if not segments:
            return []
        coarse = [k for k, one in enumerate(segments) if one.steps > self._steps_per_sample * (len(one.t) - 1)]
        found = self._checks_at(self._times, np.stack([one.y for one in segments]), r, p)
        for first in range(0, len(coarse), RUNS_AT_ONCE):
            some = coarse[first : first + RUNS_AT_ONCE]
            count = SAMPLES_PER_STEP * max(segments[k].steps for k in some)
            times = np.union1d(self._times, np.linspace(self._times[0], self._times[-1], count + 1))
            if times.size * y.shape[1] * len(some) > MOST_NUMBERS:
                for k in some:
                    found[k] = replace(found[k], energy_error=np.nan)  # left to the loop for single runs
                continue
            finer = lanes.run(times, y[some, : y.shape[1] - 3], r[some], p[some])
            for k, one in zip(
                some, self._checks_at(times, np.stack([s.y for s in finer]), r[some], p[some]), strict=True
            ):
                found[k] = one
        return found

    @cached_property
    def _steps_per_sample(self) -> float:
        """How many steps may lie between two samples at which runs are checked."""
        functions, inputs = self._prepared.functions, self._prepared.inputs
        if has_limits(self._prepared.eom):
            return 1.0
        watched = functions.tables.uses or inputs.limits or self._prepared.eom.energy_known
        return STEPS_PER_CHECK if watched else np.inf

    def _checks_at(self, times: Vector, y: Vector, r: Vector, p: Vector) -> list[RunChecks]:
        """What is found at some times, which all runs have in common."""
        eom, inputs = self._prepared.eom, self._prepared.inputs
        places = [eom.inputs.index(one) for one in inputs.expressions]
        requests = Requests(inputs.limits, inputs.asked_expressions, {})
        return checks_of_samples(eom, self._prepared.functions, places, times, y, r, p, requests, inputs.asked)
