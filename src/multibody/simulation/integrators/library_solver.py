"""Solvers of libraries, step by step: samples, events, constraints and failures are the same for all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from multibody.errors import StepError
from multibody.mechanics.constraints.rank import basis
from multibody.simulation.contract import Occurrence, Segment, Status, Vector, Watch
from multibody.simulation.events.zero_crossings import Lookout
from multibody.simulation.integrators.absolute_tolerances import absolute_tolerances
from multibody.simulation.integrators.integrator import Integrator, require_positive
from multibody.simulation.kernel.run_record import ABSURD, CORRECTIONS, LARGEST_FLOOR, LARGEST_SHARE
from multibody.simulation.problem.problem import Problem

UNCOUNTED = 1e100
"""The allowed error of an entry that does not count."""

AIM = 1e-5
"""What is left of gaps, relative to what is allowed."""


def end_with(failure: BaseException | None) -> None:
    """End a run if a function of the user has failed."""
    if failure is not None:
        raise StepError(Status.NOT_FINITE, str(failure)) from failure


def onto_constraints(problem: Problem, t: float, y: Vector, gap: float) -> Vector:
    """The state brought back onto the constraints, much nearer than allowed.

    Near singular positions, the effect of what is left of the gaps grows with the inverse of the distance from there.
    """
    speeds = slice(problem.n, problem.n + problem.m)
    before = y[speeds]
    y, gaps = problem.project(t, y, AIM * gap, CORRECTIONS)
    if not gaps.max() <= gap:
        raise StepError(Status.CONSTRAINTS_LOST, f"gaps {gaps[0]:.2g} of positions, {gaps[1]:.2g} of velocities")
    change, largest = np.abs(y[speeds] - before).max(initial=0.0), np.abs(before).max(initial=0.0)
    if change > LARGEST_SHARE * max(largest, 1.0):
        raise StepError(Status.SINGULAR, f"a speed would change by {change:.2g} to keep the constraints")
    return y


def working_rows(problem: Problem) -> list[int]:
    """Constraint equations that are independent in the state in the problem's memory, with its parameters."""
    eom, rows = problem.eom, list(problem.eom.constraints.acting)
    if not rows:
        return []
    function = problem.functions.function("constraint_matrix", {"B": eom.B[rows].reshape(len(rows), problem.m)})
    y, n = problem.y, problem.n
    B = np.asarray(function(problem.t, y[:n], y[n : n + problem.m], problem.all_r, problem.p)).reshape(len(rows), -1)
    return [rows[k] for k in basis(B)]


class Stepper(ABC):
    """A solver under way.

    Attributes:
        t: the end of its last step.
        step: a good size for the next one, or 0.
        evaluations: calls of the right-hand side so far.
        jacobians: calls of its derivative so far.
    """

    t: float
    step: float = 0.0
    evaluations: int = 0
    jacobians: int = 0

    @abstractmethod
    def advance(self) -> None:
        """One step.

        Raises:
            StepError: if there is none.
        """

    @abstractmethod
    def within(self, t: float) -> Vector:
        """The state at a time within the last step."""


@dataclass(frozen=True, kw_only=True)
class StepwiseIntegrator(Integrator):
    """What solvers of libraries share.

    Attributes:
        rtol: error of a step relative to each entry of the state.
        atol: error of a step that is always allowed; by default it follows the scale of each coordinate and speed
            at the start of a segment, and is at most 1e-10.
        max_step: the longest step; None for 1/50 of the duration of a run.
        max_steps: steps after which a segment is given up.
        project: whether the constraints are kept; without it they drift with the errors of the steps.
        gap: how far positions and velocities may be off the constraints, in their own units; None for 1e-10 of the
            size of each constraint equation.
    """

    rtol: float = 1e-8
    atol: float | None = None
    max_step: float | None = None
    max_steps: int = 1_000_000
    project: bool = True
    gap: float | None = None

    def __post_init__(self) -> None:
        require_positive(self, "rtol", "max_steps", optional=("atol", "max_step", "gap"))

    @property
    def longest_step(self) -> float:
        """``max_step`` as a number."""
        return np.inf if self.max_step is None else self.max_step

    @abstractmethod
    def start(
        self, problem: Problem, t0: float, y0: Vector, end: float, step: float, atol: Vector
    ) -> Stepper:  # fmt: skip
        """The solver at the start, on its way to the end, with an absolute tolerance for each entry of the state."""

    def run(self, problem: Problem, t0: float, y0: Vector, times: Vector, step: float, watch: Watch) -> Segment:
        """From (t0, y0) to the last of the times; see ``Integrator``."""
        problem.regularize(
            for_good=True
        )  # solvers of libraries cannot change their equations where constraints become dependent
        return _Journey(self, problem, t0, np.array(y0, dtype=float), np.asarray(times, dtype=float), watch).made(step)


class _Journey:
    """A run with a solver: what has been seen on the way."""

    def __init__(
        self, integrator: StepwiseIntegrator, problem: Problem, t0: float, y0: Vector, times: Vector, watch: Watch
    ) -> None:
        self._integrator, self._problem, self._times = integrator, problem, times
        self._t, self._y = t0, y0
        self._lookout = Lookout(problem, watch, t0, y0, float(times[-1]), integrator.rtol)
        self._rows = [y0] * int(np.searchsorted(times, t0, side="right"))
        self._occurrences: list[Occurrence] = []
        self._steps, self._gap = 0, integrator.allowed_gap(problem)
        self._solvers: list[Stepper] = []
        self._before_step = t0, y0, len(self._rows), 0  # where an interrupted step goes back to
        self._scales = np.zeros((2, len(y0))) if watch.scales is None else watch.scales.copy()
        self._scales[0] = np.maximum(self._scales[0], np.abs(y0))

    def made(self, step: float) -> Segment:
        """To the end, or as far as it goes."""
        end, status, message = float(self._times[-1]), Status.DONE, ""
        try:
            if not np.isfinite(self._problem.evaluate(self._t, self._y)).all():
                raise StepError(Status.NOT_FINITE, "at the start")
            if self._t < end:
                status = self._go(end, step)
        except StepError as error:
            status, message = error.status, error.what
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
            self._t, self._y, samples, events = self._before_step
            del self._rows[samples:], self._occurrences[events:]
        rows = np.array(self._rows).reshape(-1, len(self._y))
        return Segment(
            self._times[: len(rows)], rows, status, self._t, self._y, self._solvers[-1].step if self._solvers else 0.0,
            self._occurrences, self._steps, evaluations=sum(one.evaluations for one in self._solvers),
            jacobians=sum(one.jacobians for one in self._solvers), message=message, sides=self._lookout.sides,
            scales=self._scales,
        )  # fmt: skip

    def _start(self, end: float, step: float) -> Stepper:
        integrator, problem = self._integrator, self._problem
        if integrator.atol is None:
            longest = min(integrator.longest_step, end - self._t)
            atol = absolute_tolerances(problem, integrator.rtol, self._t, self._y, self._scales[0], longest)
            end_with(problem.failure)
        else:
            atol = np.full(problem.size, integrator.atol)
        return integrator.start(problem, self._t, self._y, end, step, atol)

    def _go(self, end: float, step: float) -> Status:
        """To the end; where steps become too small for the default tolerances, with the largest of these from there.

        This happens where a load begins to act on what is at rest: rounding errors of time are errors of the load.
        """
        self._solvers.append(self._start(end, step))
        try:
            return self._to_the_end(self._solvers[-1], end)
        except StepError as error:
            if error.status is not Status.STEP_TOO_SMALL or self._integrator.atol is not None:
                raise
        atol = np.full(self._problem.size, LARGEST_FLOOR)
        self._solvers.append(self._integrator.start(self._problem, self._t, self._y, end, 0.0, atol))
        return self._to_the_end(self._solvers[-1], end)

    def _to_the_end(self, solver: Stepper, end: float) -> Status:
        while self._t < end:
            if self._steps == self._integrator.max_steps:
                return Status.TOO_MANY_STEPS
            self._before_step = self._t, self._y, len(self._rows), len(self._occurrences)
            with np.errstate(all="ignore"):  # what is not finite is noticed below
                solver.advance()
            self._steps += 1
            happened, stop = self._lookout.events(solver.t, lambda t: self._kept(t, solver.within(t)))
            self._arrive(solver, min(solver.t, stop))
            self._occurrences += happened
            if stop < np.inf:
                return Status.EVENT
        return Status.DONE

    def _arrive(self, solver: Stepper, t: float) -> None:
        """Keep the samples up to t."""
        for when in self._times[len(self._rows) : np.searchsorted(self._times, t, side="right")]:
            self._rows.append(self._kept(when, solver.within(when)))
        y = self._kept(t, solver.within(t))  # also where it is not shown: it tells whether the constraints are lost
        self._t, self._y = t, y
        self._scales[0] = np.maximum(self._scales[0], np.abs(y))
        if self._problem.observer is not None and not self._problem.observer(np.array([t]), y[None].copy()):
            raise StepError(Status.SINGULAR, "")

    def _kept(self, t: float, y: Vector) -> Vector:
        """A state on the constraints."""
        if not np.isfinite(y).all():
            raise StepError(Status.NOT_FINITE, "")
        if not np.abs(y).max(initial=0.0) <= ABSURD:
            raise StepError(Status.DIVERGED, "")
        return onto_constraints(self._problem, t, y, self._gap) if self._integrator.project else y
