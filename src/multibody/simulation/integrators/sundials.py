"""SUNDIALS: multistep methods of variable order for stiff equations, and for equations with constraints.

Hindmarsh and others, ACM Transactions on Mathematical Software 31 (2005); called through scikit-sundae.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError, StepError
from multibody.simulation.contract import Status, Vector
from multibody.simulation.integrators.baumgarte import PulledField
from multibody.simulation.integrators.library_solver import UNCOUNTED, Stepper, StepwiseIntegrator
from multibody.simulation.integrators.stabilized_index_2 import StabilisedForm
from multibody.simulation.problem.problem import Problem
from multibody.simulation.problem.run_functions import MOST_EXACT
from multibody.support.optional_libraries import require_library

EXTRA = "stiff"
UNKNOWNS_FOR_LAPACK = 100  # unknowns from which on LAPACK is worth its overhead
FIRST_STEP = 1e-7  # of IDA where works count, relative to the length of a segment
STUCK = (-3, -4)  # error tests or Newton's method failed with the smallest step


@dataclass(frozen=True, kw_only=True)
class Cvode(StepwiseIntegrator):
    """CVODE: for stiff equations with the method ``"BDF"``, orders 1 to 5; for others ``"Adams"``, orders 1 to 12.

    It works with the exact derivative of the right-hand side, compiled, and beyond 60 entries of the state, where that
    takes minutes, with differences. Constraints are kept by a pull in the equations, see
    ``PulledField``, and samples are projected onto them.

    Args:
        method: ``"BDF"`` or ``"Adams"``.
        rtol: error of a step relative to each entry of the state.
        atol: error of a step that is always allowed; by default it follows the scale of each coordinate and speed
            at the start of a segment, and is at most 1e-10.
        max_step: the longest step; by default 1/50 of the duration of a run.
        max_steps: steps after which a segment is given up.
        project: whether the constraints are kept.
        gap: how far samples may be off the constraints, in their own units.

    Example:
        >>> import multibody as mb
        >>> stiff = mb.System("stiff")
        >>> slide = stiff.joint("x", stiff.world, stiff.body("mass", mass=1.0), "Tx", q=1.0)
        >>> pull = stiff.load(mb.JointSpring(slide, 1e6))
        >>> brake = stiff.load(mb.JointDamper(slide, 1e6))
        >>> run = mb.simulate(mb.derive(stiff), duration=1.0, integrator=Cvode())
        >>> run.status.name, bool(abs(run["x"][-1] - np.exp(-1)) < 1e-6), run.statistics.steps < 400
        ('DONE', True, True)
    """

    method: Literal["BDF", "Adams"] = "BDF"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in ("BDF", "Adams"):
            raise ModelError(
                f"CVODE has no method {self.method!r}.",
                code="integration-method-unknown",
                name=self.method,
                where="Cvode",
                remedy="'BDF' or 'Adams'.",
            )

    def start(
        self, problem: Problem, t0: float, y0: Vector, end: float, step: float, atol: Vector
    ) -> Stepper:  # fmt: skip
        """CVODE at the start."""
        field = PulledField(problem, self.project)

        def rate(t: float, y: Vector, out: Vector) -> None:
            out[:] = field(t, y)

        def slopes(t: float, y: Vector, _: Vector, out: Vector) -> None:
            out[:] = problem.evaluate_jacobian(t, y)

        options = _options(self, t0, end, step, atol, np.ones(problem.size, dtype=bool))
        if problem.functions.size <= MOST_EXACT:
            options["jacfn"] = slopes
        solver = require_library("sksundae.cvode", EXTRA).CVODE(rate, method=self.method, **options)
        return _SundialsStepper(solver, field, problem, t0, end, y0)


@dataclass(frozen=True, kw_only=True)
class Ida(StepwiseIntegrator):
    """IDA on the stabilised form of Gear, Gupta and Leimkuhler: constraint forces are unknowns beside the state.

    Positions and velocities keep the constraints at every step, and no matrix is inverted beforehand: also bodies
    without mass are welcome, as long as the constraints determine their motion. The arguments are those of ``Cvode``.

    Example:
        >>> import multibody as mb
        >>> system = mb.System("pendulum", gravity=(0, -9.81, 0))
        >>> bob = system.body("bob", mass=1.0)
        >>> place = system.joint("place", system.world, bob, ["Tx", "Ty"], q=(-1.0, 0.0))
        >>> rod = system.constraint(mb.DistanceConstraint(system.world, bob, 1.0))
        >>> run = mb.simulate(mb.derive(system), duration=1.0, integrator=Ida())
        >>> bool(np.allclose(run.q[-1], (0.9862917511, -0.1650108531), atol=1e-6))
        True
    """

    def start(
        self, problem: Problem, t0: float, y0: Vector, end: float, step: float, atol: Vector
    ) -> Stepper:  # fmt: skip
        """IDA at the start, with all unknowns consistent."""
        problem.t[()], problem.y[:] = t0, y0
        form = problem.once(StabilisedForm)

        def residual(t: float, y: Vector, rate: Vector, out: Vector) -> None:
            out[:] = form.residual(t, y, rate)

        def slopes(t: float, y: Vector, rate: Vector, _: Vector, c: float, out: Vector) -> None:
            out[:] = form.jacobian(t, y, rate, c)

        all_tolerances = np.full(form.size, UNCOUNTED)
        all_tolerances[: problem.size] = atol
        if problem.functions.counted_works:
            step = step or FIRST_STEP * (end - t0)  # its own guess is too long where the motion itself does not show it
        options = _options(self, t0, end, step, all_tolerances, form.weights)
        algebraic = range(problem.size, form.size)
        solver = require_library("sksundae.ida", EXTRA).IDA(residual, jacfn=slopes, algebraic_idx=algebraic, **options)
        return _SundialsStepper(solver, form, problem, t0, end, *form.consistent(t0, y0))


def _options(
    integrator: StepwiseIntegrator, t0: float, end: float, step: float, atol: Vector, counted: NDArray[np.bool_]
) -> dict[str, Any]:
    """Options that CVODE and IDA share; entries that do not count make errors look smaller in the mean.

    Works count: they change twice as fast as the motion, too fast for a high order that the motion alone would choose.
    """
    share = float(np.sqrt(counted.mean()))
    return {
        "rtol": integrator.rtol * share,
        "atol": np.where(counted, atol * share, UNCOUNTED),
        "first_step": min(step, end - t0),
        "min_step": 16 * np.finfo(float).eps * max(abs(t0), abs(end)),
        "max_step": min(integrator.longest_step, end - t0),
        "max_num_steps": 10_000,  # for one step of ours
        "linsolver": "dense" if len(counted) < UNKNOWNS_FOR_LAPACK else "lapackdense",
    }


class _SundialsStepper(Stepper):
    """CVODE or IDA under way."""

    def __init__(
        self, solver: Any, equations: Any, problem: Problem, t0: float, end: float, *start: Vector
    ) -> None:  # fmt: skip
        self._solver, self._equations, self._problem = solver, equations, problem
        self.t, self._end = t0, end
        self._y = start[0][: problem.size]
        self._ask(solver.init_step, t0, *start)

    def advance(self) -> None:
        """One step."""
        self._equations.finite = True
        found = self._ask(self._solver.step, self._end, "onestep", self._end)
        if found.t <= self.t:  # after a look within the last step it first goes back to the end of that
            found = self._ask(self._solver.step, self._end, "onestep", self._end)
        self._equations.stepped(found.t - self.t)
        self.t, self._y = float(found.t), found.y[: self._problem.size]
        self.evaluations, self.jacobians = int(found.nfev), int(found.njev)

    def within(self, t: float) -> Vector:
        """By the polynomial that the method keeps."""
        if t == self.t:
            return self._y.copy()
        return self._ask(self._solver.step, t, "normal", None).y[: self._problem.size]

    def _ask(self, call: Any, *arguments: Any) -> Any:
        """The answer of a call; what the library prints when it fails is the message."""
        overheard = _Overheard()
        with redirect_stdout(overheard):
            found = call(*arguments)
        if found.success:
            return found
        message = overheard.message or found.message
        if not self._equations.finite:
            raise StepError(Status.NOT_FINITE, message)
        raise StepError(Status.STEP_TOO_SMALL if found.status in STUCK else Status.SOLVER_FAILED, message)


class _Overheard:
    """Standard output without the errors that the library prints there; these are kept."""

    def __init__(self) -> None:
        self.message = ""
        self._out = sys.stdout

    def write(self, text: str) -> int:
        """Pass on what is not an error of the library."""
        if text.startswith("\n[") and ", Error: " in text:
            self.message = text.strip()
        elif text.strip() or not self.message:  # an empty line ends an error
            self._out.write(text)
        return len(text)

    def flush(self) -> None:
        """Pass on."""
        self._out.flush()
