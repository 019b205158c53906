"""SciPy's solvers behind the same contract, for comparison and where nothing else is installed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError, StepError
from multibody.simulation.contract import Status, Vector
from multibody.simulation.integrators.baumgarte import PulledField
from multibody.simulation.integrators.library_solver import UNCOUNTED, Stepper, StepwiseIntegrator, onto_constraints
from multibody.simulation.problem.problem import Problem

EXPLICIT = ("RK23", "RK45", "DOP853")
IMPLICIT = ("Radau", "BDF", "LSODA")
WITH_MEMORY = ("BDF", "LSODA")


@dataclass(frozen=True, kw_only=True)
class ScipySolver(StepwiseIntegrator):
    """A solver of ``scipy.integrate``, on the compiled right-hand side and its exact derivative.

    Methods that go from step to step are set back onto the constraints after each of them; those with a memory, ``BDF``
    and ``LSODA``, are pulled towards them, see ``PulledField``.

    Args:
        method: ``"RK23"``, ``"RK45"``, ``"DOP853"``, or for stiff equations ``"Radau"``, ``"BDF"``, ``"LSODA"``.
        rtol: error of a step relative to each entry of the state.
        atol: error of a step that is always allowed; by default it follows the scale of each coordinate and speed
            at the start of a segment, and is at most 1e-10.
        max_step: the longest step; by default 1/50 of the duration of a run.
        max_steps: steps after which a segment is given up.
        project: whether the constraints are kept.
        gap: how far positions and velocities may be off the constraints, in their own units; by default 1e-10 of the
            size of each constraint equation.

    Example:
        >>> import multibody as mb
        >>> spring = mb.System("spring")
        >>> slide = spring.joint("x", spring.world, spring.body("mass", mass=1.0), "Tx", q=1.0)
        >>> pull = spring.load(mb.JointSpring(slide, 1.0))
        >>> run = mb.simulate(mb.derive(spring), duration=np.pi, integrator=ScipySolver(method="DOP853"))
        >>> run.status.name, bool(abs(run["x"][-1] + 1) < 1e-8)
        ('DONE', True)
    """

    method: str = "DOP853"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in (*EXPLICIT, *IMPLICIT):
            raise ModelError(
                f"SciPy has no method {self.method!r}.",
                code="integration-method-unknown",
                name=self.method,
                where="ScipySolver",
                remedy=f"It has: {', '.join((*EXPLICIT, *IMPLICIT))}.",
            )

    def start(
        self, problem: Problem, t0: float, y0: Vector, end: float, step: float, atol: Vector
    ) -> Stepper:  # fmt: skip
        """SciPy's solver at the start."""
        memory = self.method in WITH_MEMORY
        field = PulledField(problem, self.project and memory)
        options = {"jac": problem.evaluate_jacobian} if self.method in IMPLICIT else {}
        solver = scipy_solver(self, self.method, field, t0, y0, end, step, atol, problem.weights, **options)
        projects = self.project and not memory and problem.projection is not None
        gap = self.allowed_gap(problem) if projects else np.inf
        return _ScipyStepper(solver, field, problem, gap)


def scipy_solver(
    integrator: StepwiseIntegrator, method: str, rate: Any, t0: float, y0: Vector, end: float, step: float,
    atol: Vector, counted: NDArray[np.bool_], **options: Any,
) -> Any:  # fmt: skip
    """An ``OdeSolver``; entries that do not count make errors look smaller in the mean."""
    from scipy import integrate

    share = float(np.sqrt(counted.mean()))
    return getattr(integrate, method)(
        rate, t0, y0, end, rtol=max(integrator.rtol * share, 3e-14),
        atol=np.where(counted, atol * share, UNCOUNTED), max_step=integrator.longest_step,
        first_step=min(step, end - t0) or None, **options,
    )  # fmt: skip


def advanced(solver: Any, finite: Any) -> None:
    """One step of an ``OdeSolver``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LSODA warns where it fails
        try:
            message = solver.step()
        except ValueError as error:  # its linear algebra refuses numbers that are not finite
            raise StepError(Status.SOLVER_FAILED if finite() else Status.NOT_FINITE, str(error)) from error
    if solver.status == "failed":
        raise StepError(Status.STEP_TOO_SMALL if finite() else Status.NOT_FINITE, message or "")


class _ScipyStepper(Stepper):
    """A solver of SciPy under way."""

    def __init__(self, solver: Any, field: PulledField, problem: Problem, gap: float) -> None:
        self._solver, self._field, self._problem, self._gap = solver, field, problem, gap
        self._dense: Any = None
        self.t = solver.t

    def advance(self) -> None:
        """One step, and back onto the constraints."""
        solver, before = self._solver, self._solver.t
        self._field.finite = True
        advanced(solver, lambda: self._field.finite)
        if self._gap < np.inf:
            self._set_back()
        self._field.stepped(solver.t - before)
        self._dense, self.t = None, solver.t
        self.step = float(getattr(solver, "h_abs", 0.0))
        self.evaluations, self.jacobians = int(solver.nfev), int(solver.njev)  # LSODA has integers of NumPy

    def within(self, t: float) -> Vector:
        """By the solver's dense output."""
        if t == self.t:
            return np.array(self._solver.y)
        self._dense = self._dense or self._solver.dense_output()
        return np.asarray(self._dense(t))

    def _set_back(self) -> None:
        solver = self._solver
        y = onto_constraints(self._problem, solver.t, solver.y, self._gap)
        if (y != solver.y).any():
            solver.y, solver.f = y, solver.fun(solver.t, y)
