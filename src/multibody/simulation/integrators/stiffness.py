"""Estimated times of a run with each kind of integrator, from the eigenvalues of the equations' derivative."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from multibody.simulation.contract import Vector
from multibody.simulation.problem.problem import Problem
from multibody.simulation.problem.run_functions import WORKS, RunFunctions

DEAD = 30.0  # a motion that decays by exp(-30) within the run is over for most of it
REACH = 5.0  # steps of an explicit method are stable up to about |λ|·h = 5
PER_RADIAN = 2.0  # steps that accuracy needs while a motion turns by one radian
NUDGE = 6e-6  # the cube root of the rounding error, where central differences are best

# Work, in seconds on a machine of 2024: its ratios decide, which depend little on the machine.
OPERATION = 0.7e-9  # of compiled equations
EVALUATION = 40e-9  # a call of them, and what a stage of a step costs beside it
STEP = 0.3e-6  # of an implicit method in the compiled loop
MULTIPLICATION = 1e-9  # and addition, in the linear equations of an implicit method
JACOBIAN_SHARE = 0.6  # operations of a Jacobian, relative to those of the equations times the number of states
PYTHON_LAW = 10e-6  # a call of a user's function
PYTHON_STEP = 60e-6  # of a solver that is called step by step

EXPLICIT_STAGES, ROSENBROCK_STAGES = 12, 8
FEWEST_EXPLICIT, FEWEST_ROSENBROCK, FEWEST_BDF = 50, 150, 1000  # steps in a run in which nothing happens
ROSENBROCK_PER_STEP, BDF_PER_STEP = 15.0, 30.0  # steps for each one that an explicit method of order 8 needs

BDF_EVALUATIONS = 1.3  # evaluations in a step of a multistep method, with those for its Jacobians


class IntegratorKind(IntEnum):
    """What is chosen from: ``DormandPrince8``, ``Rodas5P`` and ``Cvode``, in the order of ``Work.seconds``."""

    EXPLICIT = 0
    ROSENBROCK = 1
    BDF = 2


@dataclass(frozen=True)
class Work:
    """The quantities that determine the time of a step.

    Attributes:
        states: number of coordinates and speeds.
        operations: of one evaluation of the equations.
        laws: how many inputs are functions of Python.
        exact: whether the Jacobian is compiled, and not taken by differences.
        has_bdf: whether there is a solver for large stiff systems.
    """

    states: int
    operations: int
    laws: int = 0
    exact: bool = True
    has_bdf: bool = False

    @staticmethod
    def of(functions: RunFunctions, *, has_bdf: bool) -> Work:
        """The work of a run."""
        operations = sum(functions.rhs.operations.values())
        return Work(functions.size - len(WORKS), operations, functions.laws, functions.derives_exactly, has_bdf)

    def seconds(self, stable_steps: Any, accurate_steps: Any) -> tuple[Any, Any, Any]:
        """Estimated times of a run with each kind of integrator.

        An explicit method takes as many steps as stability or accuracy asks for, whichever are more. The implicit ones
        are stable with any step, and need more steps for the same accuracy, because their order is lower. One step of
        the Rosenbrock method takes a Jacobian, a factorization and a solution for each stage. Solvers of libraries
        need few Jacobians, but go through Python in each step.
        """
        n = self.states
        evaluation = EVALUATION + OPERATION * self.operations + PYTHON_LAW * self.laws
        explicit = EXPLICIT_STAGES * evaluation * np.maximum(np.maximum(stable_steps, accurate_steps), FEWEST_EXPLICIT)
        factoring = MULTIPLICATION * n**3 / 3
        jacobian = OPERATION * JACOBIAN_SHARE * self.operations * n if self.exact else 2 * n * evaluation
        stage = evaluation + MULTIPLICATION * n * (n + ROSENBROCK_STAGES)
        step = STEP + ROSENBROCK_STAGES * stage + jacobian + factoring
        rosenbrock = step * (FEWEST_ROSENBROCK + ROSENBROCK_PER_STEP * accurate_steps)
        bdf = (PYTHON_STEP + BDF_EVALUATIONS * evaluation) * (FEWEST_BDF + BDF_PER_STEP * accurate_steps)
        return explicit, rosenbrock, bdf if self.has_bdf else np.inf * explicit


@dataclass(frozen=True)
class Stiffness:
    """What the eigenvalues at one state say; of many states at once, each of these is an array.

    Attributes:
        fastest: the largest |λ| of motions that die out within the run, in 1/s; 0 if there are none.
        slowest_needed: the largest |λ| of all other motions, which must be followed.
        stable_steps: how many steps an explicit method needs to stay stable.
        accurate_steps: how many steps the accuracy of what lives on needs.
        seconds: the estimated time with each kind of integrator.
    """

    fastest: Any
    slowest_needed: Any
    stable_steps: Any
    accurate_steps: Any
    seconds: tuple[Any, Any, Any]

    @property
    def kind(self) -> Any:
        """The kind of integrator that is expected to take the least time."""
        return np.argmin(np.stack(np.broadcast_arrays(*self.seconds)), axis=0)

    @property
    def stiff(self) -> Any:
        """Whether an implicit method is expected to take less time than an explicit one."""
        return self.kind != IntegratorKind.EXPLICIT

    def __str__(self) -> str:
        explicit, *implicit = (1e3 * seconds for seconds in self.seconds)
        saved = f"; implicit steps take about {min(implicit):.2g} ms instead of {explicit:.2g} ms"
        return (
            f"{'stiff' if self.stiff else 'not stiff'}: decaying modes up to {self.fastest:.3g}/s need "
            f"{self.stable_steps:.3g} explicit steps for stability, other modes up to {self.slowest_needed:.3g}/s need "
            f"{self.accurate_steps:.3g} for accuracy{saved if self.stiff else ''}"
        )


def stiffness(problem: Problem, t0: float, y0: Vector, duration: float, *, has_bdf: bool = False) -> Stiffness:
    """Which kind of integrator takes the least time, and whether stability would limit an explicit one.

    The eigenvalues λ of ∂(q̇, u̇)/∂(q, u) at the start are the rates of small motions. One that decays as fast as
    exp(-30) within the run, -Re λ·duration > 30, is over for most of it, and still an explicit method must take steps
    h < 5/|λ| to remain stable. All others have to be followed: they need about 2·|λ|·duration steps for accuracy. From
    both numbers, and from the work of a step, follow the times that ``Work.seconds`` compares. Undamped vibrations,
    however fast, do not make a problem stiff.

    The derivative is taken by differences: eigenvalues are needed to a digit or two, and to compile the exact one takes
    longer than many runs. Inputs that are functions of Python take part in it.

    Args:
        problem: what moves.
        t0: time.
        y0: state.
        duration: of the run.
        has_bdf: whether a solver for large stiff systems may be chosen.

    Example:
        >>> import multibody as mb
        >>> system = mb.System("brake")
        >>> slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
        >>> pull, brake = system.load(mb.JointSpring(slide, 1e6)), system.load(mb.JointDamper(slide, 1e6))
        >>> report = stiffness(Problem(mb.derive(system), []), 0.0, np.zeros(5), duration=10.0)
        >>> str(report).partition(",")[0]
        'stiff: decaying modes up to 1e+06/s need 2e+06 explicit steps for stability'
    """
    return judged(slopes(problem, t0, y0), duration, Work.of(problem.functions, has_bdf=has_bdf))


def judged(slopes: Vector, duration: float, work: Work) -> Stiffness:
    """What the eigenvalues of ∂(q̇, u̇)/∂(q, u) say, of one run or of many at once."""
    known = np.isfinite(slopes).all(axis=(-2, -1), keepdims=True)
    rates = np.linalg.eigvals(np.where(known, slopes, 0.0))
    dead = -rates.real * duration > DEAD
    fastest = np.where(dead, np.abs(rates), 0.0).max(axis=-1, initial=0.0)
    followed = np.where(dead, 0.0, np.abs(rates)).max(axis=-1, initial=0.0)
    stable, accurate = fastest * duration / REACH, PER_RADIAN * followed * duration
    return Stiffness(fastest, followed, stable, accurate, work.seconds(stable, accurate))


def slopes_of_many(functions: RunFunctions, t: float, y: Vector, r: Vector, p: Vector) -> Vector:
    """∂(q̇, u̇)/∂(q, u) by central differences for many runs, a row for each; all states are evaluated at once."""
    n, runs = len(functions.eom.coordinates), len(y)
    count = functions.size - len(WORKS)
    nudges = NUDGE * np.maximum(np.abs(y[:, :count]), 1e-3)
    moves = np.eye(count) * nudges[:, None, :]
    states = np.stack([y[:, None, :count] + moves, y[:, None, :count] - moves]).reshape(2 * runs * count, count)
    inputs, parameters = (np.tile(np.repeat(values, count, axis=0), (2, 1)) for values in (r, p))
    found = functions.rhs.batch(np.full(len(states), t), states[:, :n], states[:, n:], inputs, parameters)
    rates = np.asarray(found)[:, :count].reshape(2, runs, count, count)
    return np.swapaxes((rates[0] - rates[1]) / (2 * nudges[:, :, None]), 1, 2)


def slopes(problem: Problem, t: float, y: Vector) -> Vector:
    """∂(q̇, u̇)/∂(q, u) by central differences."""
    count = problem.n + problem.m
    slopes = np.empty((count, count))
    for k in range(count):
        step = np.zeros(problem.size)
        step[k] = NUDGE * max(abs(y[k]), 1e-3)
        change = problem.evaluate(t, y + step) - problem.evaluate(t, y - step)
        slopes[:, k] = change[:count] / (2 * step[k])
    return slopes
