"""Outcomes of a sweep, by number and by name: cases, trajectories, failures and measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MultibodyError, ShapeError
from multibody.graph.number import is_whole
from multibody.mechanics.assembly.assembly import StartChange, State
from multibody.mechanics.assembly.start_changes import start_changes
from multibody.mechanics.assembly.start_state import guessed
from multibody.simulation.checks.joint_limits import LimitViolation, has_limits
from multibody.simulation.checks.table_exits import TableExit
from multibody.simulation.contract import Status, Vector
from multibody.simulation.problem.input_limits import Saturation, limits_of_inputs
from multibody.simulation.problem.run_settings import RunSettings
from multibody.simulation.results.quantities import Quantity, quantities
from multibody.simulation.results.recording import split, unknown
from multibody.simulation.results.trajectory import Trajectory
from multibody.simulation.sweeps.cases import SweepPlan
from multibody.simulation.sweeps.measures import define_measures, fill_measures, require_measures
from multibody.simulation.sweeps.runner import MEASURE_FAILED, Measure, Outcome
from multibody.simulation.sweeps.sweep_store import Measured, Store

MISSING = "MISSING"
"""The status of runs that have not been done."""


class RunError(MultibodyError, LookupError):
    """A run without a trajectory."""


class FailedRun(NamedTuple):
    """A run that failed: its number, the values that it was run with, and why it failed."""

    number: int
    values: Mapping[str, float]
    message: str


class SweepOutcomes:
    """The outcomes of a sweep; what ``Sweep`` is made of.

    Args:
        eom: the equations of the runs.
        plan: what was to be run.
        times: of the samples.
        measures: their names.
        store: where the outcomes are.
        settings: inputs, events and integrator of all runs.
    """

    def __init__(
        self, eom: EquationsOfMotion, plan: SweepPlan, times: Vector, measures: tuple[str, ...], store: Store,
        settings: RunSettings | None = None,
    ) -> None:  # fmt: skip
        self.eom, self._plan, self.times, self._measures, self._store = eom, plan, times, measures, store
        self._settings = settings

    def __len__(self) -> int:
        return len(self._plan)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many cases, values along each axis of the grid, and draws: ``array.reshape(sweep.shape)``."""
        return self._plan.shape

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What is counted in ``shape``: "case", the names of the axes, "draw"."""
        return self._plan.dimensions

    @cached_property
    def cases(self) -> dict[str, Vector]:
        """For each name that varies, its values over the runs."""
        return self._plan.varied(self.eom)

    # how it went -------------------------------------------------------------------------------------------------

    @cached_property
    def status(self) -> list[str]:
        """For each run the name of its ``Status``, or NO_START, ERROR, MEASURE_FAILED or MISSING."""
        known: dict[int, str] = dict(self._store.column("status"))
        known |= dict.fromkeys(self._measure_errors, MEASURE_FAILED)
        return [known.get(number, MISSING) for number in range(len(self))]

    @property
    def complete(self) -> bool:
        """Whether all runs were done, well or not."""
        return MISSING not in self.status

    @cached_property
    def seconds(self) -> Vector:
        """What each run took; NaN if it was not done."""
        return self._over_runs(dict(self._store.column("seconds")), "seconds")

    @property
    def messages(self) -> list[str]:
        """Why each run, or one of its measures, failed; empty where none did."""
        known: dict[int, str] = dict(self._store.column("message")) | self._measure_errors
        return [known.get(number, "") for number in range(len(self))]

    @property
    def where(self) -> str:
        """Where it is stored."""
        return self._store.where

    @cached_property
    def failures(self) -> list[FailedRun]:
        """The runs that failed, with their reasons."""
        messages = self.messages
        failed = [number for number, status in enumerate(self.status) if _failed(status)]
        return [FailedRun(number, self._plan.case(number).values, messages[number]) for number in failed]

    @property
    def failed(self) -> int:
        """The number of runs that failed."""
        return sum(map(_failed, self.status))

    @property
    def failure_counts(self) -> dict[str, int]:
        """The number of runs that failed, by status; empty if none did."""
        return dict(Counter(filter(_failed, self.status)).most_common())

    # what came out -----------------------------------------------------------------------------------------------

    def __getitem__(self, number: int) -> Trajectory:
        if not is_whole(number) or not -len(self) <= number < len(self):
            raise RunError(
                f"There is no run {number}.",
                code="run-unknown",
                where=self._title,
                remedy=f"There are {len(self)}, from 0 on.",
            )
        number %= len(self)
        outcome = self._store.outcome(number)
        if outcome is None or not outcome.ending:
            reason = "It has not been run." if outcome is None else outcome.message
            raise RunError(
                f"Run {number} has no trajectory.", code="run-without-trajectory", where=self._title, cause=reason
            )
        return self._trajectory(outcome)

    def _trajectory(self, outcome: Outcome) -> Trajectory:
        parameters = self.eom.model.parameter_values(self._plan.case(outcome.number).parameters)
        p = np.array(list(parameters.values()), dtype=float)
        return outcome.trajectory(self.eom, p, self._settings, self._start_changes(outcome))

    def _start_changes(self, outcome: Outcome) -> tuple[StartChange, ...]:
        """The start values of a run that were changed: those of its case and of the model, and its first state."""
        model, case, n = self.eom.model, self._plan.case(outcome.number), len(self.eom.coordinates)
        if not len(outcome.t):
            return ()
        guess = guessed(model, model.coordinates, case.q)[0], guessed(model, model.speeds, case.u)[0]
        state = State(model, outcome.y[0, :n], outcome.y[0, n : n + len(self.eom.speeds)])
        known = {model.time: float(outcome.t[0]), **model.parameter_values(case.parameters)}
        known |= dict(zip(model.input_symbols, outcome.r[0].tolist(), strict=True))
        return start_changes(state, guess, {*case.q, *case.u}, known)

    @cached_property
    def start_changes(self) -> dict[int, tuple[StartChange, ...]]:
        """The start values that were changed so that the constraints hold, by the numbers of runs that have some."""
        return {number: run.start_changes for number, run in self.trajectories() if run.start_changes}

    @cached_property
    def limit_violations(self) -> dict[int, tuple[LimitViolation, ...]]:
        """The coordinates that left the limits of their joints at the samples, by the numbers of runs."""
        if not has_limits(self.eom):
            return {}
        return {number: run.limit_violations for number, run in self.trajectories() if run.limit_violations}

    @cached_property
    def saturations(self) -> dict[int, tuple[Saturation, ...]]:
        """The inputs that were held at their limits, by the numbers of runs."""
        if not limits_of_inputs(self.eom):
            return {}
        return {number: run.saturations for number, run in self.trajectories() if run.saturations}

    @cached_property
    def table_exits(self) -> dict[int, tuple[TableExit, ...]]:
        """The tables whose arguments left their points, by the numbers of runs."""
        return {number: run.table_exits for number, run in self.trajectories() if run.table_exits}

    def __iter__(self) -> Iterator[Trajectory]:
        """The trajectories of all runs that have one."""
        return (trajectory for _, trajectory in self.trajectories())

    def trajectories(self) -> Iterator[tuple[int, Trajectory]]:
        """Number and trajectory of all runs that have one."""
        found = (self._store.outcome(number) for number in self._store.numbers())
        return (
            (outcome.number, self._trajectory(outcome)) for outcome in found if outcome is not None and outcome.ending
        )

    @cached_property
    def measures(self) -> dict[str, Vector]:
        """What was measured, an array over the runs for each name; NaN for runs that failed, or whose measure did."""
        return {
            name: self._over_runs({k: measured.value for k, measured in found.items() if not measured.error}, name)
            for name, found in self._measured.items()
        }

    @property
    def measure_failures(self) -> dict[str, dict[int, str]]:
        """Why measures failed, by their names and the numbers of runs; empty if none did."""
        found = {name: {k: run.error for k, run in runs.items() if run.error} for name, runs in self._measured.items()}
        return {name: errors for name, errors in found.items() if errors}

    @cached_property
    def _measured(self) -> dict[str, dict[int, Measured]]:
        found = self._store.measured()
        return {name: found.get(name, {}) for name in self._measures}

    @cached_property
    def _measure_errors(self) -> dict[int, str]:
        """Why measures failed, by the numbers of runs."""
        errors: dict[int, dict[str, str]] = {}
        for name, runs in self.measure_failures.items():
            for number, error in runs.items():
                errors.setdefault(number, {})[name] = error
        return {
            number: "\n".join(f"measure '{name}': {error}" for name, error in some.items())
            if len(some) > 1
            else next(iter(some.values()))
            for number, some in errors.items()
        }

    def measure(self, measures: Mapping[str, Measure], *, replace: bool = False) -> Self:
        """Measure stored runs without running them again, and keep the results where the runs are stored.

        What is there already stays; measures that have failed are tried again. A sweep in a file goes on later with
        these measures, too.

        Args:
            measures: by name a function of a trajectory that gives a number, or an array of numbers.
            replace: whether a function may take the place of another one of the same name, for all runs.

        Returns:
            The sweep with these measures in addition.

        Raises:
            StorageError: if a measure of this name was made by another function, or if the file is in use.

        Example:
            >>> import multibody as mb
            >>> cart = mb.System("cart")
            >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx")
            >>> runs = mb.sweep(mb.derive(cart), 2.0, initial={"x_dot": [1.0, 3.0]}, samples=3)
            >>> runs.measure({"end": lambda run: run["x"][-1]}).measures["end"].round(9)
            array([2., 6.])
        """
        require_measures(measures, self._plan)
        names = tuple(dict.fromkeys([*self._measures, *measures]))
        found = type(self)(self.eom, self._plan, self.times, names, self._store, self._settings)
        self._store.reserve()
        try:
            define_measures(self._store, measures, replace)
            found.measure_missing(measures)
        finally:
            self._store.release()
        return found

    def measure_missing(self, measures: Mapping[str, Measure]) -> int:
        """Measure the runs for which a value is missing, or has failed; the number of runs with a failure."""
        try:
            return fill_measures(self._store, measures, self._trajectory)
        finally:
            for name in ("status", "measures", "failures", "_measured", "_measure_errors"):
                vars(self).pop(name, None)

    def last(self, name: str) -> Vector:
        """A quantity at the end of each run; NaN for runs that failed.

        Args:
            name: as in a trajectory.
        """
        self._require(name)
        return self._over_runs({k: run[name][-1] for k, run in self.trajectories() if run.status.ok}, name)

    def values(self, name: str) -> Vector:
        """A quantity over runs and times; NaN where a run did not get there.

        Args:
            name: as in a trajectory.
        """
        self._require(name)
        return self._over_runs({k: self._at_times(run, run[name]) for k, run in self.trajectories()}, name, self.times)

    def _at_times(self, run: Trajectory, values: Vector) -> Vector:
        """The values at the times of all runs; after the jump where there is one."""
        places = np.searchsorted(run.t, self.times, side="right") - 1
        found = np.array(values[places], dtype=float)
        found[run.t[places] != self.times] = np.nan
        return found

    def _over_runs(self, found: Mapping[int, Any], name: str, *axes: Vector) -> Vector:
        shapes = {np.shape(measured) for measured in found.values()} or {tuple(len(axis) for axis in axes)}
        if len(shapes) > 1:
            raise ShapeError(
                f"'{name}' has arrays of different shapes: {sorted(shapes)}.",
                code="measure-shapes-differ", where=self._title,
                remedy="Measure something of the same shape in all runs.", name=name,
            )  # fmt: skip
        values = np.full((len(self), *shapes.pop()), np.nan)
        for number, measured in found.items():
            values[number] = measured
        return values

    def _require(self, name: str) -> None:
        if split(name, self.quantities)[0] not in self.quantities:
            raise unknown(name, self.quantities, self._title)

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """Everything that has a name in a trajectory, with its kind and unit."""
        return quantities(self.eom)

    @property
    def _title(self) -> str:
        return f"sweep of '{self.eom.model.name}'"


def _failed(status: str) -> bool:
    """Whether a run was done, and neither came to its end nor to a terminal event, or could not be measured."""
    return status != MISSING and not (status in Status.__members__ and Status[status].ok)
