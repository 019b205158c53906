"""The runs of a sweep, one after the other or in groups: what every worker does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MultibodyError, NumberError
from multibody.mechanics.assembly.assembly import StartChange
from multibody.simulation.checks.run_checks import NO_CHECKS, RunChecks
from multibody.simulation.checks.table_exits import TableExit
from multibody.simulation.contract import Status, Vector
from multibody.simulation.events.events import Event
from multibody.simulation.events.impacts import Impact
from multibody.simulation.integrators.compiled_integrator import CompiledIntegrator
from multibody.simulation.integrators.integrator import Integrator
from multibody.simulation.lanes.side_by_side import SideBySide
from multibody.simulation.preparation import Prepared, chosen, first_state
from multibody.simulation.problem.input_limits import Saturation
from multibody.simulation.problem.inputs import copied
from multibody.simulation.problem.run_settings import RunSettings, before_the_run
from multibody.simulation.results.named_samples import EventRecord
from multibody.simulation.results.statistics import Counts
from multibody.simulation.results.trajectory import Trajectory
from multibody.simulation.sweeps.cases import Case

NO_START, ERROR, MEASURE_FAILED = "NO_START", "ERROR", "MEASURE_FAILED"
"""How runs can fail before, beside and after the integration; all others end with the name of a ``Status``."""

Measure = Callable[[Trajectory], Any]

_one_at_a_time = Lock()  # solvers in Python hold the interpreter, and catch what SUNDIALS prints for all threads


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a case.

    Attributes:
        number: of the case.
        status: the name of a ``Status``, or NO_START or ERROR.
        message: why it failed.
        seconds: what it took, all in all.
        ending: the name of the status of the trajectory; empty if there is none.
        t: times of the samples.
        y: states.
        r: inputs.
        counts: what the integrator did.
        occurrences: events that happened.
        measures: by name, as far as they could be measured.
        measure_errors: why measures failed, by name.
        checks: what was found at the ends of all steps.
        start_changes: start values that were changed; they are not stored, because they follow from the case and the
            first state.
        saturations: inputs that were held at their limits.
        table_exits: tables whose arguments left their points.
    """

    number: int
    status: str
    message: str = ""
    seconds: float = 0.0
    ending: str = ""
    t: Vector = field(default_factory=lambda: np.empty(0))
    y: Vector = field(default_factory=lambda: np.empty((0, 0)))
    r: Vector = field(default_factory=lambda: np.empty((0, 0)))
    counts: Counts = field(default_factory=Counts)
    occurrences: tuple[EventRecord, ...] = ()
    measures: Mapping[str, Any] = field(default_factory=dict)
    start_changes: tuple[StartChange, ...] = ()
    saturations: tuple[Saturation, ...] = ()
    table_exits: tuple[TableExit, ...] = ()
    measure_errors: Mapping[str, str] = field(default_factory=dict)
    checks: RunChecks = NO_CHECKS

    @property
    def failed(self) -> bool:
        """Whether the run, or one of its measures, failed."""
        return bool(self.message or self.measure_errors)

    def trajectory(
        self, eom: EquationsOfMotion, p: Vector, settings: RunSettings | None = None,
        changes: tuple[StartChange, ...] = (),
    ) -> Trajectory:  # fmt: skip
        """The trajectory, if it began at all; ``changes`` are the start values that were changed."""
        status = Status.named(self.ending)
        message = "" if status.ok else self.message
        return Trajectory(
            eom, self.t, self.y, self.r, p, status, self.counts, self.occurrences, message, None, settings, changes,
            self.checks, self.saturations, table_exits=self.table_exits,
        )  # fmt: skip


class Fault(NamedTuple):
    """Why there is no trajectory."""

    status: str
    message: str


class Begun(NamedTuple):
    """The parameters of a case, the state that it begins with, and the start values that were changed."""

    p: Vector
    y: Vector
    changes: tuple[StartChange, ...]


Start = Begun | Fault
"""How a case begins, or why it cannot begin."""


@dataclass(frozen=True, eq=False)
class Runner:
    """Everything that a worker needs to know, but for the cases.

    Attributes:
        eom: equations of motion.
        times: of the samples.
        inputs: what inputs do, by name.
        events: to look for.
        fixed: coordinates and speeds that keep their start values.
        integrator: how to move; None to choose it for each run by its stiffness.
        measures: functions of a trajectory, by name.
    """

    eom: EquationsOfMotion
    times: Vector
    inputs: Mapping[str, Any] | None = None
    events: Sequence[Event | Impact] = ()
    fixed: Sequence[str] = ()
    integrator: Integrator | None = None
    measures: Mapping[str, Measure] = field(default_factory=dict)

    @cached_property
    def prepared(self) -> Prepared:
        """The equations with inputs and events, for all runs; controllers that are called here do not remember it."""
        return Prepared(self.eom, before_the_run(self.inputs), self.events)

    def run(self, cases: Sequence[Case], stopped: Callable[[], bool] = lambda: False) -> list[Outcome]:
        """What comes of some cases.

        Args:
            cases: to run.
            stopped: asked after every run; if it says so, the rest is left undone.
        """
        outcomes: list[Outcome] = []
        begun = perf_counter()
        for case, found in self._moved(cases):
            outcome = self._outcome(case, found)
            now = perf_counter()
            outcomes.append(replace(outcome, seconds=now - begun))
            begun = now
            if stopped():
                break
        return outcomes

    # trajectories ------------------------------------------------------------------------------------------------

    def _moved(self, cases: Sequence[Case]) -> Iterator[tuple[Case, Trajectory | Fault]]:
        """The trajectories of a group of cases: those that may go side by side do, whatever the group."""
        starts = self._possible({case.number: self._start(case) for case in cases}, cases)
        begun = {number: (start.p, start.y) for number, start in starts.items() if not isinstance(start, Fault)}
        arrived = self._together.moved(begun) if self._together.possible else {}
        for case in cases:
            start = starts[case.number]
            if isinstance(start, Fault):
                yield case, start
            elif case.number in arrived:
                yield case, _reporting(arrived[case.number], start.changes)
            else:
                yield case, self._alone(start)

    def _possible(self, starts: dict[int, Start], cases: Sequence[Case]) -> dict[int, Start]:
        """The starts, but for those of bodies that cannot be; looked at one by one only if there are such."""
        parameters = [start.p for start in starts.values() if not isinstance(start, Fault)]
        if not parameters or self.prepared.all_possible(np.stack(parameters)):
            return starts
        return {case.number: self._doubted(case, starts[case.number]) for case in cases}

    def _doubted(self, case: Case, start: Start) -> Start:
        try:
            self.prepared.possible_values(case.parameters)
        except MultibodyError as error:
            return Fault(NO_START, _said(error))
        return start

    @cached_property
    def _together(self) -> SideBySide:
        return SideBySide(self.prepared, self.times, self.integrator)

    def _alone(self, start: Begun) -> Trajectory | Fault:
        """One case, as ``simulate`` does it."""
        try:
            prepared = self._own
            problem = prepared.problem(start.p)
            integrator = self.integrator or chosen(problem, self.times, start.y).integrator
            with nullcontext() if isinstance(integrator, CompiledIntegrator) else _one_at_a_time:
                found = prepared.moved(problem, self.times, start.y, self.integrator, changes=start.changes)
        except Exception as error:  # noqa: BLE001 - of any kind, in a function of the user
            return Fault(ERROR, _said(error))
        if found.status is Status.INTERRUPTED:  # by a function of the user: the sweep ends, and this run is not done
            raise KeyboardInterrupt
        return found

    @property
    def _own(self) -> Prepared:
        """What one run needs for itself: controllers that remember something begin anew."""
        mine = copied(self.inputs)
        return self.prepared if mine is self.inputs else Prepared(self.eom, mine, self.events)

    def _start(self, case: Case) -> Start:
        """The parameters, and the state at the start."""
        try:
            state = self.prepared.start(case.q, case.u, self.fixed, case.parameters, float(self.times[0]))
            return Begun(self.prepared.parameters(case.parameters), first_state(state), state.changes)
        except Exception as error:  # noqa: BLE001 - whatever keeps this case from its start, others may run
            return Fault(NO_START, _said(error))

    # outcomes ----------------------------------------------------------------------------------------------------

    def _outcome(self, case: Case, found: Trajectory | Fault) -> Outcome:
        if isinstance(found, Fault):
            return Outcome(case.number, found.status, found.message)
        ending = found.status.name
        outcome = Outcome(
            case.number, ending, found.message, 0.0, ending, found.t, found.y, found.r, found.counts,
            tuple(found.occurrences), start_changes=found.start_changes, saturations=found.saturations,
            table_exits=found.table_exits, checks=found.checks,
        )  # fmt: skip
        if not found.status.ok:
            return outcome  # what is measured of a run that failed would look like a result
        values, errors = measured(found, self.measures)
        return replace(outcome, measures=values, measure_errors=errors)


def measured(run: Trajectory, measures: Mapping[str, Measure]) -> tuple[dict[str, Any], dict[str, str]]:
    """What is measured of a run, by name, and why other measures failed."""
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, law in measures.items():
        try:
            values[name] = _numbers(name, law(run))
        except Exception as error:  # noqa: BLE001 - of any kind, in a function of the user
            errors[name] = _said(error)
    return values, errors


def _reporting(run: Trajectory, changes: tuple[StartChange, ...]) -> Trajectory:
    """The run with the start values that were changed."""
    return replace(run, start_changes=changes) if changes else run


def _said(error: Exception) -> str:
    """The text of an error, never empty; with its kind, if it is not one of ours."""
    return str(error) if isinstance(error, MultibodyError) else f"{type(error).__name__}: {error}"


def _numbers(name: str, value: Any) -> Any:
    """What a measure returned, as a number or lists of numbers."""
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "biuf":
        raise NumberError(
            f"The measure returned {value!r:.200}.",
            code="measure-not-a-number",
            name=name,
            where=f"measure '{name}'",
            remedy="Return a number, or an array.",
        )
    return numbers.astype(float).tolist()
